//! Programs that run code: shells and languages, from an argument, a file or their input.

mod editors;
mod scripts;
mod shells;
mod text_programs;

use deskhand_core::{Effects, Permission};

use super::{Reading, flags};
use crate::shell::{
    code::{self, Facts, Language},
    judge::{Class, Reach, Writing},
    text::{HOLE, NET, SECRET, STAR, is_known, is_secret},
};
pub use shells::is_shell;

impl Reading<'_> {
    /// Reads an interpreter; `None` if it is none.
    pub fn interpreter(&mut self, name: &str, words: &[String], input: Option<&str>) -> Option<String> {
        if is_shell(name) {
            return Some(self.shell(name, words, input));
        }
        if matches!(name, "powershell" | "pwsh" | "powershell.exe" | "cmd" | "cmd.exe") {
            return Some(self.windows_shell(name, words));
        }
        let language = language(name)?;
        if editors::is_emacs(name) {
            return Some(self.editor(language, name, words, input));
        }
        Some(match language {
            Language::Awk => self.awk(name, words, input),
            Language::Sed => self.sed(name, words, input),
            Language::Make => self.make(words, input),
            Language::Ed | Language::Vim => self.editor(language, name, words, input),
            Language::Sql | Language::Gdb | Language::Jq | Language::Calculator | Language::Other => {
                return None;
            }
            _ => self.script_language(language, name, words, input),
        })
    }

    /// What code does, as far as it can be told by looking.
    pub fn code(&mut self, language: Language, text: &str) -> String {
        if text.contains(NET) {
            self.forbid("remote-code", "It runs code that another host sends.");
        }
        if language == Language::Other {
            // In most languages that are not read here, backticks hold a command or are not used at all.
            for command in text.split('`').skip(1).step_by(2) {
                let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
                self.hedge(&words);
            }
        }
        let facts = code::inspect(language, text);
        self.facts(&facts, text);
        // A language that is not read here may run what stands in its quotes.
        if !facts.pure && facts.shell.is_empty() && facts.argvs.is_empty() {
            self.hedge_texts(&[text.to_owned()]);
        }
        let unknown = if facts.network { NET.to_string() } else { HOLE.to_string() };
        let mut output = facts.prints.unwrap_or(unknown);
        if facts.reads.iter().any(|path| matches!(self.class_of(path), Class::Secret(_))) {
            output.push(SECRET);
        }
        output
    }

    pub fn facts(&mut self, facts: &Facts, text: &str) {
        let mut secret = false;
        for command in &facts.shell {
            self.ran_unknown |= !is_known(command);
            if is_shell(command.trim()) {
                // What it is fed stands somewhere in the code.
                self.hedge_texts(&[text.to_owned()]);
            }
            secret |= is_secret(&self.shell_text(command, None));
        }
        for words in &facts.argvs {
            self.argv(words, false, None);
        }
        for (path, tree) in &facts.deletes {
            let path = self.code_path(path);
            self.removes(&path, if *tree { Reach::Tree } else { Reach::One });
        }
        for path in &facts.writes {
            let path = self.code_path(path);
            self.writes(&path, Writing::Whole);
        }
        for path in &facts.reads {
            let path = self.code_path(path);
            secret |= self.reads(&path, Reach::One).contains(SECRET);
        }
        for (path, tree) in &facts.changes_permissions {
            let path = self.code_path(path);
            self.changes_access(&path, if *tree { Reach::Tree } else { Reach::One });
        }
        for host in &facts.hosts {
            self.host(host);
        }
        if facts.network {
            self.effect(Effects::NETWORK);
            self.find(Permission::Sensitive, "code:network", "The code reaches other hosts.");
            if secret || ENVIRONMENTS.iter().any(|whole| text.contains(whole)) {
                self.forbid("exfiltration", "The code reads a secret and reaches another host.");
            }
        }
        if facts.downloads_and_runs {
            self.forbid("remote-code", "The code runs what another host sends.");
        }
        if facts.shell_over_socket {
            self.forbid("reverse-shell", "The code connects a shell to another host.");
        }
        if facts.forks_forever {
            self.forbid("fork-bomb", "The code starts processes without end.");
        }
        if facts.powers_off {
            self.forbid("power", "The code stops or restarts the machine.");
        }
        if facts.executes || facts.unresolved || !facts.pure {
            self.effect(Effects::EXECUTES);
            let level = if facts.unresolved || !is_known(text) {
                Permission::Sensitive
            } else {
                Permission::Moderate
            };
            self.find(level, "code", "It runs code whose effects cannot all be told by looking.");
        }
    }

    /// A path as code names it: `~`, and globs as marks.
    pub fn code_path(&self, path: &str) -> String {
        let path = match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{}{rest}", self.home()),
            _ => path.to_owned(),
        };
        path.replace('*', &STAR.to_string())
    }
}

/// The whole environment, as languages write it.
const ENVIRONMENTS: &[&str] = &[
    "dict(os.environ",
    "str(os.environ",
    "**os.environ",
    "stringify(process.env)",
    "ENV.to_h",
    "ENV.to_a",
    "%ENV",
    "getenv()",
];

/// Whether a program is a shell or a language, which runs whatever its file says.
pub fn runs_code(name: &str) -> bool {
    let name = super::commands::base_name(name);
    is_shell(name) || !matches!(language(name), None | Some(Language::Make))
}

pub fn language(name: &str) -> Option<Language> {
    code::language_of(name)
}
