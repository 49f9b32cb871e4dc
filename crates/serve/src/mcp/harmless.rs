//! Words of somebody else's choice, made fit to be shown: what hides text or turns it around could deceive whoever
//! reads it.

use deskhand_core::is_unfit;

/// Text on one line, without what could hide or turn around other text, and not longer than `most`.
pub fn harmless(text: &str, most: usize) -> String {
    tidy(text, most, |c| if c.is_whitespace() { Some(' ') } else { None })
}

/// The same, with its lines.
pub fn harmless_lines(text: &str, most: usize) -> String {
    tidy(text, most, |c| match c {
        '\n' | '\t' => Some(c),
        '\u{a0}' => Some(' '),
        _ => None,
    })
}

fn tidy(text: &str, most: usize, instead: impl Fn(char) -> Option<char>) -> String {
    let mut fit = text.chars().filter_map(|c| instead(c).or_else(|| (!is_unfit(c)).then_some(c)));
    let mut kept: String = fit.by_ref().take(most).collect();
    if fit.next().is_some() {
        kept.push('…');
    }
    kept.trim().to_owned()
}

/// Text on one line as a person is to judge it: what is unfit is not left out but seen, since it may be the very thing
/// that matters.
pub fn seen(text: &str) -> String {
    text.chars().flat_map(|c| escaped(c, is_unfit(c))).collect()
}

/// The same, with its lines.
pub fn seen_lines(text: &str) -> String {
    text.chars().flat_map(|c| escaped(c, is_unfit(c) && !matches!(c, '\n' | '\t'))).collect()
}

fn escaped(c: char, unfit: bool) -> Vec<char> {
    if unfit { c.escape_default().collect() } else { vec![c] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_what_hides_and_what_is_too_much() {
        assert_eq!(harmless("a\u{1b}[0m\u{202e}b\u{200b}c\nd", 100), "a[0mbc d");
        assert_eq!(harmless("tag\u{e0041}\u{e0042}", 100), "tag");
        assert_eq!(harmless_lines("a\r\nb\u{a0}c\u{2800}", 100), "a\nb c");
        assert_eq!(harmless(&"x".repeat(20), 10), format!("{}…", "x".repeat(10)));
    }

    #[test]
    fn what_a_person_judges_hides_nothing() {
        assert_eq!(seen("a\u{202e}txt.exe\r\u{1b}[2K\n"), "a\\u{202e}txt.exe\\r\\u{1b}[2K\\n");
        assert_eq!(seen_lines("+a\n\t+b\u{200b}"), "+a\n\t+b\\u{200b}");
        assert_eq!(seen("a\u{3164}\u{2800}\u{a0}b"), "a\\u{3164}\\u{2800}\\u{a0}b");
        assert_eq!(seen("名字 é"), "名字 é");
    }
}
