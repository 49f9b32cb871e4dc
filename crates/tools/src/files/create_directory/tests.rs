use std::fs;

use deskhand_core::{Permission, Undoable};
use serde_json::json;

use super::*;
use crate::{files::undo::Undo, testing::Desk};

#[test]
fn makes_what_is_missing() {
    let desk = Desk::new();
    for (path, created) in [("a", 1), ("a/b/c", 2), ("a/b/c", 0), ("x/../y", 1), ("名/字", 2)] {
        let called = desk.call(CreateDirectory, json!({"path": path})).unwrap();
        assert_eq!(called.data["created"], created, "{path}");
        assert!(desk.path(path.trim_start_matches("x/../")).is_dir());
        let (permission, undo) = match created {
            0 => (Permission::Public, Undoable::NothingToUndo),
            _ => (Permission::Moderate, Undoable::Yes),
        };
        assert_eq!((called.plan.permission, called.plan.undo), (permission, undo), "{path}");
    }
    assert!(desk.call(CreateDirectory, json!({"path": "a"})).unwrap().text.contains("exists already"));
    desk.call(Undo, json!({})).unwrap();
    assert_eq!(desk.listing(), ["a/", "a/b/", "a/b/c/", "y/"]);
}

#[test]
fn what_cannot_be_made_is_said() {
    let desk = Desk::with_oddities();
    desk.withstands_bad_input(|| CreateDirectory, "path", &json!({"path": "new"}));
    for (path, code) in [("file", "already_exists"), ("file/x", "not_a_directory"), ("loop/x", "link_loop")] {
        let error = desk.call(CreateDirectory, json!({"path": path})).unwrap_err();
        assert_eq!(error.code, code, "{path}: {error}");
    }
    assert_eq!(desk.listing(), ["file", "folder/", "loop"]);
}

#[cfg(unix)]
#[test]
fn a_folder_that_became_a_link_is_noticed() {
    let desk = Desk::new();
    let outside = desk.outside();
    let error = desk.call_after(CreateDirectory, json!({"path": "a/b"}), |_, _| {
        std::os::unix::fs::symlink(&outside, desk.path("a")).unwrap();
    });
    assert_eq!(error.unwrap_err().code, "plan_changed");
    assert_eq!(fs::read_dir(outside).unwrap().count(), 0);
}
