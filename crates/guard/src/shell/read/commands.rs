//! One command, given as its words: which thing the first word names.

use deskhand_core::{Effects, Permission};

use super::{Reading, hedges::WORST, interpreters, programs::Call, wrappers};
use crate::shell::{
    judge::{Class, Reach},
    knowledge::Entry,
    text::{HOLE, NET, SECRET, SHELL, glob_matches, has_glob, is_known, origin, shown},
};

/// The folders that programs of the system are in.
pub(super) const PROGRAM_FOLDERS: &[&str] = &[
    "/bin",
    "/usr/bin",
    "/usr/local/bin",
    "/sbin",
    "/usr/sbin",
    "/usr/local/sbin",
    "/opt/homebrew/bin",
    "/snap/bin",
];

/// Stands among the names that are being called for a glob.
const GLOBBED: &str = "*";

/// What the log-in service is told to stop the machine.
const STOPS: &[&str] = &["PowerOff", "Reboot", "Halt", "Suspend", "Hibernate"];

impl Reading<'_> {
    /// Reads one command, given as its words; gives what it would print.
    pub fn command(&mut self, words: &[String], input: Option<&str>) -> String {
        if !self.take_step() {
            return HOLE.to_string();
        }
        self.notes.runs(words);
        self.seen.extend(words.iter().filter(|word| word.len() > 3).take(20).cloned());
        self.seen.truncate(200);
        self.one_deeper(|reading| reading.named_command(words, input))
    }

    fn named_command(&mut self, words: &[String], input: Option<&str>) -> String {
        let Some(name) = words.first() else {
            // All that stood there was empty.
            return String::new();
        };
        if name.is_empty() {
            return if words.len() > 1 { self.command(&words[1..], input) } else { String::new() };
        }
        if !is_known(name) {
            return self.unknown_command(name, words);
        }
        if has_glob(name) {
            return self.globbed_command(name, words, input);
        }
        if let Some(text) = self.aliases.get(name).filter(|_| !self.calling.contains(name)).cloned() {
            self.calling.push(name.clone());
            let rest: Vec<String> = words[1..].iter().map(|word| quoted(word)).collect();
            let output = self.run_text(&format!("{text} {}", rest.join(" ")), input);
            self.calling.pop();
            return output;
        }
        if let Some(output) = self.call_function(name, &words[1..], input) {
            return output;
        }
        let base = base_name(name);
        let plain = !name.contains('/');
        if !plain && !in_program_folder(&self.inner_path(name)) {
            return self.local_program(name, words, input);
        }
        if plain && let Some(output) = self.builtin(base, &words[1..], input) {
            self.own_rule(base, &words[1..], input);
            return output;
        }
        self.program(base);
        self.known_program(base, words, input)
    }

    fn known_program(&mut self, base: &str, words: &[String], input: Option<&str>) -> String {
        let arguments = &words[1..];
        if self.only_says_what_it_is(base, arguments) {
            self.step(format!("{base} says what it is."));
            return HOLE.to_string();
        }
        let special = match self.wrapper(base, arguments, input) {
            None => self.interpreter(base, arguments, input),
            some => some,
        };
        if let Some(output) = special {
            self.own_rule(base, arguments, input);
            return output;
        }
        if base == "ld.so" {
            return self.argv(arguments, false, input);
        }
        if matches!(base, "find" | "gfind") {
            self.own_rule(base, arguments, input);
            return self.find_files(arguments);
        }
        match self.knowledge.find(base) {
            Some(entry) => self.entry(entry, Call { name: base, words: arguments, input }),
            None => self.unlisted_program(base, arguments, input),
        }
    }

    /// A user's own entry counts also for what is read in a way of its own.
    fn own_rule(&mut self, name: &str, words: &[String], input: Option<&str>) {
        if let Some(entry) = self.knowledge.find_own(name) {
            self.entry(entry, Call { name, words, input });
        }
    }

    /// `program --version`, where that is no flag with another meaning.
    fn only_says_what_it_is(&self, base: &str, arguments: &[String]) -> bool {
        let [flag] = arguments else { return false };
        if self.knowledge.find(base).is_some_and(|entry| entry.asks_project) {
            return false;
        }
        match flag.as_str() {
            "--version" | "--help" => self.is_known_name(base),
            "-V" | "-version" => {
                let means_else = |entry: &Entry| entry.flags.iter().any(|known| known.names.contains(flag));
                self.is_known_name(base) && !self.knowledge.find(base).is_some_and(means_else)
            }
            _ => false,
        }
    }

    /// A program that no file knows.
    fn unlisted_program(&mut self, base: &str, arguments: &[String], input: Option<&str>) -> String {
        self.effect(Effects::EXECUTES);
        self.step(format!("{base} is a program that is not known here."));
        let given = input.unwrap_or_default();
        let secret = given.contains(SECRET) || arguments.iter().any(|word| word.contains(SECRET));
        let level = if secret { Permission::Sensitive } else { Permission::Moderate };
        let why = format!("It runs {base}, and what that does is not known here.");
        self.find(level, "program:unknown", why);
        if arguments.iter().any(|word| word.contains(NET)) {
            self.unresolved("It is given what another host sent.");
        }
        let stops = |word: &String| STOPS.iter().any(|stop| word.ends_with(stop));
        if arguments.iter().any(|word| word.contains("login1")) && arguments.iter().any(stops) {
            self.forbid("power", "It stops or restarts the machine.");
        }
        self.hedge(arguments);
        self.hedge_texts(arguments);
        format!("{HOLE}{}", origin(given))
    }

    pub fn is_known_name(&self, base: &str) -> bool {
        self.knowledge.find(base).is_some()
            || interpreters::is_shell(base)
            || interpreters::language(base).is_some()
            || wrappers::is_wrapper(base)
    }

    /// Which program it is cannot be told.
    pub fn unknown_command(&mut self, name: &str, words: &[String]) -> String {
        if name.contains(NET) {
            self.forbid("remote-code", "It runs what another host sends.");
        }
        self.unresolved("Which program it runs cannot be told before it runs.");
        // Whatever it is: with these words it would be rm or the like.
        let recursive = words[1..]
            .iter()
            .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(['r', 'R']));
        if recursive {
            for word in words[1..].iter().filter(|word| !word.starts_with('-') && is_known(word)) {
                self.removes(word, Reach::Tree);
            }
        }
        if self.is_connected() && name.contains(SHELL) {
            self.forbid("reverse-shell", "It runs what comes over a connection.");
        }
        HOLE.to_string()
    }

    /// A glob where the program stands: it is whatever it matches.
    pub fn globbed_command(&mut self, name: &str, words: &[String], input: Option<&str>) -> String {
        self.unresolved(format!("Which program {} is depends on what files there are.", shown(name)));
        // Globs among the words of a globbed command would make this try everything with everything.
        if self.calling.iter().any(|calling| calling == GLOBBED) {
            return HOLE.to_string();
        }
        self.calling.push(GLOBBED.to_owned());
        let is_path = name.contains('/');
        for program in WORST {
            let matches = if is_path {
                PROGRAM_FOLDERS.iter().any(|folder| glob_matches(name, &format!("{folder}/{program}")))
            } else {
                glob_matches(name, program)
            };
            if matches {
                let mut words = words.to_vec();
                (*program).clone_into(&mut words[0]);
                self.command(&words, input);
            }
        }
        self.calling.pop();
        HOLE.to_string()
    }

    /// `./script`, `/opt/x/bin/y`: a file that is run.
    pub fn local_program(&mut self, name: &str, words: &[String], input: Option<&str>) -> String {
        let place = self.written(name);
        if let Some(service) = place.path.strip_prefix("/etc/init.d/") {
            let mut command = vec!["service".to_owned(), service.to_owned()];
            command.extend(words[1..].iter().cloned());
            return self.command(&command, input);
        }
        self.hedge(&words[1..]);
        let base = base_name(name);
        if base.starts_with("ld-linux") || base.starts_with("ld-musl") || base == "ld.so" {
            return self.argv(&words[1..], false, input);
        }
        if let Some(text) = self.files.get(&place.path).cloned() {
            return self.run_file_text(&text, name, &words[1..], input);
        }
        self.program(name);
        self.effect(Effects::EXECUTES);
        self.step(format!("{} is run: a program or script of its own.", shown(name)));
        let level = match self.class_of(name) {
            Class::Workspace => Permission::Moderate,
            _ => Permission::Sensitive,
        };
        self.find(
            level,
            "program:local",
            format!("It runs {}, and what that does is not known here.", shown(name)),
        );
        self.reads(name, Reach::One);
        HOLE.to_string()
    }

    /// Runs the text of a file that the command itself wrote.
    pub fn run_file_text(
        &mut self,
        text: &str,
        name: &str,
        arguments: &[String],
        input: Option<&str>,
    ) -> String {
        self.effect(Effects::EXECUTES);
        if text.contains(NET) {
            self.forbid("remote-code", format!("It runs {}, which it has just downloaded.", shown(name)));
            return HOLE.to_string();
        }
        let why = format!("It runs {}, which it has just written.", shown(name));
        if is_known(text) {
            self.find(Permission::Moderate, "program:local", why);
        } else {
            self.unresolved(why);
        }
        let first = text.lines().next().unwrap_or_default();
        let language = first.strip_prefix("#!").and_then(|line| {
            line.split(['/', ' '])
                .filter(|part| !part.is_empty() && *part != "env")
                .find_map(interpreters::language)
        });
        if let Some(language) = language {
            return self.code(language, text);
        }
        let positional = std::mem::replace(&mut self.positional, arguments.to_vec());
        let output = self.run_apart(text, input);
        self.positional = positional;
        output
    }
}

pub fn base_name(name: &str) -> &str {
    let base = name.rsplit('/').next().unwrap_or(name);
    if base.is_empty() { name } else { base }
}

/// Whether a path, made absolute, is that of a program of the system.
pub fn in_program_folder(path: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(folder, _)| PROGRAM_FOLDERS.contains(&folder))
}

/// A word in quotes, so that it is read again as it is.
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
