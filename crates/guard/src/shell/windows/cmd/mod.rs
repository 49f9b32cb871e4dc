//! Reading `cmd` text: statements, groups, conditions and loops. All branches count.

mod builtins;
mod expand;
mod lex;
mod loops;

use super::report::{Report, Word};
use super::tables::names::BUILTINS;
use super::{Form, Level, deletes, nested, programs};
use expand::Variables;
use lex::{Parting, UNKNOWN};

/// Where the input of a command comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piped {
    Nothing,
    Text(String),
    Unknown,
}

/// What one text has set up so far.
struct Shell<'a> {
    report: &'a mut Report,
    variables: Variables,
    /// Inside `for /r`: a delete reaches the whole tree.
    walks_tree: bool,
    /// Files that the text itself has written with `echo`, to be read when they are run.
    written: Vec<(String, String)>,
    depth: u32,
}

pub(super) fn read(report: &mut Report, text: &str) {
    let mut shell =
        Shell { report, variables: Variables::default(), walks_tree: false, written: Vec::new(), depth: 0 };
    shell.lines(text);
}

fn keyword(chars: &[char], at: usize) -> String {
    let word = chars[at..].iter().filter(|c| **c != '^').take(10);
    word.take_while(|c| c.is_ascii_alphabetic()).collect::<String>().to_ascii_lowercase()
}

fn parting(name: &str) -> Parting {
    let name = name.to_ascii_lowercase();
    let bare = name.split('/').next().unwrap_or_default();
    if BUILTINS.contains(&bare) { Parting::Punctuation } else { Parting::Blanks }
}

