use std::fs;

use deskhand_core::{Status, Undoable};
use serde_json::json;

use super::*;
use crate::{
    files::undo::Undo,
    testing::{Desk, look, set_mode},
};

fn desk() -> Desk {
    let desk = Desk::with_oddities();
    let f = desk.write("f", "content");
    set_mode(&f, 0o750);
    fs::File::open(&f)
        .unwrap()
        .set_modified(std::time::UNIX_EPOCH + std::time::Duration::new(1_000_000, 5))
        .unwrap();
    desk.write("tree/a/b", "x");
    desk.write("tree/c", "yy");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../f", desk.path("tree/link")).unwrap();
    desk
}

#[test]
fn copies_and_takes_it_back() {
    let desk = desk();
    let before = desk.listing();
    for (source, destination, new) in [
        ("f", "g", vec!["g"]),
        ("f", "new/deep/g", vec!["new/", "new/deep/", "new/deep/g"]),
        ("f", "folder", vec!["folder/f"]),
        ("f", "newfolder/", vec!["newfolder/", "newfolder/f"]),
        ("tree/link", "link2", vec!["link2"]),
        ("tree", "copy", vec!["copy/", "copy/a/", "copy/a/b", "copy/c", "copy/link"]),
        (
            "tree",
            "folder",
            vec!["folder/tree/", "folder/tree/a/", "folder/tree/a/b", "folder/tree/c", "folder/tree/link"],
        ),
    ] {
        let arguments = json!({"source": source, "destination": destination});
        let called = desk.call(FileCopy, arguments.clone()).unwrap();
        let made: Vec<String> = desk.listing().into_iter().filter(|path| !before.contains(path)).collect();
        assert_eq!(made, new, "{arguments}");
        let count = |what: &str| called.data[what].as_u64().unwrap();
        assert_eq!(called.plan.undo, Undoable::Yes);
        if source == "f" {
            assert_eq!(
                look(&desk.path(made.last().unwrap())),
                look(&desk.path("f")),
                "mode and times are kept"
            );
            assert_eq!((count("files"), count("bytes")), (1, 7));
        }
        if source == "tree" {
            assert_eq!((count("files"), count("folders"), count("links"), count("bytes")), (2, 2, 1, 3));
        }
        let undone = desk.call(Undo, json!({})).unwrap();
        assert_eq!(desk.listing(), before, "undone: {arguments}");
        let redone = desk.call(Undo, json!({"call_id": undone.id.to_string()})).unwrap();
        assert_eq!(desk.listing().len(), before.len() + new.len(), "redone: {arguments}");
        desk.call(Undo, json!({"call_id": redone.id.to_string()})).unwrap();
        assert_eq!(desk.listing(), before);
    }
}

#[test]
fn what_is_there_is_replaced_only_when_told() {
    let desk = desk();
    desk.write("g", "old");
    let error = desk.call(FileCopy, json!({"source": "f", "destination": "g"})).unwrap_err();
    assert_eq!(error.code, "already_exists");
    let called = desk.call(FileCopy, json!({"source": "f", "destination": "g", "overwrite": true})).unwrap();
    assert_eq!((desk.text("g").as_str(), &called.data["replaced"]), ("content", &true.into()));
    desk.call(Undo, json!({})).unwrap();
    assert_eq!(desk.text("g"), "old");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("f", desk.path("link")).unwrap();
        desk.call(FileCopy, json!({"source": "g", "destination": "link", "overwrite": true})).unwrap();
        assert!(!desk.path("link").is_symlink());
        assert_eq!(desk.text("f"), "content", "what the link led to stays");
        desk.call(Undo, json!({})).unwrap();
        assert!(desk.path("link").is_symlink());
    }
}

