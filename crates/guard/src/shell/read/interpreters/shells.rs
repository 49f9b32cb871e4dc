//! Shells: a text, a file, or what they are fed.

use deskhand_core::{Effects, Permission};

use super::{Reading, language};
use crate::shell::{
    judge::{Class, Reach},
    text::{HOLE, NET, SECRET, SHELL, globs_as_text, is_known, shown},
};

impl Reading<'_> {
    /// `sh`, `bash`, …: `-c TEXT`, a file, or what it is fed.
    pub fn shell(&mut self, name: &str, words: &[String], input: Option<&str>) -> String {
        self.step(format!("{name} runs commands."));
        if !reads_as_bash(name) {
            // What it runs is read as bash would, and that may not be all.
            let why = format!("{name} reads commands in a way of its own.");
            self.find(Permission::Moderate, format!("program:{name}"), why);
        }
        let given = shell_words(words);
        if given.only_checks && !given.text {
            for file in given.rest.iter().take(1) {
                self.reads(file, Reach::One);
            }
            return HOLE.to_string();
        }
        for file in &given.start_files {
            self.script_file(file, name, &[], input);
        }
        match given.rest.split_first() {
            Some((text, rest)) if given.text => {
                if text.trim().is_empty() {
                    self.unresolved("What the shell is to run cannot be told.");
                }
                let zero = rest.first().cloned().unwrap_or_else(|| name.to_owned());
                let zero = std::mem::replace(&mut self.zero, zero);
                let positional = rest.get(1..).unwrap_or_default().to_vec();
                let positional = std::mem::replace(&mut self.positional, positional);
                let output = self.shell_text(&globs_as_text(text), input);
                self.positional = positional;
                self.zero = zero;
                output
            }
            Some((file, rest)) if !given.reads_input && file != "-" => {
                self.script_file(file, name, rest, input)
            }
            _ => self.fed_shell(input),
        }
    }

    /// A shell that does what it reads.
    pub fn fed_shell(&mut self, input: Option<&str>) -> String {
        if let Some(text) = input {
            if !is_known(text) {
                let seen = self.seen.clone();
                self.hedge_texts(&seen);
            }
            let mut output = self.shell_text(text, None);
            output.push(SHELL);
            return output;
        }
        // Alone it reads nothing, since nothing is on its input; but its output may go somewhere.
        self.effect(Effects::EXECUTES);
        self.find(Permission::Moderate, "shell:interactive", "It starts a shell.");
        SHELL.to_string()
    }

    /// Text for a shell of its own.
    pub fn shell_text(&mut self, text: &str, input: Option<&str>) -> String {
        if text.contains(NET) {
            self.forbid("remote-code", "It runs what another host sends.");
            return HOLE.to_string();
        }
        if text.contains(SECRET) && !text.contains(' ') {
            self.unresolved("It runs the content of a secret file.");
        }
        if !is_known(text) {
            self.unresolved("It runs text that cannot be told before it runs.");
        }
        let functions = std::mem::take(&mut self.functions);
        let output = self.run_apart(text, input);
        self.functions = functions;
        output
    }

    /// A file that an interpreter runs.
    pub fn script_file(
        &mut self,
        file: &str,
        name: &str,
        arguments: &[String],
        input: Option<&str>,
    ) -> String {
        if matches!(file, "/dev/stdin" | "-" | "/proc/self/fd/0" | "/dev/fd/0") {
            return match language(name) {
                Some(language) => self.fed_language(language, name, input),
                None => self.fed_shell(input),
            };
        }
        let place = self.written(file);
        if let Some(text) = self.files.get(&place.path).cloned() {
            if let Some(language) = language(name) {
                if text.contains(NET) {
                    self.forbid(
                        "remote-code",
                        format!("It runs {}, which it has just downloaded.", shown(file)),
                    );
                }
                return self.code(language, &text);
            }
            return self.run_file_text(&text, file, arguments, input);
        }
        if file.contains(NET) || file.starts_with("http://") || file.starts_with("https://") {
            self.forbid("remote-code", "It runs what another host sends.");
        }
        self.effect(Effects::EXECUTES);
        if name == "ldd" && self.class_of(file) == Class::SystemFile {
            return HOLE.to_string();
        }
        let level = match self.class_of(file) {
            Class::Workspace | Class::Temporary => Permission::Moderate,
            _ => Permission::Sensitive,
        };
        self.find(level, format!("program:{name}"), format!("It runs the code in {}.", shown(file)));
        self.reads(file, Reach::One);
        HOLE.to_string()
    }

    /// `powershell -Command …`, `cmd /c …`.
    pub fn windows_shell(&mut self, name: &str, words: &[String]) -> String {
        let text = format!("{name} {}", words.iter().map(|word| shown(word)).collect::<Vec<_>>().join(" "));
        self.windows_text(&text);
        HOLE.to_string()
    }
}

/// The words of a shell's call, told apart.
struct ShellWords<'w> {
    /// The first of the rest is text to run: `-c`.
    text: bool,
    /// It reads its text and runs nothing: `-n`.
    only_checks: bool,
    /// It does what it is fed, whatever words follow: `-s`.
    reads_input: bool,
    /// Files that it runs before anything else.
    start_files: Vec<&'w str>,
    rest: &'w [String],
}

/// Shells have their flags in a way of their own: `-c` takes no value, the first operand is its text.
fn shell_words(words: &[String]) -> ShellWords<'_> {
    let mut given = ShellWords {
        text: false,
        only_checks: false,
        reads_input: false,
        start_files: Vec::new(),
        rest: &[],
    };
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with(['-', '+']) && word.len() > 1) {
        at += 1;
        match word.as_str() {
            "--" => break,
            "--rcfile" | "--init-file" => {
                given.start_files.extend(words.get(at).map(String::as_str));
                at += 1;
            }
            "--command" => given.text = true,
            long if long.starts_with("--") => {}
            short => {
                given.reads_input |= short.contains('s');
                given.only_checks |= short.starts_with('-') && short.contains('n');
                given.text |= short.contains('c') && short.starts_with('-');
                // `-o pipefail`, `-O extglob`, `-euo pipefail`.
                at += usize::from(short.ends_with(['o', 'O']));
            }
        }
    }
    given.rest = words.get(at..).unwrap_or_default();
    given
}

/// Whether a shell's language is bash's, or a part of it.
fn reads_as_bash(name: &str) -> bool {
    const OTHERS: &[&str] = &["zsh", "fish", "csh", "tcsh", "rc", "elvish", "xonsh", "nu"];
    !OTHERS.contains(&name)
}

pub fn is_shell(name: &str) -> bool {
    matches!(
        name,
        "sh" | "bash"
            | "dash"
            | "zsh"
            | "ksh"
            | "ksh93"
            | "mksh"
            | "pdksh"
            | "ash"
            | "fish"
            | "csh"
            | "tcsh"
            | "rbash"
            | "yash"
            | "posh"
            | "rc"
            | "elvish"
            | "xonsh"
            | "nu"
            | "lksh"
            | "loksh"
            | "oksh"
    )
}
