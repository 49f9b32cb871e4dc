//! Processes in the background: `bash_output`, `bash_input`, `bash_kill`.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::Stdio,
    sync::mpsc,
    time::Duration,
};

use deskhand_core::{EventBody, Mode, Outcome, Request, Status};
use deskhand_testkit::block_until;
use deskhand_tools::shell::{ProcessTable, ShellLists};
use serde_json::{Value, json};

use crate::support::{Desk, Person, is_gone, is_running, mark, until};

/// What stays running changes the workspace directly, so a person is asked in the mode `auto`, too.
fn desk() -> Desk {
    let mut desk = Desk::new().mode(Mode::Auto);
    desk.session.approvers = vec![Person::agreeable()];
    desk
}

/// Starts a command in the background and returns its name.
async fn start(desk: &Desk, mut arguments: Value) -> String {
    arguments["background"] = json!(true);
    let outcome = desk.call("bash", arguments).await;
    assert!(outcome.is_success(), "{}", outcome.text);
    assert!(outcome.data["pid"].as_u64().unwrap() > 1 && outcome.data["started_at"].is_string());
    outcome.data["process_id"].as_str().unwrap().to_owned()
}

async fn output(desk: &Desk, id: &str) -> Value {
    let outcome = desk.call("bash_output", json!({"process_id": id})).await;
    assert!(outcome.is_success(), "{}", outcome.text);
    outcome.data
}

async fn ended(desk: &Desk, id: &str) -> Value {
    let outcome = desk.call("bash_output", json!({"process_id": id, "block": true})).await;
    assert_ne!(outcome.data["status"], "running", "{}", outcome.text);
    outcome.data
}

/// Looks until the process has printed this.
async fn until_printed(desk: &Desk, id: &str, text: &str) {
    until(text, async || output(desk, id).await["stdout"].as_str().unwrap().contains(text)).await;
}

fn is_alive(pid: &Value) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

async fn until_gone(pid: &Value) {
    until("the process is gone", async || !is_alive(pid)).await;
}

fn code(outcome: &Outcome) -> &str {
    outcome.error.as_ref().map_or("", |error| error.code.as_str())
}

#[tokio::test]
async fn l3_spawn_output_and_kill() {
    let desk = desk();
    let id = start(&desk, json!({"command": "echo err >&2; echo one; sleep 600"})).await;
    until_printed(&desk, &id, "one").await;
    let data = output(&desk, &id).await;
    assert_eq!((&data["status"], &data["stdout"]), (&json!("running"), &json!("one\n")));
    assert!(is_alive(&data["pid"]) && data["started_at"].is_string() && data.get("exit_code").is_none());
    let killed = desk.call("bash_kill", json!({"process_id": id})).await;
    assert_eq!(
        (killed.status, &killed.data["status"]),
        (Status::Success, &json!("killed")),
        "{}",
        killed.text
    );
    until_gone(&data["pid"]).await;
    let after = output(&desk, &id).await;
    assert_eq!(
        (&after["status"], &after["stdout"], &after["stderr"]),
        (&json!("killed"), &json!("one\n"), &json!("err\n"))
    );
    let again = desk.call("bash_kill", json!({"process_id": id})).await;
    assert_eq!(again.data["already_ended"], true);
}

#[tokio::test]
async fn l3_one_that_ignores_being_asked_is_ended() {
    let desk = desk();
    let id = start(&desk, json!({"command": "trap '' TERM; echo ready; while :; do sleep 600; done"})).await;
    until_printed(&desk, &id, "ready").await;
    let pid = output(&desk, &id).await["pid"].clone();
    assert_eq!(desk.call("bash_kill", json!({"process_id": id})).await.data["status"], "killed");
    until_gone(&pid).await;
}

#[tokio::test]
async fn l3_a_background_timeout_cleans_up() {
    let desk = desk();
    let mark = mark();
    let command = format!("sleep {mark} & echo said; wait");
    let id = start(&desk, json!({"command": command, "timeout_ms": 1500})).await;
    let data = ended(&desk, &id).await;
    assert_eq!((&data["status"], &data["stdout"]), (&json!("timed_out"), &json!("said\n")));
    until_gone(&data["pid"]).await;
    assert!(is_gone(&mark));
}

