//! `$name` and `${name…}`.

use crate::shell::{
    read::{Reading, quoted, unescape},
    syntax::{Op, Param, Side, here_text},
    text::{HOLE, SECRET, glob_matches, globs_as_text, has_glob, is_known},
};

use super::evaluate;

/// Comparing so many characters counts as one step.
const WORK_OF_A_STEP: usize = 10_000;

impl Reading<'_> {
    /// The values of a parameter: one, but for `$@` and its like.
    pub fn parameter(&mut self, param: &Param) -> Vec<String> {
        if matches!(param.name.as_str(), "@" | "*") && param.op == Op::None && !param.length {
            return self.positional.clone();
        }
        if let Some(index) = &param.index
            && matches!(index.as_str(), "@" | "*")
            && !param.indirect
        {
            return self.whole_array(param);
        }
        let set = self.set_value(param);
        vec![self.operate(set, param)]
    }

    fn whole_array(&mut self, param: &Param) -> Vec<String> {
        let Some(values) = self.arrays.get(&param.name).cloned() else { return vec![HOLE.to_string()] };
        if param.length {
            return vec![values.len().to_string()];
        }
        if let Op::Slice { offset, length } = &param.op {
            let from = usize::try_from(self.number(offset).unwrap_or(0)).unwrap_or(0);
            let length = length.as_ref().and_then(|length| self.number(length));
            let most = length.map_or(usize::MAX, |length| usize::try_from(length).unwrap_or(0));
            return values.into_iter().skip(from).take(most).collect();
        }
        values.into_iter().map(|value| self.operate(Some(value), param)).collect()
    }

    /// The value before anything is done to it; `None` where it is not set.
    fn set_value(&mut self, param: &Param) -> Option<String> {
        let mut name = param.name.clone();
        if param.indirect {
            name = self.variable(&name)?.to_owned();
            if !is_known(&name) {
                return Some(HOLE.to_string());
            }
            if name.contains('[') {
                // Bash runs commands in the subscript of the name that is meant.
                self.unresolved("A name that stands for another variable cannot be followed.");
                self.commands_in(&name);
            }
        }
        if let Some(index) = &param.index {
            // Bash runs commands that stand in a subscript.
            let (word, _) = here_text(index);
            let index = self.scalar(&word);
            if let Some(value) = self.variable(&format!("{name}[{index}]")) {
                return Some(value.to_owned());
            }
            let at = self.number(&index).and_then(|at| usize::try_from(at).ok());
            let values = self.arrays.get(&name);
            return match (values, at) {
                (Some(values), Some(at)) => values.get(at).cloned(),
                (Some(_), None) => Some(HOLE.to_string()),
                (None, Some(0)) => self.variable(&name).map(str::to_owned),
                (None, _) => None,
            };
        }
        if let Ok(at) = name.parse::<usize>()
            && at > 0
        {
            return self.positional.get(at - 1).cloned().or_else(|| Some(String::new()));
        }
        match name.as_str() {
            "0" => Some(self.zero.clone()),
            "#" => Some(self.positional.len().to_string()),
            "-" => Some("hBc".to_owned()),
            "@" | "*" => Some(self.positional.join(" ")),
            "?" | "$" | "!" | "_" => Some(HOLE.to_string()),
            _ => {
                let value = self.variable(&name).map(str::to_owned);
                value.or_else(|| self.arrays.get(&name).and_then(|values| values.first().cloned()))
            }
        }
    }

    /// What the operator makes of the value. Words in it are expanded whether they are used or not: whether a
    /// variable is set is not always told right, and commands in them must be seen.
    fn operate(&mut self, value: Option<String>, param: &Param) -> String {
        let words = self.operand_words(&param.op);
        if param.length {
            return match value {
                Some(value) if is_known(&value) => value.chars().count().to_string(),
                _ => HOLE.to_string(),
            };
        }
        let unset = value.is_none();
        let missing = |empty_too: bool| unset || empty_too && value.as_deref() == Some("");
        match (&param.op, words) {
            (Op::Default { assign, empty_too, .. }, OpWords::One(word)) if missing(*empty_too) => {
                if *assign {
                    self.set(&param.name, vec![word.clone()]);
                }
                word
            }
            (Op::Alternative { empty_too, .. }, OpWords::One(word)) => {
                if missing(*empty_too) {
                    String::new()
                } else {
                    word
                }
            }
            (op, words) => match value {
                None => self.unset_value(param),
                Some(value) => self.changed(value, op, words),
            },
        }
    }

    fn operand_words(&mut self, op: &Op) -> OpWords {
        match op {
            Op::Default { word, .. } | Op::Alternative { word, .. } | Op::Error { word } => {
                OpWords::One(self.scalar(word))
            }
            Op::Strip { pattern, .. } => OpWords::One(self.pattern(pattern)),
            Op::Replace { pattern, with, .. } => OpWords::Two(self.pattern(pattern), self.scalar(with)),
            Op::Slice { offset, length } => {
                let offset = self.number(if offset.trim().is_empty() { "0" } else { offset });
                let length = length.as_ref().map_or(Some(i64::MAX), |length| self.number(length));
                OpWords::Numbers(offset, length)
            }
            Op::Unread => {
                self.unresolved("A parameter is expanded in a way that is not read here.");
                OpWords::None
            }
            Op::None | Op::Case { .. } | Op::Transform(_) => OpWords::None,
        }
    }

    /// What a variable that is not set stands for.
    fn unset_value(&mut self, param: &Param) -> String {
        if param.op == Op::Transform('P') {
            self.unresolved("A value is expanded a second time.");
        }
        if is_secret_name(&param.name) {
            format!("{HOLE}{SECRET}")
        } else if self.unset_is_empty {
            String::new()
        } else {
            HOLE.to_string()
        }
    }

    fn changed(&mut self, value: String, op: &Op, words: OpWords) -> String {
        match (op, words) {
            (Op::None | Op::Default { .. } | Op::Error { .. }, _) => value,
            (Op::Transform('P'), _) => {
                self.unresolved("A value is expanded a second time.");
                let (word, _) = here_text(&value);
                self.scalar(&word)
            }
            _ if !is_known(&value) => value,
            (Op::Transform(how), _) => transformed(&value, *how),
            (Op::Case { upper, all }, _) => change_case(&value, *upper, *all),
            (_, OpWords::Numbers(offset, length)) => slice(&value, offset, length),
            (Op::Strip { side, longest, .. }, OpWords::One(pattern)) => {
                self.charge(value.len().pow(2).saturating_mul(pattern.len()) / WORK_OF_A_STEP);
                strip(&value, &pattern, *side, *longest)
            }
            (Op::Replace { all, side: Side::Anywhere, .. }, OpWords::Two(pattern, with))
                if !has_glob(&pattern) && !pattern.is_empty() =>
            {
                if *all {
                    value.replace(&pattern, &with)
                } else {
                    value.replacen(&pattern, &with, 1)
                }
            }
            (Op::Replace { all, side, .. }, OpWords::Two(pattern, with)) => {
                self.charge(value.len().pow(2).saturating_mul(pattern.len()) / WORK_OF_A_STEP);
                replace(&value, &pattern, &with, *all, *side)
            }
            _ => HOLE.to_string(),
        }
    }

    /// The number that an arithmetic text stands for.
    pub fn number(&mut self, text: &str) -> Option<i64> {
        evaluate(&self.arithmetic_text(text))
    }

    pub fn arithmetic(&mut self, text: &str) -> String {
        self.number(text).map_or_else(|| HOLE.to_string(), |value| value.to_string())
    }

    /// The text with its variables in place. Commands in it are read: bash runs them.
    fn arithmetic_text(&mut self, text: &str) -> String {
        if text.contains('[') && (text.contains("$(") || text.contains('`')) {
            self.unresolved("A subscript can run commands.");
        }
        let (word, _) = here_text(text);
        let text = self.scalar(&word);
        let mut out = String::new();
        let mut name = String::new();
        for c in text.chars().chain(['\0']) {
            if c.is_ascii_alphanumeric() || c == '_' || c == '#' {
                name.push(c);
                continue;
            }
            if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                let value = self.variable(&name).map_or_else(|| "0".to_owned(), str::to_owned);
                // A value is an expression again, and commands in its subscripts run.
                if value.contains('[') && (value.contains("$(") || value.contains('`')) {
                    self.unresolved("A subscript can run commands.");
                    self.commands_in(&value);
                }
                out.push_str(if value.is_empty() { "0" } else { &value });
            } else {
                out.push_str(&name);
            }
            name.clear();
            if c != '\0' {
                out.push(c);
            }
        }
        globs_as_text(&out)
    }

    /// Reads the commands that stand in a text which bash expands later.
    pub fn commands_in(&mut self, text: &str) {
        let (word, _) = here_text(text);
        self.scalar(&word);
    }
}

