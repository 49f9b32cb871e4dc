use std::{collections::BTreeMap, process::Command};

use deskhand_core::Status;
use serde_json::{Value, json};

use super::*;
use crate::testing::Desk;

fn grep(desk: &Desk, arguments: Value) -> Value {
    desk.call(Grep, arguments).unwrap().data
}

/// `path:line:text` of every line, `path-line-text` for those around.
fn flat(data: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for file in data["files"].as_array().unwrap() {
        for line in file["lines"].as_array().map(Vec::as_slice).unwrap_or_default() {
            let mark = if line["context"] == true { '-' } else { ':' };
            let (path, text) = (file["path"].as_str().unwrap(), line["text"].as_str().unwrap());
            lines.push(format!("{path}{mark}{}{mark}{text}", line["line"]));
        }
    }
    lines
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("a.rs", "fn one() {}\nfn Two() {}\nlet x = 1.5;\n");
    desk.write("b/c.txt", "alpha\nbeta\ngamma\ndelta\nbeta\n");
    desk
}

#[test]
fn what_is_found() {
    let desk = desk();
    let cases: &[(Value, &[&str])] = &[
        (json!({"pattern": "fn \\w+"}), &["a.rs:1:fn one() {}", "a.rs:2:fn Two() {}"]),
        (json!({"pattern": "two", "ignore_case": true}), &["a.rs:2:fn Two() {}"]),
        (json!({"pattern": "1.5", "regex": false}), &["a.rs:3:let x = 1.5;"]),
        (json!({"pattern": "(", "regex": false, "limit": 1}), &["a.rs:1:fn one() {}"]),
        (json!({"pattern": "beta", "path": "b/c.txt"}), &["b/c.txt:2:beta", "b/c.txt:5:beta"]),
        (json!({"pattern": "a$", "glob": "*.rs"}), &[]),
        (json!({"pattern": "gamma", "glob": ["*.txt", "*.md"]}), &["b/c.txt:3:gamma"]),
        (json!({"pattern": "e", "glob": "!*.txt", "limit": 1}), &["a.rs:1:fn one() {}"]),
        (
            json!({"pattern": "gamma", "context": 1}),
            &["b/c.txt-2-beta", "b/c.txt:3:gamma", "b/c.txt-4-delta"],
        ),
        (
            json!({"pattern": "gamma", "before": 2, "after": 0}),
            &["b/c.txt-1-alpha", "b/c.txt-2-beta", "b/c.txt:3:gamma"],
        ),
        (json!({"pattern": "beta\\ngamma", "multiline": true}), &["b/c.txt:2:beta", "b/c.txt:3:gamma"]),
        (json!({"pattern": "nothing of that kind"}), &[]),
    ];
    for (arguments, wanted) in cases {
        assert_eq!(flat(&grep(&desk, arguments.clone())), *wanted, "{arguments}");
    }
    let counts = grep(&desk, json!({"pattern": "a", "output": "counts"}));
    assert_eq!((&counts["files"][0]["path"], &counts["files"][0]["count"]), (&json!("b/c.txt"), &json!(5)));
    let files = grep(&desk, json!({"pattern": "e", "output": "files"}));
    assert_eq!(files["files"], json!([{"path": "a.rs"}, {"path": "b/c.txt"}]));
}

#[test]
fn the_text_shows_paths_lines_and_what_is_left_out() {
    let desk = desk();
    let text = desk.call(Grep, json!({"pattern": "beta", "context": 1})).unwrap().text;
    assert_eq!(
        text,
        "b/c.txt\n1- alpha\n2: beta\n3- gamma\n4- delta\n5: beta\n\n2 matching lines in 1 file."
    );
    let text = desk.call(Grep, json!({"pattern": "a", "limit": 2})).unwrap().text;
    assert!(text.ends_with("2 matching lines in 1 file. There is more: narrow the pattern, path or glob, or raise limit (at most 2000)."), "{text}");
    let text = desk.call(Grep, json!({"pattern": "zebra"})).unwrap().text;
    assert!(text.starts_with("No match in ") && text.contains("(2 files searched)"), "{text}");
}

#[test]
fn the_limit_holds_and_says_so() {
    let desk = Desk::new();
    desk.write("big.txt", "match\n".repeat(5_000));
    desk.write("big2.txt", "match\n".repeat(5_000));
    for (limit, more) in [(1, true), (200, true), (2000, true)] {
        let data = grep(&desk, json!({"pattern": "match", "limit": limit}));
        assert_eq!((&data["matches"], &data["more"]), (&json!(limit), &json!(more)));
        assert_eq!(flat(&data).len(), limit);
    }
    desk.write("small/s.txt", "other\n".repeat(10));
    let exact = grep(&desk, json!({"pattern": "other", "limit": 10}));
    assert_eq!((&exact["matches"], &exact["more"]), (&json!(10), &json!(false)));
    let cut = grep(&desk, json!({"pattern": "other", "limit": 3, "context": 2}));
    assert_eq!(flat(&cut).len(), 3, "the lines after the last match are matches themselves");
}

