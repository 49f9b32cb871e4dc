//! Reading a command: walking its tree as bash would, with what is known of variables, functions, files and streams,
//! and noting what it would do.

mod builtins;
mod commands;
mod environment;
mod find;
mod flags;
mod hedges;
mod interpreters;
mod nodes;
mod notes;
mod output;
mod programs;
mod redirects;
mod simple;
mod wrappers;

pub use commands::quoted;
pub use interpreters::runs_code;
pub use nodes::count_commands;
pub use notes::{Finding, Likeness, Notes};
pub use output::unescape;

use std::{collections::HashMap, rc::Rc};

use deskhand_core::{Access, Effects, Permission};

use super::{
    analysis::{PlaceUse, Setting},
    knowledge::Knowledge,
    syntax::{Node, Script, parse},
    text::{HOLE, is_secret, shown},
    windows,
};

/// How many steps reading may take before it gives up: what is not read by then is asked about.
pub const MOST_STEPS: usize = 4_000;
/// How many values of one variable are told apart, the last of them standing for all others.
const MOST_VALUES: usize = 17;
/// Reading this many bytes of a text counts as one step.
const BYTES_OF_A_STEP: usize = 64;
/// How deep commands may hold commands.
const MOST_DEEP: usize = 14;

/// A function, with the here-documents of the text it stands in.
#[derive(Clone)]
struct Function {
    body: Rc<Node>,
    script: Rc<Script>,
}

/// The state of reading one command.
pub struct Reading<'a> {
    pub(super) knowledge: &'a Knowledge,
    pub(super) setting: &'a Setting<'a>,
    /// The values that a variable may have.
    variables: HashMap<String, Vec<String>>,
    pub(super) arrays: HashMap<String, Vec<String>>,
    pub(super) positional: Vec<String>,
    /// `$0`.
    pub(super) zero: String,
    functions: HashMap<String, Function>,
    aliases: HashMap<String, String>,
    /// What files would hold that the command itself writes.
    pub(super) files: HashMap<String, String>,
    /// The commands that read what is written to a path: `>(…)`.
    pub(super) sinks: HashMap<String, String>,
    /// Where it is after `cd`; a hole where that cannot be told.
    cwd: String,
    /// Which of a variable's values is meant just now, and how many the most had.
    pick: usize,
    most_values: usize,
    /// The first word of a command is being expanded: a variable that is not set is nothing there.
    pub(super) expanding_name: bool,
    pub(super) unset_is_empty: bool,
    steps_left: usize,
    deep: usize,
    nested: usize,
    calling: Vec<String>,
    /// Words of the pipeline at hand, from which a text may come that a shell is fed.
    seen: Vec<String>,
    /// What the outermost program of the command at hand is used for.
    likeness: Option<Likeness>,
    /// It went to another folder.
    moved: bool,
    /// Names that stand for other variables.
    references: HashMap<String, String>,
    /// Code at hand handed a shell something that cannot be told.
    pub(super) ran_unknown: bool,
    /// A connection to a host was opened by a redirection.
    connected: bool,
    /// The program at hand adds to files rather than writing them anew.
    appending: bool,
    /// Inside a container: its folders that are folders of this machine (there, here).
    mounts: Option<Vec<(String, String)>>,
    pub(super) notes: Notes,
}

impl<'a> Reading<'a> {
    pub fn new(knowledge: &'a Knowledge, setting: &'a Setting<'a>) -> Self {
        Self {
            knowledge,
            setting,
            variables: HashMap::new(),
            arrays: HashMap::new(),
            positional: Vec::new(),
            zero: "bash".to_owned(),
            functions: HashMap::new(),
            aliases: HashMap::new(),
            files: HashMap::new(),
            sinks: HashMap::new(),
            cwd: setting.cwd.to_string_lossy().into_owned(),
            pick: 0,
            most_values: 0,
            expanding_name: false,
            unset_is_empty: false,
            steps_left: MOST_STEPS,
            deep: 0,
            nested: 0,
            calling: Vec::new(),
            seen: Vec::new(),
            likeness: None,
            moved: false,
            references: HashMap::new(),
            ran_unknown: false,
            connected: false,
            appending: false,
            mounts: None,
            notes: Notes::default(),
        }
    }

