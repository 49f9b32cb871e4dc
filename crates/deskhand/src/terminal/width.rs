//! How much room text takes in a terminal: Chinese characters and most emoji take two places, accents none.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Where nobody says how wide the terminal is.
const USUAL: usize = 80;
/// Narrower than this nothing can be laid out.
const NARROWEST: usize = 20;

/// The places that a text takes on a line.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The places that a character takes on its own.
pub fn char_width(c: char) -> usize {
    UnicodeWidthChar::width(c).unwrap_or(0)
}

/// The text, filled up with blanks to this width.
pub fn padded(text: &str, wanted: usize) -> String {
    let blanks = wanted.saturating_sub(width(text));
    format!("{text}{}", " ".repeat(blanks))
}

/// As much of the text as fits; what was cut off leaves a `…`.
pub fn cut(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        kept.push(c);
        if width(&kept) >= most {
            kept.pop();
            break;
        }
    }
    format!("{kept}…")
}

/// How wide the terminal on stdout is.
pub fn terminal_width() -> usize {
    window().or_else(|| std::env::var("COLUMNS").ok()?.parse().ok()).unwrap_or(USUAL).max(NARROWEST)
}

#[cfg(unix)]
fn window() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

#[cfg(not(unix))]
fn window() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_places_and_not_characters() {
        for (text, wide) in [("", 0), ("abc", 3), ("中文", 4), ("é", 1), ("e\u{301}", 1), ("🦀", 2)] {
            assert_eq!(width(text), wide, "{text}");
        }
        assert_eq!(padded("中文", 6), "中文  ");
        assert_eq!(padded("longer", 3), "longer");
    }

    #[test]
    fn cuts_at_places() {
        for (text, most, wanted) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("中文字", 5, "中文…"),
            ("中文字", 4, "中…"),
            ("中文", 4, "中文"),
        ] {
            assert_eq!(cut(text, most), wanted);
            assert!(width(&cut(text, most)) <= most, "{text}");
        }
    }
}
