//! What every tool that reads a folder must withstand.

use deskhand_core::{Status, Tool, ToolError};
use serde_json::{Value, json};

use super::{file_search::FileSearch, grep::Grep, list_dir::ListDir};
use crate::testing::Desk;

/// Calls all of them with the same path, and with what else each needs.
fn errors(desk: &Desk, more: &Value) -> Vec<(&'static str, Option<ToolError>)> {
    fn one<T: Tool>(desk: &Desk, tool: T, more: &Value, needed: &Value) -> (&'static str, Option<ToolError>) {
        let mut arguments = needed.clone();
        if let Some(fields) = more.as_object() {
            for (name, value) in fields {
                arguments[name] = value.clone();
            }
        }
        (T::SPEC.name, desk.call(tool, arguments).err())
    }
    vec![
        one(desk, ListDir, more, &json!({"recursive": true})),
        one(desk, FileSearch, more, &json!({})),
        one(desk, Grep, more, &json!({"pattern": "x"})),
    ]
}

#[test]
fn wrong_arguments_are_said() {
    let desk = Desk::with_oddities();
    for more in [
        json!({"no_such_parameter": 1}),
        json!({"path": 5}),
        json!({"path": ["a"]}),
        json!({"path": true}),
        json!({"path": ""}),
        json!({"path": "a\0b"}),
        json!({"path": "x".repeat(1_000_000)}),
        json!({"path": format!("{}f", "d/".repeat(2100))}),
        json!({"limit": 0}),
        json!({"limit": 100_000}),
        json!({"limit": "ten"}),
        json!({"limit": true}),
        json!({"include_hidden": "yes"}),
    ] {
        for (tool, error) in errors(&desk, &more) {
            let error = error.unwrap_or_else(|| panic!("{tool} takes {more}"));
            assert_eq!(error.status, Status::InvalidArguments, "{tool}: {error:?}");
            assert!(error.message.len() < 3000, "{tool}: {} bytes of message", error.message.len());
        }
    }
}

#[test]
fn wrong_paths_are_said() {
    let desk = Desk::with_oddities();
    for path in ["missing".to_owned(), "a".repeat(300), "loop".to_owned(), "file/x".to_owned()] {
        for (tool, error) in errors(&desk, &json!({"path": path})) {
            let error = error.unwrap_or_else(|| panic!("{tool} takes {path}"));
            let known = ["no_such_file", "name_too_long", "link_loop", "not_a_directory"];
            assert!(known.contains(&error.code), "{tool}: {error:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_blocks_nobody() {
    let desk = Desk::new();
    desk.write("x.txt", "x\n");
    for pipe in ["pipe", "sub/pipe", "sub/.gitignore"] {
        std::fs::create_dir_all(desk.path("sub")).unwrap();
        let path = desk.path(pipe);
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    }
    std::fs::create_dir(desk.path(".git")).unwrap();
    let start = std::time::Instant::now();
    assert!(errors(&desk, &json!({})).iter().all(|(_, error)| error.is_none()));
    for (tool, error) in errors(&desk, &json!({"path": "pipe"})) {
        let code = error.map(|error| error.code);
        assert!(matches!(code, Some("not_a_file" | "not_a_directory")), "{tool}: {code:?}");
    }
    // An ignore file is opened by the walk itself.
    let ignored = desk.path(".ignore");
    rustix::fs::mknodat(rustix::fs::CWD, &ignored, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    for (tool, error) in errors(&desk, &json!({})) {
        assert_eq!(error.map(|error| error.code), Some("not_a_file"), "{tool}");
    }
    assert!(errors(&desk, &json!({"respect_gitignore": false})).iter().all(|(_, error)| error.is_none()));
    assert!(start.elapsed().as_secs() < 10);
}

/// Keeps what is told while a call runs.
#[derive(Default)]
struct Heard(std::sync::Mutex<Vec<Option<u64>>>);

impl deskhand_core::EventSink for Heard {
    fn emit(&self, body: deskhand_core::EventBody) {
        if let deskhand_core::EventBody::CallOutput { progress, .. } = body {
            self.0.lock().unwrap().push(progress.done);
        }
    }
}

#[test]
fn a_long_walk_tells_how_far_it_is() {
    let desk = Desk::new();
    for n in 0..5_000 {
        desk.write(format!("d{}/f{n}", n % 3), "");
    }
    fn told<T: Tool>(desk: &Desk, tool: &T, arguments: Value) -> Vec<Option<u64>> {
        let heard = std::sync::Arc::new(Heard::default());
        let cx = desk.cx_heard_by(T::SPEC.name, heard.clone());
        let input = serde_json::from_value(arguments).unwrap();
        crate::testing::block_on(tool.run(input, &cx)).unwrap();
        heard.0.lock().unwrap().clone()
    }
    for told in [
        told(&desk, &ListDir, json!({"recursive": true})),
        told(&desk, &FileSearch, json!({})),
        told(&desk, &Grep, json!({"pattern": "x"})),
    ] {
        assert!(!told.is_empty() && told.len() < 5 && told.iter().all(Option::is_some), "{told:?}");
    }
}

/// A system folder is open to everyone, but not what of it only some may read.
#[cfg(unix)]
#[test]
fn private_system_files_are_passed_over() {
    if !std::path::Path::new("/etc/shadow").exists() {
        deskhand_testkit::skip("there is no /etc/shadow here");
        return;
    }
    let desk = Desk::new();
    let called = desk.call(Grep, json!({"pattern": "^root:", "path": "/etc", "output": "files"})).unwrap();
    let files = called.data["files"].to_string();
    assert!(files.contains("\"/etc/passwd\"") && !files.contains("shadow\""), "{files}");
    assert!(called.data["skipped_sensitive"].as_u64().unwrap() > 0);
}
