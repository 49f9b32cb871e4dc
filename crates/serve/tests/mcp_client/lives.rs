//! Servers come up, die, come back and end.

use std::{path::Path, sync::Arc, time::Duration};

use deskhand_core::Status;
use deskhand_serve::mcp::client::{ServerState, ServerStatus, parse_servers};
use serde_json::json;

use crate::{
    desk::{Desk, and, by_hand, until},
    fixture,
};

#[tokio::test]
async fn one_that_hangs_keeps_no_other_waiting() {
    let mut desk = Desk::new();
    desk.start(&json!({"hangs": by_hand("hangs"), "good": by_hand("good")}));
    desk.until_ready("good").await;
    assert_eq!(desk.state("hangs").status, ServerStatus::Starting);
    assert!(!desk.servers().settled(Duration::from_millis(10)).await, "not all have come or failed");
}

#[tokio::test]
async fn one_that_never_answers_is_given_up_for_a_while() {
    let mut desk = Desk::new();
    desk.places.limits.connect = Duration::from_millis(300);
    desk.places.limits.end = Duration::from_millis(100);
    desk.start(&json!({"hangs": by_hand("hangs")}));
    let state = desk.until("hangs", |state| state.restarts >= 2).await;
    assert!(state.error.unwrap().contains("did not answer"), "and it is tried again and again");
}

#[tokio::test]
async fn of_one_that_died_the_tools_stay_known_and_a_call_says_what_happened() {
    let mut desk = Desk::new();
    // It stays down for as long as it is looked at.
    desk.places.limits.first_wait = Duration::from_hours(1);
    desk.start(&json!({"s": by_hand("exit")}));
    desk.until_ready("s").await;
    let outcome = desk.call("mcp_s_echo", json!({})).await;
    assert_eq!((outcome.status, outcome.error.unwrap().code.as_str()), (Status::Error, "mcp_server_down"));
    assert!(outcome.text.contains("in the middle of the call"), "{}", outcome.text);

    let state = desk.until("s", |state| state.status == ServerStatus::Restarting).await;
    assert!(!state.stderr.iter().any(|line| line.contains("abcdefghijabcdefghij")), "{:?}", state.stderr);
    assert!(desk.gate.registry.get("mcp_s_echo").is_some());
    let outcome = desk.call("mcp_s_echo", json!({})).await;
    for word in ["is being restarted", "last seen at", "exit code 7", "going down"] {
        assert!(outcome.text.contains(word), "{word}: {}", outcome.text);
    }
}

#[tokio::test]
async fn one_that_died_comes_back() {
    let desk = Desk::with(json!({"s": by_hand("exit")})).await;
    desk.call("mcp_s_echo", json!({})).await;
    let state = desk.until("s", |state| state.restarts == 1 && state.status == ServerStatus::Ready).await;
    assert!(state.tools.contains(&"mcp_s_echo".to_owned()));
}

#[tokio::test]
async fn the_waits_grow_to_the_longest() {
    // At first 50 ms, at most 400.
    let desk = Desk::with(json!({"s": {"command": "sh", "args": ["-c", "echo no >&2; exit 3"]}})).await;
    let waits = |state: &ServerState, wait: &str| {
        state.error.as_ref().is_some_and(|error| error.contains(&format!("tried again in {wait}")))
    };
    desk.until("s", |state| waits(state, "400ms")).await;
    let state = desk.until("s", |state| state.restarts >= 5).await;
    assert!(waits(&state, "400ms"), "{state:?}");
    assert_eq!(state.status, ServerStatus::Failed, "it never was there");
    assert!(state.error.unwrap().contains("exit code 3"));
    assert!(state.stderr.contains(&"no".to_owned()));
}

#[tokio::test]
async fn one_cannot_pass_for_a_toolset_of_ours() {
    let mut desk = Desk::new();
    desk.gate.registry = Arc::new(deskhand_tools::registry());
    desk.start(&json!({"files": by_hand("good")}));
    let state = desk.until("files", |state| state.status == ServerStatus::Failed).await;
    assert!(state.error.unwrap().contains("a toolset of that name"));
    assert!(desk.gate.registry.get("mcp_files_echo").is_none());
}