#[test]
fn what_makes_no_sense_is_said() {
    let desk = desk();
    fs::create_dir_all(desk.path("folder/tree")).unwrap();
    #[cfg(unix)]
    fs::hard_link(desk.path("f"), desk.path("twin")).unwrap();
    let before = desk.listing();
    for (source, destination, code) in [
        ("f", "f", "same_file"),
        ("f", ".", "same_file"),
        ("f", "twin", "same_file"),
        ("tree", "tree", "into_itself"),
        ("tree", "tree/a", "into_itself"),
        ("tree", "tree/new/x", "into_itself"),
        ("tree", "file", "already_exists"),
        ("tree", "folder", "already_exists"),
        ("missing", "x", "no_such_file"),
        ("f", "file/x", "not_a_directory"),
    ] {
        let arguments = json!({"source": source, "destination": destination, "overwrite": true});
        let error = desk.call(FileCopy, arguments.clone()).unwrap_err();
        assert_eq!(error.code, code, "{arguments}: {error}");
    }
    assert_eq!(desk.listing(), before);
    let desk = Desk::with_oddities();
    desk.withstands_bad_input(|| FileCopy, "source", &json!({"source": "f", "destination": "new"}));
    desk.withstands_bad_input(|| FileCopy, "destination", &json!({"source": "file", "destination": "new"}));
    let error =
        desk.call(FileCopy, json!({"source": "file", "destination": "x", "overwrite": 1})).unwrap_err();
    assert_eq!(error.status, Status::InvalidArguments);
}

#[test]
fn sensitive_places_in_a_tree_raise_the_permission() {
    let desk = desk();
    let permission = |source: &str, destination: &str| {
        desk.plan(FileCopy, json!({"source": source, "destination": destination})).unwrap().permission
    };
    assert_eq!(permission("tree", "copy"), Permission::Moderate);
    assert_eq!(permission("tree", "../elsewhere"), Permission::Sensitive);
    desk.write("tree/a/.env", "TOKEN=x");
    assert_eq!(permission("tree", "copy"), Permission::Sensitive);
    desk.call(FileCopy, json!({"source": "tree", "destination": "copy"})).unwrap();
    assert_eq!(desk.text("copy/a/.env"), "TOKEN=x");
    let error = desk.call(FileCopy, json!({"source": "f", "destination": "../data/x"})).unwrap_err();
    assert_eq!(error.status, Status::Blocked);
}

#[test]
fn a_cancelled_copy_leaves_nothing() {
    let desk = desk();
    let before = desk.listing();
    for source in ["tree", "f"] {
        let arguments = json!({"source": source, "destination": "new/place"});
        let result = desk.call_after(FileCopy, arguments, |_, cx| cx.cancel_token().cancel());
        assert_eq!(result.unwrap_err().status, Status::Cancelled);
        assert_eq!(desk.listing(), before);
    }
}

#[cfg(unix)]
#[test]
fn odd_things_in_a_tree() {
    let desk = desk();
    set_mode(&desk.path("f"), 0o4755);
    desk.call(FileCopy, json!({"source": "f", "destination": "g"})).unwrap();
    assert_eq!(look(&desk.path("g")).0, 0o755, "the right to run as someone else is not copied");
    let made = std::process::Command::new("mkfifo").arg(desk.path("tree/pipe")).status();
    if made.is_ok_and(|status| status.success()) {
        let error = desk.call(FileCopy, json!({"source": "tree", "destination": "copy"})).unwrap_err();
        assert_eq!(error.code, "not_a_file");
        assert!(error.message.contains("tree/pipe"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_nothing() {
    let Some(disk) = crate::testing::SmallDisk::mount("size=512k") else { return };
    let desk = Desk::in_workspace(disk.path());
    desk.write("tree/a", "x".repeat(100_000));
    desk.write("tree/b", "x".repeat(150_000));
    desk.write("big", "x".repeat(150_000));
    let before = desk.listing();
    for (source, destination) in [("tree", "copy"), ("big", "new/big")] {
        let error = desk.call(FileCopy, json!({"source": source, "destination": destination})).unwrap_err();
        assert_eq!(error.code, "disk_full", "{error}");
        assert_eq!(desk.listing(), before);
    }
    disk.make_read_only();
    let error = desk.call(FileCopy, json!({"source": "tree/a", "destination": "a"})).unwrap_err();
    assert_eq!(error.code, "read_only_file_system");
}
