//! The arguments of a call, from the text that a model wrote. They are read or they are broken; nothing is repaired.

use serde_json::{Map, Value};

use super::Arguments;

/// How much of a text that cannot be read is kept: enough to see what is wrong.
const MOST_KEPT: usize = 8_000;

/// Reads arguments that were written as text, at least one character of it.
pub(crate) fn read(text: &str) -> Arguments {
    match parse_object(text) {
        Ok(fields) => Arguments::Given(Value::Object(fields)),
        Err(why) => broken(text, why),
    }
}

/// Arguments on which nothing runs.
pub(crate) fn broken(text: &str, why: impl Into<String>) -> Arguments {
    Arguments::Broken { text: text.chars().take(MOST_KEPT).collect(), why: why.into() }
}

/// Whether the text is a whole JSON object.
pub(crate) fn is_whole(text: &str) -> bool {
    parse_object(text).is_ok()
}

fn parse_object(text: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => Ok(fields),
        // Some servers encode the object as a text once more.
        Ok(Value::String(inner)) => match serde_json::from_str(&inner) {
            Ok(Value::Object(fields)) => Ok(fields),
            _ => Err("the arguments are a text, not a JSON object".to_owned()),
        },
        Ok(other) => Err(format!("the arguments are {}, not a JSON object", kind(&other))),
        Err(error) if error.is_eof() => Err(format!(
            "the arguments end in the middle of the JSON, after {} characters ({error})",
            text.chars().count()
        )),
        Err(error) => Err(format!("the arguments are not JSON: {error}{}", around(text, &error))),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The text near the place that an error names.
fn around(text: &str, error: &serde_json::Error) -> String {
    let Some(line) = text.lines().nth(error.line().saturating_sub(1)) else { return String::new() };
    // Columns count bytes.
    let column =
        (0..=error.column().min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    let (before, after) = line.split_at(column);
    let start = before.char_indices().rev().nth(19).map_or(0, |(at, _)| at);
    let after: String = after.chars().take(20).collect();
    format!(", near «{}⟨here⟩{after}»", &before[start..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_can_be_read_is_read() {
        for (text, want) in [
            ("{}", json!({})),
            (" {\"a\": [1, \"中\"]}\n", json!({"a": [1, "中"]})),
            (r#""{\"path\": \"x\"}""#, json!({"path": "x"})),
        ] {
            assert_eq!(read(text), Arguments::Given(want), "{text}");
        }
    }

    #[test]
    fn what_cannot_is_broken_and_says_where() {
        for (text, part) in [
            ("{\"path\": \"a", "end in the middle of the JSON, after 11 characters"),
            ("{\"a\": 1", "end in the middle"),
            (" ", "end in the middle"),
            ("[1]", "are a list"),
            ("null", "are null"),
            ("3", "are a number"),
            ("\"x\"", "are a text"),
            ("{\"a\": 1} x", "near «{\"a\": 1} x"),
            ("{'a': 1}", "line 1 column 2"),
            ("{\"中中\": tru}", "near «{\"中中\": tru"),
        ] {
            let Arguments::Broken { text: kept, why } = read(text) else { panic!("{text} was read") };
            assert_eq!(kept, text);
            assert!(why.contains(part), "{text}: {why}");
        }
    }

    #[test]
    fn a_long_text_is_kept_in_part() {
        let Arguments::Broken { text, .. } = read(&"中".repeat(20_000)) else { panic!() };
        assert_eq!(text.chars().count(), MOST_KEPT);
    }
}
