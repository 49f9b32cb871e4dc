//! The protocol without sessions: the question is the result, and the answer comes with the same call made again.

use deskhand_core::approval::ApprovalQueue;
use deskhand_serve::mcp::server::Offer;
use rmcp::model::ProtocolVersion;
use serde_json::{Value, json};

use super::{
    desk::{Desk, Port, Who, answer, until},
    tester::{Person, connect_to, status},
};

fn call(path: &str) -> Value {
    json!({"name": "write_file", "arguments": {"path": path, "content": "x"}})
}

fn again(path: &str, asked: &Value, decision: &str) -> Value {
    let mut params = call(path);
    params["requestState"] = asked["result"]["requestState"].clone();
    params["inputResponses"] = json!({"approval": {"action": "accept", "content": {"decision": decision}}});
    params
}

async fn ask(port: &Port, who: Who, path: &str) -> Value {
    let asked = port.ask(who, "tester", "tools/call", call(path)).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    asked
}

#[tokio::test]
async fn the_call_is_made_again_with_the_answer() {
    let desk = Desk::new();
    let port = Port::open(&desk).await;
    for (decision, wanted, there) in [
        ("no", "execution_rejected", false),
        ("session", "execution_rejected", false),
        ("once", "success", true),
    ] {
        let asked = ask(&port, Who::Owner, "a.txt").await;
        let form = &asked["result"]["inputRequests"]["approval"];
        assert_eq!(form["method"], "elicitation/create");
        let choices = &form["params"]["requestedSchema"]["properties"]["decision"]["enum"];
        assert_eq!(*choices, json!(["once", "no"]), "there is no session that a yes could hold for");
        assert!(!desk.has("a.txt"));
        let ended = port.ask(Who::Owner, "tester", "tools/call", again("a.txt", &asked, decision)).await;
        assert_eq!(ended["result"]["_meta"]["status"], wanted, "{ended}");
        assert_eq!(desk.has("a.txt"), there);
    }
}

#[tokio::test]
async fn nobody_else_answers_with_a_stolen_state_and_nobody_twice() {
    let desk = Desk::new();
    let port = Port::open(&desk).await;
    let asked = ask(&port, Who::Owner, "a.txt").await;
    let theirs = again("a.txt", &asked, "once");
    let mut guessed = theirs.clone();
    guessed["requestState"] = "AAAA".into();
    for (who, name, params, why) in [
        (Who::Bob, "tester", theirs.clone(), "another user"),
        (Who::Owner, "another", theirs.clone(), "another client"),
        (Who::Owner, "tester", again("b.txt", &asked, "once"), "another call"),
        (Who::Owner, "tester", guessed, "a guess"),
    ] {
        let refused = port.ask(who, name, "tools/call", params).await;
        assert_eq!(refused["error"]["code"], -32602, "{why}: {refused}");
        assert!(!desk.has("a.txt") && !desk.has("b.txt"), "{why}");
    }
    let ended = port.ask(Who::Owner, "tester", "tools/call", theirs.clone()).await;
    assert_eq!(ended["result"]["_meta"]["status"], "success", "{ended}");
    let twice = port.ask(Who::Owner, "tester", "tools/call", theirs).await;
    assert_eq!(twice["error"]["code"], -32602, "{twice}");
}

#[tokio::test]
async fn an_answer_that_is_none_is_asked_for_again() {
    let desk = Desk::new();
    let port = Port::open(&desk).await;
    let mut asked = ask(&port, Who::Owner, "a.txt").await;
    for responses in
        [json!({}), json!({"other": {}}), json!({"approval": 5}), json!({"approval": {"action": "jump"}})]
    {
        let mut params = again("a.txt", &asked, "once");
        params["inputResponses"] = responses.clone();
        let next = port.ask(Who::Owner, "tester", "tools/call", params).await;
        assert_eq!(next["result"]["resultType"], "input_required", "{responses}: {next}");
        assert_ne!(next["result"]["requestState"], asked["result"]["requestState"]);
        asked = next;
    }
    assert!(!desk.has("a.txt"));
}

