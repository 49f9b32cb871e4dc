//! Servers that do what no server should.

use deskhand_core::Status;
use serde_json::json;

use crate::desk::{Desk, and, by_hand};

#[tokio::test]
async fn noise_on_stdout_is_not_heard() {
    let desk = Desk::with(json!({"s": by_hand("garbage")})).await;
    assert_eq!(desk.call("mcp_s_echo", json!({})).await.status, Status::Success);
}

#[tokio::test]
async fn an_answer_without_end_is_cut_off() {
    let desk = Desk::with(json!({"s": by_hand("huge")})).await;
    let outcome = desk.call("mcp_s_echo", json!({})).await;
    assert_eq!(outcome.status, Status::Error, "{outcome:?}");
    assert!(outcome.text.contains("too long"), "{}", outcome.text);
    desk.until_ready("s").await;
}

#[tokio::test]
async fn no_answer_is_waited_for_only_so_long() {
    let desk = Desk::with(json!({"s": and(by_hand("silent"), &json!({"timeout_s": 1}))})).await;
    let outcome = desk.call("mcp_s_echo", json!({})).await;
    assert_eq!(outcome.status, Status::TimedOut, "{outcome:?}");
    assert!(outcome.text.contains("within 1 seconds"), "{}", outcome.text);
}

#[tokio::test]
async fn lists_without_end_are_read_to_a_bound() {
    let desk = Desk::with(json!({"pages": by_hand("pages"), "same": by_hand("same_cursor")})).await;
    let state = desk.state("pages");
    assert_eq!(state.tools.len(), 200, "a page each");
    assert!(state.refused[0].why.contains("the list goes on"), "{:?}", state.refused);
    assert_eq!(desk.state("same").tools.len(), 2, "the same place twice is the end");
}

#[tokio::test]
async fn bad_definitions_are_refused_with_the_reason() {
    let entry =
        and(by_hand("bad_tools"), &json!({"tools": {"hidden": {"hidden": true}, "hiden": {"hidden": true}}}));
    let desk = Desk::with(json!({"bad": entry, "bad_b": by_hand("good")})).await;
    let state = desk.state("bad");
    assert_eq!(state.tools, ["mcp_bad_a_b", "mcp_bad_a_c_", "mcp_bad_twice"], "{state:?}");
    for (name, why) in [
        ("mcp_bad_a_b", "of that name already"),
        ("mcp_bad_twice", "twice"),
        ("list", "no object"),
        ("remote", "its schema is wrong"),
        ("large", "bytes"),
        ("deep", "levels deep"),
        ("", "no name"),
        ("b_tool", "another server"),
        ("hiden", "the settings name it"),
    ] {
        let found = state.refused.iter().any(|tool| tool.name == name && tool.why.contains(why));
        assert!(found, "{name}: {why}: {:?}", state.refused);
    }
    let description = desk.gate.registry.get("mcp_bad_a_b").unwrap().spec().description.to_owned();
    assert!(description.starts_with("The MCP server bad says: one[31m twox"), "{description}");
    assert!(description.chars().count() < 1_100);
    assert!(!state.refused.iter().any(|tool| tool.name.contains("hidden")));
}

#[tokio::test]
async fn what_is_wrong_with_arguments_is_said_in_the_servers_words() {
    let desk = Desk::with(json!({"s": by_hand("orders")})).await;
    assert!(!desk.session.outside.is_tainted());
    let outcome = desk.call("mcp_s_echo", json!({"kind": "other"})).await;
    assert_eq!(outcome.status, Status::InvalidArguments, "{outcome:?}");
    assert!(outcome.text.contains("SYSTEM"), "{}", outcome.text);
    assert_eq!(outcome.outside.as_deref(), Some("the MCP server s"));
    assert!(desk.session.outside.is_tainted(), "the session is tainted");
}

#[tokio::test]
async fn schemas_that_cost_too_much_or_speak_are_not_taken_in() {
    let desk = Desk::with(json!({"s": by_hand("bombs")})).await;
    let state = desk.state("s");
    assert_eq!(state.tools, ["mcp_s_good"], "{state:?}");
    for (name, why) in [("fans", "references"), ("speaks", "a name in its schema is none")] {
        let found = state.refused.iter().any(|tool| tool.name == name && tool.why.contains(why));
        assert!(found, "{name}: {why}: {:?}", state.refused);
    }
}

#[tokio::test]
async fn a_server_that_asks_without_end_is_cut_off() {
    let desk = Desk::with(json!({"s": by_hand("floods")})).await;
    let outcome = desk.call("mcp_s_echo", json!({})).await;
    assert_eq!(outcome.status, Status::Error, "{outcome:?}");
    assert!(outcome.text.contains("it asked too much of us"), "{}", outcome.text);
}

#[tokio::test]
async fn what_a_server_says_of_itself_has_no_secrets_of_ours() {
    let env = json!({"env": {"SOME_TOKEN": "hunter2-hunter2-zz"}});
    let desk = Desk::with(json!({"s": and(by_hand("tells"), &env)})).await;
    let entry = desk.gate.registry.get("mcp_s_echo").unwrap();
    let state = serde_json::to_string(&desk.state("s")).unwrap();
    let said = format!("{} {} {state}", entry.spec().description, entry.input_schema());
    assert!(said.contains("the key is") && said.contains("Obey me."), "{said}");
    assert!(!said.contains("hunter2"), "{said}");
}
