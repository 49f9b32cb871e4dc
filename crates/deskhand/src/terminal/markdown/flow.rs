//! Lines filled with words up to the width of the terminal, with an indent for what goes on below.

use crate::terminal::width::{char_width, width};

/// How a character looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    pub bold: bool,
    pub dim: bool,
    pub italic: bool,
    pub underline: bool,
    pub strike: bool,
    pub cyan: bool,
}

impl Look {
    pub const PLAIN: Self =
        Self { bold: false, dim: false, italic: false, underline: false, strike: false, cyan: false };
    pub const DIM: Self = Self { dim: true, ..Self::PLAIN };
    pub const BOLD: Self = Self { bold: true, ..Self::PLAIN };
    pub const CYAN: Self = Self { cyan: true, ..Self::PLAIN };

    /// The sequence that switches to this look from any other.
    fn switch(self) -> String {
        let codes = [
            (self.bold, "1"),
            (self.dim, "2"),
            (self.italic, "3"),
            (self.underline, "4"),
            (self.strike, "9"),
            (self.cyan, "36"),
        ];
        let on: Vec<&str> = codes.into_iter().filter(|(is, _)| *is).map(|(_, code)| code).collect();
        if on.is_empty() { "\x1b[0m".to_owned() } else { format!("\x1b[0;{}m", on.join(";")) }
    }
}

/// A character and how it looks.
pub type Piece = (char, Look);

/// What stands left of a text: before its first line, and before the lines that follow when it is wrapped.
#[derive(Clone, Debug, Default)]
pub struct Margin {
    pub first: Vec<Piece>,
    pub hanging: Vec<Piece>,
}

/// Takes characters, gives back lines. A word comes out when it has ended, since only then it is known where it fits.
#[derive(Debug)]
pub struct Flow {
    width: usize,
    out: String,
    look: Look,
    column: usize,
    hanging: Vec<Piece>,
    blanks: Vec<Look>,
    word: Vec<Piece>,
    /// The word is longer than a line: it is broken where the line ends, and comes out as it arrives.
    overlong: bool,
}

impl Flow {
    pub fn new(width: usize) -> Self {
        Self {
            width,
            out: String::new(),
            look: Look::PLAIN,
            column: 0,
            hanging: Vec::new(),
            blanks: Vec::new(),
            word: Vec::new(),
            overlong: false,
        }
    }

    /// What has come out since the last time.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    pub fn begin(&mut self, margin: Margin) {
        self.hanging = margin.hanging;
        self.put_all(&margin.first);
    }

    pub fn end_line(&mut self) {
        self.end_word();
        self.blanks.clear();
        self.line_feed();
        self.column = 0;
    }

    /// A character that is never moved to another line.
    pub fn put(&mut self, (c, look): Piece) {
        if look != self.look {
            self.out.push_str(&look.switch());
            self.look = look;
        }
        self.out.push(c);
        self.column += char_width(c);
    }

    pub fn put_all(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            self.put(*piece);
        }
    }

    /// A line that is laid out already, with its sequences.
    pub fn put_line(&mut self, text: &str) {
        if self.look != Look::PLAIN {
            self.out.push_str("\x1b[0m");
            self.look = Look::PLAIN;
        }
        self.out.push_str(text);
        self.end_line();
    }

    /// A character of a text that is wrapped.
    pub fn push(&mut self, (c, look): Piece) {
        if c == ' ' || c == '\t' {
            self.end_word();
            self.blanks.push(look);
            return;
        }
        if self.word.last().is_some_and(|(last, _)| may_break(*last, c)) {
            self.end_word();
        }
        self.word.push((c, look));
        if self.overlong || self.word.len() > self.width {
            self.overlong = true;
            self.release();
        }
    }

    fn end_word(&mut self) {
        if !self.word.is_empty() {
            self.release();
        }
        self.overlong = false;
    }

    /// Puts the word where it fits.
    fn release(&mut self) {
        let text: String = self.word.iter().map(|(c, _)| *c).collect();
        let wide = width(&text);
        let room = self.width.saturating_sub(self.column);
        let margin: usize = self.hanging.iter().map(|(c, _)| char_width(*c)).sum();
        if !self.overlong && self.blanks.len() + wide > room && self.column > margin {
            self.wrap();
        }
        for look in std::mem::take(&mut self.blanks) {
            self.put((' ', look));
        }
        let start = self.column;
        let fits = start + wide <= self.width;
        for piece in std::mem::take(&mut self.word) {
            if !fits && self.column + char_width(piece.0) > self.width && self.column > margin {
                self.wrap();
            }
            self.put(piece);
        }
        if fits {
            // A sequence may take other room than its characters one by one.
            self.column = start + wide;
        }
    }

    fn wrap(&mut self) {
        self.blanks.clear();
        self.line_feed();
        self.column = 0;
        for piece in self.hanging.clone() {
            self.put(piece);
        }
    }

    fn line_feed(&mut self) {
        if self.look != Look::PLAIN {
            self.out.push_str("\x1b[0m");
            self.look = Look::PLAIN;
        }
        self.out.push('\n');
    }
}

/// Whether a line may end between these two, which no blank parts. So it is around Chinese characters, unless that
/// would leave a closing mark at the start of a line or an opening one at its end.
fn may_break(before: char, after: char) -> bool {
    const CLOSING: &str = "，。、；：？！）》」』】〉〕］｝”’…—～·％,.;:?!)]}%";
    const OPENING: &str = "（《「『【〈〔［｛“‘([{";
    let attached = char_width(after) == 0 || ('\u{1f3fb}'..='\u{1f3ff}').contains(&after);
    let wide = char_width(before) == 2 || char_width(after) == 2 || is_closing_wide(before);
    wide && !attached && !CLOSING.contains(after) && !OPENING.contains(before)
}

/// An accent or a variation after a wide character is still the end of that character.
fn is_closing_wide(c: char) -> bool {
    c == '\u{fe0f}'
}
