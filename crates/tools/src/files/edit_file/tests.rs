use std::fs;

use deskhand_core::{Permission, Status};
use serde_json::{Value, json};

use super::*;
use crate::{
    files::{encoding::Format, undo::Undo},
    testing::{Desk, look, set_mode},
};

#[test]
fn edits() {
    let desk = Desk::new();
    let table: &[(&str, Value, &str, &str)] = &[
        ("a\nb\nc\n", json!({"old_text": "b", "new_text": "B"}), "a\nB\nc\n", "now line 2)"),
        ("a\nb\nc\n", json!({"old_text": "b\n", "new_text": ""}), "a\nc\n", "now line 2)"),
        ("a a a", json!({"old_text": "a", "new_text": "b", "replace_all": true}), "b b b", "3 replacements"),
        (
            "one\ntwo\n",
            json!({"edits": [{"old_text": "one", "new_text": "1"}, {"old_text": "1\ntwo", "new_text": "x\ny\nz"}]}),
            "x\ny\nz\n",
            "2 replacements",
        ),
        // Line ends make no difference for finding, and those of the file are kept.
        ("a\r\nb\r\nc\r\n", json!({"old_text": "a\nb\n", "new_text": "x\ny\n"}), "x\r\ny\r\nc\r\n", "1–2"),
        ("a\nb\nc\n", json!({"old_text": "a\r\nb", "new_text": "x\r\ny"}), "x\ny\nc\n", "1–2"),
        ("a\r\nb\r\n", json!({"old_text": "a\r\nb", "new_text": "x\r\ny"}), "x\r\ny\r\n", "1–2"),
        ("a\r\nb\r\n", json!({"old_text": "\nb", "new_text": ""}), "a\r\n", ""),
        ("a\r\nb\nc\r\n", json!({"old_text": "b\nc", "new_text": "B\nC"}), "a\r\nB\nC\r\n", ""),
        ("a\r\nb\r\n", json!({"old_text": "b\r", "new_text": "c\r"}), "a\r\nc\r\n", ""),
        // Many on one line are one line; what a later edit removes is not told of.
        (
            "x\na a\n",
            json!({"old_text": "a", "new_text": "b", "replace_all": true}),
            "x\nb b\n",
            "(now line 2)",
        ),
        (
            "a\nb\nc\n",
            json!({"edits": [{"old_text": "a\n", "new_text": "1\n2\n3\n"}, {"old_text": "1\n2\n3\n", "new_text": ""}]}),
            "b\nc\n",
            ": 2 replacements; ",
        ),
        (
            "a\nb\nc\n",
            json!({"edits": [{"old_text": "c", "new_text": "C"}, {"old_text": "a\nb\n", "new_text": "x\n"}]}),
            "x\nC\n",
            "(now lines 1–2)",
        ),
        (
            "a\nb\n",
            json!({"edits": [{"old_text": "a", "new_text": "1\n2\n3"}, {"old_text": "2", "new_text": "two\nTWO"}]}),
            "1\ntwo\nTWO\n3\nb\n",
            "(now lines 1–4)",
        ),
        (
            "a\nb\n",
            json!({"edits": [{"old_text": "a", "new_text": "1\n2\n3"}, {"old_text": "3\nb", "new_text": "x"}]}),
            "1\n2\nx\n",
            "(now lines 1–3)",
        ),
        (
            "a\nb\nc\n",
            json!({"edits": [{"old_text": "c", "new_text": "C"}, {"old_text": "a", "new_text": "x\ny"}]}),
            "x\ny\nb\nC\n",
            "(now lines 1–2, 4)",
        ),
        // Old Macs.
        ("a\rb\rc", json!({"insert_at_line": 1, "new_text": "x\ny"}), "a\rx\ry\rb\rc", "(now lines 2–3)"),
        ("a\rb", json!({"insert_at_line": 2, "new_text": "x"}), "a\rb\rx", "(now line 3)"),
        ("a\rb", json!({"old_text": "b", "new_text": "B\nC"}), "a\rB\rC", "(now lines 2–3)"),
        // Inserting.
        ("a\nb\n", json!({"insert_at_line": 0, "new_text": "x"}), "x\na\nb\n", "now line 1)"),
        ("a\nb\n", json!({"insert_at_line": 1, "new_text": "x\ny\n"}), "a\nx\ny\nb\n", "now lines 2–3)"),
        ("a\nb\n", json!({"insert_at_line": 2, "new_text": "x"}), "a\nb\nx\n", "now line 3)"),
        ("a\nb", json!({"insert_at_line": 2, "new_text": "x"}), "a\nb\nx", "now line 3)"),
        ("a\r\nb\r\n", json!({"insert_at_line": 1, "new_text": "x\ny"}), "a\r\nx\r\ny\r\nb\r\n", ""),
        ("", json!({"insert_at_line": 0, "new_text": "x"}), "x\n", ""),
        ("\n", json!({"insert_at_line": 1, "new_text": "\n"}), "\n\n", ""),
    ];
    for (before, arguments, after, says) in table {
        desk.write("f", before);
        let mut all = arguments.clone();
        all["path"] = "f".into();
        let called =
            desk.call(EditFile, all).unwrap_or_else(|error| panic!("{before:?} {arguments}: {error}"));
        assert_eq!(desk.text("f"), *after, "{before:?} {arguments}");
        assert!(called.text.contains(says), "{before:?} {arguments}: {}", called.text);
        assert_eq!(called.data["bytes"], after.len());
        desk.call(Undo, json!({})).unwrap();
        assert_eq!(desk.text("f"), *before, "undone");
    }
}

