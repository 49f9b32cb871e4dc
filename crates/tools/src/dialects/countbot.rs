//! The tools of CountBot. Its results are strings, errors too: its `execute` never fails.

use deskhand_core::{Dialect, DialectEntry, Outcome};
use serde_json::Value;

use super::{optional, required, text};

pub(super) const DIALECT: Dialect =
    Dialect { name: "countbot", about: "CountBot", entries: ENTRIES, shape: text::said };

/// `max_output_length`.
const OUTPUT: usize = 10_000;

/// All that is in a folder.
const WHOLE_FOLDER: &str = r#"{"include_hidden": true, "respect_gitignore": false, "limit": 1000}"#;

const ENTRIES: &[DialectEntry] = &[
    DialectEntry::new(
        "read_file",
        "read_file",
        &[required("path"), optional("start_line"), optional("end_line")],
    )
    .shaped(text::content),
    DialectEntry::new("write_file", "write_file", &[required("path"), required("content")]),
    DialectEntry::new(
        "edit_file",
        "edit_file",
        &[required("path"), required("old_str").is("old_text"), required("new_str").is("new_text")],
    )
    .shaped(edited),
    DialectEntry::new("list_dir", "list_dir", &[required("path"), optional("recursive").default("false")])
        .fixed(WHOLE_FOLDER),
    DialectEntry::new("exec", "bash", &[required("command"), optional("working_dir").is("cwd")])
        .fixed(r#"{"timeout_ms": 30000, "max_output_chars": 10000, "profile": "strict"}"#)
        .shaped(command_output),
    DialectEntry::new(
        "web_fetch",
        "web_fetch",
        &[
            optional("url"),
            optional("urls"),
            optional("extractMode")
                .is("extract_mode")
                .default(r#""text""#)
                .bounds(r#"{"enum": ["text", "markdown"]}"#),
            optional("maxChars").is("max_chars").default("50000"),
        ],
    ),
    DialectEntry::new("web_search", "web_search", &[required("query"), optional("count")]),
    DialectEntry::new("memory_write", "memory", &[required("content")]).fixed(r#"{"action": "write"}"#),
    DialectEntry::new(
        "memory_search",
        "memory",
        &[
            required("keywords"),
            optional("max_results").default("15"),
            optional("match_mode").default(r#""or""#).bounds(r#"{"enum": ["or", "and"]}"#),
        ],
    )
    .fixed(r#"{"action": "search"}"#),
    DialectEntry::new(
        "memory_read",
        "memory",
        &[optional("start_line"), optional("end_line"), optional("recent_count").default("10")],
    )
    .fixed(r#"{"action": "read"}"#),
    DialectEntry::new(
        "screenshot",
        "screenshot",
        &[
            optional("type")
                .is("target")
                .bounds(r#"{"enum": ["desktop", "webpage"]}"#)
                .values(r#"{"webpage": "web"}"#),
            optional("region"),
            optional("url"),
        ],
    ),
    DialectEntry::new(
        "file_search",
        "file_search",
        &[
            required("path"),
            optional("pattern").default(r#""*""#),
            optional("type").default(r#""all""#).bounds(r#"{"enum": ["file", "dir", "all"]}"#),
            optional("max_depth").default("-1"),
            optional("limit").default("20").bounds(r#"{"minimum": 1, "maximum": 100}"#),
        ],
    )
    .shaped(found),
    DialectEntry::new("spawn", "task", &[required("task").is("prompt"), optional("label")])
        .fixed(r#"{"background": true}"#),
    DialectEntry::new("send_media", "send_media", &[required("file_paths"), optional("message")]),
];

fn edited(outcome: &Outcome) -> Value {
    text::edited(outcome, "old_str", "new_str")
}

/// The list, with that system's own limit in the advice that ends a cut one.
fn found(outcome: &Outcome) -> Value {
    let advice = |text: &str| text.replace("raise limit (at most 1000)", "raise limit (at most 100)");
    match outcome.text.rsplit_once('\n') {
        Some((list, last)) => format!("{list}\n{}", advice(last)).into(),
        None => text::said(outcome),
    }
}

/// The output, cut to that system's length. `bash` does so for each stream, with a line about it; here both
/// together have to fit.
fn command_output(outcome: &Outcome) -> Value {
    const ABOUT_IT: usize = 400;
    let text = &outcome.text;
    let count = text.chars().count();
    if count <= OUTPUT + ABOUT_IT {
        return text::said(outcome);
    }
    let at = |chars: usize| text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    let (head, tail) = (&text[..at(OUTPUT / 3 * 2)], &text[at(count - OUTPUT / 3)..]);
    let files = ["stdout_file", "stderr_file"].map(|file| outcome.data[file].as_str());
    let files: Vec<String> = files.into_iter().flatten().map(|file| format!("\"{file}\"")).collect();
    let where_else = match files.as_slice() {
        [] => String::new(),
        files => format!("; read_file with path {} reads the whole", files.join(" and ")),
    };
    Value::String(format!("{head}\n[… the middle is left out{where_else} …]\n{tail}"))
}
