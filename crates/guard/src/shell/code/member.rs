//! Members and elements: `owner.name` and `value[…]`.

use super::Language;
use super::engine::Engine;
use super::token::Token;
use super::value::{self, Value, WITHIN};

/// Members through which a program gets at everything.
const REFLECTION: &[&str] = &["constructor", "__proto__", "?"];

impl Engine<'_> {
    /// `owner.name`.
    pub(super) fn member(&mut self, owner: Value, name: &str) -> Value {
        if REFLECTION.contains(&name)
            || (name.starts_with("__") && name != "__name__" && name != "__version__" && name != "__doc__")
        {
            self.world.impure = true;
        }
        if let Value::Name(path) = &owner
            && let Some(home) = self.home_in(path, name)
        {
            return home;
        }
        match owner {
            Value::Text(path) if path.contains(WITHIN) && matches!(name, "path" | "name") => {
                Value::Text(path)
            }
            Value::Name(mut path) if path.len() + name.len() < 256 => {
                if name == "__dict__" || (name == "promises" && path == "fs") {
                    return Value::Name(path);
                }
                path.push('.');
                path.push_str(name);
                Value::Name(path)
            }
            Value::Map(entries) if entries.iter().any(|(key, _)| key == name) => {
                value::element(&Value::Map(entries), &Value::Text(name.to_owned()))
            }
            Value::Choice(values) if values.len() == 1 => {
                let first = values.into_iter().next().unwrap_or(Value::Unknown);
                Value::Member(Box::new(first), name.to_owned())
            }
            Value::Member(..) | Value::Name(_) => Value::Member(Box::new(Value::Unknown), name.to_owned()),
            other => Value::Member(Box::new(other), name.to_owned()),
        }
    }

    /// `value[…]`, slices included.
    pub(super) fn subscript(&mut self, value: Value) -> Value {
        let close = self.close.get(self.at).copied().unwrap_or(self.tokens.len());
        let braces = self.is_op(0, "{");
        self.at += 1;
        let mut parts = vec![None];
        let mut several = false;
        while self.at < close && self.peek().is_some() {
            match self.peek() {
                Some(Token::Op(":")) => parts.push(None),
                Some(Token::Op("::")) => parts.extend([None, None]),
                Some(Token::Newline) => {}
                Some(Token::Op(",")) => several = true,
                Some(Token::Name(key)) if braces && self.at + 1 == close && !key.starts_with('$') => {
                    let key = key.clone();
                    parts = vec![Some(Value::Text(key))];
                }
                _ => {
                    let before = self.at;
                    let part = self.statement();
                    if self.at == before {
                        self.world.odd();
                        self.at += 1;
                    }
                    if let Some(last) = parts.last_mut() {
                        *last = Some(part);
                    }
                    continue;
                }
            }
            self.at += 1;
        }
        self.at = self.at.max(close + 1);
        let number = |i: usize| parts.get(i).cloned().flatten().and_then(|value| value.number());
        if parts.len() > 1 {
            return value::slice(&value, number(0), number(1), number(2));
        }
        let index = parts.into_iter().next().flatten().filter(|_| !several).unwrap_or(Value::Unknown);
        if self.lang() == Language::Perl && matches!((&value, &index), (Value::Text(_), Value::Number(_))) {
            // A list of one was taken for its element.
            return if index == Value::Number(0.0) { value } else { Value::Unknown };
        }
        match (&value, &index) {
            (Value::Name(path), Value::Text(key))
                if matches!(path.as_str(), "sys.modules" | "package.loaded") =>
            {
                Value::Name(key.clone())
            }
            (Value::Name(path), _)
                if self.world.book.is_pure(path) && !self.world.book.has_acting_members(path) =>
            {
                Value::Unknown
            }
            (Value::Name(path), _)
                if path.starts_with(['$', '@'])
                    && path != "$GLOBALS"
                    && self.lang() != Language::JavaScript =>
            {
                if let Some(home) = index.text().and_then(|key| self.home_in(path, key)) {
                    return home;
                }
                self.world.impure |= path == "$ENV";
                Value::Unknown
            }
            (Value::Name(_), Value::Text(key)) => self.member(value.clone(), key),
            (Value::Name(_), _) => {
                self.world.odd();
                self.member(value, "?")
            }
            (Value::Unknown | Value::Member(..), Value::Text(key)) if self.lang() == Language::JavaScript => {
                self.member(value.clone(), key)
            }
            _ if self.lang() == Language::Lua => match index {
                Value::Number(n) => value::element(&value, &Value::Number(n - 1.0)),
                other => value::element(&value, &other),
            },
            _ => value::element(&value, &index),
        }
    }
}
