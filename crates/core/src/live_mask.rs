//! Masking text that comes piece by piece: a secret may begin in one piece and end in another.

use std::sync::Arc;

use crate::screener::{Masked, Screener};

/// How much of what came before a piece is looked at together with it.
const MOST_BEFORE: usize = 32 * 1024;
/// How much is held back for what it may be the beginning of.
const MOST_HELD: usize = 16 * 1024;

/// Masks pieces of one text as they come.
pub struct LiveMask {
    screener: Arc<dyn Screener>,
    /// The end of what came, as it came.
    before: String,
    /// The same as it was shown.
    known: Masked,
    /// What came last, and may be the beginning of a secret.
    held: String,
}

impl LiveMask {
    pub fn new(screener: Arc<dyn Screener>) -> Self {
        Self { screener, before: String::new(), known: Masked::default(), held: String::new() }
    }

    /// The same as [`next`](Self::next), of whole words: one that is not over yet comes with the next piece, and a key
    /// that has begun when it has ended.
    pub fn next_words(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let over = if self.held.len() > MOST_HELD { self.held.len() } else { over(&self.held) };
        let ready: String = self.held.drain(..over).collect();
        self.next(&ready)
    }

    /// Something that came next is left out: what is held back will never be whole.
    pub fn left_out(&mut self) {
        self.held.clear();
    }

    /// What is to be shown of the next piece.
    pub fn next(&mut self, piece: &str) -> String {
        if piece.is_empty() {
            return String::new();
        }
        self.before.push_str(piece);
        let all = self.screener.mask_text(&self.before);
        // Where the piece changes how what came before it is read, only what follows that is new.
        let shown = match all.strip_prefix(&*self.known) {
            Some(new) => new.to_owned(),
            None => after_common(&self.known, &all).to_owned(),
        };
        self.known = all;
        self.forget();
        shown
    }

    /// Keeps the end alone, from the beginning of a line.
    fn forget(&mut self) {
        if self.before.len() > MOST_BEFORE {
            let from = self.before.ceil_char_boundary(self.before.len() - MOST_BEFORE / 2);
            let line = self.before[from..].find('\n').map_or(from, |at| from + at + 1);
            self.before.drain(..line);
            self.known = self.screener.mask_text(&self.before);
        }
    }
}

/// How much of a text goes on no more: up to the end of its last whole word, and not beyond where a key begins.
fn over(text: &str) -> usize {
    let words = text.char_indices().rfind(|(_, c)| c.is_whitespace()).map_or(0, |(at, c)| at + c.len_utf8());
    match text.rfind("-----BEGIN ") {
        Some(begin) if !text[begin..].contains("-----END ") => words.min(begin),
        _ => words,
    }
}

fn after_common<'a>(known: &str, all: &'a str) -> &'a str {
    let same = known
        .char_indices()
        .zip(all.chars())
        .find(|((_, a), b)| a != b)
        .map_or(known.len(), |((at, _), _)| at);
    all.get(same..).unwrap_or_default()
}
