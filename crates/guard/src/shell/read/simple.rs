//! Simple commands: assignments, words, and which thing the first word names.

use std::rc::Rc;

use deskhand_core::{Effects, Permission};

use super::{Reading, interpreters, nodes::holds_a_shell};
use crate::shell::{
    syntax::{Assign, Node, Script, Simple, Value},
    text::{HOLE, NET, SECRET, SHELL, glob_matches, has_glob, is_known, origin, shown},
};

/// Variables that make programs run other programs, or other code.
const RUNS_CODE: &[&str] = &[
    "PATH",
    "ENV",
    "BASH_ENV",
    "PROMPT_COMMAND",
    "PS4",
    "SHELLOPTS",
    "BASHOPTS",
    "PERL5OPT",
    "PERL5LIB",
    "PERL5DB",
    "PYTHONSTARTUP",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PYTHONWARNINGS",
    "PYTHONBREAKPOINT",
    "RUBYOPT",
    "RUBYLIB",
    "NODE_OPTIONS",
    "NODE_PATH",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "PAGER",
    "MANPAGER",
    "LESSOPEN",
    "LESSCLOSE",
    "LESS",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "SUDO_ASKPASS",
    "SSH_ASKPASS",
    "RSYNC_RSH",
    "CVS_RSH",
    "TAR_OPTIONS",
    "GREP_OPTIONS",
    "RIPGREP_CONFIG_PATH",
    "FZF_DEFAULT_COMMAND",
    "FZF_DEFAULT_OPTS",
    "FIGNORE",
    "HOSTALIASES",
    "MAKEFLAGS",
    "CC",
    "CXX",
    "LD",
    "AWKPATH",
    "AWKLIBPATH",
    "GCONV_PATH",
    "LOCPATH",
    "NLSPATH",
    "TERMINFO",
    "TERMCAP",
    "OPENSSL_CONF",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTC",
    "MANOPT",
    "MANLESS",
    "JQ_LIBRARY_PATH",
    "KUBECONFIG",
    "NPM_CONFIG_SCRIPT_SHELL",
    "WATCH",
    "BAT_PAGER",
    "DELTA_PAGER",
    "SYSTEMD_PAGER",
    "PSQL_PAGER",
    "PSQL_EDITOR",
    "XDG_CONFIG_HOME",
    "HOME",
    "CURL_HOME",
    "WGETRC",
    "INPUTRC",
    "VIMINIT",
    "EXINIT",
    "GZIP",
    "ZIPOPT",
    "UNZIP",
    "LUA_INIT",
    "PHPRC",
    "R_PROFILE",
    "JULIA_LOAD_PATH",
    "SHELL",
    "TMPDIR",
];
const RUNS_CODE_PREFIX: &[&str] =
    &["LD_", "DYLD_", "GIT_", "BASH_FUNC_", "npm_config_", "CARGO_TARGET_", "PIP_", "DOCKER_", "KUBE"];
/// Of those that start so, these only change how something looks.
const ONLY_LOOKS: &[&str] = &[
    "GIT_PAGER_IN_USE",
    "LD_BIND_NOW",
    "GIT_TERMINAL_PROMPT",
    "GIT_OPTIONAL_LOCKS",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_DATE",
];
/// Pagers that do no more than show.
const PLAIN_PAGERS: &[&str] =
    &["cat", "less", "more", "", "/bin/cat", "/usr/bin/less", "bat", "less -R", "less -FRX"];

const HISTORY: &[&str] = &["HISTFILE", "HISTSIZE", "HISTFILESIZE", "HISTCONTROL", "HISTIGNORE", "HISTCMD"];

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

/// Programs that do the worst, and those that start them.
const WORST: &[&str] = &[
    "rm",
    "dd",
    "mkfs",
    "mkfs.ext4",
    "bash",
    "sh",
    "chmod",
    "chown",
    "shutdown",
    "reboot",
    "nc",
    "curl",
    "wget",
    "find",
    "mv",
    "shred",
    "cat",
    "python3",
    "perl",
    "tee",
    "base64",
    "xargs",
    "env",
    "poweroff",
    "halt",
    "wipefs",
    "sudo",
    "ssh",
];

