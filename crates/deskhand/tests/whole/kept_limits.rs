//! Commands on a layer that do much at once, or something unusual.

use std::{
    fs,
    os::unix::fs::{FileTypeExt, MetadataExt},
    process::Stdio,
};

use deskhand_core::{Mode, Outcome};
use serde_json::{Value, json};

use crate::{
    support::{Desk, yes},
    try_command::layered as shop,
};

async fn bash(desk: &Desk, command: &str) -> Outcome {
    desk.call("bash", json!({"command": command, "timeout_ms": 60_000})).await
}

fn layered() -> Option<Desk> {
    let desk = Desk::new().mode(Mode::Auto);
    let sandbox = desk.session.services.get::<deskhand_guard::sandbox::Sandbox>().unwrap();
    if sandbox.no_layer().is_none() {
        return Some(desk);
    }
    deskhand_testkit::skip("no layer can be mounted here");
    None
}

#[tokio::test]
async fn a_hundred_thousand_files_are_kept_and_undone() {
    let Some(mut desk) = layered() else { return };
    desk.write("a.txt", "a");
    let before = desk.listing();
    let script = "mkdir many; cd many; for d in $(seq 0 9); do mkdir $d; \
                  seq $((d * 10000)) $((d * 10000 + 9999)) | split -d -a 4 -l 1 - $d/; done";
    let ran = bash(&desk, script).await;
    assert_eq!((ran.is_success(), ran.kept), (true, Some(true)), "{}", ran.text);
    assert!(ran.text.len() < 20_000 && ran.changes.len() <= 200, "{} of it", ran.text.len());
    let files = || fs::read_dir(desk.path("many")).unwrap();
    let count: usize = files().map(|folder| fs::read_dir(folder.unwrap().path()).unwrap().count()).sum();
    assert_eq!((count, desk.text("many/4/0207").as_str()), (100_000, "40207\n"));
    desk.answer([yes()]);
    let undone = desk.call("undo", json!({"call_id": ran.undo.unwrap()})).await;
    assert!(undone.is_success(), "{}", undone.text);
    assert_eq!(desk.listing(), before);
}

#[tokio::test]
async fn pipes_and_hard_links_are_kept_and_undone() {
    let Some(desk) = layered() else { return };
    desk.write("one", "one\n");
    fs::hard_link(desk.path("one"), desk.path("other")).unwrap();
    let before = desk.listing();
    let ran = bash(
        &desk,
        "mkfifo pipe; (echo through > pipe &) ; cat pipe; echo new > new; ln new new2; echo 2 >> one",
    )
    .await;
    assert_eq!((ran.is_success(), ran.kept), (true, Some(true)), "{}", ran.text);
    assert_eq!(ran.data["stdout"], "through\n");
    let kind = |name: &str| fs::symlink_metadata(desk.path(name)).unwrap();
    assert!(kind("pipe").file_type().is_fifo());
    assert_eq!((desk.text("new"), desk.text("new2")), ("new\n".to_owned(), "new\n".to_owned()));
    assert_eq!(desk.text("one"), "one\n2\n");
    // A name of the same file that the command did not write keeps what it had, or follows: it is never lost.
    assert!(["one\n", "one\n2\n"].contains(&desk.text("other").as_str()), "{:?}", kind("other").nlink());
    let undone = desk.call("undo", json!({"call_id": ran.undo.unwrap()})).await;
    assert!(undone.is_success(), "{}", undone.text);
    assert_eq!((desk.listing(), desk.text("one")), (before, "one\n".to_owned()));
}