#[tokio::test]
async fn stderr_is_kept_without_our_secrets() {
    let entry = and(by_hand("good"), &json!({"env": {"SOME_TOKEN": "nobody-guesses-this"}}));
    let desk = Desk::with(json!({"s": entry})).await;
    until("its stderr", async || desk.state("s").stderr.iter().any(|line| line.starts_with("here with")))
        .await;
    let shown = format!("{:?}", desk.state("s"));
    assert!(!shown.contains("nobody-guesses-this"), "{shown}");
    let flood =
        json!({"command": "sh", "args": ["-c", "seq 1 1000 >&2; head -c 100000 /dev/zero | tr '\\0' x >&2"]});
    let desk = Desk::with(json!({"s": flood})).await;
    let state = desk.until("s", |state| state.restarts >= 1).await;
    assert!(state.stderr.len() <= 200 && state.stderr.iter().all(|line| line.len() <= 1_010));
    assert!(state.stderr.contains(&"1000".to_owned()));
}

#[tokio::test]
async fn nothing_is_left_of_them_at_the_end() {
    for in_good_order in [true, false] {
        let mut desk = Desk::with(json!({"s": fixture::entry()})).await;
        let outcome = desk.call("mcp_s_spawn", json!({})).await;
        let processes: Vec<String> = outcome.text.split_whitespace().map(str::to_owned).collect();
        assert_eq!(processes.len(), 2, "{outcome:?}");
        assert!(processes.iter().all(|id| is_alive(id)));
        if in_good_order {
            desk.servers().shutdown().await;
        } else {
            desk.drop_servers();
        }
        // What was killed may take a moment to be gone.
        until("the processes are gone", async || !processes.iter().any(|id| is_alive(id))).await;
    }
}

#[tokio::test]
async fn one_that_will_not_go_is_made_to() {
    let mut desk = Desk::new();
    desk.places.limits.end = Duration::from_millis(200);
    let script = "trap '' TERM; echo $$ > pid; while true; do sleep 0.2; done";
    desk.start(&json!({"s": {"command": "sh", "args": ["-c", script]}}));
    let file = desk.workspace.join("pid");
    until("its number", async || std::fs::read_to_string(&file).is_ok_and(|text| text.ends_with('\n'))).await;
    let id = std::fs::read_to_string(&file).unwrap();
    desk.servers().shutdown().await;
    assert!(!is_alive(id.trim()));
}

/// A process that has ended and was not waited for yet has no command line any more.
fn is_alive(id: &str) -> bool {
    std::fs::read(Path::new("/proc").join(id).join("cmdline")).is_ok_and(|line| !line.is_empty())
}

#[tokio::test]
async fn exchange_ends_begins_and_leaves_servers_as_their_entries_say() {
    let desk = Desk::with(json!({"stays": by_hand("good"), "goes": by_hand("good")})).await;
    let exchange = |servers: serde_json::Value| {
        let configs = parse_servers(&json!({"mcpServers": servers}).to_string()).unwrap();
        desk.servers().exchange(configs)
    };
    let hidden = and(by_hand("good"), &json!({"tools": {"other": {"hidden": true}}}));
    exchange(json!({"stays": hidden, "comes": by_hand("good")})).await;
    let registry = &desk.gate.registry;
    assert!(registry.get("mcp_stays_echo").is_some() && registry.get("mcp_stays_other").is_none());
    assert!(registry.get("mcp_goes_echo").is_none());
    assert_eq!(registry.hosts(), ["stays", "comes"]);
    desk.until_ready("comes").await;
    assert!(desk.servers().log("goes").is_none());
    let connected = |name: &str| {
        desk.servers().log(name).unwrap().iter().filter(|line| line.text.starts_with("connected")).count()
    };
    assert_eq!(connected("stays"), 1, "only what is said of its tools has changed");

    // Another server's name that goes on where this one's ends takes names from it, so it begins again.
    exchange(json!({"stays": by_hand("good"), "stays_on": and(by_hand("good"), &json!({"disabled": true}))}))
        .await;
    desk.until_ready("stays").await;
    assert_eq!(connected("stays"), 1, "with a log of its own");
    assert_eq!(registry.hosts(), ["stays"]);
    assert!(desk.servers().restart("stays").await);
    assert!(!desk.servers().restart("nobody").await);
}
