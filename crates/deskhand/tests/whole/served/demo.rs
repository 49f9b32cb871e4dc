//! The demo on the web page: scripted turns, real tools and questions, in a folder of its own.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use super::{Around, Served};

fn desk(arguments: &'static [&'static str]) -> Served {
    Served::around("", Around { without_model: true, arguments, ..Around::default() })
}

/// A demo, and what can be said in it.
fn begin(served: &Served, language: &str) -> (String, Vec<String>) {
    let begun = served.post("/api/v1/demo", json!({"language": language}));
    let suggested =
        begun["suggested"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned());
    (begun["session_id"].as_str().unwrap().to_owned(), suggested.collect())
}

fn workspace(served: &Served, id: &str) -> PathBuf {
    let session = served.get(&format!("/api/v1/sessions/{id}"));
    assert_eq!(session["metadata"]["demo"], true, "{session}");
    session["metadata"]["workspace"].as_str().unwrap().into()
}

fn text(events: &[Value]) -> String {
    events.iter().filter(|event| event["type"] == "text").filter_map(|event| event["text"].as_str()).collect()
}

#[test]
fn demo_plays_what_was_asked_for_and_a_change_needs_approval() {
    let served = desk(&[]);
    let (id, suggested) = begin(&served, "en");
    assert_eq!(suggested.len(), 4);
    let session = served.get(&format!("/api/v1/sessions/{id}"));
    assert_eq!(
        (&session["message_count"], &session["turn"]),
        (&json!(0), &Value::Null),
        "nothing began by itself"
    );
    assert_eq!(session["metadata"]["suggested"], json!(suggested));
    assert!(session["title"].as_str().unwrap().starts_with("Demo"));
    let events = served.turn(&id, &suggested[0]);
    assert_eq!(events.last().unwrap()["outcome"], "completed", "{events:?}");
    assert!(text(&events).contains("three"), "{events:?}");
    assert!(events.iter().any(|event| event["type"] == "notice"), "the narration is told");
    let read = events.iter().find(|event| event["type"] == "call_ended").unwrap();
    assert_eq!(
        (&read["outcome"]["tool"], &read["outcome"]["status"]),
        (&json!("read_file"), &json!("success"))
    );
    let aside = served.turn(&id, "whatever I type");
    assert!(text(&aside).contains("Nothing was done"), "{aside:?}");
    assert!(aside.iter().all(|event| event["type"] != "call_planned"), "{aside:?}");

    let file = workspace(&served, &id).join("packing-list.md");
    assert!(fs::read_to_string(&file).unwrap().contains("tickts"));
    let begun = served.say(&id, &suggested[1]);
    let question = served.question();
    assert_eq!((&question["tool"], &question["session_id"]), (&json!("edit_file"), &json!(id)));
    assert!(fs::read_to_string(&file).unwrap().contains("tickts"), "nothing happens before the yes");
    served.post(&format!("/api/v1/approvals/{}", question["id"].as_str().unwrap()), json!({"answer": "yes"}));
    served.watch(&id, begun["first_event"].as_u64().unwrap() - 1).until("done");
    assert!(fs::read_to_string(&file).unwrap().contains("tickets"));

    let folder = file.parent().unwrap().parent().unwrap().to_path_buf();
    assert!(folder.exists());
    assert_eq!(served.ask("DELETE", &format!("/api/v1/sessions/{id}?soft=true"), None).status, 200);
    assert!(folder.exists(), "it can be restored");
    served.post(&format!("/api/v1/sessions/{id}/restore"), json!({}));
    assert_eq!(served.ask("DELETE", &format!("/api/v1/sessions/{id}"), None).status, 200);
    assert!(!folder.exists(), "it goes away with its session");
}

#[test]
fn it_goes_on_after_a_restart_and_says_when_it_is_over() {
    let mut served = desk(&["--mode", "auto"]);
    let (id, suggested) = begin(&served, "zh");
    served.turn(&id, &suggested[0]);
    let file = workspace(&served, &id).join("packing-list.md");
    let title = served.get(&format!("/api/v1/sessions/{id}"))["title"].clone();
    assert!(title.as_str().unwrap().starts_with("演示"), "{title}");
    served.turn(&id, &suggested[1]);
    assert!(fs::read_to_string(&file).unwrap().contains("车票"));
    served.kill_and_restart();
    served.turn(&id, &suggested[2]);
    assert!(fs::read_to_string(&file).unwrap().contains("车漂"), "the third turn takes the change back");
    let forbidden = served.turn(&id, &suggested[3]);
    let call = forbidden.iter().find(|event| event["type"] == "call_ended").unwrap();
    assert_eq!(call["outcome"]["status"], "blocked", "{call}");
    for _ in 0..2 {
        let over = served.turn(&id, "还有吗");
        assert!(text(&over).contains("Ollama") && text(&over).contains("结束"), "{over:?}");
    }

    fs::remove_dir_all(file.parent().unwrap().parent().unwrap()).unwrap();
    let gone = served.ask("POST", &format!("/api/v1/sessions/{id}/messages"), Some(json!({"content": "x"})));
    assert_eq!((gone.status, &gone.json()["error"]["code"]), (409, &json!("no_workspace")), "{gone:?}");
    assert!(gone.body.contains("begin a new one"), "{gone:?}");
}

#[test]
fn a_person_has_so_many_demos_and_the_oldest_makes_room() {
    let served = Served::around("", Around { without_model: true, users: &["bob"], ..Around::default() });
    let theirs = served.ask_as(&served.users[0], "POST", "/api/v1/demo", Some(json!({"language": "en"})));
    let theirs = format!("/api/v1/sessions/{}", theirs.json()["session_id"].as_str().unwrap());
    let theirs = served.ask_as(&served.users[0], "GET", &theirs, None).json();
    let folders: Vec<PathBuf> = (0..6).map(|_| workspace(&served, &begin(&served, "en").0)).collect();
    let there: Vec<bool> = folders.iter().map(|folder| folder.is_dir()).collect();
    assert_eq!(there, [false, true, true, true, true, true]);
    assert!(PathBuf::from(theirs["metadata"]["workspace"].as_str().unwrap()).is_dir(), "another's stays");
}

#[test]
fn the_script_is_for_demos_alone() {
    let served = desk(&[]);
    let session = served.post("/api/v1/sessions", json!({"model": "demo/en"}));
    let path = format!("/api/v1/sessions/{}/messages", session["session_id"].as_str().unwrap());
    let refused = served.ask("POST", &path, Some(json!({"content": "hi"})));
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (409, &json!("model_no_such_model")));
    // What is cheap to check is checked first.
    let refused = served.ask("POST", &path, Some(json!({"content": "hi", "uploads": ["nothing"]})));
    assert_eq!(refused.status, 400, "{refused:?}");
    assert_eq!(served.ask("POST", "/api/v1/demo", Some(json!({"language": "fr"}))).status, 400);
}
