//! Calls of servers that behave.

use deskhand_core::{EventBody, Mode, Request, Status};
use deskhand_serve::mcp::client::ServerStatus;
use serde_json::{Value, json};

use crate::{
    desk::{Desk, and, by_hand, until},
    fixture,
};

#[tokio::test]
async fn tools_are_found_under_our_names_and_called_under_theirs() {
    let desk = Desk::with(json!({"fix ture": fixture::entry()})).await;
    let state = desk.state("fix ture");
    assert_eq!(state.status, ServerStatus::Ready, "{state:?}");
    assert_eq!(state.protocol_version.as_deref(), Some("2026-07-28"));
    assert!(state.tools.contains(&"mcp_fix_ture_echo".to_owned()), "{state:?}");
    let outcome = desk.call("mcp_fix_ture_echo", json!({"text": "hello"})).await;
    assert_eq!((outcome.status, &outcome.data), (Status::Success, &json!({"said": "hello"})), "{outcome:?}");
    let entry = desk.gate.registry.get("mcp_fix_ture_echo").unwrap();
    assert_eq!(entry.spec().description, "The MCP server fix ture says: does echo");
    assert_eq!(entry.host(), Some("fix ture"));
    let wrong = desk.call("mcp_fix_ture_echo", json!({"text": 7})).await;
    assert_eq!(wrong.status, Status::InvalidArguments, "the server's schema is checked here");
}

#[tokio::test]
async fn older_servers_are_greeted_in_the_older_way() {
    let desk = Desk::with(
        json!({"old": by_hand("good"), "pinned": and(by_hand("good"), &json!({"protocol": "2025-06-18"}))}),
    )
    .await;
    assert_eq!(desk.state("old").protocol_version.as_deref(), Some("2025-11-25"));
    assert_eq!(desk.state("pinned").protocol_version.as_deref(), Some("2025-06-18"));
    let outcome = desk.call("mcp_old_echo", json!({"a": 1})).await;
    assert_eq!(outcome.text, "you said {\"a\": 1}", "{outcome:?}");
    let info = desk.state("old").server_info.unwrap();
    assert_eq!((info.outside.as_str(), info.name.as_deref()), ("the MCP server old", Some("by hand")));
}

#[tokio::test]
async fn a_server_sees_nothing_of_our_environment_but_a_few_harmless_things() {
    // The test runner sets this one for us, so it would be there if anything were passed on unasked.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let mut desk = Desk::new();
    desk.places.environment.insert("OPENAI_API_KEY".into(), "sk-not-for-others".into());
    desk.places.environment.insert("HANDED_OVER".into(), "yes".into());
    desk.start(
        &json!({"s": and(fixture::entry(), &json!({"env": {"GIVEN": "${HANDED_OVER}", "LC_TIME": "C"}}))}),
    );
    desk.until_ready("s").await;
    let seen = desk.call("mcp_s_env", json!({})).await.data;
    let seen = seen.as_object().unwrap();
    assert_eq!((&seen["GIVEN"], &seen["LC_TIME"]), (&json!("yes"), &json!("C")));
    assert!(seen.contains_key("PATH"), "{seen:?}");
    for name in ["CARGO_MANIFEST_DIR", "OPENAI_API_KEY", "HANDED_OVER"] {
        assert!(!seen.contains_key(name), "{name}");
    }
}

#[tokio::test]
async fn what_comes_back_is_screened_and_from_outside() {
    let mut desk = Desk::new();
    desk.places.environment.insert("MINE".into(), "plain-looking-value".into());
    desk.start(&json!({"s": and(fixture::entry(), &json!({"env": {"SOME_TOKEN": "${MINE}"}}))}));
    desk.until_ready("s").await;
    assert!(!desk.session.outside.is_tainted());
    let outcome = desk.call("mcp_s_leak", json!({})).await;
    assert_eq!(outcome.status, Status::Success, "{outcome:?}");
    assert_eq!(outcome.outside.as_deref(), Some("the MCP server s"));
    assert!(desk.session.outside.is_tainted());
    assert!(!outcome.text.contains("IOSFODNN7EXAMPLQ"), "what looks like a secret: {}", outcome.text);
    assert!(!outcome.text.contains("plain-looking-value"), "what we gave it as one: {}", outcome.text);
}

#[tokio::test]
async fn failures_of_a_tool_are_failures_with_its_words() {
    let desk = Desk::with(json!({"s": fixture::entry()})).await;
    let outcome = desk.call("mcp_s_fail", json!({})).await;
    assert_eq!((outcome.status, outcome.error.unwrap().code.as_str()), (Status::Error, "mcp_tool_failed"));
    assert!(outcome.text.contains("it is broken"), "{}", outcome.text);
    assert_eq!(outcome.outside.as_deref(), Some("the MCP server s"));
}