#[tokio::test]
async fn looking_into_a_database_is_no_change_and_writing_is() {
    let Some(desk) = layered() else { return };
    let sql = |statement: &str| {
        format!(
            "python3 -c 'import sqlite3, sys; c = sqlite3.connect(\"d.db\"); \
             print(c.execute(sys.argv[1]).fetchall()); c.commit()' \"{statement}\""
        )
    };
    for journal in ["delete", "wal"] {
        for statement in [
            &format!("pragma journal_mode={journal}"),
            "create table if not exists t (n)",
            "insert into t values (7)",
        ] {
            let ran = bash(&desk, &sql(statement)).await;
            if ran.text.contains("python3: command not found") {
                return deskhand_testkit::skip("there is no python3");
            }
            assert!(ran.is_success(), "{journal} {statement}: {}", ran.text);
        }
        let looked = bash(&desk, &sql("select count(*) > 0 from t")).await;
        assert_eq!(looked.data["stdout"], "[(1,)]\n", "{journal}");
        assert_eq!((looked.kept, looked.changes.len()), (None, 0), "{journal}: {:?}", looked.changes);
        let counted = fs::read(desk.path("d.db")).unwrap();
        let added = bash(&desk, &sql("insert into t values (8)")).await;
        assert_eq!(added.kept, Some(true), "{journal}: {}", added.text);
        assert_ne!(fs::read(desk.path("d.db")).unwrap(), counted, "{journal}");
        let undone = desk.call("undo", json!({"call_id": added.undo.unwrap()})).await;
        assert!(undone.is_success(), "{journal}: {}", undone.text);
        assert_eq!(fs::read(desk.path("d.db")).unwrap(), counted, "{journal}");
    }
}

#[test]
fn full_layer_ends_its_command_and_keeps_nothing() {
    let Some(shop) = shop() else { return };
    let config = shop.root.join("config.toml");
    fs::write(&config, "[sandbox]\nlayer_mb = 16\n").unwrap();
    // Both one large file and many small ones.
    for script in
        ["cat /dev/zero > big", "i=0; while :; do i=$((i + 1)); head -c 100000 /dev/zero > f$i; done"]
    {
        let arguments =
            json!({"command": format!("touch early; {script}"), "timeout_ms": 60_000}).to_string();
        let config = config.display().to_string();
        let ran = shop.run(&["--mode", "auto", "--config", &config, "--json", "call", "bash", &arguments]);
        let outcome = ran.json();
        assert_eq!(outcome["error"]["code"], "layer_full", "{outcome}");
        assert!(outcome["error"]["hint"].as_str().unwrap().contains("sandbox.layer_mb"), "{outcome}");
        assert_ne!(outcome["kept"], true, "{outcome}");
        let mut names: Vec<_> =
            fs::read_dir(shop.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["a.txt", "b.txt"], "{script}");
        assert_eq!(fs::read_dir(shop.root.join("data/layers")).unwrap().count(), 0, "{script}");
    }
}

#[test]
fn commands_of_several_processes_take_turns() {
    let Some(shop) = shop() else { return };
    shop.write("count", "0\n");
    let arguments = json!({
        "command": "date +%s%N; n=$(cat count); sleep 0.15; echo $((n + 1)) > count; date +%s%N"
    });
    let start = || {
        let mut command = shop.command(&["--mode", "auto", "--json", "call", "bash", &arguments.to_string()]);
        command.stdout(Stdio::piped()).spawn().unwrap()
    };
    let children = [(); 4].map(|()| start());
    let outcomes = children
        .map(|child| -> Value { serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap() });
    let mut times: Vec<(u64, u64)> = Vec::new();
    for outcome in &outcomes {
        let printed = outcome["data"]["stdout"].as_str().unwrap_or_else(|| panic!("{outcome}"));
        let numbers: Vec<u64> = printed.lines().map(|line| line.parse().unwrap()).collect();
        times.push((numbers[0], numbers[1]));
    }
    times.sort_unstable();
    assert!(times.windows(2).all(|pair| pair[0].1 < pair[1].0), "two at once: {times:?}");
    // One whose base changed before it was kept is a conflict; none is lost silently.
    let kept = outcomes.iter().filter(|outcome| outcome["kept"] == true).count();
    assert!(kept >= 1);
    for outcome in outcomes.iter().filter(|outcome| outcome["kept"] != true) {
        assert_eq!(outcome["error"]["code"], "changed_since", "{outcome}");
    }
    assert_eq!(shop.read("count").trim(), kept.to_string());
}