/// Whether a variable of this name is likely to hold a secret.
pub fn is_secret_name(name: &str) -> bool {
    const PARTS: &[&str] = &[
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "API_KEY",
        "APIKEY",
        "ACCESS_KEY",
        "PRIVATE_KEY",
        "CREDENTIAL",
        "PASSPHRASE",
    ];
    let name = name.to_uppercase();
    PARTS.iter().any(|part| name.contains(part))
}

/// What stands in an operator, expanded.
enum OpWords {
    None,
    One(String),
    Two(String, String),
    /// Offset and length; `None` where they cannot be told.
    Numbers(Option<i64>, Option<i64>),
}

/// `${name:offset:length}`.
fn slice(value: &str, offset: Option<i64>, length: Option<i64>) -> String {
    let count = i64::try_from(value.chars().count()).unwrap_or(i64::MAX);
    let (Some(offset), Some(length)) = (offset, length) else { return HOLE.to_string() };
    let start = if offset < 0 { count.saturating_add(offset) } else { offset };
    let end = if length < 0 { count.saturating_add(length) } else { start.saturating_add(length) };
    let (start, end) = (start.clamp(0, count), end.clamp(0, count));
    let skip = usize::try_from(start).unwrap_or(0);
    let take = usize::try_from(end.saturating_sub(start)).unwrap_or(0);
    value.chars().skip(skip).take(take).collect()
}

