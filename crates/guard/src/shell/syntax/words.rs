//! Reading one word: quotes, escapes, and where substitutions begin and end.

use super::ast::{Op, Param, Side, Sub, Unit, Word};

/// How deep quotes and substitutions may nest in one word.
const MOST_DEEP: usize = 40;

/// Reads characters from `at` on.
pub(super) struct Reader<'a> {
    pub chars: &'a [char],
    pub at: usize,
    /// Something had no end, or nests too deep.
    pub broken: bool,
    deep: usize,
    /// How often it looked ahead: an attacker's text must not make it look at the rest for every character.
    looked: usize,
}

/// What ends a run of characters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// A blank or an operator.
    Word,
    /// This character, outside quotes.
    Char(char),
    /// `/` or `}`: the pattern of a replacement.
    Slash,
    /// The end of the text: here-documents.
    Text,
}

pub(super) fn is_meta(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | ';' | '&' | '|' | '<' | '>' | '(' | ')')
}

impl<'a> Reader<'a> {
    pub fn new(chars: &'a [char]) -> Self {
        Self { chars, at: 0, broken: false, deep: 0, looked: 0 }
    }

    pub fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.peek(i) == Some(c))
    }

    /// One word, up to a blank or an operator.
    pub fn word(&mut self) -> Word {
        self.run(End::Word, false)
    }

    fn run(&mut self, end: End, in_double: bool) -> Word {
        let mut word = Word::new();
        self.deep += 1;
        if self.deep > MOST_DEEP {
            self.broken = true;
            self.at = self.chars.len();
        }
        while let Some(c) = self.peek(0) {
            let stop = match end {
                End::Word => is_meta(c) && !self.starts_process(),
                End::Char(close) => c == close,
                End::Slash => c == '/' || c == '}',
                End::Text => false,
            };
            if stop {
                break;
            }
            self.unit(c, in_double, end, &mut word);
        }
        self.deep -= 1;
        word
    }

    fn starts_process(&self) -> bool {
        matches!((self.peek(0), self.peek(1)), (Some('<' | '>'), Some('(')))
    }

    fn unit(&mut self, c: char, in_double: bool, end: End, word: &mut Word) {
        match c {
            '\\' => self.escape(in_double || end == End::Text, word),
            '\'' if !in_double && end != End::Text => {
                self.at += 1;
                self.single(word);
            }
            '"' if end != End::Text => {
                self.at += 1;
                self.double(word);
            }
            '$' => self.dollar(in_double || end == End::Text, word),
            '`' => {
                self.at += 1;
                let text = self.backticks();
                word.push(sub(Sub::Command(text), in_double || end == End::Text));
            }
            '<' | '>' if !in_double && end == End::Word && self.peek(1) == Some('(') => {
                self.at += 2;
                let text = self.parenthesis();
                word.push(sub(Sub::Process { text, input: c == '<' }, false));
            }
            _ => {
                self.at += 1;
                word.push(if in_double || end == End::Text { Unit::Quoted(c) } else { Unit::Bare(c) });
            }
        }
    }

    fn escape(&mut self, in_double: bool, word: &mut Word) {
        self.at += 1;
        match self.peek(0) {
            None => word.push(Unit::Quoted('\\')),
            Some('\n') => self.at += 1,
            Some(c) if in_double && !matches!(c, '$' | '`' | '"' | '\\') => word.push(Unit::Quoted('\\')),
            Some(c) => {
                self.at += 1;
                word.push(Unit::Quoted(c));
            }
        }
    }

    fn single(&mut self, word: &mut Word) {
        let start = self.at;
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == '\'' {
                if self.at == start + 1 {
                    word.push(Unit::Empty);
                }
                return;
            }
            word.push(Unit::Quoted(c));
        }
        self.broken = true;
    }

    fn double(&mut self, word: &mut Word) {
        let inner = self.run(End::Char('"'), true);
        if self.peek(0) == Some('"') {
            self.at += 1;
        } else {
            self.broken = true;
        }
        if inner.is_empty() {
            word.push(Unit::Empty);
        }
        word.extend(inner);
    }

    /// `$` and what follows it.
    fn dollar(&mut self, quoted: bool, word: &mut Word) {
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
    fn closes_twice(&mut self) -> bool {
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

    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self.peek(0).filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
            name.push(c);
            self.at += 1;
        }
        name
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
                '#' if self.at == start
                    || self.chars[self.at - 1].is_whitespace()
                    || self.chars[self.at - 1] == ';' =>
                {
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

    fn keyword(&self, word: &str) -> bool {
        let before = self.at == 0 || is_meta(self.chars[self.at - 1]);
        before && self.starts_with(word) && self.peek(word.len()).is_none_or(is_meta)
    }

    fn skip_single(&mut self) {
        self.at += 1;
        while self.peek(0).is_some_and(|c| c != '\'') {
            self.at += 1;
        }
    }

    fn skip_double(&mut self) {
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

    fn up_to(&mut self, close: char) -> String {
        let start = self.at;
        while let Some(c) = self.peek(0) {
            if c == close {
                let text = self.chars[start..self.at].iter().collect();
                self.at += 1;
                return text;
            }
            self.at += 1;
        }
        self.broken = true;
        self.chars[start..].iter().collect()
    }

    fn backticks(&mut self) -> String {
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

    /// `$'…'`.
    fn ansi(&mut self, word: &mut Word) {
        let before = word.len();
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '\'' => {
                    if word.len() == before {
                        word.push(Unit::Empty);
                    }
                    return;
                }
                '\\' => {
                    if let Some(c) = self.ansi_escape() {
                        word.push(Unit::Quoted(c));
                    }
                }
                c => word.push(Unit::Quoted(c)),
            }
        }
        self.broken = true;
    }

    fn ansi_escape(&mut self) -> Option<char> {
        let c = self.peek(0)?;
        self.at += 1;
        Some(match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\x07',
            'b' => '\x08',
            'e' | 'E' => '\x1b',
            'f' => '\x0c',
            'v' => '\x0b',
            'x' => return self.code(16, 2, None),
            'u' => return self.code(16, 4, None),
            'U' => return self.code(16, 8, None),
            '0'..='7' => return self.code(8, 2, c.to_digit(8)),
            'c' => {
                let control = self.peek(0)?;
                self.at += 1;
                char::from(u8::try_from(control).unwrap_or(0) & 0x1f)
            }
            c => c,
        })
    }

    fn code(&mut self, radix: u32, most: usize, first: Option<u32>) -> Option<char> {
        let mut value = first.unwrap_or(0);
        for _ in 0..most {
            let Some(digit) = self.peek(0).and_then(|c| c.to_digit(radix)) else { break };
            value = value.wrapping_mul(radix).wrapping_add(digit);
            self.at += 1;
        }
        char::from_u32(if radix == 8 { value & 0xff } else { value })
    }

    /// What stands in `${…}`; the brace is open.
    fn braced(&mut self) -> Param {
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

    fn operation(&mut self) -> Op {
        let Some(c) = self.peek(0) else { return Op::None };
        let empty_too = c == ':';
        let operator = if empty_too { self.peek(1) } else { Some(c) };
        if let Some(operator @ ('-' | '=' | '+' | '?')) = operator {
            self.at += if empty_too { 2 } else { 1 };
            let word = self.run(End::Char('}'), false);
            return match operator {
                '+' => Op::Alternative { word, empty_too },
                '?' => Op::Error,
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

    fn slice(&mut self) -> Op {
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

    fn replace(&mut self, twice: bool) -> Op {
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

fn sub(sub: Sub, quoted: bool) -> Unit {
    Unit::Sub { sub: Box::new(sub), quoted }
}

fn plain(name: String) -> Param {
    Param { name, index: None, indirect: false, length: false, op: Op::None }
}

/// The text of a word that has nothing to expand in it, quotes removed.
pub fn literal(word: &Word) -> Option<String> {
    let mut text = String::new();
    for unit in word {
        match unit {
            Unit::Bare(c) | Unit::Quoted(c) => text.push(*c),
            Unit::Empty => {}
            Unit::Sub { .. } => return None,
        }
    }
    Some(text)
}

/// A text as a word: what `eval` or an alias makes of it is not this; this is for values that are expanded again.
pub fn word_of(text: &str) -> Word {
    let chars: Vec<char> = text.chars().collect();
    let mut reader = Reader::new(&chars);
    reader.run(End::Char('\0'), false)
}

/// The body of a here-document, with its substitutions; and whether it could be read.
pub fn here_text(text: &str) -> (Word, bool) {
    let chars: Vec<char> = text.chars().collect();
    let mut reader = Reader::new(&chars);
    let word = reader.run(End::Text, false);
    (word, !reader.broken)
}
