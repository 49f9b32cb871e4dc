//! The wire of messages: bodies as they are sent, streams as they are read.

use deskhand_core::Image;
use serde_json::json;

use super::*;
use crate::provider::{
    Arguments, ChatMessage, Delta, ErrorClass, Finish, ModelCall, ProviderError, Reply, Thought,
    ToolDefinition, ToolResult, sse::SseEvent, wire::Stage,
};

fn server() -> Anthropic {
    Anthropic { model: "m".into(), ..Anthropic::default() }
}

fn read(events: &[Value]) -> Result<Option<(Reply, Vec<Delta>)>, ProviderError> {
    let mut reader = server().reader();
    let mut deltas = Vec::new();
    for event in events {
        let event = SseEvent { name: String::new(), data: event.to_string() };
        reader.event(&event, &mut |delta| deltas.push(delta))?;
    }
    let ended = matches!(reader.stage(), Stage::Ending | Stage::Done);
    Ok(ended.then(|| (reader.into_reply(), deltas)))
}

fn start() -> Value {
    json!({"type": "message_start", "message": {"usage": {"input_tokens": 10, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 2, "output_tokens": 1}}})
}

fn block(at: u64, block: &Value) -> Value {
    json!({"type": "content_block_start", "index": at, "content_block": block})
}

fn delta(at: u64, delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": at, "delta": delta})
}

fn stop(reason: &str) -> Value {
    json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 20}})
}

#[test]
fn a_body_has_everything() {
    let image = Image { mime: "image/png".into(), base64: "aGk=".into() };
    let thought = |text: &str, signature: Option<&str>| Thought {
        text: text.into(),
        signature: signature.map(Into::into),
    };
    let request = ModelRequest {
        system: "be brief".into(),
        messages: vec![
            ChatMessage::User { text: "look".into(), images: vec![image.clone()] },
            ChatMessage::Assistant {
                thoughts: vec![
                    thought("hm", Some("sig")),
                    thought("", Some("redacted:xyz")),
                    thought("other's", None),
                ],
                text: "I look.".into(),
                calls: vec![ModelCall {
                    id: "a.1".into(),
                    name: "read file".into(),
                    arguments: Arguments::Given(json!({"p": 1})),
                }],
            },
            ChatMessage::Results {
                results: vec![ToolResult {
                    call: None,
                    call_id: "a.1".into(),
                    name: "x".into(),
                    text: "bad".into(),
                    is_error: true,
                    images: vec![image],
                }],
            },
            ChatMessage::User { text: "go on".into(), images: vec![] },
        ],
        tools: ["s", "t"]
            .map(|name| ToolDefinition {
                name: name.into(),
                description: "d".into(),
                parameters: json!({"type": "object"}),
            })
            .into(),
        extra: json!({"temperature": 0, "model": "other", "stream": false}).as_object().unwrap().clone(),
        ..ModelRequest::default()
    };
    let cache = json!({"type": "ephemeral"});
    let picture =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}});
    let want = json!({
        "model": "m",
        "max_tokens": 8192,
        "stream": true,
        "temperature": 0,
        "system": [{"type": "text", "text": "be brief", "cache_control": cache}],
        "tools": [
            {"name": "s", "description": "d", "input_schema": {"type": "object"}},
            {"name": "t", "description": "d", "input_schema": {"type": "object"}, "cache_control": cache},
        ],
        "messages": [
            {"role": "user", "content": [picture, {"type": "text", "text": "look"}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": "sig"},
                {"type": "redacted_thinking", "data": "xyz"},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "a_1", "name": "read_file", "input": {"p": 1}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a_1", "is_error": true, "content": [{"type": "text", "text": "bad"}, picture]},
                {"type": "text", "text": "go on", "cache_control": cache},
            ]},
        ],
    });
    assert_eq!(server().body(&request), want);
    let mut short = ModelRequest { max_tokens: Some(9), ..ModelRequest::default() };
    assert_eq!(server().body(&short)["max_tokens"], 9);
    short.messages = vec![ChatMessage::Assistant {
        thoughts: vec![thought("x", Some("s"))],
        text: String::new(),
        calls: vec![],
    }];
    assert_eq!(server().body(&short)["messages"][0]["content"][0].get("cache_control"), None);
}

