//! Quotes and escapes: `\\x`, `'…'`, `"…"`, `$'…'`.

use super::{End, Reader, Unit, Word};

impl Reader<'_> {
    pub fn escape(&mut self, in_double: bool, word: &mut Word) {
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

    pub fn single(&mut self, word: &mut Word) {
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

    pub fn double(&mut self, word: &mut Word) {
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

    /// `$'…'`.
    pub fn ansi(&mut self, word: &mut Word) {
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

    pub fn ansi_escape(&mut self) -> Option<char> {
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

    pub fn code(&mut self, radix: u32, most: usize, first: Option<u32>) -> Option<char> {
        let mut value = first.unwrap_or(0);
        for _ in 0..most {
            let Some(digit) = self.peek(0).and_then(|c| c.to_digit(radix)) else { break };
            value = value.wrapping_mul(radix).wrapping_add(digit);
            self.at += 1;
        }
        char::from_u32(if radix == 8 { value & 0xff } else { value })
    }
}
