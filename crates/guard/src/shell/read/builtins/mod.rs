//! What the shell itself does: builtins.

mod variables;

use deskhand_core::{Effects, Permission};

use super::{Reading, flags, output};
use crate::shell::{
    expand::is_secret_name,
    judge::{Class, Reach},
    text::{ENVIRONMENT, HOLE, NET, SECRET, globs_as_text, is_known, shown},
};

impl Reading<'_> {
    /// Reads a builtin; `None` if it is none.
    pub fn builtin(&mut self, name: &str, words: &[String], input: Option<&str>) -> Option<String> {
        let text = match name {
            "echo" => output::echo(words),
            "printf" => self.printf(words),
            "pwd" => format!("{}\n", self.here()),
            "printenv" => self.printenv(words),
            "eval" => {
                let text = words.iter().map(|word| globs_as_text(word)).collect::<Vec<_>>().join(" ");
                self.shell_text_here(&text, input)
            }
            "source" | "." => self.source(words, input),
            "exec" => self.exec(words, input),
            "command" | "builtin" => self.passing_by_functions(words, input),
            "export" | "declare" | "local" | "readonly" | "typeset" => self.declare(name, words),
            "set" => self.set_options(words),
            "alias" => self.alias(words),
            "history" | "fc" => self.history(name, words),
            "type" | "jobs" | "dirs" | "help" | "times" | "ulimit" | "umask" | "caller" => HOLE.to_string(),
            _ => return self.silent_builtin(name, words, input).then(String::new),
        };
        Some(text)
    }

    /// Builtins that print nothing, or nothing that matters; says whether it was one.
    fn silent_builtin(&mut self, name: &str, words: &[String], input: Option<&str>) -> bool {
        match name {
            ":" | "true" | "false" | "wait" | "fg" | "bg" | "disown" | "exit" | "return" | "break"
            | "continue" | "shift" | "suspend" | "logout" | "getopts" | "}" | "fi" | "done" | "esac" => {
                self.subscripts(words);
            }
            "hash" => {
                self.subscripts(words);
                if words.iter().any(|word| word.starts_with("-p")) {
                    self.unresolved("It gives a program's name another meaning.");
                }
            }
            "bind" | "complete" | "compgen" => self.completion(name, words),
            "test" | "[" => {
                self.subscripts(words);
                self.plain_step(name, "checks a condition");
            }
            "cd" | "chdir" | "pushd" | "popd" => self.change_folder(name, words),
            "unset" => self.unset(words),
            "unalias" => {
                for word in words {
                    self.aliases.remove(word);
                }
            }
            "shopt" => {
                if words.iter().any(|word| word == "-u") && words.iter().any(|word| word.contains("hist")) {
                    self.forbid("defence", "It switches off the shell's history.");
                }
            }
            "trap" => {
                if let Some(text) =
                    words.iter().find(|word| !word.starts_with('-')).filter(|_| words.len() > 1)
                {
                    self.find(Permission::Moderate, "program:trap", "It sets what runs when the shell ends.");
                    self.run_apart(&globs_as_text(text), None);
                }
            }
            "read" | "mapfile" | "readarray" => self.read_line(name, words, input),
            "let" => self.let_numbers(words),
            "enable" => {
                if words.iter().any(|word| word.starts_with("-f")) {
                    self.unresolved("It loads code into the shell.");
                }
            }
            _ => return false,
        }
        true
    }

    fn printenv(&mut self, words: &[String]) -> String {
        self.program("printenv");
        let all = words.iter().all(|word| word.starts_with('-'));
        let secret = all || words.iter().any(|word| is_secret_name(word));
        if secret { format!("{HOLE}{ENVIRONMENT}") } else { HOLE.to_string() }
    }

    /// `exec [-cl] [-a name] command …`.
    fn exec(&mut self, words: &[String], input: Option<&str>) -> String {
        let name = crate::shell::knowledge::Flag::taking("-a");
        let told = flags::tell(words, &[&name], Some(0));
        self.command(&told.operands, input)
    }

    /// `command` and `builtin`: a function or alias of that name is passed by.
    fn passing_by_functions(&mut self, words: &[String], input: Option<&str>) -> String {
        let told = flags::tell(words, &[], Some(0));
        if told.has_any(&["-v", "-V"]) {
            return told.operands.first().map_or_else(String::new, |word| format!("/usr/bin/{word}\n"));
        }
        self.without_functions(&told.operands, input)
    }

    fn alias(&mut self, words: &[String]) -> String {
        for (name, text) in words.iter().filter_map(|word| word.split_once('=')) {
            let text = globs_as_text(text);
            if self.knowledge.find(name).is_some() || text.contains('/') {
                self.unresolved(format!("It gives {name} another meaning."));
            }
            self.aliases.insert(name.to_owned(), text);
        }
        HOLE.to_string()
    }

    fn history(&mut self, name: &str, words: &[String]) -> String {
        if name == "fc" {
            self.find(Permission::Sensitive, "history", "It shows or runs what was typed before.");
            return HOLE.to_string();
        }
        let told = flags::tell(words, &[], None);
        if told.has_any(&["-c", "-d"]) {
            self.forbid("defence", "It deletes the shell's history.");
        } else if told.has_any(&["-w", "-a", "-r", "-n", "-s"]) {
            self.find(Permission::Sensitive, "history", "It changes the shell's history.");
        }
        self.plain_step(name, "shows what was typed before");
        format!("{HOLE}{SECRET}")
    }

    /// Key bindings and completions can hold commands.
    fn completion(&mut self, name: &str, words: &[String]) {
        self.subscripts(words);
        if words.iter().any(|word| matches!(word.as_str(), "-x" | "-C" | "-F" | "-f")) {
            self.unresolved(format!("{name} can run commands."));
            for word in words {
                self.run_apart(word.trim_start_matches(|c| c != ':').trim_start_matches(':'), None);
            }
        }
    }

    fn plain_step(&mut self, name: &str, does: &str) {
        self.step(format!("{name} {does}."));
    }

    /// Subscripts in names are evaluated by bash: commands in them run.
    pub fn subscripts(&mut self, words: &[String]) {
        for word in words {
            let text = globs_as_text(word);
            if text.contains('[') && (text.contains("$(") || text.contains('`')) {
                self.unresolved("A subscript can run commands.");
                self.commands_in(&text);
            }
        }
    }

    pub fn change_folder(&mut self, name: &str, words: &[String]) {
        let operand = words.iter().find(|word| !word.starts_with('-') || word.as_str() == "-");
        let target = match operand {
            _ if name == "popd" => HOLE.to_string(),
            None => self.home().to_owned(),
            Some(word) if word == "-" => HOLE.to_string(),
            Some(word) => word.clone(),
        };
        self.plain_step(name, "goes to another folder");
        self.moved = true;
        if is_known(&target) {
            if matches!(self.class_of(&target), Class::Secret(_)) {
                self.reads(&target, Reach::One);
            }
            let place = self.written(&target);
            self.cwd = place.path;
        } else {
            self.cwd = format!("/{HOLE}");
        }
    }

    pub fn source(&mut self, words: &[String], input: Option<&str>) -> String {
        let Some(path) = words.first() else { return String::new() };
        self.effect(Effects::EXECUTES);
        if matches!(path.as_str(), "/dev/stdin" | "/proc/self/fd/0" | "/dev/fd/0") {
            self.find(Permission::Moderate, "program:source", "It runs what it is fed.");
            return self.shell_text_here(input.unwrap_or_default(), None);
        }
        let place = self.written(path);
        if let Some(text) = self.files.get(&place.path).cloned() {
            return self.shell_text_here(&text, input);
        }
        if path.contains(NET) {
            self.forbid("remote-code", "It runs what another host sends.");
        }
        if self.reads(path, Reach::One).contains(NET) {
            self.forbid("remote-code", "It runs what another host sends.");
        }
        self.find(
            Permission::Moderate,
            "program:source",
            format!("It runs the commands in {}.", shown(path)),
        );
        HOLE.to_string()
    }

    /// Text that a shell runs, in this shell.
    pub fn shell_text_here(&mut self, text: &str, input: Option<&str>) -> String {
        if text.contains(NET) {
            self.forbid("remote-code", "It runs what another host sends.");
        }
        if !is_known(text) {
            self.unresolved("It runs text that cannot be told before it runs.");
        }
        self.run_text(text, input)
    }
}
