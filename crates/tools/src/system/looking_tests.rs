//! `list_processes` and `get_process_info`, with real processes.

#![cfg(target_os = "linux")]

use std::process::{Child, Command, Stdio};

use deskhand_core::{Effects, Permission};
use serde_json::{Value, json};

use super::{get_process_info::GetProcessInfo, list_processes::ListProcesses};
use crate::testing::Desk;

/// Ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn sleeping(seconds: &str) -> Running {
    let child = Command::new("sleep").arg(seconds).stdin(Stdio::null()).spawn().unwrap();
    // Until it has become sleep, it is still a copy of this program.
    while !std::fs::read(format!("/proc/{}/cmdline", child.id())).unwrap().starts_with(b"sleep\0") {
        std::thread::yield_now();
    }
    Running(child)
}

fn list(arguments: Value) -> Value {
    Desk::new().call(ListProcesses, arguments).unwrap().data
}

fn pids(data: &Value) -> Vec<u64> {
    data["processes"].as_array().unwrap().iter().map(|row| row["pid"].as_u64().unwrap()).collect()
}

#[test]
fn a_process_is_found_by_name_and_user() {
    let child = sleeping("1234.5");
    let pid = u64::from(child.0.id());
    let row = |data: &Value| {
        let rows = data["processes"].as_array().unwrap();
        rows.iter().find(|row| row["pid"] == pid).cloned()
    };
    let found = row(&list(json!({"filter": "SLEE", "limit": 500}))).unwrap();
    assert_eq!((&found["name"], &found["command"]), (&json!("sleep"), &json!("sleep 1234.5")));
    assert_eq!(found["ppid"], std::process::id());
    let user = found["user"].as_str().unwrap();
    assert!(row(&list(json!({"filter": "sleep", "user": user, "limit": 500}))).is_some());
    let uid = rustix::process::getuid().as_raw().to_string();
    assert!(row(&list(json!({"filter": "sleep", "user": uid, "limit": 500}))).is_some());
    assert!(row(&list(json!({"filter": "sleep", "user": "no such user"}))).is_none());
    assert_eq!(list(json!({"filter": "surely no process has this name"}))["total"], 0);
}

#[test]
fn pages_and_order() {
    let _children: Vec<Running> = (0..3).map(|_| sleeping("777")).collect();
    let by_pid = pids(&list(json!({"sort_by": "pid", "limit": 500})));
    assert!(by_pid.is_sorted() && by_pid.len() >= 4, "{by_pid:?}");
    let first = list(json!({"sort_by": "pid", "limit": 2}));
    assert_eq!((pids(&first).len(), &first["next_offset"]), (2, &json!(2)));
    let second = list(json!({"sort_by": "pid", "limit": 2, "offset": 2}));
    assert!(pids(&second)[0] > pids(&first)[1]);
    let beyond = list(json!({"offset": 1_000_000}));
    assert!(pids(&beyond).is_empty() && beyond.get("next_offset").is_none());
    assert!(beyond["total"].as_u64().unwrap() >= 4);
    let rows = list(json!({"sort_by": "memory", "limit": 500}));
    let memory: Vec<u64> = rows["processes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["memory"]["bytes"].as_u64().unwrap())
        .collect();
    assert!(memory.is_sorted_by(|a, b| a >= b), "{memory:?}");
    let rows = list(json!({"sort_by": "name", "limit": 500}));
    let names: Vec<String> = rows["processes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["name"].as_str().unwrap().to_lowercase())
        .collect();
    assert!(names.is_sorted(), "{names:?}");
}

#[test]
fn a_long_command_line_is_cut() {
    let child = Running(Command::new("sleep").args(["0.1", "600"]).args(vec!["1"; 300]).spawn().unwrap());
    let info = loop {
        let info = Desk::new().call(GetProcessInfo, json!({"pid": child.0.id()})).unwrap().data;
        if info["name"] == "sleep" {
            break info;
        }
    };
    assert_eq!(info["command"].as_str().unwrap().chars().count(), 201);
    assert_eq!(info["full_command"].as_str().unwrap().len(), "sleep 0.1 600".len() + 600);
}

#[test]
fn everything_of_one_process() {
    let child = sleeping("4321");
    let pid = child.0.id();
    let called = Desk::new().call(GetProcessInfo, json!({"pid": pid})).unwrap();
    let data = called.data;
    assert_eq!((&data["pid"], &data["threads"], &data["name"]), (&json!(pid), &json!(1), &json!("sleep")));
    assert!(data["exe"].as_str().unwrap().starts_with('/'), "{data}");
    assert_eq!(data["cwd"], std::env::current_dir().unwrap().display().to_string());
    assert!(data["open_files"].as_u64().unwrap() >= 1, "{data}");
    assert!(called.text.contains("sleep 4321"), "{}", called.text);
    let own = Desk::new().call(GetProcessInfo, json!({"pid": std::process::id()})).unwrap().data;
    assert!(own["children"].as_array().unwrap().contains(&json!({"pid": pid, "name": "sleep"})), "{own}");
}

#[test]
fn the_environment_stays_where_it_is() {
    let child = Command::new("sleep").arg("99").env("PRIVATE_TO_THE_CHILD", "value-of-the-child").spawn();
    let child = Running(child.unwrap());
    let called = Desk::new().call(GetProcessInfo, json!({"pid": child.0.id()})).unwrap();
    let all = format!("{} {}", called.text, called.data);
    assert!(!all.contains("value-of-the-child") && !all.contains("PRIVATE_TO_THE_CHILD"), "{all}");
}

#[test]
fn what_is_no_process() {
    for pid in [0, 4_194_305, u32::MAX] {
        let error = Desk::new().call(GetProcessInfo, json!({"pid": pid})).unwrap_err();
        assert_eq!(error.code, "no_such_process", "{pid}");
    }
    for pid in [json!(-1), json!("1"), json!(1.5), json!(null)] {
        let error = Desk::new().call(GetProcessInfo, json!({"pid": pid})).unwrap_err();
        assert_eq!(error.code, "invalid_arguments", "{pid}");
    }
    for arguments in
        [json!({"limit": 0}), json!({"limit": 501}), json!({"sort_by": "age"}), json!({"filter": ""})]
    {
        let error = Desk::new().call(ListProcesses, arguments.clone()).unwrap_err();
        assert_eq!(error.code, "invalid_arguments", "{arguments}");
    }
}

#[test]
fn looking_is_free() {
    let desk = Desk::new();
    for plan in [
        desk.plan(ListProcesses, json!({"filter": "x"})).unwrap(),
        desk.plan(GetProcessInfo, json!({"pid": 1})).unwrap(),
    ] {
        assert_eq!((plan.permission, plan.effects), (Permission::Public, Effects::READS));
    }
}
