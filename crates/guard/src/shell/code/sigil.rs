//! Variables that begin with a sign, as tokens.

use super::Language;
use super::token::{Cutter, Token};

impl Cutter<'_> {
    /// Variables that begin with a sign.
    pub(super) fn sigil(&mut self) -> bool {
        let c = self.peek(0);
        let next = self.peek(1);
        let named = next.is_alphabetic() || next == '_';
        match self.lang {
            Language::Perl => {
                let variable = match c {
                    '$' | '@' => true,
                    '%' | '&' => self.wants_operand() && (named || next == '$' || next == '{'),
                    _ => false,
                };
                if !variable {
                    return false;
                }
                self.at += 1;
                if c == '$' && next == '#' && matches!(self.peek(1), '{' | '$' | 'a'..='z' | 'A'..='Z' | '_')
                {
                    self.at += 1;
                }
                let next = self.peek(0);
                if next == '{' && (self.peek(1).is_alphabetic() || self.peek(1) == '^') {
                    let length = self.chars[self.at..].iter().take(64).position(|&c| c == '}');
                    let inner: Option<String> =
                        length.map(|n| self.chars[self.at + 1..self.at + n].iter().collect());
                    if let (Some(n), Some(inner)) = (length, inner)
                        && inner.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '^')
                    {
                        self.at += n + 1;
                        self.tokens.push(Token::Name(format!("${inner}")));
                        return true;
                    }
                }
                if next.is_alphabetic() || next == '_' {
                    let word = self.word();
                    self.tokens.push(Token::Name(if c == '&' { word } else { format!("${word}") }));
                } else if next == '$'
                    && (self.peek(1).is_alphabetic() || self.peek(1) == '_' || self.peek(1) == '{')
                {
                    // A reference is followed: what it leads to is what the variable holds.
                } else if next != '{'
                    && !next.is_whitespace()
                    && (c == '$' || c == '@' && matches!(next, '-' | '+'))
                {
                    self.at += 1;
                    while next.is_ascii_digit() && self.peek(0).is_ascii_digit() {
                        self.at += 1;
                    }
                    self.tokens.push(Token::Name(format!("${next}")));
                }
                true
            }
            Language::Php | Language::JavaScript | Language::Ruby | Language::Groovy if c == '$' && named => {
                self.at += 1;
                let word = self.word();
                self.tokens.push(Token::Name(format!("${word}")));
                true
            }
            Language::Ruby if (c == '@' && (named || next == '@')) || c == '$' => {
                self.at += if next == '@' { 2 } else { 1 };
                let word = self.word();
                self.at += usize::from(word.is_empty());
                self.tokens.push(Token::Name(format!("@{word}")));
                true
            }
            _ => false,
        }
    }
}
