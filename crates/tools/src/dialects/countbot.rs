//! The tools of CountBot. Its results are strings, errors too: its `execute` never fails.

use deskhand_core::{Dialect, DialectEntry, Outcome};
use serde_json::Value;

use super::{optional, required};

pub(super) const DIALECT: Dialect = Dialect { name: "countbot", about: "CountBot", entries: ENTRIES, shape };

const ENTRIES: &[DialectEntry] = &[
    DialectEntry::new(
        "read_file",
        "read_file",
        &[required("path"), optional("start_line"), optional("end_line")],
    ),
    DialectEntry::new("write_file", "write_file", &[required("path"), required("content")]),
    DialectEntry::new(
        "edit_file",
        "edit_file",
        &[required("path"), required("old_str").is("old_text"), required("new_str").is("new_text")],
    ),
    DialectEntry::new("list_dir", "list_dir", &[required("path"), optional("recursive").default("false")]),
    DialectEntry::new("exec", "bash", &[required("command"), optional("working_dir").is("cwd")])
        .fixed(r#"{"timeout_ms": 30000, "max_output_chars": 10000, "profile": "strict"}"#),
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
            optional("type").bounds(r#"{"enum": ["desktop", "webpage"]}"#),
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
    ),
    DialectEntry::new("spawn", "task", &[required("task").is("prompt"), optional("label")])
        .fixed(r#"{"background": true}"#),
    DialectEntry::new("send_media", "send_media", &[required("file_paths"), optional("message")]),
];

/// A string: what the model reads, which for a call that failed says why.
fn shape(outcome: &Outcome) -> Value {
    Value::String(outcome.text.clone())
}
