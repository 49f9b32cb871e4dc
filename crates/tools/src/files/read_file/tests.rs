use std::{
    fs,
    io::Write as _,
    time::{Duration, Instant},
};

use deskhand_core::Status;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{files::encoding::Format, testing::Desk};

fn read(desk: &Desk, arguments: Value) -> Value {
    desk.call(ReadFile, arguments).unwrap().data
}

fn content(data: &Value) -> &str {
    data["content"].as_str().unwrap()
}

fn numbered(lines: u64) -> String {
    (1..=lines).fold(String::new(), |text, n| text + &format!("line {n}\n"))
}

#[test]
fn parts_of_a_file() {
    let desk = Desk::new();
    desk.write("f", numbered(100));
    for (arguments, wanted, first, last) in [
        (json!({"start_line": 3, "end_line": 4}), "line 3\nline 4\n", json!(3), json!(4)),
        (json!({"start_line": 99}), "line 99\nline 100\n", json!(99), json!(100)),
        (json!({"end_line": 1}), "line 1\n", json!(1), json!(1)),
        (json!({"start_line": 100, "end_line": 5000}), "line 100\n", json!(100), json!(100)),
        (json!({"tail": 2, "line_numbers": true}), "line 99\nline 100\n", json!(99), json!(100)),
        (json!({"tail": 1}), "line 100\n", Value::Null, Value::Null),
        (json!({"offset": 7, "limit": 6}), "line 2", Value::Null, Value::Null),
        (json!({"limit": 4}), "line", Value::Null, Value::Null),
    ] {
        let mut arguments = arguments;
        arguments["path"] = json!("f");
        let data = read(&desk, arguments.clone());
        assert_eq!(content(&data), wanted, "{arguments}");
        assert_eq!((&data["start_line"], &data["end_line"]), (&first, &last), "{arguments}");
        assert_eq!(data["truncated"], false, "{arguments}");
    }
    let whole = read(&desk, json!({"path": "f"}));
    assert_eq!(content(&whole), numbered(100));
    assert_eq!((&whole["total_lines"], &whole["encoding"]), (&json!(100), &json!("utf-8")));
    assert_eq!(read(&desk, json!({"path": "f", "tail": 1000}))["total_lines"], 100);
}

#[test]
fn what_contradicts_itself_is_said() {
    let desk = Desk::new();
    desk.write("f", "a\nb\n");
    for (arguments, words) in [
        (json!({}), "Either path or paths"),
        (json!({"path": "f", "paths": ["f"]}), "do not go together"),
        (json!({"path": "f", "start_line": 1, "offset": 1}), "do not go together"),
        (json!({"path": "f", "tail": 1, "limit": 1}), "do not go together"),
        (json!({"path": "f", "tail": 1, "end_line": 1}), "do not go together"),
        (json!({"path": "f", "offset": 1, "line_numbers": true}), "count bytes"),
        (json!({"path": "f", "start_line": 5, "end_line": 2}), "end_line 2 is before start_line 5"),
        (json!({"path": "f", "encoding": "klingon"}), "no encoding"),
        (json!({"path": "f", "start_line": 0}), "minimum"),
        (json!({"path": "f", "offset": -1}), "minimum"),
        (json!({"path": "f", "limit": 0}), "minimum"),
        (json!({"path": "f", "start_line": true}), "integer"),
        (json!({"paths": []}), ""),
    ] {
        let error = desk.call(ReadFile, arguments.clone()).unwrap_err();
        assert_eq!(error.status, Status::InvalidArguments, "{arguments}");
        assert!(error.message.contains(words), "{arguments}: {}", error.message);
    }
    for (arguments, words) in [
        (json!({"path": "f", "start_line": 3}), "has 2 lines; start_line 3"),
        (json!({"path": "f", "offset": 5}), "has 4 bytes; offset 5"),
    ] {
        let error = desk.call(ReadFile, arguments).unwrap_err();
        assert_eq!(error.code, "beyond_the_end");
        assert!(error.message.contains(words), "{}", error.message);
    }
    assert_eq!(content(&read(&desk, json!({"path": "f", "offset": 4}))), "");
}

