use std::{collections::BTreeSet, process::Command};

use serde_json::{Value, json};

use super::*;
use crate::testing::Desk;

fn find(desk: &Desk, arguments: Value) -> (Vec<String>, Value) {
    let data = desk.call(FileSearch, arguments).unwrap().data;
    let paths = data["matches"].as_array().unwrap().iter().map(|e| e["path"].as_str().unwrap().to_owned());
    (paths.collect(), data)
}

#[test]
fn patterns() {
    let desk = Desk::new();
    for file in [
        "a.rs",
        "B.RS",
        "src/main.rs",
        "src/deep/lib.rs",
        "src/app.ts",
        "src/app.tsx",
        "docs/[x].md",
        ".h.rs",
    ] {
        desk.write(file, "");
    }
    let cases: &[(&str, &[&str])] = &[
        ("*.rs", &["B.RS", "a.rs", "src/deep/lib.rs", "src/main.rs"]),
        ("*.RS", &["B.RS"]),
        ("src/*.rs", &["src/main.rs"]),
        ("src/**/*.rs", &["src/deep/lib.rs", "src/main.rs"]),
        ("./src/*.rs", &["src/main.rs"]),
        ("**/lib.rs", &["src/deep/lib.rs"]),
        ("*.{ts,tsx}", &["src/app.ts", "src/app.tsx"]),
        ("?.rs", &["B.RS", "a.rs"]),
        ("[ab].rs", &["B.RS", "a.rs"]),
        ("\\[x\\].md", &["docs/[x].md"]),
        ("nothing*", &[]),
        ("src/", &["src"]),
        ("deep/", &["src/deep"]),
        ("src/deep/", &["src/deep"]),
        ("./src/", &["src"]),
        ("*/", &["docs", "src", "src/deep"]),
        ("a.rs/", &[]),
    ];
    for (pattern, wanted) in cases {
        assert_eq!(find(&desk, json!({"pattern": pattern})).0, *wanted, "{pattern}");
    }
    let absolute = format!("{}/src/*.rs", desk.path("").display());
    assert_eq!(find(&desk, json!({"pattern": absolute.replace("//", "/")})).0, ["src/main.rs"]);
    assert_eq!(find(&desk, json!({"pattern": "*.rs", "case_sensitive": true})).0.len(), 3);
    assert_eq!(find(&desk, json!({"pattern": "A.RS", "case_sensitive": false})).0, ["a.rs"]);
    assert_eq!(find(&desk, json!({"pattern": "*.rs", "include_hidden": true})).0.len(), 5);
    assert_eq!(find(&desk, json!({"pattern": "*.rs", "max_depth": 1})).0, ["B.RS", "a.rs"]);
    assert_eq!(find(&desk, json!({"type": "dir"})).0, ["docs", "src", "src/deep"]);
    assert_eq!(find(&desk, json!({"path": "src", "pattern": "deep/*"})).0, ["src/deep/lib.rs"]);
}

#[test]
fn wrong_patterns_are_said() {
    let desk = Desk::new();
    let long = "{a,b}".repeat(200_000);
    for pattern in ["", "a[", "{a", "/etc/*", &long] {
        let error = desk.call(FileSearch, json!({"pattern": pattern})).unwrap_err();
        assert_eq!((error.code, error.status), ("invalid_pattern", deskhand_core::Status::InvalidArguments));
        assert!(error.message.len() < 500);
    }
}

#[test]
fn the_first_of_many_and_how_many() {
    let desk = Desk::new();
    for n in 0..300 {
        desk.write(format!("d{}/f{n:03}", n % 7), "");
    }
    let (paths, data) = find(&desk, json!({"pattern": "f*", "limit": 3}));
    assert_eq!(paths, ["d0/f000", "d0/f007", "d0/f014"]);
    assert_eq!((&data["total"], &data["more"]), (&json!(300), &json!(true)));
    let text = desk.call(FileSearch, json!({"pattern": "f*", "limit": 3})).unwrap().text;
    assert!(text.contains("The first 3 of 300"), "{text}");
}

#[cfg(unix)]
#[test]
fn names_of_any_kind_can_be_used_again() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let desk = Desk::new();
    for name in [&b"caf\xE9.txt"[..], b"two\nlines.txt", "中文.txt".as_bytes(), b"~", b"out:x"] {
        std::fs::write(desk.path(OsStr::from_bytes(name)), "x").unwrap();
    }
    let (paths, _) = find(&desk, json!({}));
    assert_eq!(paths, ["caf\\xE9.txt", "./out:x", "two\nlines.txt", "./~", "中文.txt"]);
    for path in paths {
        let stat = desk.call(super::super::file_stat::FileStat, json!({"path": path})).unwrap();
        assert_eq!(stat.data["size"], 1, "{path}");
    }
    let text = desk.call(FileSearch, json!({})).unwrap().text;
    assert!(text.contains("two\\nlines.txt"), "{text}");
}

#[cfg(unix)]
#[test]
fn sensitive_folders_are_named_and_not_entered() {
    let desk = Desk::new();
    desk.write(".ssh/id_rsa", "key");
    desk.write("a/.env", "KEY=1");
    let (paths, data) = find(&desk, json!({"include_hidden": true}));
    assert_eq!(paths, [".ssh", "a", "a/.env"]);
    assert_eq!(data["skipped_sensitive"], 1);
}

#[test]
fn cancelled_it_stops() {
    let desk = Desk::new();
    desk.write("f", "");
    let error = desk.call_after(FileSearch, json!({}), |_, cx| cx.cancel_token().cancel()).unwrap_err();
    assert_eq!(error.code, "cancelled");
}

/// The same results as `fd`, where it is installed.
#[test]
fn finds_what_fd_finds() {
    let Some(fd) =
        ["fdfind", "fd"].into_iter().find(|name| Command::new(name).arg("--version").output().is_ok())
    else {
        deskhand_testkit::skip("fd is not installed");
        return;
    };
    let desk = crate::files::walk::tests::tree();
    let cases: &[(&[&str], Value)] = &[
        (&[], json!({})),
        (&["--hidden"], json!({"include_hidden": true})),
        (&["--no-ignore"], json!({"respect_gitignore": false})),
        (&["--hidden", "--no-ignore"], json!({"include_hidden": true, "respect_gitignore": false})),
        (&["--type", "f"], json!({"type": "file"})),
        (&["--type", "d"], json!({"type": "dir"})),
        (&["--max-depth", "2"], json!({"max_depth": 2})),
        (&["--glob", "*.txt"], json!({"pattern": "*.txt"})),
        (&["--glob", "f1?.{txt,rs}"], json!({"pattern": "f1?.{txt,rs}"})),
        (&["--glob", "*.TXT"], json!({"pattern": "*.TXT"})),
    ];
    for (flags, arguments) in cases {
        let output = Command::new(fd).args(*flags).current_dir(desk.path("")).output().unwrap();
        let theirs: BTreeSet<String> = String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(|line| line.trim_start_matches("./").trim_end_matches('/').to_owned())
            .collect();
        let mut arguments = arguments.clone();
        arguments["limit"] = json!(1000);
        let ours: BTreeSet<String> = find(&desk, arguments.clone()).0.into_iter().collect();
        assert!(!ours.is_empty() || theirs.is_empty());
        assert_eq!(ours, theirs, "{flags:?} {arguments}");
    }
}
