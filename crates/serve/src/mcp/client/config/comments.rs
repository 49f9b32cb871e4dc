//! JSON as people write it into the files of their editors: with comments, and with a comma behind the last one.

/// The same text as plain JSON: what is not JSON becomes blanks, so that lines and columns stay what they are.
///
/// What is wrong stays wrong: a comment without an end, a comma with nothing before it.
pub fn plain_json(text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    // The last two places where something stands, the newest first.
    let (mut last, mut before) = (None, None);
    let mut at = 0;
    while at < chars.len() {
        let next = match (chars[at], chars.get(at + 1)) {
            ('"', _) => end_of_text(&chars, at),
            ('/', Some('/')) => blank(&mut chars, at, |rest| rest.iter().position(|c| *c == '\n')),
            ('/', Some('*')) => blank(&mut chars, at, |rest| {
                let end = rest.get(2..)?.windows(2).position(|pair| pair == ['*', '/'])?;
                Some(end + 4)
            }),
            _ => at + 1,
        };
        if chars[at].is_whitespace() {
            at = next;
            continue;
        }
        if matches!(chars[at], '}' | ']')
            && let (Some(comma), Some(item)) = (last, before)
            && chars[comma] == ','
            && !matches!(chars[item], ',' | '[' | '{' | ':')
        {
            chars[comma] = ' ';
        }
        (before, last) = (last, Some(at));
        at = next;
    }
    chars.into_iter().collect()
}

/// Where what stands in quotes is over.
fn end_of_text(chars: &[char], start: usize) -> usize {
    let mut at = start + 1;
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// Takes a comment away, whose length is found by `length`; one without an end is left for the reader to stumble over.
/// The last line of a file needs no end.
fn blank(chars: &mut [char], start: usize, length: impl FnOnce(&[char]) -> Option<usize>) -> usize {
    let rest = &mut chars[start..];
    let is_of_a_line = rest[1] == '/';
    let Some(length) = length(rest).or(is_of_a_line.then_some(rest.len())) else { return start + 1 };
    for c in rest[..length].iter_mut().filter(|c| **c != '\n') {
        *c = ' ';
    }
    start + length
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn read(text: &str) -> Result<Value, String> {
        serde_json::from_str(&plain_json(text))
            .map_err(|error| format!("{}:{}", error.line(), error.column()))
    }

    #[test]
    fn comments_and_last_commas_are_no_matter() {
        for (text, value) in [
            ("{\"a\": 1, // one\n}", json!({"a": 1})),
            ("/* head\n*/ [1, 2, /* , */ ] // end", json!([1, 2])),
            ("{\"a\": [1,],}", json!({"a": [1]})),
            (
                "[\"// no\", \"/* no */\", \",]\", \"\\\"//\", \"\\\\\",]",
                json!(["// no", "/* no */", ",]", "\"//", "\\"]),
            ),
            ("[\"http://h\" /**/, {},]", json!(["http://h", {}])),
        ] {
            assert_eq!(read(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_stays_so_and_where_it_is() {
        for (text, place) in [
            ("[,]", "1:2"),
            ("[1,,]", "1:4"),
            ("{,}", "1:2"),
            ("{\"a\":,}", "1:6"),
            ("[1]\n/* no end", "2:1"),
            ("// fine\n[1 2]", "2:4"),
            ("[1, /", "1:5"),
            ("\"", "1:1"),
            ("\"\\", "1:2"),
        ] {
            assert_eq!(read(text), Err(place.to_owned()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn plain_json_is_left_as_it_is(texts in prop::collection::vec(any::<String>(), 0..5)) {
            let plain = json!({"a": texts, "b": [1, {}, []]}).to_string();
            prop_assert_eq!(plain_json(&plain), plain);
        }

        #[test]
        fn nothing_makes_it_stumble(text in "[/*\\\\\",\\[\\]{}:a\n é]{0,40}") {
            prop_assert_eq!(plain_json(&text).chars().count(), text.chars().count());
        }
    }
}
