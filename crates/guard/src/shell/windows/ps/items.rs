//! The arguments of a PowerShell command: parameters, which may be cut short, and values.

use super::Reader;
use super::value::Value;
use crate::shell::windows::report::Word;

#[derive(Debug, Clone)]
pub(super) enum Item {
    /// A parameter (lower case, no dash), with what is glued to it by a colon.
    Parameter(String, Option<Value>),
    Value(Value),
}

#[derive(Debug, Default, Clone)]
pub(super) struct Items {
    pub all: Vec<Item>,
    /// As written, for programs that read their own command line.
    pub raw: String,
}

/// Parameters whose values are no paths.
const NOT_PATHS: &[&str] = &[
    "filter",
    "include",
    "exclude",
    "erroraction",
    "ea",
    "encoding",
    "pattern",
    "value",
    "depth",
    "first",
    "last",
    "property",
    "itemtype",
    "type",
    "name",
    "warningaction",
    "wa",
    "attributes",
    "delimiter",
    "tail",
    "totalcount",
    "head",
    "readcount",
    "stream",
    "credential",
    "context",
    "confirm",
    "raw",
];

impl Items {
    fn position(&self, full: &str) -> Option<usize> {
        self.all.iter().position(|item| matches!(item, Item::Parameter(name, _) if !name.is_empty() && full.starts_with(name.as_str())))
    }

    pub fn has(&self, full: &str) -> bool {
        match self.position(full).and_then(|at| self.all.get(at)) {
            Some(Item::Parameter(_, Some(value))) => value.shown() != "false",
            found => found.is_some(),
        }
    }

    /// The value of a parameter.
    pub fn of(&self, full: &str) -> Option<Value> {
        let at = self.position(full)?;
        match (self.all.get(at), self.all.get(at + 1)) {
            (Some(Item::Parameter(_, Some(value))), _) | (_, Some(Item::Value(value))) => Some(value.clone()),
            _ => None,
        }
    }

    pub fn values(&self) -> Vec<Value> {
        self.all
            .iter()
            .filter_map(|item| if let Item::Value(value) = item { Some(value.clone()) } else { None })
            .collect()
    }

    /// Values that are not given to one of the parameters that take no path.
    pub fn paths(&self) -> Vec<Value> {
        let mut found = Vec::new();
        for (at, item) in self.all.iter().enumerate() {
            let Item::Value(value) = item else { continue };
            let taken = at.checked_sub(1).and_then(|before| self.all.get(before)).is_some_and(
                |before| matches!(before, Item::Parameter(name, None) if NOT_PATHS.iter().any(|full| full.starts_with(name.as_str()) && name.len() > 1)),
            );
            if !taken {
                found.push(value.clone());
            }
        }
        for item in &self.all {
            if let Item::Parameter(name, Some(value)) = item
                && ("path".starts_with(name.as_str()) || "literalpath".starts_with(name.as_str()))
            {
                found.push(value.clone());
            }
        }
        found
    }

    /// The value of the parameter, or the first that no parameter takes.
    pub fn of_or_first(&self, full: &str) -> Option<Value> {
        self.of(full).or_else(|| {
            let mut free = true;
            for item in &self.all {
                match item {
                    Item::Value(value) if free => return Some(value.clone()),
                    Item::Value(_) => free = true,
                    Item::Parameter(name, None) => free = is_switch(name),
                    Item::Parameter(..) => {}
                }
            }
            None
        })
    }

    /// As the arguments of a program.
    pub fn words(&self) -> Vec<Word> {
        let mut words = Vec::new();
        for item in &self.all {
            match item {
                Item::Parameter(name, None) => words.push(Word::plain(format!("-{name}"))),
                Item::Parameter(name, Some(value)) => {
                    let mut word = value.words().into_iter().next().unwrap_or_else(|| Word::plain(""));
                    word.text = format!("-{name}:{}", word.text);
                    words.push(word);
                }
                Item::Value(value) => words.extend(value.words()),
            }
        }
        words
    }

    /// All as one text in lower case, to look for marks in.
    pub fn marks(&self) -> String {
        let words: Vec<String> = self.words().iter().map(Word::lower).collect();
        format!(" {} ", words.join(" "))
    }
}

fn is_switch(name: &str) -> bool {
    [
        "recurse",
        "force",
        "whatif",
        "confirm",
        "verbose",
        "passthru",
        "usebasicparsing",
        "wait",
        "nonewwindow",
        "append",
        "noclobber",
        "raw",
        "file",
        "directory",
        "hidden",
    ]
    .iter()
    .any(|full| full.starts_with(name))
}

impl Reader<'_> {
    /// All arguments up to the end of the command.
    pub(super) fn arguments(&mut self) -> Items {
        let mut items = Items::default();
        let start = self.at;
        loop {
            self.skip_blanks();
            let Some(c) = self.peek() else { break };
            if !self.report.spend(1) {
                break;
            }
            match c {
                ';' | '\n' | '|' | ')' | '}' | '&' => break,
                '#' => {
                    self.skip_to_newline();
                    break;
                }
                _ if self.redirection_ahead() => self.redirection(),
                '-' if self.peek_at(1) == Some('-') && self.peek_at(2) == Some('%') => {
                    let rest: String = self.chars[self.at + 3..].iter().collect();
                    items.all.extend(rest.split_whitespace().map(|w| Item::Value(Value::text(w))));
                    self.at = self.chars.len();
                }
                '-' if self.peek_at(1).is_some_and(|c| c.is_alphabetic() || c == '`' || c == '?') => {
                    self.parameter(&mut items);
                }
                _ => {
                    let before = self.at;
                    let value = self.argument();
                    items.all.push(Item::Value(value));
                    if self.at == before {
                        self.at += 1;
                    }
                }
            }
        }
        items.raw = self.chars.get(start..self.at.min(self.chars.len())).unwrap_or_default().iter().collect();
        items
    }

    fn parameter(&mut self, items: &mut Items) {
        self.at += 1;
        let mut name = String::new();
        while let Some(c) = self.peek() {
            match c {
                '`' => {}
                c if c.is_alphanumeric() || "-_?=+/.@".contains(c) => name.extend(c.to_lowercase()),
                _ => break,
            }
            self.at += 1;
        }
        let mut value = None;
        if self.peek() == Some(':') {
            self.at += 1;
            self.skip_blanks();
            value = Some(self.argument());
        }
        items.all.push(Item::Parameter(name, value));
    }
}
