//! Masking text that comes piece by piece: a secret may begin in one piece and end in another.

use std::sync::Arc;

use deskhand_core::{Masked, Screener};

/// How much of what came before a piece is looked at together with it.
const MOST_BEFORE: usize = 32 * 1024;

/// Masks pieces of one text as they come.
pub struct LiveMask {
    screener: Arc<dyn Screener>,
    /// The end of what came, as it came.
    before: String,
    /// The same as it was shown.
    known: Masked,
}

impl LiveMask {
    pub fn new(screener: Arc<dyn Screener>) -> Self {
        Self { screener, before: String::new(), known: Masked::default() }
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

fn after_common<'a>(known: &str, all: &'a str) -> &'a str {
    let same = known
        .char_indices()
        .zip(all.chars())
        .find(|((_, a), b)| a != b)
        .map_or(known.len(), |((at, _), _)| at);
    all.get(same..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use deskhand_guard::SecretScreener;

    use super::*;

    fn shown(pieces: &[&str]) -> String {
        let mut mask = LiveMask::new(Arc::new(SecretScreener));
        pieces.iter().map(|piece| mask.next(piece)).collect()
    }

    #[test]
    fn ordinary_text_comes_as_it_is() {
        assert_eq!(shown(&["one\n", "", "two ", "three\n", "四\n"]), "one\ntwo three\n四\n");
        // More than is looked at together.
        let long: Vec<String> = (0..40).map(|n| format!("line {n}: {}\n", "words ".repeat(400))).collect();
        let pieces: Vec<&str> = long.iter().map(String::as_str).collect();
        assert!(long.concat().len() > 2 * MOST_BEFORE);
        assert_eq!(shown(&pieces), long.concat());
    }

    #[test]
    fn a_key_that_comes_line_by_line_is_not_shown() {
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
        let key = format!(
            "-----BEGIN PRIVATE KEY-----\n{}-----END PRIVATE KEY-----\n",
            format!("{body}\n").repeat(6)
        );
        let lines: Vec<&str> = key.split_inclusive('\n').collect();
        let text = shown(&[&["before\n"], &lines[..], &["after\n"]].concat());
        // The first line may be out before it is known what it begins.
        assert!(text.starts_with("before\n") && text.ends_with("after\n"), "{text}");
        assert!(text.matches("MIIEvQ").count() <= 1, "{text}");
    }
}
