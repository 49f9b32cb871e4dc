//! What kind of line it is, told from its start.

/// The start of a line is told apart within so many characters; past them it is text.
const LONGEST_START: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineStart {
    /// How many `>` stand before it.
    pub quotes: usize,
    /// Blanks after those.
    pub indent: usize,
    pub kind: Kind,
    /// Where its content begins, in characters.
    pub content: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Blank,
    Text,
    Heading(usize),
    /// A list item, with the mark as it is shown.
    Item(String),
    Rule,
    /// The mark of a code block, and how many of it.
    Fence(char, usize),
    /// A row of what may be a table.
    Row,
}

/// The line that starts like this; `None` while it could still be one or another.
pub fn decide(start: &[char], ended: bool) -> Option<LineStart> {
    let ended = ended || start.len() > LONGEST_START;
    let (quotes, after_quotes) = quotes(start);
    let indent = start[after_quotes..].iter().take_while(|c| **c == ' ' || **c == '\t').count();
    let at = after_quotes + indent;
    let found = |kind, length: usize| Some(LineStart { quotes, indent, kind, content: at + length });
    let body = &start[at..];
    let Some(&first) = body.first() else {
        return if ended { found(Kind::Blank, 0) } else { None };
    };
    let run = body.iter().take_while(|c| **c == first).count();
    let rest = body.get(run);
    match first {
        '#' if run <= 6 => match rest {
            Some(' ') => found(Kind::Heading(run), run + 1),
            None if !ended => None,
            _ => found(Kind::Text, 0),
        },
        '-' | '*' | '+' | '_' => {
            let only_marks = body.iter().all(|c| *c == first || *c == ' ');
            let marks = body.iter().filter(|c| **c == first).count();
            match body.get(1) {
                _ if only_marks && !ended => None,
                _ if only_marks && marks >= 3 && first != '+' => found(Kind::Rule, body.len()),
                Some(' ') if first != '_' => found(Kind::Item("•".to_owned()), 2),
                _ => found(Kind::Text, 0),
            }
        }
        '0'..='9' => {
            let digits = body.iter().take_while(|c| c.is_ascii_digit()).count();
            match (body.get(digits), body.get(digits + 1)) {
                _ if digits > 9 => found(Kind::Text, 0),
                (Some('.' | ')'), Some(' ')) => {
                    found(Kind::Item(body[..=digits].iter().collect()), digits + 2)
                }
                (None | Some('.' | ')'), None) if !ended => None,
                _ => found(Kind::Text, 0),
            }
        }
        '`' | '~' => match rest {
            None if !ended => None,
            _ if run >= 3 => found(Kind::Fence(first, run), run),
            _ => found(Kind::Text, 0),
        },
        '|' => found(Kind::Row, 0),
        _ => found(Kind::Text, 0),
    }
}

/// How many `>` a line starts with, and where they end.
pub fn quotes(start: &[char]) -> (usize, usize) {
    let (mut count, mut end) = (0, 0);
    loop {
        let blanks = start[end..].iter().take_while(|c| **c == ' ').count();
        if blanks > 3 || start.get(end + blanks) != Some(&'>') {
            return (count, end);
        }
        count += 1;
        end += blanks + 1;
        if start.get(end) == Some(&' ') {
            end += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_known_as_soon_as_it_can_be() {
        // The text before `|` is not enough, with it it is.
        for (known_at, kind) in [
            ("## ¦t", Kind::Heading(2)),
            ("#t¦", Kind::Text),
            ("- ab¦", Kind::Item("•".into())),
            ("**b¦old**", Kind::Text),
            ("12. ¦x", Kind::Item("12.".into())),
            ("12 ¦x", Kind::Text),
            ("2.5¦", Kind::Text),
            ("```r¦ust", Kind::Fence('`', 3)),
            ("`c¦ode`", Kind::Text),
            ("|¦ a |", Kind::Row),
            ("x¦yz", Kind::Text),
            ("> - x¦", Kind::Item("•".into())),
        ] {
            let (start, _) = known_at.split_once('¦').unwrap();
            let start: Vec<char> = start.chars().collect();
            assert_eq!(decide(&start, false).map(|line| line.kind), Some(kind), "{known_at}");
            let earlier = &start[..start.len() - 1];
            if start.len() > 1 && known_at != "- ab¦" {
                assert_eq!(decide(earlier, false), None, "{known_at}");
            }
        }
    }

    #[test]
    fn some_lines_are_known_at_their_end() {
        for (line, kind) in [
            ("---", Kind::Rule),
            ("* * *", Kind::Rule),
            ("___", Kind::Rule),
            ("--", Kind::Text),
            ("- ", Kind::Item("•".into())),
            ("  ", Kind::Blank),
            ("#", Kind::Text),
            ("7", Kind::Text),
            ("> ", Kind::Blank),
        ] {
            let line: Vec<char> = line.chars().collect();
            assert_eq!(decide(&line, false), None, "{line:?}");
            assert_eq!(decide(&line, true).map(|line| line.kind), Some(kind), "{line:?}");
        }
    }
}
