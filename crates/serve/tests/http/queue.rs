//! Messages that wait for the end of a turn.

use deskhand_agent::provider::scripted::ScriptedReply;
use deskhand_testkit::until;
use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{House, Who, answer, json_body, text};

struct Desk {
    house: House,
    session: String,
}

impl Desk {
    /// A turn that waits for an answer.
    async fn asking(replies: &[&str]) -> Self {
        let write = ScriptedReply::call("write_file", json!({"path": "f.txt", "content": "x"}));
        let replies = [write].into_iter().chain(replies.iter().map(|reply| ScriptedReply::text(*reply)));
        let house = House::with_model(replies.collect()).await;
        let session = house.session(Who::Owner, "s").await;
        let desk = Self { house, session };
        let (status, begun) = desk.post("/messages", json!({"content": "write"})).await;
        assert_eq!(status, 202, "{begun}");
        until("a question", async || !desk.questions().await.is_empty()).await;
        desk
    }

    fn path(&self, rest: &str) -> String {
        format!("/api/v1/sessions/{}{rest}", self.session)
    }

    async fn post(&self, rest: &str, body: Value) -> (u16, Value) {
        self.house.post(Who::Owner, &self.path(rest), body).await
    }

    async fn queue(&self, content: &str) -> i64 {
        let (status, queued) = self.post("/queue", json!({"content": content})).await;
        assert_eq!(status, 200, "{queued}");
        queued["id"].as_i64().unwrap()
    }

    async fn queued(&self) -> Vec<String> {
        let (_, detail) = self.house.get(Who::Owner, &self.path("")).await;
        detail["queued"].as_array().unwrap().iter().map(|message| text(&message["content"])).collect()
    }

    /// What was said and answered, once no turn is under way.
    async fn said(&self) -> Vec<String> {
        let (_, list) = self.house.get(Who::Owner, &self.path("/messages")).await;
        list["messages"].as_array().unwrap().iter().map(|message| text(&message["content"])).collect()
    }

    async fn questions(&self) -> Vec<Value> {
        self.house.get(Who::Owner, "/api/v1/approvals").await.1["approvals"].as_array().unwrap().clone()
    }

    async fn allow(&self) {
        let id = text(&self.questions().await[0]["id"]);
        self.house.post(Who::Owner, &format!("/api/v1/approvals/{id}"), json!({"answer": "yes"})).await;
    }

    async fn is_idle(&self) -> bool {
        self.house.get(Who::Owner, &self.path("")).await.1["turn"].is_null()
    }

    async fn until_idle(&self) {
        until("no turn", async || self.is_idle().await).await;
    }
}

#[tokio::test]
async fn queued_messages_are_sent_one_after_the_other_when_the_turn_ends() {
    let desk = Desk::asking(&["written", "to one", "to two"]).await;
    let first = desk.queue("one").await;
    let removed = desk.queue("never").await;
    desk.queue("two, password: hunter2hunter2hunter2").await;
    let edit = desk.house.ask(Who::Owner, Method::PUT, &desk.path(&format!("/queue/{first}")));
    let (status, edited) = answer(json_body(edit, &json!({"content": "one, edited"}))).await;
    assert_eq!((status, &edited["content"]), (200, &json!("one, edited")));
    assert_eq!(desk.house.delete(Who::Owner, &desk.path(&format!("/queue/{removed}"))).await.0, 200);
    assert_eq!(desk.house.delete(Who::Owner, &desk.path(&format!("/queue/{removed}"))).await.0, 404);
    let queued = desk.queued().await;
    assert_eq!(queued[0], "one, edited");
    assert!(!queued[1].contains("hunter2"), "secrets are masked before they are stored: {queued:?}");
    assert_eq!(desk.post("/queue", json!({"content": " "})).await.0, 400);
    assert_eq!(desk.post(&format!("/queue/{first}/send"), json!({})).await.0, 409, "a turn is under way");

    desk.allow().await;
    until("three answers", async || desk.said().await.len() == 6 && desk.is_idle().await).await;
    let said = desk.said().await;
    assert_eq!(said[..5], ["write", "written", "one, edited", "to one", &queued[1]]);
    assert_eq!(said[5], "to two");
    assert!(desk.queued().await.is_empty());
}

#[tokio::test]
async fn queued_messages_wait_for_the_person_after_a_cancel() {
    let desk = Desk::asking(&["to the queued"]).await;
    let id = desk.queue("later").await;
    assert_eq!(desk.post("/cancel", json!({})).await.0, 200);
    desk.until_idle().await;
    assert_eq!(desk.queued().await, ["later"]);
    assert_eq!(desk.said().await, ["write", ""], "nothing was sent by itself");
    let (status, begun) = desk.post(&format!("/queue/{id}/send"), json!({})).await;
    assert_eq!(status, 202, "{begun}");
    desk.until_idle().await;
    assert_eq!(desk.said().await[2..], ["later", "to the queued"]);
    assert!(desk.queued().await.is_empty());
}

#[tokio::test]
async fn held_message_is_not_sent_after_the_next_turn_unless_edited() {
    let desk = Desk::asking(&["to the new", "to the second", "to the edited"]).await;
    let held = desk.queue("held").await;
    assert_eq!(desk.post("/cancel", json!({})).await.0, 200);
    desk.until_idle().await;
    // Neither the next message nor one that is queued now brings it along.
    assert_eq!(desk.post("/messages", json!({"content": "new"})).await.0, 202);
    until("4 messages", async || desk.said().await.len() == 4 && desk.is_idle().await).await;
    desk.queue("second").await;
    until("6 messages", async || desk.said().await.len() == 6 && desk.is_idle().await).await;
    assert_eq!(desk.said().await[2..], ["new", "to the new", "second", "to the second"]);
    assert_eq!(desk.queued().await, ["held"]);
    // Edited, it is wanted: it goes after the next turn.
    let edit = desk.house.ask(Who::Owner, Method::PUT, &desk.path(&format!("/queue/{held}")));
    let (status, edited) = answer(json_body(edit, &json!({"content": "edited"}))).await;
    assert_eq!((status, &edited["held"]), (200, &json!(false)), "{edited}");
    desk.queue("last").await;
    until("8 messages", async || desk.said().await.len() >= 8 && desk.is_idle().await).await;
    assert_eq!(desk.said().await[6..8], ["edited", "to the edited"]);
}

#[tokio::test]
async fn queued_message_is_sent_at_once_without_a_turn() {
    let house = House::with_model(vec![ScriptedReply::text("at once")]).await;
    let session = house.session(Who::Owner, "s").await;
    let desk = Desk { house, session };
    desk.queue("now").await;
    until("the message", async || desk.said().await == ["now", "at once"]).await;
    assert!(desk.queued().await.is_empty());
}
