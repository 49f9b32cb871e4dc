//! What the commands built into `cmd` do.

use super::lex::Command;
use super::{Piped, Shell, UNKNOWN};
use crate::shell::windows::deletes::{self, Reach};
use crate::shell::windows::report::Word;
use crate::shell::windows::{Level, places, programs};

/// Letters of the switches among the words: `/f/s` gives `f` and `s`.
fn switches(words: &[Word]) -> Vec<char> {
    let given = words.iter().filter(|w| w.text.starts_with('/')).map(Word::lower);
    given.flat_map(|w| w.split('/').filter_map(|s| s.chars().next()).collect::<Vec<_>>()).collect()
}

fn operands(words: &[Word]) -> Vec<Word> {
    let mut found = Vec::new();
    for word in words.iter().filter(|w| !w.text.is_empty() || !w.known) {
        if !word.text.starts_with('/') || word.quoted {
            found.push(word.clone());
        }
    }
    found
}

impl Shell<'_> {
    pub(super) fn builtin(&mut self, name: &str, command: &Command, raw: &str) -> Piped {
        self.report.program(name);
        let words = &command.words;
        if programs::forbidden(self.report, name, words) {
            return Piped::Unknown;
        }
        match name {
            "echo" => return self.echo(command),
            "set" => self.set(raw),
            "call" => return self.call(&command.rest),
            "start" => self.start(&command.rest),
            "del" | "erase" | "rd" | "rmdir" => {
                let deep = self.walks_tree || switches(words).contains(&'s');
                self.delete(words, if deep { Reach::Tree } else { Reach::Files });
            }
            "copy" | "move" | "ren" | "rename" | "mklink" | "md" | "mkdir" => self.moves(name, words),
            "type" | "dir" => {
                programs::secrets_among(self.report, name, words);
                self.reads(words);
            }
            "cd" | "chdir" | "pushd" => {
                if let Some(folder) = operands(words).first() {
                    self.report.enter(&folder.text);
                }
                self.report.note(Level::Allow, "win-reads", "Changes the folder of this session");
            }
            "date" | "time" if words.iter().any(|w| !w.text.eq_ignore_ascii_case("/t")) => {
                self.report.note(Level::Sensitive, "win-system", "Changes the clock of the machine");
            }
            "assoc" | "ftype" | "path" if !words.is_empty() => {
                self.report.note(Level::Sensitive, "win-system", "Changes which programs open files");
            }
            _ => self.report.note(Level::Allow, "win-reads", "Shows something or changes only this session"),
        }
        Piped::Unknown
    }

    fn reads(&mut self, words: &[Word]) {
        if let Some(word) = words.iter().find(|w| !w.known) {
            self.report.unresolved(&word.text);
        }
        self.report.note(Level::Allow, "win-reads", "Shows files");
    }

    fn echo(&mut self, command: &Command) -> Piped {
        let told: String = command.rest.trim_start_matches(['.', ':', ' ']).to_owned();
        let lower = told.to_lowercase();
        if told.contains(UNKNOWN)
            && ["key", "token", "secret", "passw", "pwd"].iter().any(|s| lower.contains(s))
        {
            self.report.note(Level::Sensitive, "win-secret", "Shows a variable that may hold a secret");
        }
        self.report.note(Level::Allow, "win-reads", "Prints text");
        // Redirections belong to the command, not to what is said.
        let end = told.find(['>', '<']).unwrap_or(told.len());
        let mut text: String = told[..end].trim().to_owned();
        if !text.contains('"') {
            text = text.replace('^', "");
        }
        if text.contains(UNKNOWN) { Piped::Unknown } else { Piped::Text(text) }
    }

    /// `set x=value`, with or without quotes around the whole.
    fn set(&mut self, raw: &str) {
        let expanded = self.variables.expand(raw);
        let rest = expanded.trim_start().trim_start_matches('@').get(3..).unwrap_or_default().trim_start();
        let lower = rest.to_ascii_lowercase();
        let rest = if lower.starts_with("/a") || lower.starts_with("/p") {
            rest.get(2..).unwrap_or_default()
        } else {
            rest
        };
        let Some((name, value)) = rest.split_once('=') else {
            self.report.note(Level::Sensitive, "win-secret", "Shows variables, which may hold secrets");
            return;
        };
        let value = match name.trim_start().strip_prefix('"') {
            Some(_) => value.rsplit_once('"').map_or(value, |(v, _)| v).to_owned(),
            None => uncareted(value),
        };
        let value = if lower.starts_with("/p") { UNKNOWN.to_string() } else { value };
        self.variables.set(name.trim_start().trim_start_matches('"'), value);
        self.report.note(Level::Moderate, "win-changes", "Sets a variable of this session");
    }

    fn call(&mut self, rest: &str) -> Piped {
        let rest = rest.trim();
        if !rest.starts_with(':') {
            self.lines(rest);
        }
        Piped::Unknown
    }

    fn start(&mut self, rest: &str) {
        let mut rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix('"') {
            // The first quoted word is a title, unless nothing follows it.
            if let Some((title, after)) = after.split_once('"') {
                rest = if after.trim().is_empty() { title } else { after.trim_start() };
            }
        }
        while rest.starts_with('/') {
            let (switch, after) = rest.split_once(' ').unwrap_or((rest, ""));
            rest = after.trim_start();
            if switch.eq_ignore_ascii_case("/d") {
                rest = rest.split_once(' ').map_or("", |(_, after)| after);
            }
        }
        self.report.note(Level::Moderate, "win-program", "Starts a program of its own");
        if rest.starts_with("http") {
            self.report.note(Level::Sensitive, "win-network", "Opens a page of another machine");
            return;
        }
        self.lines(rest);
    }

    fn delete(&mut self, words: &[Word], reach: Reach) {
        for word in operands(words) {
            deletes::delete(self.report, &word, reach);
        }
        self.report.note(Level::Moderate, "win-delete", "Deletes files");
    }

    fn moves(&mut self, name: &str, words: &[Word]) {
        let operands = operands(words);
        let (last, sources) = match operands.split_last() {
            Some((last, sources)) if !sources.is_empty() => (Some(last), sources),
            _ if matches!(name, "md" | "mkdir") => (operands.first(), &[][..]),
            _ => (None, operands.as_slice()),
        };
        for source in sources {
            let gone = matches!(name, "move" | "ren" | "rename") && places::file(&source.text).is_vital()
                || matches!(name, "move" | "ren" | "rename") && places::tree(&source.text).is_vital();
            if gone {
                let place = places::tree(&source.text);
                self.report.note(
                    Level::Forbid,
                    "win-delete",
                    format!("Moves away {}: {}", place.words(), source.text),
                );
            } else if places::is_secret(&source.text) {
                self.report.secret(&source.text);
            } else if !source.known {
                self.report.unresolved(&source.text);
            }
            if places::is_remote(&source.text) {
                self.report.note(Level::Sensitive, "win-network", "Fetches from another machine");
                self.report.fetched(&source.text);
                if let Some(to) = last {
                    self.report.fetched(&to.text);
                }
            }
        }
        if let Some(to) = last {
            if places::is_remote(&to.text) {
                self.report.facts.sends = true;
            }
            deletes::write(self.report, to);
        }
        self.report.note(Level::Moderate, "win-writes", "Copies, moves, renames or makes files");
    }
}

fn uncareted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.extend(if c == '^' { chars.next() } else { Some(c) });
    }
    out
}
