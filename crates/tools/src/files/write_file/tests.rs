use std::fs;

use deskhand_core::{Permission, Status, Undoable};
use serde_json::json;

use super::*;
use crate::{
    files::undo::Undo,
    testing::{Desk, look, set_mode},
};

#[test]
fn creates_replaces_and_adds() {
    let desk = Desk::new();
    for (path, before, arguments, after) in [
        ("new", None, json!({"content": "a\n"}), "a\n"),
        ("deep/er/new", None, json!({"content": ""}), ""),
        ("new", None, json!({"content": "a", "mode": "create"}), "a"),
        ("new", None, json!({"content": "a", "mode": "append"}), "a"),
        ("f", Some("old\n"), json!({"content": "new\n"}), "new\n"),
        ("f", Some("old\n"), json!({"content": "new\n", "mode": "append"}), "old\nnew\n"),
        ("f", Some(""), json!({"content": "x", "mode": "append"}), "x"),
        ("f", Some("one\r\ntwo\r\n"), json!({"content": "1\n2\n"}), "1\r\n2\r\n"),
        ("f", Some("one\r\ntwo\r\n"), json!({"content": "1\n", "mode": "append"}), "one\r\ntwo\r\n1\r\n"),
        ("f", Some("one\r\n"), json!({"content": "1\r\n2\n"}), "1\r\n2\n"),
        ("f", Some("one\n"), json!({"content": "1\r\n"}), "1\r\n"),
        ("name\nwith line end", None, json!({"content": "x"}), "x"),
    ] {
        if let Some(before) = before {
            desk.write(path, before);
        }
        let mut all = arguments.clone();
        all["path"] = path.into();
        let called = desk.call(WriteFile, all).unwrap_or_else(|error| panic!("{arguments}: {error}"));
        assert_eq!(desk.text(path), after, "{arguments}");
        assert_eq!(called.data["bytes"], after.len(), "{arguments}");
        assert_eq!(called.data["created"], before.is_none(), "{arguments}");
        assert_eq!(called.plan.permission, Permission::Moderate);
        assert_eq!(called.plan.undo, Undoable::Yes);
        desk.call(Undo, json!({})).unwrap();
        match before {
            Some(before) => assert_eq!(desk.text(path), before, "undone: {arguments}"),
            None => assert_eq!(desk.listing(), [""; 0], "undone: {arguments}"),
        }
        let _ = fs::remove_file(desk.path(path));
    }
}

#[test]
fn line_ends_that_were_kept_are_told() {
    let desk = Desk::new();
    desk.write("f", "a\r\nb\r\n");
    let called = desk.call(WriteFile, json!({"path": "f", "content": "c\n"})).unwrap();
    assert!(called.text.contains("CRLF"), "{}", called.text);
    assert!(called.plan.notes.iter().any(|note| note.contains("CRLF")));
}

#[test]
fn encodings_are_kept_or_named() {
    let desk = Desk::new();
    let text = "今天的天气很好，我们去公园散步。\n第二行。\n";
    for name in ["utf-8", "utf-8-bom", "utf-16", "utf-16le", "utf-16be", "gb18030"] {
        let format = Format::named(name).unwrap();
        for mode in ["overwrite", "append"] {
            desk.write("f", format.encode(text).unwrap());
            let arguments = json!({"path": "f", "content": "新的一行。\n", "mode": mode});
            let called = desk.call(WriteFile, arguments).unwrap();
            let whole = if mode == "append" {
                format!("{text}新的一行。\n")
            } else {
                "新的一行。\n".to_owned()
            };
            assert_eq!(desk.read("f"), format.encode(&whole).unwrap(), "{name} {mode}");
            assert_eq!(called.data["encoding"], format.name());
        }
        fs::remove_file(desk.path("f")).unwrap();
        desk.call(WriteFile, json!({"path": "f", "content": text, "encoding": name})).unwrap();
        assert_eq!(desk.read("f"), format.encode(text).unwrap(), "{name}");
    }
}

