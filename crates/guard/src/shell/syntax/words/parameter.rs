//! `${…}` and its operators.

use super::{End, Op, Param, Reader, Word, plain};
use crate::shell::syntax::ast::Side;

impl Reader<'_> {
    /// What stands in `${…}`; the brace is open.
    pub fn braced(&mut self) -> Param {
        let mut param = plain(String::new());
        if self.peek(0) == Some('#') && self.peek(1).is_some_and(|c| c != '}') {
            self.at += 1;
            param.length = true;
        } else if self.peek(0) == Some('!') && self.peek(1).is_some_and(|c| c != '}') {
            self.at += 1;
            param.indirect = true;
        }
        param.name = match self.peek(0) {
            Some(c) if c.is_ascii_alphabetic() || c == '_' => self.name(),
            Some(c) if c.is_ascii_digit() => {
                let mut digits = String::new();
                while let Some(c) = self.peek(0).filter(char::is_ascii_digit) {
                    digits.push(c);
                    self.at += 1;
                }
                digits
            }
            Some(c) if "@*#?$!-".contains(c) => {
                self.at += 1;
                c.to_string()
            }
            _ => String::new(),
        };
        if self.peek(0) == Some('[') {
            self.at += 1;
            param.index = Some(self.up_to(']'));
        }
        param.op = self.operation();
        if self.peek(0) == Some('}') {
            self.at += 1;
        } else {
            param.op = Op::Unread;
            self.run(End::Char('}'), false);
            if self.peek(0) == Some('}') {
                self.at += 1;
            } else {
                self.broken = true;
            }
        }
        param
    }

    pub fn operation(&mut self) -> Op {
        let Some(c) = self.peek(0) else { return Op::None };
        let empty_too = c == ':';
        let operator = if empty_too { self.peek(1) } else { Some(c) };
        if let Some(operator @ ('-' | '=' | '+' | '?')) = operator {
            self.at += if empty_too { 2 } else { 1 };
            let word = self.run(End::Char('}'), false);
            return match operator {
                '+' => Op::Alternative { word, empty_too },
                '?' => Op::Error { word },
                other => Op::Default { word, assign: other == '=', empty_too },
            };
        }
        self.at += 1;
        let twice = self.peek(0) == Some(c);
        match c {
            '}' => {
                self.at -= 1;
                Op::None
            }
            ':' => self.slice(),
            '#' | '%' => {
                self.at += usize::from(twice);
                let side = if c == '#' { Side::Start } else { Side::End };
                Op::Strip { pattern: self.run(End::Char('}'), false), side, longest: twice }
            }
            '/' => self.replace(twice),
            '^' | ',' => {
                self.at += usize::from(twice);
                Op::Case { upper: c == '^', all: twice }
            }
            '@' => {
                let letter = self.peek(0).unwrap_or(' ');
                self.at += usize::from(letter != '}');
                Op::Transform(letter)
            }
            _ => {
                self.at -= 1;
                Op::Unread
            }
        }
    }

    pub fn slice(&mut self) -> Op {
        let text: String = {
            let start = self.at;
            let mut open = 0usize;
            while let Some(c) = self.peek(0) {
                match c {
                    '{' | '(' => open += 1,
                    '}' if open == 0 => break,
                    '}' | ')' => open = open.saturating_sub(1),
                    _ => {}
                }
                self.at += 1;
            }
            self.chars[start..self.at].iter().collect()
        };
        match text.split_once(':') {
            Some((offset, length)) => {
                Op::Slice { offset: offset.to_owned(), length: Some(length.to_owned()) }
            }
            None => Op::Slice { offset: text, length: None },
        }
    }

    pub fn replace(&mut self, twice: bool) -> Op {
        let mut side = Side::Anywhere;
        match self.peek(0) {
            Some('/') => self.at += 1,
            Some('#') => (self.at, side) = (self.at + 1, Side::Start),
            Some('%') => (self.at, side) = (self.at + 1, Side::End),
            _ => {}
        }
        let pattern = self.run(End::Slash, false);
        let mut with = Word::new();
        if self.peek(0) == Some('/') {
            self.at += 1;
            with = self.run(End::Char('}'), false);
        }
        Op::Replace { pattern, with, all: twice, side }
    }
}
