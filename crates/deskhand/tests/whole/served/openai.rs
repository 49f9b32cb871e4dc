//! `/v1/chat/completions`: a turn of the agent, as a program sees it that speaks OpenAI's chat completions.

use std::{
    io::{BufRead, BufReader, Write},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{Around, LIMIT, Served};

pub const READS: &str = r#"
[[replies]]
thoughts = "I should look."
text = "I look."
calls = [{ name = "list_dir", arguments = { path = "." } }]
usage = { input_tokens = 10, output_tokens = 5 }

[[replies]]
text = "There is nothing."
usage = { input_tokens = 20, output_tokens = 3 }
"#;

pub fn ask(message: &str) -> Value {
    json!({"model": "deskhand", "messages": [{"role": "user", "content": message}]})
}

pub fn content(answer: &Value) -> &str {
    answer["choices"][0]["message"]["content"].as_str().unwrap()
}

/// The chunks of a stream, to its end.
fn chunks(served: &Served, mut body: Value) -> Vec<Value> {
    body["stream"] = true.into();
    let answer = served.ask("POST", "/v1/chat/completions", Some(body));
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.header("content-type").unwrap().starts_with("text/event-stream"));
    let mut data: Vec<&str> = answer.body.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    assert_eq!(data.pop(), Some("[DONE]"), "{answer:?}");
    data.into_iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn joined(chunks: &[Value], field: &str) -> String {
    chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"][field].as_str()).collect()
}

#[test]
fn the_usual_model_is_listed_first() {
    let served = Served::new();
    let list = served.get("/v1/models");
    assert_eq!((&list["object"], &list["data"][0]["id"]), (&json!("list"), &json!("deskhand")), "{list}");
}

#[test]
fn an_answer_comes_in_one_piece() {
    let served = Served::scripted(READS);
    let answer = served.ask("POST", "/v1/chat/completions", Some(ask("look")));
    assert_eq!(answer.status, 200, "{answer:?}");
    let session = answer.header("x-deskhand-session").unwrap();
    let body = answer.json();
    assert_eq!(content(&body), "I look.\n\nThere is nothing.");
    let choice = &body["choices"][0];
    assert_eq!((&choice["finish_reason"], &body["object"]), (&json!("stop"), &json!("chat.completion")));
    assert!(choice["message"].get("tool_calls").is_none(), "the calls are ours");
    let reasoning = choice["message"]["reasoning_content"].as_str().unwrap();
    assert!(reasoning.contains("I should look.") && reasoning.contains("→ list_dir"), "{reasoning}");
    assert_eq!((&body["usage"]["prompt_tokens"], &body["usage"]["total_tokens"]), (&json!(30), &json!(38)));
    let messages = served.get(&format!("/api/v1/sessions/{session}/messages"));
    assert_eq!(messages["messages"][0]["content"], "look");
}

#[test]
fn or_as_a_stream() {
    let served = Served::scripted(READS);
    let mut body = ask("look");
    body["stream_options"] = json!({"include_usage": true});
    let chunks = chunks(&served, body);
    assert_eq!(chunks[0]["choices"][0]["delta"]["role"], "assistant");
    assert_eq!(joined(&chunks, "content"), "I look.\n\nThere is nothing.");
    assert!(joined(&chunks, "reasoning_content").contains("→ list_dir"));
    assert!(
        chunks
            .iter()
            .all(|chunk| chunk["object"] == "chat.completion.chunk" && chunk["id"] == chunks[0]["id"])
    );
    let [.., end, usage] = &chunks[..] else { panic!("{chunks:?}") };
    assert_eq!(end["choices"][0]["finish_reason"], "stop");
    assert_eq!((&usage["choices"], &usage["usage"]["completion_tokens"]), (&json!([]), &json!(8)));
}

#[test]
fn an_answer_that_was_cut_off_says_so() {
    let served = Served::scripted("[[replies]]\ntext = \"It is long\"\nfinish = \"length\"\n");
    let body = served.post("/v1/chat/completions", ask("tell"));
    assert_eq!(body["choices"][0]["finish_reason"], "length", "{body}");
}

/// Begins a stream, and leaves it open.
fn open(served: &Served, message: &str) -> BufReader<std::net::TcpStream> {
    let mut body = ask(message);
    body["stream"] = true.into();
    let body = body.to_string();
    let mut stream = served.connect();
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        served.port,
        served.token,
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    BufReader::new(stream)
}

fn read_until(lines: &mut BufReader<std::net::TcpStream>, part: &str) -> String {
    let mut all = String::new();
    while !all.contains(part) {
        assert!(lines.read_line(&mut all).unwrap() > 0, "no {part} in {all}");
    }
    all
}

fn only_session(served: &Served) -> String {
    let list = served.get("/api/v1/sessions");
    assert_eq!(list["total"], 1, "{list}");
    list["sessions"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn what_waits_for_a_person_is_told_with_the_place_to_answer() {
    let script = "[[replies]]\ntext = \"I write.\"\ncalls = [{ name = \"write_file\", arguments = { path = \"a.txt\", content = \"x\" } }]\n\
                  [[replies]]\ntext = \"Done.\"\n";
    let served = Served::scripted(script);
    let mut lines = open(&served, "write");
    let said = read_until(&mut lines, "⏳");
    let session = only_session(&served);
    assert!(said.contains(&format!("http://127.0.0.1:{}/s/{session}", served.port)), "{said}");
    assert!(said.contains("write_file"), "{said}");
    let question = served.question();
    served.post(&format!("/api/v1/approvals/{}", question["id"].as_str().unwrap()), json!({"answer": "yes"}));
    let rest = read_until(&mut lines, "[DONE]");
    assert!(rest.contains("Done.") && rest.contains("\"finish_reason\":\"stop\""), "{rest}");
    assert!(served.workspace().join("a.txt").exists());
}

#[test]
fn whoever_goes_away_cancels_the_turn() {
    let served = Served::scripted(
        "[[replies]]\ntext = \"one two three four five six\"\ndelay_ms = 60000\npiece = 1\n",
    );
    let mut lines = open(&served, "count");
    read_until(&mut lines, "\"role\"");
    let session = only_session(&served);
    drop(lines);
    let deadline = Instant::now() + LIMIT;
    loop {
        let detail = served.get(&format!("/api/v1/sessions/{session}"));
        if detail["turn"].is_null() {
            break;
        }
        assert!(Instant::now() < deadline, "the turn goes on: {detail}");
        std::thread::sleep(Duration::from_millis(100));
    }
    let messages = served.get(&format!("/api/v1/sessions/{session}/messages"));
    assert_eq!(messages["messages"][1]["metadata"]["outcome"], "cancelled", "{messages}");
}

#[test]
fn errors_have_the_form_that_such_programs_read() {
    let script = "[[replies]]\nerror = { class = \"auth\", message = \"Incorrect API key provided\" }\n";
    let served = Served::around(script, Around { users: &["bob"], ..Around::default() });
    let session = served.new_session();
    let with = |change: Value| {
        let mut body = ask("hi");
        for (key, value) in change.as_object().unwrap() {
            body[key] = value.clone();
        }
        body
    };
    let wrong = "wrong-token-000000000000000000000000".to_owned();
    for (token, body, status, kind, part) in [
        (&wrong, ask("hi"), 401, "authentication_error", "token"),
        (&served.token, json!({"messages": "x"}), 400, "invalid_request_error", "messages"),
        (&served.token, with(json!({"messages": []})), 400, "invalid_request_error", "user"),
        (&served.token, with(json!({"model": "gpt-2"})), 404, "invalid_request_error", "gpt-2"),
        (
            &served.token,
            with(json!({"metadata": {"session_id": "nope"}})),
            404,
            "invalid_request_error",
            "nope",
        ),
        (
            &served.users[0],
            with(json!({"metadata": {"session_id": session}})),
            404,
            "invalid_request_error",
            &session,
        ),
        (&served.users[0], with(json!({"model": served.script()})), 403, "permission_error", "owner"),
        (&served.token, ask("hi"), 424, "model_error", "Incorrect API key provided"),
    ] {
        let answer = served.ask_as(token, "POST", "/v1/chat/completions", Some(body.clone()));
        assert_eq!(answer.status, status, "{body}: {answer:?}");
        let error = answer.json()["error"].clone();
        assert_eq!(error["type"], kind, "{body}: {answer:?}");
        assert!(error["message"].as_str().unwrap().contains(part) && error["code"].is_string(), "{answer:?}");
    }
    let failed = Served::scripted(script);
    let mut body = ask("hi");
    body["stream"] = true.into();
    let answer = failed.ask("POST", "/v1/chat/completions", Some(body));
    assert!(answer.body.contains("\"type\":\"model_error\"") && answer.body.contains("[DONE]"), "{answer:?}");
}
