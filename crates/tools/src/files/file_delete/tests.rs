use std::fs;

use serde_json::json;

use super::*;
use crate::{
    files::undo::Undo,
    testing::{Desk, look, set_mode},
};

#[test]
fn deletes_and_brings_back() {
    let desk = Desk::new();
    let file = desk.write("f", "content");
    set_mode(&file, 0o640);
    fs::create_dir(desk.path("empty")).unwrap();
    desk.write("tree/a/b", "x");
    desk.write("tree/c", "yy");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../f", desk.path("tree/link")).unwrap();
    let before = (desk.listing(), look(&file), look(&desk.path("tree/c")));
    for (arguments, gone, permission, rule) in [
        (json!({"path": "f"}), "f", Permission::Moderate, "path:workspace-write"),
        (json!({"path": "empty"}), "empty", Permission::Moderate, "path:workspace-write"),
        (json!({"path": "tree/link"}), "tree/link", Permission::Moderate, "path:workspace-write"),
        (json!({"path": "tree", "recursive": true}), "tree", Permission::Sensitive, "delete:recursive"),
    ] {
        let called = desk.call(FileDelete, arguments.clone()).unwrap();
        assert!(desk.path(gone).symlink_metadata().is_err(), "{arguments}");
        assert_eq!((called.plan.permission, called.plan.rule.as_str()), (permission, rule), "{arguments}");
        assert_eq!(called.data["kept"], true);
        let undone = desk.call(Undo, json!({"call_id": called.id.to_string()})).unwrap();
        assert_eq!((desk.listing(), look(&file), look(&desk.path("tree/c"))), before, "{arguments}");
        // Deleted again by taking back the undo.
        let redone = desk.call(Undo, json!({"call_id": undone.id.to_string()})).unwrap();
        assert!(desk.path(gone).symlink_metadata().is_err(), "{arguments}");
        desk.call(Undo, json!({"call_id": redone.id.to_string()})).unwrap();
        assert_eq!((desk.listing(), look(&file), look(&desk.path("tree/c"))), before, "{arguments}");
    }
}

#[test]
fn a_folder_with_something_in_it_needs_the_choice() {
    let desk = Desk::with_oddities();
    desk.write("tree/a/b", "12345");
    let error = desk.call(FileDelete, json!({"path": "tree"})).unwrap_err();
    assert_eq!(error.code, "directory_not_empty");
    assert!(error.hint.unwrap().contains("recursive"));
    let plan = desk.plan(FileDelete, json!({"path": "tree", "recursive": true})).unwrap();
    assert!(plan.summary.contains("1 file, 2 folders, 5 bytes"), "{}", plan.summary);
    assert_eq!(desk.text("tree/a/b"), "12345");
    desk.withstands_bad_input(|| FileDelete, "path", &json!({"path": "tree"}));
    let error = desk.call(FileDelete, json!({"path": "."})).unwrap_err();
    assert_eq!((error.status, error.code), (deskhand_core::Status::Blocked, "path:holds-everything"));
}

#[test]
fn for_good_means_for_good() {
    let desk = Desk::new();
    desk.write("f", "x");
    desk.write("tree/a/b", "x");
    for arguments in [
        json!({"path": "f", "permanent": true}),
        json!({"path": "tree", "recursive": true, "permanent": true}),
    ] {
        let called = desk.call(FileDelete, arguments).unwrap();
        assert_eq!(called.plan.permission, Permission::Sensitive);
        assert!(matches!(called.plan.undo, Undoable::No(_)));
        assert!(desk.entry(called.id).is_none());
        assert!(called.text.contains("for good"));
    }
    assert_eq!(desk.listing(), [""; 0]);
}

#[test]
fn what_is_too_large_to_keep_is_asked() {
    let desk = Desk::keeping_at_most(10_000);
    desk.write("f", "x".repeat(20_000));
    let plan = desk.plan(FileDelete, json!({"path": "f"})).unwrap();
    assert!(matches!(plan.undo, Undoable::No(_)));
    assert_eq!((plan.permission, plan.rule.as_str()), (Permission::Sensitive, "delete:not-undoable"));
}

#[test]
fn sensitive_places_inside_are_named() {
    let desk = Desk::new();
    desk.write("tree/sub/.env", "TOKEN=x");
    let plan = desk.plan(FileDelete, json!({"path": "tree", "recursive": true})).unwrap();
    assert!(plan.notes.iter().any(|note| note.contains("tree/sub/.env")), "{:?}", plan.notes);
    desk.call(FileDelete, json!({"path": "tree", "recursive": true})).unwrap();
}

