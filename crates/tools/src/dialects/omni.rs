//! The tools of the omni desktop agent. Its results are `{success, message, data}`.

mod data;

use std::time::Duration;

use deskhand_core::{Dialect, DialectEntry, Outcome};
use serde_json::{Value, json};

use super::{SECONDS, optional, required};

pub(super) const DIALECT: Dialect =
    Dialect { name: "omni", about: "the omni desktop agent", entries: ENTRIES, shape };

const PIXELS: &str = r#"{"type": "integer", "description": "Pixels from the corner of the screen."}"#;
const SIZE: &str = r#"{"type": "integer", "minimum": 1, "description": "Pixels."}"#;

const ENTRIES: &[DialectEntry] = &[
    DialectEntry::new("list_windows", "list_windows", &[]).shaped(data::windows),
    DialectEntry::new("get_active_window", "get_active_window", &[]).shaped(data::active_window),
    DialectEntry::new("switch_window", "switch_window", &[required("window_id")]).shaped(data::active_window),
    DialectEntry::new("close_window", "close_window", &[required("window_id"), optional("force")])
        .shaped(data::closed_window),
    // Its pictures go to the folder for temporary files.
    DialectEntry::new("screenshot_full", "screenshot", &[])
        .fixed(r#"{"target": "desktop", "folder": "temporary"}"#),
    DialectEntry::new("screenshot_window", "screenshot", &[required("window_id")])
        .fixed(r#"{"target": "window", "folder": "temporary"}"#),
    DialectEntry::new(
        "screenshot_region",
        "screenshot",
        &[
            required("x").is("region").field("x", PIXELS),
            required("y").is("region").field("y", PIXELS),
            required("width").is("region").field("width", SIZE),
            required("height").is("region").field("height", SIZE),
        ],
    )
    .fixed(r#"{"target": "region", "folder": "temporary"}"#),
    DialectEntry::new(
        "run_shell",
        "bash",
        &[
            required("command"),
            optional("timeout").is("timeout_ms").default("30").times(1000, SECONDS),
            optional("cwd"),
        ],
    )
    .fixed(r#"{"profile": "strict"}"#)
    .shaped(shell_result),
    DialectEntry::new("create_directory", "create_directory", &[required("path")]),
    DialectEntry::new("copy_file", "file_copy", &[required("source"), required("destination")]),
    DialectEntry::new("get_file_info", "file_stat", &[required("path")]).shaped(data::file),
    DialectEntry::new("compress_files", "compress_files", &[required("files"), required("output")])
        .fixed(r#"{"format": "zip"}"#),
    DialectEntry::new("decompress_file", "decompress_file", &[required("file"), optional("destination")]),
    DialectEntry::new("clipboard_read", "clipboard_read", &[]),
    DialectEntry::new("clipboard_write", "clipboard_write", &[required("text")]),
    DialectEntry::new("clipboard_clear", "clipboard_write", &[]).fixed(r#"{"text": ""}"#),
    DialectEntry::new("get_system_info", "system_info", &[])
        .fixed(r#"{"sections": ["system"]}"#)
        .shaped(data::system),
    DialectEntry::new("get_cpu_info", "system_info", &[]).fixed(r#"{"sections": ["cpu"]}"#).shaped(data::cpu),
    DialectEntry::new("get_memory_info", "system_info", &[])
        .fixed(r#"{"sections": ["memory"]}"#)
        .shaped(data::memory),
    DialectEntry::new("get_disk_info", "system_info", &[])
        .fixed(r#"{"sections": ["disk"]}"#)
        .shaped(data::disk),
    DialectEntry::new("get_network_info", "system_info", &[])
        .fixed(r#"{"sections": ["network"]}"#)
        .shaped(data::network),
    // It has no pages: as many as there can be in one.
    DialectEntry::new("list_processes", "list_processes", &[]).fixed(r#"{"limit": 500}"#),
    DialectEntry::new("get_process_info", "get_process_info", &[required("pid")]),
    DialectEntry::new("kill_process", "kill_process", &[required("pid"), optional("force")]),
];

/// `{"success", "message", "data"}`; the message is what went wrong, or what the model reads.
fn shape(outcome: &Outcome) -> Value {
    with_data(outcome, Value::clone)
}

/// The same, with `data` made from the tool's; what failed without any has `null`.
fn with_data(outcome: &Outcome, data: fn(&Value) -> Value) -> Value {
    let message = outcome.error.as_ref().map_or(&outcome.text, |error| &error.message);
    let data = if outcome.data.is_null() { Value::Null } else { data::in_bytes(&data(&outcome.data)) };
    json!({"success": outcome.is_success(), "message": message, "data": data})
}

/// `{"success", "stdout", "stderr", "exit_code", "execution_time"}`, the time in seconds. What never ran says why in
/// `stderr`, and has the exit code -1.
fn shell_result(outcome: &Outcome) -> Value {
    let data = &outcome.data;
    let message = outcome.error.as_ref().map_or("", |error| error.message.as_str());
    let stderr = data["stderr"].as_str().unwrap_or(message);
    json!({
        "success": outcome.is_success(),
        "stdout": data["stdout"].as_str().unwrap_or_default(),
        "stderr": if stderr.is_empty() { message } else { stderr },
        "exit_code": data["exit_code"].as_i64().unwrap_or(-1),
        "execution_time": Duration::from_millis(outcome.duration_ms).as_secs_f64(),
    })
}
