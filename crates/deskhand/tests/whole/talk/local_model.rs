//! A real model behind a real server that is not ours, through the whole program: it calls a tool, which runs, and is
//! told the result; and it streams an answer. The smallest model there is has no judgement, so its form is forced and
//! nothing is asserted about what it says.

#[path = "../../../../agent/tests/support/local_server.rs"]
mod local_server;

use std::fs;

use serde_json::{Value, json};

use self::local_server::LocalServer;
use crate::command::Shop;

fn events(stdout: &str) -> Vec<Value> {
    stdout.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

#[test]
fn a_tool_call_is_executed_and_answered() {
    let Some(server) = LocalServer::start(8192) else { return };
    let shop = Shop::new();
    shop.write("notes.txt", "buy milk\n");
    let config = shop.root.join("config.toml");
    fs::write(
        &config,
        format!(
            "[providers.llamacpp]\nbase_url = \"{}\"\n[providers.llamacpp.extra]\ntemperature = 0\nseed = 7\nmax_tokens = 160\n[chain]\nmax_rounds = 2\n",
            server.base_url()
        ),
    )
    .unwrap();
    let config = config.to_str().unwrap();
    let ran = shop.run(&[
        "--json",
        "--config",
        config,
        "--mode",
        "read-only",
        "--model",
        "llamacpp/local",
        "chat",
        "Use the tool list_dir to list the folder.",
    ]);
    let events = events(&ran.stdout);
    let kinds = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
    assert_eq!(kinds("done"), 1, "{ran:?}");
    assert!(kinds("call_ended") >= 1, "it called something: {ran:?}");
    assert!(kinds("usage") >= 2, "it was asked again with the result: {ran:?}");
    assert!(kinds("text") >= 1, "it said something in the end: {ran:?}");
    let session = events[0]["session_id"].as_str().unwrap();
    let shown = shop.run(&["--json", "sessions", "show", session]).json();
    let answer = shown["messages"].as_array().unwrap().last().unwrap().clone();
    let calls: Vec<&Value> =
        answer["execution_steps"].as_array().unwrap().iter().filter(|step| step["type"] == "call").collect();
    assert!(!calls.is_empty() && calls.iter().all(|call| !call["end"].is_null()), "{answer}");
    assert_ne!(answer["metadata"]["outcome"], json!("failed"), "{answer}");
}