#[test]
fn a_stream_is_read() {
    let events = [
        start(),
        block(0, &json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(0, &json!({"type": "thinking_delta", "thinking": "hm"})),
        delta(0, &json!({"type": "signature_delta", "signature": "sig"})),
        json!({"type": "content_block_stop", "index": 0}),
        block(1, &json!({"type": "redacted_thinking", "data": "xyz"})),
        json!({"type": "ping"}),
        block(2, &json!({"type": "text", "text": ""})),
        delta(2, &json!({"type": "text_delta", "text": "Hel"})),
        delta(2, &json!({"type": "text_delta", "text": "lo"})),
        block(3, &json!({"type": "tool_use", "id": "t1", "name": "f", "input": {}})),
        delta(3, &json!({"type": "input_json_delta", "partial_json": ""})),
        delta(3, &json!({"type": "input_json_delta", "partial_json": "{\"a\""})),
        delta(3, &json!({"type": "input_json_delta", "partial_json": ":1}"})),
        block(4, &json!({"type": "tool_use", "id": "t1", "name": "g", "input": {}})),
        block(5, &json!({"type": "server_tool_use", "id": "s", "name": "web"})),
        stop("tool_use"),
        json!({"type": "message_stop"}),
    ];
    let (reply, deltas) = read(&events).unwrap().unwrap();
    assert_eq!(reply.text, "Hello");
    assert_eq!(
        reply.thoughts,
        [
            Thought { text: "hm".into(), signature: Some("sig".into()) },
            Thought { text: String::new(), signature: Some("redacted:xyz".into()) },
        ]
    );
    assert_eq!(
        reply.calls[0],
        ModelCall { id: "t1".into(), name: "f".into(), arguments: Arguments::Given(json!({"a": 1})) }
    );
    assert_eq!(
        (reply.calls[1].name.as_str(), &reply.calls[1].arguments),
        ("g", &Arguments::Given(json!({})))
    );
    assert_ne!(reply.calls[1].id, "t1");
    let usage = reply.usage.unwrap();
    assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (17, 5, 20));
    assert_eq!(
        deltas,
        [
            Delta::Thought("hm".into()),
            Delta::Text("Hel".into()),
            Delta::Text("lo".into()),
            Delta::Call { name: "f".into() },
            Delta::Call { name: "g".into() },
        ]
    );
}

#[test]
fn what_was_cut_off_is_broken() {
    let call = block(0, &json!({"type": "tool_use", "id": "t", "name": "f", "input": {}}));
    for (pieces, reason, part) in [
        (vec!["{\"a\":"], "max_tokens", "end in the middle"),
        (vec![], "max_tokens", "cut off before"),
        (vec!["{\"a\":"], "tool_use", "end in the middle"),
        (vec!["[]"], "tool_use", "a list"),
    ] {
        let mut events = vec![start(), call.clone()];
        events.extend(
            pieces.iter().map(|piece| delta(0, &json!({"type": "input_json_delta", "partial_json": piece}))),
        );
        events.push(stop(reason));
        let (reply, _) = read(&events).unwrap().unwrap();
        let Arguments::Broken { why, .. } = &reply.calls[0].arguments else { panic!("{pieces:?}") };
        assert!(why.contains(part), "{why}");
    }
}

#[test]
fn ends_and_errors() {
    for (reason, want) in [
        ("end_turn", Finish::Stop),
        ("stop_sequence", Finish::Stop),
        ("max_tokens", Finish::Length),
        ("refusal", Finish::Filtered),
    ] {
        assert_eq!(read(&[start(), stop(reason)]).unwrap().unwrap().0.finish, want);
    }
    assert!(read(&[start()]).unwrap().is_none());
    assert!(read(&[json!({"type": "message_stop"})]).unwrap().is_none());
    for (event, class) in [
        (
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
            ErrorClass::Server,
        ),
        (
            json!({"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}}),
            ErrorClass::RateLimited,
        ),
        (
            json!({"type": "error", "error": {"type": "authentication_error", "message": "no"}}),
            ErrorClass::Auth,
        ),
        (delta(9, &json!({"type": "text_delta", "text": "x"})), ErrorClass::Malformed),
        (json!("text"), ErrorClass::Malformed),
    ] {
        let got = read(&[start(), event.clone()]);
        if event.is_string() {
            assert!(got.unwrap().is_none());
        } else {
            assert_eq!(got.unwrap_err().class, class, "{event}");
        }
    }
}

#[test]
fn a_whole_answer_in_one_piece() {
    let mut reader = server().reader();
    let whole = json!({"type": "message", "content": [
        {"type": "text", "text": "hi"}, {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}],
        "stop_reason": "tool_use", "usage": {"input_tokens": 3, "output_tokens": 4}});
    reader.whole(&whole, &mut |_| {}).unwrap();
    let reply = reader.into_reply();
    assert_eq!((reply.text.as_str(), &reply.calls[0].arguments), ("hi", &Arguments::Given(json!({"a": 1}))));
    assert_eq!(reply.usage.unwrap().output_tokens, 4);
    assert!(server().reader().whole(&json!({"x": 1}), &mut |_| {}).is_err());
}

#[test]
fn the_key_goes_into_a_header_that_is_not_shown() {
    let headers = server().headers(Some(&Key::new("very-secret")));
    assert_eq!(
        (headers["x-api-key"].to_str().unwrap(), headers["anthropic-version"].to_str().unwrap()),
        ("very-secret", VERSION)
    );
    assert!(!format!("{headers:?}").contains("very-secret"));
}
