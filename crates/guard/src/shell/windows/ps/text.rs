//! Quotes, groups and variables in PowerShell text.

use super::value::{UNKNOWN, Value};
use super::{Reader, run};

/// PowerShell takes typographic quotes and dashes for plain ones.
pub(super) fn plain_mark(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201e}' => '"',
        '\u{2013}' | '\u{2014}' | '\u{2015}' => '-',
        other => other,
    }
}

impl Reader<'_> {
    /// The inside of the group that opens here; quotes and comments are minded. Ends after it.
    pub(super) fn group(&mut self, open: char, close: char) -> String {
        let start = self.at + 1;
        let (mut depth, mut at) = (0u32, self.at);
        while let Some(&c) = self.chars.get(at) {
            match c {
                '`' => at += 1,
                '\'' | '"' => at = self.end_of_quote(at),
                _ if c == open => depth += 1,
                _ if c == close => {
                    depth -= 1;
                    if depth == 0 {
                        self.at = at + 1;
                        return self.chars[start..at].iter().collect();
                    }
                }
                _ => {}
            }
            at += 1;
        }
        self.at = self.chars.len();
        self.chars.get(start..).unwrap_or_default().iter().collect()
    }

    /// Index of the quote that ends the one at `at`.
    fn end_of_quote(&self, at: usize) -> usize {
        let quote = self.chars[at];
        let mut end = at + 1;
        while let Some(&c) = self.chars.get(end) {
            if c == '`' && quote == '"' {
                end += 1;
            } else if c == quote {
                if self.chars.get(end + 1) != Some(&quote) {
                    return end;
                }
                end += 1;
            }
            end += 1;
        }
        self.chars.len()
    }

    /// A quoted text, from its opening quote on.
    pub(super) fn quoted(&mut self) -> Value {
        let start = self.at;
        let end = self.end_of_quote(start);
        let inner: Vec<char> = self.chars.get(start + 1..end).unwrap_or_default().to_vec();
        let quote = self.chars[start];
        self.at = (end + 1).min(self.chars.len());
        if quote == '\'' {
            return Value::text(inner.iter().collect::<String>().replace("''", "'"));
        }
        self.filled(&inner)
    }

    /// `@'…'@` and `@"…"@`.
    pub(super) fn here_text(&mut self) -> Value {
        let quote = self.chars[self.at + 1];
        let start = self.at + 2;
        let mut end = start;
        while end < self.chars.len() && !(self.chars[end] == quote && self.chars.get(end + 1) == Some(&'@')) {
            end += 1;
        }
        let inner: Vec<char> = self.chars.get(start..end).unwrap_or_default().to_vec();
        self.at = (end + 2).min(self.chars.len());
        if quote == '\'' {
            Value::text(inner.iter().collect::<String>().trim_matches('\n'))
        } else {
            self.filled(&inner)
        }
    }

    /// Puts variables and `$(…)` into the inside of a double-quoted text.
    fn filled(&mut self, inner: &[char]) -> Value {
        if !inner.iter().any(|c| matches!(c, '$' | '`' | '"')) {
            return Value::text(inner.iter().collect::<String>());
        }
        let (mut out, mut at, mut fetched) = (String::new(), 0, false);
        while let Some(&c) = inner.get(at) {
            match c {
                '`' => {
                    at += 1;
                    out.extend(inner.get(at).map(|c| escaped(*c)));
                    at += 1;
                }
                '"' => {
                    out.push('"');
                    at += if inner.get(at + 1) == Some(&'"') { 2 } else { 1 };
                }
                '$' if inner.get(at + 1) == Some(&'(') => {
                    let mut sub = self.sub_reader(&inner[at + 1..]);
                    let body = sub.group('(', ')');
                    at += 1 + sub.at;
                    let value = run(self.report, self.scope, &body);
                    fetched |= value.is_download();
                    out.push_str(&value.shown());
                }
                '$' => {
                    let (name, length) = variable_name(&inner[at + 1..]);
                    at += 1 + length;
                    if name.is_empty() {
                        out.push('$');
                    } else {
                        let value = self.scope.get(&name);
                        fetched |= value.is_download();
                        out.push_str(&value.shown());
                    }
                }
                _ => {
                    out.push(c);
                    at += 1;
                }
            }
            if out.len() > 64 * 1024 {
                return Value::Unknown;
            }
        }
        if fetched { Value::Download } else { Value::text(out) }
    }

    fn sub_reader(&mut self, chars: &[char]) -> Reader<'_> {
        Reader {
            report: self.report,
            scope: self.scope,
            chars: chars.to_vec(),
            at: 0,
            depth: self.depth + 1,
            last_variable: None,
        }
    }

    /// `$name`, `${name}`, `$env:name`; the reader stands at the `$`.
    pub(super) fn variable(&mut self) -> Value {
        self.at += 1;
        let (name, length) = variable_name(&self.chars[self.at..]);
        self.at += length;
        if name.is_empty() {
            return Value::Unknown;
        }
        let value = self.scope.get(&name);
        self.last_variable = Some(name);
        value
    }

    /// One argument or command name in command mode, with lists by comma.
    pub(super) fn argument(&mut self) -> Value {
        let first = self.single_argument();
        let mut list = Vec::new();
        loop {
            let before = self.at;
            self.skip_blanks();
            if self.peek() != Some(',') || list.len() > 512 {
                self.at = before;
                break;
            }
            self.at += 1;
            self.skip_lines();
            list.push(self.single_argument());
        }
        if list.is_empty() {
            return first;
        }
        list.insert(0, first);
        Value::List(list)
    }

    fn single_argument(&mut self) -> Value {
        let mut whole: Option<Value> = None;
        while let Some(c) = self.peek() {
            let piece = match c {
                '\'' | '"' => {
                    let value = self.quoted();
                    // `'a'.Replace(…)` is a call, `'a'.txt` a name.
                    if whole.is_none() && self.method_ahead() { self.postfix(value) } else { value }
                }
                '@' if matches!(self.peek_at(1), Some('\'' | '"')) && whole.is_none() => self.here_text(),
                '$' if self.peek_at(1).is_some_and(|n| {
                    n == '(' || n == '{' || n == '_' || n.is_alphanumeric() || n == '?' || n == '$'
                }) =>
                {
                    let value = self.primary();
                    if whole.is_none() { self.postfix(value) } else { value }
                }
                '(' | '@' | '{' | '[' if whole.is_none() => {
                    if c == '[' && !self.type_ahead() {
                        self.bare()
                    } else if c == '@' && !matches!(self.peek_at(1), Some('(' | '{')) {
                        // Splatting: the arguments stand in a variable.
                        self.at += 1;
                        self.bare();
                        self.report.unresolved("arguments that stand in a variable");
                        Value::Unknown
                    } else {
                        let value = self.primary();
                        self.postfix(value)
                    }
                }
                ' ' | '\t' | '\r' | '\n' | ';' | '|' | ')' | '}' | ',' | '(' | '{' | '>' | '&' => break,
                _ => self.bare(),
            };
            whole = Some(match whole {
                None => piece,
                Some(before) => Value::text(before.shown()).plus(&piece),
            });
        }
        if whole.is_none() {
            self.at += 1;
        }
        whole.unwrap_or_else(|| Value::text(""))
    }

    fn method_ahead(&self) -> bool {
        let rest = self.chars.get(self.at..).unwrap_or_default();
        let letters = rest.iter().skip(1).take(40).take_while(|c| c.is_ascii_alphabetic()).count();
        rest.first() == Some(&'[')
            || rest.first() == Some(&'.') && letters > 0 && rest.get(letters + 1) == Some(&'(')
    }

    /// Plain letters up to something that means something.
    fn bare(&mut self) -> Value {
        let mut out = String::new();
        while let Some(c) = self.peek() {
            match c {
                '`' => {
                    // Letters after a backtick are taken as they are: `Re`move-Item` is meant to hide a name.
                    self.at += 1;
                    out.extend(self.peek().filter(|c| *c != '\n'));
                }
                ' ' | '\t' | '\r' | '\n' | ';' | '|' | '(' | ')' | '{' | '}' | ',' | '\'' | '"' | '>'
                | '&' | '$'
                    if !out.is_empty() || c != '$' =>
                {
                    break;
                }
                UNKNOWN => out.push(' '),
                _ => out.push(c),
            }
            self.at += 1;
        }
        Value::text(out)
    }
}

fn escaped(c: char) -> char {
    match c {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '0' => '\0',
        other => other,
    }
}

/// The name after a `$`, and how many characters it takes.
pub(super) fn variable_name(chars: &[char]) -> (String, usize) {
    match chars.first() {
        Some('{') => {
            let end = chars.iter().take(256).position(|c| *c == '}').unwrap_or(0);
            let name: String =
                chars.get(1..end.max(1)).unwrap_or_default().iter().filter(|c| **c != '`').collect();
            (name, if end == 0 { 1 } else { end + 1 })
        }
        Some('_' | '?' | '^' | '$') => {
            let more = chars.iter().skip(1).take_while(|c| c.is_alphanumeric() || **c == '_').count();
            let length = if chars[0] == '_' { 1 + more } else { 1 };
            (chars[..length].iter().collect(), length)
        }
        _ => {
            let mut length = 0;
            while let Some(c) = chars.get(length) {
                let colon = *c == ':'
                    && length > 0
                    && chars.get(length + 1).is_some_and(|n| n.is_alphanumeric() || *n == '_');
                if !(c.is_alphanumeric() || *c == '_' || colon) {
                    break;
                }
                length += 1;
            }
            (chars[..length].iter().collect(), length)
        }
    }
}
