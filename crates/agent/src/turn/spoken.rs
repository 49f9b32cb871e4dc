//! What of an answer is shown as it arrives. Where calls are written as text, what may become a call is held back until
//! it is known to be none.

use crate::chain::constraint::begun_answer;

/// The text of one answer on its way to whoever watches.
pub(super) struct Spoken {
    /// What has been shown.
    pub shown: String,
    heard: String,
    holds: Holds,
}

enum Holds {
    /// The model calls tools by itself: everything is shown at once.
    Nothing,
    /// From the first line on that looks like the beginning of a call.
    Calls,
    /// The answer is JSON: only the text in `answer` is shown.
    AllButTheAnswer,
}

impl Spoken {
    pub fn new(calls_are_text: bool, is_constrained: bool) -> Self {
        let holds = match (calls_are_text, is_constrained) {
            (false, _) => Holds::Nothing,
            (true, false) => Holds::Calls,
            (true, true) => Holds::AllButTheAnswer,
        };
        Self { shown: String::new(), heard: String::new(), holds }
    }

    /// Takes a piece of the answer; what of it is to be shown now, if anything.
    pub fn hear(&mut self, piece: &str) -> Option<String> {
        self.heard.push_str(piece);
        let now = match self.holds {
            Holds::Nothing => piece.to_owned(),
            Holds::Calls => {
                // Only the line that is being written can still become something else.
                let line = self.heard[..self.shown.len()].rfind('\n').map_or(0, |at| at + 1);
                let sure = line + sure_to_be_text(&self.heard[line..]);
                self.heard[self.shown.len()..sure.max(self.shown.len())].to_owned()
            }
            Holds::AllButTheAnswer => {
                let answer = begun_answer(&self.heard).unwrap_or_default();
                answer.strip_prefix(self.shown.as_str()).unwrap_or_default().to_owned()
            }
        };
        self.shown.push_str(&now);
        (!now.is_empty()).then_some(now)
    }

    /// What of the text that the answer turned out to be has not been shown.
    pub fn rest(&mut self, text: &str) -> Option<String> {
        let rest = match text.strip_prefix(self.shown.as_str()) {
            Some(rest) => rest,
            // Blanks around a call that was cut out do not matter.
            None => text.trim().strip_prefix(self.shown.trim()).unwrap_or_default(),
        };
        let rest = rest.to_owned();
        self.shown.push_str(&rest);
        (!rest.trim().is_empty()).then_some(rest)
    }
}

/// How calls begin, at the start of a line.
const BEGINNINGS: [&str; 8] = ["tool:", "**tool", "tool：", "```", "<tool", "<function", "<|tool", "{"];

/// Up to where nothing can become a call any more. Falls on a character boundary.
fn sure_to_be_text(heard: &str) -> usize {
    let mut at = 0;
    for line in heard.split_inclusive('\n') {
        let start = line.trim_start().to_lowercase();
        let begins = BEGINNINGS.iter().any(|beginning| start.starts_with(beginning));
        let may_begin =
            !line.ends_with('\n') && BEGINNINGS.iter().any(|beginning| beginning.starts_with(start.as_str()));
        if begins || may_begin {
            break;
        }
        at += line.len();
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hear_all(spoken: &mut Spoken, text: &str, pieces: usize) -> String {
        let chars: Vec<char> = text.chars().collect();
        let mut shown = String::new();
        for piece in chars.chunks(pieces.max(1)) {
            shown.extend(spoken.hear(&piece.iter().collect::<String>()));
        }
        shown
    }

    #[test]
    fn calls_in_the_text_are_not_shown() {
        for (text, shown) in [
            ("I look.\nTOOL: list_dir\nARGS: {}", "I look.\n"),
            ("TOOL: list_dir", ""),
            ("To be or not.\nToo", "To be or not.\n"),
            ("Tomorrow", "Tomorrow"),
            ("```json\n{}", ""),
            ("中文答案。", "中文答案。"),
        ] {
            for pieces in [1, 2, 3, 100] {
                let mut spoken = Spoken::new(true, false);
                assert_eq!(hear_all(&mut spoken, text, pieces), shown, "{text} by {pieces}");
            }
        }
    }

    #[test]
    fn what_was_held_back_and_is_no_call_is_shown_in_the_end() {
        let mut spoken = Spoken::new(true, false);
        hear_all(&mut spoken, "Code:\n```\nx\n```\n", 2);
        assert_eq!(spoken.rest("Code:\n```\nx\n```\n").as_deref(), Some("```\nx\n```\n"));
        assert_eq!(spoken.rest("Code:\n```\nx\n```\n"), None);
        let mut native = Spoken::new(false, false);
        assert_eq!(native.hear("TOOL: x").as_deref(), Some("TOOL: x"));
    }

    #[test]
    fn of_a_constrained_answer_the_words_are_shown() {
        let text = r#" { "answer" : "He said \"hi\"\n\u4e2d\ud83d\ude00" }"#;
        for pieces in [1, 2, 7, 100] {
            let mut spoken = Spoken::new(true, true);
            assert_eq!(hear_all(&mut spoken, text, pieces), "He said \"hi\"\n中😀", "by {pieces}");
        }
        assert_eq!(hear_all(&mut Spoken::new(true, true), r#"{"tool":"x","answer":"y"}"#, 1), "");
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_nothing_comes_twice(text in "[TOLtol:`{}\n a中]{0,40}", pieces in 1_usize..6) {
            let mut spoken = Spoken::new(true, false);
            let mut shown = hear_all(&mut spoken, &text, pieces);
            prop_assert!(text.starts_with(&shown));
            shown.extend(spoken.rest(&text));
            prop_assert_eq!(shown.trim_end(), text.trim_end());
        }
    }
}
