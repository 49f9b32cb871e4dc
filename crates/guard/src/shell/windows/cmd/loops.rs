//! `for` loops and `if` conditions of `cmd`.

use super::lex::UNKNOWN;
use super::{Piped, Shell};
use crate::shell::windows::Level;

/// A loop's body is read for at most this many values.
const MOST_VALUES: usize = 8;

/// Position after the condition of the `if` at `at`.
pub(super) fn after_condition(chars: &[char], at: usize) -> usize {
    let mut at = next_word(chars, at).1;
    loop {
        let (word, end) = next_word(chars, at);
        match word.to_ascii_lowercase().as_str() {
            "/i" | "not" => at = end,
            "exist" | "defined" | "errorlevel" | "cmdextversion" => return next_word(chars, end).1,
            "" => return end.max(at),
            lower => {
                // `a==b`, `a == b`, `a equ b`
                if lower.contains("==") && !lower.ends_with("==") {
                    return end;
                }
                if lower.ends_with("==") {
                    return next_word(chars, end).1;
                }
                let (operator, after) = next_word(chars, end);
                let operator = operator.to_ascii_lowercase();
                if operator.starts_with("==") && operator.len() > 2 {
                    return after;
                }
                if ["==", "equ", "neq", "lss", "leq", "gtr", "geq"].contains(&operator.as_str()) {
                    return next_word(chars, after).1;
                }
                return end;
            }
        }
    }
}

/// The word at `at` after blanks, quotes kept together, and where it ends.
fn next_word(chars: &[char], mut at: usize) -> (String, usize) {
    while chars.get(at).is_some_and(|c| matches!(c, ' ' | '\t' | ',' | ';')) {
        at += 1;
    }
    let (start, mut quoted) = (at, false);
    while let Some(&c) = chars.get(at) {
        match c {
            '"' => quoted = !quoted,
            ' ' | '\t' | '\n' | '(' | '&' | '|' if !quoted => break,
            _ => {}
        }
        at += 1;
    }
    (chars[start..at].iter().filter(|c| **c != '^').collect(), at)
}

/// The text of the group that opens at `at`, and the position after it.
fn group(chars: &[char], at: usize) -> (String, usize) {
    let (mut depth, mut quoted, mut end) = (0u32, false, at);
    while let Some(&c) = chars.get(end) {
        match c {
            '"' => quoted = !quoted,
            '^' if !quoted => end += 1,
            '(' if !quoted => depth += 1,
            ')' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return (chars[at + 1..end].iter().collect(), end + 1);
                }
            }
            _ => {}
        }
        end += 1;
    }
    (chars.get(at + 1..).unwrap_or_default().iter().collect(), chars.len())
}

impl Shell<'_> {
    /// Reads a whole `for`; None if it is not one.
    pub(super) fn for_loop(&mut self, chars: &[char], at: usize) -> Option<usize> {
        let (_, mut at) = next_word(chars, at);
        let (mut kind, mut folder, mut letter) = (' ', String::new(), None);
        for _ in 0..5 {
            let (word, end) = next_word(chars, at);
            let lower = word.to_ascii_lowercase();
            at = end;
            if let Some(switch) = lower.strip_prefix('/') {
                kind = switch.chars().next()?;
            } else if let Some(name) = word.strip_prefix('%') {
                letter = name.trim_start_matches('%').chars().next();
            } else if lower == "in" {
                break;
            } else {
                word.trim_matches('"').clone_into(&mut folder);
            }
        }
        let letter = letter?;
        while chars.get(at).is_some_and(|c| c.is_whitespace()) {
            at += 1;
        }
        if chars.get(at) != Some(&'(') {
            return None;
        }
        let (set, after) = group(chars, at);
        let (word, mut at) = next_word(chars, after);
        if !word.eq_ignore_ascii_case("do") {
            return None;
        }
        while chars.get(at).is_some_and(|c| *c == ' ' || *c == '\t') {
            at += 1;
        }
        let (body, end) = if chars.get(at) == Some(&'(') {
            group(chars, at)
        } else {
            let end = super::end_of_line(chars, at);
            (chars[at..end].iter().collect(), end)
        };
        let set = self.variables.expand(&set);
        let folder = self.variables.expand(&folder);
        let values = self.loop_values(kind, &folder, &set);
        if kind == 'l' && endless(&set) && body.to_ascii_lowercase().contains("start") {
            self.report.note(
                Level::Forbid,
                "win-fork-bomb",
                "Starts programs without end until the machine stands still",
            );
        }
        let outside = self.walks_tree;
        self.walks_tree |= kind == 'r';
        for value in values.into_iter().take(MOST_VALUES) {
            self.variables.enter_loop(letter, value);
            let text = if body.contains('%') { body.clone() } else { format!("{body}\n") };
            self.lines(&text);
            self.variables.leave_loop();
        }
        self.walks_tree = outside;
        Some(end)
    }

    fn loop_values(&mut self, kind: char, folder: &str, set: &str) -> Vec<String> {
        let set = set.trim();
        match kind {
            'r' => {
                let folder = if folder.is_empty() { "." } else { folder.trim_end_matches('\\') };
                let pattern = if set == "." || set.is_empty() { "*" } else { set };
                vec![format!("{folder}\\{pattern}")]
            }
            'f' => {
                let quote = set.chars().next().filter(|c| matches!(c, '\'' | '`'));
                if let Some(inner) = quote.and_then(|q| set.strip_prefix(q)?.strip_suffix(q)) {
                    let trimmed = inner.trim();
                    // What `echo` says is known, everything else only when it runs.
                    if let Piped::Text(text) = self.simple_or_lines(trimmed) {
                        return vec![text.trim().to_owned()];
                    }
                    return vec![listed(trimmed).unwrap_or_else(|| UNKNOWN.to_string())];
                }
                if let Some(text) = set.strip_prefix('"').and_then(|s| s.strip_suffix('"')) {
                    return vec![text.to_owned()];
                }
                if crate::shell::windows::places::is_secret(set) {
                    self.report.secret(set);
                }
                vec![UNKNOWN.to_string()]
            }
            'l' => vec![set.split(',').next().unwrap_or_default().trim().to_owned()],
            _ => {
                let words = super::lex::command(&format!("del {set}"), |_| super::Parting::Punctuation).words;
                let mut values: Vec<String> = words.into_iter().skip(1).map(|w| w.text).collect();
                if values.len() > MOST_VALUES {
                    self.report.unresolved("a long list of values");
                    // Drives and system folders are often named late.
                    values.sort_by_key(|value| {
                        !crate::shell::windows::places::tree(&format!("{value}\\")).is_vital()
                    });
                }
                values
            }
        }
    }

    fn simple_or_lines(&mut self, text: &str) -> Piped {
        let chars: Vec<char> = text.chars().collect();
        let clean = text.replace("^|", "|").replace("^&", "&");
        if clean == text && super::lex::end_of_command(&chars, 0, false) == chars.len() {
            return self.simple(text, &Piped::Nothing);
        }
        self.lines(&clean);
        Piped::Unknown
    }
}

/// `dir /b C:\x` gives names below `C:\x`, `wevtutil el` the names of logs.
fn listed(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let first = words.first()?.to_ascii_lowercase();
    if first != "dir" {
        return None;
    }
    let path = words.iter().skip(1).find(|w| !w.starts_with('/'))?.trim_matches('"');
    Some(if path.contains('*') { path.to_owned() } else { format!("{}\\*", path.trim_end_matches('\\')) })
}

fn endless(set: &str) -> bool {
    let numbers: Vec<&str> = set.split(',').map(str::trim).collect();
    numbers.get(1) == Some(&"0")
}
