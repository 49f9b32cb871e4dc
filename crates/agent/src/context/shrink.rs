//! Making room: the results of older calls shrink first, oldest first. Nothing is lost: the whole result is kept under a
//! handle that `read_file` reads.

use deskhand_core::cut::{self, Cut};

use crate::provider::{ChatMessage, ToolResult};

/// How many of the newest results stay whole.
const NEWEST_WHOLE: usize = 4;
/// A result of this many characters or fewer is left alone.
const SHORT: usize = 1_200;
/// What is left of a longer one.
const LEFT: usize = 600;

/// Keeps a whole result, and says under which handle; `None` if it cannot be kept.
pub type Keep<'a> = &'a mut dyn FnMut(&ToolResult) -> Option<String>;

/// Shrinks older results until that many characters are saved, or none is left to shrink. Returns how many characters went.
pub fn shrink(messages: &mut [ChatMessage], mut characters_to_save: usize, keep: Keep<'_>) -> usize {
    let mut results: Vec<&mut ToolResult> = messages
        .iter_mut()
        .filter_map(|message| match message {
            ChatMessage::Results { results } => Some(results),
            _ => None,
        })
        .flatten()
        .collect();
    let older = results.len().saturating_sub(NEWEST_WHOLE);
    let mut saved = 0;
    for result in &mut results[..older] {
        if characters_to_save == 0 {
            break;
        }
        let before = result.text.chars().count();
        let had_images = !result.images.is_empty();
        if before <= SHORT && !had_images {
            continue;
        }
        result.images.clear();
        if before > SHORT
            && let Some(handle) = keep(result)
            && let Cut::Shortened(text) = cut::middle(&result.text, LEFT, &handle)
        {
            result.text = text;
        }
        let gone = before.saturating_sub(result.text.chars().count());
        saved += gone;
        characters_to_save = characters_to_save.saturating_sub(gone);
    }
    saved
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(texts: &[String]) -> Vec<ChatMessage> {
        let result = |text: &String| ToolResult {
            call: None,
            call_id: "x".into(),
            name: "grep".into(),
            text: text.clone(),
            is_error: false,
            images: Vec::new(),
        };
        texts.iter().map(|text| ChatMessage::Results { results: vec![result(text)] }).collect()
    }

    fn lengths(messages: &[ChatMessage]) -> Vec<usize> {
        let length = |message: &ChatMessage| match message {
            ChatMessage::Results { results } => results[0].text.chars().count(),
            _ => 0,
        };
        messages.iter().map(length).collect()
    }

    #[test]
    fn the_oldest_long_ones_go_first_and_the_newest_stay() {
        let texts: Vec<String> =
            [5_000, 100, 5_000, 5_000, 9_000, 9_000, 9_000].map(|n| "中".repeat(n)).to_vec();
        let mut messages = results(&texts);
        let mut kept = Vec::new();
        let saved = shrink(&mut messages, 4_500, &mut |result| {
            kept.push(result.text.chars().count());
            Some("out:1".to_owned())
        });
        let after = lengths(&messages);
        assert!(after[0] < 1_000 && after[2] < 1_000, "{after:?}");
        assert_eq!((after[1], &after[3..]), (100, [5_000, 9_000, 9_000, 9_000].as_slice()));
        assert_eq!(kept, [5_000, 5_000]);
        assert!(saved >= 4_500);
        assert!(format!("{messages:?}").contains("out:1"));
    }

    #[test]
    fn what_cannot_be_kept_stays_whole() {
        let mut messages =
            results(&["x".repeat(5_000), String::new(), String::new(), String::new(), String::new()]);
        assert_eq!(shrink(&mut messages, 10_000, &mut |_| None), 0);
        assert_eq!(lengths(&messages)[0], 5_000);
    }
}
