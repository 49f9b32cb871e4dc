//! Lists as SkillMint's callers read them: one thing on a line, and nothing else where all is shown.

use deskhand_core::Outcome;
use serde_json::Value;

use crate::{
    dialects::text::{is_partial, last_line, said},
    files::on_one_line,
};

/// `glob`: paths.
pub(super) fn paths(outcome: &Outcome) -> Value {
    listed(outcome, "matches", |entry| vec![path(entry)])
}

/// `list_dir`: name, type (`file`, `dir`, `link`, `special`) and size, with tabs between them; what is no file has
/// the size `-`.
pub(super) fn entries(outcome: &Outcome) -> Value {
    listed(outcome, "entries", |entry| {
        let kind = match entry["kind"].as_str() {
            Some("folder") => "dir",
            Some(kind) => kind,
            None => "special",
        };
        let path = path(entry);
        let name = path.rsplit_once('/').map_or(path.as_str(), |(_, name)| name);
        let size = entry["size"].as_u64().map_or_else(|| "-".to_owned(), |size| size.to_string());
        vec![format!("{name}\t{kind}\t{size}")]
    })
}

/// `grep`: `path:line: text`; a line around a match has `-` for `:`.
pub(super) fn matches(outcome: &Outcome) -> Value {
    listed(outcome, "files", |file| {
        let path = path(file);
        match file["lines"].as_array() {
            Some(lines) => lines.iter().map(|line| numbered(&path, line)).collect(),
            None if file["binary"] == true => vec![format!("{path}: a binary file that matches")],
            None => {
                vec![file["count"].as_u64().map_or_else(|| path.clone(), |count| format!("{path}: {count}"))]
            }
        }
    })
}

fn numbered(path: &str, line: &Value) -> String {
    let mark = if line["context"] == true { '-' } else { ':' };
    format!("{path}{mark}{}{mark} {}", line["line"], line["text"].as_str().unwrap_or_default())
}

fn path(of: &Value) -> String {
    on_one_line(of["path"].as_str().unwrap_or_default())
}

/// The lines of a list. Where it is empty, cut or lacks something, our words about that.
fn listed(outcome: &Outcome, field: &str, lines: impl Fn(&Value) -> Vec<String>) -> Value {
    let items = outcome.data[field].as_array().map(Vec::as_slice).unwrap_or_default();
    if items.is_empty() || outcome.truncated {
        return said(outcome);
    }
    let mut lines: Vec<String> = items.iter().flat_map(lines).collect();
    if is_partial(&outcome.data) {
        lines.push(last_line(outcome).to_owned());
    }
    Value::String(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use deskhand_core::{CallId, Status};
    use serde_json::json;

    use super::*;

    fn outcome(text: &str, data: Value) -> Outcome {
        let mut outcome = Outcome::without_gate(CallId::new(), "grep", Status::Success, "", text);
        outcome.error = None;
        outcome.data = data;
        outcome
    }

    #[test]
    fn one_thing_on_a_line() {
        let found =
            json!([{"path": "x/a.txt", "kind": "file", "size": 3}, {"path": "b\nc", "kind": "folder"}]);
        assert_eq!(paths(&outcome("", json!({"matches": found}))), "x/a.txt\nb\\nc");
        assert_eq!(entries(&outcome("", json!({"entries": found}))), "a.txt\tfile\t3\nb\\nc\tdir\t-");
        let files = json!([
            {"path": "a", "lines": [{"line": 1, "text": "x", "context": true}, {"line": 2, "text": "y"}]},
            {"path": "b", "binary": true},
            {"path": "c", "count": 4},
        ]);
        let wanted = "a-1- x\na:2: y\nb: a binary file that matches\nc: 4";
        assert_eq!(matches(&outcome("", json!({"files": files}))), wanted);
    }

    #[test]
    fn what_is_missing_is_told() {
        let one = json!([{"path": "a"}]);
        for data in [
            json!({"matches": one, "more": true}),
            json!({"matches": one, "skipped_sensitive": 1}),
            json!({"matches": one, "unreadable": 2}),
            json!({"matches": one, "next_offset": 1}),
        ] {
            assert_eq!(paths(&outcome("a  1\nMore.", data.clone())), "a\nMore.", "{data}");
        }
        assert_eq!(paths(&outcome("Nothing matches.", json!({"matches": []}))), "Nothing matches.");
        let mut cut = outcome("cut", json!({"matches": one}));
        cut.truncated = true;
        assert_eq!(paths(&cut), "cut");
    }
}
