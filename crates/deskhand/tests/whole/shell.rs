//! `bash` in the foreground: what it returns, how it is planned and recorded, and under which other names.

use std::{fs, time::Duration};

use deskhand_core::{AuditTrail, EventBody, Mode, Outcome, Permission, Request, Runs, Status, gate::Keep};
use serde_json::{Value, json};

use crate::{
    command::Shop,
    support::{Desk, plan_of, until, yes},
};

async fn in_dialect(desk: &Desk, dialect: &str, tool: &str, arguments: Value) -> (Outcome, Value) {
    let request = Request::new(tool, arguments).in_dialect(Some(dialect.into()));
    let outcome = desk.gate.call(request, &desk.session).await;
    let shaped = desk.gate.registry.dialect(dialect).unwrap().shaped(tool, &outcome);
    (outcome, shaped)
}

#[tokio::test]
async fn ac004_run_shell_executes_safe_commands_and_returns_the_result() {
    let desk = Desk::new();
    desk.write("a.txt", "hello\n");
    let (outcome, shaped) = in_dialect(&desk, "omni", "run_shell", json!({"command": "cat a.txt"})).await;
    assert_eq!(
        (outcome.status, outcome.decision.as_deref()),
        (Status::Success, Some("allow")),
        "{}",
        outcome.text
    );
    assert_eq!(shaped["success"], true);
    assert_eq!(
        (&shaped["stdout"], &shaped["stderr"], &shaped["exit_code"]),
        (&json!("hello\n"), &json!(""), &json!(0))
    );
    assert!(shaped["execution_time"].as_f64().is_some_and(|seconds| seconds < 30.0), "{shaped}");
    let mut keys: Vec<&String> = shaped.as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(keys, ["execution_time", "exit_code", "stderr", "stdout", "success"]);
    let (_, failed) = in_dialect(&desk, "omni", "run_shell", json!({"command": "ls nothing-here"})).await;
    assert_eq!(failed["success"], false);
    assert!(
        failed["exit_code"].as_i64().unwrap() > 0
            && failed["stderr"].as_str().unwrap().contains("nothing-here")
    );
}

/// Only explained: nothing of this is ever run.
#[tokio::test]
async fn ac005_dangerous_commands_are_blocked() {
    let desk = Desk::new();
    for command in
        ["rm -rf x", "rm -r --force x", "dd if=/dev/zero of=x", "mkfs.ext4 x", "format c:", "rm -rf /"]
    {
        for (dialect, tool) in [("omni", "run_shell"), ("countbot", "exec")] {
            for dialect in [Some(dialect.to_owned()), None] {
                let request = Request::new(tool, json!({"command": command})).in_dialect(dialect);
                let explained = desk.gate.explain(request, &desk.session).await.unwrap();
                assert_eq!(explained.decision, "forbid", "{tool}: {command}");
                assert!(!explained.why.is_empty());
            }
        }
    }
    // Under our own name it runs, on a layer: what it deletes is asked about.
    let ours = desk.gate.explain(Request::new("bash", json!({"command": "rm -rf x"})), &desk.session).await;
    assert_eq!(ours.unwrap().keep, Some(Keep::Ask));
    // The rules of the name cannot be talked away.
    let loose = json!({"command": "rm -rf x", "profile": null});
    let explained = desk.gate.explain(Request::new("run_shell", loose), &desk.session).await.unwrap();
    assert_eq!(explained.decision, "forbid");
}