#[test]
fn a_long_file_comes_in_pages() {
    let desk = Desk::new();
    let text = numbered(10_000);
    desk.write("f", &text);
    let mut whole = String::new();
    let mut next = json!(1);
    let mut pages = 0;
    while !next.is_null() {
        let data = read(&desk, json!({"path": "f", "start_line": next}));
        assert!(content(&data).len() <= part::PAGE_CHARS);
        whole += content(&data);
        next = data["next_start_line"].clone();
        assert_eq!(data["truncated"], !next.is_null());
        pages += 1;
    }
    assert_eq!(whole, text);
    assert!(pages > 3);
    let text = desk.call(ReadFile, json!({"path": "f"})).unwrap().text;
    assert!(
        text.ends_with("Lines 1 to 2000; the file has 98894 bytes. Read on with start_line 2001.]"),
        "{}",
        &text[text.len() - 200..]
    );
    // What was asked for by its end comes whole.
    assert_eq!(read(&desk, json!({"path": "f", "end_line": 9_000}))["truncated"], false);
}

#[test]
fn the_text_is_the_content_and_says_only_what_is_needed() {
    let desk = Desk::new();
    desk.write("plain", "one\ntwo\n");
    desk.write("empty", "");
    desk.write("no-end", "one\ntwo");
    for (arguments, wanted) in [
        (json!({"path": "plain"}), "one\ntwo\n"),
        (json!({"path": "empty"}), "[The file is empty.]"),
        (json!({"path": "no-end"}), "one\ntwo"),
        (json!({"path": "no-end", "start_line": 2}), "two\n[Lines 2 to 2 of 2.]"),
        (json!({"path": "plain", "line_numbers": true}), "     1\tone\n     2\ttwo\n"),
        (
            json!({"path": "plain", "offset": 2, "limit": 3}),
            "e\nt\n[Bytes 2 to 5 of 8. Read on with offset 5.]",
        ),
        (json!({"path": "plain", "end_line": 1}), "one\n[Lines 1 to 1; the file has 8 bytes.]"),
    ] {
        assert_eq!(desk.call(ReadFile, arguments).unwrap().text, wanted);
    }
}

#[test]
fn several_files_each_with_its_own_end() {
    let desk = Desk::new();
    desk.write("a", "aaa\n");
    desk.write("c", b"\0\x01binary");
    let called = desk.call(ReadFile, json!({"paths": ["a", "missing", "c", "a"]})).unwrap();
    let files = called.data["files"].as_array().unwrap();
    let codes: Vec<&Value> = files.iter().map(|file| &file["error"]["code"]).collect();
    assert_eq!(codes, [&Value::Null, &json!("no_such_file"), &json!("binary_file"), &Value::Null]);
    assert_eq!(files[0]["content"], "aaa\n");
    assert!(called.text.starts_with("=== a ===\naaa\n"), "{}", called.text);
    assert!(called.text.contains("=== missing ===\nThere is no file or folder missing."), "{}", called.text);
    assert_eq!(desk.call(ReadFile, json!({"paths": ["x", "y"]})).unwrap_err().code, "no_such_file");
}

#[test]
fn encodings_are_known_and_ranges_work_in_them() {
    let desk = Desk::new();
    let words = |name: &str| match name {
        "big5" => "文字和標點，天氣很好。",
        "shift_jis" => "文字と句読点、天気がとても良い。",
        _ => "文字和标点，天气很好。",
    };
    let lines = |name: &str, numbers: std::ops::RangeInclusive<u32>| {
        let words = words(name);
        numbers.fold(String::new(), |text, n| text + &format!("第 {n} 行 {words}\r\n"))
    };
    for name in ["utf-8", "utf-8-bom", "utf-16", "utf-16be", "gb18030", "shift_jis", "big5"] {
        let (text, shown) = (lines(name, 1..=5000), lines(name, 2999..=3000));
        let format = Format::named(name).unwrap();
        let bytes = format.encode(&text).unwrap();
        desk.write("f", &bytes);
        let data = read(&desk, json!({"path": "f", "start_line": 2999, "end_line": 3000, "encoding": name}));
        assert_eq!(content(&data), shown, "{name}");
        let found = read(&desk, json!({"path": "f", "start_line": 2999, "end_line": 3000}));
        assert_eq!((content(&found), &found["encoding"]), (shown.as_str(), &json!(format.name())), "{name}");
        let tail = read(&desk, json!({"path": "f", "tail": 2, "line_numbers": true, "encoding": name}));
        assert!(content(&tail).starts_with("第 4999 行") && tail["total_lines"] == 5000, "{name}: {tail}");
        // Bytes in any pieces come to the whole.
        let mut whole = String::new();
        let mut next = json!(0);
        while !next.is_null() {
            let data = read(&desk, json!({"path": "f", "offset": next, "limit": 9_999, "encoding": name}));
            whole += content(&data);
            next = data["next_offset"].clone();
        }
        assert!(whole == text, "{name}");
    }
}

