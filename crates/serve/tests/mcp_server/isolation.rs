//! One client's work is none of another's.

use deskhand_core::{
    Guest,
    session::{NewSession, SessionStore},
};
use deskhand_serve::mcp::server::Offer;
use serde_json::{Value, json};

use super::{
    changes::guest,
    desk::{Desk, Port, Who, answer},
    tester::{Person, connect, status},
};

#[tokio::test]
async fn a_yes_for_the_session_is_one_clients_alone() {
    let desk = Desk::new();
    let (one, other) = (connect(&desk, Person::YesForTheSession).await, connect(&desk, Person::No).await);
    let file = |name: &str| json!({"path": name, "content": "x"});
    assert_eq!(status(&one.call("write_file", file("a.txt")).await), "success");
    assert_eq!(status(&one.call("write_file", file("b.txt")).await), "success");
    assert_eq!(status(&other.call("write_file", file("c.txt")).await), "execution_rejected");
    assert_eq!(other.seen.questions.lock().unwrap().len(), 1, "the other is asked");
}

async fn initialize(port: &Port, who: Who) -> String {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tester", "version": "1"},
    }});
    let response = port.post(who, &message).send().await.unwrap();
    assert_eq!(response.status(), 200);
    response.headers()["mcp-session-id"].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_session_belongs_to_the_one_who_made_it() {
    let desk = Desk::new();
    let port = Port::open(&desk).await;
    let session = initialize(&port, Who::Owner).await;
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}});
    let with = |who: Who| port.post(who, &list).header("mcp-session-id", &session);
    assert_eq!(answer(with(Who::Bob)).await.0, 404);
    assert_eq!(answer(with(Who::Nobody)).await.0, 401);
    let (status, listed) = answer(with(Who::Owner)).await;
    assert_eq!(status, 200);
    assert!(!listed["result"]["tools"].as_array().unwrap().is_empty());
    // Nor can another end it.
    let end = |who: Who| {
        let request = reqwest::Client::new().delete(&port.url).header("mcp-session-id", &session);
        request.bearer_auth(port.token(who).unwrap())
    };
    assert_eq!(end(Who::Bob).send().await.unwrap().status(), 404);
    assert_eq!(answer(with(Who::Owner)).await.0, 200);
    assert_eq!(end(Who::Owner).send().await.unwrap().status(), 204);
    assert_eq!(answer(with(Who::Owner)).await.0, 404);
}

#[tokio::test]
async fn the_end_of_a_session_stops_what_runs_in_it_at_once() {
    let desk = Desk::new();
    let port = Port::open(&desk).await;
    let session = initialize(&port, Who::Owner).await;
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "endless"}});
    let calling = tokio::spawn(port.post(Who::Owner, &call).header("mcp-session-id", &session).send());
    desk.running_are(1).await;
    let end = reqwest::Client::new().delete(&port.url).header("mcp-session-id", &session);
    let ended = end.bearer_auth(port.token(Who::Owner).unwrap()).send().await.unwrap();
    assert_eq!(ended.status(), 204);
    // Not when the session, which waits for what runs in it, is closed in the end.
    assert!(desk.stops.0.lock().unwrap()[0].is_cancelled());
    desk.running_are(0).await;
    let _ = calling.await;
    // What it has open, a browser say, goes with it.
    desk.ended.0.subscribe().wait_for(|sessions| !sessions.is_empty()).await.unwrap();
}

#[tokio::test]
async fn many_sessions_shut_nobody_out_and_the_longest_idle_goes() {
    let desk = Desk::new();
    let port = Port::open(&desk).await;
    let first = initialize(&port, Who::Owner).await;
    let second = initialize(&port, Who::Owner).await;
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}});
    let lists = |session: &str| answer(port.post(Who::Owner, &list).header("mcp-session-id", session));
    for n in 2..=100 {
        assert_eq!(lists(&first).await.0, 200, "{n}: it is used");
        initialize(&port, Who::Owner).await;
    }
    assert_eq!(lists(&second).await.0, 404, "nobody has used it");
    assert_eq!(lists(&first).await.0, 200);
    let listed = port.ask(Who::Owner, "tester", "tools/list", json!({})).await;
    assert!(listed["result"]["tools"].is_array(), "{listed}");
}

#[tokio::test]
async fn what_is_the_owners_alone_another_user_does_not_hear_of() {
    let desk = Desk::new();
    let private = guest("mcp_private_weather");
    let shared = Guest { shared: true, ..guest("mcp_shared_weather") };
    desk.gate.registry.receive("private", vec![private]);
    desk.gate.registry.receive("shared", vec![shared]);
    let skill = desk.data.join("skills/greet");
    std::fs::create_dir_all(&skill).unwrap();
    std::fs::write(skill.join("SKILL.md"), "---\nname: greet\n---\nSay hello.\n").unwrap();
    let toolsets = ["private", "shared"].map(str::to_owned).to_vec();
    let port = Port::with(&desk, Offer { toolsets, ..Offer::default() }).await;
    let plain = Port::open(&desk).await;
    for (who, is_owner) in [(Who::Owner, true), (Who::Bob, false)] {
        let listed = port.ask(who, "tester", "tools/list", json!({})).await.to_string();
        let find = json!({"name": "find_tools", "arguments": {"query": "mcp weather something"}});
        let found = plain.ask(who, "tester", "tools/call", find).await.to_string();
        let since = plain.ask(who, "tester", "tools/list", json!({})).await.to_string();
        for (text, what) in [(listed, "listed"), (found, "found"), (since, "listed since")] {
            assert!(text.contains("mcp_shared_weather"), "{who:?} {what}: {text}");
            assert_eq!(text.contains("mcp_private_weather"), is_owner, "{who:?} {what}: {text}");
        }
        let prompts = plain.ask(who, "tester", "prompts/list", json!({})).await;
        assert_eq!(prompts.to_string().contains("greet"), is_owner, "{prompts}");
        let prompt = plain.ask(who, "tester", "prompts/get", json!({"name": "greet"})).await;
        assert_eq!(prompt.to_string().contains("Say hello"), is_owner, "{prompt}");
    }
}

