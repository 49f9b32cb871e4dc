//! What the shell itself does.

use deskhand_core::{Effects, Permission};

use super::{Reading, flags};
use crate::shell::{
    judge::{Class, Reach},
    knowledge::Style,
    text::{ENVIRONMENT, HOLE, NET, SECRET, globs_as_text, is_known},
};

impl Reading<'_> {
    /// Reads a builtin; `None` if it is none.
    pub(super) fn builtin(&mut self, name: &str, words: &[String], input: Option<&str>) -> Option<String> {
        let nothing = Some(String::new());
        match name {
            ":" | "true" | "false" | "wait" | "jobs" | "fg" | "bg" | "disown" | "exit" | "return"
            | "break" | "continue" | "shift" | "times" | "umask" | "ulimit" | "hash" | "help" | "suspend"
            | "logout" | "dirs" | "caller" | "compgen" | "complete" | "getopts" | "bind" | "}" | "fi"
            | "done" | "esac" => {
                self.subscripts(words);
                if name == "hash" && words.iter().any(|word| word.starts_with("-p")) {
                    self.unresolved("It gives a program's name another meaning.");
                }
                if matches!(name, "bind" | "complete" | "compgen")
                    && words.iter().any(|word| matches!(word.as_str(), "-x" | "-C" | "-F" | "-f"))
                {
                    self.unresolved(format!("{name} can run commands."));
                    for word in words {
                        self.run_apart(word.trim_start_matches(|c| c != ':').trim_start_matches(':'), None);
                    }
                }
                Some(if matches!(name, "jobs" | "dirs" | "help" | "times" | "ulimit" | "umask") {
                    HOLE.to_string()
                } else {
                    String::new()
                })
            }
            "printenv" => {
                self.program(name);
                let secret = words.iter().all(|word| word.starts_with('-'))
                    || words.iter().any(|word| crate::shell::expand::is_secret_name(word));
                Some(if secret { format!("{HOLE}{ENVIRONMENT}") } else { HOLE.to_string() })
            }
            "echo" => Some(super::output::echo(words)),
            "printf" => Some(self.printf(words)),
            "pwd" => Some(format!("{}\n", self.here())),
            "test" | "[" => {
                self.subscripts(words);
                self.plain_step(name, "checks a condition");
                nothing
            }
            "cd" | "chdir" | "pushd" | "popd" => {
                self.change_folder(name, words);
                nothing
            }
            "eval" => {
                let text = words.iter().map(|word| globs_as_text(word)).collect::<Vec<_>>().join(" ");
                Some(self.shell_text_here(&text, input))
            }
            "source" | "." => Some(self.source(words, input)),
            "exec" => {
                let skip = words.iter().take_while(|word| word.starts_with('-')).count()
                    + usize::from(
                        words.iter().take_while(|word| word.starts_with('-')).any(|word| word == "-a"),
                    );
                Some(self.command(words.get(skip..).unwrap_or_default(), input))
            }
            "command" | "builtin" => {
                if words.first().is_some_and(|word| word.starts_with("-v") || word.starts_with("-V")) {
                    return Some(words.get(1).map_or_else(String::new, |word| format!("/usr/bin/{word}\n")));
                }
                let rest = words.iter().position(|word| !word.starts_with('-')).unwrap_or(words.len());
                // A function or alias of that name is passed over.
                let hidden = words
                    .get(rest)
                    .and_then(|name| self.functions.remove(name).map(|function| (name.clone(), function)));
                let output = self.command(&words[rest..], input);
                if let Some((name, function)) = hidden {
                    self.functions.insert(name, function);
                }
                Some(output)
            }
            "export" | "declare" | "local" | "readonly" | "typeset" => {
                self.declare(name, words);
                let shows = words.iter().all(|word| word.starts_with('-'));
                Some(if shows && name != "local" { format!("{HOLE}{ENVIRONMENT}") } else { String::new() })
            }
            "unset" => {
                self.subscripts(words);
                for word in words.iter().filter(|word| !word.starts_with('-')) {
                    if word.starts_with("HIST") {
                        self.forbid("defence", format!("It switches off the shell's history ({word})."));
                    }
                    self.variables.insert(word.clone(), vec![String::new()]);
                    self.functions.remove(word);
                }
                nothing
            }
            "alias" => {
                for word in words {
                    if let Some((name, text)) = word.split_once('=') {
                        let text = globs_as_text(text);
                        if self.knowledge.find(name).is_some() || text.contains('/') {
                            self.unresolved(format!("It gives {name} another meaning."));
                        }
                        self.aliases.insert(name.to_owned(), text);
                    }
                }
                Some(HOLE.to_string())
            }
            "unalias" => {
                for word in words {
                    self.aliases.remove(word);
                }
                nothing
            }
            "set" => {
                self.set_options(words);
                Some(if words.is_empty() { format!("{HOLE}{ENVIRONMENT}") } else { String::new() })
            }
            "shopt" => {
                if words.iter().any(|word| word == "-u") && words.iter().any(|word| word.contains("hist")) {
                    self.forbid("defence", "It switches off the shell's history.");
                }
                nothing
            }
            "trap" => {
                if let Some(text) = words.iter().find(|word| !word.starts_with('-')) {
                    let text = globs_as_text(text);
                    self.run_apart(&text, None);
                    self.notes.effects = self.notes.effects.and(Effects::READS);
                }
                nothing
            }
            "read" | "mapfile" | "readarray" => {
                self.read_line(words, input);
                nothing
            }
            "let" => {
                self.subscripts(words);
                for word in words {
                    let text = globs_as_text(word);
                    self.number(&text);
                    if let Some((name, value)) = text.split_once('=') {
                        let value = self.arithmetic(value);
                        self.set(name, vec![value]);
                    }
                }
                nothing
            }
            "history" => {
                if words
                    .iter()
                    .any(|word| word.starts_with("-c") || word.starts_with("-d") || word.starts_with("-cw"))
                {
                    self.forbid("defence", "It deletes the shell's history.");
                } else if words.iter().any(|word| matches!(word.as_str(), "-w" | "-a" | "-r" | "-n" | "-s")) {
                    self.find(Permission::Sensitive, "history", "It changes the shell's history.");
                }
                self.plain_step(name, "shows what was typed before");
                Some(format!("{HOLE}{SECRET}"))
            }
            "fc" => {
                self.find(Permission::Sensitive, "history", "It shows or runs what was typed before.");
                Some(HOLE.to_string())
            }
            "enable" => {
                if words.iter().any(|word| word.starts_with("-f")) {
                    self.unresolved("It loads code into the shell.");
                }
                nothing
            }
            "type" => Some(HOLE.to_string()),
            _ => None,
        }
    }

    fn plain_step(&mut self, name: &str, does: &str) {
        self.step(format!("{name} {does}."));
    }

    /// Subscripts in names are evaluated by bash: commands in them run.
    fn subscripts(&mut self, words: &[String]) {
        for word in words {
            let text = globs_as_text(word);
            if text.contains('[') && (text.contains("$(") || text.contains('`')) {
                self.unresolved("A subscript can run commands.");
                self.commands_in(&text);
            }
        }
    }

    fn change_folder(&mut self, name: &str, words: &[String]) {
        let operand = words.iter().find(|word| !word.starts_with('-') || word.as_str() == "-");
        let target = match operand {
            _ if name == "popd" => HOLE.to_string(),
            None => self.home().to_owned(),
            Some(word) if word == "-" => HOLE.to_string(),
            Some(word) => word.clone(),
        };
        self.plain_step(name, "goes to another folder");
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

    fn source(&mut self, words: &[String], input: Option<&str>) -> String {
        let Some(path) = words.first() else { return String::new() };
        self.notes.effects = self.notes.effects.and(Effects::EXECUTES);
        if matches!(path.as_str(), "/dev/stdin" | "/proc/self/fd/0" | "/dev/fd/0") {
            let text = input.unwrap_or_default().to_owned();
            return self.shell_text_here(&text, None);
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
            format!("It runs the commands in {}.", crate::shell::text::shown(path)),
        );
        HOLE.to_string()
    }

    fn declare(&mut self, name: &str, words: &[String]) {
        self.subscripts(words);
        for word in words.iter().filter(|word| !word.starts_with('-') && !word.starts_with('+')) {
            if let Some((variable, value)) = word.split_once('=') {
                let value = globs_as_text(value);
                self.variable_is_set(variable, &value);
                if name == "export" {
                    self.exported(variable, &value);
                }
                let old = variable
                    .strip_suffix('+')
                    .map(|variable| self.variable(variable).unwrap_or_default().to_owned());
                let variable = variable.trim_end_matches('+');
                self.set(variable, vec![old.unwrap_or_default() + &value]);
            }
        }
        if name == "declare" && words.iter().any(|word| word.starts_with('-') && word.contains('n')) {
            self.unresolved("A name that stands for another variable cannot be followed.");
        }
        self.plain_step(name, "sets variables of this shell");
    }

    /// An exported variable matters only to what runs after it; adding to PATH is everyday.
    fn exported(&mut self, variable: &str, value: &str) {
        let adds = variable == "PATH"
            && value.contains("/usr/bin")
            && !value.starts_with("/tmp")
            && !value.starts_with('.')
            && !value.starts_with(':');
        if !adds
            && !variable.starts_with("GIT_AUTHOR")
            && !matches!(
                variable,
                "LESS" | "EDITOR" | "VISUAL" | "PAGER" | "HOME" | "CC" | "CXX" | "SHELL" | "TMPDIR"
            )
        {
            self.environment(variable, value);
        } else if matches!(variable, "EDITOR" | "VISUAL" | "PAGER") && value.contains([' ', '/', ';']) {
            self.environment(variable, value);
        }
    }

    fn set_options(&mut self, words: &[String]) {
        let text = words.join(" ");
        if text.contains("+o history") || text == "+H" {
            self.forbid("defence", "It switches off the shell's history.");
        }
        if let Some(at) = words.iter().position(|word| word == "--") {
            self.positional = words[at + 1..].to_vec();
        } else if words.first().is_some_and(|word| !word.starts_with(['-', '+'])) {
            self.positional = words.to_vec();
        }
    }

    /// `read name …`: the lines of its input.
    fn read_line(&mut self, words: &[String], input: Option<&str>) {
        self.subscripts(words);
        if let Some(at) = words.iter().position(|word| word == "-C") {
            self.unresolved("mapfile runs a command for its lines.");
            let text = words.get(at + 1).map(|text| globs_as_text(text)).unwrap_or_default();
            self.run_apart(&text, None);
        }
        let flag = |names: &str, role| crate::shell::knowledge::Flag::plain(names, role);
        let taking = flag("-a -d -i -n -N -p -u -C -c -O", Some(()));
        let told = flags::tell(words, &[&taking], Style::Gnu, false, None);
        let text = input.unwrap_or("\u{E000}");
        let values: Vec<String> = if is_known(text) {
            text.lines().take(17).map(str::to_owned).collect()
        } else {
            vec![text.to_owned()]
        };
        let values = if values.is_empty() { vec![String::new()] } else { values };
        let mut names: Vec<String> = told.operands;
        for (_, value) in told.known.iter().filter(|_| words.iter().any(|word| word == "-a")) {
            names.extend(value.clone());
        }
        match names.as_slice() {
            [] => self.set("REPLY", values),
            [one] => {
                self.arrays.insert(one.clone(), values.clone());
                self.set(one, values);
            }
            several => {
                // The first words go to the first names, the rest to the last.
                for (at, name) in several.iter().enumerate() {
                    let part = |line: &String| {
                        let mut words = line.split_whitespace().skip(at);
                        if at + 1 == several.len() {
                            words.collect::<Vec<_>>().join(" ")
                        } else {
                            words.next().unwrap_or_default().to_owned()
                        }
                    };
                    self.set(name, values.iter().map(part).collect());
                }
            }
        }
    }

    fn printf(&mut self, words: &[String]) -> String {
        let mut words = words;
        let mut variable = None;
        while let Some(word) = words.first().filter(|word| word.starts_with("-v") || *word == "--") {
            if word == "-v" {
                variable = words.get(1).cloned();
                words = words.get(2..).unwrap_or_default();
            } else if word == "--" {
                words = &words[1..];
                break;
            } else {
                variable = Some(word[2..].to_owned());
                words = &words[1..];
            }
        }
        let text = super::output::printf(words);
        match variable {
            Some(name) => {
                self.subscripts(std::slice::from_ref(&name));
                self.exported(&name, &text);
                self.set(&name, vec![text]);
                String::new()
            }
            None => text,
        }
    }

    /// Text that a shell runs, in this shell.
    fn shell_text_here(&mut self, text: &str, input: Option<&str>) -> String {
        if text.contains(NET) {
            self.forbid("remote-code", "It runs what another host sends.");
        }
        if !is_known(text) {
            self.unresolved("It runs text that cannot be told before it runs.");
        }
        self.run_text(text, input)
    }
}
