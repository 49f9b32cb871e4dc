//! The mode of a session: chosen by its person, kept with it, and held by the gate.

use deskhand_agent::provider::scripted::ScriptedReply;
use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{House, Who, answer, json_body};

fn write(path: &str) -> Vec<ScriptedReply> {
    let call = json!({"calls": [{"name": "write_file", "arguments": {"path": path, "content": "x"}}]});
    [call, json!({"text": "Done."})].map(|reply| serde_json::from_value(reply).unwrap()).to_vec()
}

async fn change(house: &House, who: Who, session: &str, body: Value) -> (u16, Value) {
    answer(json_body(house.ask(who, Method::PUT, &format!("/api/v1/sessions/{session}")), &body)).await
}

/// The mode of a session, and what may be chosen for it.
async fn modes(house: &House, who: Who, session: &str) -> (Value, Value) {
    let (status, detail) = house.get(who, &format!("/api/v1/sessions/{session}")).await;
    assert_eq!(status, 200, "{detail}");
    (detail["mode"].clone(), detail["modes"].clone())
}

async fn execute(house: &House, session: &str, path: &str) -> Value {
    let body = json!({"tool_name": "write_file", "parameters": {"path": path, "content": "x"}, "session_id": session});
    house.post(Who::Owner, "/api/v1/tools/execute", body).await.1
}

#[tokio::test]
async fn read_only_refuses_a_write_and_auto_does_not_ask_about_one() {
    let mut house = House::with_model([write("a"), write("b"), write("c")].concat()).await;
    let session = house.session(Who::Owner, "s").await;
    assert_eq!(modes(&house, Who::Owner, &session).await.0, "ask");
    assert_eq!(execute(&house, &session, "d").await["status"], "need_confirmation");

    assert_eq!(change(&house, Who::Owner, &session, json!({"mode": "read-only"})).await.0, 200);
    // The harness says yes to every question: only the mode can refuse it.
    house.turn(Who::Owner, &session, "write a").await;
    assert_eq!(execute(&house, &session, "d").await["status"], "blocked");
    assert!(!house.workspace.join("a").exists() && !house.workspace.join("d").exists());

    assert_eq!(change(&house, Who::Owner, &session, json!({"mode": "auto"})).await.0, 200);
    assert_eq!(execute(&house, &session, "d").await["status"], "success");
    house.turn(Who::Owner, &session, "write b").await;
    assert!(house.workspace.join("b").exists() && house.workspace.join("d").exists());
    let (_, events) = house.get(Who::Owner, &format!("/api/v1/sessions/{session}/messages")).await;
    assert!(!events.to_string().contains("person:web"), "nobody was asked: {events}");

    // It stays with the session, and with this one alone.
    house.restart().await;
    assert_eq!(modes(&house, Who::Owner, &session).await.0, "auto");
    let other = house.session(Who::Owner, "other").await;
    assert_eq!(modes(&house, Who::Owner, &other).await.0, "ask");
    let (status, looser) = house
        .post(
            Who::Owner,
            &format!("/api/v1/sessions/{other}/messages"),
            json!({"content": "hi", "mode": "auto"}),
        )
        .await;
    assert_eq!((status, &looser["error"]["code"]), (403, &json!("looser_mode")), "{looser}");
}

#[tokio::test]
async fn a_user_chooses_no_looser_mode_than_the_servers() {
    let house = House::start().await;
    let session = house.session(Who::Bob, "s").await;
    let all = json!(["ask", "auto", "read-only", "unattended"]);
    let tighter = json!(["ask", "read-only", "unattended"]);
    assert_eq!(modes(&house, Who::Bob, &session).await, (json!("ask"), tighter.clone()));
    for (who, choices) in [(Who::Owner, all), (Who::Bob, tighter)] {
        assert_eq!(house.get(who, "/api/v1/about").await.1["modes"], choices);
    }
    let (status, error) = change(&house, Who::Bob, &session, json!({"mode": "auto"})).await;
    assert_eq!((status, &error["error"]["code"]), (403, &json!("looser_mode")), "{error}");
    assert_eq!(house.post(Who::Bob, "/api/v1/sessions", json!({"mode": "auto"})).await.0, 403);
    assert_eq!(change(&house, Who::Bob, &session, json!({"mode": "read-only"})).await.0, 200);
    assert_eq!(modes(&house, Who::Bob, &session).await.0, "read-only");
    assert_eq!(change(&house, Who::Owner, &session, json!({"mode": "auto"})).await.0, 404);
    for wrong in [json!({"mode": "sometimes"}), json!({"workspace": "/etc"}), json!({})] {
        let (status, _) = change(&house, Who::Bob, &session, wrong.clone()).await;
        assert!((400..500).contains(&status), "{wrong}: {status}");
    }
    // A mode that somebody wrote into a file does not come with it.
    let mut exported = house.get(Who::Bob, &format!("/api/v1/sessions/{session}/export")).await.1;
    exported["session"]["metadata"]["mode"] = json!("auto");
    let (status, imported) = house.post(Who::Owner, "/api/v1/sessions/import", exported).await;
    assert_eq!(status, 200, "{imported}");
    assert_eq!(modes(&house, Who::Owner, imported["id"].as_str().unwrap()).await.0, "ask");
}
