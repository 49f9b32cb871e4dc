//! What an analysis gathers on its way: the gravest finding, the steps, and facts that only matter together.

use super::{Level, Verdict};

const MOST_STEPS: usize = 24;

/// One argument as the shell would hand it over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub text: String,
    /// False where part of it is only known when it runs.
    pub known: bool,
    pub quoted: bool,
}

impl Word {
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), known: true, quoted: false }
    }

    pub fn lower(&self) -> String {
        self.text.to_lowercase()
    }
}

/// Things that are grave only in company.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// File names (lower case, no folder) that the text fetches from the network.
    pub fetched: Vec<String>,
    pub fetches: bool,
    pub secret: Option<String>,
    pub sends: bool,
    pub opens_socket: bool,
    pub runs_text: bool,
}

#[derive(Debug)]
pub(super) struct Report {
    level: Level,
    rule: &'static str,
    why: String,
    programs: Vec<String>,
    steps: Vec<String>,
    pub facts: Facts,
    pub depth: u32,
    /// Where the text has changed to; empty for the working folder.
    here: String,
    budget: u32,
}

impl Report {
    pub fn new() -> Self {
        Self {
            level: Level::Allow,
            rule: "win-reads",
            why: String::new(),
            programs: Vec::new(),
            steps: Vec::new(),
            facts: Facts::default(),
            depth: 0,
            here: String::new(),
            budget: 20_000,
        }
    }

    /// Records a finding; the gravest one, and among equals the first, decides.
    pub fn note(&mut self, level: Level, rule: &'static str, why: impl Into<String>) {
        let why = why.into();
        if self.steps.len() < MOST_STEPS && !self.steps.contains(&why) {
            self.steps.push(why.clone());
        }
        if level > self.level || self.why.is_empty() {
            self.level = level.max(self.level);
            self.rule = rule;
            self.why = why;
        }
    }

    pub fn unresolved(&mut self, what: &str) {
        let what: String = what.chars().take(80).collect();
        self.note(
            Level::Sensitive,
            "win-unresolved",
            format!("What `{what}` stands for is only known when it runs"),
        );
    }

    /// The text changes its folder: relative paths mean something else from here on.
    pub fn enter(&mut self, folder: &str) {
        let folder = self.meant_here(folder);
        self.here = if folder.len() > 400 { String::from("..\\..\\..\\..") } else { folder };
    }

    /// A path as it is meant where the text stands now.
    pub fn meant_here(&self, path: &str) -> String {
        let bare = path.trim_matches(['"', '\'']);
        let starts = bare.starts_with(['\\', '/', '~']) || bare.as_bytes().get(1) == Some(&b':');
        if self.here.is_empty() || starts {
            path.to_owned()
        } else {
            format!("{}\\{bare}", self.here.trim_end_matches('\\'))
        }
    }

    pub fn program(&mut self, name: &str) {
        if !name.is_empty() && self.programs.len() < MOST_STEPS && !self.programs.iter().any(|p| p == name) {
            self.programs.push(name.chars().take(120).collect());
        }
    }

    pub fn secret(&mut self, path: &str) {
        let shown: String = path.chars().take(120).collect();
        self.note(Level::Sensitive, "win-secret", format!("Touches a place that holds secrets: {shown}"));
        self.facts.secret = Some(shown);
    }

    pub fn fetched(&mut self, file: &str) {
        self.facts.fetches = true;
        let name = super::places::file_name(file);
        if !name.is_empty() && self.facts.fetched.len() < MOST_STEPS {
            self.facts.fetched.push(name);
        }
    }

    /// Whether a word names something this very text has fetched.
    pub fn was_fetched(&self, word: &str) -> bool {
        if self.facts.fetched.is_empty() {
            return false;
        }
        let name = super::places::file_name(word);
        let stem = name.split(',').next().unwrap_or_default();
        self.facts.fetched.iter().any(|f| *f == name || f == stem || f.strip_suffix(".exe") == Some(stem))
    }

    /// Spends what reading `length` characters costs; false once the work allowed for one text is spent.
    pub fn spend(&mut self, length: usize) -> bool {
        let cost = u32::try_from(length / 64 + 1).unwrap_or(u32::MAX);
        if self.budget < cost {
            self.budget = 0;
            self.note(
                Level::Sensitive,
                "win-too-complex",
                "The command is too complex to be read to its end",
            );
            return false;
        }
        self.budget -= cost;
        true
    }

    pub fn finish(mut self) -> Verdict {
        if let (Some(secret), true) = (self.facts.secret.clone(), self.facts.sends) {
            self.note(
                Level::Forbid,
                "win-secret-sent",
                format!("Sends secrets to another machine: {secret}"),
            );
        }
        if self.facts.opens_socket && self.facts.runs_text {
            self.note(
                Level::Forbid,
                "win-reverse-shell",
                "Opens a connection and runs what comes through it (a reverse shell)",
            );
        }
        if self.why.is_empty() {
            "Nothing is changed".clone_into(&mut self.why);
        }
        Verdict {
            level: self.level,
            rule: self.rule,
            why: self.why,
            programs: self.programs,
            steps: self.steps,
        }
    }
}
