//! Results of the systems whose tools return strings.

use deskhand_core::Outcome;
use serde_json::Value;

/// What the model reads, which for a call that failed says why.
pub(super) fn said(outcome: &Outcome) -> Value {
    Value::String(outcome.text.clone())
}

/// The content of a file and nothing else, where all that was asked for is there. Else what the model reads, which
/// says what is missing and how to read on.
pub(super) fn content(outcome: &Outcome) -> Value {
    let data = &outcome.data;
    let is_plain = data["mime"] == "text/plain" && data["notes"].is_null();
    let is_all = data["truncated"] == false && !outcome.truncated;
    match data["content"].as_str() {
        Some(content) if is_plain && is_all => content.into(),
        _ => said(outcome),
    }
}

/// A picture: the file that it is in, or the picture itself in base64.
pub(super) fn picture(outcome: &Outcome) -> Value {
    let file = outcome.data["path"].as_str();
    let picture = file.or_else(|| Some(outcome.images.first()?.base64.as_str()));
    match picture {
        Some(picture) if outcome.is_success() => picture.into(),
        _ => said(outcome),
    }
}

/// What the model reads about an edit, with the names that its caller has for `old_text` and `new_text`. They stand
/// in the first line of an error, and after it may come lines of the file, which stay as they are.
pub(super) fn edited(outcome: &Outcome, old: &str, new: &str) -> Value {
    if outcome.is_success() {
        return said(outcome);
    }
    let (first, rest) = outcome.text.split_at(outcome.text.find('\n').unwrap_or(outcome.text.len()));
    let mut first = first.to_owned();
    for (ours, theirs) in [
        ("old_text and new_text", format!("{old} and {new}")),
        ("old_text is ", format!("{old} is ")),
        ("old_text stands in ", format!("{old} stands in ")),
        ("- is old_text,", format!("- is {old},")),
        ("old_text has ", format!("{old} has ")),
    ] {
        first = first.replacen(ours, &theirs, 1);
    }
    Value::String(first + rest)
}

/// The last line of what the model reads: how many there are, and what was left out.
pub(super) fn last_line(outcome: &Outcome) -> &str {
    outcome.text.lines().next_back().unwrap_or_default()
}

/// Whether something that was asked for could not be shown, which the last line tells.
pub(super) fn is_partial(data: &Value) -> bool {
    let counted = |field: &str| data[field].as_u64().is_some_and(|count| count > 0);
    data["more"] == true
        || data["next_offset"].is_u64()
        || counted("skipped_sensitive")
        || counted("unreadable")
}

#[cfg(test)]
mod tests {
    use deskhand_core::{CallId, Status};
    use serde_json::json;

    use super::*;

    fn failed(text: &str) -> Outcome {
        Outcome::without_gate(CallId::new(), "edit_file", Status::Error, "no_match", text)
    }

    #[test]
    fn an_error_of_an_edit_speaks_of_the_callers_parameters() {
        for (ours, theirs) in [
            ("old_text is not in a.txt.", "old_str is not in a.txt."),
            ("old_text stands in old_text.md 2 times.", "old_str stands in old_text.md 2 times."),
            (
                "old_text is not in a; the text differs (- is old_text, + is what the file has).\n- old_text is 1",
                "old_str is not in a; the text differs (- is old_str, + is what the file has).\n- old_text is 1",
            ),
            ("old_text and new_text are the same.", "old_str and new_str are the same."),
        ] {
            assert_eq!(edited(&failed(ours), "old_str", "new_str"), theirs);
        }
    }

    #[test]
    fn content_stands_alone_only_where_it_is_all() {
        let mut outcome = failed("a\n[Lines 1 to 1; the file has 4 bytes.]");
        outcome.data = json!({"mime": "text/plain", "content": "a\n", "truncated": false});
        assert_eq!(content(&outcome), "a\n");
        for (field, value) in
            [("truncated", json!(true)), ("notes", json!(["odd bytes"])), ("mime", json!("image/png"))]
        {
            let mut other = outcome.clone();
            other.data[field] = value;
            assert_eq!(content(&other), outcome.text.as_str(), "{field}");
        }
        outcome.truncated = true;
        assert_eq!(content(&outcome), outcome.text.as_str());
    }
}
