//! The tools of CountBot. Its results are strings, errors too: its `execute` never fails.

use deskhand_core::{Dialect, DialectEntry, Outcome};
use serde_json::Value;

use super::{EVERY_FILE, optional, required, text, words};

pub(super) const DIALECT: Dialect =
    Dialect { name: "countbot", about: "CountBot", entries: ENTRIES, shape: text::said };

/// All that is in a folder.
const WHOLE_FOLDER: &str = r#"{"include_hidden": true, "respect_gitignore": false, "limit": 1000}"#;

const ENTRIES: &[DialectEntry] = &[
    DialectEntry::new(
        "read_file",
        "read_file",
        &[required("path"), optional("start_line"), optional("end_line")],
    )
    .about(
        "Reads a file, or its lines from start_line to end_line.",
        "读取文件内容，可用 start_line 和 end_line 指定行号范围。",
    )
    .shaped(text::content),
    DialectEntry::new("write_file", "write_file", &[required("path"), required("content")]).about(
        "Writes a file: creates it, with missing folders, or replaces its content.",
        "写入文件：新建（自动创建目录）或覆盖。",
    ),
    DialectEntry::new(
        "edit_file",
        "edit_file",
        &[
            required("path"),
            required("old_str").is("old_text").says(words::OLD),
            required("new_str").is("new_text").says(words::NEW),
        ],
    )
    .about(
        "Replaces a text in a file: old_str must be in it exactly once.",
        "替换文件中的文本：old_str 必须恰好出现一次。",
    )
    .shaped(edited),
    DialectEntry::new(
        "list_dir",
        "list_dir",
        &[required("path").says(words::FOLDER), optional("recursive").default("false")],
    )
    .about(
        "Lists a folder, hidden entries too; recursive lists everything below.",
        "列出目录内容（包括隐藏文件）；recursive 为真时递归列出。",
    )
    .fixed(WHOLE_FOLDER),
    DialectEntry::new(
        "exec",
        "bash",
        &[required("command").says(words::COMMAND), optional("working_dir").is("cwd")],
    )
    .about(
        "Runs a shell command, confined, and returns its output, at most 10,000 \
             characters unless set otherwise. It has 30 seconds unless set otherwise. rm \
             -rf, mkfs, format, dd if= and writing to drives never run.",
        "在受限环境中执行 Shell 命令并返回输出（默认最多 10000 字符，默认超时 30 秒，均\
             可配置）。永不运行 rm -rf、mkfs、format、dd if= 和写入磁盘设备的命令。",
    )
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
    )
    .about("Fetches web pages and extracts their content.", "抓取网页内容。"),
    DialectEntry::new("web_search", "web_search", &[required("query"), optional("count")])
        .about("Searches the web.", "搜索网络。"),
    DialectEntry::new("memory_write", "memory", &[required("content")])
        .about("Writes to memory.", "写入记忆。")
        .fixed(r#"{"action": "write"}"#),
    DialectEntry::new(
        "memory_search",
        "memory",
        &[
            required("keywords"),
            optional("max_results").default("15"),
            optional("match_mode").default(r#""or""#).bounds(r#"{"enum": ["or", "and"]}"#),
        ],
    )
    .about("Searches memory.", "搜索记忆。")
    .fixed(r#"{"action": "search"}"#),
    DialectEntry::new(
        "memory_read",
        "memory",
        &[optional("start_line"), optional("end_line"), optional("recent_count").default("10")],
    )
    .about("Reads memory.", "读取记忆。")
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
            optional("url")
                .says("The page, for the type webpage; left out, the one that is open in the browser."),
        ],
    )
    .about(
        "Takes a picture of the desktop, a region of it, or a web page; it is saved in \
         screenshots/ in the workspace.",
        "截取桌面、桌面区域或网页；保存到工作空间的 screenshots/ 目录。",
    ),
    DialectEntry::new(
        "file_search",
        "file_search",
        &[
            required("path").says(words::FOLDER),
            optional("pattern").default(r#""*""#),
            optional("type").default(r#""all""#).bounds(r#"{"enum": ["file", "dir", "all"]}"#),
            optional("max_depth").default("-1"),
            optional("limit").default("20").bounds(r#"{"minimum": 1, "maximum": 100}"#),
        ],
    )
    .about(
        "Finds files and folders by name below a folder, hidden and git-ignored ones \
         too. The pattern may have * and ?.",
        "按名称在目录下搜索文件和文件夹（包括隐藏和被 .gitignore 忽略的），支持 * 和 ? \
         通配符。",
    )
    .fixed(EVERY_FILE)
    .shaped(found),
    DialectEntry::new("spawn", "task", &[required("task").is("prompt"), optional("label")])
        .about("Starts a sub-agent in the background for a task.", "创建后台子代理执行任务。")
        .fixed(r#"{"background": true}"#),
    DialectEntry::new("send_media", "send_media", &[required("file_paths"), optional("message")])
        .about("Sends files and pictures to a chat channel.", "发送文件或图片到聊天渠道。"),
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

/// The output, cut to that system's `max_output_length`. `bash` does so for each stream, with a line about it; here
/// both together have to fit.
fn command_output(outcome: &Outcome) -> Value {
    const ABOUT_IT: usize = 400;
    let text = &outcome.text;
    let count = text.chars().count();
    let most = outcome.data["max_output_chars"].as_u64().and_then(|most| usize::try_from(most).ok());
    let Some(most) = most.filter(|most| count > most.saturating_add(ABOUT_IT)) else {
        return text::said(outcome);
    };
    let at = |chars: usize| text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    let (head, tail) = (&text[..at(most / 3 * 2)], &text[at(count - most / 3)..]);
    let files = ["stdout_file", "stderr_file"].map(|file| outcome.data[file].as_str());
    let files: Vec<String> = files.into_iter().flatten().map(|file| format!("\"{file}\"")).collect();
    let where_else = match files.as_slice() {
        [] => String::new(),
        files => format!("; read_file with path {} reads the whole", files.join(" and ")),
    };
    Value::String(format!("{head}\n[… the middle is left out{where_else} …]\n{tail}"))
}