impl Shell<'_> {
    fn lines(&mut self, text: &str) {
        if self.depth > 12 || !self.report.spend(text.len()) {
            self.report.note(Level::Sensitive, "win-too-complex", "Commands are nested too deep to be read");
            return;
        }
        self.depth += 1;
        // A caret at the end of a line joins it with the next.
        let joined = text.replace("\r\n", "\n").replace("^\n", "");
        let chars: Vec<char> = joined.chars().collect();
        let (mut at, mut groups) = (0, 0u32);
        let mut piped = Piped::Nothing;
        while at < chars.len() {
            match chars[at] {
                '|' => {
                    let or = chars.get(at + 1) == Some(&'|');
                    if or {
                        piped = Piped::Nothing;
                    }
                    at += if or { 2 } else { 1 };
                }
                '&' | '\n' => {
                    piped = Piped::Nothing;
                    at += 1;
                }
                '(' => {
                    groups += 1;
                    at += 1;
                }
                ')' => {
                    groups = groups.saturating_sub(1);
                    at += 1;
                }
                ' ' | '\t' | '\r' | ',' | ';' | '=' | '@' => at += 1,
                _ => {
                    let (next, output) = self.statement(&chars, at, groups > 0, &piped);
                    at = next.max(at + 1);
                    piped = output;
                }
            }
        }
        self.depth -= 1;
    }

    fn statement(&mut self, chars: &[char], at: usize, in_group: bool, piped: &Piped) -> (usize, Piped) {
        match keyword(chars, at).as_str() {
            "for" => {
                if let Some(end) = self.for_loop(chars, at) {
                    return (end, Piped::Unknown);
                }
            }
            "if" => return (loops::after_condition(chars, at), piped.clone()),
            word @ ("else" | "do") => return (at + word.len(), piped.clone()),
            "rem" => return (end_of_line(chars, at), Piped::Nothing),
            _ if chars[at] == ':' => return (end_of_line_or_operator(chars, at), Piped::Nothing),
            _ => {}
        }
        let end = lex::end_of_command(chars, at, in_group);
        let raw: String = chars[at..end].iter().collect();
        (end, self.simple(&raw, piped))
    }

    /// One command without operators.
    fn simple(&mut self, raw: &str, piped: &Piped) -> Piped {
        if !self.report.spend(raw.len()) {
            return Piped::Unknown;
        }
        let expanded = self.variables.expand(raw);
        if expanded != raw && !keyword(&raw.chars().collect::<Vec<_>>(), 0).starts_with("set") {
            let chars: Vec<char> = expanded.chars().collect();
            if lex::end_of_command(&chars, 0, false) < chars.len() {
                self.lines(&expanded);
                return Piped::Unknown;
            }
        }
        let mut command = lex::command(&expanded, parting);
        if command.words.is_empty() {
            self.redirections(&command, &Piped::Text(String::new()));
            return Piped::Nothing;
        }
        let first = command.words.remove(0);
        let (name, glued) = split_name(&first);
        if let Some(glued) = glued {
            command.rest = format!("{glued}{}", command.rest);
            let again = lex::command(&format!("x {}", command.rest), |_| parting(&name));
            command.words = again.words.into_iter().skip(1).collect();
        }
        if name.trim_start_matches(['"', '(']).starts_with("%0") {
            self.report.note(
                Level::Forbid,
                "win-fork-bomb",
                "Starts itself again and again until the machine stands still",
            );
            return Piped::Unknown;
        }
        if name.is_empty() || !first.known {
            if !first.known {
                self.report.unresolved(raw);
            }
            if self.report.facts.fetches {
                self.report.note(
                    Level::Forbid,
                    "win-download-run",
                    "Fetches something and then runs what cannot be resolved",
                );
            }
            self.redirections(&command, &Piped::Unknown);
            return Piped::Unknown;
        }
        let output = self.run(&name, &command, raw, piped);
        self.redirections(&command, &output);
        output
    }

    fn redirections(&mut self, command: &lex::Command, output: &Piped) {
        for word in &command.outputs {
            deletes::write(self.report, word);
            if let Piped::Text(text) = output
                && self.written.len() < 16
            {
                let name = super::places::file_name(&word.text);
                match self.written.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, held)) if held.len() < 8192 => {
                        held.push('\n');
                        held.push_str(text);
                    }
                    _ => self.written.push((name, text.clone())),
                }
            }
        }
        for word in &command.inputs {
            if super::places::is_secret(&word.text) {
                self.report.secret(&word.text);
            }
        }
    }

    fn run(&mut self, name: &str, command: &lex::Command, raw: &str, piped: &Piped) -> Piped {
        if name.len() == 2 && name.ends_with(':') {
            self.report.enter(&format!("{name}\\"));
            return Piped::Nothing;
        }
        let bare = programs::bare_name(name);
        if BUILTINS.contains(&bare.as_str()) && !name.contains('\\') {
            return self.builtin(&bare, command, raw);
        }
        let file = super::places::file_name(name);
        let held = self.written.iter().find(|(known, _)| {
            *known == file
                || known.strip_suffix(".bat") == Some(&file)
                || known.strip_suffix(".cmd") == Some(&file)
        });
        if let Some((_, text)) = held.cloned() {
            self.lines(&text);
        }
        for word in &command.words {
            let script = super::places::file_name(&word.text);
            if let Some((_, text)) = self.written.iter().find(|(known, _)| *known == script).cloned() {
                nested::command_line(self.report, &text);
            }
        }
        let shell = match bare.as_str() {
            "powershell" | "pwsh" => Some(Form::PowerShell),
            "cmd" | "diskpart" | "bash" | "wsl" | "python" | "cscript" | "node" => Some(Form::Cmd),
            _ => None,
        };
        match (shell, piped) {
            (Some(_), _) if *piped != Piped::Nothing && self.report.facts.fetches => {
                self.report.note(Level::Forbid, "win-download-run", "Runs what it fetches from the network");
            }
            (Some(_), Piped::Text(text)) if bare == "diskpart" => {
                programs::judge(self.report, "diskpart", &[Word::plain(text.clone())], None);
                return Piped::Unknown;
            }
            (Some(form), Piped::Text(text)) => nested::read(self.report, text, form),
            _ => {}
        }
        programs::judge(self.report, name, &command.words, Some(&command.rest));
        if self.report.facts.fetches && matches!(bare.as_str(), "forfiles" | "start") {
            self.report.note(Level::Sensitive, "win-runs", "Runs something after fetching from the network");
        }
        Piped::Unknown
    }
}

/// The name, and what is glued to it: `del/f` is `del` and `/f`, `echo.x` is `echo`.
fn split_name(first: &Word) -> (String, Option<String>) {
    let text = first.text.trim_start_matches('@');
    let lower = text.to_ascii_lowercase();
    if let Some(at) = text.find('/')
        && at > 0
        && !lower[..at].contains([':', '\\', '.'])
    {
        return (text[..at].to_owned(), Some(text[at..].to_owned()));
    }
    for name in ["echo", "cd", "chdir", "dir", "type", "rd", "del", "md"] {
        if let Some(rest) = lower.strip_prefix(name)
            && rest.starts_with(['.', '\\', ':', '(', '[', '+'])
            && !rest.contains(".exe")
        {
            return (name.to_owned(), text.get(name.len()..).map(str::to_owned));
        }
    }
    (text.to_owned(), None)
}

fn end_of_line(chars: &[char], at: usize) -> usize {
    chars[at..].iter().position(|c| *c == '\n').map_or(chars.len(), |i| at + i)
}

/// A label ends its line; written on one line with others, it ends at the blank.
fn end_of_line_or_operator(chars: &[char], at: usize) -> usize {
    if chars.get(at + 1) == Some(&':') {
        return end_of_line(chars, at);
    }
    chars[at..].iter().position(|c| matches!(c, '\n' | ' ' | '&' | '|')).map_or(chars.len(), |i| at + i)
}
