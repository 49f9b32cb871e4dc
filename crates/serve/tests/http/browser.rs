//! `/api/browser/*`: the browser's tools for callers of SkillMint's sidecar, with a real Chromium on pages of ours.

use std::{path::PathBuf, time::Duration};

use deskhand_core::{Grant, GrantBook, GrantEffect, Scope, Shape, Time, id::new_id};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    task::JoinHandle,
};

use crate::harness::{House, Who, answer, json_body, text};

/// Serves `tests/pages/`.
struct Pages {
    base: String,
    serving: JoinHandle<()>,
}

impl Drop for Pages {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Pages {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/pages");
        let serving = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = [0; 8_192];
                let read = stream.read(&mut request).await.unwrap_or(0);
                let request = String::from_utf8_lossy(&request[..read]).into_owned();
                let name = request.split(' ').nth(1).unwrap_or("/").trim_start_matches('/').to_owned();
                let page = tokio::fs::read(folder.join(name)).await.unwrap_or_default();
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    page.len()
                );
                let _ = stream.write_all(&[head.as_bytes(), &page].concat()).await;
            }
        });
        Self { base, serving }
    }

    fn url(&self, name: &str) -> String {
        format!("{}/{name}", self.base)
    }
}

/// Asks for one action, on the port of the browser's own, in a session where one is named; nobody answers questions.
async fn ask(house: &House, who: Who, session: Option<&str>, action: &str, body: &Value) -> (u16, Value) {
    let mut request =
        house.ask_at(who, Method::POST, &format!("{}/api/browser/{action}", house.browser_base));
    if let Some(session) = session {
        request = request.header("x-deskhand-session", session);
    }
    answer(json_body(request, body)).await
}

