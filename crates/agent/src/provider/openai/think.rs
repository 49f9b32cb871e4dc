//! Thoughts that stand in the text between `<think>` and `</think>`, as models write them whose server does not look.
//!
//! Only at the very beginning: later, the words are the answer's own.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Tells thoughts from text, piece by piece.
#[derive(Debug, Default)]
pub(super) struct ThinkSplitter {
    state: State,
    /// What may be the beginning of a tag.
    held: String,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Start,
    Thinking,
    /// Blanks between the thoughts and the answer are neither's.
    AfterThoughts,
    Text,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    Thought(String),
    Text(String),
}

impl ThinkSplitter {
    pub fn push(&mut self, piece: &str) -> Vec<Part> {
        if self.state == State::Text {
            return vec![Part::Text(piece.to_owned())];
        }
        self.held.push_str(piece);
        let mut parts = Vec::new();
        while self.step(&mut parts) {}
        parts
    }

    /// What is held when nothing more comes.
    pub fn finish(&mut self) -> Option<Part> {
        let held = std::mem::take(&mut self.held);
        match self.state {
            _ if held.is_empty() => None,
            State::Thinking => Some(Part::Thought(held)),
            _ => Some(Part::Text(held)),
        }
    }

    /// Whether there may be more to tell from what is held.
    fn step(&mut self, parts: &mut Vec<Part>) -> bool {
        match self.state {
            State::Start => {
                let text = self.held.trim_start();
                if let Some(rest) = text.strip_prefix(OPEN) {
                    self.held = rest.to_owned();
                    self.state = State::Thinking;
                    return true;
                }
                if OPEN.starts_with(text) {
                    return false;
                }
                self.state = State::Text;
            }
            State::Thinking => {
                if let Some(at) = self.held.find(CLOSE) {
                    let rest = self.held.split_off(at + CLOSE.len());
                    self.held.truncate(at);
                    let thought = std::mem::replace(&mut self.held, rest);
                    self.state = State::AfterThoughts;
                    push(parts, Part::Thought, thought);
                    return true;
                }
                let kept =
                    (0..CLOSE.len()).rev().find(|length| self.held.ends_with(&CLOSE[..*length])).unwrap_or(0);
                let held = self.held.split_off(self.held.len() - kept);
                push(parts, Part::Thought, std::mem::replace(&mut self.held, held));
                return false;
            }
            State::AfterThoughts => {
                self.held = self.held.trim_start().to_owned();
                if self.held.is_empty() {
                    return false;
                }
                self.state = State::Text;
            }
            State::Text => {}
        }
        push(parts, Part::Text, std::mem::take(&mut self.held));
        false
    }
}

fn push(parts: &mut Vec<Part>, kind: fn(String) -> Part, text: String) {
    if !text.is_empty() {
        parts.push(kind(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Thoughts and text.
    fn split<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, String) {
        let mut splitter = ThinkSplitter::default();
        let mut parts: Vec<Part> = pieces.into_iter().flat_map(|piece| splitter.push(piece)).collect();
        parts.extend(splitter.finish());
        let (mut thoughts, mut text) = (String::new(), String::new());
        for part in parts {
            match part {
                Part::Thought(piece) => thoughts += &piece,
                Part::Text(piece) => text += &piece,
            }
        }
        (thoughts, text)
    }

    const CASES: &[(&str, &str, &str)] = &[
        ("hello", "", "hello"),
        ("  hello", "", "  hello"),
        ("<think>hm</think>hello", "hm", "hello"),
        ("\n<think>\nhm < 3\n</think>\n\nhello", "\nhm < 3\n", "hello"),
        ("<think>never ends", "never ends", ""),
        ("<think>ends in </thi", "ends in </thi", ""),
        ("<think></think>中", "", "中"),
        ("<thin", "", "<thin"),
        ("<thinking>x", "", "<thinking>x"),
        ("say <think>x</think>", "", "say <think>x</think>"),
        ("<think>a</think>b <think>c</think>", "a", "b <think>c</think>"),
        ("", "", ""),
    ];

    #[test]
    fn thoughts_are_told_from_text() {
        for (given, thoughts, text) in CASES {
            let want = ((*thoughts).to_owned(), (*text).to_owned());
            assert_eq!(split([*given]), want, "{given}");
        }
    }

    proptest! {
        #[test]
        fn in_any_pieces(case in 0..CASES.len(), size in 1usize..6) {
            let (given, thoughts, text) = CASES[case];
            let characters: Vec<char> = given.chars().collect();
            let pieces: Vec<String> = characters.chunks(size).map(|piece| piece.iter().collect()).collect();
            prop_assert_eq!(split(pieces.iter().map(String::as_str)), (thoughts.to_owned(), text.to_owned()));
        }
    }
}
