//! Programs in the background, as their folders tell of them: one that runs in another Deskhand, and one that has ended.

use std::{
    fs::{self, File},
    io::Write,
    sync::Mutex,
};

use deskhand_core::Time;
use deskhand_testkit::until;
use serde_json::{Value, json};

use crate::harness::{House, Who, text};

/// A process, kept as whoever runs it keeps it. Returns the lock that says that it runs.
pub fn keep(
    house: &House,
    id: &str,
    owner: Option<&str>,
    session: &str,
    status: &str,
    command: &str,
) -> File {
    let folder = house.data.join("processes").join(id);
    fs::create_dir_all(&folder).unwrap();
    let lock = File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    write_down(house, id, owner, session, status, command);
    for log in ["stdout.log", "stderr.log"] {
        File::options().append(true).create(true).open(folder.join(log)).unwrap();
    }
    lock
}

fn write_down(house: &House, id: &str, owner: Option<&str>, session: &str, status: &str, command: &str) {
    let folder = house.data.join("processes").join(id);
    let ended = (status != "running").then(Time::now);
    let mut record = json!({
        "process_id": id, "session_id": session, "command": command, "cwd": "/", "pid": 1, "pty": false,
        "reads_commands": false, "started_at": Time::now(), "status": status,
        "exit_code": ended.map(|_| 3), "signal": null, "ended_at": ended, "lines": [2, 1], "handles": [null, null],
    });
    if let Some(owner) = owner {
        record["owner"] = json!(owner);
    }
    // Whole or not at all, for somebody reads it meanwhile.
    fs::write(folder.join("new"), record.to_string()).unwrap();
    fs::rename(folder.join("new"), folder.join("meta.json")).unwrap();
}

fn print(house: &House, id: &str, log: &str, text: &str) {
    let path = house.data.join("processes").join(id).join(log);
    File::options().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn printed(events: &str, stream: &str) -> String {
    let data = events.lines().filter_map(|line| line.strip_prefix("data: "));
    let data = data.map(|data| serde_json::from_str::<Value>(data).unwrap());
    data.filter(|data| data["stream"] == stream).map(|data| text(&data["text"])).collect()
}

#[tokio::test]
async fn what_a_process_prints_is_seen_as_it_does() {
    let house = House::start().await;
    let session = house.session(Who::Owner, "s").await;
    let id = "p-00000001";
    let lock = keep(&house, id, None, &session, "running", "make");
    print(&house, id, "stdout.log", "first\n");
    let (_, list) = house.get(Who::Owner, "/api/v1/processes").await;
    let process = &list["processes"][0];
    assert_eq!(
        (&process["id"], &process["status"], &process["command"]),
        (&json!(id), &json!("running"), &json!("make"))
    );
    assert_eq!(house.get(Who::Bob, "/api/v1/processes").await.1, json!({"processes": []}));

    let path = format!("/api/v1/processes/{id}/output");
    let seen = Mutex::new(String::new());
    let has_seen = async |words: &str| until(words, async || seen.lock().unwrap().contains(words)).await;
    let going_on = async {
        has_seen("first").await;
        print(&house, id, "stdout.log", "second: token=ghp_0123456789abcdefghijABCDEFGHIJ012345\n");
        print(&house, id, "stderr.log", "警告\n");
        has_seen("警告").await;
        print(&house, id, "stdout.log", "no end of line");
        write_down(&house, id, None, &session, "exited", "make");
        drop(lock);
    };
    let ended = |so_far: &str| {
        so_far.clone_into(&mut seen.lock().unwrap());
        so_far.contains("event: end")
    };
    let (events, ()) = tokio::join!(house.stream_until(Who::Owner, &path, ended), going_on);
    let out = printed(&events, "stdout");
    assert!(out.starts_with("first\nsecond: ") && out.ends_with("no end of line"), "{events}");
    assert!(!events.contains("ghp_0123") && out.contains("masked"), "{events}");
    assert_eq!(printed(&events, "stderr"), "警告\n");
    assert!(events.contains("\"status\":\"exited\"") && events.contains("\"exit_code\":3"), "{events}");
}

#[tokio::test]
async fn a_reader_goes_on_where_it_was() {
    let house = House::start().await;
    let session = house.session(Who::Owner, "s").await;
    let id = "p-00000002";
    let lock = keep(&house, id, None, &session, "running", "make");
    print(&house, id, "stdout.log", "one\ntwo\nthree\n");
    let path = format!("/api/v1/processes/{id}/output?from_stdout=2");
    let seen = house.stream_until(Who::Owner, &path, |seen| seen.contains("three")).await;
    assert_eq!(printed(&seen, "stdout"), "three\n");
    assert!(seen.contains("\"next\":3"), "{seen}");
    drop(lock);
}

#[tokio::test]
async fn only_its_owner_ends_a_process() {
    let house = House::start().await;
    let session = house.session(Who::Owner, "s").await;
    let lock = keep(&house, "p-00000003", None, &session, "running", "make");
    drop(keep(&house, "p-00000004", Some("bob"), "web-console-bob", "exited", "true"));
    let kill = |who: Who, id: &str| {
        let path = format!("/api/v1/processes/{id}/kill");
        let house = &house;
        async move { house.post(who, &path, json!({})).await }
    };
    assert_eq!(kill(Who::Bob, "p-00000003").await.0, 404);
    assert_eq!(kill(Who::Owner, "p-00000004").await.0, 404);
    assert_eq!(kill(Who::Owner, "nonsense").await.0, 404);
    // Through the gate: the tool says what it can do about it.
    let (status, elsewhere) = kill(Who::Owner, "p-00000003").await;
    assert_eq!((status, &elsewhere["error"]["code"]), (200, &json!("not_running_here")), "{elsewhere}");
    let (status, ended) = kill(Who::Bob, "p-00000004").await;
    assert_eq!((status, &ended["result"]["already_ended"]), (200, &json!(true)), "{ended}");
    drop(lock);
}