#[cfg(unix)]
#[test]
fn a_link_goes_and_its_target_stays() {
    use std::os::unix::fs::symlink;
    let desk = Desk::new();
    desk.write("real/f", "x");
    symlink("real", desk.path("link")).unwrap();
    symlink("nowhere", desk.path("dangling")).unwrap();
    symlink("loop", desk.path("loop")).unwrap();
    for path in ["link", "dangling", "loop"] {
        let called = desk.call(FileDelete, json!({"path": path, "recursive": true})).unwrap();
        assert_eq!(called.plan.permission, Permission::Moderate, "{path}");
    }
    assert_eq!(desk.listing(), ["real/", "real/f"]);
}

#[cfg(unix)]
#[test]
fn what_was_swapped_after_the_plan_is_planned_anew() {
    let desk = Desk::new();
    desk.write("f", "x");
    desk.write("precious", "y");
    let error = desk.call_after(FileDelete, json!({"path": "f"}), |_, _| {
        fs::rename(desk.path("precious"), desk.path("f")).unwrap();
    });
    assert_eq!(error.unwrap_err().code, "plan_changed");
    assert_eq!(desk.text("f"), "y");
}

#[cfg(target_os = "linux")]
#[test]
fn from_another_file_system_it_is_copied_into_the_journal() {
    let Some(disk) = crate::testing::SmallDisk::mount("size=4m") else { return };
    let desk = Desk::in_workspace(disk.path());
    desk.write("f", "content");
    desk.write("tree/a/b", "x");
    set_mode(&desk.path("tree/a"), 0o700);
    std::os::unix::fs::symlink("b", desk.path("tree/a/link")).unwrap();
    let before =
        (desk.listing(), look(&desk.path("f")), look(&desk.path("tree/a/b")), look(&desk.path("tree/a")));
    for (path, is_gone) in [("f", "f"), ("tree", "tree"), ("tree/a/link", "tree/a/link")] {
        let called = desk.call(FileDelete, json!({"path": path, "recursive": true})).unwrap();
        assert!(desk.path(is_gone).symlink_metadata().is_err());
        let undone = desk.call(Undo, json!({"call_id": called.id.to_string()})).unwrap();
        let now = || {
            (desk.listing(), look(&desk.path("f")), look(&desk.path("tree/a/b")), look(&desk.path("tree/a")))
        };
        let modes_and_files = |(listing, f, b, a): (Vec<String>, _, _, (u32, _))| (listing, f, b, a.0);
        assert_eq!(modes_and_files(now()), modes_and_files(before.clone()), "{path}");
        let redone = desk.call(Undo, json!({"call_id": undone.id.to_string()})).unwrap();
        assert!(desk.path(is_gone).symlink_metadata().is_err());
        desk.call(Undo, json!({"call_id": redone.id.to_string()})).unwrap();
        assert_eq!(modes_and_files(now()), modes_and_files(before.clone()), "{path}");
    }
    disk.make_read_only();
    let error = desk.call(FileDelete, json!({"path": "f"})).unwrap_err();
    assert_eq!(error.code, "read_only_file_system");
}

#[test]
fn what_was_not_counted_to_its_end_is_said() {
    let desk = Desk::new();
    for number in 0..2_100 {
        desk.write(format!("tree/{number}"), "");
    }
    let called = desk.call(FileDelete, json!({"path": "tree", "recursive": true})).unwrap();
    assert!(called.text.contains(": more than 1999 files, 1 folder"), "{}", called.text);
    assert_eq!(called.data["and_more"], true);
    desk.write("f", "x");
    let called = desk.call(FileDelete, json!({"path": "f"})).unwrap();
    assert!(called.text.ends_with(": 1 file, 1 byte."), "{}", called.text);
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_is_named_in_full() {
    let desk = Desk::new();
    desk.write("tree/a/b", "x");
    set_mode(&desk.path("tree/a"), 0o000);
    let called = desk.plan(FileDelete, json!({"path": "tree", "recursive": true}));
    set_mode(&desk.path("tree/a"), 0o755);
    match called {
        // Whoever is the system's administrator can read it.
        Ok(_) => {}
        Err(error) => assert!(error.message.contains(desk.path("tree/a").to_str().unwrap()), "{error}"),
    }
}
