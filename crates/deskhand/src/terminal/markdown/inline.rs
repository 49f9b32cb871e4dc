//! Inside of a line: emphasis, code, links. What opens a span is held until the span closes or the line ends; all
//! else passes at once.

use super::flow::{Look, Piece};

/// A span longer than this is none.
const LONGEST_SPAN: usize = 2_000;
/// How many characters one attempt may look at. Text that is made to be costly is shown as it is.
const MOST_STEPS: usize = 20_000;

/// The inline part of one line.
#[derive(Debug, Default)]
pub struct Inline {
    base: Look,
    held: Vec<char>,
    before: Option<char>,
}

/// What the start of a text is.
enum Parsed {
    /// A span over this many characters.
    Span(Vec<Piece>, usize),
    /// This many characters as they are.
    Literal(usize),
    /// The next characters decide.
    More,
}

impl Inline {
    pub fn new(base: Look) -> Self {
        Self { base, held: Vec::new(), before: None }
    }

    /// The next character of the line; returns what is settled by it.
    pub fn push(&mut self, c: char) -> Vec<Piece> {
        if self.held.is_empty() && !is_special(c) {
            self.before = Some(c);
            return vec![(c, self.base)];
        }
        self.held.push(c);
        self.release(Text::GoesOn)
    }

    /// The line has ended; returns the rest.
    pub fn end(&mut self) -> Vec<Piece> {
        self.release(Text::Ended)
    }

    fn release(&mut self, text: Text) -> Vec<Piece> {
        let mut settled = Vec::new();
        while !self.held.is_empty() {
            let mut parser = Parser { text, steps: MOST_STEPS };
            let used = match parser.parse(&self.held, self.before, self.base, &[]) {
                Parsed::Span(pieces, used) => {
                    settled.extend(pieces);
                    used
                }
                Parsed::Literal(used) => {
                    settled.extend(self.held[..used].iter().map(|c| (*c, self.base)));
                    used
                }
                Parsed::More if self.held.len() > LONGEST_SPAN || text == Text::Ended => {
                    settled.push((self.held[0], self.base));
                    1
                }
                Parsed::More => break,
            };
            self.before = self.held[..used].last().copied();
            self.held.drain(..used);
        }
        settled
    }
}

/// A whole text at once.
pub fn pieces(text: &str, base: Look) -> Vec<Piece> {
    let mut inline = Inline::new(base);
    let mut all: Vec<Piece> = text.chars().flat_map(|c| inline.push(c)).collect();
    all.extend(inline.end());
    all
}

fn is_special(c: char) -> bool {
    matches!(c, '\\' | '`' | '*' | '_' | '~' | '[' | '!')
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    GoesOn,
    Ended,
}

struct Parser {
    text: Text,
    steps: usize,
}

/// A kind of emphasis that is open around what is being read: its mark, and how many of it.
type Mark = (char, usize);

impl Parser {
    /// What to say where the text is too short to tell.
    fn too_short(&self, literal: usize) -> Parsed {
        if self.text == Text::Ended { Parsed::Literal(literal) } else { Parsed::More }
    }

    fn parse(&mut self, text: &[char], before: Option<char>, look: Look, open: &[Mark]) -> Parsed {
        match text[0] {
            '\\' => match text.get(1) {
                None => self.too_short(1),
                Some(c) if "\\`*_~#|".contains(*c) => Parsed::Span(vec![(*c, look)], 2),
                Some(_) => Parsed::Literal(1),
            },
            '`' => self.code(text, look),
            '*' | '_' | '~' => self.emphasis(text, before, look, open),
            '[' => self.link(text, look),
            '!' => match text.get(1) {
                None => self.too_short(1),
                Some('[') => match self.link(&text[1..], look) {
                    Parsed::Span(pieces, used) => Parsed::Span(pieces, used + 1),
                    Parsed::Literal(_) => Parsed::Literal(1),
                    Parsed::More => Parsed::More,
                },
                Some(_) => Parsed::Literal(1),
            },
            _ => Parsed::Literal(1),
        }
    }

