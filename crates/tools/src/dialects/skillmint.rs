//! The tools of SkillMint. Its results are strings, errors too.

mod lines;

use deskhand_core::{Dialect, DialectEntry, Outcome};
use serde_json::Value;

use super::{optional, required, text};

pub(super) const DIALECT: Dialect =
    Dialect { name: "skillmint", about: "SkillMint", entries: ENTRIES, shape: text::said };

/// All that is in a folder, and nothing below: what is listed are names.
const ONE_FOLDER: &str = r#"{"include_hidden": true, "recursive": false, "max_depth": 1, "limit": 1000}"#;

const ENTRIES: &[DialectEntry] = &[
    DialectEntry::new("read_file", "read_file", &[required("path")]).shaped(text::content),
    DialectEntry::new("write_file", "write_file", &[required("path"), required("content")]),
    DialectEntry::new(
        "edit",
        "edit_file",
        &[
            required("path"),
            required("old_string").is("old_text"),
            required("new_string").is("new_text"),
            optional("replace_all").default("false"),
        ],
    )
    .shaped(edited),
    DialectEntry::new("glob", "file_search", &[required("pattern"), optional("base_dir").is("path")])
        .fixed(r#"{"type": "file", "limit": 1000}"#)
        .shaped(lines::paths),
    DialectEntry::new(
        "grep",
        "grep",
        &[
            required("pattern"),
            required("path"),
            optional("case_insensitive").is("ignore_case").default("false"),
            optional("file_pattern").is("glob"),
        ],
    )
    .shaped(lines::matches),
    DialectEntry::new("list_dir", "list_dir", &[required("path")]).fixed(ONE_FOLDER).shaped(lines::entries),
    DialectEntry::new("file_stat", "file_stat", &[required("path")]),
    DialectEntry::new("file_delete", "file_delete", &[required("path")]).fixed(r#"{"recursive": false}"#),
    DialectEntry::new("file_move", "file_move", &[required("source"), required("destination")]),
    DialectEntry::new("file_copy", "file_copy", &[required("source"), required("destination")]),
    DialectEntry::new(
        "bash",
        "bash",
        &[
            required("command"),
            optional("timeout_ms").default("120000"),
            optional("background").default("false"),
        ],
    ),
    DialectEntry::new(
        "bash_output",
        "bash_output",
        &[required("process_id"), optional("block").default("false")],
    ),
    DialectEntry::new("bash_kill", "bash_kill", &[required("process_id")]),
    DialectEntry::new("web_fetch", "web_fetch", &[required("url")]),
    DialectEntry::new(
        "web_search",
        "web_search",
        &[
            required("query"),
            optional("count").default("5").bounds(r#"{"minimum": 1, "maximum": 10}"#),
            optional("freshness").bounds(r#"{"enum": ["day", "week", "month", "year"]}"#),
        ],
    ),
    DialectEntry::new("todo_write", "todo_write", &[required("todos")]),
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
    .fixed(r#"{"background": false}"#),
    DialectEntry::new("ask_user", "ask_user", &[required("question"), optional("options")])
        .fixed(r#"{"timeout_s": 300}"#),
    DialectEntry::new(
        "memory",
        "memory",
        &[
            required("action").bounds(r#"{"enum": ["read", "write", "list", "delete"]}"#),
            optional("key"),
            optional("content"),
        ],
    ),
    DialectEntry::new("compact", "compact", &[optional("focus")]),
    DialectEntry::new("browser_launch", "browser_launch", &[optional("headless"), optional("viewport")]),
    DialectEntry::new("browser_navigate", "browser_navigate", &[required("url")]),
    DialectEntry::new(
        "browser_click",
        "browser_click",
        &[optional("selector"), optional("x"), optional("y")],
    ),
    DialectEntry::new(
        "browser_type",
        "browser_type",
        &[required("selector"), required("text"), optional("delay")],
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
    ),
    DialectEntry::new("browser_press_key", "browser_press_key", &[required("key"), optional("modifiers")]),
    DialectEntry::new(
        "browser_screenshot",
        "browser_screenshot",
        &[optional("selector"), optional("full_page")],
    )
    .shaped(text::picture),
    DialectEntry::new("browser_get_dom", "browser_get_dom", &[optional("selector"), optional("max_depth")]),
    DialectEntry::new("browser_evaluate", "browser_evaluate", &[required("script")]),
    DialectEntry::new(
        "browser_wait_for",
        "browser_wait_for",
        &[optional("selector"), optional("condition"), optional("timeout")],
    ),
    DialectEntry::new("browser_go_back", "browser_go_back", &[]),
    DialectEntry::new("browser_go_forward", "browser_go_forward", &[]),
    DialectEntry::new("browser_reload", "browser_reload", &[]),
    DialectEntry::new("browser_get_state", "browser_get_state", &[]),
    DialectEntry::new("screenshot", "screenshot", &[optional("path")]).fixed(r#"{"target": "desktop"}"#),
    DialectEntry::new("open_in_folder", "open_in_folder", &[required("path")]),
];

fn edited(outcome: &Outcome) -> Value {
    text::edited(outcome, "old_string", "new_string")
}