#[tokio::test]
async fn other_systems_get_their_own_shapes() {
    let desk = Desk::new().mode(Mode::Auto);
    fs::create_dir(desk.path("src")).unwrap();
    let (_, text) =
        in_dialect(&desk, "countbot", "exec", json!({"command": "pwd", "working_dir": "src"})).await;
    assert_eq!(text, json!(format!("{}\n", desk.path("src").display())));
    let (_, long) = in_dialect(&desk, "countbot", "exec", json!({"command": "seq 1 100000"})).await;
    let long = long.as_str().unwrap();
    assert!(long.chars().count() < 10_400 && long.ends_with("100000\n"), "{}", long.len());
    let handle = long.split('"').nth(1).unwrap();
    let whole = desk.call("read_file", json!({"path": handle, "tail": 1})).await;
    assert!(whole.text.contains("100000"), "the whole can be read: {}", whole.text);
    let (_, text) = in_dialect(&desk, "skillmint", "bash", json!({"command": "echo hi"})).await;
    assert_eq!(text, "hi\n");

    desk.write("a b", "x");
    let ls = json!({"command": "ls", "args": ["-1", "a b"]});
    let (_, result) = in_dialect(&desk, "ops", "command_executor", ls).await;
    assert_eq!((&result["success"], &result["error"]), (&json!(true), &Value::Null), "{result}");
    let output: Value = serde_json::from_str(result["output"].as_str().unwrap()).unwrap();
    assert_eq!(output, json!({"command": "ls -1 'a b'", "exit_code": 0, "stdout": "a b\n", "stderr": ""}));
    let (_, result) =
        in_dialect(&desk, "ops", "command_executor", json!({"command": "cat", "args": ["none"]})).await;
    assert_eq!(result["success"], false);
    assert!(result["error"].as_str().unwrap().contains("none"), "{result}");
    for (arguments, status) in [
        (json!({"command": "rm", "args": ["x"]}), Status::InvalidArguments),
        (json!({"command": "ls", "args": ["$(id)"]}), Status::InvalidArguments),
        (json!({"command": "ls", "args": ["a;b"]}), Status::InvalidArguments),
        (json!({"command": "ls", "timeout": 0}), Status::InvalidArguments),
    ] {
        let (outcome, _) = in_dialect(&desk, "ops", "command_executor", arguments.clone()).await;
        assert_eq!(outcome.status, status, "{arguments}: {}", outcome.text);
    }
    // By its name alone it still runs its ten commands only, and no shell.
    for arguments in [json!({"command": "sh"}), json!({"argv": ["sh", "-c", "id"]})] {
        let outcome = desk.call("command_executor", arguments).await;
        let refused = [Status::Blocked, Status::InvalidArguments];
        assert!(refused.contains(&outcome.status), "{}", outcome.text);
    }
}

#[tokio::test]
async fn both_streams_the_exit_code_and_the_size_are_told() {
    let desk = Desk::new().mode(Mode::Auto);
    let outcome = desk.call("bash", json!({"command": "echo out; echo err >&2; exit 3"})).await;
    assert_eq!(
        (outcome.status, outcome.error.as_ref().unwrap().code.as_str()),
        (Status::Error, "exit_nonzero")
    );
    let data = &outcome.data;
    assert_eq!(
        (&data["stdout"], &data["stderr"], &data["exit_code"]),
        (&json!("out\n"), &json!("err\n"), &json!(3))
    );
    assert_eq!(
        (&data["stdout_bytes"], &data["timed_out"], &data["truncated"]),
        (&json!(4), &json!(false), &json!(false))
    );
    assert!(
        outcome.text.contains("out\n[stderr]\nerr\n") && outcome.text.contains("exit code 3"),
        "{}",
        outcome.text
    );
    let nothing = desk.call("bash", json!({"command": "true"})).await;
    assert!(nothing.is_success() && !nothing.text.is_empty());
    let words = desk.call("bash", json!({"argv": ["printf", "%s|", "a b", "$HOME", ""]})).await;
    assert_eq!(words.data["stdout"], "a b|$HOME||", "{}", words.text);
    let killed = desk.call("bash", json!({"command": "kill -9 $$"})).await;
    assert!(!killed.is_success(), "{}", killed.text);
}