    /// Notes a reason for a permission.
    pub fn find(&mut self, permission: Permission, rule: impl Into<String>, why: impl Into<String>) {
        self.notes.findings.push(Finding { permission, rule: rule.into(), why: why.into() });
    }

    pub fn effect(&mut self, effects: Effects) {
        self.notes.effects = self.notes.effects.and(effects);
    }

    pub fn forbid(&mut self, rule: &str, why: impl Into<String>) {
        self.find(Permission::Forbidden, rule, why);
    }

    /// Says that something cannot be told before it runs.
    pub fn unresolved(&mut self, why: impl Into<String>) {
        self.find(Permission::Sensitive, "unresolved", why);
    }

    pub fn step(&mut self, text: String) {
        if self.notes.steps.len() < 40 && self.notes.said.insert(text.clone()) {
            self.notes.steps.push(text);
        }
    }

    pub fn program(&mut self, name: &str) {
        let name = shown(name);
        if !self.notes.programs.contains(&name) && self.notes.programs.len() < 100 {
            self.notes.programs.push(name);
        }
    }

    pub fn host(&mut self, host: &str) {
        let host = shown(host);
        if !host.is_empty() && !self.notes.hosts.contains(&host) && self.notes.hosts.len() < 100 {
            self.notes.hosts.push(host);
        }
    }

    pub fn place(&mut self, path: &str, access: Access, recursive: bool) {
        let glob = super::text::has_glob(path);
        let place = PlaceUse { path: shown(path), access, recursive, glob };
        if !self.notes.places.contains(&place) && self.notes.places.len() < 200 {
            self.notes.places.push(place);
        }
    }

    /// How many steps were taken.
    pub fn steps_taken(&self) -> usize {
        MOST_STEPS - self.steps_left
    }

    /// Takes so many steps at once.
    pub fn charge(&mut self, steps: usize) {
        if steps > 0 && self.steps_left > 0 {
            self.steps_left = self.steps_left.saturating_sub(steps).max(1);
            if self.steps_left == 1 {
                self.take_step();
            }
        }
    }

    /// Notes something that a person is asked about. What is not noted could slip under a remembered answer.
    pub fn asks_about(&mut self, words: Vec<String>, likeness: Option<Likeness>) {
        const MOST_COMMANDS: usize = 50;
        if self.notes.commands.len() == MOST_COMMANDS {
            self.unresolved("It holds more commands than can be asked about at once.");
            return;
        }
        self.notes.commands.push(words);
        self.notes.likenesses.push(likeness);
    }

    /// Where it went to another folder, a yes to what it runs is not one to that folder.
    pub fn asks_about_the_folder(&mut self) {
        if self.moved && !self.notes.commands.is_empty() {
            let folder = shown(self.here());
            self.asks_about(vec!["cd".to_owned(), folder], None);
        }
    }

    /// Whether there is a step left to take.
    pub fn take_step(&mut self) -> bool {
        if self.steps_left == 0 {
            return false;
        }
        self.steps_left -= 1;
        if self.steps_left == 0 {
            self.unresolved("It is too long or too involved to be read to its end.");
        }
        true
    }

    /// What is beyond the `most` that are read is asked about.
    pub fn reads_only_some(&mut self, count: usize, most: usize) {
        if count > most {
            self.unresolved(format!("It works on more than {most} things, and not all of them were read."));
        }
    }

    /// Where relative paths start.
    pub fn here(&self) -> &str {
        &self.cwd
    }

    pub fn connected(&mut self) {
        self.connected = true;
    }

