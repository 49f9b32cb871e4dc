//! Substitutions: `$name`, `$(…)`, `$((…))`, backticks; where they end is found without reading what is in them.

use super::{MOST_DEEP, Reader, Sub, Unit, Word, is_meta, plain, sub};

impl Reader<'_> {
    /// `$` and what follows it.
    pub fn dollar(&mut self, quoted: bool, word: &mut Word) {
        self.at += 1;
        match self.peek(0) {
            Some('(') if self.peek(1) == Some('(') && self.closes_twice() => {
                self.at += 2;
                let text = self.parenthesis();
                self.at += usize::from(self.peek(0) == Some(')'));
                word.push(sub(Sub::Arithmetic(text), quoted));
            }
            Some('(') => {
                self.at += 1;
                let text = self.parenthesis();
                word.push(sub(Sub::Command(text), quoted));
            }
            Some('{') => {
                self.at += 1;
                let param = self.braced();
                word.push(sub(Sub::Param(param), quoted));
            }
            Some('[') => {
                self.at += 1;
                let text = self.up_to(']');
                word.push(sub(Sub::Arithmetic(text), quoted));
            }
            Some('\'') if !quoted => {
                self.at += 1;
                self.ansi(word);
            }
            Some('"') if !quoted => {
                self.at += 1;
                self.double(word);
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let name = self.name();
                word.push(sub(Sub::Param(plain(name)), quoted));
            }
            Some(c) if c.is_ascii_digit() || "@*#?$!-".contains(c) => {
                self.at += 1;
                word.push(sub(Sub::Param(plain(c.to_string())), quoted));
            }
            _ => word.push(Unit::Quoted('$')),
        }
    }

    /// Whether `$((` is arithmetic: its parenthesis closes with `))`.
    pub fn closes_twice(&mut self) -> bool {
        self.looked += 1;
        if self.looked > MOST_DEEP {
            self.broken = true;
            return false;
        }
        let mut ahead = Self { at: self.at + 2, ..*self };
        ahead.broken = false;
        ahead.parenthesis();
        !ahead.broken && ahead.peek(0) == Some(')')
    }

    /// The text up to the `)` that closes what was opened; quotes, nesting and here-documents inside are passed over.
    pub fn parenthesis(&mut self) -> String {
        let start = self.at;
        let mut open = 0usize;
        let mut cases = 0usize;
        while let Some(c) = self.peek(0) {
            match c {
                '\\' => self.at += 1,
                '\'' => self.skip_single(),
                '"' => self.skip_double(),
                '`' => {
                    self.at += 1;
                    self.backticks();
                    continue;
                }
                '#' if self.at == start || is_meta(self.chars[self.at - 1]) => {
                    while self.peek(1).is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                'c' if self.keyword("case") => cases += 1,
                'e' if cases > 0 && self.keyword("esac") => cases -= 1,
                '(' => open += 1,
                ')' if open == 0 && cases > 0 => {}
                ')' if open == 0 => {
                    let text = self.chars[start..self.at].iter().collect();
                    self.at += 1;
                    return text;
                }
                ')' => open -= 1,
                _ => {}
            }
            self.at += 1;
        }
        self.broken = true;
        self.at = self.chars.len();
        self.chars[start..].iter().collect()
    }

    pub fn keyword(&self, word: &str) -> bool {
        let before = self.at == 0 || is_meta(self.chars[self.at - 1]);
        before && self.starts_with(word) && self.peek(word.len()).is_none_or(is_meta)
    }

    pub fn skip_single(&mut self) {
        self.at += 1;
        while self.peek(0).is_some_and(|c| c != '\'') {
            self.at += 1;
        }
    }

    pub fn skip_double(&mut self) {
        self.at += 1;
        while let Some(c) = self.peek(0) {
            match c {
                '"' => return,
                '\\' => self.at += 1,
                '$' if self.peek(1) == Some('(') => {
                    self.at += 2;
                    self.deep += 1;
                    if self.deep > MOST_DEEP {
                        self.broken = true;
                        self.at = self.chars.len();
                    }
                    self.parenthesis();
                    self.deep -= 1;
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    pub fn backticks(&mut self) -> String {
        let mut text = String::new();
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '`' => return text,
                '\\' if matches!(self.peek(0), Some('`' | '\\' | '$')) => {
                    text.extend(self.peek(0));
                    self.at += 1;
                }
                c => text.push(c),
            }
        }
        self.broken = true;
        text
    }
}
