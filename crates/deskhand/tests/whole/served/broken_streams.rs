//! A model whose connection is cut in the middle of its answer: what came is kept, and the message is tried again.

use serde_json::{Value, json};

use super::{Around, Served, model_server::ModelServer};

#[test]
fn a_broken_answer_is_kept_as_incomplete_and_tried_again_without_a_second_message() {
    let models = ModelServer::start();
    let served = Served::around(
        "",
        Around {
            without_model: true,
            environment: vec![("OPENAI_BASE_URL", models.url.clone()), ("OPENAI_API_KEY", "sk-x".to_owned())],
            ..Around::default()
        },
    );
    let session = served.new_session();
    let messages = || served.get(&format!("/api/v1/sessions/{session}/messages"))["messages"].clone();
    let contents = |all: &Value| -> Vec<String> {
        all.as_array().unwrap().iter().map(|one| one["content"].as_str().unwrap().to_owned()).collect()
    };
    let retry = |status| {
        let answer = served.ask("POST", &format!("/api/v1/sessions/{session}/retry"), Some(json!({})));
        assert_eq!(answer.status, status, "{answer:?}");
        answer.json()
    };
    assert!(retry(400)["error"]["message"].as_str().unwrap().contains("nothing to try again"));

    models.break_off_after("Half of it and");
    let done = served.turn(&session, "Explain everything.").pop().unwrap();
    assert_eq!((&done["outcome"], &done["incomplete"]), (&json!("failed"), &json!(true)), "{done}");
    let stored = messages();
    assert_eq!(contents(&stored), ["Explain everything.", "Half of it and"]);
    assert_eq!(stored[1]["metadata"]["incomplete"], true, "{stored}");

    // Broken once more, then well: still one message, and the model hears it once.
    let watch =
        |begun: &Value| served.watch(&session, begun["first_event"].as_u64().unwrap() - 1).until("done");
    models.break_off_after("Less");
    watch(&retry(202));
    models.answer_well();
    let begun = retry(202);
    assert_eq!(begun["message_id"], stored[0]["id"]);
    let events = watch(&begun);
    assert_eq!(events[0]["retry_of"], messages()[2]["id"], "{}", events[0]);
    assert_eq!(events.last().unwrap()["outcome"], "completed");
    assert!(events.last().unwrap().get("incomplete").is_none());
    assert_eq!(contents(&messages()), ["Explain everything.", "Half of it and", "Less", "OK"]);
    let heard = models.last().body["messages"].to_string();
    assert_eq!(heard.matches("Explain everything.").count(), 1, "{heard}");
    assert!(!heard.contains("Half of it") && !heard.contains("Less"), "{heard}");

    served.turn(&session, "And now?");
    let heard = models.last().body["messages"].to_string();
    assert_eq!(heard.matches("Explain everything.").count(), 1, "{heard}");
    assert!(retry(400)["error"]["message"].as_str().unwrap().contains("completed"));

    // The terminal says it, too.
    models.break_off_after("Half again");
    let mut command = served.command(&["chat", "hello", "--model", "openai/gpt-5"]);
    let told = command.env("OPENAI_BASE_URL", &models.url).env("OPENAI_API_KEY", "sk-x").output().unwrap();
    let shown = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(shown.contains("Half again") && shown.contains("The answer is incomplete."), "{told:?}");
}
