//! Colours, only on a terminal; and text from elsewhere made harmless for it.

use std::{
    borrow::Cow,
    env,
    io::{IsTerminal, stderr, stdout},
};

/// Colours, or none.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    on: bool,
}

impl Style {
    pub const PLAIN: Self = Self { on: false };

    #[cfg(test)]
    pub const COLOURED: Self = Self { on: true };

    pub fn is_on(self) -> bool {
        self.on
    }

    pub fn for_stdout() -> Self {
        Self { on: stdout().is_terminal() && wanted() }
    }

    pub fn for_stderr() -> Self {
        Self { on: stderr().is_terminal() && wanted() }
    }

    pub fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    pub fn red(self, text: &str) -> String {
        self.paint("31", text)
    }

    pub fn green(self, text: &str) -> String {
        self.paint("32", text)
    }

    pub fn yellow(self, text: &str) -> String {
        self.paint("33", text)
    }

    pub fn cyan(self, text: &str) -> String {
        self.paint("36", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

fn wanted() -> bool {
    env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) && env::var("TERM").as_deref() != Ok("dumb")
}

/// Text from a model, a file or the network, so that it cannot move the cursor, change colours, hide itself or
/// read in another direction than it runs. Line feeds and tabs stay.
pub fn safe(text: &str) -> Cow<'_, str> {
    if text.chars().all(harmless) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if harmless(c) {
            out.push(c);
        } else if c == '\r' && chars.peek() == Some(&'\n') {
            // The line end of other systems.
        } else {
            out.extend(c.escape_unicode());
        }
    }
    Cow::Owned(out)
}

fn harmless(c: char) -> bool {
    // The space that does not break looks like what it is.
    matches!(c, '\n' | '\t' | '\u{a0}') || !deskhand_core::is_unfit(c)
}

/// As [`safe`], for a text that arrives in pieces: a line end of other systems may be parted by them.
#[derive(Debug, Default)]
pub struct SafeText {
    carriage_return: bool,
}

impl SafeText {
    pub fn feed(&mut self, piece: &str) -> String {
        if piece.is_empty() {
            return String::new();
        }
        let held = if std::mem::take(&mut self.carriage_return) { "\r" } else { "" };
        let mut text = format!("{held}{piece}");
        if text.ends_with('\r') {
            text.pop();
            self.carriage_return = true;
        }
        safe(&text).into_owned()
    }

    /// What was held back.
    pub fn finish(&mut self) -> String {
        if std::mem::take(&mut self.carriage_return) { safe("\r").into_owned() } else { String::new() }
    }
}

/// As [`safe`], for what must stay on its line: nothing in it can pass for a line of ours.
pub fn safe_line(text: &str) -> String {
    safe(text).replace('\n', "\\n").replace('\t', "\\t")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_elsewhere_steers_the_terminal() {
        assert_eq!(safe("a\x1b[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(safe("over\rwritten"), "over\\u{d}written");
        assert_eq!(safe("line\r\nline\tx"), "line\nline\tx");
        assert_eq!(safe("abc\u{202e}cba"), "abc\\u{202e}cba");
        assert_eq!(safe("a\u{3164}b\u{e0041}c\u{2800}"), "a\\u{3164}b\\u{e0041}c\\u{2800}");
        assert_eq!(safe("中文 é\u{a0}!"), "中文 é\u{a0}!");
        assert_eq!(safe_line("a\n  It can be undone.\tx"), "a\\n  It can be undone.\\tx");
    }
}
