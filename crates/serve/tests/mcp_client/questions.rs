//! What servers ask of us: declined, unless somebody answers.

use std::sync::Arc;

use deskhand_core::Status;
use deskhand_serve::mcp::client::{Answerer, FormAnswer};
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};

use crate::{
    desk::{Desk, by_hand},
    fixture,
};

/// Answers with the defaults of the form.
struct Defaults;

impl Answerer for Defaults {
    fn answer<'a>(&'a self, _: &'a str, message: &'a str, schema: &'a Value) -> BoxFuture<'a, FormAnswer> {
        assert_eq!(message, "Who?");
        let name = schema["properties"]["name"]["default"].clone();
        std::future::ready(FormAnswer::Accept(json!({"name": name}))).boxed()
    }
}

async fn desk(answerer: Option<Arc<dyn Answerer>>) -> Desk {
    let mut desk = Desk::new();
    desk.places.answerer = answerer;
    desk.start(&json!({"old": by_hand("asks"), "new": fixture::entry()}));
    desk.until_ready("old").await;
    desk.until_ready("new").await;
    desk
}

#[tokio::test]
async fn questions_are_declined_where_nobody_answers() {
    let desk = desk(None).await;
    let outcome = desk.call("mcp_old_echo", json!({})).await;
    let said: Value = serde_json::from_str(&outcome.text).unwrap();
    assert_eq!(said[0]["action"], "decline", "{said}");
    assert!(said[1]["message"].as_str().unwrap().contains("does not lend its model"), "{said}");
    let root = said[2]["roots"][0]["uri"].as_str().unwrap();
    assert_eq!(root, format!("file://{}", desk.workspace.display()));

    let outcome = desk.call("mcp_new_ask", json!({})).await;
    assert_eq!((outcome.status, outcome.error.unwrap().code.as_str()), (Status::Error, "mcp_input_declined"));
}

#[tokio::test]
async fn questions_are_answered_where_somebody_does() {
    let desk = desk(Some(Arc::new(Defaults))).await;
    let outcome = desk.call("mcp_old_echo", json!({})).await;
    let said: Value = serde_json::from_str(&outcome.text).unwrap();
    assert_eq!(said[0], json!({"action": "accept", "content": {"name": "Ada"}}));

    let outcome = desk.call("mcp_new_ask", json!({})).await;
    assert_eq!(outcome.status, Status::Success, "{outcome:?}");
    assert!(
        outcome.text.contains(r#"{"who":{"action":"accept","content":{"name":"Ada"}}}"#),
        "{}",
        outcome.text
    );
    assert!(outcome.text.contains("state-7"), "what the server gave to be given back: {}", outcome.text);
}