#[tokio::test]
async fn l3_block_waits_for_the_end() {
    let desk = desk();
    let id =
        start(&desk, json!({"command": "until [ -e go ]; do sleep 0.02; done; echo done; exit 7"})).await;
    let waiting = desk.call("bash_output", json!({"process_id": id, "block": true, "timeout_ms": 50})).await;
    assert_eq!((waiting.status, &waiting.data["status"]), (Status::Success, &json!("running")));
    desk.write("go", "");
    let data = ended(&desk, &id).await;
    assert_eq!(
        (&data["status"], &data["exit_code"], &data["stdout"]),
        (&json!("exited"), &json!(7), &json!("done\n"))
    );
    // A wait can be cancelled.
    let id = start(&desk, json!({"command": "sleep 600; true"})).await;
    let request = Request::new("bash_output", json!({"process_id": id, "block": true}));
    let cancel = request.cancel.clone();
    let (outcome, ()) = tokio::join!(desk.gate.call(request, &desk.session), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        cancel.cancel();
    });
    assert_eq!(outcome.status, Status::Cancelled);
    assert_eq!(output(&desk, &id).await["status"], "running", "only the wait was cancelled");
}

/// Without a limit in the call, it waits as long as the setting allows; a longer one in the call does not count.
#[tokio::test]
async fn block_waits_no_longer_than_the_setting() {
    let mut desk = desk();
    let id = start(&desk, json!({"command": "sleep 600"})).await;
    for arguments in
        [json!({"process_id": id, "block": true}), json!({"process_id": id, "timeout_ms": 3_600_000})]
    {
        let explained =
            desk.gate.explain(Request::new("bash_output", arguments), &desk.session).await.unwrap();
        assert!(explained.plan.unwrap().timeout.unwrap() > Duration::from_hours(1), "an hour is the default");
    }
    desk.call("bash_kill", json!({"process_id": id})).await;
    let table = ProcessTable::waiting(&desk.data, Duration::from_millis(50));
    desk.session.services = desk.session.services.clone().with(table);
    let id = start(&desk, json!({"command": "sleep 600"})).await;
    for limit in [json!(null), json!(3_600_000)] {
        let waited = json!({"process_id": id, "block": true, "timeout_ms": limit});
        let outcome = desk.call("bash_output", waited).await;
        assert_eq!((outcome.status, &outcome.data["status"]), (Status::Success, &json!("running")));
    }
    desk.call("bash_kill", json!({"process_id": id})).await;
}

#[tokio::test]
async fn l3_five_thousand_lines_are_kept_and_all_are_in_a_file() {
    let desk = desk();
    let id = start(&desk, json!({"command": "seq 1 7000; touch done; sleep 600"})).await;
    until_printed(&desk, &id, "7000\n").await;
    for alive in [true, false] {
        if !alive {
            desk.call("bash_kill", json!({"process_id": id})).await;
        }
        let data = output(&desk, &id).await;
        assert_eq!(
            (&data["dropped_lines"], &data["cursor"]),
            (&json!(2000), &json!("7000:0")),
            "alive: {alive}"
        );
        let handle = data["stdout_file"].as_str().unwrap();
        let first = desk.call("read_file", json!({"path": handle, "end_line": 1})).await;
        assert!(first.is_success() && first.text.contains('1'), "{}", first.text);
        let log = desk.data.join("processes").join(&id).join("stdout.log");
        assert_eq!(fs::read_to_string(log).unwrap().lines().count(), 7000);
    }
}

#[tokio::test]
async fn a_cursor_gives_only_what_is_new() {
    let desk = desk();
    let id = start(&desk, json!({"command": "echo one; read x; echo two $x; printf rest"})).await;
    until_printed(&desk, &id, "one").await;
    let cursor = output(&desk, &id).await["cursor"].clone();
    assert_eq!(cursor, "1:0");
    assert!(desk.call("bash_input", json!({"process_id": id, "text": "x"})).await.is_success());
    ended(&desk, &id).await;
    let new = desk.call("bash_output", json!({"process_id": id, "since": cursor})).await;
    assert_eq!((&new.data["stdout"], &new.data["cursor"]), (&json!("two x\nrest"), &json!("2:0")));
    let wrong = desk.call("bash_output", json!({"process_id": id, "since": "yesterday"})).await;
    assert_eq!(wrong.status, Status::InvalidArguments);
}

