//! What has been found out so far while a source is read: variables, facts, and how much work is left.

use std::collections::HashMap;

use super::book::Book;
use super::value::{Value, is_hole};
use super::{Facts, Language};

/// Work that one source may cost.
const STEPS: usize = 200_000;

/// How deep expressions, and sources within sources, may be nested.
pub(super) const DEEPEST: usize = 48;

const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "csh",
    "tcsh",
    "fish",
    "ash",
    "cmd",
    "cmd.exe",
    "powershell",
    "powershell.exe",
    "pwsh",
    "busybox",
    "rbash",
];

pub(super) struct World {
    pub(super) lang: Language,
    pub(super) book: &'static Book,
    pub(super) facts: Facts,
    vars: HashMap<String, (Value, usize)>,
    /// Modules whose names were all imported.
    pub(super) stars: Vec<String>,
    pub(super) steps: usize,
    pub(super) depth: usize,
    /// Something was met that is not on the list of what only computes.
    pub(super) impure: bool,
    /// A condition or loop was met: an assignment after it may not happen.
    pub(super) branched: bool,
    pub(super) socket: bool,
    pub(super) forked: bool,
    pub(super) endless: bool,
    pub(super) local_calls: usize,
    /// Code or commands that are not known were run.
    pub(super) ran_unknown: bool,
    pub(super) hosts: Vec<String>,
    /// The module that starts programs was imported.
    pub(super) starts_programs: bool,
}

impl World {
    pub(super) fn new(lang: Language, book: &'static Book) -> Self {
        World {
            lang,
            book,
            facts: Facts::default(),
            vars: HashMap::new(),
            stars: Vec::new(),
            steps: 0,
            depth: 0,
            impure: false,
            branched: false,
            socket: false,
            forked: false,
            endless: false,
            local_calls: 0,
            ran_unknown: false,
            hosts: Vec::new(),
            starts_programs: false,
        }
    }

    pub(super) fn spend(&mut self, steps: usize) {
        self.steps = self.steps.saturating_add(steps);
    }

    pub(super) fn exhausted(&self) -> bool {
        self.steps >= STEPS
    }

    /// Stops the reading: too deep or too long to follow.
    pub(super) fn give_up(&mut self) {
        self.steps = STEPS;
        self.odd();
    }

    /// Something that is not understood.
    pub(super) fn odd(&mut self) {
        self.impure = true;
        self.facts.unresolved = true;
    }

    pub(super) fn lookup(&mut self, name: &str) -> Option<Value> {
        let (value, weight) = self.vars.get(name)?;
        self.steps = self.steps.saturating_add(*weight);
        Some(value.clone())
    }

    pub(super) fn is_bound(&self, name: &str) -> bool {
        self.vars.contains_key(name)
    }

    pub(super) fn bind(&mut self, name: &str, value: Value) {
        let value = match self.vars.get(name) {
            Some((old, _)) if self.branched && *old != value => Value::one_of(vec![old.clone(), value]),
            _ => value,
        };
        let kept = value.kept();
        self.spend(kept.1);
        self.vars.insert(name.to_owned(), kept);
    }

    /// A command line for a shell.
    pub(super) fn shell(&mut self, value: &Value) {
        self.facts.executes = true;
        for choice in value.choices() {
            match choice {
                Value::Text(text) => {
                    if text.contains(is_hole) {
                        self.facts.unresolved = true;
                        self.ran_unknown |= text.starts_with(is_hole);
                    }
                    self.facts.shell.push(text.clone());
                }
                Value::List(_) => self.argv(choice.elements()),
                Value::Choice(_) => self.shell(choice),
                _ => {
                    self.facts.unresolved = true;
                    self.ran_unknown = true;
                }
            }
        }
    }

    /// A program with its arguments.
    pub(super) fn argv(&mut self, values: &[Value]) {
        self.facts.executes = true;
        let words: Vec<String> =
            values.iter().flat_map(Value::choices).flat_map(Value::elements).map(Value::shown).collect();
        self.facts.unresolved |= words.iter().any(|word| word.contains(is_hole)) || words.is_empty();
        self.ran_unknown |= words.first().is_none_or(|word| word.starts_with(is_hole));
        if !words.is_empty() {
            self.facts.argvs.push(words);
        }
    }

