//! The tools of SkillMint. Its results are strings, errors too.

mod lines;

use deskhand_core::{Dialect, DialectEntry, Outcome};
use serde_json::Value;

use super::{EVERY_FILE, optional, required, text, words};

pub(super) const DIALECT: Dialect =
    Dialect { name: "skillmint", about: "SkillMint", entries: ENTRIES, shape: text::said };

/// All that is in a folder, and nothing below: what is listed are names.
const ONE_FOLDER: &str = r#"{"include_hidden": true, "recursive": false, "max_depth": 1, "limit": 1000}"#;

const GLOB: &str =
    "Glob with * ? ** {a,b} [..]. Without / it matches the name, with / the path below base_dir.";

const ENTRIES: &[DialectEntry] = &[
    DialectEntry::new("read_file", "read_file", &[required("path")])
        .about("Reads a file.", "读取文件内容。")
        .shaped(text::content),
    DialectEntry::new("write_file", "write_file", &[required("path"), required("content")])
        .about("Writes a file: creates it or replaces its content.", "写入文件：新建或覆盖。"),
    DialectEntry::new(
        "edit",
        "edit_file",
        &[
            required("path"),
            required("old_string").is("old_text").says(words::OLD),
            required("new_string").is("new_text").says(words::NEW),
            optional("replace_all").default("false").says("Replace every occurrence."),
        ],
    )
    .about(
        "Replaces a text in a file: old_string must be in it once, unless replace_all \
         is set.",
        "替换文件中的文本：old_string 必须唯一匹配，除非设置 replace_all。",
    )
    .shaped(edited),
    DialectEntry::new(
        "glob",
        "file_search",
        &[required("pattern").says(GLOB), optional("base_dir").is("path")],
    )
    .about(
        "Finds files by a glob pattern such as **/*.rs, hidden and git-ignored ones \
             too. Returns paths.",
        "按 **/*.rs 之类的通配符查找文件（包括隐藏和被 .gitignore 忽略的），返回路径。",
    )
    .fixed(r#"{"type": "file", "limit": 1000, "include_hidden": true, "respect_gitignore": false}"#)
    .shaped(lines::paths),
    DialectEntry::new(
        "grep",
        "grep",
        &[
            required("pattern"),
            required("path").says("File or folder; relative paths start at the workspace."),
            optional("case_insensitive").is("ignore_case").default("false"),
            optional("file_pattern").is("glob"),
        ],
    )
    .about(
        "Searches the content of files with a regular expression, hidden and \
         git-ignored ones too; gives path, line number and line. file_pattern chooses \
         files by name.",
        "用正则表达式搜索文件内容（包括隐藏和被 .gitignore 忽略的文件），返回路径、行号\
         和该行。file_pattern 按文件名筛选。",
    )
    .fixed(EVERY_FILE)
    .shaped(lines::matches),
    DialectEntry::new("list_dir", "list_dir", &[required("path").says(words::FOLDER)])
        .about(
            "Lists what is in a folder: name, type and size of each entry.",
            "列出目录内容，返回文件名、类型和大小。",
        )
        .fixed(ONE_FOLDER)
        .shaped(lines::entries),
    DialectEntry::new("file_stat", "file_stat", &[required("path")]),
    DialectEntry::new("file_delete", "file_delete", &[required("path")])
        .about("Deletes a file or an empty folder. Undo can bring it back.", "删除文件或空目录，可以撤销。")
        .fixed(r#"{"recursive": false}"#),
    DialectEntry::new("file_move", "file_move", &[required("source"), required("destination")]),
    DialectEntry::new("file_copy", "file_copy", &[required("source"), required("destination")]),
    DialectEntry::new(
        "bash",
        "bash",
        &[
            required("command").says(words::COMMAND),
            optional("timeout_ms").default("120000").unless("background"),
            optional("background").default("false"),
        ],
    )
    .about(
        "Runs a shell command, confined, and returns its output. With background it \
         returns a process_id at once and leaves the command running; then there is no \
         time limit unless timeout_ms is given.",
        "在受限环境中运行 shell 命令并返回输出。background 为真时立即返回 process_id，\
         命令在后台继续运行；此时除非给出 timeout_ms，否则没有时间限制。",
    ),
    DialectEntry::new(
        "bash_output",
        "bash_output",
        &[required("process_id"), optional("block").default("false")],
    )
    .about(
        "What a background process has printed, its status and exit code. block waits \
         until it has ended.",
        "获取后台进程的输出、状态和退出码。block 为真时等待其结束。",
    ),
    DialectEntry::new("bash_kill", "bash_kill", &[required("process_id")]),
    DialectEntry::new("web_fetch", "web_fetch", &[required("url")])
        .about("Fetches a web page.", "抓取网页内容。"),
    DialectEntry::new(
        "web_search",
        "web_search",
        &[
            required("query"),
            optional("count").default("5").bounds(r#"{"minimum": 1, "maximum": 10}"#),
            optional("freshness").bounds(r#"{"enum": ["day", "week", "month", "year"]}"#),
        ],
    )
    .about("Searches the web.", "搜索网络。"),
    DialectEntry::new("todo_write", "todo_write", &[required("todos")])
        .about("Writes the list of things to do.", "写入待办列表。"),
    DialectEntry::new(
        "task",
        "task",
        &[
            required("prompt"),
            optional("agent_type")
                .default(r#""general-purpose""#)
                .bounds(r#"{"enum": ["general-purpose", "explore", "plan"]}"#),
        ],
    )
    .about("Gives a task to a sub-agent and returns its answer.", "把任务交给子代理，返回其结果。")
    .fixed(r#"{"background": false}"#),
    DialectEntry::new("ask_user", "ask_user", &[required("question"), optional("options")])
        .about("Asks the user a question.", "向用户提问。")
        .fixed(r#"{"timeout_s": 300}"#),
    DialectEntry::new(
        "memory",
        "memory",
        &[
            required("action").bounds(r#"{"enum": ["read", "write", "list", "delete"]}"#),
            optional("key"),
            optional("content"),
        ],
    )
    .about("Reads, writes, lists and deletes memories.", "读取、写入、列出和删除记忆。"),
    DialectEntry::new("compact", "compact", &[optional("focus")]),
    DialectEntry::new("browser_launch", "browser_launch", &[optional("headless"), optional("viewport")]),
    DialectEntry::new("browser_navigate", "browser_navigate", &[required("url")]),
    DialectEntry::new(
        "browser_click",
        "browser_click",
        &[optional("selector"), optional("x"), optional("y")],
    )
    .about(
        "Clicks an element (by CSS selector) or a point (x, y) of the page. \
         Submitting a form needs approval.",
        "点击页面元素（CSS 选择器）或坐标（x, y）。提交表单需确认。",
    ),
    DialectEntry::new(
        "browser_type",
        "browser_type",
        &[required("selector"), required("text"), optional("delay")],
    )
    .about(
        "Types text into a field (by CSS selector), in place of what is there; delay \
         is the time between characters. Passwords need approval.",
        "在输入框（CSS 选择器）中输入文本，替换原有内容；delay 为逐字符延迟。输入密码\
         需确认。",
    ),
    DialectEntry::new(
        "browser_scroll",
        "browser_scroll",
        &[
            required("direction").bounds(r#"{"enum": ["up", "down", "to_top", "to_bottom"]}"#),
            optional("amount"),
        ],
    ),
    DialectEntry::new(
        "browser_hover",
        "browser_hover",
        &[optional("selector"), optional("x"), optional("y")],
    )
    .about(
        "Moves the mouse onto an element (by CSS selector) or a point (x, y) of the \
         page.",
        "把鼠标移到页面元素（CSS 选择器）或坐标（x, y）上。",
    ),
    DialectEntry::new("browser_press_key", "browser_press_key", &[required("key"), optional("modifiers")]),
    DialectEntry::new(
        "browser_screenshot",
        "browser_screenshot",
        &[optional("selector"), optional("full_page")],
    )
    .about("Takes a picture of the page, or of one element.", "对页面或某个元素截图。")
    .shaped(text::picture),
    DialectEntry::new("browser_get_dom", "browser_get_dom", &[optional("selector"), optional("max_depth")])
        .about("The simplified DOM of the page, or of one element.", "提取页面或某个元素的简化 DOM 结构。"),
    DialectEntry::new("browser_evaluate", "browser_evaluate", &[required("script")]),
    DialectEntry::new(
        "browser_wait_for",
        "browser_wait_for",
        &[optional("selector"), optional("condition"), optional("timeout")],
    )
    .about(
        "Waits until an element (by CSS selector) is visible, or a JavaScript \
         condition holds.",
        "等待元素（CSS 选择器）可见，或 JavaScript 条件成立。",
    ),
    DialectEntry::new("browser_go_back", "browser_go_back", &[]),
    DialectEntry::new("browser_go_forward", "browser_go_forward", &[]),
    DialectEntry::new("browser_reload", "browser_reload", &[]),
    DialectEntry::new("browser_get_state", "browser_get_state", &[]),
    DialectEntry::new("screenshot", "screenshot", &[optional("path")])
        .about(
            "Takes a picture of the whole desktop and writes it as PNG to path.",
            "全屏截图，以 PNG 保存到 path。",
        )
        .fixed(r#"{"target": "desktop"}"#),
    DialectEntry::new("open_in_folder", "open_in_folder", &[required("path")]),
];

fn edited(outcome: &Outcome) -> Value {
    text::edited(outcome, "old_string", "new_string")
}