#[test]
fn the_part_that_is_read_can_tell_more_than_the_start() {
    let desk = Desk::new();
    let mut bytes = vec![b'a'; 70_000];
    bytes.push(b'\n');
    bytes.extend(
        Format::named("gb18030").unwrap().encode_piece("今天的天气很好，我们去公园散步。\n").unwrap(),
    );
    desk.write("f", bytes);
    let data = read(&desk, json!({"path": "f", "start_line": 2}));
    assert_eq!(
        (content(&data), &data["encoding"]),
        ("今天的天气很好，我们去公园散步。\n", &json!("gb18030"))
    );
    desk.write("bad", b"good\nb\xFFad\n");
    let data = read(&desk, json!({"path": "bad", "encoding": "utf-8"}));
    assert_eq!(content(&data), "good\nb\u{FFFD}ad\n");
    assert!(data["notes"][0].as_str().unwrap().contains("no utf-8 text"));
}

#[test]
fn binary_files_and_images_are_said_to_be_such() {
    let desk = Desk::new();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\0\x10\x08\x06\0\0\0\0";
    desk.write("x.png", png);
    let elf = [&b"\x7fELF\x02\x01\x01"[..], &[0; 57]].concat();
    desk.write("x.elf", elf);
    let cx = desk.cx("read_file");
    let output = crate::testing::block_on(async {
        ReadFile.run(serde_json::from_value(json!({"path": "x.png"})).unwrap(), &cx).await.unwrap()
    });
    let rendered = ReadFile::render(&output);
    assert_eq!((rendered.images.len(), rendered.images[0].mime.as_str()), (1, "image/png"));
    assert!(rendered.text.contains("image/png, 256 × 16 pixels, 30 bytes"), "{}", rendered.text);
    let error = desk.call(ReadFile, json!({"path": "x.elf"})).unwrap_err();
    assert_eq!(error.code, "binary_file");
    assert!(error.message.contains("64 bytes") && error.message.contains("executable"), "{}", error.message);
    assert!(
        desk.call(ReadFile, json!({"path": "x.png", "offset": 0})).is_err_and(|e| e.code == "binary_file")
    );
    assert!(desk.call(ReadFile, json!({"path": "x.elf", "encoding": "windows-1252"})).is_ok());
    let huge = fs::File::create(desk.path("huge.png")).unwrap();
    (&huge).write_all(png).unwrap();
    huge.set_len(9 << 20).unwrap();
    assert_eq!(desk.call(ReadFile, json!({"path": "huge.png"})).unwrap_err().code, "image_too_large");
}

