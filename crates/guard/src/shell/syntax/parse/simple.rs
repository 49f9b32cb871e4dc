//! Simple commands: assignments and words.

use super::Parser;
use crate::shell::syntax::{
    ast::{Assign, Node, Simple, Unit, Value, Word},
    words::{is_meta, literal},
};

impl Parser<'_> {
    pub fn simple(&mut self) -> Option<Node> {
        let mut simple = Simple::default();
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect() {
                simple.redirects.push(redirect);
                continue;
            }
            let Some(c) = self.reader.peek(0) else { break };
            if c == '('
                && let [name] = simple.words.as_slice()
                && let Some(name) = literal(name)
                && simple.redirects.is_empty()
                && simple.assigns.is_empty()
            {
                return Some(self.function(name));
            }
            if is_meta(c) && !self.at_process() {
                if c == '(' {
                    self.broken = true;
                    self.reader.at += 1;
                    continue;
                }
                break;
            }
            if simple.words.is_empty()
                && let Some(assign) = self.assignment()
            {
                simple.assigns.push(assign);
                continue;
            }
            // `declare a=(…)` and its like take arrays as words.
            let word = self.reader.word();
            if self.reader.peek(0) == Some('(') && matches!(word.last(), Some(Unit::Bare('='))) {
                self.reader.at += 1;
                let value = Value::Array(self.array_words());
                let name = literal(&word).unwrap_or_default();
                simple.assigns.push(Assign {
                    name: name.trim_end_matches(['=', '+']).to_owned(),
                    index: None,
                    append: false,
                    value,
                });
                continue;
            }
            simple.words.push(word);
        }
        let empty = simple.words.is_empty() && simple.assigns.is_empty() && simple.redirects.is_empty();
        (!empty).then_some(Node::Simple(simple))
    }

    /// `name=…`, `name+=…`, `name[…]=…`.
    pub fn assignment(&mut self) -> Option<Assign> {
        let chars = &self.reader.chars[self.reader.at..];
        let name: String = chars.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == '_').collect();
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let mut at = name.len();
        let mut index = None;
        if chars.get(at) == Some(&'[') {
            let close = chars[at..].iter().take(4096).position(|c| *c == ']')?;
            index = Some(chars[at + 1..at + close].iter().collect());
            at += close + 1;
        }
        let append = chars.get(at) == Some(&'+');
        at += usize::from(append);
        if chars.get(at) != Some(&'=') {
            return None;
        }
        self.reader.at += at + 1;
        let value = if self.reader.peek(0) == Some('(') {
            self.reader.at += 1;
            Value::Array(self.array_words())
        } else {
            match self.reader.peek(0) {
                Some(c) if !is_meta(c) || self.at_process() => Value::Scalar(self.reader.word()),
                _ => Value::Scalar(Word::new()),
            }
        };
        Some(Assign { name, index, append, value })
    }

    pub fn array_words(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.blanks_and_newlines();
            match self.reader.peek(0) {
                Some(')') => {
                    self.reader.at += 1;
                    return words;
                }
                Some(c) if !is_meta(c) || self.at_process() => words.push(self.reader.word()),
                Some(_) => {
                    self.broken = true;
                    self.reader.at += 1;
                }
                None => {
                    self.broken = true;
                    return words;
                }
            }
        }
    }
}