async fn read(port: &Port, who: Who, uri: &str) -> Value {
    let read = port.ask(who, "tester", "resources/read", json!({"uri": uri})).await;
    match read["result"]["contents"][0]["text"].as_str() {
        Some(text) => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
        None => read["error"]["code"].clone(),
    }
}

#[tokio::test]
async fn conversations_and_records_are_their_owners() {
    let desk = Desk::new();
    let port = Port::open(&desk).await;
    let new = |owner: Option<&str>| NewSession { owner: owner.map(str::to_owned), ..NewSession::default() };
    let [ours, his] = [None, Some("bob")].map(|owner| desk.store.sessions().create(&new(owner)).unwrap().id);
    for (who, own, others) in [(Who::Owner, &ours, &his), (Who::Bob, &his, &ours)] {
        let listed = read(&port, who, "deskhand://sessions").await;
        assert_eq!(listed["total"], 1, "{listed}");
        assert_eq!(listed["sessions"][0]["id"], **own);
        assert_eq!(read(&port, who, &format!("deskhand://sessions/{own}")).await["id"], **own);
        assert_eq!(read(&port, who, &format!("deskhand://sessions/{others}")).await, -32602);
        let completed = port
            .ask(
                who,
                "tester",
                "completion/complete",
                json!({
                    "ref": {"type": "ref/resource", "uri": "deskhand://sessions/{id}"},
                    "argument": {"name": "id", "value": ""},
                }),
            )
            .await;
        assert_eq!(completed["result"]["completion"]["values"], json!([own]), "{completed}");
    }
    desk.write("a.txt", "x");
    let call = json!({"name": "file_stat", "arguments": {"path": "a.txt"}});
    port.ask(Who::Owner, "tester", "tools/call", call).await;
    let tools = |records: &Value| records.to_string().contains("file_stat");
    assert!(tools(&read(&port, Who::Owner, "deskhand://audit").await));
    assert!(!tools(&read(&port, Who::Bob, "deskhand://audit").await));
}

#[tokio::test]
async fn a_whole_output_is_read_for_whom_its_call_was_made() {
    let desk = Desk::with(deskhand_core::Mode::Ask, |settings| settings.max_output_chars = 300);
    let port = Port::open(&desk).await;
    desk.write("long.txt", "0123456789\n".repeat(100));
    let call = json!({"name": "read_file", "arguments": {"path": "long.txt"}});
    let result = port.ask(Who::Owner, "tester", "tools/call", call).await;
    let links: Vec<&Value> = result["result"]["content"].as_array().unwrap().iter().collect();
    let output = links
        .iter()
        .find(|link| link["uri"].as_str().is_some_and(|uri| uri.starts_with("deskhand://output/")));
    let uri = output.unwrap_or_else(|| panic!("{result}"))["uri"].as_str().unwrap();
    assert!(read(&port, Who::Owner, uri).await.to_string().contains("0123456789"));
    assert_eq!(read(&port, Who::Bob, uri).await, -32602);
}

#[tokio::test]
async fn what_one_client_found_the_other_is_not_told_of() {
    let desk = Desk::new();
    let port = Port::open(&desk).await;
    let find = json!({"name": "find_tools", "arguments": {"query": "delete a file", "limit": 1}});
    port.ask(Who::Owner, "one", "tools/call", find).await;
    let names = |listed: &Value| listed["result"]["tools"].to_string().contains("\"file_delete\"");
    assert!(names(&port.ask(Who::Owner, "one", "tools/list", json!({})).await));
    assert!(!names(&port.ask(Who::Owner, "another", "tools/list", json!({})).await));
    assert!(!names(&port.ask(Who::Bob, "one", "tools/list", json!({})).await));
}

#[tokio::test]
async fn only_who_sits_at_the_desktop_acts_on_it() {
    let desk = Desk::new();
    let port = Port::open(&desk).await;
    let press = || json!({"name": "press_key", "arguments": {}});
    for (who, forwarded, wanted) in
        [(Who::Owner, false, "success"), (Who::Owner, true, "blocked"), (Who::Bob, false, "blocked")]
    {
        let mut request = port.stateless(who, "tester", "tools/call", press());
        if forwarded {
            // Somebody in between says that the asker is elsewhere.
            request = request.header("x-forwarded-for", "192.0.2.7");
        }
        let (_, result) = answer(request).await;
        assert_eq!(result["result"]["_meta"]["status"], wanted, "{who:?} {forwarded}: {result}");
    }
    let here = connect(&desk, Person::Absent).await;
    assert_eq!(status(&here.call("press_key", json!({})).await), "success");
}

#[tokio::test]
async fn nobody_drives_out_another_by_inventing_clients() {
    let desk = Desk::new();
    let port = Port::open(&desk).await;
    let call = json!({"name": "endless", "arguments": {}});
    let asking = tokio::spawn(port.stateless(Who::Owner, "tester", "tools/call", call).send());
    desk.running_are(1).await;
    for n in 0..60 {
        port.ask(Who::Bob, &format!("invented {n}"), "tools/list", json!({})).await;
    }
    assert_eq!(desk.running.load(std::sync::atomic::Ordering::SeqCst), 1, "the owner's goes on");
    for n in 0..60 {
        port.ask(Who::Owner, &format!("invented {n}"), "tools/list", json!({})).await;
    }
    desk.running_are(0).await;
    let _ = asking.await;
}