    fn paths(&mut self, value: Option<&Value>) -> Vec<String> {
        let Some(value) = value else {
            self.facts.unresolved = true;
            return Vec::new();
        };
        let mut paths = Vec::new();
        for choice in value.choices().iter().flat_map(Value::elements).flat_map(Value::choices) {
            let path = choice.shown();
            self.facts.unresolved |= path.contains(is_hole);
            paths.push(path);
        }
        paths
    }

    pub(super) fn delete(&mut self, value: Option<&Value>, tree: bool) {
        let paths = self.paths(value);
        self.impure = true;
        self.facts.deletes.extend(paths.into_iter().map(|path| (path, tree)));
    }

    pub(super) fn write(&mut self, value: Option<&Value>) {
        let paths = self.paths(value);
        self.impure = true;
        self.facts.writes.extend(paths);
    }

    pub(super) fn read(&mut self, value: Option<&Value>) {
        for path in self.paths(value) {
            if path.contains("://") && !path.starts_with("file:") && !path.starts_with("php://") {
                self.facts.network = true;
                self.hosts.push(path);
            } else {
                self.facts.reads.push(path);
            }
        }
    }

    pub(super) fn permissions(&mut self, value: Option<&Value>, tree: bool) {
        let paths = self.paths(value);
        self.impure = true;
        self.facts.changes_permissions.extend(paths.into_iter().map(|path| (path, tree)));
    }

    /// The facts, with what only shows when all of it has been read.
    pub(super) fn finish(mut self) -> Facts {
        if self.exhausted() {
            self.odd();
        }
        let starts_shell = self.facts.shell.iter().any(|line| is_shell(first_word(line)))
            || self.facts.argvs.iter().any(|argv| argv.iter().take(2).any(|word| is_shell(word)));
        let facts = &mut self.facts;
        facts.network |= self.socket;
        facts.shell_over_socket |= self.socket && (starts_shell || self.ran_unknown);
        let runs_written = facts.writes.iter().filter(|path| path.len() > 1).any(|path| {
            facts.shell.iter().any(|line| line.contains(path.as_str()))
                || facts.argvs.iter().flatten().any(|word| word == path)
        });
        let bare_shell = facts.argvs.iter().any(|argv| argv.len() == 1 && is_shell(&argv[0]));
        facts.downloads_and_runs |=
            facts.network && (self.ran_unknown || runs_written || bare_shell) && !facts.shell_over_socket;
        facts.forks_forever |= self.forked && (self.endless || self.local_calls > 1);
        facts.executes |= self.forked;
        if facts.network {
            for host in self.hosts {
                if !facts.hosts.contains(&host) {
                    facts.hosts.push(host);
                }
            }
        }
        facts.settle(self.impure);
        self.facts
    }
}

fn first_word(line: &str) -> &str {
    line.split_whitespace().find(|word| !matches!(*word, "exec" | "env" | "/usr/bin/env")).unwrap_or("")
}

/// Whether a program is a shell.
pub(super) fn is_shell(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    SHELLS.contains(&name)
}

/// Whether a text looks like a URL, an address or the name of a host.
pub(super) fn looks_like_host(text: &str) -> bool {
    if text.len() > 2048 || text.contains(char::is_whitespace) {
        return false;
    }
    if text.contains("://") || text == "localhost" {
        return true;
    }
    let host = text.split([':', '/']).next().unwrap_or("");
    let labels: Vec<&str> = host.split('.').collect();
    let numeric = labels.len() == 4 && labels.iter().all(|label| label.parse::<u8>().is_ok());
    let last = labels.last().copied().unwrap_or("");
    numeric
        || (labels.len() >= 2
            && !text.starts_with('/')
            && last.len() >= 2
            && last.chars().all(|c| c.is_ascii_alphabetic())
            && labels
                .iter()
                .all(|l| !l.is_empty() && l.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')))
}