#[test]
fn text_is_added_in_the_encoding_of_the_end() {
    let desk = Desk::new();
    let gb = Format::named("gb18030").unwrap();
    let plain = "plain text\n".repeat(7_000);
    let chinese = "今天的天气很好，我们去公园散步。\n";
    let add = |content: &str| json!({"path": "f", "content": content, "mode": "append"});
    let late = gb.encode(&format!("{plain}{chinese}")).unwrap();
    desk.write("f", &late);
    let called = desk.call(WriteFile, add("你好\n")).unwrap();
    assert_eq!(called.data["encoding"], "gb18030");
    assert_eq!(desk.read("f"), [late, gb.encode("你好\n").unwrap()].concat());
    // In the middle, with a plain end.
    let middle = gb.encode(&format!("{plain}{chinese}{plain}")).unwrap();
    desk.write("f", &middle);
    assert_eq!(desk.call(WriteFile, add("你好\n")).unwrap().data["encoding"], "gb18030");
    // The end of a very long one.
    desk.write("f", gb.encode(&format!("{}{chinese}", "plain text\n".repeat(500_000))).unwrap());
    assert_eq!(desk.call(WriteFile, add("你好\n")).unwrap().data["encoding"], "gb18030");
}

#[test]
fn an_end_in_another_encoding_than_the_start_is_told() {
    let desk = Desk::new();
    let gb = Format::named("gb18030").unwrap();
    let line = "今天的天气很好，我们去公园散步。\n";
    let mixed = [line.repeat(2_000).as_bytes(), &gb.encode(line).unwrap()].concat();
    desk.write("f", &mixed);
    let error =
        desk.call(WriteFile, json!({"path": "f", "content": "你好\n", "mode": "append"})).unwrap_err();
    assert_eq!(error.code, "malformed_text");
    assert!(error.hint.as_deref().is_some_and(|hint| hint.contains("encoding")), "{error:?}");
    assert_eq!(desk.read("f"), mixed);
    let wide = json!({"path": "f", "content": "x", "mode": "append", "encoding": "utf-16le"});
    assert_eq!(desk.call(WriteFile, wide).unwrap_err().code, "encoding_differs");
    // Plain text is the same in both, and who names the encoding knows.
    desk.call(WriteFile, json!({"path": "f", "content": "plain\n", "mode": "append"})).unwrap();
    let named = json!({"path": "f", "content": "你好\n", "mode": "append", "encoding": "gb18030"});
    desk.call(WriteFile, named).unwrap();
    assert_eq!(desk.read("f"), [mixed, b"plain\n".to_vec(), gb.encode("你好\n").unwrap()].concat());
    // Cut in the middle of a character, the end is looked at all the same.
    for name in ["utf-8", "utf-16", "gb18030", "big5", "shift_jis"] {
        let format = Format::named(name).unwrap();
        for start in ["", "x", "xy", "xyz"] {
            desk.write("f", format.encode(&format!("{start}{}", "中文、".repeat(20_000))).unwrap());
            let added = desk.call(WriteFile, json!({"path": "f", "content": "中\n", "mode": "append"}));
            assert!(added.is_ok(), "{name} {start}: {added:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_read_only_file_is_asked_about_each_time() {
    let desk = Desk::new();
    let path = desk.write("f", "one\n");
    for (mode, permission) in
        [(0o444, Permission::Sensitive), (0o400, Permission::Sensitive), (0o644, Permission::Moderate)]
    {
        set_mode(&path, mode);
        for how in ["overwrite", "append"] {
            let plan = desk.plan(WriteFile, json!({"path": "f", "content": "two\n", "mode": how})).unwrap();
            assert_eq!(plan.permission, permission, "{mode:o} {how}");
            let is_said = plan.notes.iter().any(|note| note.contains("it is marked read-only"));
            assert_eq!(is_said, plan.rule == "write:read-only-file", "{plan:?}");
        }
    }
}

#[test]
fn one_is_not_many() {
    let desk = Desk::new();
    let called = desk.call(WriteFile, json!({"path": "f", "content": "x"})).unwrap();
    assert!(called.text.contains("f: 1 byte, utf-8."), "{}", called.text);
    assert!(called.plan.summary.ends_with("f: 1 byte"), "{}", called.plan.summary);
}

#[test]
fn what_cannot_be_written_is_said_and_changes_nothing() {
    let desk = Desk::with_oddities();
    let big5 = Format::named("big5").unwrap().encode("今天的天氣很好，我們去公園散步。\n").unwrap();
    desk.write("big5", &big5);
    desk.write("binary", b"\0\x01\x02\xFF");
    let before = desk.listing();
    for (arguments, code, says) in [
        (json!({"path": "big5", "content": "a\n简"}), "cannot_encode", "'简' (U+7B80, line 2"),
        (
            json!({"path": "big5", "content": "é", "mode": "append", "encoding": "utf-8"}),
            "encoding_differs",
            "big5",
        ),
        (json!({"path": "file", "content": "x", "mode": "create"}), "already_exists", "file"),
        (json!({"path": "folder", "content": "x"}), "is_a_directory", "folder"),
        (json!({"path": "binary", "content": "x", "mode": "append"}), "binary_file", "binary"),
        (json!({"path": "new", "content": "x", "encoding": "klingon"}), "unknown_encoding", "klingon"),
        (json!({"path": "loop", "content": "x"}), "link_loop", "loop"),
        (json!({"path": "file/x", "content": "x"}), "not_a_directory", "file"),
    ] {
        let error = desk.call(WriteFile, arguments.clone()).unwrap_err();
        assert_eq!(error.code, code, "{arguments}: {error}");
        assert!(error.message.contains(says), "{arguments}: {error}");
    }
    assert_eq!(desk.listing(), before);
    assert_eq!((desk.read("big5"), desk.text("file")), (big5, "content\n".to_owned()));
}

#[test]
fn withstands_bad_input() {
    let desk = Desk::with_oddities();
    desk.withstands_bad_input(|| WriteFile, "path", &json!({"path": "new", "content": "x"}));
    for arguments in [
        json!({"path": "x"}),
        json!({"path": "x", "content": 5}),
        json!({"path": "x", "content": "", "mode": "sideways"}),
        json!({"path": "x", "content": "", "encoding": true}),
    ] {
        let error = desk.call(WriteFile, arguments.clone()).unwrap_err();
        assert_eq!(error.status, Status::InvalidArguments, "{arguments}");
    }
    let called = desk.call(WriteFile, json!({"path": "big", "content": "x".repeat(1_000_000)})).unwrap();
    assert_eq!(called.data["bytes"], 1_000_000);
    assert!(called.plan.preview.unwrap().text().len() < 50_000);
}

#[test]
fn shrinking_is_asked_each_time() {
    let desk = Desk::new();
    for (before, after, permission) in [
        (1024, 255, Permission::Sensitive),
        (1024, 256, Permission::Moderate),
        (1023, 0, Permission::Moderate),
        (100_000, 10, Permission::Sensitive),
    ] {
        desk.write("f", "x".repeat(before));
        let plan = desk.plan(WriteFile, json!({"path": "f", "content": "y".repeat(after)})).unwrap();
        assert_eq!(plan.permission, permission, "{before} → {after}");
        if permission == Permission::Sensitive {
            assert_eq!(plan.rule, "write:shrinks");
            assert!(plan.notes.iter().any(|note| note.contains(&format!("{before} bytes → {after} bytes"))));
        }
        let adds = desk.plan(WriteFile, json!({"path": "f", "content": "y", "mode": "append"})).unwrap();
        assert_eq!(adds.permission, Permission::Moderate);
    }
}

#[test]
fn the_plan_shows_what_changes() {
    let desk = Desk::new();
    desk.write("f", "a\nb\nc\n");
    let plan = desk.plan(WriteFile, json!({"path": "f", "content": "a\nB\nc\n"})).unwrap();
    assert!(plan.summary.ends_with("f: 6 bytes → 6 bytes"), "{}", plan.summary);
    assert_eq!(plan.preview.unwrap().text(), "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
    let plan = desk.plan(WriteFile, json!({"path": "x/y/f", "content": "a\n"})).unwrap();
    assert_eq!(plan.notes.len(), 2, "{:?}", plan.notes);
    assert_eq!(desk.listing(), ["f"], "planning changes nothing");
}

#[test]
fn what_is_too_large_for_the_journal_is_said() {
    let desk = Desk::keeping_at_most(10_000);
    desk.write("f", "x".repeat(20_000));
    let called = desk.call(WriteFile, json!({"path": "f", "content": "y".repeat(9_000)})).unwrap();
    assert!(matches!(called.plan.undo, Undoable::No(_)));
    assert!(desk.entry(called.id).is_none());
    assert_eq!(desk.read("f").len(), 9_000);
    let called = desk.call(WriteFile, json!({"path": "g", "content": "y".repeat(20_000)})).unwrap();
    assert_eq!(called.plan.undo, Undoable::Yes, "taking back a new file keeps nothing");
}

#[cfg(unix)]
#[test]
fn mode_links_and_names_of_a_file() {
    use std::os::unix::fs::{MetadataExt, symlink};
    let desk = Desk::new();
    let path = desk.write("script", "#!/bin/sh\n");
    set_mode(&path, 0o750);
    symlink("script", desk.path("link")).unwrap();
    desk.call(WriteFile, json!({"path": "link", "content": "#!/bin/bash\n"})).unwrap();
    assert_eq!(desk.text("script"), "#!/bin/bash\n");
    assert!(desk.path("link").is_symlink(), "a link stays one");
    assert_eq!(look(&path).0, 0o750);
    fs::hard_link(&path, desk.path("other")).unwrap();
    let called = desk.call(WriteFile, json!({"path": "script", "content": "x"})).unwrap();
    assert!(called.plan.notes.iter().any(|note| note.contains("hard links")));
    assert_eq!(desk.text("other"), "#!/bin/bash\n");
    let inode = fs::metadata(desk.path("other")).unwrap().ino();
    desk.call(WriteFile, json!({"path": "other", "content": "more\n", "mode": "append"})).unwrap();
    assert_eq!(fs::metadata(desk.path("other")).unwrap().ino(), inode, "adding is done in place");
}

#[cfg(unix)]
#[test]
fn owner_and_attributes_are_kept() {
    use std::os::unix::fs::{MetadataExt, chown};
    let desk = Desk::new();
    let path = desk.write("f", "old\n");
    if chown(&path, Some(12_345), Some(54_321)).is_err() {
        deskhand_testkit::skip("only the administrator can give files away");
        return;
    }
    desk.call(WriteFile, json!({"path": "f", "content": "new\n"})).unwrap();
    let meta = fs::metadata(&path).unwrap();
    assert_eq!((meta.uid(), meta.gid()), (12_345, 54_321));
}

#[cfg(unix)]
#[test]
fn what_changed_after_the_plan_is_planned_anew() {
    use std::os::unix::fs::symlink;
    let desk = Desk::new();
    let outside = desk.outside().join("target");
    fs::write(&outside, "outside").unwrap();
    for mode in ["overwrite", "append"] {
        desk.write("f", "old\n");
        let arguments = json!({"path": "f", "content": "mine\n", "mode": mode});
        let error = desk.call_after(WriteFile, arguments.clone(), |_, _| {
            fs::write(desk.path("f"), "theirs\n").unwrap();
        });
        assert_eq!(error.unwrap_err().code, "plan_changed", "{mode}: changed");
        assert_eq!(desk.text("f"), "theirs\n");
        let error = desk.call_after(WriteFile, arguments, |_, _| {
            fs::remove_file(desk.path("f")).unwrap();
            symlink(&outside, desk.path("f")).unwrap();
        });
        assert_eq!(error.unwrap_err().code, "plan_changed", "{mode}: swapped for a link");
        assert_eq!(fs::read_to_string(&outside).unwrap(), "outside");
        fs::remove_file(desk.path("f")).unwrap();
    }
    let error = desk.call_after(WriteFile, json!({"path": "new", "content": "mine\n"}), |_, _| {
        desk.write("new", "theirs\n");
    });
    assert_eq!(error.unwrap_err().code, "plan_changed");
    assert_eq!(desk.listing(), ["new"]);
}

#[cfg(unix)]
#[test]
fn what_the_system_forbids_is_said() {
    deskhand_testkit::become_ordinary_user();
    let desk = Desk::new();
    desk.write("closed/f", "x");
    set_mode(&desk.path("closed"), 0o555);
    let result = desk.call(WriteFile, json!({"path": "closed/f", "content": "y"}));
    assert_eq!(result.unwrap_err().code, "permission_denied");
    assert_eq!(desk.text("closed/f"), "x");
    set_mode(&desk.path("closed"), 0o755);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_changes_nothing() {
    let Some(disk) = crate::testing::SmallDisk::mount("size=256k") else { return };
    let desk = Desk::in_workspace(disk.path());
    desk.write("f", "x".repeat(100_000));
    let modified = look(&desk.path("f"));
    for arguments in [
        json!({"path": "f", "content": "y".repeat(300_000)}),
        json!({"path": "f", "content": "y".repeat(300_000), "mode": "append"}),
        json!({"path": "new/deep/f", "content": "y".repeat(300_000)}),
    ] {
        let error = desk.call(WriteFile, arguments).unwrap_err();
        assert_eq!(error.code, "disk_full", "{error}");
        assert_eq!(desk.text("f"), "x".repeat(100_000));
        assert_eq!(desk.listing(), ["f"], "nothing half-written is left");
    }
    assert_eq!(look(&desk.path("f")).0, modified.0);
    disk.make_read_only();
    for mode in ["overwrite", "append"] {
        let error = desk.call(WriteFile, json!({"path": "f", "content": "y", "mode": mode})).unwrap_err();
        assert_eq!(error.code, "read_only_file_system", "{error}");
    }
}
