//! Unpacking what is as it should be.

use std::{
    fs,
    time::{Duration, SystemTime},
};

use deskhand_core::{Access, Permission, Preview, Status, UndoStep, Undoable, undo::PathState};
use serde_json::json;

use super::{
    archive_of,
    raw::{Raw, archive, crc32},
    unpack,
};
use crate::{
    files::undo::Undo,
    testing::{Desk, SmallDisk, look, set_mode},
};

#[test]
fn says_what_it_would_do() {
    let desk = Desk::new();
    desk.write("sub/a.zip", archive_of(&[("x", b"1"), ("d/y", b"22")]));
    let plan = desk.plan(super::DecompressFile, json!({"file": "sub/a.zip"})).unwrap();
    assert!(plan.summary.ends_with("sub/a: 2 files, 1 folder, 3 bytes"), "{}", plan.summary);
    assert_eq!(plan.preview, Some(Preview::Text("d/\nd/y  2\nx  1\n".to_owned())));
    assert_eq!((plan.permission, &plan.undo), (Permission::Moderate, &Undoable::Yes));
    assert!(plan.covers(&desk.path("sub/a/d/y"), Access::Create, Permission::Moderate));
    assert_eq!(desk.listing(), ["sub/", "sub/a.zip"]);
}

#[test]
fn unpacks_beside_the_archive_and_reports() {
    let desk = Desk::new();
    desk.write("a.zip", archive_of(&[("x", b"1"), ("d/y", b"22")]));
    let called = unpack(&desk, json!({"file": "a.zip"})).unwrap();
    assert_eq!(desk.listing(), ["a.zip", "a/", "a/d/", "a/d/y", "a/x"]);
    assert_eq!((desk.text("a/x"), desk.text("a/d/y")), ("1".to_owned(), "22".to_owned()));
    assert_eq!(called.data["entries"], json!(["d/", "d/y", "x"]));
    assert_eq!((&called.data["files"], &called.data["bytes"]), (&json!(2), &json!(3)));
}

#[test]
fn makes_the_folders_above_the_destination() {
    let desk = Desk::new();
    desk.write("a.zip", archive_of(&[("x", b"1")]));
    unpack(&desk, json!({"file": "a.zip", "destination": "p/q/r"})).unwrap();
    assert_eq!(desk.text("p/q/r/x"), "1");
}

#[test]
fn permission_goes_by_what_is_written() {
    let desk = Desk::new();
    let permission = |name: &str, destination: &str| {
        desk.write("a.zip", archive_of(&[(name, b"1")]));
        desk.plan(super::DecompressFile, json!({"file": "a.zip", "destination": destination}))
            .unwrap()
            .permission
    };
    let outside = desk.outside();
    assert_eq!(permission("x", "out"), Permission::Moderate);
    assert_eq!(permission("x", outside.to_str().unwrap()), Permission::Sensitive);
    assert_eq!(permission(".env", "out"), Permission::Sensitive);
    assert_eq!(permission("p/.ssh/authorized_keys", "out"), Permission::Sensitive);
    assert_eq!(permission(".git/hooks/pre-commit", "."), Permission::Sensitive);
    desk.write("a.zip", archive_of(&[("data/audit/x", b"1")]));
    let home = outside.parent().unwrap().to_str().unwrap();
    let error = desk.plan(super::DecompressFile, json!({"file": "a.zip", "destination": home})).unwrap_err();
    assert_eq!(error.status, Status::Blocked, "{error:?}");
}

#[test]
fn existing_files_are_kept_unless_asked() {
    let desk = Desk::new();
    desk.write("a.zip", archive_of(&[("x", b"new"), ("d/y", b"new"), ("n/z", b"new")]));
    desk.write("out/x", "old");
    desk.write("out/other", "other");
    set_mode(&desk.path("out/x"), 0o600);
    let before = desk.listing();
    let arguments = |overwrite: bool| json!({"file": "a.zip", "destination": "out", "overwrite": overwrite});
    let error = unpack(&desk, arguments(false)).unwrap_err();
    assert_eq!((error.code, error.message.contains(": x.")), ("already_exists", true), "{error:?}");
    assert_eq!((desk.text("out/x"), desk.listing()), ("old".to_owned(), before));

    let called = unpack(&desk, arguments(true)).unwrap();
    assert!(called.plan.summary.ends_with("replacing 1 file"), "{}", called.plan.summary);
    assert_eq!(desk.text("out/x") + &desk.text("out/d/y") + &desk.text("out/n/z"), "newnewnew");
    assert_eq!(desk.text("out/other"), "other");
    assert_eq!(called.data["replaced"], json!(1));
    let listing = desk.listing();
    assert_eq!(listing.len(), 8, "nothing of ours is left behind: {listing:?}");

    desk.call(Undo, json!({"call_id": called.id.to_string()})).unwrap();
    assert_eq!(desk.listing(), ["a.zip", "out/", "out/other", "out/x"]);
    assert_eq!((desk.text("out/x"), look(&desk.path("out/x")).0), ("old".to_owned(), 0o600));
}

