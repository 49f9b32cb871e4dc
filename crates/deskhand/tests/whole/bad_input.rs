//! Every tool gets every kind of bad input. A new tool is covered from the moment it is registered.

use std::{collections::BTreeMap, fs, path::Path};

use deskhand_core::{Mode, Outcome, Status, ToolEntry};
use deskhand_testkit::SmallDisk;
use serde_json::{Value, json};

use crate::support::Desk;

/// What stands outside the workspace and must stay as it is: every path with its content.
fn everything_in(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                all.insert(path.display().to_string(), fs::read(&path).unwrap());
            }
        }
    }
    all
}

/// The names of the real tools, with their examples.
fn tools(desk: &Desk) -> Vec<(String, Value)> {
    let offered = desk.gate.registry.offered().filter(|entry| !entry.spec().name.starts_with("probe_"));
    let example = |entry: &ToolEntry| serde_json::from_str(entry.spec().example).unwrap();
    offered.map(|entry| (entry.spec().name.to_owned(), example(&entry))).collect()
}

/// The outcome says what was wrong, in bounded words, and the tool did not break down over it.
fn is_clear(tool: &str, case: &str, outcome: &Outcome) {
    let code = outcome.error.as_ref().map_or("", |error| error.code.as_str());
    assert_ne!(code, "tool_panicked", "{tool}, {case}: {}", outcome.text);
    assert!(outcome.text.len() < 6_000, "{tool}, {case}: {} bytes of text", outcome.text.len());
    assert!(!outcome.text.is_empty(), "{tool}, {case} says nothing");
}

#[tokio::test]
async fn wrong_arguments_are_named_whatever_the_tool() {
    let desk = Desk::new().mode(Mode::Auto);
    for (tool, example) in tools(&desk) {
        let tool = tool.as_str();
        let mut cases = vec![
            ("null", json!(null)),
            ("a list", json!([1])),
            ("a text", json!("x")),
            ("a number", json!(7)),
        ];
        let with = |name: &str, value: Value| {
            let mut changed = example.clone();
            changed[name] = value;
            changed
        };
        cases.push(("an extra field", with("surely_unknown", json!(1))));
        for name in example.as_object().unwrap().keys() {
            cases.push(("an object for a value", with(name, json!({"a": {"b": []}}))));
            let other = if example[name].is_number() || example[name].is_boolean() {
                json!("x")
            } else {
                json!(true)
            };
            cases.push(("a wrong type", with(name, other)));
        }
        let required = desk.gate.registry.get(tool).unwrap().input_schema()["required"].clone();
        for name in required.as_array().into_iter().flatten() {
            let mut changed = example.clone();
            changed.as_object_mut().unwrap().remove(name.as_str().unwrap());
            cases.push(("a missing field", changed));
        }
        for (case, arguments) in cases {
            let outcome = desk.call(tool, arguments.clone()).await;
            assert_eq!(
                outcome.status,
                Status::InvalidArguments,
                "{tool}, {case}: {arguments} gave {}",
                outcome.text
            );
            is_clear(tool, case, &outcome);
        }
    }
}

#[tokio::test]
async fn odd_texts_end_in_a_clear_outcome_and_change_nothing_outside() {
    let desk = Desk::new().mode(Mode::Auto);
    let outside = desk.workspace.parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("keep.txt"), "keep").unwrap();
    std::os::unix::fs::symlink("circle", desk.path("circle")).unwrap();
    std::os::unix::fs::symlink(&outside, desk.path("way-out")).unwrap();
    let before = everything_in(&outside);
    let odd = [
        ("empty", String::new()),
        ("a megabyte", "x".repeat(1_000_000)),
        ("NUL", "a\0b".to_owned()),
        ("a line feed", "odd\nname".to_owned()),
        ("a long path", "d/".repeat(2_500)),
        ("a long name", "n".repeat(300)),
        ("nothing there", "no/such/thing".to_owned()),
        ("a folder", ".".to_owned()),
        ("a circle of links", "circle".to_owned()),
        ("up and out", "../../../../../../etc/deskhand-test".to_owned()),
        ("a link out", "way-out/keep.txt".to_owned()),
        ("a device", "/dev/zero".to_owned()),
        ("escapes", "\u{1b}[2J\u{202e}".to_owned()),
    ];
    for (tool, example) in tools(&desk) {
        let tool = tool.as_str();
        for name in example.as_object().unwrap().keys() {
            for (case, text) in &odd {
                let mut arguments = example.clone();
                arguments[name] = match &example[name] {
                    Value::String(_) => json!(text),
                    Value::Array(items) if items.iter().all(Value::is_string) => json!([text]),
                    _ => continue,
                };
                let outcome = desk.call(tool, arguments).await;
                is_clear(tool, &format!("{name} is {case}"), &outcome);
                let about_paths =
                    ["path", "source", "destination", "output", "file"].contains(&name.as_str());
                if about_paths && ["NUL", "empty", "a megabyte", "a long path"].contains(case) {
                    assert!(!outcome.is_success(), "{tool}, {name} is {case}: {}", outcome.text);
                }
            }
        }
    }
    assert_eq!(everything_in(&outside), before);
}

/// A full disk: a write fails with a clear error, nothing is lost or half-written, and the program goes on.
#[tokio::test]
async fn a_full_disk_loses_nothing() {
    let desk = Desk::new().mode(Mode::Auto);
    let small = desk.path("small");
    fs::create_dir(&small).unwrap();
    let Some(_disk) = SmallDisk::mount_at(&small, "size=256k") else { return };
    fs::write(small.join("a.txt"), "precious\n").unwrap();
    let too_much = "x".repeat(1_000_000);
    let outcome = desk.call("write_file", json!({"path": "small/a.txt", "content": too_much})).await;
    let appended =
        desk.call("write_file", json!({"path": "small/a.txt", "content": too_much, "mode": "append"})).await;
    let left: Vec<_> = fs::read_dir(&small).unwrap().map(|e| e.unwrap().file_name()).collect();
    let kept = fs::read_to_string(small.join("a.txt")).unwrap();
    let smaller = desk.call("write_file", json!({"path": "small/b.txt", "content": "fits\n"})).await;
    for outcome in [outcome, appended] {
        assert_eq!((outcome.status, outcome.error.unwrap().code.as_str()), (Status::Error, "disk_full"));
    }
    assert_eq!((kept.as_str(), left.len()), ("precious\n", 1), "{left:?}");
    assert!(smaller.is_success(), "{}", smaller.text);
}
