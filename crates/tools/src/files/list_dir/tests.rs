use std::fs;

use serde_json::{Value, json};

use super::*;
use crate::testing::Desk;

fn list(desk: &Desk, arguments: Value) -> (Vec<String>, Value) {
    let data = desk.call(ListDir, arguments).unwrap().data;
    let paths = data["entries"].as_array().unwrap().iter().map(|e| e["path"].as_str().unwrap().to_owned());
    (paths.collect(), data)
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("b.txt", "bb");
    desk.write("a.txt", "a");
    desk.write("z/inner/deep.txt", "deep");
    desk.write("z/file.rs", "four");
    desk.write("m/x", "");
    desk.write(".hidden", "h");
    desk
}

#[test]
fn orders_and_depths() {
    let desk = desk();
    for (arguments, wanted) in [
        (json!({}), vec!["m", "z", "a.txt", "b.txt"]),
        (json!({"path": "."}), vec!["m", "z", "a.txt", "b.txt"]),
        (json!({"include_hidden": true}), vec!["m", "z", ".hidden", "a.txt", "b.txt"]),
        (json!({"path": "z"}), vec!["z/inner", "z/file.rs"]),
        (
            json!({"recursive": true}),
            vec!["m", "m/x", "z", "z/inner", "z/inner/deep.txt", "z/file.rs", "a.txt", "b.txt"],
        ),
        (json!({"max_depth": 2}), vec!["m", "m/x", "z", "z/inner", "z/file.rs", "a.txt", "b.txt"]),
        (json!({"recursive": true, "max_depth": 1}), vec!["m", "z", "a.txt", "b.txt"]),
        (
            json!({"path": "z", "recursive": true, "sort_by": "size"}),
            vec!["z/inner/deep.txt", "z/file.rs", "z/inner"],
        ),
        (json!({"sort_by": "kind"}), vec!["a.txt", "b.txt", "m", "z"]),
    ] {
        let (mut paths, data) = list(&desk, arguments.clone());
        let mut wanted: Vec<String> = wanted.into_iter().map(str::to_owned).collect();
        if arguments["sort_by"] == "size" {
            // Two of the same size: by name.
            paths[..2].sort();
            wanted[..2].sort();
        }
        assert_eq!(paths, wanted, "{arguments}");
        assert_eq!(data["total"], wanted.len(), "{arguments}");
    }
}

#[test]
fn newest_first() {
    let desk = Desk::new();
    for (name, age) in [("old", 300), ("new", 10), ("middle", 100)] {
        let path = desk.write(name, "");
        let time = SystemTime::now() - std::time::Duration::from_secs(age);
        fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }
    assert_eq!(list(&desk, json!({"sort_by": "modified"})).0, ["new", "middle", "old"]);
}

#[test]
fn pages_follow_one_another() {
    let desk = Desk::new();
    for n in 0..25 {
        desk.write(format!("f{n:02}"), "");
    }
    let mut seen = Vec::new();
    let mut offset = Some(0);
    while let Some(at) = offset {
        let (paths, data) = list(&desk, json!({"offset": at, "limit": 10}));
        seen.extend(paths);
        assert_eq!(data["total"], 25);
        offset = data["next_offset"].as_u64();
    }
    assert_eq!(seen, (0..25).map(|n| format!("f{n:02}")).collect::<Vec<_>>());
    let text = desk.call(ListDir, json!({"limit": 10})).unwrap().text;
    assert!(text.contains("Entries 1 to 10 of 25; offset 10 lists the next."), "{text}");
    let beyond = desk.call(ListDir, json!({"offset": 99})).unwrap().text;
    assert!(beyond.contains("none from offset 99"), "{beyond}");
}

#[test]
fn a_large_folder_is_counted_whole() {
    let desk = Desk::new();
    for n in 0..6_000 {
        desk.write(format!("f{n:05}"), "");
    }
    let (paths, data) = list(&desk, json!({"limit": 3, "offset": 4000}));
    assert_eq!(
        (paths, &data["total"]),
        (vec!["f04000".into(), "f04001".into(), "f04002".into()], &json!(6000))
    );
}