#[test]
fn one_endless_line_is_read_in_pieces() {
    let desk = Desk::new();
    let line = "中x".repeat(600_000);
    desk.write("f", &line);
    let data = read(&desk, json!({"path": "f"}));
    assert_eq!((&data["truncated"], &data["end_line"]), (&json!(true), &json!(1)));
    let mut whole = content(&data).to_owned();
    let mut next = data["next_offset"].clone();
    while !next.is_null() {
        let data = read(&desk, json!({"path": "f", "offset": next, "limit": 200_000}));
        whole += content(&data);
        next = data["next_offset"].clone();
    }
    assert!(whole == line);
    let tail = read(&desk, json!({"path": "f", "tail": 1}));
    assert_eq!(tail["truncated"], true);
    assert!(content(&tail).len() <= part::MOST + 8);
    let many = read(&desk, json!({"path": "f", "tail": 1_000_000}));
    assert_eq!(many["truncated"], true);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_said_at_once() {
    let desk = Desk::with_oddities();
    let pipe = desk.path("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let start = Instant::now();
    for (path, code) in [
        ("pipe", "not_a_file"),
        ("folder", "is_a_directory"),
        ("loop", "link_loop"),
        ("missing", "no_such_file"),
    ] {
        assert_eq!(desk.call(ReadFile, json!({"path": path})).unwrap_err().code, code);
    }
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[cfg(unix)]
#[test]
fn a_file_that_the_user_may_not_read_is_refused() {
    deskhand_testkit::become_ordinary_user();
    let desk = Desk::new();
    desk.write("file", "x");
    crate::testing::set_mode(&desk.path("file"), 0o000);
    assert_eq!(desk.call(ReadFile, json!({"path": "file"})).unwrap_err().code, "permission_denied");
}

#[cfg(target_os = "linux")]
#[test]
fn files_that_say_they_are_empty_are_read() {
    let desk = Desk::new();
    for arguments in [json!({}), json!({"tail": 1000}), json!({"start_line": 2}), json!({"offset": 3})] {
        let mut arguments = arguments;
        arguments["path"] = json!("/proc/self/status");
        assert!(content(&read(&desk, arguments)).contains("Threads"));
    }
}

#[cfg(unix)]
#[test]
fn names_of_any_kind() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let desk = Desk::new();
    for (name, written) in [(&b"caf\xE9"[..], "caf\\xE9"), (b"two\nlines", "two\nlines"), (b" ", " ")] {
        fs::write(desk.path(OsStr::from_bytes(name)), "x").unwrap();
        assert_eq!(content(&read(&desk, json!({"path": written}))), "x", "{written:?}");
    }
}

#[test]
fn a_file_that_grows_and_shrinks_meanwhile_is_read_or_said() {
    let desk = Desk::new();
    let path = desk.write("f", numbered(20_000));
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let file = fs::File::options().write(true).open(&path).unwrap();
            let mut n: u64 = 0;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                n += 1;
                file.set_len(if n.is_multiple_of(2) { 200_000 } else { 10 }).unwrap();
            }
        });
        for n in 0..200 {
            let arguments = match n % 4 {
                0 => json!({"path": "f", "encoding": "utf-8"}),
                1 => json!({"path": "f", "tail": 3, "encoding": "utf-8"}),
                2 => json!({"path": "f", "start_line": 9000, "end_line": 9001, "encoding": "utf-8"}),
                _ => json!({"path": "f", "offset": 100_000, "limit": 50, "encoding": "utf-8"}),
            };
            if let Err(error) = desk.call(ReadFile, arguments) {
                assert!(["changed_while_read", "beyond_the_end"].contains(&error.code), "{error:?}");
            }
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

#[test]
fn a_kept_output_is_read_by_its_handle() {
    let data = tempfile::tempdir().unwrap();
    let outputs = data.path().join("outputs");
    fs::create_dir(&outputs).unwrap();
    let call = deskhand_core::CallId::new();
    fs::write(outputs.join(format!("{call}.txt")), "kept\n").unwrap();
    let desk = Desk::with(&deskhand_store::StoreOptions::default(), |config| config.outputs = outputs);
    assert_eq!(content(&read(&desk, json!({"path": format!("out:{call}")}))), "kept\n");
    assert_eq!(desk.call(ReadFile, json!({"path": "out:nothing"})).unwrap_err().code, "invalid_path");
}

#[test]
fn cancelled_it_stops() {
    let desk = Desk::new();
    desk.write("f", numbered(10));
    for part in [json!({}), json!({"tail": 1})] {
        let mut arguments = part;
        arguments["path"] = json!("f");
        let error = desk.call_after(ReadFile, arguments, |_, cx| cx.cancel_token().cancel()).unwrap_err();
        assert_eq!(error.status, Status::Cancelled);
    }
}

#[test]
fn withstands_bad_input() {
    Desk::with_oddities().withstands_bad_input(|| ReadFile, "path", &json!({"path": "file"}));
}

/// Lines by the book.
fn reference(text: &str, start: usize, end: usize) -> String {
    text.split_inclusive('\n').skip(start - 1).take(end + 1 - start).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn ranges_are_those_of_the_reference(
        lines in prop::collection::vec("[a-c中é😀\t]{0,6}(\r)?", 0..30),
        last in prop::bool::ANY, start in 1usize..35, length in 0usize..20, tail in 1usize..35,
        wide in prop::bool::ANY,
    ) {
        let mut text = lines.join("\n");
        if last { text.push('\n') }
        let desk = Desk::new();
        let name = if wide { "utf-16" } else { "utf-8" };
        desk.write("f", Format::named(name).unwrap().encode(&text).unwrap());
        let total = text.split_inclusive('\n').count();
        let asked = json!({"path": "f", "start_line": start, "end_line": start + length, "encoding": name});
        match desk.call(ReadFile, asked) {
            Ok(called) => {
                prop_assert_eq!(content(&called.data), reference(&text, start, start + length));
                if start + length >= total { prop_assert_eq!(&called.data["total_lines"], total) }
            }
            Err(error) => {
                prop_assert!(start > total && error.code == "beyond_the_end", "{:?}", error);
                let said = format!("has {total} lines");
                prop_assert!(error.message.contains(&said), "{}", error.message);
            }
        }
        let data = read(&desk, json!({"path": "f", "tail": tail, "encoding": name}));
        let from = total.saturating_sub(tail) + 1;
        prop_assert_eq!(content(&data), reference(&text, from, total.max(1)));
    }
}