#[tokio::test]
async fn a_terminal_is_one_where_it_is_asked_for() {
    let desk = Desk::new().mode(Mode::Auto);
    let command = "test -t 0 && test -t 1 && stty size; echo err >&2";
    let outcome = desk.call("bash", json!({"command": command, "pty": true})).await;
    assert_eq!(outcome.data["stdout"], "24 80\r\nerr\r\n", "{}", outcome.text);
    let own = desk.call("bash", json!({"command": "echo x > /dev/tty", "pty": true})).await;
    assert_eq!(own.data["stdout"], "x\r\n", "it is the controlling terminal: {}", own.text);
    let none = desk.call("bash", json!({"command": "test -t 1 || echo no"})).await;
    assert_eq!(none.data["stdout"], "no\n");
}

#[tokio::test]
async fn it_runs_in_the_workspace_or_a_folder_in_it() {
    let desk = Desk::new();
    fs::create_dir(desk.path("sub")).unwrap();
    desk.write("file", "");
    for (arguments, wanted) in [
        (json!({"command": "pwd"}), desk.workspace.clone()),
        (json!({"command": "pwd", "cwd": "sub"}), desk.path("sub")),
    ] {
        assert_eq!(desk.call("bash", arguments).await.data["stdout"], format!("{}\n", wanted.display()));
    }
    for (cwd, code) in
        [("..", "invalid_cwd"), ("file", "invalid_cwd"), ("/etc", "invalid_cwd"), ("none", "no_such_file")]
    {
        let outcome = desk.call("bash", json!({"command": "pwd", "cwd": cwd})).await;
        assert_eq!(outcome.error.unwrap().code, code, "{cwd}");
    }
}