    pub fn is_connected(&self) -> bool {
        self.connected
    }

    pub fn home(&self) -> &str {
        self.setting.home.and_then(|home| home.to_str()).unwrap_or("/home/user")
    }

    /// The value of a variable, of those it may have the one that is meant now.
    pub fn variable(&mut self, name: &str) -> Option<&str> {
        let name = self.references.get(name).cloned().unwrap_or_else(|| name.to_owned());
        let name = name.as_str();
        if let Some(values) = self.variables.get(name) {
            self.most_values = self.most_values.max(values.len());
            return values.get(self.pick % values.len().max(1)).map(String::as_str);
        }
        Some(match name {
            "HOME" => self.setting.home.and_then(|home| home.to_str()).unwrap_or("/home/user"),
            "PWD" => &self.cwd,
            "SHELL" | "BASH" => "/bin/bash",
            "PATH" => "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "IFS" => " \t\n",
            "OSTYPE" => "linux-gnu",
            "HOSTTYPE" => "x86_64",
            "MACHTYPE" => "x86_64-pc-linux-gnu",
            "BASH_VERSION" => "5.2.15(1)-release",
            "TMPDIR" => "/tmp",
            "OPTIND" => "1",
            "PS4" => "+ ",
            "USER" | "LOGNAME" | "UID" | "EUID" | "HOSTNAME" | "RANDOM" | "SECONDS" | "LINENO" | "OLDPWD"
            | "LANG" | "TERM" | "REPLY" | "PPID" | "BASHPID" | "SRANDOM" | "EPOCHSECONDS" | "COLUMNS"
            | "LINES" => "\u{E000}",
            _ => return None,
        })
    }

    /// However it is set: `name=`, `for`, `read`, `${name:=…}`, `declare`.
    pub fn set(&mut self, name: &str, mut values: Vec<String>) {
        if let Some(value) = values.first().cloned() {
            self.variable_is_set(name, &value);
        }
        if values.len() >= MOST_VALUES {
            // Numbers and plain names need no look each; what could be a path or a flag does.
            let plain = |value: &String| value.chars().all(|c| c.is_ascii_alphanumeric());
            if !values[MOST_VALUES - 1..].iter().all(plain) {
                self.unresolved(format!("{name} has more values than are read."));
            }
            values.truncate(MOST_VALUES - 1);
            values.push(HOLE.to_string());
        }
        self.variables.insert(name.to_owned(), values);
    }

    /// Gives variables back the values they had before the assignments of one command.
    fn restore_variables(&mut self, kept: Vec<(String, Option<Vec<String>>)>) {
        for (name, values) in kept.into_iter().rev() {
            match values {
                Some(values) => drop(self.variables.insert(name, values)),
                None => drop(self.variables.remove(&name)),
            }
        }
    }

    pub fn set_array(&mut self, name: &str, values: Vec<String>) {
        self.table_is_set(name);
        self.arrays.insert(name.to_owned(), values);
    }

    /// What is written to a path is read by the command of a `>(…)`, if it is one's.
    pub fn drains(&mut self, path: &str, text: &str) {
        if let Some(command) = self.sinks.get(path).cloned() {
            self.run_apart(&command, Some(text));
        }
    }

    /// Reads a text as bash would run it, in this shell; gives what it would print.
    pub fn run_text(&mut self, text: &str, input: Option<&str>) -> String {
        if self.deep >= MOST_DEEP {
            self.unresolved("It nests commands too deep to be read.");
            return HOLE.to_string();
        }
        self.charge(text.len() / BYTES_OF_A_STEP);
        if !self.take_step() {
            return HOLE.to_string();
        }
        self.deep += 1;
        let script = Rc::new(parse(text));
        if script.broken {
            self.unresolved("It cannot be read as a shell would: quotes or brackets do not match.");
        }
        let output = self.node(&script.root, &script, input);
        self.deep -= 1;
        output
    }