#[test]
fn what_does_not_fit_changes_nothing_and_is_explained() {
    let desk = Desk::with_oddities();
    let content = "fn main() {\n\tlet x = 1;\n    println!(\"Hello\");\n}\n\nfn other() {\n\tlet x = 1;\n}\n";
    desk.write("f", content);
    desk.write("binary", b"\0\x01\x02\xFF");
    let edit = |old: &str, new: &str| json!({"path": "f", "old_text": old, "new_text": new});
    let table = [
        (
            edit("    let x = 1;\n    println!(\"Hello\");", "x"),
            "no_match",
            "line 2 to 3; only the indentation differs",
        ),
        (edit("println!(\"hello\");", "x"), "no_match", "line 3 to 3"),
        (edit("fn main() { \n", "x"), "no_match", "only white space at the end of lines differs"),
        (edit("let x = 2;", "x"), "no_match", "- is old_text, + is what the file has"),
        (edit("quite another thing", "x"), "no_match", "nothing there is like it"),
        (edit("let x = 1;", "x"), "several_matches", "2 times, at lines 2, 7"),
        (edit("", "x"), "empty_old_text", "empty"),
        (edit("fn main", "fn main"), "same_text", "the same"),
        (edit("fn main() {\n", "fn main() {\r\n"), "same_text", "line ends"),
        (
            json!({"path": "f", "edits": [{"old_text": "main", "new_text": "start"}, {"old_text": "zzz", "new_text": ""}]}),
            "no_match",
            "Edit 2 of 2",
        ),
        (json!({"path": "f", "insert_at_line": 9, "new_text": "x"}), "no_such_line", "has 8 lines"),
        (json!({"path": "binary", "old_text": "a", "new_text": "b"}), "binary_file", "binary"),
        (json!({"path": "folder", "old_text": "a", "new_text": "b"}), "is_a_directory", "folder"),
        (json!({"path": "missing", "old_text": "a", "new_text": "b"}), "no_such_file", "missing"),
    ];
    for (arguments, code, says) in table {
        let error = desk.call(EditFile, arguments.clone()).unwrap_err();
        assert_eq!(error.code, code, "{arguments}: {error}");
        assert!(error.message.contains(says), "{arguments}: {error}");
        assert_eq!(desk.text("f"), content);
    }
}