#[tokio::test]
async fn output_is_told_while_it_comes() {
    let desk = Desk::new().mode(Mode::Auto);
    // The workspace is as it was when the command began; `/tmp` is the session's own.
    let command = json!({"command": "echo one; until [ -e /tmp/go ]; do sleep 0.02; done; echo 二"});
    let (outcome, ()) = tokio::join!(desk.call("bash", command), async {
        until("the first line", async || desk.events.json().contains("one\\n")).await;
        fs::write(desk.temporary().join("go"), "").unwrap();
    });
    assert!(outcome.is_success(), "{}", outcome.text);
    let events = desk.events.0.lock().unwrap();
    let told: Vec<&str> = events
        .iter()
        .filter_map(|event| match event {
            EventBody::CallOutput { progress, .. } => Some(progress.text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(told, ["one\n", "二\n"]);
}

#[tokio::test]
async fn the_plan_says_what_runs_and_how_it_is_confined() {
    let mut desk = Desk::new();
    let asked = desk.answer([yes()]);
    let outcome = desk.call("bash", json!({"command": "touch made; echo done"})).await;
    assert!(outcome.is_success() && desk.path("made").exists(), "{}", outcome.text);
    let asked = asked.asked();
    assert!(plan_of(&asked[0]).changes.is_some(), "the question is about its changes");
    let request = Request::new("bash", json!({"command": "touch made; echo done"}));
    let plan = desk.gate.explain(request, &desk.session).await.unwrap().plan.unwrap();
    assert_eq!(plan.summary, "Run: touch made; echo done");
    assert!(plan.confinement.as_ref().is_some_and(|words| words.contains("a layer over the workspace")));
    assert_eq!(plan.runs, Some(Runs::Layer));
    assert_eq!(plan.cwd.as_ref(), Some(&desk.workspace));
    assert!(plan.preview.as_ref().unwrap().text().starts_with("$ touch made; echo done"));
    // In the audit, too; and a log with such records and with others verifies.
    desk.call("file_stat", json!({"path": "made"})).await;
    let audit = desk.audit_text();
    let ends: Vec<Value> = audit.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |tool: &str| ends.iter().rfind(|r| r["tool_name"] == tool && r["phase"] == "end").unwrap();
    assert_eq!(of("bash")["confinement"], json!(plan.confinement));
    assert!(of("file_stat").get("confinement").is_none());
    assert!(desk.store.audit().verify().unwrap().findings.is_empty());
}

#[tokio::test]
async fn whatever_only_reads_has_nothing_to_undo() {
    let desk = Desk::new();
    let explained =
        desk.gate.explain(Request::new("bash", json!({"command": "ls"})), &desk.session).await.unwrap();
    assert_eq!((explained.decision, explained.permission), ("allow", Permission::Public));
    assert_eq!(explained.plan.unwrap().undo, deskhand_core::Undoable::NothingToUndo);
}

#[test]
fn the_command_line_calls_and_explains() {
    let shop = Shop::new();
    let ran = shop.run(&["call", "bash", r#"{"command": "echo hi"}"#]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "hi\n"), "{ran:?}");
    let failed = shop.run(&["call", "bash", r#"{"command": "cat nothing-here"}"#]);
    assert_eq!(failed.code, 1);
    assert!(failed.stdout.contains("nothing-here") && failed.stderr.contains("exit_nonzero"), "{failed:?}");
    let asked = shop.run(&["call", "bash", r#"{"command": "touch x"}"#]);
    assert_eq!(asked.code, 3, "nobody is there to ask: {asked:?}");
    let background = r#"{"command": "touch x", "background": true}"#;
    let explained = shop.run(&["explain", "bash", background]);
    assert!(
        explained.stdout.contains("Confined:") && explained.stdout.contains("touch *"),
        "{}",
        explained.stdout
    );
    let explained = shop.run(&["--json", "explain", "bash", background]).json();
    assert!(explained["plan"]["confinement"].is_string(), "{explained}");
    assert_eq!(explained["plan"]["commands"], json!([["touch", "x"]]));
}

/// The lists of the settings, as a person writes them; a workspace can only tighten them.
#[test]
fn the_lists_are_settings() {
    let shop = Shop::new();
    let explain = |command: &str| {
        let arguments = json!({"command": command, "background": true});
        shop.run(&["--json", "explain", "bash", &arguments.to_string()]).json()
    };
    assert_eq!(explain("touch x")["decision"], "ask");
    fs::create_dir_all(shop.root.join("home/.config/deskhand")).unwrap();
    let config = shop.root.join("home/.config/deskhand/config.toml");
    fs::write(&config, "[shell]\nallow = [\"touch *\"]\ndeny = [\"ls *\"]\n").unwrap();
    assert_eq!(
        (&explain("touch x")["decision"], &explain("touch x")["rule"]),
        (&json!("allow"), &json!("shell:allow"))
    );
    assert_eq!(
        (&explain("ls")["decision"], &explain("ls")["rule"]),
        (&json!("forbid"), &json!("shell:deny"))
    );
    shop.write(".deskhand/config.toml", "[shell]\nallow = [\"rm *\"]\ndeny = []\nallow_only = [\"pwd\"]\n");
    assert_eq!(explain("ls")["rule"], "shell:deny", "a workspace takes nothing off the list");
    assert_eq!(explain("touch x")["rule"], "shell:allow_only");
    assert_eq!(explain("pwd")["decision"], "allow");
    fs::write(&config, "[shell]\nallow = [\"*\"]\n").unwrap();
    let wrong = shop.run(&["config"]);
    assert!(wrong.code != 0 && wrong.stderr.contains("shell.allow"), "{wrong:?}");
}

/// What is remembered while a command runs is bounded; all of it is in a file.
#[test]
fn two_hundred_megabytes_cost_bounded_memory() {
    const MOST_KIB: u64 = 120 * 1024;
    let shop = Shop::new();
    let arguments = json!({"command": "yes 0123456789 | head -c 200000000"}).to_string();
    let mut child = shop
        .command(&["--json", "call", "bash", &arguments, "--yes"])
        .stdout(fs::File::create(shop.root.join("printed")).unwrap())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut highest = 0;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
        highest = line.split_whitespace().nth(1).map_or(highest, |kib| kib.parse().unwrap());
        std::thread::sleep(Duration::from_millis(10));
    }
    let outcome: Value = serde_json::from_slice(&fs::read(shop.root.join("printed")).unwrap()).unwrap();
    assert_eq!(
        (&outcome["status"], &outcome["data"]["stdout_bytes"]),
        (&json!("success"), &json!(200_000_000))
    );
    assert!(highest > 0 && highest < MOST_KIB, "{highest} KiB");
    let handle = outcome["data"]["stdout_file"].as_str().unwrap();
    let file = shop.root.join("data/outputs").join(format!("{}.txt", handle.strip_prefix("out:").unwrap()));
    assert_eq!(fs::metadata(file).unwrap().len(), 200_000_000);
    let last = json!({"path": handle, "tail": 1}).to_string();
    let read = shop.run(&["--json", "call", "read_file", &last]).json();
    assert_eq!(read["status"], "success", "{read}");
}

/// A person's own rules for programs stand beside their config; where they cannot be read, no command runs.
#[test]
fn own_rules_for_programs_are_read() {
    let shop = Shop::new();
    let explain = |command: &str| {
        let arguments = json!({"command": command, "background": true});
        shop.run(&["--json", "explain", "bash", &arguments.to_string()]).json()
    };
    assert_eq!(explain("frobnicate list")["decision"], "ask");
    let folder = shop.root.join("home/.config/deskhand");
    fs::create_dir_all(&folder).unwrap();
    let rules = "about = \"ours\"\n[[program]]\nnames = \"frobnicate\"\ndoes = \"frobnicates\"\nis = \"execute\"\n\
                 case = [\n  { words = \"list\", is = \"read\" },\n  { words = \"drop\", is = \"catastrophe\", why = \"It drops all.\" },\n]\n";
    fs::write(folder.join("programs.toml"), rules).unwrap();
    for (command, decision) in [
        ("frobnicate list", "allow"),
        ("frobnicate drop", "forbid"),
        ("frobnicate x", "ask"),
        ("ls", "allow"),
    ] {
        assert_eq!(explain(command)["decision"], decision, "{command}");
    }
    assert!(explain("frobnicate drop")["why"].as_str().unwrap().contains("It drops all."));
    fs::write(folder.join("programs.toml"), "[[program]]\nnames = 5\n").unwrap();
    let refused = explain("ls");
    assert_eq!((&refused["decision"], &refused["rule"]), (&json!("forbid"), &json!("shell:own-rules")));
    assert!(refused["why"].as_str().unwrap().contains("programs.toml"), "{refused}");
    let doctor = shop.run(&["doctor"]);
    assert!(doctor.code == 1 && doctor.stdout.contains("no command runs"), "{doctor:?}");
}

/// The labelled sample, as a script asks about it: `deskhand explain --jsonl`.
#[test]
fn the_sample_comes_out_right_through_explain() {
    let shop = Shop::new();
    let sample = include_str!("../../../guard/corpus/sample.jsonl");
    let rows: Vec<Value> = sample.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let asked: String = rows
        .iter()
        .map(|row| {
            json!({"id": row["id"], "tool": "bash", "arguments": {"command": row["command"]}}).to_string()
                + "\n"
        })
        .collect();
    let ran = shop.run_with(&["explain", "--jsonl"], &asked);
    let answers: Vec<Value> = ran
        .stdout
        .split('\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), rows.len());
    for (row, answer) in rows.iter().zip(&answers) {
        assert_eq!(row["id"], answer["id"]);
        // Text refuses or describes. What runs on a layer is asked about by what it changes.
        let is_refused = answer["decision"] == "forbid";
        let needs_more =
            ["shell:privileges", "path:outside-write"].iter().any(|rule| answer["rule"] == *rule);
        let also_deny =
            row["also_ok"].as_array().is_some_and(|others| others.iter().any(|other| other == "deny"));
        let wanted = if row["label"] == "deny" {
            is_refused || row["also_ok"].is_array()
        } else {
            !is_refused || needs_more || also_deny
        };
        assert!(wanted, "{}: {}, by {}", row["command"], answer["decision"], answer["rule"]);
    }
}