#[tokio::test]
async fn input_is_typed_into_pipes_and_terminals() {
    let desk = desk();
    let id = start(&desk, json!({"command": "cat; echo end"})).await;
    for (text, enter) in [("a", true), ("b", false)] {
        let typed = desk.call("bash_input", json!({"process_id": id, "text": text, "enter": enter})).await;
        assert!(typed.is_success(), "{}", typed.text);
    }
    assert!(desk.call("bash_input", json!({"process_id": id, "eof": true})).await.is_success());
    assert_eq!(ended(&desk, &id).await["stdout"], "a\nbend\n");
    let late = desk.call("bash_input", json!({"process_id": id, "text": "x"})).await;
    assert_eq!(code(&late), "not_running");

    let prompt = "read -p 'Sure? ' x; echo \"said $x\"; cat >/dev/null; echo end";
    let id = start(&desk, json!({"command": prompt, "pty": true})).await;
    until_printed(&desk, &id, "Sure? ").await;
    desk.call("bash_input", json!({"process_id": id, "text": "yes"})).await;
    until_printed(&desk, &id, "said yes").await;
    desk.call("bash_input", json!({"process_id": id, "eof": true})).await;
    assert!(ended(&desk, &id).await["stdout"].as_str().unwrap().ends_with("end\r\n"));
}

#[tokio::test]
async fn one_that_does_not_read_its_input_does_not_hold_up_the_call() {
    let desk = desk();
    let id = start(&desk, json!({"command": "sleep 600; true"})).await;
    let text = "x".repeat(60_000);
    for _ in 0..2 {
        let typed = desk.call("bash_input", json!({"process_id": id, "text": text})).await;
        assert!(typed.is_success() || code(&typed) == "input_not_read", "{}", typed.text);
    }
    assert_eq!(desk.call("bash_kill", json!({"process_id": id})).await.data["status"], "killed");
}

/// What is typed into a shell is a command like any other; it is only explained here, never typed.
#[tokio::test]
async fn what_is_typed_into_a_shell_is_read_as_a_command() {
    let desk = desk();
    let shell = start(&desk, json!({"command": "bash"})).await;
    let other = start(&desk, json!({"command": "sleep 600"})).await;
    for (id, decision) in [(&shell, "forbid"), (&other, "allow")] {
        let request = Request::new("bash_input", json!({"process_id": id, "text": "rm -rf /"}));
        assert_eq!(desk.gate.explain(request, &desk.session).await.unwrap().decision, decision);
    }
    // Nor does it help to type it in parts.
    let part = json!({"process_id": shell, "text": "rm -rf", "enter": false});
    assert!(desk.call("bash_input", part).await.is_success());
    let rest = Request::new("bash_input", json!({"process_id": shell, "text": " /"}));
    assert_eq!(desk.gate.explain(rest, &desk.session).await.unwrap().decision, "forbid");
    desk.call("bash_kill", json!({"process_id": shell})).await;
    let ask = Desk::new();
    let request = Request::new("bash_input", json!({"process_id": "p-00000000", "text": "x"}));
    assert_eq!(ask.gate.explain(request, &ask.session).await.unwrap_err().code, "no_such_process");
}

#[tokio::test]
async fn only_the_session_that_started_it_sees_it() {
    let mut desk = desk();
    let id = start(&desk, json!({"command": "sleep 600; true"})).await;
    desk.session.id = "session-2".into();
    for (tool, arguments) in [
        ("bash_output", json!({"process_id": id})),
        ("bash_input", json!({"process_id": id, "text": "x"})),
        ("bash_kill", json!({"process_id": id})),
        ("bash_output", json!({"process_id": "../../data"})),
    ] {
        let outcome = desk.call(tool, arguments).await;
        assert_eq!(code(&outcome), "no_such_process", "{tool}");
        assert!(!outcome.error.unwrap().hint.unwrap().contains("p-"), "nor is its name told");
    }
    desk.session.id = "session-1".into();
    assert_eq!(output(&desk, &id).await["status"], "running");
}

#[tokio::test]
async fn its_end_is_an_event() {
    let desk = desk();
    let id = start(&desk, json!({"command": "sleep 0.1; exit 5"})).await;
    ended(&desk, &id).await;
    // It is told right after the waiting ones are.
    until("the event", async || desk.events.json().contains("process_ended")).await;
    let events = desk.events.0.lock().unwrap();
    let end = events.iter().find_map(|event| match event {
        EventBody::ProcessEnded { process_id, command, exit_code, status, .. } => {
            Some((process_id.clone(), command.clone(), *exit_code, status.clone()))
        }
        _ => None,
    });
    assert_eq!(end, Some((id, "sleep 0.1; exit 5".into(), Some(5), "exited".into())));
}

