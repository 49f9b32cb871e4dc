//! The tools of the operations agent. Its results are `{success, output, error, duration}`.

mod monitor;

use std::time::Duration;

use deskhand_core::{Dialect, DialectEntry, Outcome, Status};
use serde_json::{Value, json};

use super::{SECONDS, optional, required};

pub(super) const DIALECT: Dialect =
    Dialect { name: "ops", about: "the llmchat operations agent", entries: ENTRIES, shape };

/// No argument has one of the eleven characters.
const ARGUMENTS: &str = r#"{
    "type": "array",
    "items": {"type": "string", "pattern": "^[^;&|><`$()\\n\\r]*$"},
    "description": "Its arguments; no shell reads them."
}"#;

/// What that system says of a call that fails, in its words; what it is about comes after them.
const NOT_LISTED: &str = "命令不在白名单中: ";
const ODD_CHARACTERS: &str = "参数包含非法字符: ";
const TIMED_OUT: &str = "命令执行超时: ";
const FAILED: &str = "命令执行失败: ";
const NOT_MONITORED: &str = "系统监控失败: ";

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
    )
    .about(
        "How much the processor, the memory and the disk are used; metric chooses one \
         of them.",
        "监控系统资源使用情况（CPU、内存、磁盘）；metric 指定其中一项。",
    )
    .shaped(monitored),
    DialectEntry::new(
        "command_executor",
        "bash",
        &[
            required("command")
                .is("argv")
                .added(r#"{"type": "string", "description": "One of the ten commands."}"#)
                .bounds(
                    r#"{"enum": ["ls", "cat", "grep", "head", "tail", "ps", "pwd", "whoami", "df", "free"]}"#,
                )
                .refused_with(NOT_LISTED),
            optional("args").is("argv").default("[]").added(ARGUMENTS).refused_with(ODD_CHARACTERS),
            optional("timeout").is("timeout_ms").default("30").unless("background").times(1000, SECONDS),
        ],
    )
    .about(
        "Runs one of ten commands without a shell: ls, cat, grep, head, tail, ps, pwd, \
         whoami, df, free.",
        "安全地执行系统命令（白名单限制），不经过 shell：ls, cat, grep, head, tail, \
         ps, pwd, whoami, df, free。",
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
    )
    .about(
        "Finds files by a description in words.",
        "通过自然语言描述检索文件。",
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
    )
    .about(
        "Prepares a file for download and returns a token or an address.",
        "为用户准备文件下载（返回下载令牌或URL）。",
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
    )
    .about(
        "Lists the files that were uploaded in this conversation.",
        "管理已上传文件的索引和上下文（不执行文件传输）。",
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

fn monitored(outcome: &Outcome) -> Value {
    let mut result = shape(outcome);
    if let Some(error) = &outcome.error {
        result["error"] = format!("{NOT_MONITORED}{}", error.message).into();
    }
    result
}

/// The output is what ran and how it ended; the error is what it printed to stderr, or why it did not run.
fn command_result(outcome: &Outcome) -> Value {
    let data = &outcome.data;
    if data.is_null() {
        let mut result = shape(outcome);
        if let (Some(error), false) = (&outcome.error, outcome.status == Status::InvalidArguments) {
            result["error"] = format!("{FAILED}{}", error.message).into();
        }
        return result;
    }
    let output = json!({
        "command": data["command"].as_str().unwrap_or_default(),
        "exit_code": data["exit_code"],
        "stdout": data["stdout"].as_str().unwrap_or_default(),
        "stderr": data["stderr"].as_str().unwrap_or_default(),
    });
    let mut result = shape(outcome);
    result["output"] = Value::String(output.to_string());
    result["error"] = outcome.error.as_ref().map(|error| failure(outcome, &error.message)).into();
    result
}

/// Why a command that ran did not end well.
fn failure(outcome: &Outcome, message: &str) -> String {
    if outcome.status == Status::TimedOut {
        let command = outcome.data["command"].as_str().unwrap_or_default();
        return format!("{TIMED_OUT}{}", command.split(' ').next().unwrap_or_default());
    }
    let printed = outcome.data["stderr"].as_str().filter(|text| !text.is_empty());
    match (printed, outcome.data["exit_code"].as_i64()) {
        (Some(printed), _) => printed.to_owned(),
        // It ended by itself, and said nothing.
        (None, Some(code)) => format!("{FAILED}退出码 {code}"),
        (None, None) => format!("{FAILED}{message}"),
    }
}
