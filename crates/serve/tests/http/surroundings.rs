//! Where calls work is asked of the program where it holds nobody up.

use std::{fs, thread};

use deskhand_agent::provider::scripted::ScriptedReply;
use serde_json::json;

use crate::harness::{House, Who};

#[tokio::test]
async fn the_program_is_not_asked_on_a_thread_that_serves() {
    let reply = ScriptedReply { text: "Hello.".into(), ..ScriptedReply::default() };
    let house = House::with_model(vec![reply]).await;
    fs::write(house.workspace.join("f"), "x").unwrap();
    let session = house.session(Who::Owner, "s").await;
    house.call(Who::Owner, Some(&session), "list_dir", json!({"path": "."})).await;
    house.turn(Who::Owner, &session, "hi").await;
    assert_eq!(house.post(Who::Owner, "/api/v1/downloads", json!({"path": "f"})).await.0, 200);
    assert_eq!(house.get(Who::Owner, "/api/v1/processes").await.0, 200);
    let asked_on = house.surrounded_on.lock().unwrap();
    // The server of this test runs on the thread of the test.
    assert!(asked_on.len() >= 4 && !asked_on.contains(&thread::current().id()), "{asked_on:?}");
}
