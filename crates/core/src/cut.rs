//! Cutting long text: once, in one place, on character boundaries, saying what is left out.

use serde_json::Value;

pub enum Cut {
    /// Short enough as it is.
    Whole,
    Shortened(String),
}

/// Keeps the head (two thirds) and the tail of a text that has more than `most` characters. `handle` is where
/// the whole can be read.
pub fn middle(text: &str, most: usize, handle: &str) -> Cut {
    let Some(parts) = split(text, most) else { return Cut::Whole };
    let Parts { head, left_out, tail } = parts;
    let first_line = head.matches('\n').count() + 1;
    let last_line = first_line + left_out.strip_suffix('\n').unwrap_or(left_out).matches('\n').count();
    let head = head.strip_suffix('\n').unwrap_or(head);
    let missing = left_out.chars().count();
    let total = text.chars().count();
    Cut::Shortened(format!(
        "{head}\n[… {missing} of {total} characters left out (lines {first_line} to {last_line}); read_file with path \
         \"{handle}\" reads the whole, a range with start_line and end_line …]\n{tail}"
    ))
}

/// Cuts every string in a value that has more than `most` characters. Says whether any was.
pub fn strings(value: &mut Value, most: usize) -> bool {
    match value {
        Value::String(text) => match split(text, most) {
            None => false,
            Some(Parts { head, left_out, tail }) => {
                let short = format!("{head}[… {} characters left out …]{tail}", left_out.chars().count());
                *text = short;
                true
            }
        },
        // `|`, not `||`: every one is to be cut.
        Value::Array(items) => items.iter_mut().fold(false, |any, item| strings(item, most) | any),
        Value::Object(fields) => fields.values_mut().fold(false, |any, item| strings(item, most) | any),
        _ => false,
    }
}

struct Parts<'a> {
    head: &'a str,
    left_out: &'a str,
    tail: &'a str,
}

fn split(text: &str, most: usize) -> Option<Parts<'_>> {
    // A character has at least one byte: this spares counting the short ones.
    if text.len() <= most || text.chars().count() <= most {
        return None;
    }
    let head_chars = most / 3 * 2;
    let tail_chars = most / 3;
    let head_end = text.char_indices().nth(head_chars).map_or(text.len(), |(at, _)| at);
    let tail_start = match tail_chars {
        0 => text.len(),
        n => text.char_indices().rev().nth(n - 1).map_or(0, |(at, _)| at),
    };
    // Whole lines read better, where a line ends not too far from the cut.
    let head_end = text[..head_end].rfind('\n').filter(|&at| at > head_end / 2).map_or(head_end, |at| at + 1);
    let next_line = text[tail_start..].find('\n').map(|at| tail_start + at + 1);
    let tail_start =
        next_line.filter(|&at| text.len() - at > (text.len() - tail_start) / 2).unwrap_or(tail_start);
    Some(Parts { head: &text[..head_end], left_out: &text[head_end..tail_start], tail: &text[tail_start..] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn shortened(text: &str, most: usize) -> Option<String> {
        match middle(text, most, "out:x") {
            Cut::Whole => None,
            Cut::Shortened(text) => Some(text),
        }
    }

    #[test]
    fn short_text_stays() {
        assert_eq!(shortened("中文", 2), None);
        assert_eq!(shortened("", 0), None);
    }

    #[test]
    fn keeps_whole_lines_and_says_what_is_missing() {
        let text: String = (1..=100).fold(String::new(), |text, n| text + &format!("line {n}\n"));
        let short = shortened(&text, 90).unwrap();
        assert!(short.starts_with("line 1\n"), "{short}");
        assert!(short.ends_with("line 100\n"), "{short}");
        assert!(short.contains("lines 9 to 97"), "{short}");
        assert!(short.contains("out:x"));
    }

    #[test]
    fn cuts_every_long_string_in_a_value() {
        let mut value = json!({"a": "x".repeat(50), "b": ["y".repeat(50)], "c": "short"});
        assert!(strings(&mut value, 10));
        assert!(value["a"].as_str().unwrap().contains("left out"));
        assert!(value["b"][0].as_str().unwrap().contains("left out"));
        assert_eq!(value["c"], "short");
        assert!(!strings(&mut json!({"a": "short"}), 10));
    }

    proptest! {
        #[test]
        fn any_text_is_cut_on_character_boundaries(text in "\\PC{0,300}", most in 0usize..100) {
            if let Some(Parts { head, left_out, tail }) = split(&text, most) {
                prop_assert_eq!(format!("{head}{left_out}{tail}"), text.clone());
                prop_assert!(head.chars().count() + tail.chars().count() <= most);
            } else {
                prop_assert!(text.chars().count() <= most);
            }
        }
    }
}
