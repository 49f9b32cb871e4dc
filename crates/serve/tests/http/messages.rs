//! What a list of messages tells of the calls in them.

use deskhand_agent::provider::scripted::ScriptedReply;
use serde_json::{Value, json};

use crate::harness::{House, Who};

fn of_type<'a>(list: &'a Value, kind: &str) -> Vec<&'a Value> {
    list["call_events"].as_array().unwrap().iter().filter(|event| event["type"] == kind).collect()
}

#[tokio::test]
async fn call_events_keep_plan_answer_and_data() {
    let write = ScriptedReply::call("write_file", json!({"path": "f.txt", "content": "new\n"}));
    let house = House::with_model(vec![write, ScriptedReply::text("done")]).await;
    let session = house.session(Who::Owner, "s").await;
    let turn = house.turn(Who::Owner, &session, "write").await;
    let path = format!("/api/v1/sessions/{session}/messages?last=50");
    let (_, plain) = house.get(Who::Owner, &path).await;
    assert!(plain.get("call_events").is_none(), "{plain}");
    let (_, list) = house.get(Who::Owner, &format!("{path}&call_events=true")).await;
    let planned = of_type(&list, "call_planned");
    assert!(planned[0]["plan"]["preview"]["text"].as_str().unwrap().contains("+new"), "{list}");
    assert_eq!(planned[0]["turn_id"], json!(turn));
    assert_eq!(of_type(&list, "approval_settled")[0]["settled"]["by"], "person:web", "{list}");
    let ended = of_type(&list, "call_ended");
    assert_eq!(ended[0]["outcome"]["decided_by"], "person:web", "{list}");
    assert!(ended[0]["outcome"]["data"].is_object(), "{list}");
    assert!(of_type(&list, "text").is_empty() && of_type(&list, "done").is_empty(), "{list}");

    // A fork shows the same; what came with a file does not.
    let (_, copy) = house.post(Who::Owner, &format!("/api/v1/sessions/{session}/fork"), json!({})).await;
    let id = copy["id"].as_str().unwrap();
    let (_, copied) =
        house.get(Who::Owner, &format!("/api/v1/sessions/{id}/messages?call_events=true")).await;
    assert_eq!(copied["call_events"], list["call_events"]);
    let (_, export) = house.get(Who::Owner, &format!("/api/v1/sessions/{session}/export?format=json")).await;
    let (status, import) = house.post(Who::Owner, "/api/v1/sessions/import", export.clone()).await;
    assert_eq!(status, 200, "{import}");
    let id = import["id"].as_str().unwrap();
    let (_, imported) =
        house.get(Who::Owner, &format!("/api/v1/sessions/{id}/messages?call_events=true")).await;
    assert!(imported.get("call_events").is_none(), "{imported}");
    // Nor does another user get them by importing the turn's id.
    let (_, stolen) = house.post(Who::Bob, "/api/v1/sessions/import", export).await;
    let id = stolen["id"].as_str().unwrap();
    let (_, stolen) = house.get(Who::Bob, &format!("/api/v1/sessions/{id}/messages?call_events=true")).await;
    assert!(stolen.get("call_events").is_none(), "{stolen}");
}