    fn code(&mut self, text: &[char], look: Look) -> Parsed {
        let marks = run(text);
        let mut at = marks;
        while at < text.len() {
            self.steps = self.steps.saturating_sub(1);
            let here = if text[at] == '`' { run(&text[at..]) } else { 0 };
            if here == marks && (at + here < text.len() || self.text == Text::Ended) {
                let inside = &text[marks..at];
                let padded = inside.len() > 2 && inside.first() == Some(&' ') && inside.last() == Some(&' ');
                let inside = if padded { &inside[1..inside.len() - 1] } else { inside };
                let look = Look { cyan: true, ..look };
                return Parsed::Span(inside.iter().map(|c| (*c, look)).collect(), at + marks);
            }
            at += here.max(1);
        }
        self.too_short(marks)
    }

    fn emphasis(&mut self, text: &[char], before: Option<char>, look: Look, open: &[Mark]) -> Parsed {
        let (mark, marks) = (text[0], run(text));
        let Some(next) = text.get(marks) else { return self.too_short(marks) };
        let inside_word = mark == '_' && before.is_some_and(char::is_alphanumeric);
        let unfit = marks > 3 || (mark == '~' && marks != 2) || open.contains(&(mark, marks));
        if next.is_whitespace() || inside_word || unfit {
            return Parsed::Literal(marks);
        }
        let around = open.iter().rev().find(|(other, _)| *other == mark).map_or(0, |(_, marks)| *marks);
        let look = emphasised(look, mark, marks);
        let open: Vec<Mark> = open.iter().copied().chain([(mark, marks)]).collect();
        let mut inside = Vec::new();
        let mut at = marks;
        while at < text.len() {
            if self.steps == 0 {
                return Parsed::Literal(marks);
            }
            self.steps -= 1;
            if text[at] == mark {
                let here = run(&text[at..]);
                if at + here == text.len() && self.text == Text::GoesOn {
                    return Parsed::More;
                }
                let next_to_word = mark == '_' && text.get(at + here).is_some_and(|c| c.is_alphanumeric());
                let closes = here == marks || (around > 0 && here == marks + around);
                if closes && !text[at - 1].is_whitespace() && !next_to_word {
                    return Parsed::Span(inside, at + marks);
                }
            }
            let parsed = if is_special(text[at]) {
                self.parse(&text[at..], Some(text[at - 1]), look, &open)
            } else {
                Parsed::Literal(1)
            };
            at += match parsed {
                Parsed::Span(pieces, used) => {
                    inside.extend(pieces);
                    used
                }
                Parsed::Literal(used) => {
                    inside.extend(text[at..at + used].iter().map(|c| (*c, look)));
                    used
                }
                Parsed::More => return Parsed::More,
            };
        }
        self.too_short(marks)
    }

    /// `[text](address)`: both are shown, unless they are the same.
    fn link(&mut self, text: &[char], look: Look) -> Parsed {
        let Some(close) = self.closing(text, '[', ']') else { return self.too_short(1) };
        match text.get(close + 1) {
            None => return self.too_short(1),
            Some('(') => {}
            Some(_) => return Parsed::Literal(1),
        }
        let Some(length) = self.closing(&text[close + 1..], '(', ')') else { return self.too_short(1) };
        let end = close + 1 + length;
        let words: String = text[1..close].iter().collect();
        let address: String = text[close + 2..end].iter().collect();
        let mut shown = pieces(&words, Look { underline: true, ..look });
        if !(words == address && address.contains("://")) {
            shown.extend(format!(" ({address})").chars().map(|c| (c, Look { dim: true, ..look })));
        }
        Parsed::Span(shown, end + 1)
    }

    /// Where what opens at the start of the text closes.
    fn closing(&mut self, text: &[char], open: char, close: char) -> Option<usize> {
        let mut depth = 0_usize;
        for (at, c) in text.iter().enumerate() {
            if self.steps == 0 {
                self.text = Text::Ended;
                return None;
            }
            self.steps -= 1;
            if *c == open {
                depth += 1;
            } else if *c == close {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
        }
        None
    }
}

fn emphasised(look: Look, mark: char, marks: usize) -> Look {
    match (mark, marks) {
        ('~', _) => Look { strike: true, ..look },
        (_, 1) => Look { italic: true, ..look },
        (_, 2) => Look { bold: true, ..look },
        _ => Look { bold: true, italic: true, ..look },
    }
}

/// How many times the first character stands there.
fn run(text: &[char]) -> usize {
    text.iter().take_while(|c| Some(*c) == text.first()).count()
}
