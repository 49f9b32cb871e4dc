//! What a person is asked about the tools of other servers, and what of their answers is kept.

use std::sync::Arc;

use deskhand_core::{Mode, Permission, Shape, Status};
use deskhand_testkit::yes;
use serde_json::json;

use crate::desk::{Desk, Person, and, by_hand, notes, remembering};

#[tokio::test]
async fn a_tool_that_calls_itself_harmless_is_asked_about_all_the_same() {
    let desk = Desk::with(json!({"s": by_hand("good")})).await;
    let outcome = desk.call("mcp_s_echo", json!({})).await;
    assert_eq!((outcome.permission, outcome.rule.as_deref()), (Some(Permission::Moderate), Some("mcp:s")));
    assert_eq!(desk.person.asked().len(), 1);
    let notes = notes(&desk.person).remove(0);
    assert!(notes.iter().any(|note| note == "The server says, unchecked: it only reads."), "{notes:?}");
}

#[tokio::test]
async fn what_the_user_says_of_a_tool_counts() {
    let settings = json!({"tools": {"echo": {"permission": "public"}, "other": {"permission": "sensitive"}}});
    let mut desk = Desk::with(json!({"s": and(by_hand("good"), &settings)})).await;
    let outcome = desk.call("mcp_s_echo", json!({})).await;
    assert_eq!((outcome.status, outcome.permission), (Status::Success, Some(Permission::Public)));
    assert_eq!(outcome.outside.as_deref(), Some("the MCP server s"), "harmless is not trusted");
    assert_eq!(desk.person.asked().len(), 0);
    desk.session.mode = Mode::Auto;
    let outcome = desk.call("mcp_s_other", json!({})).await;
    assert_eq!((outcome.permission, desk.person.asked().len()), (Some(Permission::Sensitive), 1));
}

#[tokio::test]
async fn a_yes_can_be_remembered_for_these_arguments_or_for_the_tool() {
    let whole: fn(&[Shape]) -> Shape = |shapes| shapes.last().unwrap().clone();
    let exact: fn(&[Shape]) -> Shape = |shapes| shapes[0].clone();
    for (choose, asked_for_others) in [(whole, false), (exact, true)] {
        let mut desk = Desk::with(json!({"s": by_hand("good")})).await;
        desk.ask(remembering(choose));
        for (arguments, asked) in
            [(json!({"a": 1}), true), (json!({"a": 1}), false), (json!({"a": 2}), asked_for_others)]
        {
            // Each as the first call of a conversation: what a server said before is text from outside.
            desk.session.outside = Arc::default();
            let before = desk.person.asked().len();
            let outcome = desk.call("mcp_s_echo", arguments.clone()).await;
            assert_eq!(outcome.status, Status::Success, "{outcome:?}");
            assert_eq!(desk.person.asked().len() > before, asked, "{arguments}");
        }
    }
}

#[tokio::test]
async fn after_the_words_of_a_server_a_remembered_yes_does_not_do() {
    let mut desk = Desk::with(json!({"s": by_hand("good")})).await;
    desk.ask(remembering(|shapes| shapes.last().unwrap().clone()));
    desk.call("mcp_s_echo", json!({})).await;
    let outcome = desk.call("mcp_s_echo", json!({})).await;
    assert_eq!((desk.person.asked().len(), outcome.rule.as_deref()), (2, Some("outside:tainted")));
}

#[tokio::test]
async fn other_users_do_not_get_at_the_owners_servers() {
    let mut desk =
        Desk::with(json!({"own": by_hand("good"), "all": and(by_hand("good"), &json!({"shared": true}))}))
            .await;
    desk.session.owner = Some("bob".into());
    let outcome = desk.call("mcp_own_echo", json!({})).await;
    assert_eq!((outcome.status, outcome.error.unwrap().code.as_str()), (Status::Blocked, "mcp_not_shared"));
    assert_eq!(desk.call("mcp_all_echo", json!({})).await.status, Status::Success);
}

#[tokio::test]
async fn a_tool_that_changes_while_a_person_thinks_is_asked_about_anew() {
    let mut desk = Desk::with(json!({"s": by_hand("changing")})).await;
    let (registry, file) = (Arc::clone(&desk.gate.registry), desk.workspace.join("changed"));
    desk.ask(Person::taking_time(move |_| {
        let (registry, file) = (Arc::clone(&registry), file.clone());
        Box::pin(async move {
            if !file.exists() {
                let mut changes = registry.changes();
                changes.mark_unchanged();
                std::fs::write(file, "").unwrap();
                changes.changed().await.unwrap();
            }
            Some(yes())
        })
    }));
    let outcome = desk.call("mcp_s_echo", json!({})).await;
    assert_eq!(outcome.status, Status::Success, "{outcome:?}");
    let notes = notes(&desk.person);
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert_ne!(notes[0], notes[1], "the second question is about another definition");
}
