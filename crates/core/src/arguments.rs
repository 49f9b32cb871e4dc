//! Arguments as callers send them, brought into the one form that everything after it sees.
//!
//! This happens before any check, so that no check can be passed by another spelling.

use serde::{Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::schema;

/// The usual misspellings of parameter names, and what is meant.
const ALIASES: &[(&str, &[&str])] = &[
    ("path", &["file_path", "filepath", "filename", "file_name", "file", "dir", "directory", "folder"]),
    ("paths", &["file_paths", "files"]),
    ("source", &["src", "from", "source_path"]),
    ("destination", &["dst", "to", "dest", "target", "destination_path"]),
    ("cwd", &["workdir", "working_directory", "working_dir"]),
    ("content", &["contents", "text"]),
    ("old_text", &["old_str", "old_string", "oldText"]),
    ("new_text", &["new_str", "new_string", "newText"]),
];

/// Renames misspelt parameters, drops `null`s and turns whole floats into integers. Where both the right and
/// the wrong spelling are there, nothing is renamed, and the check says that the wrong one is unknown.
pub fn normalise(arguments: &mut Value, schema: &Value) {
    drop_nulls(arguments);
    whole_numbers(arguments);
    let Value::Object(fields) = arguments else { return };
    let known = schema::property_names(schema);
    for (right, wrongs) in ALIASES {
        if !known.contains(right) || fields.contains_key(*right) {
            continue;
        }
        let wrong = wrongs.iter().find(|wrong| !known.contains(wrong) && fields.contains_key(**wrong));
        if let Some(value) = wrong.and_then(|wrong| fields.remove(*wrong)) {
            fields.insert((*right).to_owned(), value);
        }
    }
}

/// Many models send `null` for what they leave out.
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

/// `3.0` is an integer by JSON Schema; our types want it as one.
fn whole_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(float) = number.as_f64().filter(|_| number.is_f64()) {
                const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53: above it floats skip integers
                if float.fract() == 0.0 && float.abs() <= EXACT {
                    #[allow(clippy::cast_possible_truncation)] // whole, and below 2^53
                    let whole = float as i64;
                    *value = whole.into();
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole_numbers),
        Value::Object(fields) => fields.values_mut().for_each(whole_numbers),
        _ => {}
    }
}

/// A value whose objects are written with their keys in order: equal values have equal text.
struct Canonical<'a>(&'a Value);

impl Serialize for Canonical<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(fields) => {
                let mut sorted: Vec<_> = fields.iter().map(|(key, value)| (key, Canonical(value))).collect();
                sorted.sort_by_key(|(key, _)| *key);
                serializer.collect_map(sorted)
            }
            Value::Array(items) => serializer.collect_seq(items.iter().map(Canonical)),
            other => other.serialize(serializer),
        }
    }
}

/// Writes the canonical text of a value.
pub fn write_canonical(value: &Value, into: &mut Vec<u8>) {
    // Neither a value nor memory fails to be written.
    let _ = serde_json::to_writer(into, &Canonical(value));
}

/// SHA-256, in hex, of the canonical text of a value.
pub fn sha256(value: &Value) -> String {
    let mut text = Vec::new();
    write_canonical(value, &mut text);
    sha256_hex(&text)
}

pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The candidate that `word` most likely means, if any is near enough.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    ranked(word, candidates).into_iter().next()
}

/// Those candidates that are near `word`, nearest first.
pub fn ranked<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    // A hostile name of a megabyte is near nothing, and comparing it would take long.
    if word.len() > 200 {
        return Vec::new();
    }
    let word = word.to_lowercase();
    let mut near: Vec<(f64, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let lower = candidate.to_lowercase();
            let mut score = strsim::jaro_winkler(&word, &lower);
            if word.len() > 3 && (lower.contains(&word) || word.contains(&lower)) {
                score = score.max(0.9);
            }
            (score >= 0.8).then_some((score, candidate))
        })
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.into_iter().map(|(_, candidate)| candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn understands_the_usual_misspellings() {
        let schema = json!({"properties": {"path": {}, "source": {}, "destination": {}, "cwd": {}}});
        let cases = [
            (json!({"file_path": "a"}), json!({"path": "a"})),
            (json!({"filepath": "a"}), json!({"path": "a"})),
            (json!({"filename": "a"}), json!({"path": "a"})),
            (json!({"src": "a", "dst": "b"}), json!({"source": "a", "destination": "b"})),
            (json!({"from": "a", "to": "b"}), json!({"source": "a", "destination": "b"})),
            (json!({"src": "a", "dest": "b"}), json!({"source": "a", "destination": "b"})),
            (json!({"workdir": "a"}), json!({"cwd": "a"})),
            (json!({"working_directory": "a"}), json!({"cwd": "a"})),
            // the right name is there: the wrong one stays, to be named as unknown
            (json!({"path": "a", "file_path": "b"}), json!({"path": "a", "file_path": "b"})),
        ];
        for (mut given, wanted) in cases {
            normalise(&mut given, &schema);
            assert_eq!(given, wanted);
        }
    }

    #[test]
    fn a_name_that_the_tool_knows_is_never_an_alias() {
        let schema = json!({"properties": {"path": {}, "file": {}}});
        let mut given = json!({"file": "a.zip"});
        normalise(&mut given, &schema);
        assert_eq!(given, json!({"file": "a.zip"}));
    }

    #[test]
    fn whole_floats_become_integers_and_nulls_go() {
        let mut given = json!({"limit": 3.0, "ratio": 1.5, "offset": null, "list": [2.0, {"a": null}]});
        normalise(&mut given, &json!({}));
        assert_eq!(given, json!({"limit": 3, "ratio": 1.5, "list": [2, {}]}));
    }

    #[test]
    fn the_order_of_keys_does_not_matter() {
        let a: Value = serde_json::from_str(r#"{"b":1,"a":{"d":1,"c":2}}"#).unwrap();
        let b: Value = serde_json::from_str(r#"{"a":{"c":2,"d":1},"b":1}"#).unwrap();
        assert_eq!(sha256(&a), sha256(&b));
        assert_eq!(sha256(&a), sha256(&b));
    }

    #[test]
    fn finds_what_was_meant() {
        let names = ["read_file", "write_file", "list_dir", "grep"];
        assert_eq!(nearest("readfile", names), Some("read_file"));
        assert_eq!(nearest("list_directory", names), Some("list_dir"));
        assert_eq!(nearest("zebra", names), None);
        assert_eq!(nearest(&"x".repeat(1_000_000), names), None);
    }
}