/// Says this to every question of this person, for as long as it is polled.
async fn say(house: &House, who: Who, reply: &str) -> (u16, Value) {
    loop {
        let (_, waiting) = house.get(who, "/api/v1/approvals").await;
        for request in waiting["approvals"].as_array().unwrap() {
            let path = format!("/api/v1/approvals/{}", text(&request["id"]));
            house.post(who, &path, json!({"answer": reply})).await;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Does one thing, with the yes that it needs.
async fn act(house: &House, who: Who, session: Option<&str>, action: &str, body: Value) -> Value {
    let (status, acted) = tokio::select! {
        acted = ask(house, who, session, action, &body) => acted,
        never = say(house, who, "yes") => never,
    };
    assert_eq!(status, 200, "{action}: {acted}");
    assert_eq!((&acted["success"], &acted["status"]), (&json!(true), &json!("success")), "{acted}");
    acted
}

#[tokio::test]
async fn every_action_is_done_in_the_one_browser_of_the_token() {
    let (house, pages) = (House::start().await, Pages::start().await);
    let owner = async |action, body| act(&house, Who::Owner, None, action, body).await;
    owner("launch", json!({"headless": true, "viewport": {"width": 800, "height": 600}})).await;
    let there = owner("navigate", json!({"url": pages.url("form.html")})).await;
    assert!(text(&there["result"]).contains("form.html"), "{there}");
    assert_eq!((&there["outside"], &there["session_id"]), (&json!("127.0.0.1"), &json!("web-console")));
    owner("type", json!({"selector": "#name", "text": "Ada", "delay": 1})).await;
    let value = owner("evaluate", json!({"script": "document.querySelector('#name').value"})).await;
    assert_eq!((&value["result"], &value["data"]["result"]), (&json!("Ada"), &json!("Ada")));
    owner("hover", json!({"x": 10, "y": 10})).await;
    owner("press_key", json!({"key": "a", "modifiers": ["Control"]})).await;
    owner("click", json!({"x": 5, "y": 5})).await;
    owner("wait_for", json!({"selector": "form", "timeout": 5_000})).await;
    owner("scroll", json!({"direction": "to_bottom"})).await;
    let dom = owner("get_dom", json!({"selector": "form", "max_depth": 2})).await;
    assert!(text(&dom["result"]).contains("input"), "{dom}");
    let picture = owner("screenshot", json!({"full_page": true})).await;
    assert!(text(&picture["result"]).starts_with("iVBORw0KGgo"), "a PNG in base64");
    assert_eq!(picture["images"][0]["mime"], "image/png");
    owner("navigate", json!({"url": pages.url("plain.html")})).await;
    owner("go_back", json!({})).await;
    owner("reload", json!({})).await;
    owner("go_forward", json!({})).await;
    let state = owner("get_state", json!({})).await;
    assert_eq!(state["data"]["url"], pages.url("plain.html"), "{state}");
    // What the tool takes beyond the parameters of that system.
    owner("navigate", json!({"url": pages.url("dialogs.html")})).await;
    owner("click", json!({"selector": "#confirm", "accept_dialog": {"message": "Sure?"}})).await;
    assert_eq!(owner("get_state", json!({})).await["data"]["title"], "confirm true");
    owner("navigate", json!({"url": pages.url("plain.html")})).await;
    // The other address leads to the same browser; and no body is an empty one.
    let (status, state) = answer(house.ask(Who::Owner, Method::POST, "/api/browser/get_state")).await;
    assert_eq!((status, &state["data"]["url"]), (200, &json!(pages.url("plain.html"))), "{state}");
}

#[tokio::test]
async fn sessions_and_users_have_browsers_of_their_own() {
    let (house, pages) = (House::start().await, Pages::start().await);
    act(&house, Who::Owner, None, "navigate", json!({"url": pages.url("plain.html")})).await;
    let session = house.session(Who::Owner, "s").await;
    for (who, session) in [(Who::Owner, Some(session.as_str())), (Who::Bob, None)] {
        let state = act(&house, who, session, "get_state", json!({})).await;
        assert_eq!(state["data"]["url"], "about:blank", "{who:?}: {state}");
        assert_eq!(state["session_id"], session.unwrap_or("web-console-bob"), "{state}");
    }
    let (status, error) = ask(&house, Who::Bob, Some(&session), "get_state", &json!({})).await;
    assert_eq!((status, &error["error"]["code"]), (404, &json!("not_found")), "another's session: {error}");
}

/// Nobody could use it any more.
#[tokio::test]
async fn a_session_that_is_deleted_takes_its_browser_along() {
    let (house, pages) = (House::start().await, Pages::start().await);
    let session = house.session(Who::Owner, "s").await;
    act(&house, Who::Owner, Some(&session), "navigate", json!({"url": pages.url("plain.html")})).await;
    act(&house, Who::Owner, None, "get_state", json!({})).await;
    let browsers = house.browsers.clone().unwrap();
    let browser = browsers.running(&session).unwrap();
    let (status, deleted) =
        answer(house.ask(Who::Owner, Method::DELETE, &format!("/api/v1/sessions/{session}"))).await;
    assert_eq!(status, 200, "{deleted}");
    assert!(browser.gone().is_some() && browsers.running(&session).is_none());
    assert!(browsers.running("web-console").is_some(), "that of another session is there");
}

#[tokio::test]
async fn what_did_not_succeed_is_told_by_the_status() {
    let (house, pages) = (House::start().await, Pages::start().await);
    let ask = async |action, body| ask(&house, Who::Owner, None, action, &body).await;
    let (status, wrong) = ask("navigate", json!({"address": "x"})).await;
    assert_eq!((status, &wrong["status"]), (400, &json!("invalid_arguments")), "{wrong}");
    assert!(wrong["result"].is_string() && wrong["error"]["message"].is_string(), "{wrong}");
    let (status, blocked) = ask("navigate", json!({"url": "file:///etc/passwd"})).await;
    assert_eq!((status, &blocked["status"]), (403, &json!("blocked")), "{blocked}");
    act(&house, Who::Owner, None, "navigate", json!({"url": pages.url("plain.html")})).await;
    let (status, late) = ask("wait_for", json!({"selector": "#nowhere", "timeout": 50})).await;
    assert_eq!((status, &late["status"]), (504, &json!("timed_out")), "{late}");
    let (status, missing) = tokio::select! {
        missing = ask("click", json!({"selector": "#nowhere"})) => missing,
        never = say(&house, Who::Owner, "yes") => never,
    };
    assert_eq!((status, &missing["status"]), (422, &json!("error")), "{missing}");
    for path in ["/api/browser/get_state", "/api/browser/fly"] {
        let (status, _) =
            answer(house.ask_at(Who::Nobody, Method::POST, &format!("{}{path}", house.browser_base))).await;
        assert_eq!(status, 401, "a token is needed there, too");
    }
}

#[tokio::test]
async fn a_question_waits_for_a_person_and_their_no_is_told() {
    let (house, pages) = (House::start().await, Pages::start().await);
    act(&house, Who::Owner, None, "navigate", json!({"url": pages.url("plain.html")})).await;
    let script = json!({"script": "document.title = 'changed'"});
    let (status, refused) = tokio::select! {
        refused = ask(&house, Who::Owner, None, "evaluate", &script) => refused,
        never = say(&house, Who::Owner, "no") => never,
    };
    assert_eq!((status, &refused["status"]), (403, &json!("execution_rejected")), "{refused}");
    let state = act(&house, Who::Owner, None, "get_state", json!({})).await;
    assert_ne!(state["data"]["title"], "changed", "nothing has run");
    let (_, audit) = house.get(Who::Owner, "/api/v1/audit").await;
    assert!(audit.to_string().contains("browser_evaluate"), "each is recorded: {audit}");
}

#[tokio::test]
async fn the_port_of_its_own_has_nothing_else() {
    let house = House::start().await;
    let at = |path: &str| format!("{}{path}", house.browser_base);
    assert!(house.browser_base.starts_with("http://127.0.0.1:"), "of this machine alone");
    for (method, path, wanted) in [
        (Method::GET, "/healthz", 200),
        (Method::GET, "/api/v1/sessions", 404),
        (Method::POST, "/api/v1/tools/execute", 404),
        (Method::POST, "/mcp", 404),
        (Method::GET, "/", 404),
        (Method::GET, "/api/browser/get_state", 405),
    ] {
        let (status, answered) = answer(house.ask_at(Who::Owner, method, &at(path))).await;
        assert_eq!(status, wanted, "{path}: {answered}");
    }
    let misled = house.ask_at(Who::Owner, Method::POST, &at("/api/browser/get_state"));
    let (status, _) = answer(misled.header("host", "evil.example")).await;
    assert_eq!(status, 421, "a name that was made to point here");
    let page = house.ask_at(Who::Owner, Method::POST, &at("/api/browser/get_state"));
    let (status, _) = answer(page.header("origin", "http://evil.example")).await;
    assert_eq!(status, 403, "a page of another site");
}

#[tokio::test]
async fn after_a_page_was_read_a_remembered_yes_is_not_enough() {
    let (house, pages) = (House::start().await, Pages::start().await);
    let grant = Grant {
        id: new_id(),
        owner: None,
        effect: GrantEffect::Allow,
        tool: "browser_navigate".into(),
        shape: Shape::AnyArguments,
        scope: Scope::Always,
        until: None,
        created_at: Time::now(),
        created_by: "person:test".into(),
        reason: None,
    };
    house.store.grants().add(&grant).unwrap();
    let go = json!({"url": pages.url("plain.html")});
    let (status, there) = ask(&house, Who::Owner, None, "navigate", &go).await;
    assert_eq!(status, 200, "nobody was asked: {there}");
    let (status, refused) = tokio::select! {
        refused = ask(&house, Who::Owner, None, "navigate", &go) => refused,
        never = say(&house, Who::Owner, "no") => never,
    };
    assert_eq!((status, &refused["status"]), (403, &json!("execution_rejected")), "{refused}");
}
