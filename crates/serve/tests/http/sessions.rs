//! Sessions and what is said in them, as far as it is about the form of requests and answers.

use deskhand_agent::provider::scripted::ScriptedReply;
use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{House, Who, answer, text};

#[tokio::test]
async fn an_exported_session_may_be_large_and_not_larger() {
    let house = House::start().await;
    let session = house.session(Who::Owner, "s").await;
    let (_, mut exported) = house.get(Who::Owner, &format!("/api/v1/sessions/{session}/export")).await;
    // More than any other body may have, in what nobody reads.
    exported["padding"] = "x".repeat(3 << 20).into();
    let (status, imported) = house.post(Who::Owner, "/api/v1/sessions/import", exported).await;
    assert_eq!((status, &imported["title"]), (200, &json!("s")), "{imported}");
    let too_much = house
        .ask(Who::Owner, Method::POST, "/api/v1/sessions/import")
        .header("content-type", "application/json")
        .body(" ".repeat((64 << 20) + 1));
    let (status, refused) = answer(too_much).await;
    assert_eq!((status, &refused["error"]["code"]), (413, &json!("too_large")), "{refused}");
    assert!(text(&refused["error"]["message"]).contains("64 MiB"), "{refused}");
    assert!(text(&refused["error"]["hint"]).contains("fork"), "{refused}");
}

#[tokio::test]
async fn a_message_is_named_when_it_is_said() {
    let reply = ScriptedReply { text: "Hello.".into(), ..ScriptedReply::default() };
    let house = House::with_model(vec![reply]).await;
    let session = house.session(Who::Owner, "s").await;
    let path = format!("/api/v1/sessions/{session}/messages");
    let (status, begun) = house.post(Who::Owner, &path, json!({"content": "hi"})).await;
    assert_eq!(status, 202, "{begun}");
    let (_, said) = house.get(Who::Owner, &path).await;
    assert_eq!(
        (&said["messages"][0]["role"], &said["messages"][0]["id"]),
        (&json!("user"), &begun["message_id"])
    );
}

#[tokio::test]
async fn messages_tell_up_to_which_event_they_were_read() {
    let reply = ScriptedReply { text: "Hello.".into(), ..ScriptedReply::default() };
    let house = House::with_model(vec![reply]).await;
    let session = house.session(Who::Owner, "s").await;
    let path = format!("/api/v1/sessions/{session}/messages");
    let (_, before) = house.get(Who::Owner, &path).await;
    assert_eq!((&before["last_event"], &before["total"]), (&json!(0), &json!(0)), "{before}");
    house.turn(Who::Owner, &session, "hi").await;
    let (_, detail) = house.get(Who::Owner, &format!("/api/v1/sessions/{session}")).await;
    let (_, after) = house.get(Who::Owner, &path).await;
    assert_eq!((&after["last_event"], &after["total"]), (&detail["last_event"], &json!(2)), "{after}");
    assert!(detail["last_event"].as_u64() > Some(0), "{detail}");
}

#[tokio::test]
async fn anothers_session_is_not_searched_in() {
    let house = House::start().await;
    let session = house.session(Who::Owner, "secret plans").await;
    let path = |id: &str| format!("/api/v1/sessions/search?q=plans&session_id={id}");
    let (status, found) = house.get(Who::Owner, &path(&session)).await;
    assert_eq!((status, found["items"].as_array().map(Vec::len)), (200, Some(1)), "{found}");
    let unknown = house.get(Who::Bob, &path("nothing")).await;
    let anothers = house.get(Who::Bob, &path(&session)).await;
    assert_eq!((unknown.0, anothers.0), (404, 404), "{anothers:?}");
    assert_eq!(anothers.1.to_string().replace(&session, "nothing"), unknown.1.to_string());
}

#[tokio::test]
async fn a_method_that_is_not_there_is_refused_in_our_words() {
    let house = House::start().await;
    for (method, path, allowed) in [
        (Method::PUT, "/api/v1/sessions", "GET"),
        (Method::DELETE, "/api/v1/about", "GET"),
        (Method::GET, "/v1/chat/completions", "POST"),
        (Method::POST, "/api/openapi.json", "GET"),
    ] {
        let got = house.ask(Who::Owner, method.clone(), path).send().await.unwrap();
        assert_eq!(got.status(), 405, "{method} {path}");
        let allow = got.headers().get("allow").map(|value| value.to_str().unwrap().to_owned());
        assert!(allow.as_deref().is_some_and(|allow| allow.contains(allowed)), "{path}: {allow:?}");
        let body: Value = serde_json::from_slice(&got.bytes().await.unwrap()).unwrap();
        assert_eq!(body["error"]["code"], "method_not_allowed", "{body}");
        assert!(text(&body["error"]["message"]).contains(path), "{body}");
        assert_eq!(body["error"].get("type").is_some(), path.starts_with("/v1/"), "{body}");
    }
}