    /// The same in a shell of its own: what it sets is forgotten.
    pub fn run_apart(&mut self, text: &str, input: Option<&str>) -> String {
        let kept = self.keep();
        let output = self.run_text(text, input);
        self.restore(kept);
        output
    }

    /// What a command substitution prints.
    pub fn output_of(&mut self, text: &str) -> String {
        let mut words = text.split_whitespace();
        if words.next() == Some("yes") && !text.contains('|') {
            self.forbid("endless", "It collects output that never ends, until the memory is full.");
        }
        let (pick, most) = (self.pick, self.most_values);
        let output = self.run_apart(text, None);
        self.pick = pick;
        self.most_values = self.most_values.max(most);
        output
    }

    fn keep(&self) -> Kept {
        Kept {
            variables: self.variables.clone(),
            arrays: self.arrays.clone(),
            cwd: self.cwd.clone(),
            positional: self.positional.clone(),
        }
    }

    fn restore(&mut self, kept: Kept) {
        self.variables = kept.variables;
        self.arrays = kept.arrays;
        self.cwd = kept.cwd;
        self.positional = kept.positional;
    }

    /// The strictest permission that was found so far.
    pub fn permission(&self) -> Permission {
        self.notes.findings.iter().map(|found| found.permission).max().unwrap_or(Permission::Public)
    }

    /// Whether every program that it runs is known here.
    pub fn knows_its_programs(&self) -> bool {
        !self.notes.findings.iter().any(|found| found.rule == "program:unknown")
    }

    /// Windows text, judged by its own rules.
    pub fn windows(&mut self, text: &str, form: windows::Form) {
        let verdict = windows::analyze(text, form);
        let permission = match verdict.level {
            windows::Level::Allow => Permission::Public,
            windows::Level::Moderate => Permission::Moderate,
            windows::Level::Sensitive => Permission::Sensitive,
            windows::Level::Forbid => Permission::Forbidden,
        };
        if permission > Permission::Public {
            self.effect(Effects::EXECUTES);
            self.asks_about(vec![text.to_owned()], None);
        }
        self.find(permission, verdict.rule, verdict.why);
        for step in verdict.steps {
            self.step(step);
        }
        for program in &verdict.programs {
            self.program(program);
        }
    }

    /// The same for text that a command hands to a Windows shell.
    pub fn windows_text(&mut self, text: &str) {
        let form = windows::recognise(text).unwrap_or(windows::Form::PowerShell);
        self.windows(text, form);
        self.find(Permission::Moderate, "windows", "It hands text to a Windows shell.");
    }

    /// Reads the whole command.
    pub fn read(&mut self, script: Script) {
        let script = Rc::new(script);
        let output = self.node(&script.root, &script, None);
        if is_secret(&output) {
            self.find(Permission::Sensitive, "secret", "What it prints may hold a secret.");
        }
    }

    /// Whether `/` is another folder than usual: chroot.
    pub fn has_other_root(&self) -> bool {
        self.mounts.as_ref().is_some_and(|mounts| mounts.iter().any(|(there, _)| there == "/"))
    }

    /// The path here of a path that a command inside a container names.
    pub fn outside_path(&self, path: &str) -> String {
        let Some(mounts) = &self.mounts else { return path.to_owned() };
        let inside = |there: &str| {
            path.strip_prefix(there.trim_end_matches('/'))
                .filter(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let found = mounts
            .iter()
            .filter_map(|(there, here)| {
                Some((there.len(), format!("{}{}", here.trim_end_matches('/'), inside(there)?)))
            })
            .max();
        match found {
            Some((_, path)) if path.is_empty() => "/".to_owned(),
            Some((_, path)) => path,
            None => format!("/container{path}"),
        }
    }
}

/// What a subshell does not change.
struct Kept {
    variables: HashMap<String, Vec<String>>,
    arrays: HashMap<String, Vec<String>>,
    cwd: String,
    positional: Vec<String>,
}