#[test]
fn wrong_patterns_say_where() {
    let desk = desk();
    for (arguments, words) in [
        (json!({"pattern": "a(b"}), "unclosed group, at character 2"),
        (json!({"pattern": "x{2,1}"}), "at character 2"),
        (json!({"pattern": "[z-a]"}), "at character 2"),
        (json!({"pattern": "中文(文"}), "unclosed group, at character 3"),
        (json!({"pattern": "a\\p{Klingon}"}), "at character 2"),
        (json!({"pattern": "a\\nb"}), "line end"),
        (json!({"pattern": "x".repeat(1_000_000) + "("}), "at character 1000001"),
        (json!({"pattern": "(?:a{1000}){1000}"}), "cannot be searched for"),
        (json!({"pattern": "a", "glob": "["}), "The glob [ is not valid"),
        (json!({"pattern": "a", "glob": ""}), "glob is empty"),
    ] {
        let error = desk.call(Grep, arguments).unwrap_err();
        assert_eq!(error.status, Status::InvalidArguments);
        assert!(error.message.contains(words), "{} has no «{words}»", error.message);
        assert!(error.message.len() < 1000 && error.hint.is_none_or(|hint| hint.len() < 200));
    }
    let huge = desk.call(Grep, json!({"pattern": "x".repeat(1_000_000), "regex": false})).unwrap_err();
    assert_eq!((huge.code, huge.hint.as_deref()), ("invalid_pattern", Some("Search for a shorter text.")));
}

#[test]
fn long_lines_keep_the_match_in_view() {
    let desk = Desk::new();
    desk.write("long", format!("{}needle{}\n", "a".repeat(3_000_000), "b".repeat(3_000_000)));
    let data = grep(&desk, json!({"pattern": "needle"}));
    let text = data["files"][0]["lines"][0]["text"].as_str().unwrap();
    assert!(text.contains("needle") && text.len() < 600, "{} bytes", text.len());
}

#[test]
fn a_binary_file_is_passed_over_unless_it_is_named() {
    let desk = Desk::new();
    desk.write("x.bin", b"\0\x01needle\x02\n");
    desk.write("plain.txt", "needle\n");
    assert_eq!(flat(&grep(&desk, json!({"pattern": "needle"}))), ["plain.txt:1:needle"]);
    let named = desk.call(Grep, json!({"pattern": "needle", "path": "x.bin"})).unwrap();
    assert_eq!(named.data["files"][0]["binary"], true);
    assert!(named.text.contains("x.bin: a binary file that matches"), "{}", named.text);
}

#[test]
fn a_binary_file_is_searched_no_further_than_needed() {
    let desk = Desk::new();
    // Matches before it is known to be binary, and after.
    desk.write("x.bin", [b"needle\n".repeat(20), b"\0\n".to_vec(), b"needle\n".repeat(2_000_000)].concat());
    for output in ["matches", "counts", "files"] {
        let called =
            desk.call(Grep, json!({"pattern": "needle", "path": "x.bin", "output": output})).unwrap();
        let file = &called.data["files"][0];
        assert_eq!(called.data["more"], false, "{output}");
        assert!(file["count"].is_null(), "{output}: not all of it was counted: {file}");
        assert!(
            output == "files" || called.text.contains("a binary file that matches\n1 file matches."),
            "{}",
            called.text
        );
    }
}

#[test]
fn one_is_not_many() {
    let desk = Desk::new();
    desk.write("f", "needle\n");
    let text = |arguments| desk.call(Grep, arguments).unwrap().text;
    assert!(text(json!({"pattern": "needle"})).ends_with("1 matching line in 1 file."));
    assert!(text(json!({"pattern": "needle", "output": "files"})).ends_with("1 file matches."));
    assert!(text(json!({"pattern": "zebra"})).ends_with("(1 file searched)."));
}

