//! Making archives.

use std::{
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt, fs::symlink},
};

use ::zip::ZipArchive;
use deskhand_core::{Permission, Status, ToolResult};
use serde_json::{Value, json};

use super::CompressFiles;
use crate::{
    files::undo::Undo,
    testing::{Called, Desk, SmallDisk, look, set_mode},
};

fn pack(desk: &Desk, arguments: Value) -> ToolResult<Called> {
    desk.call(CompressFiles, arguments)
}

/// The names in an archive, sorted.
fn names_in(desk: &Desk, archive: &str) -> Vec<String> {
    let zip = ZipArchive::new(fs::File::open(desk.path(archive)).unwrap()).unwrap();
    let metadata = zip.metadata();
    let name = |n| metadata.entry(n).unwrap().name().unwrap().into_owned();
    let mut names: Vec<String> = (0..metadata.len()).map(name).collect();
    names.sort();
    names
}

#[test]
fn names_start_at_the_common_folder() {
    let desk = Desk::new();
    desk.write("p/a/x", "1");
    desk.write("p/a/d/y", "2");
    desk.write("p/b", "3");
    fs::create_dir(desk.path("p/a/empty")).unwrap();
    for (files, names) in [
        (json!(["p/b"]), vec!["b"]),
        (json!(["p/a"]), vec!["a/", "a/d/", "a/d/y", "a/empty/", "a/x"]),
        (json!(["p/a/x", "p/b"]), vec!["a/x", "b"]),
        (json!(["p/a/d", "p/b"]), vec!["a/d/", "a/d/y", "b"]),
    ] {
        pack(&desk, json!({"files": files, "output": "out.zip", "format": "zip"})).unwrap();
        assert_eq!(names_in(&desk, "out.zip"), names, "{files}");
    }
}

#[test]
fn says_and_reports_what_it_does() {
    let desk = Desk::new();
    desk.write("a", "x".repeat(10_000));
    let called = pack(&desk, json!({"files": ["a"], "output": "new/out.zip"})).unwrap();
    assert!(called.plan.summary.starts_with("Create "), "{}", called.plan.summary);
    assert!(called.plan.summary.ends_with("a ZIP archive of 1 file and 0 folders, 10000 bytes"));
    assert_eq!(called.plan.permission, Permission::Moderate);
    assert_eq!(called.data["archive_bytes"], json!(fs::metadata(desk.path("new/out.zip")).unwrap().len()));
    assert!(called.data["archive_bytes"].as_u64().unwrap() < 1000);
    desk.call(Undo, json!({})).unwrap();
    assert_eq!(desk.listing(), ["a"]);
}

#[test]
fn an_archive_that_is_there_is_replaced_after_a_question() {
    let desk = Desk::new();
    desk.write("a", "1");
    desk.write("out.zip", "old");
    set_mode(&desk.path("out.zip"), 0o600);
    let called = pack(&desk, json!({"files": ["a"], "output": "out.zip"})).unwrap();
    assert!(called.plan.summary.starts_with("Replace "), "{}", called.plan.summary);
    assert!(called.plan.summary.contains("is replaced"));
    assert_eq!((names_in(&desk, "out.zip"), look(&desk.path("out.zip")).0), (vec!["a".to_owned()], 0o600));
    desk.call(Undo, json!({})).unwrap();
    assert_eq!(desk.text("out.zip"), "old");
}

#[test]
fn the_archive_is_not_put_into_itself() {
    let desk = Desk::new();
    desk.write("d/a", "1");
    for _ in 0..2 {
        pack(&desk, json!({"files": ["d"], "output": "d/out.zip"})).unwrap();
        assert_eq!(names_in(&desk, "d/out.zip"), ["d/", "d/a"]);
    }
    let error = pack(&desk, json!({"files": ["d/out.zip"], "output": "d/out.zip"})).unwrap_err();
    assert_eq!(error.code, "output_is_input");
}

#[test]
fn lists_that_make_no_sense() {
    let desk = Desk::new();
    desk.write("d/a", "1");
    let code = |files: Value| {
        let error = pack(&desk, json!({"files": files, "output": "out.zip"})).unwrap_err();
        assert_eq!(error.status, Status::InvalidArguments, "{error:?}");
        error.code
    };
    assert_eq!(code(json!([])), "invalid_arguments");
    assert_eq!(code(json!(["d/a", "d/a"])), "listed_twice");
    assert_eq!(code(json!(["d/a", "./d/../d/a"])), "listed_twice");
    assert_eq!(code(json!(["d", "d/a"])), "listed_twice");
    assert_eq!(code(json!(["d/a", "d"])), "listed_twice");
    let missing = pack(&desk, json!({"files": ["d/a", "none"], "output": "out.zip"})).unwrap_err();
    assert_eq!(missing.code, "no_such_file");
    let folder = pack(&desk, json!({"files": ["d/a"], "output": "d"})).unwrap_err();
    assert_eq!(folder.code, "is_a_directory");
    assert_eq!(
        pack(&desk, json!({"files": ["d"], "output": "x", "format": "rar"})).unwrap_err().code,
        "invalid_arguments"
    );
    assert_eq!(desk.listing(), ["d/", "d/a"]);
}

