//! The machine and its processes, through the gate.

use std::{
    fs,
    process::{Child, Command, Stdio},
};

use deskhand_core::{Mode, Outcome, Permission, Request, Status};
use serde_json::{Value, json};

use crate::{
    command::Shop,
    support::{Desk, no, plan_of, yes},
};

/// Ends with the test.
struct Running(Child);

impl Running {
    fn sleep() -> Self {
        let child = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap();
        let command_line = format!("/proc/{}/cmdline", child.id());
        // Until it has become sleep, it is still a copy of this program.
        while !fs::read(&command_line).unwrap().starts_with(b"sleep") {
            std::thread::yield_now();
        }
        Self(child)
    }

    fn runs(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn in_dialect(desk: &Desk, dialect: &str, tool: &str, arguments: Value) -> (Outcome, Value) {
    let request = Request::new(tool, arguments).in_dialect(Some(dialect.to_owned()));
    let outcome = desk.gate.call(request, &desk.session).await;
    let shaped = desk.gate.registry.dialect(dialect).unwrap().shaped(tool, &outcome);
    (outcome, shaped)
}

/// What a program of the system says; `None` where it is not there.
fn said_by(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

/// AC006: `get_system_info` returns accurate system information, and so do the four beside it.
#[tokio::test]
async fn ac006_get_system_info_is_accurate() {
    let desk = Desk::new();
    let (outcome, shaped) = in_dialect(&desk, "omni", "get_system_info", json!({})).await;
    assert_eq!((outcome.status, &shaped["success"]), (Status::Success, &json!(true)), "{}", outcome.text);
    let system = &shaped["data"];
    for (option, field) in [("-r", "kernel"), ("-m", "architecture"), ("-n", "hostname")] {
        if let Some(said) = said_by("uname", &[option]) {
            assert_eq!(system[field], said, "uname {option}");
        }
    }
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    if let Some(name) = release.lines().find_map(|line| line.strip_prefix("NAME=")) {
        assert_eq!(system["os"], name.trim_matches('"'));
    }
    let uptime = fs::read_to_string("/proc/uptime").unwrap();
    let uptime: f64 = uptime.split(' ').next().unwrap().parse().unwrap();
    assert!((system["uptime_s"].as_f64().unwrap() - uptime).abs() < 60.0, "{system}");

    let (_, shaped) = in_dialect(&desk, "omni", "get_cpu_info", json!({})).await;
    let cpu = &shaped["data"];
    if let Some(said) = said_by("nproc", &["--all"]) {
        assert_eq!(cpu["logical_cores"].to_string(), said);
    }
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap();
    let model = processor.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    if let Some((_, model)) = model {
        assert_eq!(cpu["model"], model.trim());
    }
    let usage = cpu["usage_percent"].as_f64().unwrap();
    assert!((0.0..=100.0).contains(&usage), "{cpu}");

    let (_, shaped) = in_dialect(&desk, "omni", "get_memory_info", json!({})).await;
    let memory = &shaped["data"];
    let info = fs::read_to_string("/proc/meminfo").unwrap();
    let line = info.lines().find_map(|line| line.strip_prefix("MemTotal:")).unwrap();
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().unwrap();
    assert_eq!(memory["total"], kib * 1024);
    let of = |field: &str| memory[field].as_u64().unwrap();
    assert_eq!(of("used") + of("available"), of("total"));
    assert!(of("left_to_us") <= of("available_to_us") && of("available_to_us") <= of("total"), "{memory}");

    for (tool, field) in [("get_disk_info", "partitions"), ("get_network_info", "interfaces")] {
        let (outcome, shaped) = in_dialect(&desk, "omni", tool, json!({})).await;
        assert!(outcome.is_success(), "{}", outcome.text);
        assert!(shaped["data"][field].is_array(), "{shaped}");
    }
}

#[tokio::test]
async fn sys_monitor_answers_in_its_own_shape() {
    let desk = Desk::new();
    for (arguments, wanted) in [
        (json!({"metric": "cpu", "interval": 0.3}), vec!["cpu"]),
        (json!({"metric": "memory", "interval": null}), vec!["memory"]),
        (json!({"metric": "disk"}), vec!["disk"]),
        (json!({"metric": "all"}), vec!["cpu", "disk", "memory"]),
        (json!({}), vec!["cpu", "disk", "memory"]),
    ] {
        let (outcome, shaped) = in_dialect(&desk, "ops", "sys_monitor", arguments.clone()).await;
        assert!(outcome.is_success(), "{arguments}: {}", outcome.text);
        let fields: Vec<&String> = shaped.as_object().unwrap().keys().collect();
        assert_eq!(fields.len(), 4, "{fields:?}");
        assert_eq!((&shaped["success"], &shaped["error"]), (&json!(true), &Value::Null));
        let output: Value = serde_json::from_str(shaped["output"].as_str().unwrap()).unwrap();
        let mut keys: Vec<&str> = output.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!(keys, wanted, "{arguments}");
        for part in ["memory", "disk"].into_iter().filter_map(|part| output.get(part)) {
            let mut fields: Vec<&str> = part.as_object().unwrap().keys().map(String::as_str).collect();
            fields.sort_unstable();
            assert_eq!(fields, ["available", "total", "usage_percent", "used"]);
            assert!(part["total"].as_str().unwrap().ends_with("GB"), "{part}");
            assert!(part["usage_percent"].is_number(), "{part}");
        }
        if arguments.get("interval").is_some_and(Value::is_number) {
            assert!(outcome.duration_ms >= 300, "the interval is sampled: {} ms", outcome.duration_ms);
        }
    }
    for arguments in [json!({"metric": "network"}), json!({"metric": ["cpu"]}), json!({"interval": 0})] {
        let (outcome, shaped) = in_dialect(&desk, "ops", "sys_monitor", arguments.clone()).await;
        assert_eq!(outcome.status, Status::InvalidArguments, "{arguments}");
        assert_eq!(shaped["success"], false);
    }
    // By its name alone it is the canonical tool, with its words and its results.
    let outcome = desk.call("sys_monitor", json!({"metric": "memory"})).await;
    assert!(outcome.data["memory"]["total"]["bytes"].is_u64(), "{}", outcome.text);
}

#[tokio::test]
async fn a_person_is_asked_with_the_process_named() {
    let mut desk = Desk::new().mode(Mode::Auto);
    let mut child = Running::sleep();
    let pid = child.0.id();

    let asked = desk.answer([no("I need it")]);
    let outcome = desk.call("kill_process", json!({"pid": pid})).await;
    assert_eq!(outcome.status, Status::ExecutionRejected);
    assert!(child.runs());
    let request = &asked.asked()[0];
    assert!(!request.may_remember, "it is asked every time");
    let plan = plan_of(request);
    assert_eq!(plan.permission, Permission::Sensitive);
    assert!(plan.summary.contains(&format!("End sleep (pid {pid}, of ")), "{}", plan.summary);
    assert!(plan.preview.as_ref().unwrap().text().contains("command: sleep 600"), "{:?}", plan.preview);

    let asked = desk.answer([yes()]);
    let (outcome, shaped) = in_dialect(&desk, "omni", "kill_process", json!({"pid": pid})).await;
    assert_eq!(asked.asked().len(), 1);
    assert!(outcome.is_success(), "{}", outcome.text);
    assert_eq!((&shaped["success"], &shaped["data"]["signal"]), (&json!(true), &json!("SIGTERM")));
    assert!(!child.runs());
    let gone = desk.call("kill_process", json!({"pid": pid})).await;
    assert_eq!(gone.error.unwrap().code, "no_such_process");
}

#[tokio::test]
async fn the_first_process_and_our_own_are_blocked_whatever_anyone_says() {
    let mut desk = Desk::new();
    for (pid, rule) in [(0, "process:first"), (1, "process:first"), (std::process::id(), "process:own")] {
        let asked = desk.answer([no("nobody should be asked")]);
        let outcome = desk.call("kill_process", json!({"pid": pid, "force": true})).await;
        assert_eq!((outcome.status, outcome.error.unwrap().code.as_str()), (Status::Blocked, rule), "{pid}");
        assert!(asked.asked().is_empty(), "{pid}");
    }
}

#[tokio::test]
async fn modes_hold_for_processes() {
    let mut child = Running::sleep();
    for (mode, status) in [(Mode::ReadOnly, Status::Blocked), (Mode::Unattended, Status::NobodyToAsk)] {
        let desk = Desk::new().mode(mode).answering([yes()]);
        let outcome = desk.call("kill_process", json!({"pid": child.0.id()})).await;
        assert_eq!(outcome.status, status, "{}", outcome.text);
        for tool in ["list_processes", "system_info"] {
            assert!(desk.call(tool, json!({})).await.is_success(), "{tool} in {mode}");
        }
    }
    assert!(child.runs());
}

/// Also where it stands so late in the line that cutting would take its end away.
#[tokio::test]
async fn secrets_in_command_lines_are_masked() {
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let padding = "x".repeat(170);
    let script = format!("read line; : {padding} {secret}");
    let child = Running(Command::new("sh").args(["-c", &script]).stdin(Stdio::piped()).spawn().unwrap());
    let pid = child.0.id();
    while !fs::read(format!("/proc/{pid}/cmdline")).unwrap().starts_with(b"sh") {
        std::thread::yield_now();
    }
    let mut desk = Desk::new();
    let asked = desk.answer([no("not now")]);
    let outcomes = [
        desk.call("get_process_info", json!({"pid": pid})).await,
        desk.call("list_processes", json!({"filter": "sh", "limit": 500})).await,
        desk.call("kill_process", json!({"pid": pid})).await,
    ];
    assert!(outcomes[0].text.contains("masked"), "{}", outcomes[0].text);
    assert_eq!(asked.asked().len(), 1);
    let seen = format!("{} {}", serde_json::to_string(&outcomes).unwrap(), desk.events.json());
    let seen = seen + &format!("{:?}", asked.asked()) + &desk.audit_text();
    assert!(!seen.contains("ghp_a1B2"), "a part of the secret is seen");
}

/// One that did not start us, and whose end would still hang up our terminal.
#[test]
fn the_session_leader_is_blocked_even_if_it_is_no_ancestor() {
    const SCRIPT: &str = r#"
        # What the inner shell leaves behind is no longer below this one, but in its session.
        sh -c '(until [ -e go ]; do sleep 0.02; done
                "$0" --json explain kill_process "pid=$1" > answer; touch done) > /dev/null &' "$0" "$$"
        touch go
        tries=0
        until [ -e done ] || [ $tries -gt 500 ]; do sleep 0.05; tries=$((tries + 1)); done
    "#;
    let shop = Shop::new();
    let told = shop.command(&[]);
    let mut command = Command::new("setsid");
    command.args(["--wait", "sh", "-c", SCRIPT]).arg(told.get_program());
    give_environment(&mut command, &told);
    let Ok(status) = command.current_dir(shop.path("")).stdin(Stdio::null()).status() else {
        deskhand_testkit::skip("there is no setsid here");
        return;
    };
    assert!(status.success());
    let answer: Value = serde_json::from_str(&shop.read("answer")).unwrap();
    assert_eq!(
        (&answer["decision"], &answer["rule"]),
        (&json!("forbid"), &json!("process:session-leader")),
        "{answer}"
    );
}

/// As where a container was entered from outside: our session has a leader that has no number here.
#[test]
fn a_session_that_began_outside_is_no_hindrance() {
    const SCRIPT: &str = r#"sleep 600 & "$0" --json explain kill_process "pid=$!" > answer; true"#;
    const IN_A_NAMESPACE: [&str; 6] = ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--"];
    let possible = Command::new("unshare").args(IN_A_NAMESPACE).arg("true").output();
    if !possible.is_ok_and(|output| output.status.success()) {
        deskhand_testkit::skip("namespaces cannot be made here");
        return;
    }
    let shop = Shop::new();
    let told = shop.command(&[]);
    let mut command = Command::new("unshare");
    command.args(IN_A_NAMESPACE).args(["sh", "-c", SCRIPT]).arg(told.get_program());
    give_environment(&mut command, &told);
    assert!(command.current_dir(shop.path("")).stdin(Stdio::null()).status().unwrap().success());
    let answer: Value = serde_json::from_str(&shop.read("answer")).unwrap();
    assert_eq!((&answer["decision"], &answer["rule"]), (&json!("ask"), &json!("process:end")), "{answer}");
}

fn give_environment(command: &mut Command, like: &Command) {
    for (name, value) in like.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}
