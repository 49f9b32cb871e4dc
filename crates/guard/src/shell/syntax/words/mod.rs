//! Reading one word: quotes, escapes, and where substitutions begin and end.

mod parameter;
mod quotes;
mod substitution;

use super::ast::{Op, Param, Sub, Unit, Word};

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
            // `!(a|b)`, `*(x)`: a pattern of several names.
            '?' | '*' | '+' | '@' | '!'
                if self.peek(1) == Some('(') && !in_double && end == End::Word && !word.is_empty() =>
            {
                self.at += 2;
                self.parenthesis();
                word.push(Unit::Bare('*'));
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

    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self.peek(0).filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
            name.push(c);
            self.at += 1;
        }
        name
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
}

pub fn is_meta(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')')
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