#[cfg(unix)]
#[test]
fn sensitive_places_are_named_and_not_entered() {
    let desk = Desk::new();
    desk.write(".ssh/id_ed25519", "key");
    desk.write("ok/.aws/credentials", "key");
    let (paths, data) = list(&desk, json!({"recursive": true, "include_hidden": true}));
    assert_eq!(paths, [".ssh", "ok", "ok/.aws"]);
    assert_eq!(data["skipped_sensitive"], 2);
    // Asked for by name it is another question.
    let plan = desk.plan(ListDir, json!({"path": ".ssh"})).unwrap();
    assert_eq!(plan.permission, Permission::Sensitive);
    assert_eq!(list(&desk, json!({"path": ".ssh", "include_hidden": true})).0, [".ssh/id_ed25519"]);
}

#[cfg(unix)]
#[test]
fn links_are_named_and_not_followed() {
    use std::os::unix::fs::symlink;
    let desk = Desk::new();
    desk.write("real/f", "");
    symlink("real", desk.path("link")).unwrap();
    symlink("..", desk.path("real/up")).unwrap();
    symlink("nowhere", desk.path("dangling")).unwrap();
    let (paths, data) = list(&desk, json!({"recursive": true}));
    assert_eq!(paths, ["real", "real/f", "real/up", "dangling", "link"]);
    assert_eq!(data["entries"][4]["kind"], "link");
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read_is_counted() {
    deskhand_testkit::become_ordinary_user();
    let desk = Desk::new();
    desk.write("closed/f", "");
    crate::testing::set_mode(&desk.path("closed"), 0o000);
    assert_eq!(list(&desk, json!({"recursive": true})).1["unreadable"], 1);
    let error = desk.call(ListDir, json!({"path": "closed"})).unwrap_err();
    assert_eq!(error.code, "permission_denied");
}

#[test]
fn outside_the_workspace_it_asks() {
    let desk = Desk::new();
    let outside = desk.outside();
    fs::write(outside.join("f"), "").unwrap();
    let path = outside.to_str().unwrap();
    assert_eq!(desk.plan(ListDir, json!({"path": path})).unwrap().permission, Permission::Moderate);
    assert_eq!(list(&desk, json!({"path": path})).0, [format!("{path}/f")]);
}

#[test]
fn what_git_ignores_is_left_out_below() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path(".git")).unwrap();
    desk.write(".gitignore", "target/\n*.log\n");
    for file in ["target/debug/x", "src/a.rs", "src/b.log", "z.log"] {
        desk.write(file, "");
    }
    for (arguments, wanted) in [
        (json!({}), vec!["src", "target", "z.log"]),
        (json!({"recursive": true}), vec!["src", "src/a.rs"]),
        (json!({"max_depth": 2}), vec!["src", "src/a.rs"]),
        (json!({"recursive": true, "limit": 1, "offset": 1}), vec!["src/a.rs"]),
        (
            json!({"recursive": true, "respect_gitignore": false}),
            vec!["src", "src/a.rs", "src/b.log", "target", "target/debug", "target/debug/x", "z.log"],
        ),
    ] {
        assert_eq!(list(&desk, arguments.clone()).0, wanted, "{arguments}");
    }
}

#[test]
fn pages_of_a_tree_follow_one_another() {
    let desk = Desk::new();
    for n in 0..300 {
        desk.write(format!("d{}/f{n:03}", n % 7), "");
    }
    let all = list(&desk, json!({"recursive": true, "limit": 1000})).0;
    assert_eq!(all.len(), 307);
    let mut seen = Vec::new();
    while let (page, true) =
        (list(&desk, json!({"recursive": true, "limit": 50, "offset": seen.len()})).0, seen.len() < 307)
    {
        seen.extend(page);
    }
    assert_eq!(seen, all);
}

#[test]
fn one_is_not_many() {
    let desk = Desk::new();
    desk.write("f", "");
    let text = desk.call(ListDir, json!({})).unwrap().text;
    assert!(text.contains("1 entry in "), "{text}");
}
