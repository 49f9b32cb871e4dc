//! A question that nobody answered in time, asked again.

use std::fs;

use serde_json::{Value, json};

use super::{Around, Served};

const WRITES: &str = r#"
[[replies]]
calls = [{ name = "write_file", arguments = { path = "a.txt", content = "from the model" } }]

[[replies]]
text = "Nobody answered."

[[replies]]
expect = "a.txt"
text = "Now it is written."

[[replies]]
calls = [{ name = "write_file", arguments = { path = "b.txt", content = "password = hunter2hunter2hunter2" } }]

[[replies]]
text = "Nobody answered that either."
"#;

fn call_id(events: &[Value]) -> String {
    let ended = events.iter().rfind(|event| event["type"] == "call_ended").unwrap();
    assert_eq!(ended["outcome"]["status"], "expired", "{ended}");
    ended["outcome"]["call_id"].as_str().unwrap().to_owned()
}

#[test]
fn expired_call_is_planned_and_asked_again_as_a_new_call() {
    let served = Served::around(WRITES, Around { config: "approval_timeout_s = 3\n", ..Around::default() });
    let session = served.new_session();
    let call = call_id(&served.turn(&session, "write it"));
    let file = served.root().join("workspace/a.txt");
    assert!(!file.exists());

    let path = |call: &str| format!("/api/v1/sessions/{session}/calls/{call}/again");
    let begun = served.post(&path(&call), json!({"content": "Ask me again"}));
    let question = served.question();
    assert_ne!(question["call_id"], json!(call), "it is a new call");
    assert!(!file.exists(), "it waits for its own answer");
    assert_eq!(served.ask("POST", &path(&call), Some(json!({}))).status, 409, "a turn is under way");
    served.post(&format!("/api/v1/approvals/{}", question["id"].as_str().unwrap()), json!({"answer": "yes"}));
    let events = served.watch(&session, begun["first_event"].as_u64().unwrap() - 1).until("done");
    assert_eq!(events.last().unwrap()["outcome"], "completed", "{events:?}");
    assert_eq!(fs::read_to_string(file).unwrap(), "from the model");
    let messages = served.get(&format!("/api/v1/sessions/{session}/messages"))["messages"].clone();
    assert_eq!(
        (&messages[2]["content"], &messages[3]["content"]),
        (&json!("Ask me again"), &json!("Now it is written."))
    );

    let done =
        events.iter().find(|event| event["type"] == "call_ended").unwrap()["outcome"]["call_id"].clone();
    let refused = served.ask("POST", &path(done.as_str().unwrap()), Some(json!({})));
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (409, &json!("not_expired")));
    for nonsense in ["nonsense", "01932c5e-6f1c-7d2a-9b57-0c2f6f2d8a11"] {
        assert_eq!(served.ask("POST", &path(nonsense), Some(json!({}))).status, 404);
    }

    // What was masked is not known any more, so the same call cannot be made: it is refused, and not made with the mask.
    let call = call_id(&served.turn(&session, "write the other"));
    let refused = served.ask("POST", &path(&call), Some(json!({})));
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (409, &json!("masked")));
    assert!(!served.root().join("workspace/b.txt").exists());
}
