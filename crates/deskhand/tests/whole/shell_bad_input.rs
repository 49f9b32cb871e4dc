//! Commands that behave badly: nothing hangs, and nothing is left running.

use std::time::{Duration, Instant};

use deskhand_core::{Mode, Request, Status};
use deskhand_testkit::{SmallDisk, until};
use serde_json::json;

use crate::support::{Desk, is_gone, is_running, mark, yes};

#[tokio::test]
async fn what_is_no_command_is_said() {
    let mut desk = Desk::new().mode(Mode::Auto);
    desk.answer([yes(), yes(), yes(), yes(), yes()]);
    for (arguments, status, code) in [
        (json!({}), Status::InvalidArguments, "invalid_arguments"),
        (json!({"command": ""}), Status::InvalidArguments, "invalid_arguments"),
        (json!({"command": " \n "}), Status::InvalidArguments, "invalid_arguments"),
        (json!({"argv": []}), Status::InvalidArguments, "invalid_arguments"),
        (json!({"command": "ls", "argv": ["ls"]}), Status::InvalidArguments, "invalid_arguments"),
        (json!({"command": "echo a\u{0}b"}), Status::InvalidArguments, "invalid_arguments"),
        (json!({"argv": ["echo", "a\u{0}b"]}), Status::InvalidArguments, "invalid_arguments"),
        (json!({"command": "ls", "timeout_ms": 0}), Status::InvalidArguments, "invalid_arguments"),
        (json!({"command": "ls", "timeout_ms": 3_600_001}), Status::InvalidArguments, "invalid_arguments"),
        (json!({"command": "ls", "profile": "loose"}), Status::InvalidArguments, "invalid_arguments"),
        (json!({"command": format!("true {}", "x".repeat(1_000_000))}), Status::Error, "command_too_long"),
        (json!({"argv": ["true", "x".repeat(1_000_000)]}), Status::Error, "command_too_long"),
        (json!({"command": "touch 'x"}), Status::Error, "exit_nonzero"),
        (json!({"argv": ["no-such-program-here"]}), Status::Error, "exit_nonzero"),
    ] {
        let outcome = desk.call("bash", arguments).await;
        let error = outcome.error.unwrap();
        assert_eq!((outcome.status, error.code.as_str()), (status, code), "{}", error.message);
        assert!(outcome.text.len() < 6_000);
    }
    // As long as the system takes it, it runs.
    let long = format!("true {}; echo done", "x".repeat(119_000));
    assert_eq!(desk.call("bash", json!({"command": long})).await.data["stdout"], "done\n");
}

#[tokio::test]
async fn output_that_is_no_text_is_shown_as_far_as_it_is() {
    let desk = Desk::new().mode(Mode::Auto);
    let outcome = desk.call("bash", json!({"command": r"printf 'a\xff\xfeb\0c\344\270'"})).await;
    assert!(outcome.is_success(), "{}", outcome.text);
    assert_eq!(outcome.data["stdout"], "a\u{FFFD}\u{FFFD}b\0c\u{FFFD}");
    assert_eq!(outcome.data["stdout_bytes"], 8);
}

#[tokio::test]
async fn one_that_reads_its_input_finds_its_end() {
    let desk = Desk::new().mode(Mode::Auto);
    let outcome = desk.call("bash", json!({"command": "cat; read x || echo none"})).await;
    assert_eq!(outcome.data["stdout"], "none\n", "{}", outcome.text);
    let outcome = desk.call("bash", json!({"command": "cat; echo end", "pty": true})).await;
    assert_eq!(outcome.data["stdout"], "end\r\n", "{}", outcome.text);
}

