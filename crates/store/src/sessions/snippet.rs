//! The line that is shown of a hit.

use std::ops::Range;

use super::grams::{Wanted, start_of};

/// How many characters it has, marks not counted.
const LENGTH: usize = 120;

/// How many of them stand before the first hit.
const BEFORE: usize = 30;

/// About [`LENGTH`] characters around the first hit, on one line, each hit between `⟪` and `⟫`.
pub fn cut(text: &str, wanted: &Wanted) -> String {
    let text = start_of(text);
    let places = wanted.places(text);
    let window = window(text, places.first());
    let mut line = Line::default();
    let mut at = window.start;
    for place in places.iter().filter(|place| place.start >= window.start && place.end <= window.end) {
        line.push(&text[at..place.start]);
        line.mark('⟪');
        line.push(&text[place.clone()]);
        line.mark('⟫');
        at = place.end;
    }
    line.push(&text[at..window.end]);
    let before = if window.start > 0 { "…" } else { "" };
    let after = if window.end < text.len() { "…" } else { "" };
    format!("{before}{}{after}", line.text.trim())
}

/// What is shown of the text, so that the whole of the first hit is in it.
fn window(text: &str, hit: Option<&Range<usize>>) -> Range<usize> {
    let first = hit.map_or(0, |place| place.start);
    let start = text[..first].char_indices().rev().take(BEFORE).last().map_or(first, |(at, _)| at);
    let end = text[start..].char_indices().nth(LENGTH).map_or(text.len(), |(at, _)| start + at);
    start..end.max(hit.map_or(0, |place| place.end))
}

/// Text on one line: blanks of all kinds, and what a terminal would obey, are one blank.
#[derive(Default)]
struct Line {
    text: String,
}

impl Line {
    fn push(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                // Marks that stand in the text are not hits.
                '⟪' => self.text.push('《'),
                '⟫' => self.text.push('》'),
                c if c.is_whitespace() || c.is_control() => {
                    if !self.text.ends_with(' ') {
                        self.text.push(' ');
                    }
                }
                c => self.text.push(c),
            }
        }
    }

    fn mark(&mut self, mark: char) {
        self.text.push(mark);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_every_hit_on_one_line() {
        for (text, query, line) in [
            ("把文件放好。\n\n另一个文件", "文件", "把⟪文件⟫放好。 另一个⟪文件⟫"),
            ("An ERROR:\t errors", "error", "An ⟪ERROR⟫: ⟪errors⟫"),
            ("用Rust语言写", "rust语言", "用⟪Rust语言⟫写"),
            ("我爱我家", "我", "⟪我爱⟫⟪我家⟫"),
            ("a ⟪b⟫ c\u{1b}[31m", "c", "a 《b》 ⟪c⟫ [31m"),
            ("nothing here", "文件", "nothing here"),
        ] {
            assert_eq!(cut(text, &Wanted::new(query)), line, "{query}");
        }
    }

    #[test]
    fn shows_what_is_around_a_hit_far_in() {
        let text = format!("{}日志{}", "前".repeat(500), "后".repeat(500));
        let line = cut(&text, &Wanted::new("日志"));
        assert_eq!(line, format!("…{}⟪日志⟫{}…", "前".repeat(30), "后".repeat(88)));
    }
}
