//! The tools of the operations agent. Its results are `{success, output, error, duration}`.

mod monitor;

use std::time::Duration;

use deskhand_core::{Dialect, DialectEntry, Outcome};
use serde_json::{Value, json};

use super::{SECONDS, optional, required};

pub(super) const DIALECT: Dialect =
    Dialect { name: "ops", about: "the llmchat operations agent", entries: ENTRIES, shape };

const ARGUMENTS: &str =
    r#"{"type": "array", "items": {"type": "string"}, "description": "Its arguments; no shell reads them."}"#;

const ENTRIES: &[DialectEntry] = &[
    DialectEntry::new(
        "sys_monitor",
        "system_info",
        &[
            optional("metric")
                .is("sections")
                .default(r#""all""#)
                .bounds(r#"{"enum": ["cpu", "memory", "disk", "all"]}"#)
                .values(
                    r#"{"cpu": ["cpu"], "memory": ["memory"], "disk": ["disk"], "all": ["cpu", "memory", "disk"]}"#,
                ),
            optional("interval").is("interval_s"),
        ],
    ),
    DialectEntry::new(
        "command_executor",
        "bash",
        &[
            required("command").is("argv").added(r#"{"type": "string"}"#).bounds(
                r#"{"enum": ["ls", "cat", "grep", "head", "tail", "ps", "pwd", "whoami", "df", "free"]}"#,
            ),
            optional("args").is("argv").default("[]").added(ARGUMENTS),
            optional("timeout").is("timeout_ms").default("30").times(1000, SECONDS),
        ],
    )
    .fixed(r#"{"profile": "ten_commands"}"#)
    .shaped(command_result),
    DialectEntry::new(
        "semantic_search",
        "semantic_search",
        &[
            required("query"),
            optional("scope").default(r#""all""#).bounds(r#"{"enum": ["all", "system", "uploads"]}"#),
            optional("top_k").default("3"),
        ],
    ),
    DialectEntry::new(
        "file_download",
        "file_download",
        &[
            required("file_path"),
            optional("transport_mode")
                .default(r#""auto""#)
                .bounds(r#"{"enum": ["auto", "rdt", "http", "nplt"]}"#),
        ],
    ),
    DialectEntry::new(
        "file_upload",
        "file_upload",
        &[
            optional("action").default(r#""list""#).bounds(r#"{"enum": ["list", "get", "search"]}"#),
            optional("reference")
                .default(r#""all""#)
                .bounds(r#"{"enum": ["this", "these", "previous", "all"]}"#),
            optional("file_type"),
            optional("count"),
            optional("time_range").bounds(r#"{"enum": ["recent", "today"]}"#),
            optional("file_id"),
        ],
    ),
];

/// `{"success", "output", "error", "duration"}`: the output is JSON text, the duration is in seconds.
fn shape(outcome: &Outcome) -> Value {
    let error = outcome.error.as_ref().map(|error| &error.message);
    let seconds = Duration::from_millis(outcome.duration_ms).as_secs_f64();
    let output = match outcome.tool.as_str() {
        // What never ran has no output, and that is no JSON.
        _ if outcome.data.is_null() => String::new(),
        "system_info" if outcome.is_success() => monitor::output(&outcome.data).to_string(),
        _ => outcome.data.to_string(),
    };
    json!({"success": outcome.is_success(), "output": output, "error": error, "duration": seconds})
}

/// The output is what ran and how it ended; the error is what it printed to stderr, or why it did not run.
fn command_result(outcome: &Outcome) -> Value {
    let data = &outcome.data;
    if data.is_null() {
        return shape(outcome);
    }
    let output = json!({
        "command": data["command"].as_str().unwrap_or_default(),
        "exit_code": data["exit_code"],
        "stdout": data["stdout"].as_str().unwrap_or_default(),
        "stderr": data["stderr"].as_str().unwrap_or_default(),
    });
    let message = outcome.error.as_ref().map(|error| error.message.as_str());
    let printed = data["stderr"].as_str().filter(|text| !text.is_empty());
    let mut result = shape(outcome);
    result["output"] = Value::String(output.to_string());
    result["error"] = message.map(|message| printed.unwrap_or(message)).into();
    result
}