#[test]
fn something_else_in_the_way() {
    let desk = Desk::new();
    desk.write("a.zip", archive_of(&[("x", b"1"), ("d/y", b"2")]));
    desk.write("in-file", "");
    fs::create_dir_all(desk.path("one/x")).unwrap();
    desk.write("two/d", "");
    for (destination, code) in
        [("in-file", "not_a_directory"), ("one", "already_exists"), ("two", "already_exists")]
    {
        let arguments = json!({"file": "a.zip", "destination": destination, "overwrite": true});
        assert_eq!(unpack(&desk, arguments).unwrap_err().code, code, "{destination}");
    }
    assert_eq!(desk.listing(), ["a.zip", "in-file", "one/", "one/x/", "two/", "two/d"]);
}

#[test]
fn is_one_change_that_can_be_taken_back() {
    let desk = Desk::new();
    desk.write("a.zip", archive_of(&[("x", b"1"), ("d/y", b"2")]));
    let called = unpack(&desk, json!({"file": "a.zip"})).unwrap();
    let steps = desk.entry(called.id).unwrap().steps;
    assert!(
        matches!(&steps[..], [UndoStep::Change { path, before: PathState::Absent, .. }] if *path == desk.path("a")),
        "{steps:?}"
    );
    let undo = json!({"call_id": called.id.to_string()});
    fs::write(desk.path("a/d/y"), "changed since").unwrap();
    desk.call(Undo, undo.clone()).unwrap_err();
    assert_eq!(desk.text("a/d/y"), "changed since");
    let called = {
        fs::remove_dir_all(desk.path("a")).unwrap();
        unpack(&desk, json!({"file": "a.zip"})).unwrap()
    };
    desk.call(Undo, json!({"call_id": called.id.to_string()})).unwrap();
    assert_eq!(desk.listing(), ["a.zip"]);
}

#[test]
fn cancelled_leaves_nothing() {
    let desk = Desk::new();
    desk.write("a.zip", archive_of(&[("x", &vec![1; 2_000_000])]));
    fs::create_dir(desk.path("out")).unwrap();
    for destination in ["p/q", "out"] {
        let arguments = json!({"file": "a.zip", "destination": destination});
        let cancel = |_: &_, cx: &deskhand_core::Cx| cx.cancel_token().cancel();
        let error = desk.call_after(super::DecompressFile, arguments, cancel).unwrap_err();
        assert_eq!(
            (error.status, desk.listing()),
            (Status::Cancelled, vec!["a.zip".to_owned(), "out/".to_owned()])
        );
    }
}

#[test]
fn an_archive_that_was_replaced_after_the_plan_is_not_unpacked() {
    let desk = Desk::new();
    let arguments = json!({"file": "a.zip"});
    for other in
        [archive_of(&[("x", b"1"), ("y", b"1")]), archive_of(&[("y", b"1")]), archive_of(&[(".env", b"1")])]
    {
        desk.write("a.zip", archive_of(&[("x", b"1")]));
        let replace = |_: &_, _: &_| fs::write(desk.path("a.zip"), &other).unwrap();
        let error = desk.call_after(super::DecompressFile, arguments.clone(), replace).unwrap_err();
        assert_eq!((error.code, desk.listing()), ("plan_changed", vec!["a.zip".to_owned()]));
    }
}

#[test]
fn a_disk_that_fills_up_while_files_are_put_in_place() {
    let Some(disk) = SmallDisk::mount("size=2m") else { return };
    let desk = Desk::in_workspace(disk.path());
    let noise: Vec<u8> = (0..150_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()).collect();
    let files: [(&str, &[u8]); 4] =
        [("a", &noise[..100_000]), ("b", &noise[..400_000]), ("d/x", b"1"), ("e", &noise)];
    let archive = archive_of(&files);
    let elsewhere = desk.outside().join("a.zip");
    fs::write(&elsewhere, archive).unwrap();
    desk.write("out/a", "old");
    set_mode(&desk.path("out/a"), 0o640);
    let arguments = json!({"file": elsewhere.to_str().unwrap(), "destination": "out", "overwrite": true});
    let error = unpack(&desk, arguments).unwrap_err();
    assert_eq!(error.code, "disk_full", "{error:?}");
    assert_eq!(desk.listing(), ["out/", "out/a"]);
    assert_eq!((desk.text("out/a"), look(&desk.path("out/a")).0), ("old".to_owned(), 0o640));
}