#[tokio::test]
async fn a_restart_leaves_nothing_running_and_forgets_nothing() {
    let mut desk = desk();
    let finished = start(&desk, json!({"command": "echo kept; exit 4"})).await;
    ended(&desk, &finished).await;
    let running = start(&desk, json!({"command": "echo begun; sleep 600"})).await;
    until_printed(&desk, &running, "begun").await;
    let pid = output(&desk, &running).await["pid"].clone();
    desk.session.services = desk.session.services.clone().with(ProcessTable::new(&desk.data));
    until_gone(&pid).await;
    let data = output(&desk, &finished).await;
    assert_eq!(
        (&data["status"], &data["exit_code"], &data["stdout"]),
        (&json!("exited"), &json!(4), &json!("kept\n"))
    );
    let data = ended(&desk, &running).await;
    assert_eq!((&data["status"], &data["stdout"]), (&json!("ended_with_deskhand"), &json!("begun\n")));
}

/// The whole program takes the setting, from the environment too.
#[test]
fn wait_s_limits_the_wait_for_a_process() {
    let shop = crate::command::Shop::new();
    let mut console = shop
        .command(&["--mode", "auto", "--json", "console"])
        .env("DESKHAND_SHELL_WAIT_S", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = console.stdin.take().unwrap();
    let output = BufReader::new(console.stdout.take().unwrap());
    let (sender, answers) = mpsc::channel();
    let reading = std::thread::spawn(move || {
        output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
    });
    let mut call = |line: String| -> Value {
        writeln!(input, "{line}").unwrap();
        let answer =
            answers.recv_timeout(deskhand_testkit::PATIENCE).expect("it waits no longer than it may");
        serde_json::from_str(&answer).unwrap()
    };
    let started = call(r#"bash {"command": "sleep 600", "background": true}"#.to_owned());
    let id = started["data"]["process_id"].clone();
    let waited = call(format!("bash_output {}", json!({"process_id": id, "block": true})));
    assert_eq!(
        (&waited["status"], &waited["data"]["status"]),
        (&json!("success"), &json!("running")),
        "{waited}"
    );
    assert!(waited["duration_ms"].as_u64().unwrap() >= 1_000, "{waited}");
    drop(input);
    console.wait().unwrap();
    let _ = reading.join();
}

/// However Deskhand ends, nothing is left running.
#[test]
fn nothing_outlives_a_deskhand_that_is_killed() {
    let shop = crate::command::Shop::new();
    let mut console = shop
        .command(&["--mode", "auto", "console"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mark = mark();
    let call = format!(r#"bash {{"command": "sleep {mark} & wait", "background": true}}"#);
    writeln!(console.stdin.as_mut().unwrap(), "{call}").unwrap();
    block_until("it has begun", || is_running(&mark));
    console.kill().unwrap();
    console.wait().unwrap();
    assert!(is_gone(&mark), "it is still there");
}

/// Asked first, also where it has a terminal of its own.
#[tokio::test]
async fn one_with_a_terminal_is_asked_before_it_is_ended() {
    let desk = desk();
    let command = "trap 'echo asked > asked; exit 0' TERM; echo ready; while :; do sleep 0.1; done";
    let id = start(&desk, json!({"command": command, "pty": true})).await;
    until_printed(&desk, &id, "ready").await;
    assert_eq!(desk.call("bash_kill", json!({"process_id": id})).await.data["status"], "killed");
    assert_eq!(fs::read_to_string(desk.path("asked")).unwrap(), "asked\n");
}

/// The lists hold for what is typed, a command that goes on in the next line is one, and code for a language is asked
/// about each time.
#[tokio::test]
async fn what_is_typed_takes_no_way_around() {
    let mut desk = desk();
    let lists = ShellLists { deny: vec!["touch *".parse().unwrap()], ..ShellLists::default() };
    desk.session.services = desk.session.services.clone().with(lists);
    let shell = start(&desk, json!({"command": "bash"})).await;
    let typed = |id: &str, text: &str| json!({"process_id": id, "text": text});
    let denied = desk.call("bash_input", typed(&shell, "touch denied")).await;
    assert_eq!((denied.status, code(&denied)), (Status::Blocked, "shell:deny"));
    assert!(desk.call("bash_input", typed(&shell, "rm -r\\")).await.is_success());
    let rest = desk.call("bash_input", typed(&shell, "f /")).await;
    assert_eq!(rest.status, Status::Blocked, "{}", rest.text);
    let language = start(&desk, json!({"command": "perl"})).await;
    desk.answer([]);
    let asked = desk.call("bash_input", typed(&language, "print 1;")).await;
    assert_eq!(asked.status, Status::NobodyToAsk, "{}", asked.text);
    assert!(!desk.path("denied").exists());
    for id in [shell, language] {
        desk.call("bash_kill", json!({"process_id": id})).await;
    }
}
