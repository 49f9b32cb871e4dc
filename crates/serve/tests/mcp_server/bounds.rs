//! One client, or one user's clients together, cannot take all there is.

use rmcp::{
    model::{CallToolRequest, CallToolRequestParams, ClientRequest},
    service::PeerRequestOptions,
};
use serde_json::json;

use super::{
    desk::{Desk, Port, Who},
    tester::{Person, connect, status},
};

#[tokio::test]
async fn a_client_has_so_many_calls_at_once_and_no_more() {
    let desk = Desk::new();
    desk.write("a.txt", "x");
    let connected = connect(&desk, Person::Absent).await;
    let endless =
        || ClientRequest::CallToolRequest(CallToolRequest::new(CallToolRequestParams::new("endless")));
    let mut running = Vec::new();
    for _ in 0..32 {
        let options = PeerRequestOptions::no_options();
        running.push(connected.client.send_cancellable_request(endless(), options).await.unwrap());
    }
    desk.running_are(32).await;
    let stat = || json!({"path": "a.txt"});
    let refused = connected.try_call("file_stat", stat()).await.unwrap_err().to_string();
    assert!(refused.contains("32 calls of this client run already"), "{refused}");
    running.pop().unwrap().cancel(None).await.unwrap();
    desk.running_are(31).await;
    // The slot is free once the call's answer is out, which the client is not told of.
    let mut answered = connected.try_call("file_stat", stat()).await;
    while answered.is_err() {
        tokio::task::yield_now().await;
        answered = connected.try_call("file_stat", stat()).await;
    }
    assert_eq!(status(&answered.unwrap()), "success");
}

#[tokio::test]
async fn a_users_clients_together_have_so_many_and_another_user_has_their_own() {
    let desk = Desk::new();
    desk.write("a.txt", "x");
    let port = Port::open(&desk).await;
    let call = || json!({"name": "endless", "arguments": {}});
    let running: Vec<_> = (0..64)
        .map(|n| {
            let client = format!("client {}", n % 4);
            tokio::spawn(port.stateless(Who::Owner, &client, "tools/call", call()).send())
        })
        .collect();
    desk.running_are(64).await;
    let stat = || json!({"name": "file_stat", "arguments": {"path": "a.txt"}});
    let refused = port.ask(Who::Owner, "a new one", "tools/call", stat()).await;
    assert!(refused.to_string().contains("64 calls of this user's clients run already"), "{refused}");
    let bob = port.ask(Who::Bob, "a new one", "tools/call", stat()).await;
    assert_eq!(bob["result"]["_meta"]["status"], "success", "{bob}");
    for one in running {
        one.abort();
    }
}
