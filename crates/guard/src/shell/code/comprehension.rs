//! Python's comprehensions: read once for each element.

use super::Language;
use super::engine::Engine;
use super::token::Token;
use super::value::Value;

impl Engine<'_> {
    /// `[x for y in z]`: the first part for each element, if they are known.
    pub(super) fn comprehension(&mut self, close: usize) -> Option<Value> {
        if self.lang() != Language::Python {
            return None;
        }
        let start = self.at;
        let mut at = start;
        while at < close.min(self.tokens.len()) {
            match &self.tokens[at] {
                Token::Name(name) if name == "for" => break,
                Token::Op("(" | "[" | "{") => at = self.close[at],
                _ => {}
            }
            at += 1;
        }
        if at >= close || at >= self.tokens.len() {
            return None;
        }
        let mut names = Vec::new();
        self.at = at + 1;
        while self.at < close && !self.is_name(0, "in") && self.peek().is_some() {
            names.extend(self.name_at(0));
            self.at += 1;
        }
        self.at += 1;
        let source = if self.at < close { self.expression() } else { Value::Unknown };
        for name in &names {
            self.world.bind(name, Value::Unknown);
        }
        while self.at < close && self.peek().is_some() {
            let before = self.at;
            self.statement();
            self.at = self.at.max(before + 1);
        }
        let elements = match (&source, names.len()) {
            (Value::List(values), 1) => values.clone(),
            // A pattern of files stands for each of them.
            (Value::Text(text), 1) if text.contains('*') => vec![source.clone()],
            (Value::Text(text), 1) => text.chars().map(|c| Value::Text(c.into())).collect(),
            _ => vec![Value::Unknown],
        };
        let known = !matches!(elements[..], [Value::Unknown]);
        if !known {
            self.world.output.doubt();
        }
        let branched = std::mem::replace(&mut self.world.branched, false);
        let mut results = Vec::new();
        for element in elements {
            if let [name] = &names[..] {
                self.world.bind(name, element);
            }
            self.at = start;
            results.push(self.item(at).value);
            if self.world.exhausted() {
                break;
            }
        }
        self.world.branched = branched;
        self.at = close;
        Some(if known { Value::List(results) } else { Value::Unknown })
    }
}