#[cfg(unix)]
#[test]
fn sensitive_files_are_passed_over_unless_they_are_approved() {
    let desk = Desk::new();
    desk.write(".env", "TOKEN=needle\n");
    desk.write("server.key", "needle\n");
    desk.write(".ssh/config", "needle\n");
    desk.write("ok.txt", "needle\n");
    let data = grep(&desk, json!({"pattern": "needle", "include_hidden": true}));
    assert_eq!(flat(&data), ["ok.txt:1:needle"]);
    assert_eq!(data["skipped_sensitive"], 3);
    for path in [".ssh", ".env"] {
        let called = desk.call(Grep, json!({"pattern": "needle", "path": path})).unwrap();
        assert_eq!(called.plan.permission, Permission::Sensitive, "{path}");
        assert_eq!(called.data["matches"], 1, "{path}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_put_in_place_meanwhile_leads_nowhere() {
    let desk = Desk::new();
    let outside = desk.outside();
    std::fs::write(outside.join("f.txt"), "needle outside\n").unwrap();
    desk.write("d/f.txt", "needle inside\n");
    let data = desk
        .call_after(Grep, json!({"pattern": "needle"}), |_, _| {
            std::fs::remove_dir_all(desk.path("d")).unwrap();
            std::os::unix::fs::symlink(&outside, desk.path("d")).unwrap();
        })
        .unwrap()
        .data;
    assert_eq!(data["matches"], 0);
    // The root itself swapped for a link: what the plan named is gone.
    desk.write("e/f.txt", "needle\n");
    let swapped = desk.call_after(Grep, json!({"pattern": "needle", "path": "e"}), |_, _| {
        std::fs::remove_dir_all(desk.path("e")).unwrap();
        std::os::unix::fs::symlink(&outside, desk.path("e")).unwrap();
    });
    assert_eq!(swapped.unwrap_err().code, "plan_changed");
}

#[test]
fn cancelled_it_stops() {
    let desk = desk();
    for path in [".", "a.rs"] {
        let arguments = json!({"pattern": "fn", "path": path});
        let error = desk.call_after(Grep, arguments, |_, cx| cx.cancel_token().cancel()).unwrap_err();
        assert_eq!(error.status, Status::Cancelled, "{path}");
    }
}

/// The same results as `rg`, where it is installed.
#[test]
fn finds_what_rg_finds() {
    if Command::new("rg").arg("--version").output().is_err() {
        deskhand_testkit::skip("rg is not installed");
        return;
    }
    let desk = crate::files::walk::tests::tree();
    let cases: &[(&[&str], Value)] = &[
        (&["needle"], json!({"pattern": "needle"})),
        (&["-i", "needle"], json!({"pattern": "needle", "ignore_case": true})),
        (&["-F", "needle 1"], json!({"pattern": "needle 1", "regex": false})),
        (&["--hidden", "needle"], json!({"pattern": "needle", "include_hidden": true})),
        (&["--no-ignore", "needle"], json!({"pattern": "needle", "respect_gitignore": false})),
        (&["-g", "*.rs", "needle"], json!({"pattern": "needle", "glob": "*.rs"})),
        (&["-g", "!*.rs", "-g", "!sub", "needle"], json!({"pattern": "needle", "glob": ["!*.rs", "!sub"]})),
        (&["-g", "*.log", "needle"], json!({"pattern": "needle", "glob": "*.log"})),
        (&["-g", "sub/**", "needle"], json!({"pattern": "needle", "glob": "sub/**"})),
        (&["^needle \\d (here|there)$"], json!({"pattern": "^needle \\d (here|there)$"})),
        (&["-U", "line\\nneedle"], json!({"pattern": "line\\nneedle", "multiline": true})),
        (&["针"], json!({"pattern": "针"})),
        (&["needle\\s*$"], json!({"pattern": "needle\\s*$"})),
    ];
    for (flags, arguments) in cases {
        let mut arguments = arguments.clone();
        arguments["limit"] = json!(2000);
        let ours = grep(&desk, arguments.clone());
        assert_eq!(ours["more"], false);
        assert_eq!(counts(&ours), rg(&desk, flags), "{flags:?} {arguments}");
        arguments["output"] = json!("files");
        let files: Vec<String> = counts(&grep(&desk, arguments)).into_keys().collect();
        assert_eq!(files, rg(&desk, flags).into_keys().collect::<Vec<_>>(), "{flags:?}");
    }
}

fn counts(data: &Value) -> BTreeMap<String, u64> {
    let files = data["files"].as_array().unwrap().iter();
    files.map(|f| (f["path"].as_str().unwrap().to_owned(), f["count"].as_u64().unwrap_or(1))).collect()
}

/// Matching lines by file, as rg prints them.
fn rg(desk: &Desk, flags: &[&str]) -> BTreeMap<String, u64> {
    let output = Command::new("rg")
        .args(["--no-config", "--no-heading", "--with-filename", "-n", "--no-messages"])
        .args(flags)
        .current_dir(desk.path(""))
        .output()
        .unwrap();
    let mut found = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((path, rest)) = line.split_once(':') else { continue };
        if rest.split_once(':').is_some_and(|(number, _)| number.parse::<u64>().is_ok()) {
            *found.entry(path.trim_start_matches("./").to_owned()).or_default() += 1;
        }
    }
    found
}
