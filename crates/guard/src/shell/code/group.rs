//! What stands between brackets: arguments, elements, entries.

use super::Language;
use super::engine::{Arg, Engine};
use super::token::Token;
use super::value::Value;

impl Engine<'_> {
    /// What stands between brackets, from the opening one at the current place.
    pub(super) fn group(&mut self) -> (Vec<Arg>, bool) {
        let close = self.close.get(self.at).copied().unwrap_or(self.tokens.len());
        self.at += 1;
        if let Some(list) = self.comprehension(close) {
            self.at = self.at.max(close + 1);
            return (vec![Arg { name: None, value: list }], true);
        }
        let mut args = Vec::new();
        let mut comma = false;
        let outer = std::mem::replace(&mut self.grouped, true);
        while self.at < close && self.peek().is_some() {
            if self.is_op(0, ",") {
                self.at += 1;
                comma = true;
            } else if matches!(self.peek(), Some(Token::Newline | Token::Op(";"))) {
                self.at += 1;
            } else {
                args.push(self.item(close));
            }
        }
        self.grouped = outer;
        self.at = self.at.max(close + 1);
        (args, comma)
    }

    pub(super) fn item(&mut self, close: usize) -> Arg {
        let name = match (self.peek(), self.peek_at(1)) {
            (Some(Token::Name(name)), Some(Token::Op("=>" | ":"))) if !self.is_op(2, ":") => {
                Some(name.clone())
            }
            (Some(Token::Name(name)), Some(Token::Op("=")))
                if matches!(
                    self.lang(),
                    Language::Python | Language::R | Language::Lua | Language::Julia
                ) =>
            {
                Some(name.clone())
            }
            (Some(Token::Text(pieces)), Some(Token::Op("=>" | ":"))) => super::literal::plain(pieces),
            _ => None,
        };
        let arrow = self.lang() == Language::JavaScript && self.is_op(1, "=>");
        let name = name.filter(|_| !arrow);
        if name.is_some() {
            self.at += 2;
        }
        let mut values = Vec::new();
        let mut function = None;
        while self.at < close && self.peek().is_some() && !self.is_op(0, ",") {
            if self.lang() == Language::Julia && self.is_op(0, ";") {
                break;
            }
            let before = self.at;
            let value = self.statement();
            if self.at == before {
                self.world.odd();
                self.at += 1;
            }
            // `print STDERR "x"`, `a if b else c`, a key that is computed: any of them may be the value.
            if let Value::Local(_) = value {
                function = Some(value);
            } else if values.len() < 8 {
                values.push(value);
            }
        }
        let value =
            if values.is_empty() { function.unwrap_or(Value::Unknown) } else { Value::one_of(values) };
        Arg { name, value }
    }
}
