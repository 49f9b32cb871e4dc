//! Loops: whether they end, and what their variable may be.

use super::Language;
use super::engine::Engine;
use super::token::Token;
use super::value::Value;

impl Engine<'_> {
    /// Loops: whether they end, and what their variable may be.
    pub(super) fn loop_head(&mut self, word: &str) {
        self.world.branch();
        let ahead = usize::from(self.is_op(0, "("));
        let always = match (word, self.peek_at(ahead)) {
            ("while", Some(Token::Name(name))) => {
                matches!(name.as_str(), "True" | "true" | "TRUE" | "fork" | "pcntl_fork")
                    || self.is_name(ahead + 2, "fork")
            }
            ("while", Some(Token::Number(n))) => *n != 0.0,
            ("until", Some(Token::Name(name))) => matches!(name.as_str(), "false" | "FALSE" | "nil"),
            ("until", Some(Token::Number(n))) => *n == 0.0,
            ("for", Some(Token::Op(";"))) => self.is_op(ahead + 1, ";"),
            ("repeat", _) | ("while", Some(Token::Text(_) | Token::Op("!"))) => true,
            _ => false,
        };
        self.world.endless |= always;
        if !matches!(word, "for" | "foreach") {
            return;
        }
        if self.loop_over_topic() || self.php_foreach() {
            return;
        }
        // `for x in LIST`, `for (const x of LIST)`, `foreach my $x (LIST)`.
        let mut at = ahead;
        while matches!(self.name_at(at).as_deref(), Some("my" | "our" | "const" | "let" | "var" | "local")) {
            at += 1;
        }
        let mut names = Vec::new();
        while let Some(name) = self.name_at(at) {
            at += 1;
            if matches!(name.as_str(), "in" | "of") {
                break;
            }
            names.push(name);
            self.world.spend(1);
            if names.len() > 16 {
                return;
            }
            at += usize::from(self.is_op(at, ","));
        }
        if ahead == 1 && self.is_op(at, ")") && matches!(self.name_at(at + 1).as_deref(), Some("in" | "of")) {
            at += 2;
        }
        let over = matches!(self.name_at(at.saturating_sub(1)).as_deref(), Some("in" | "of"));
        let perl_list =
            self.lang() == Language::Perl && ahead == 0 && names.len() == 1 && self.is_op(at, "(");
        if names.is_empty() || !(over || perl_list) {
            if self.lang() == Language::Perl && names.is_empty() {
                self.world.bind("$_", Value::Unknown);
            }
            return;
        }
        self.at += at;
        let list = self.expression();
        if let (Value::List(rows), true) = (&list, names.len() > 1)
            && let [Value::List(row)] = &rows[..]
        {
            for (name, value) in names.iter().zip(row) {
                self.world.put(name, value.clone());
            }
            return;
        }
        let element = match (&list, names.len()) {
            (Value::List(values), 1) if !values.is_empty() && values.len() <= 32 => {
                Value::one_of(values.clone())
            }
            (Value::Text(_), 1) => list.clone(),
            _ => Value::Unknown,
        };
        for name in names {
            self.world.bind(&name, element.clone());
        }
    }

    /// Perl's `… for LIST` and `for (LIST) {…}`, where `$_` is each element.
    fn loop_over_topic(&mut self) -> bool {
        if self.lang() != Language::Perl {
            return false;
        }
        if self.is_op(0, "(") {
            let close = self.close.get(self.at).copied().unwrap_or(self.tokens.len());
            let counted = self.tokens.iter().take(close).skip(self.at).any(|token| *token == Token::Op(";"));
            if counted || close >= self.tokens.len() {
                return false;
            }
            self.world.spend(close - self.at);
            let element = any_of(self.expression());
            self.world.put("$_", element);
            let block = self.at;
            if !self.is_op(0, "{") && self.world.calling == 0 {
                self.again(block);
            }
            return true;
        }
        let prefix = matches!(self.name_at(0).as_deref(), Some("my" | "our" | "local"))
            || (matches!(self.name_at(0), Some(name) if name.starts_with('$')) && self.is_op(1, "("));
        if prefix {
            return false;
        }
        let element = any_of(self.expression());
        self.world.put("$_", element);
        self.again(self.at);
        true
    }

    /// Reads the statement before a trailing `for` once more, now that `$_` is known.
    fn again(&mut self, next: usize) {
        let start = self.last_step;
        if start >= next || self.world.calling > 0 {
            return;
        }
        self.world.calling += 1;
        self.at = start;
        self.statement();
        self.at = next;
        self.world.calling -= 1;
    }

    /// PHP's `foreach (LIST as $k => $v)`.
    fn php_foreach(&mut self) -> bool {
        if self.lang() != Language::Php || !self.is_op(0, "(") {
            return false;
        }
        let start = self.at;
        self.at += 1;
        let element = any_of(self.expression());
        if !self.is_name(0, "as") {
            self.at = start;
            return false;
        }
        self.at += 1;
        let value_at = if self.is_op(1, "=>") { 2 } else { 0 };
        if let Some(key) = self.name_at(0).filter(|_| value_at == 2) {
            self.world.bind(&key, Value::Unknown);
        }
        if let Some(name) = self.name_at(value_at) {
            self.world.put(&name, element);
            self.at += value_at + 1;
        }
        true
    }
}

/// What one element of a list may be.
pub(super) fn any_of(list: Value) -> Value {
    match list {
        Value::List(values) if values.is_empty() || values.len() > 32 => Value::Unknown,
        Value::List(values) => Value::one_of(values),
        text @ Value::Text(_) => text,
        _ => Value::Unknown,
    }
}