/// Each is ended when its time is up, with all that it started, and what it had printed is there.
#[tokio::test]
async fn at_its_time_limit_the_whole_tree_ends() {
    let desk = Desk::new().mode(Mode::Auto);
    for (what, command) in [
        ("children", "sleep MARK & echo said; wait"),
        ("one that ignores being asked", "trap '' TERM; echo said; (trap '' TERM; sleep MARK)"),
        ("one that closes its pipes", "echo said; exec >&- 2>&-; sleep MARK"),
        ("one that prints for ever, without a line end", "echo said; yes MARK | tr -d '\\n'"),
        ("a group of its own", "set -m; echo said; sleep MARK & wait"),
        ("a session of its own", "echo said; setsid sleep MARK & wait"),
    ] {
        let mark = mark();
        let command = command.replace("MARK", &mark);
        let begun = Instant::now();
        let outcome = desk.call("bash", json!({"command": command, "timeout_ms": 1500})).await;
        assert_eq!(
            (outcome.status, outcome.error.unwrap().code.as_str()),
            (Status::TimedOut, "timed_out"),
            "{what}"
        );
        assert_eq!(outcome.data["timed_out"], true);
        assert!(outcome.data["stdout"].as_str().unwrap().starts_with("said\n"), "{what}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{what} is not waited for");
        assert!(is_gone(&mark), "{what}");
    }
}

#[tokio::test]
async fn one_that_gets_away_twice_ends_with_the_call() {
    let desk = Desk::new().mode(Mode::Auto);
    for command in [
        "(setsid sleep MARK &); echo said",
        "(setsid sleep MARK >/dev/null 2>&1 &); echo said",
        "set -m; sleep MARK & echo said",
    ] {
        let mark = mark();
        let command = command.replace("MARK", &mark);
        let outcome = desk.call("bash", json!({"command": command})).await;
        assert_eq!(outcome.data["stdout"], "said\n", "{}", outcome.text);
        assert!(is_gone(&mark), "{command}");
    }
}

/// What is left in the background of a command neither holds it up nor outlives it.
#[tokio::test]
async fn what_a_command_leaves_behind_ends_with_it() {
    let desk = Desk::new().mode(Mode::Auto);
    let mark = mark();
    let outcome = desk.call("bash", json!({"command": format!("sleep {mark} & echo said")})).await;
    assert_eq!((outcome.status, &outcome.data["stdout"]), (Status::Success, &json!("said\n")));
    assert!(is_gone(&mark));
}

#[tokio::test]
async fn a_call_that_is_cancelled_or_dropped_ends_what_it_runs() {
    let desk = Desk::new().mode(Mode::Auto);
    let mark = mark();
    let arguments = json!({"command": format!("echo said; touch /tmp/begun; sleep {mark}; true")});
    let begun = || async {
        until("the command to print", async || std::fs::remove_file(desk.temporary().join("begun")).is_ok())
            .await;
        until("its sleep", async || is_running(&mark)).await;
    };
    let request = Request::new("bash", arguments.clone());
    let cancel = request.cancel.clone();
    let (outcome, ()) = tokio::join!(desk.gate.call(request, &desk.session), async {
        begun().await;
        cancel.cancel();
    });
    assert_eq!((outcome.status, &outcome.data["stdout"]), (Status::Cancelled, &json!("said\n")));
    assert!(is_gone(&mark));
    tokio::select! {
        _ = desk.gate.call(Request::new("bash", arguments), &desk.session) => panic!("it runs for ten minutes"),
        () = begun() => {}
    }
    assert!(is_gone(&mark), "nobody waits for it any more");
}

/// A full disk keeps a command from writing, not from ending; and what cannot be kept is said.
#[tokio::test]
async fn a_command_that_fills_the_disk_ends() {
    let desk = Desk::new().mode(Mode::Auto);
    let outputs = desk.data.join("outputs");
    let Some(disk) = SmallDisk::mount_at(&outputs, "size=1m") else { return };
    let outcome =
        desk.call("bash", json!({"command": "yes | head -c 5000000", "max_output_chars": 1000})).await;
    drop(disk);
    assert_eq!(outcome.data["stdout_bytes"], 5_000_000, "{}", outcome.text);
    assert!(outcome.data["stdout"].as_str().unwrap().contains("left out"), "it says that not all is kept");
}