#[tokio::test]
async fn an_answer_from_elsewhere_counts() {
    let desk = Desk::new();
    let port = Port::open(&desk).await;
    let asked = ask(&port, Who::Owner, "a.txt").await;
    desk.say_yes(&desk.question().await);
    until("the file", async || desk.has("a.txt")).await;
    // The client comes back with a no, too late.
    let ended = port.ask(Who::Owner, "tester", "tools/call", again("a.txt", &asked, "no")).await;
    assert_eq!(ended["result"]["_meta"]["decided_by"], "person:web", "{ended}");
    assert_eq!(ended["result"]["_meta"]["status"], "success");
}

#[tokio::test]
async fn a_client_that_never_comes_back_leaves_nothing_open() {
    let desk = Desk::with(deskhand_core::Mode::Ask, |settings| {
        settings.approval_timeout = std::time::Duration::from_millis(300);
    });
    let port = Port::open(&desk).await;
    ask(&port, Who::Owner, "a.txt").await;
    until("no question is left", async || desk.store.approvals().pending().unwrap().is_empty()).await;
    assert!(!desk.has("a.txt"));
}

#[tokio::test]
async fn only_so_many_calls_wait_for_one_owner() {
    let desk = Desk::new();
    let port = Port::open(&desk).await;
    for n in 0..32 {
        ask(&port, Who::Owner, &format!("{n}.txt")).await;
    }
    let refused = port.ask(Who::Owner, "tester", "tools/call", call("more.txt")).await;
    assert!(refused["error"]["message"].as_str().unwrap().contains("wait for an answer"), "{refused}");
    until("all questions", async || desk.store.approvals().pending().unwrap().len() == 32).await;
    ask(&port, Who::Bob, "his.txt").await;
}

#[tokio::test]
async fn clients_of_both_kinds_are_served_over_pipes() {
    for version in
        [ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28]
    {
        let desk = Desk::new();
        let connected = connect_to(desk.server(Offer::default()), Person::Yes, version.clone()).await;
        let has = connected.capabilities();
        assert!(
            has.tools.is_some()
                && has.resources.is_some()
                && has.prompts.is_some()
                && has.completions.is_some()
        );
        let result = connected.call("write_file", json!({"path": "a.txt", "content": "x"})).await;
        assert_eq!(status(&result), "success", "{version}: {result:?}");
        assert_eq!(connected.seen.questions.lock().unwrap().len(), 1, "{version}");
    }
}

#[tokio::test]
async fn only_a_few_times_is_one_client_told_of_changes() {
    let desk = Desk::new();
    let port = Port::open(&desk).await;
    let listen = |who: Who| {
        let params = json!({"notifications": {"toolsListChanged": true}});
        port.stateless(who, "tester", "subscriptions/listen", params)
    };
    let mut open = Vec::new();
    for _ in 0..4 {
        let mut response = listen(Who::Owner).send().await.unwrap();
        // The first that comes says that it is listened to.
        assert!(response.chunk().await.unwrap().is_some());
        open.push(response);
    }
    let refused = listen(Who::Owner).send().await.unwrap().text().await.unwrap();
    assert!(refused.contains("several times already"), "{refused}");
    let mut his = listen(Who::Bob).send().await.unwrap();
    assert!(his.chunk().await.unwrap().is_some());
    drop(open);
}

#[tokio::test]
async fn each_request_says_for_itself_what_it_wants_to_be_told() {
    let desk = Desk::new();
    let port = Port::open(&desk).await;
    let level = json!({"level": "debug"});
    let (status, refused) = answer(port.stateless(Who::Owner, "tester", "logging/setLevel", level)).await;
    assert_eq!((status, &refused["error"]["code"]), (404, &json!(-32601)), "{refused}");
}
