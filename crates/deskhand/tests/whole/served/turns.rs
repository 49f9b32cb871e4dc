//! Turns over HTTP: begun, watched, answered, cancelled, and found again after a break.

use serde_json::{Value, json};

use super::Served;

fn texts(events: &[Value]) -> String {
    events.iter().filter(|event| event["type"] == "text").filter_map(|event| event["text"].as_str()).collect()
}

/// The numbers must follow each other without a gap.
fn assert_gapless(events: &[Value]) {
    let numbers: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    let first = numbers[0];
    assert_eq!(numbers, (first..first + numbers.len() as u64).collect::<Vec<_>>());
}

const WRITES: &str = r#"
[[replies]]
text = "I will write it."
calls = [{ name = "write_file", arguments = { path = "a.txt", content = "from the model" } }]

[[replies]]
text = "It is done."
"#;

#[test]
fn several_watchers_see_the_same_and_come_back_without_loss_or_doubles() {
    let served = Served::scripted(
        "[[replies]]\ntext = \"one two three four five six seven\"\npiece = 3\ndelay_ms = 10\n",
    );
    let session = served.new_session();
    let mut early = served.watch(&session, 0);
    served.say(&session, "count");
    let mut first = early.until("done");
    assert_eq!(texts(&first), "one two three four five six seven");
    assert_gapless(&first);
    let second = served.watch(&session, 0).until("done");
    assert_eq!(first, second);
    // A browser that was away comes with the number it saw last; the header counts before the query.
    let seen = first[2]["seq"].as_u64().unwrap();
    let rest = served.watch_with(&session, "?after=0", &format!("Last-Event-ID: {seen}\r\n")).until("done");
    assert_eq!(rest, first.split_off(3));
}

#[test]
fn a_question_is_answered_over_http_and_the_first_answer_wins() {
    let served = Served::scripted(WRITES);
    let session = served.new_session();
    let begun = served.say(&session, "write a.txt");
    let mut watcher = served.watch(&session, begun["first_event"].as_u64().unwrap() - 1);
    watcher.until("approval_wanted");
    let detail = served.get(&format!("/api/v1/sessions/{session}"));
    assert_eq!(detail["turn"]["state"], "running");
    assert_eq!(detail["turn"]["turn_id"], begun["turn_id"]);
    assert_eq!(
        served
            .ask("POST", &format!("/api/v1/sessions/{session}/messages"), Some(json!({"content": "more"})))
            .status,
        409
    );

    let question = served.question();
    assert_eq!(
        (question["tool"].as_str(), question["session_id"].as_str()),
        (Some("write_file"), Some(session.as_str()))
    );
    let path = format!("/api/v1/approvals/{}", question["id"].as_str().unwrap());
    for wrong in [
        json!({"answer": "pass"}),
        json!({"answer": "edit"}),
        json!({"answer": "yes", "remember": {"scope": "always", "shape": {"kind": "any_arguments", "x": 1}, "until": null}, "reason": 5}),
    ] {
        assert_eq!(served.ask("POST", &path, Some(wrong.clone())).status, 400, "{wrong}");
    }
    assert_eq!(served.post(&path, json!({"answer": "yes"}))["accepted"], true);
    let late = served.post(&path, json!({"answer": "no", "reason": "too late"}));
    assert_eq!((&late["accepted"], &late["settled"]["by"]), (&json!(false), &json!("person:web")));
    let events = watcher.until("done");
    assert_eq!(texts(&events), "It is done.");
    assert_eq!(std::fs::read_to_string(served.workspace().join("a.txt")).unwrap(), "from the model");
}

#[test]
fn a_no_reaches_the_model_with_its_reason_and_edited_arguments_are_asked_anew() {
    let served = Served::scripted(
        &WRITES.replace("text = \"It is done.\"", "expect = \"not this file\"\ntext = \"Then not.\""),
    );
    let session = served.new_session();
    let begun = served.say(&session, "write");
    let question = served.question();
    let path = format!("/api/v1/approvals/{}", question["id"].as_str().unwrap());
    served.post(&path, json!({"answer": "edit", "arguments": {"path": "b.txt", "content": "edited"}}));
    let again = loop {
        let again = served.question();
        if again["id"] != question["id"] {
            break again;
        }
    };
    assert_eq!(again["arguments"]["path"], "b.txt");
    let path = format!("/api/v1/approvals/{}", again["id"].as_str().unwrap());
    served.post(&path, json!({"answer": "no", "reason": "not this file"}));
    let events = served.watch(&session, begun["first_event"].as_u64().unwrap() - 1).until("done");
    assert_eq!(texts(&events), "I will write it.Then not.");
    assert!(!served.workspace().join("b.txt").exists());
}

#[test]
fn a_turn_is_paused_resumed_and_cancelled() {
    let slow = "[[replies]]\ntext = \"word word word word word word word word word word\"\npiece = 1\ndelay_ms = 100\n";
    let served = Served::scripted(slow);
    let session = served.new_session();
    let path = |what: &str| format!("/api/v1/sessions/{session}/{what}");
    assert_eq!(served.ask("POST", &path("cancel"), None).json()["error"]["code"], "no_turn");
    let begun = served.say(&session, "talk");
    assert_eq!(served.post(&path("pause"), json!({}))["success"], true);
    assert_eq!(served.get(&format!("/api/v1/sessions/{session}"))["turn"]["state"], "paused");
    assert_eq!(served.post(&path("resume"), json!({}))["success"], true);
    assert_eq!(served.post(&path("cancel"), json!({}))["success"], true);
    let events = served.watch(&session, begun["first_event"].as_u64().unwrap() - 1).until("done");
    assert_eq!(events.last().unwrap()["outcome"], "cancelled");
    assert!(served.get(&format!("/api/v1/sessions/{session}"))["turn"].is_null());
}

#[test]
fn after_a_crash_in_the_middle_of_a_turn_a_watcher_goes_on_where_it_was() {
    let mut served = Served::scripted(WRITES);
    let session = served.new_session();
    let begun = served.say(&session, "write");
    let mut before =
        served.watch(&session, begun["first_event"].as_u64().unwrap() - 1).until("approval_wanted");
    served.kill_and_restart();
    let last = before.last().unwrap()["seq"].as_u64().unwrap();
    let after = served.watch_with(&session, "", &format!("Last-Event-ID: {last}\r\n")).until("done");
    assert_eq!(after.last().unwrap()["outcome"], "failed", "it is told as broken off");
    before.extend(after);
    assert_gapless(&before);
    assert_eq!(
        served.get("/api/v1/approvals")["approvals"],
        json!([]),
        "nobody is asked for a call that is gone"
    );
    assert!(!served.workspace().join("a.txt").exists());
    assert!(served.get(&format!("/api/v1/sessions/{session}"))["turn"].is_null(), "a new turn may begin");
}

#[test]
fn the_terminal_and_the_server_see_the_same_session() {
    let served = Served::scripted("[[replies]]\ntext = \"From the terminal.\"\n");
    let script = format!("scripted/{}", served.folder.path().join("script.toml").display());
    let told = served.command(&["chat", "hello", "--model", &script]).output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let listed = served.get("/api/v1/sessions");
    assert_eq!(listed["sessions"][0]["title"], "hello");
    let id = listed["sessions"][0]["id"].as_str().unwrap();
    assert_eq!(texts(&served.watch(id, 0).until("done")), "From the terminal.");
}