impl Reading<'_> {
    pub(super) fn simple(&mut self, simple: &Simple, script: &Rc<Script>, input: Option<&str>) -> String {
        let (pick, most) = (self.pick, self.most_values);
        self.most_values = 0;
        self.pick = 0;
        let mut output = self.simple_once(simple, script, input);
        let values = self.most_values.min(16);
        for next in 1..values {
            if !self.take_step() {
                break;
            }
            self.pick = next;
            let more = self.simple_once(simple, script, input);
            if more != output {
                output.push_str(&more);
            }
        }
        (self.pick, self.most_values) = (pick, most);
        output
    }

    fn simple_once(&mut self, simple: &Simple, script: &Rc<Script>, input: Option<&str>) -> String {
        if simple.words.is_empty() {
            for assign in &simple.assigns {
                self.assign(assign);
            }
            self.redirect_input(&simple.redirects, script);
            return self.redirect_output(&simple.redirects, String::new(), false);
        }
        let mut words = Vec::new();
        for word in &simple.words {
            self.expanding_name = words.is_empty();
            words.extend(self.fields(word));
        }
        self.expanding_name = false;
        let kept = (!simple.assigns.is_empty()).then(|| self.variables.clone());
        for assign in &simple.assigns {
            self.assign(assign);
            let value = self.variable(&assign.name).unwrap_or_default().to_owned();
            self.environment(&assign.name, &value);
        }
        if words.is_empty() {
            self.unresolved("What it runs cannot be told before it runs.");
        }
        let given = self.redirect_input(&simple.redirects, script).or_else(|| input.map(str::to_owned));
        let before = self.notes.findings.len();
        let output = self.command(&words, given.as_deref());
        let asked = self.notes.findings[before..].iter().any(|found| found.permission > Permission::Public);
        if asked && self.notes.commands.len() < 50 {
            self.notes.commands.push(words.iter().map(|word| shown(word)).collect());
        }
        let declares = words.first().is_some_and(|name| {
            matches!(name.as_str(), "declare" | "local" | "export" | "readonly" | "typeset")
        });
        if let Some(kept) = kept.filter(|_| !declares) {
            self.variables = kept;
        }
        let shell = holds_a_shell(&Node::Simple(simple.clone()))
            || words.first().is_some_and(|name| interpreters::is_shell(base_name(name))) && words.len() < 3;
        self.redirect_output(&simple.redirects, output, shell)
    }

    /// `name=value`, alone on its line.
    fn assign(&mut self, assign: &Assign) {
        if let Some(index) = &assign.index {
            self.commands_in(index);
        }
        match &assign.value {
            Value::Array(words) => {
                for word in words {
                    // `[key]=value`.
                    let text = self.scalar(word);
                    if let Some((key, value)) = text.strip_prefix('[').and_then(|text| text.split_once("]="))
                    {
                        self.set(&format!("{}[{key}]", assign.name), vec![value.to_owned()]);
                    }
                }
                let mut values = if assign.append {
                    self.arrays.remove(&assign.name).unwrap_or_default()
                } else {
                    Vec::new()
                };
                for word in words {
                    values.extend(self.fields(word));
                }
                self.variables.remove(&assign.name);
                self.arrays.insert(assign.name.clone(), values);
            }
            Value::Scalar(word) => {
                let (pick, most) = (self.pick, self.most_values);
                (self.pick, self.most_values) = (0, 0);
                let mut values = vec![self.scalar(word)];
                for next in 1..self.most_values.min(16) {
                    self.pick = next;
                    values.push(self.scalar(word));
                }
                (self.pick, self.most_values) = (pick, most);
                if assign.append {
                    let old = self.variable(&assign.name).unwrap_or_default().to_owned();
                    values = values.into_iter().map(|value| format!("{old}{value}")).collect();
                }
                if let Some(index) = &assign.index {
                    let at = crate::shell::expand::evaluate(index).and_then(|at| usize::try_from(at).ok());
                    let array = self.arrays.entry(assign.name.clone()).or_default();
                    match at {
                        Some(at) if at < 64 => {
                            if array.len() <= at {
                                array.resize(at + 1, String::new());
                            }
                            array[at] = values.swap_remove(0);
                        }
                        _ => array.push(HOLE.to_string()),
                    }
                } else {
                    self.variable_is_set(&assign.name, &values[0].clone());
                    self.set(&assign.name, values);
                }
            }
        }
    }

    /// Setting this variable changes more than itself.
    pub(super) fn variable_is_set(&mut self, name: &str, value: &str) {
        let off = value.is_empty()
            || value == "/dev/null"
            || value == "0"
            || matches!(name, "HISTCONTROL" | "HISTIGNORE");
        if HISTORY.contains(&name)
            && off
            && !(name == "HISTCONTROL" && value != "ignorespace" && value != "ignoreboth")
        {
            self.forbid("defence", format!("It switches off the shell's history ({name})."));
        } else if name == "PATH" && !is_known(value) || name == "LD_PRELOAD" {
            self.unresolved(format!("It changes {name}, which decides what runs."));
        }
    }

    /// A variable is given to a program.
    pub(super) fn environment(&mut self, name: &str, value: &str) {
        let runs =
            RUNS_CODE.contains(&name) || RUNS_CODE_PREFIX.iter().any(|prefix| name.starts_with(prefix));
        let looks = ONLY_LOOKS.contains(&name) || name.ends_with("PAGER") && PLAIN_PAGERS.contains(&value);
        if runs && !looks {
            self.find(
                Permission::Sensitive,
                "environment",
                format!("It sets {name}, which can make a program run other code."),
            );
            if value.contains(' ') {
                self.run_apart(value.trim_start_matches(['|', '!', '-', ' ']), None);
            }
        }
    }

    /// Reads one command, given as its words; gives what it would print.
    pub(super) fn command(&mut self, words: &[String], input: Option<&str>) -> String {
        if !self.take_step() {
            return HOLE.to_string();
        }
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
        if !plain && !in_program_folder(name) {
            return self.local_program(name, words, input);
        }
        if plain && let Some(output) = self.builtin(base, &words[1..], input) {
            return output;
        }
        self.program(base);
        self.known_program(base, words, input)
    }

    fn known_program(&mut self, base: &str, words: &[String], input: Option<&str>) -> String {
        if words.len() == 2
            && matches!(words[1].as_str(), "--version" | "--help" | "-V" | "-version")
            && self.is_known_name(base)
        {
            if words[1].starts_with("--")
                || self
                    .knowledge
                    .find(base)
                    .is_none_or(|entry| !entry.flags.iter().any(|flag| flag.names.contains(&words[1])))
            {
                self.step(format!("{base} says what it is."));
                return HOLE.to_string();
            }
        }
        if let Some(output) = self.wrapper(base, &words[1..], input) {
            return output;
        }
        if let Some(output) = self.interpreter(base, &words[1..], input) {
            return output;
        }
        match base {
            "find" | "gfind" => return self.find_files(&words[1..]),
            "xargs" | "gxargs" => return self.xargs(&words[1..], input),
            _ => {}
        }
        match self.knowledge.find(base) {
            Some(entry) => self.entry(entry, base, &words[1..], input),
            None => {
                self.notes.effects = self.notes.effects.and(Effects::EXECUTES);
                self.step(format!("{base} is a program that is not known here."));
                let sends = words.iter().any(|word| word.contains(SECRET))
                    || input.is_some_and(|text| text.contains(SECRET));
                let level = if sends { Permission::Sensitive } else { Permission::Moderate };
                self.find(
                    level,
                    "program:unknown",
                    format!("It runs {base}, and what that does is not known here."),
                );
                if words.iter().any(|word| word.contains(NET)) {
                    self.unresolved("It is given what another host sent.");
                }
                let stops = words.iter().any(|word| word.contains("login1"))
                    && words.iter().any(|word| {
                        ["PowerOff", "Reboot", "Halt", "Suspend", "Hibernate"]
                            .iter()
                            .any(|stop| word.ends_with(stop))
                    });
                if stops {
                    self.forbid("power", "It stops or restarts the machine.");
                }
                self.hedge(&words[1..]);
                format!("{HOLE}{}", origin(input.unwrap_or_default()))
            }
        }
    }

    /// A program that is not known here may run its words as a command: what must never be is looked for in them.
    pub(super) fn hedge(&mut self, words: &[String]) {
        let Some(at) = words.iter().position(|word| WORST.contains(&base_name(word))) else { return };
        let before = self.notes.findings.len();
        let words: Vec<String> = words[at..].iter().filter(|word| *word != "--").cloned().collect();
        self.argv(&words, false, None);
        let found = self.notes.findings.split_off(before);
        self.notes
            .findings
            .extend(found.into_iter().filter(|found| found.permission == Permission::Forbidden));
    }

    fn is_known_name(&self, base: &str) -> bool {
        self.knowledge.find(base).is_some()
            || interpreters::is_shell(base)
            || interpreters::language(base).is_some()
            || super::wrappers::is_wrapper(base)
    }

    /// Which program it is cannot be told.
    fn unknown_command(&mut self, name: &str, words: &[String]) -> String {
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
                self.removes(word, crate::shell::judge::Reach::Tree);
            }
        }
        if self.is_connected() && name.contains(SHELL) {
            self.forbid("reverse-shell", "It runs what comes over a connection.");
        }
        HOLE.to_string()
    }

    /// A glob where the program stands: it is whatever it matches.
    fn globbed_command(&mut self, name: &str, words: &[String], input: Option<&str>) -> String {
        self.unresolved(format!("Which program {} is depends on what files there are.", shown(name)));
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
        HOLE.to_string()
    }

    /// `./script`, `/opt/x/bin/y`: a file that is run.
    fn local_program(&mut self, name: &str, words: &[String], input: Option<&str>) -> String {
        let place = self.written(name);
        if let Some(service) = place.path.strip_prefix("/etc/init.d/") {
            let mut command = vec!["service".to_owned(), service.to_owned()];
            command.extend(words[1..].iter().cloned());
            return self.command(&command, input);
        }
        let base = base_name(name);
        if base.starts_with("ld-linux") || base.starts_with("ld-musl") || base == "ld.so" {
            return self.argv(&words[1..], false, input);
        }
        if let Some(text) = self.files.get(&place.path).cloned() {
            return self.run_file_text(&text, name, &words[1..], input);
        }
        self.program(name);
        self.notes.effects = self.notes.effects.and(Effects::EXECUTES);
        self.step(format!("{} is run: a program or script of its own.", shown(name)));
        let level = match self.class_of(name) {
            crate::shell::judge::Class::Workspace => Permission::Moderate,
            _ => Permission::Sensitive,
        };
        self.find(
            level,
            "program:local",
            format!("It runs {}, and what that does is not known here.", shown(name)),
        );
        self.reads(name, crate::shell::judge::Reach::One);
        HOLE.to_string()
    }

    /// Runs the text of a file that the command itself wrote.
    pub(super) fn run_file_text(
        &mut self,
        text: &str,
        name: &str,
        arguments: &[String],
        input: Option<&str>,
    ) -> String {
        self.notes.effects = self.notes.effects.and(Effects::EXECUTES);
        if text.contains(NET) {
            self.forbid("remote-code", format!("It runs {}, which it has just downloaded.", shown(name)));
            return HOLE.to_string();
        }
        if !is_known(text) {
            self.unresolved(format!("It runs {}, which it has just written.", shown(name)));
        } else {
            self.find(
                Permission::Moderate,
                "program:local",
                format!("It runs {}, which it has just written.", shown(name)),
            );
        }
        let first = text.lines().next().unwrap_or_default();
        let language = first.strip_prefix("#!").and_then(|line| {
            line.split(['/', ' '])
                .filter(|part| !part.is_empty() && *part != "env")
                .find_map(interpreters::language)
        });
        match language {
            Some(language) => self.code(language, text),
            None => {
                let positional = std::mem::replace(&mut self.positional, arguments.to_vec());
                let output = self.run_apart(text, input);
                self.positional = positional;
                output
            }
        }
    }
}

pub(super) fn base_name(name: &str) -> &str {
    let base = name.rsplit('/').next().unwrap_or(name);
    if base.is_empty() { name } else { base }
}

fn in_program_folder(name: &str) -> bool {
    name.rsplit_once('/').is_some_and(|(folder, _)| {
        let folder = folder.replace("/./", "/").replace("//", "/");
        PROGRAM_FOLDERS.contains(&folder.trim_end_matches("/."))
    })
}

/// A word in quotes, so that it is read again as it is.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