#[tokio::test]
async fn pictures_are_handed_over() {
    let desk = Desk::with(json!({"s": fixture::entry()})).await;
    let outcome = desk.call("mcp_s_picture", json!({})).await;
    assert_eq!(outcome.images.len(), 1, "{outcome:?}");
}

#[tokio::test]
async fn a_cancelled_call_is_called_off_at_the_server() {
    let desk = Desk::with(json!({"s": fixture::entry()})).await;
    let request = Request::new("mcp_s_wait", json!({}));
    let cancel = request.cancel.clone();
    let began = desk.workspace.join("waiting");
    let watching = async {
        until("the call began", async || began.exists()).await;
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(desk.gate.call(request, &desk.session), watching);
    assert_eq!(outcome.status, Status::Cancelled, "{outcome:?}");
    until("it was cancelled", async || desk.workspace.join("cancelled").exists()).await;
}

#[tokio::test]
async fn a_call_whose_caller_goes_away_is_called_off_too() {
    let desk = Desk::with(json!({"s": fixture::entry()})).await;
    let began = desk.workspace.join("waiting");
    tokio::select! {
        outcome = desk.call("mcp_s_wait", json!({})) => panic!("{outcome:?}"),
        () = until("the call began", async || began.exists()) => {}
    }
    until("it was cancelled", async || desk.workspace.join("cancelled").exists()).await;
}

#[tokio::test]
async fn progress_is_passed_on_and_extends_the_time() {
    // The whole takes longer than a call may go without a sign of life.
    let desk = Desk::with(json!({"s": and(by_hand("progress"), &json!({"timeout_s": 2}))})).await;
    let outcome = desk.call("mcp_s_echo", json!({})).await;
    assert_eq!(outcome.status, Status::Success, "{outcome:?}");
    let events = desk.events.0.lock().unwrap();
    let told: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            EventBody::CallOutput { progress, .. } => {
                Some((progress.text.as_str(), progress.done, progress.total))
            }
            _ => None,
        })
        .collect();
    assert!(told.contains(&("step 2", Some(2), Some(12))), "{told:?}");
}

#[tokio::test]
async fn the_list_is_read_again_when_it_changes() {
    let desk = Desk::with(json!({"s": by_hand("changing")})).await;
    let description = || desk.gate.registry.get("mcp_s_echo").unwrap().spec().description.to_owned();
    assert!(description().ends_with("says it"), "{}", description());
    std::fs::write(desk.workspace.join("changed"), "").unwrap();
    until("the new description", async || description().ends_with("says something else")).await;
}

#[tokio::test]
async fn servers_of_the_newest_kind_are_listened_to() {
    let desk = Desk::with(json!({"s": fixture::entry()})).await;
    assert!(desk.gate.registry.get("mcp_s_grown").is_none());
    std::fs::write(desk.workspace.join("grow"), "").unwrap();
    until("the new tool", async || desk.gate.registry.get("mcp_s_grown").is_some()).await;
}

#[tokio::test]
async fn nothing_runs_in_the_mode_that_only_reads() {
    let mut desk = Desk::with(
        json!({"s": and(by_hand("good"), &json!({"tools": {"other": {"permission": "public"}}}))}),
    )
    .await;
    desk.session.mode = Mode::ReadOnly;
    assert_eq!(
        desk.call("mcp_s_echo", json!({})).await.status,
        Status::Blocked,
        "whatever it says of itself"
    );
    assert_eq!(
        desk.call("mcp_s_other", json!({})).await.status,
        Status::Success,
        "the user says that it reads"
    );
}

#[tokio::test]
async fn a_server_that_is_switched_off_or_unknown_is_not_started() {
    let desk = Desk::with(json!({
        "off": and(by_hand("good"), &json!({"disabled": true})),
        "missing": {"command": "no-such-program-anywhere"},
        "variable": {"command": "x", "args": ["${NOT_SET_ANYWHERE}"]},
    }))
    .await;
    assert_eq!(desk.state("off").status, ServerStatus::Disabled);
    let missing = desk.state("missing");
    assert_eq!(missing.status, ServerStatus::Failed);
    assert!(missing.error.unwrap().contains("no-such-program-anywhere"));
    assert!(desk.state("variable").error.unwrap().contains("NOT_SET_ANYWHERE"));
    let json: Value = serde_json::to_value(desk.state("off")).unwrap();
    assert_eq!((&json["status"], &json["kind"]), (&json!("disabled"), &json!("stdio")));
}
