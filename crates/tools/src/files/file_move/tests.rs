use std::fs;

use deskhand_core::{Status, Undoable};
use serde_json::json;

use super::*;
use crate::{
    files::undo::Undo,
    testing::{Desk, look},
};

fn desk() -> Desk {
    let desk = Desk::with_oddities();
    desk.write("f", "content");
    desk.write("tree/a/b", "x");
    desk.write("tree/c", "yy");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../f", desk.path("tree/link")).unwrap();
    desk
}

#[test]
fn moves_and_moves_back() {
    let desk = desk();
    let before = desk.listing();
    for (source, destination, now) in [
        ("f", "g", "g"),
        ("f", "F", "F"),
        ("f", "new/deep/g", "new/deep/g"),
        ("f", "folder", "folder/f"),
        ("f", "newfolder/", "newfolder/f"),
        ("tree/link", "link2", "link2"),
        ("tree", "other", "other"),
        ("tree", "folder", "folder/tree"),
        ("loop", "circle", "circle"),
    ] {
        let look_before = look(&desk.path(source));
        let arguments = json!({"source": source, "destination": destination});
        let called =
            desk.call(FileMove, arguments.clone()).unwrap_or_else(|error| panic!("{arguments}: {error}"));
        assert!(desk.path(source).symlink_metadata().is_err(), "{arguments}");
        assert_eq!(look(&desk.path(now)), look_before, "{arguments}");
        assert_eq!(called.data["destination"], desk.path(now).to_str().unwrap());
        assert_eq!(called.plan.undo, Undoable::Yes);
        let undone = desk.call(Undo, json!({})).unwrap();
        assert_eq!(desk.listing(), before, "undone: {arguments}");
        let redone = desk.call(Undo, json!({"call_id": undone.id.to_string()})).unwrap();
        assert_eq!(look(&desk.path(now)), look_before, "redone: {arguments}");
        desk.call(Undo, json!({"call_id": redone.id.to_string()})).unwrap();
        assert_eq!(desk.listing(), before);
    }
}

#[test]
fn what_is_there_is_replaced_only_when_told() {
    let desk = desk();
    desk.write("g", "old");
    let error = desk.call(FileMove, json!({"source": "f", "destination": "g"})).unwrap_err();
    assert_eq!(error.code, "already_exists");
    let called = desk.call(FileMove, json!({"source": "f", "destination": "g", "overwrite": true})).unwrap();
    assert_eq!((desk.text("g").as_str(), &called.data["replaced"]), ("content", &true.into()));
    let undone = desk.call(Undo, json!({})).unwrap();
    assert_eq!((desk.text("g"), desk.text("f")), ("old".to_owned(), "content".to_owned()));
    desk.call(Undo, json!({"call_id": undone.id.to_string()})).unwrap();
    assert_eq!(desk.text("g"), "content");
    assert!(!desk.path("f").exists());
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("file", desk.path("link")).unwrap();
        desk.call(FileMove, json!({"source": "g", "destination": "link", "overwrite": true})).unwrap();
        assert_eq!((desk.text("link"), desk.text("file")), ("content".to_owned(), "content\n".to_owned()));
        desk.call(Undo, json!({})).unwrap();
        assert!(desk.path("link").is_symlink() && desk.path("g").exists());
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
        ("f", "twin", "same_file"),
        ("tree", "tree/a", "into_itself"),
        ("tree", "file", "already_exists"),
        ("tree", "folder", "already_exists"),
        ("missing", "x", "no_such_file"),
        (".", "x", "path:holds-everything"),
    ] {
        let arguments = json!({"source": source, "destination": destination, "overwrite": true});
        let error = desk.call(FileMove, arguments.clone()).unwrap_err();
        assert_eq!(error.code, code, "{arguments}: {error}");
    }
    assert_eq!(desk.listing(), before);
    let desk = Desk::with_oddities();
    desk.withstands_bad_input(|| FileMove, "source", &json!({"source": "f", "destination": "new"}));
    desk.withstands_bad_input(|| FileMove, "destination", &json!({"source": "file", "destination": "new"}));
}

#[test]
fn sensitive_places_in_a_tree_raise_the_permission() {
    let desk = desk();
    desk.write("tree/a/.env", "TOKEN=x");
    let plan = desk.plan(FileMove, json!({"source": "tree", "destination": "other"})).unwrap();
    assert_eq!(plan.permission, Permission::Sensitive);
    assert_eq!(plan.touches.iter().filter(|touch| touch.recursive).count(), 2);
    let error = desk.call(FileMove, json!({"source": "f", "destination": "../data/x"})).unwrap_err();
    assert_eq!(error.status, Status::Blocked);
}

#[cfg(unix)]
#[test]
fn what_appeared_after_the_plan_is_not_overwritten() {
    let desk = desk();
    let error = desk.call_after(FileMove, json!({"source": "f", "destination": "g"}), |_, _| {
        desk.write("g", "theirs");
    });
    assert!(["plan_changed", "already_exists"].contains(&error.unwrap_err().code));
    assert_eq!((desk.text("g"), desk.text("f")), ("theirs".to_owned(), "content".to_owned()));
    let outside = desk.outside();
    let error = desk.call_after(FileMove, json!({"source": "f", "destination": "new/g"}), |_, _| {
        std::os::unix::fs::symlink(&outside, desk.path("new")).unwrap();
    });
    assert_eq!(error.unwrap_err().code, "plan_changed");
    assert_eq!(fs::read_dir(outside).unwrap().count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn moves_to_another_file_system_and_back() {
    let Some(disk) = crate::testing::SmallDisk::mount("size=1m") else { return };
    let desk = desk();
    let there = disk.path().canonicalize().unwrap();
    let before = desk.listing();
    for source in ["f", "tree", "tree/link"] {
        let destination = there.join("moved");
        let look_before = look(&desk.path(source));
        let arguments = json!({"source": source, "destination": destination});
        let called = desk.call(FileMove, arguments.clone()).unwrap();
        assert!(desk.path(source).symlink_metadata().is_err(), "{arguments}");
        assert_eq!(look(&destination), look_before, "{arguments}");
        assert!(called.plan.notes.iter().any(|note| note.contains("another file system")));
        let undone = desk.call(Undo, json!({})).unwrap();
        assert_eq!(desk.listing(), before);
        assert!(destination.symlink_metadata().is_err());
        assert_eq!(look(&desk.path(source)), look_before);
        let redone = desk.call(Undo, json!({"call_id": undone.id.to_string()})).unwrap();
        assert_eq!(look(&destination), look_before, "redone: {arguments}");
        desk.call(Undo, json!({"call_id": redone.id.to_string()})).unwrap();
    }
    desk.write("big", vec![0; 2_000_000]);
    let before = desk.listing();
    let error = desk.call(FileMove, json!({"source": "big", "destination": there.join("big")})).unwrap_err();
    assert_eq!(error.code, "disk_full");
    assert_eq!(desk.listing(), before);
    fs::write(there.join("target"), "old").unwrap();
    desk.call(FileMove, json!({"source": "f", "destination": there.join("target"), "overwrite": true}))
        .unwrap();
    assert_eq!(fs::read_to_string(there.join("target")).unwrap(), "content");
    desk.call(Undo, json!({})).unwrap();
    assert_eq!(fs::read_to_string(there.join("target")).unwrap(), "old");
    assert_eq!(desk.text("f"), "content");
}