/// `${name@U}` and its like.
fn transformed(value: &str, how: char) -> String {
    match how {
        'U' => value.to_uppercase(),
        'L' => value.to_lowercase(),
        'u' => change_case(value, true, false),
        'E' => unescape(value),
        'Q' => quoted(value),
        _ => HOLE.to_string(),
    }
}

fn change_case(value: &str, upper: bool, all: bool) -> String {
    let change = |text: &str| if upper { text.to_uppercase() } else { text.to_lowercase() };
    match value.chars().next() {
        _ if all => change(value),
        Some(first) => change(&first.to_string()) + &value[first.len_utf8()..],
        None => String::new(),
    }
}

fn strip(value: &str, pattern: &str, side: Side, longest: bool) -> String {
    if value.len() > 2048 {
        return HOLE.to_string();
    }
    let cuts: Vec<usize> = value.char_indices().map(|(at, _)| at).chain([value.len()]).collect();
    let found = |at: &usize| match side {
        Side::Start => glob_matches(pattern, &value[..*at]),
        _ => glob_matches(pattern, &value[*at..]),
    };
    // From the start the longest match is the last cut; from the end it is the first.
    let from_front = (side == Side::Start) != longest;
    let at =
        if from_front { cuts.iter().find(|at| found(at)) } else { cuts.iter().rev().find(|at| found(at)) };
    match (at, side) {
        (Some(&at), Side::Start) => value[at..].to_owned(),
        (Some(&at), _) => value[..at].to_owned(),
        (None, _) => value.to_owned(),
    }
}

fn replace(value: &str, pattern: &str, with: &str, all: bool, side: Side) -> String {
    if pattern.is_empty() {
        return value.to_owned();
    }
    let cuts: Vec<usize> = value.char_indices().map(|(at, _)| at).chain([value.len()]).collect();
    if cuts.len() > 160 {
        return HOLE.to_string();
    }
    let mut out = String::new();
    let mut at = 0;
    let mut done = false;
    while at < cuts.len() {
        let start = cuts[at];
        let tries = !done && (side != Side::Start || at == 0);
        let end = tries
            .then(|| {
                (at..cuts.len()).rev().find(|&end| {
                    (side != Side::End || cuts[end] == value.len())
                        && end > at
                        && glob_matches(pattern, &value[start..cuts[end]])
                })
            })
            .flatten();
        if let Some(end) = end {
            out.push_str(with);
            at = end;
            done = !all;
        } else {
            let next = cuts.get(at + 1).copied().unwrap_or(value.len());
            out.push_str(&value[start..next]);
            at += 1;
        }
    }
    out
}