#[test]
fn links_are_stored_where_they_stay_inside() {
    let desk = Desk::new();
    desk.write("d/a", "1");
    desk.write("secret", "s");
    for (target, link) in
        [("a", "d/in"), ("../secret", "d/up"), ("/etc/passwd", "d/abs"), ("none", "d/dangling")]
    {
        symlink(target, desk.path(link)).unwrap();
    }
    rustix::fs::mknodat(rustix::fs::CWD, desk.path("d/pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
        .unwrap();
    let called = pack(&desk, json!({"files": ["d"], "output": "out.zip"})).unwrap();
    assert_eq!(names_in(&desk, "out.zip"), ["d/", "d/a", "d/dangling", "d/in"]);
    assert_eq!(
        (called.data["links"].as_u64(), called.data["skipped"].as_array().unwrap().len()),
        (Some(2), 3)
    );
    for name in ["d/up", "d/abs", "d/pipe"] {
        assert!(called.text.contains(&format!("Left out {name}: it is a ")), "{}", called.text);
    }
    let mut zip = ZipArchive::new(fs::File::open(desk.path("out.zip")).unwrap()).unwrap();
    let link = zip.by_name("d/in").unwrap();
    assert!(link.is_symlink());
    assert_eq!(std::io::read_to_string(link).unwrap(), "a");
}

#[test]
fn a_link_that_was_asked_for_is_followed() {
    let desk = Desk::new();
    desk.write("real", "1");
    symlink("real", desk.path("link")).unwrap();
    pack(&desk, json!({"files": ["link"], "output": "out.zip"})).unwrap();
    assert_eq!(names_in(&desk, "out.zip"), ["real"]);
}

#[test]
fn odd_names() {
    let desk = Desk::new();
    desk.write("d/文件", "1");
    desk.write("d/line\nbreak", "2");
    fs::write(desk.path(OsStr::from_bytes(b"d/\xce\xc4.txt")), "3").unwrap();
    let called = pack(&desk, json!({"files": ["d"], "output": "out.zip"})).unwrap();
    assert_eq!(called.data["files"], json!(2));
    assert!(called.text.contains(r"Left out d/line\nbreak: its name cannot be stored"), "{}", called.text);
    let zip = ZipArchive::new(fs::File::open(desk.path("out.zip")).unwrap()).unwrap();
    let metadata = zip.metadata();
    let flagged: Vec<bool> =
        (0..3).map(|n| metadata.entry(n).unwrap().flags().as_u16() & 0x800 != 0).collect();
    assert_eq!(flagged.iter().filter(|flag| **flag).count(), 1, "UTF-8 is marked so");
    super::unpack(&desk, json!({"file": "out.zip"})).unwrap();
    assert_eq!((desk.text("out/d/文件"), desk.text("out/d/文.txt")), ("1".to_owned(), "3".to_owned()));
}

#[test]
fn sensitive_files_are_asked_about() {
    let desk = Desk::new();
    desk.write("d/a", "1");
    let arguments = || json!({"files": ["d"], "output": "out.zip"});
    assert_eq!(desk.plan(CompressFiles, arguments()).unwrap().permission, Permission::Moderate);
    let error = desk
        .call_after(CompressFiles, arguments(), |_, _| drop(desk.write("d/x/.env", "KEY=1")))
        .unwrap_err();
    assert_eq!((error.code, desk.path("out.zip").exists()), ("plan_changed", false));
    let plan = desk.plan(CompressFiles, arguments()).unwrap();
    assert_eq!(plan.permission, Permission::Sensitive);
    assert!(plan.notes.iter().any(|note| note.contains(".env")), "{:?}", plan.notes);
    pack(&desk, arguments()).unwrap();
    assert_eq!(names_in(&desk, "out.zip"), ["d/", "d/a", "d/x/", "d/x/.env"]);
}

#[test]
fn cancelled_leaves_nothing() {
    let desk = Desk::new();
    desk.write("a", vec![7; 2_000_000]);
    desk.write("old.zip", "old");
    for output in ["new/out.zip", "old.zip"] {
        let cancel = |_: &_, cx: &deskhand_core::Cx| cx.cancel_token().cancel();
        let error =
            desk.call_after(CompressFiles, json!({"files": ["a"], "output": output}), cancel).unwrap_err();
        assert_eq!(
            (error.status, desk.listing()),
            (Status::Cancelled, vec!["a".to_owned(), "old.zip".to_owned()])
        );
    }
    assert_eq!(desk.text("old.zip"), "old");
}

#[test]
fn a_full_disk_leaves_nothing() {
    let Some(disk) = SmallDisk::mount("size=1m") else { return };
    let desk = Desk::in_workspace(disk.path());
    let source = desk.outside().join("noise");
    let noise: Vec<u8> = (0..500_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()).collect();
    fs::write(&source, noise).unwrap();
    let error = pack(&desk, json!({"files": [source.to_str().unwrap()], "output": "out.zip"})).unwrap_err();
    assert_eq!((error.code, desk.listing()), ("disk_full", Vec::<String>::new()));
}

#[test]
fn bad_input() {
    let desk = Desk::with_oddities();
    desk.withstands_bad_input(|| CompressFiles, "output", &json!({"files": ["file"], "output": "out.zip"}));
    for file in ["", "a\0b", "loop", &"x".repeat(300), "file/x"] {
        pack(&desk, json!({"files": [file], "output": "out.zip"})).unwrap_err();
    }
    assert_eq!(desk.listing(), ["file", "folder/", "loop"]);
}

#[test]
fn an_archive_that_shrinks_is_asked_about_each_time() {
    let desk = Desk::new();
    desk.write("small", "x");
    for (before, permission) in [(100_000, Permission::Sensitive), (1_000, Permission::Moderate)] {
        desk.write("out.zip", "x".repeat(before));
        let plan = desk.plan(CompressFiles, json!({"files": ["small"], "output": "out.zip"})).unwrap();
        assert_eq!(plan.permission, permission, "{before}: {plan:?}");
    }
}
