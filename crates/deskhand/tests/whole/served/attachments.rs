//! Files that come with a message reach the model: by name and path, with their text, as pictures.

use std::io::{Read, Write};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::{Around, Served, model_server::ModelServer};

const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn upload(served: &Served, session: &str, name: &str, content: &[u8]) -> Value {
    let size = content.len();
    let begun =
        served.post(&format!("/api/v1/sessions/{session}/uploads"), json!({"name": name, "size": size}));
    let mut stream = served.connect();
    let head = format!(
        "PATCH /api/v1/uploads/{} HTTP/1.0\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\
         Upload-Offset: 0\r\nContent-Length: {size}\r\n\r\n",
        begun["upload_id"].as_str().unwrap(),
        served.port,
        served.token
    );
    stream.write_all(&[head.as_bytes(), content].concat()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let state: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    state["upload"].clone()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("no {name} in {value}"))
}

/// What the model heard the user say last.
fn heard(models: &ModelServer) -> String {
    let body = models.last().body;
    let messages = body["messages"].as_array().unwrap();
    let last = messages.iter().rfind(|message| message["role"] == "user").unwrap();
    match &last["content"] {
        Value::String(text) => text.clone(),
        parts => parts.as_array().unwrap().iter().map(Value::to_string).collect(),
    }
}

#[test]
fn attached_files_reach_the_model_and_what_it_cannot_take_is_said_before() {
    let models = ModelServer::start();
    let served = Served::around(
        "",
        Around {
            without_model: true,
            environment: vec![
                ("OPENAI_BASE_URL", models.url.clone()),
                ("OPENAI_API_KEY", "sk-x".to_owned()),
                ("DEEPSEEK_BASE_URL", models.url.clone()),
                ("DEEPSEEK_API_KEY", "sk-y".to_owned()),
            ],
            ..Around::default()
        },
    );
    let session = served.new_session();
    let notes = upload(&served, &session, "笔记.txt", "milk and eggs\n".as_bytes());
    let picture = upload(&served, &session, "dot.png", &STANDARD.decode(PICTURE).unwrap());
    let binary = upload(&served, &session, "blob.bin", b"\0\x01\x02\x03\0\0\x04");
    let long = upload(&served, &session, "long.txt", "words on a line\n".repeat(5_000).as_bytes());
    assert_eq!(notes["for_model"], json!({"as": "text"}));
    assert_eq!(picture["for_model"], json!({"as": "picture"}));
    assert_eq!(binary["for_model"], json!({"as": "name_only", "reason": "not_text"}));
    assert_eq!(long["for_model"], json!({"as": "text", "reason": "long_text"}));

    let say = |content: String, uploads: &[&Value]| {
        let uploads: Vec<&str> = uploads.iter().map(|upload| text(upload, "id")).collect();
        let body = json!({"content": content, "uploads": uploads});
        let begun = served.post(&format!("/api/v1/sessions/{session}/messages"), body);
        served.watch(&session, begun["first_event"].as_u64().unwrap() - 1).until("done")
    };
    say(format!("Compare these.\n\n[file_ref:{}]", text(&notes, "id")), &[&picture, &binary, &long]);
    let told = heard(&models);
    for upload in [&notes, &picture, &binary, &long] {
        for part in [text(upload, "name"), text(upload, "path")] {
            assert!(told.contains(part), "{part}: {told}");
        }
    }
    assert!(told.contains("milk and eggs") && told.contains(PICTURE), "{told}");
    assert!(told.contains("are left out. Read on with read_file: this path, start_line"), "{told}");
    assert!(told.contains("Compare these.") && !told.contains("[file_ref"), "{told}");
    let messages = served.get(&format!("/api/v1/sessions/{session}/messages"));
    assert_eq!(messages["messages"][0]["content"], "Compare these.");
    assert_eq!(messages["messages"][0]["metadata"]["uploads"].as_array().unwrap().len(), 4, "{messages}");
    // The path is one that the model can use.
    let read = served.post(
        "/api/v1/tools/execute",
        json!({"tool_name": "read_file", "parameters": {"path": notes["path"]}, "session_id": session}),
    );
    assert!(read["success"] == true && read.to_string().contains("milk and eggs"), "{read}");

    // A model that sees nothing gets the name, and that is said before anything is sent.
    served.ask(
        "PUT",
        &format!("/api/v1/sessions/{session}"),
        Some(json!({"model": "deepseek/deepseek-chat"})),
    );
    let listed = served.get(&format!("/api/v1/sessions/{session}/uploads"));
    let of_picture =
        listed["uploads"].as_array().unwrap().iter().find(|upload| upload["id"] == picture["id"]);
    assert_eq!(
        of_picture.unwrap()["for_model"],
        json!({"as": "name_only", "reason": "model_takes_no_pictures"}),
        "{listed}"
    );
    let events = say(String::new(), &[&picture]);
    let told = models.last().body["messages"].to_string();
    assert!(heard(&models).contains(text(&picture, "path")) && !told.contains(PICTURE), "{told}");
    assert!(
        events
            .iter()
            .any(|event| event["type"] == "notice" && event["text"].as_str().unwrap().contains("dot.png"))
    );

    let unknown = "[file_ref:0192aaaa-0000-7000-8000-00000000000f]";
    let refused = served.ask(
        "POST",
        &format!("/api/v1/sessions/{session}/messages"),
        Some(json!({"content": unknown})),
    );
    assert_eq!(refused.status, 400, "{refused:?}");
    assert!(refused.body.contains("0192aaaa-0000-7000-8000-00000000000f"), "{refused:?}");
}
