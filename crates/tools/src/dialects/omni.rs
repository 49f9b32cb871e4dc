//! The tools of the omni desktop agent. Its results are `{success, message, data}`.

mod data;

use std::time::Duration;

use deskhand_core::{Dialect, DialectEntry, Outcome};
use serde_json::{Value, json};

use super::{SECONDS, optional, required, words};

pub(super) const DIALECT: Dialect =
    Dialect { name: "omni", about: "the omni desktop agent", entries: ENTRIES, shape };

const PIXELS: &str = r#"{"type": "integer", "description": "Pixels from the corner of the screen."}"#;
const SIZE: &str = r#"{"type": "integer", "minimum": 1, "description": "Pixels."}"#;

const ENTRIES: &[DialectEntry] = &[
    DialectEntry::new("list_windows", "list_windows", &[])
        .about(
            "Lists the windows on the desktop, topmost first: handle, title, program and \
             process. The other window tools take the handle as window_id.",
            "列出桌面上的所有窗口（最上层在前）：句柄、标题、程序和进程号。其他窗口工具以该\
             句柄作为 window_id。",
        )
        .shaped(data::windows),
    DialectEntry::new("get_active_window", "get_active_window", &[]).shaped(data::active_window),
    DialectEntry::new("switch_window", "switch_window", &[required("window_id").says(words::WINDOW)])
        .shaped(data::active_window),
    DialectEntry::new(
        "close_window",
        "close_window",
        &[required("window_id").says(words::WINDOW), optional("force")],
    )
    .about(
        "Closes a window, as its close button would; force cuts its program off from \
         the desktop. The person is asked each time.",
        "关闭指定窗口，相当于点击关闭按钮；force 为真时强制断开其程序。每次都会询问。",
    )
    .shaped(data::closed_window),
    // Its pictures go to the folder for temporary files.
    DialectEntry::new("screenshot_full", "screenshot", &[])
        .about("Takes a picture of the whole desktop and writes it as PNG.", "截取整个桌面，保存为 PNG。")
        .fixed(r#"{"target": "desktop", "folder": "temporary"}"#),
    DialectEntry::new("screenshot_window", "screenshot", &[required("window_id").says(words::WINDOW)])
        .about(
            "Takes a picture of one window, as it is on the screen, and writes it as PNG.",
            "截取指定窗口（与屏幕所见一致），保存为 PNG。",
        )
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
    .about(
        "Takes a picture of a region of the desktop and writes it as PNG.",
        "截取桌面的指定区域，保存为 PNG。",
    )
    .fixed(r#"{"target": "region", "folder": "temporary"}"#),
    DialectEntry::new(
        "run_shell",
        "bash",
        &[
            required("command").says(words::COMMAND),
            optional("timeout").is("timeout_ms").default("30").unless("background").times(1000, SECONDS),
            optional("cwd"),
        ],
    )
    .about(
        "Runs a shell command, confined, and returns what it printed and its exit \
         code. rm -rf, mkfs, format, dd if= and writing to drives never run.",
        "在受限环境中运行 shell 命令，返回输出和退出码。永不运行 rm -rf、mkfs、format、\
         dd if= 和写入磁盘设备的命令。",
    )
    .fixed(r#"{"profile": "strict"}"#)
    .shaped(shell_result),
    DialectEntry::new("create_directory", "create_directory", &[required("path")]),
    DialectEntry::new("copy_file", "file_copy", &[required("source"), required("destination")]),
    DialectEntry::new("get_file_info", "file_stat", &[required("path")]).shaped(data::file),
    DialectEntry::new("compress_files", "compress_files", &[required("files"), required("output")])
        .about("Packs files and folders into a ZIP archive.", "把文件和文件夹压缩成 ZIP 文件。")
        .fixed(r#"{"format": "zip"}"#),
    DialectEntry::new("decompress_file", "decompress_file", &[required("file"), optional("destination")]),
    DialectEntry::new("clipboard_read", "clipboard_read", &[]),
    DialectEntry::new("clipboard_write", "clipboard_write", &[required("text")])
        .about("Puts text on the clipboard, in place of what is there.", "把文本写入剪贴板，替换原有内容。"),
    DialectEntry::new("clipboard_clear", "clipboard_write", &[])
        .about("Empties the clipboard.", "清空剪贴板。")
        .fixed(r#"{"text": ""}"#),
    DialectEntry::new("get_system_info", "system_info", &[])
        .about(
            "The operating system, its version, the architecture and the machine's name.",
            "查看操作系统、版本、架构和主机名。",
        )
        .fixed(r#"{"sections": ["system"]}"#)
        .shaped(data::system),
    DialectEntry::new("get_cpu_info", "system_info", &[])
        .about("The processor: model, cores and how much it is used.", "查看处理器：型号、核心数和使用率。")
        .fixed(r#"{"sections": ["cpu"]}"#)
        .shaped(data::cpu),
    DialectEntry::new("get_memory_info", "system_info", &[])
        .about("The memory: total, available, used.", "查看内存：总量、可用、已用。")
        .fixed(r#"{"sections": ["memory"]}"#)
        .shaped(data::memory),
    DialectEntry::new("get_disk_info", "system_info", &[])
        .about(
            "The disks: mount point, size, used and free space of each.",
            "查看磁盘：挂载点、容量、已用和剩余空间。",
        )
        .fixed(r#"{"sections": ["disk"]}"#)
        .shaped(data::disk),
    DialectEntry::new("get_network_info", "system_info", &[])
        .about("The network: addresses, interfaces and connections.", "查看网络：IP 地址、网络接口和连接。")
        .fixed(r#"{"sections": ["network"]}"#)
        .shaped(data::network),
    // It has no pages: as many as there can be in one.
    DialectEntry::new("list_processes", "list_processes", &[])
        .about(
            "Lists the processes of this machine with their use of processor and memory.",
            "列出本机进程及其处理器和内存占用。",
        )
        .fixed(r#"{"limit": 500}"#),
    DialectEntry::new("get_process_info", "get_process_info", &[required("pid")]),
    DialectEntry::new("kill_process", "kill_process", &[required("pid"), optional("force")]).about(
        "Ends a process; force ends it at once. The person is asked each time. What \
         the system needs is never ended.",
        "结束一个进程；force 为真时立即强制结束。每次都会询问。系统关键进程不会被结束。",
    ),
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