#[test]
fn the_nearest_place_is_shown() {
    let desk = Desk::new();
    desk.write("f", "alpha\n\tbeta\ngamma\n");
    let error = desk
        .call(EditFile, json!({"path": "f", "old_text": "    beta\ngamma", "new_text": "x"}))
        .unwrap_err();
    insta::assert_snapshot!(error.message.replace(&desk.path("f").display().to_string(), "F"), @r"
    old_text is not in F. The nearest place is line 2 to 3; only the indentation differs: old_text has spaces, the file has tabs.
    -    beta
    +→beta
     gamma
     Nothing was changed.
    ");
}

#[test]
fn looking_for_the_nearest_place_does_not_take_long() {
    let desk = Desk::new();
    let content: String =
        (0..200_000).fold(String::new(), |text, n| text + &format!("some line {n} of many\n"));
    desk.write("f", &content);
    let start = std::time::Instant::now();
    let old: String = content.lines().skip(500).take(300).fold(String::new(), |t, l| t + l + "!\n");
    let error = desk.call(EditFile, json!({"path": "f", "old_text": old, "new_text": "x"})).unwrap_err();
    assert_eq!(error.code, "no_match");
    assert!(error.message.len() < 5_000, "{} bytes", error.message.len());
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn very_many_matches_are_replaced() {
    let desk = Desk::new();
    for end in ["\n", "\r\n"] {
        desk.write("f", format!("some line{end}").repeat(200_000));
        let error =
            desk.call(EditFile, json!({"path": "f", "old_text": "line", "new_text": "x"})).unwrap_err();
        assert!(error.message.contains("200000 times, at lines 1, 2, 3"), "{error}");
        assert!(error.message.len() < 1_000, "{error}");
        let arguments = json!({"path": "f", "old_text": "line\n", "new_text": "row\n", "replace_all": true});
        let called = desk.call(EditFile, arguments).unwrap();
        assert_eq!(called.data["replacements"], 200_000);
        assert_eq!(called.data["lines"].as_array().unwrap().len(), 50);
        assert_eq!(desk.text("f"), format!("some row{end}").repeat(200_000));
    }
}

#[test]
fn cancelled_it_ends_at_once() {
    let desk = Desk::new();
    let cx = desk.cx("edit_file");
    cx.cancel_token().cancel();
    let text = "some line\n".repeat(1_000);
    for (old_text, replace_all) in [("line", true), ("line", false), ("lime", false)] {
        let edit = Edit { old_text: old_text.to_owned(), new_text: "x".to_owned(), replace_all };
        let error = apply::replace(&text, &[edit], "F", &cx).unwrap_err();
        assert_eq!(error.status, Status::Cancelled, "{old_text}: {error}");
    }
    assert_eq!(nearest::no_match(&text, "lime", "F", &cx).status, Status::Cancelled);
}

#[test]
fn a_result_without_end_is_refused() {
    let edit = Edit { old_text: "a".to_owned(), new_text: "b".repeat(1 << 20), replace_all: true };
    let cx = Desk::new().cx("edit_file");
    let error = apply::replace(&"a".repeat(1_000), &[edit], "F", &cx).unwrap_err();
    assert_eq!(error.code, "file_too_large");
}

#[test]
fn a_file_that_is_not_there_is_not_edited_but_written() {
    let desk = Desk::with_oddities();
    for path in ["missing", "File"] {
        let error = desk.call(EditFile, json!({"path": path, "old_text": "a", "new_text": "b"})).unwrap_err();
        assert!(error.hint.as_deref().unwrap().ends_with("`write_file` creates a file."), "{error:?}");
    }
}

#[test]
fn shrinking_is_asked_each_time() {
    let desk = Desk::new();
    desk.write("f", format!("head\n{}", "x".repeat(2_000)));
    let arguments = json!({"path": "f", "old_text": "x".repeat(2_000), "new_text": ""});
    let plan = desk.plan(EditFile, arguments).unwrap();
    assert_eq!((plan.permission, plan.rule.as_str()), (Permission::Sensitive, "write:shrinks"));
}

#[cfg(unix)]
#[test]
fn a_read_only_file_is_asked_about_each_time() {
    let desk = Desk::new();
    let path = desk.write("f", "one\n");
    let arguments = json!({"path": "f", "old_text": "one", "new_text": "two"});
    for (mode, permission) in [(0o444, Permission::Sensitive), (0o644, Permission::Moderate)] {
        set_mode(&path, mode);
        let plan = desk.plan(EditFile, arguments.clone()).unwrap();
        assert_eq!(plan.permission, permission, "{mode:o}");
        let is_said = plan.notes.iter().any(|note| note.contains("it is marked read-only"));
        assert_eq!(is_said, plan.rule == "write:read-only-file", "{plan:?}");
    }
}

#[test]
fn the_encoding_shows_after_a_plain_start_as_well() {
    let desk = Desk::new();
    let format = Format::named("gb18030").unwrap();
    let text = format!("{}\n今天的天气很好，我们去公园散步。\n", "x".repeat(70_000));
    desk.write("f", format.encode(&text).unwrap());
    desk.call(EditFile, json!({"path": "f", "old_text": "公园", "new_text": "山上"})).unwrap();
    assert_eq!(desk.read("f"), format.encode(&text.replace("公园", "山上")).unwrap());
    // A stray NUL so late makes it no other encoding.
    desk.write("f", format!("{}\n\0é\n", "x".repeat(70_000)));
    desk.call(EditFile, json!({"path": "f", "old_text": "é", "new_text": "è"})).unwrap();
}

#[test]
fn withstands_bad_input() {
    let desk = Desk::with_oddities();
    desk.withstands_bad_input(
        || EditFile,
        "path",
        &json!({"path": "file", "old_text": "content", "new_text": "x"}),
    );
    for arguments in [
        json!({"path": "file"}),
        json!({"path": "file", "old_text": "content"}),
        json!({"path": "file", "new_text": "content"}),
        json!({"path": "file", "edits": []}),
        json!({"path": "file", "edits": [{"old_text": "x"}]}),
        json!({"path": "file", "edits": [{"old_text": "x", "new_text": "y", "all": true}]}),
        json!({"path": "file", "edits": [{"old_text": "x", "new_text": "y"}], "old_text": "x", "new_text": "y"}),
        json!({"path": "file", "insert_at_line": -1, "new_text": "y"}),
        json!({"path": "file", "insert_at_line": 1, "old_text": "x", "new_text": "y"}),
        json!({"path": "file", "insert_at_line": 1}),
        json!({"path": "file", "insert_at_line": 1, "new_text": "y", "replace_all": true}),
        json!({"path": "file", "edits": [{"old_text": "content", "new_text": "y"}], "replace_all": true}),
        json!({"path": "file", "edits": [{"old_text": "content", "new_text": "y"}], "old_text": "x"}),
        json!({"path": "file", "insert_at_line": 0, "new_text": ""}),
        json!({"path": "file", "old_text": "content", "new_text": "x", "replace_all": "yes"}),
    ] {
        let error = desk.call(EditFile, arguments.clone()).unwrap_err();
        assert_eq!(error.status, Status::InvalidArguments, "{arguments}: {error:?}");
    }
    assert_eq!(desk.text("file"), "content\n");
}

#[test]
fn other_encodings_are_edited_in_their_own() {
    let desk = Desk::new();
    let text = "今天的天氣很好，我們去公園散步。\r\n第二行也有文字。\r\n";
    for name in ["utf-8-bom", "utf-16", "utf-16be", "gb18030", "big5"] {
        let format = Format::named(name).unwrap();
        desk.write("f", format.encode(text).unwrap());
        desk.call(EditFile, json!({"path": "f", "old_text": "散步。\n第二", "new_text": "跑步。\n第三"}))
            .unwrap();
        let after = text.replace("散步。\r\n第二", "跑步。\r\n第三");
        assert_eq!(desk.read("f"), format.encode(&after).unwrap(), "{name}");
    }
    let error =
        desk.call(EditFile, json!({"path": "f", "old_text": "公園", "new_text": "公😀"})).unwrap_err();
    assert_eq!(error.code, "cannot_encode");
    assert!(error.message.contains("'😀'"), "{error}");
    let mut broken = "今天的天气很好，我们去公园散步。".as_bytes().to_vec();
    broken.push(0xE9);
    desk.write("f", broken);
    let error = desk.call(EditFile, json!({"path": "f", "old_text": "公园", "new_text": "x"})).unwrap_err();
    assert_eq!(error.code, "malformed_text");
}

#[test]
fn the_content_of_a_sensitive_file_is_not_told_by_errors() {
    let desk = Desk::new();
    desk.write(".env", "PASSWORD=open sesame\n");
    let arguments = json!({"path": ".env", "old_text": "PASSWORD=open sesamo\n", "new_text": "x"});
    let plan = desk.plan(EditFile, arguments.clone()).unwrap();
    assert_eq!(plan.permission, Permission::Sensitive);
    assert!(plan.preview.is_none());
    let error = desk.call(EditFile, arguments).unwrap_err();
    assert_eq!(error.code, "no_match");
    assert!(!error.message.contains("sesame"), "{error}");
    desk.call(EditFile, json!({"path": ".env", "old_text": "sesame", "new_text": "x"})).unwrap();
    assert_eq!(desk.text(".env"), "PASSWORD=open x\n");
}

#[cfg(unix)]
#[test]
fn mode_is_kept_and_changes_meanwhile_are_noticed() {
    let desk = Desk::new();
    let path = desk.write("f", "one\n");
    set_mode(&path, 0o640);
    let arguments = json!({"path": "f", "old_text": "one", "new_text": "two"});
    let plan = desk.plan(EditFile, arguments.clone()).unwrap();
    assert!(plan.preview.unwrap().text().contains("-one\n+two"));
    desk.call(EditFile, arguments).unwrap();
    assert_eq!((look(&path).0, desk.text("f").as_str()), (0o640, "two\n"));
    let error =
        desk.call_after(EditFile, json!({"path": "f", "old_text": "two", "new_text": "three"}), |_, _| {
            fs::write(&path, "two and a half\n").unwrap();
        });
    assert_eq!(error.unwrap_err().code, "plan_changed");
    assert_eq!(desk.text("f"), "two and a half\n");
}