#[test]
fn modes_without_lent_rights() {
    let desk = Desk::new();
    let with = |name: &str, mode: u32| Raw { attributes: mode << 16, ..Raw::file(name, b"1") };
    let folder = |name: &str, mode: u32| Raw { attributes: mode << 16, ..Raw::file(name, b"") };
    desk.write(
        "a.zip",
        archive(&[
            with("run", 0o104_755),
            with("group", 0o102_711),
            with("plain", 0o100_640),
            with("sealed", 0o100_400),
            folder("shut/", 0o040_500),
            with("shut/in", 0o100_600),
        ]),
    );
    unpack(&desk, json!({"file": "a.zip"})).unwrap();
    for (name, mode) in [
        ("run", 0o755),
        ("group", 0o711),
        ("plain", 0o640),
        ("sealed", 0o400),
        ("shut", 0o700),
        ("shut/in", 0o600),
    ] {
        assert_eq!(look(&desk.path(format!("a/{name}"))).0, mode, "{name}");
    }
}

#[test]
fn times_to_the_second_where_they_are_known() {
    let desk = Desk::new();
    let extra = [b"UT\x05\0\x01".as_slice(), &1_700_000_001_u32.to_le_bytes()].concat();
    desk.write("a.zip", archive(&[Raw { extra, ..Raw::file("exact", b"1") }, Raw::file("coarse", b"1")]));
    unpack(&desk, json!({"file": "a.zip"})).unwrap();
    let exact = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_001);
    assert_eq!(look(&desk.path("a/exact")).1, exact);
    // 2025-01-01, 12:00 of wherever this is.
    let coarse = look(&desk.path("a/coarse")).1.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    assert!(coarse.abs_diff(1_735_732_800) <= 15 * 3600, "{coarse}");
}

#[test]
fn names_in_every_encoding() {
    let desk = Desk::new();
    let mut extra = b"\x75\x70".to_vec();
    let other = "另一个.txt".as_bytes();
    extra.extend(u16::try_from(other.len() + 5).unwrap().to_le_bytes());
    extra.push(1);
    extra.extend(crc32(b"\xc1\xed.txt").to_le_bytes());
    extra.extend(other);
    desk.write(
        "a.zip",
        archive(&[
            Raw { flags: 0x800, ..Raw::file("旗.txt", b"") },
            Raw::file("无旗.txt", b""),
            Raw::file(b"\xd6\xd0\xce\xc4/\xce\xc4\xbc\xfe.txt", b""),
            Raw { system: 0, ..Raw::file(b"\x81\x5c\\\x81\x5c.txt", b"") },
            Raw { system: 0, ..Raw::file(b"caf\x82.txt", b"") },
            Raw { extra, ..Raw::file(b"\xc1\xed.txt", b"") },
        ]),
    );
    unpack(&desk, json!({"file": "a.zip"})).unwrap();
    let mut wanted =
        ["旗.txt", "无旗.txt", "中文/", "中文/文件.txt", "乗/", "乗/乗.txt", "café.txt", "另一个.txt"]
            .map(|name| format!("a/{name}"))
            .to_vec();
    wanted.extend(["a.zip".to_owned(), "a/".to_owned()]);
    wanted.sort();
    assert_eq!(desk.listing(), wanted);
}

#[test]
fn backslashes_of_other_systems_are_separators() {
    let desk = Desk::new();
    desk.write("a.zip", archive(&[Raw { system: 0, ..Raw::file("d\\e\\f", b"1") }, Raw::file("a\\b", b"2")]));
    unpack(&desk, json!({"file": "a.zip"})).unwrap();
    assert_eq!(desk.listing(), ["a.zip", "a/", "a/a\\b", "a/d/", "a/d/e/", "a/d/e/f"]);
}

#[test]
fn something_before_the_archive() {
    let desk = Desk::new();
    let whole = [b"#!/bin/sh\nexit 1\n".as_slice(), &archive_of(&[("x", b"1")])].concat();
    desk.write("a.run", whole);
    unpack(&desk, json!({"file": "a.run"})).unwrap();
    assert_eq!(desk.text("a/x"), "1");
}

#[test]
fn bad_input() {
    let desk = Desk::with_oddities();
    desk.withstands_bad_input(|| super::DecompressFile, "file", &json!({"file": "a.zip"}));
    desk.write("a.zip", archive_of(&[("x", b"1")]));
    desk.withstands_bad_input(
        || super::DecompressFile,
        "file",
        &json!({"file": "a.zip", "destination": "somewhere", "overwrite": true}),
    );
    assert_eq!(unpack(&desk, json!({"file": "folder"})).unwrap_err().code, "is_a_directory");
    assert_eq!(unpack(&desk, json!({"file": "none.zip"})).unwrap_err().code, "no_such_file");
}
