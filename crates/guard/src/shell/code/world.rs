//! What has been found out so far while a source is read: variables, facts, and how much work is left.

use std::collections::{HashMap, HashSet};

use super::book::Book;
use super::functions::Function;
use super::printing::Output;
use super::value::{HOLE, Value, WITHIN, is_hole};
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
    pub(super) output: Output,
    /// Bytes were made and not yet decoded: Python prints them in a form of its own.
    pub(super) bytes: bool,
    /// A reference to a variable was made: an assignment may change another variable.
    pub(super) aliased: bool,
    pub(super) functions: Vec<Function>,
    /// How many sources have been read.
    pub(super) sources: usize,
    /// How many functions of the source are being called.
    pub(super) calling: usize,
    /// What the function that is being called was given.
    pub(super) arguments: Vec<Value>,
    /// What that function may give.
    pub(super) returned: Vec<Value>,
    /// What a pipe operator hands to the next call.
    pub(super) piped: Option<Value>,
    /// What the block that follows goes over.
    pub(super) element: Option<Value>,
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
            output: Output::default(),
            bytes: false,
            aliased: false,
            functions: Vec::new(),
            sources: 0,
            calling: 0,
            arguments: Vec::new(),
            returned: Vec::new(),
            piped: None,
            element: None,
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
        if self.aliased {
            self.output.doubt();
            self.forget(true);
        }
        let value = match self.vars.get(name) {
            Some((old, _)) if self.branched && *old != value => Value::one_of(vec![old.clone(), value]),
            _ => value,
        };
        let kept = value.kept();
        self.spend(kept.1);
        self.vars.insert(name.to_owned(), kept);
    }

    /// Sets a variable, whatever it held.
    pub(super) fn put(&mut self, name: &str, value: Value) {
        let kept = value.kept();
        self.spend(kept.1);
        self.vars.insert(name.to_owned(), kept);
    }

    /// A condition, a loop or a function: what follows may not happen, or not once.
    pub(super) fn branch(&mut self) {
        self.branched = true;
        self.output.doubt();
    }

    /// What lists, and in Ruby texts, hold is no longer sure.
    pub(super) fn forget_containers(&mut self) {
        self.forget(self.lang == Language::Ruby);
    }

    /// What lists hold, and texts if so said, is no longer sure.
    pub(super) fn forget(&mut self, texts: bool) {
        self.spend(self.vars.len());
        for (value, _) in self.vars.values_mut() {
            if matches!(value, Value::List(_) | Value::Map(_)) || (texts && matches!(value, Value::Text(_))) {
                let old = std::mem::replace(value, Value::Unknown);
                *value = Value::one_of(vec![old, Value::Unknown]);
            }
        }
    }

    /// Whether a variable holds just this.
    pub(super) fn is_held(&self, wanted: &Value) -> bool {
        self.vars.values().any(|(value, _)| value == wanted)
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
                    self.facts.shell.push(text.replace(WITHIN, HOLE.encode_utf8(&mut [0; 4])));
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
            let shown = |word: String| word.replace(WITHIN, HOLE.encode_utf8(&mut [0; 4]));
            self.facts.argvs.push(words.into_iter().map(shown).collect());
        }
    }

    /// The paths that a value may be, and whether each stands for all below it.
    fn paths(&mut self, value: Option<&Value>) -> Vec<(String, bool)> {
        let Some(value) = value else {
            self.facts.unresolved = true;
            return Vec::new();
        };
        let mut paths = Vec::new();
        for choice in value.choices().iter().flat_map(Value::elements).flat_map(Value::choices) {
            let path = choice.shown();
            let folder = path.split(WITHIN).next().unwrap_or("");
            if folder.len() < path.len() && !folder.is_empty() && !folder.contains(is_hole) {
                let folder = if folder == "/" { folder } else { folder.trim_end_matches('/') };
                paths.push((folder.to_owned(), true));
                continue;
            }
            self.facts.unresolved |= path.contains(is_hole);
            paths.push((path.replace(WITHIN, HOLE.encode_utf8(&mut [0; 4])), false));
        }
        paths
    }

    pub(super) fn delete(&mut self, value: Option<&Value>, tree: bool) {
        let paths = self.paths(value);
        self.impure = true;
        self.facts.deletes.extend(paths.into_iter().map(|path| (path.0, tree || path.1)));
    }

    pub(super) fn write(&mut self, value: Option<&Value>) {
        let paths = self.paths(value);
        self.impure = true;
        self.facts.writes.extend(paths.into_iter().map(|path| path.0));
    }

    pub(super) fn read(&mut self, value: Option<&Value>) {
        for (path, _) in self.paths(value) {
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
        self.facts.changes_permissions.extend(paths.into_iter().map(|path| (path.0, tree || path.1)));
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
        once(&mut facts.shell);
        once(&mut facts.argvs);
        once(&mut facts.deletes);
        once(&mut facts.writes);
        once(&mut facts.reads);
        once(&mut facts.changes_permissions);
        facts.settle(self.impure);
        if facts.only_reads {
            facts.prints = self.output.told();
        }
        self.facts
    }
}

/// Leaves out what stands there already; a body that is called is read more than once.
fn once<T: Clone + Eq + std::hash::Hash>(list: &mut Vec<T>) {
    if list.len() > 1 {
        let mut seen = HashSet::new();
        list.retain(|item| seen.insert(item.clone()));
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
