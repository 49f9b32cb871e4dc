use serde_json::json;

use super::*;
use crate::provider::ToolResult;

fn user(text: &str) -> ChatMessage {
    ChatMessage::User { text: text.into(), images: Vec::new() }
}

fn said(text: &str) -> ChatMessage {
    ChatMessage::Assistant { thoughts: Vec::new(), text: text.into(), calls: Vec::new() }
}

fn result(text: &str) -> ChatMessage {
    let result = ToolResult {
        call: None,
        call_id: "1".into(),
        name: "x".into(),
        text: text.into(),
        is_error: false,
        images: Vec::new(),
    };
    ChatMessage::Results { results: vec![result] }
}

async fn ask(model: &Scripted, messages: Vec<ChatMessage>) -> (Result<Reply, ProviderError>, Vec<Delta>) {
    let mut deltas = Vec::new();
    let request = ModelRequest { messages, ..ModelRequest::default() };
    let reply = model.complete(&request, &mut |delta| deltas.push(delta), &CancellationToken::new()).await;
    (reply, deltas)
}

fn file(name: &str, text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    (folder, path)
}

#[tokio::test]
async fn the_same_script_in_three_spellings() {
    let json = r#"{"replies": [{"thoughts": "hm", "text": "a b", "piece": 2,
        "calls": [{"name": "read_file", "arguments": {"path": "x"}}, {"name": "y", "arguments_text": "{\"a"}],
        "usage": {"input_tokens": 1, "output_tokens": 2}}, {"text": "end", "expect": "content"}]}"#;
    let toml = r#"
        [[replies]]
        thoughts = "hm"
        text = "a b"
        piece = 2
        calls = [{ name = "read_file", arguments = { path = "x" } }, { name = "y", arguments_text = '{"a' }]
        usage = { input_tokens = 1, output_tokens = 2 }
        [[replies]]
        text = "end"
        expect = "content"
    "#;
    let value: Value = serde_json::from_str(json).unwrap();
    let jsonl = format!("{}\n\n{}\n", value["replies"][0], value["replies"][1]);
    for (name, text) in [("s.json", json), ("s.toml", toml), ("s.jsonl", jsonl.as_str())] {
        let (_folder, path) = file(name, text);
        let model = Scripted::from_file(&path).unwrap();
        assert_eq!(model.name(), format!("scripted/{}", path.display()));
        let (reply, deltas) = ask(&model, vec![user("hi")]).await;
        let reply = reply.unwrap();
        assert_eq!(
            deltas,
            [
                Delta::Thought("hm".into()),
                Delta::Text("a ".into()),
                Delta::Text("b".into()),
                Delta::Call { name: "read_file".into() },
                Delta::Call { name: "y".into() },
            ]
        );
        assert_eq!((reply.text.as_str(), reply.thoughts[0].text.as_str()), ("a b", "hm"));
        assert_eq!(reply.usage.unwrap().output_tokens, 2);
        assert_eq!(reply.calls[0].arguments, Arguments::Given(json!({"path": "x"})));
        assert!(matches!(reply.calls[1].arguments, Arguments::Broken { .. }));
        assert_ne!(reply.calls[0].id, reply.calls[1].id);
        let (reply, _) = ask(&model, vec![user("hi"), said("a b"), result("the content")]).await;
        assert_eq!(reply.unwrap().text, "end");
        assert_eq!(model.asked(), 2);
    }
}

#[tokio::test]
async fn what_goes_beyond_the_script_is_told() {
    let model = Scripted::new(
        "x",
        Script {
            replies: vec![ScriptedReply { expect: Some("wanted".into()), ..ScriptedReply::text("a") }],
            ..Script::default()
        },
    );
    let (reply, _) = ask(&model, vec![user("other")]).await;
    let error = reply.unwrap_err();
    assert!(error.message.contains("expects «wanted»") && error.message.contains("«other»"), "{error}");
    let (reply, _) = ask(&model, vec![user("other")]).await;
    assert_eq!(reply.unwrap_err().message, "scripted/x has 1 replies, and this is request 2.");
}

#[tokio::test]
async fn many_conversations_share_one_script() {
    let reply =
        |when: &str, text: &str| ScriptedReply { when: Some(when.into()), ..ScriptedReply::text(text) };
    let model = Scripted::new(
        "x",
        Script {
            matching: Matching::ByMessage,
            replies: vec![reply("apples", "a1"), reply("pears", "p1"), reply("apples", "a2")],
            ..Script::default()
        },
    );
    for (messages, want) in [
        (vec![user("two apples")], Ok("a1")),
        (vec![user("pears"), said("p1"), user("apples"), said(""), result("x")], Ok("a2")),
        (vec![user("pears")], Ok("p1")),
        (vec![user("apples"), said(""), user("Note: you said this before.")], Ok("a2")),
        (vec![user("pears"), said("p1")], Err("no reply 2 to «pears»")),
        (vec![user("plums")], Err("no reply whose `when`")),
    ] {
        let (reply, _) = ask(&model, messages.clone()).await;
        match want {
            Ok(text) => assert_eq!(reply.unwrap().text, text, "{messages:?}"),
            Err(part) => assert!(reply.unwrap_err().message.contains(part), "{messages:?}"),
        }
    }
}

#[tokio::test]
async fn errors_come_as_written() {
    let error = ScriptedError {
        class: "rate_limited".into(),
        message: "slow".into(),
        status: Some(429),
        retry_after_s: Some(1.5),
        ..ScriptedError::default()
    };
    let with = |text: &str| ScriptedReply { error: Some(error.clone()), ..ScriptedReply::text(text) };
    let model = Scripted::new("x", Script { replies: vec![with(""), with("half")], ..Script::default() });
    let first = ask(&model, vec![]).await.0.unwrap_err();
    assert_eq!(
        (first.class, first.status, first.partly_answered),
        (ErrorClass::RateLimited, Some(429), false)
    );
    assert_eq!(first.retry_after, Some(Duration::from_millis(1500)));
    assert!(ask(&model, vec![]).await.0.unwrap_err().partly_answered);
}

#[tokio::test]
async fn a_cancel_ends_a_slow_reply() {
    let slow = ScriptedReply { delay_ms: 60_000, ..ScriptedReply::text("a b c") };
    let model = Scripted::new("x", Script { replies: vec![slow], ..Script::default() });
    let cancel = CancellationToken::new();
    cancel.cancel();
    let error = model.complete(&ModelRequest::default(), &mut |_| {}, &cancel).await.unwrap_err();
    assert_eq!((error.class, error.partly_answered), (ErrorClass::Cancelled, false));
}

#[test]
fn scripts_that_are_none_are_refused() {
    for (name, text, part) in [
        ("s.json", "{", "EOF"),
        ("s.json", r#"{"replies": []}"#, "no replies"),
        ("s.json", r#"{"replies": [{"txet": "x"}]}"#, "txet"),
        ("s.toml", "replies = 3", "replies"),
        ("s.jsonl", "{\"text\": \"a\"}\nnonsense", "line 2"),
        ("s.json", r#"{"replies": [{"error": {"class": "bad luck"}}]}"#, "bad luck"),
    ] {
        let (_folder, path) = file(name, text);
        let error = Scripted::from_file(&path).err().unwrap();
        assert!(error.message.contains(part), "{text}: {error}");
        assert!(error.message.contains(&path.display().to_string()));
    }
    assert!(Scripted::from_file(Path::new("/nonexistent/script.json")).is_err());
}
