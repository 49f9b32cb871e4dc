//! The wire of chat completions: bodies as they are sent, streams as servers really send them.

use deskhand_core::Image;
use serde_json::json;

use super::*;
use crate::provider::{
    Arguments, ChatMessage, Constraint, Delta, ErrorClass, Finish, ModelCall, ProviderError, Reply, Thought,
    ToolDefinition, ToolResult, sse::SseEvent, wire::Stage,
};

fn server() -> OpenAi {
    OpenAi { model: "m".into(), images: true, ..OpenAi::default() }
}

fn image() -> Image {
    Image { mime: "image/png".into(), base64: "aGk=".into() }
}

/// Reads chunks; `None` where the stream did not end.
pub(super) fn read(chunks: &[Value]) -> Result<Option<(Reply, Vec<Delta>)>, ProviderError> {
    let texts: Vec<String> = chunks.iter().map(Value::to_string).collect();
    read_texts(&texts.iter().map(String::as_str).collect::<Vec<_>>())
}

pub(super) fn read_texts(texts: &[&str]) -> Result<Option<(Reply, Vec<Delta>)>, ProviderError> {
    let mut reader = server().reader();
    let mut deltas = Vec::new();
    for text in texts {
        let event = SseEvent { name: String::new(), data: (*text).to_owned() };
        reader.event(&event, &mut |delta| deltas.push(delta))?;
    }
    let ended = matches!(reader.stage(), Stage::Ending | Stage::Done);
    Ok(ended.then(|| (reader.into_reply(), deltas)))
}

pub(super) fn chunk(delta: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

pub(super) fn end(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

#[test]
fn a_body_has_everything() {
    let request = ModelRequest {
        system: "be brief".into(),
        messages: vec![
            ChatMessage::User { text: "look".into(), images: vec![image()] },
            ChatMessage::Assistant {
                thoughts: vec![Thought { text: "hm".into(), signature: None }],
                text: String::new(),
                calls: vec![
                    ModelCall {
                        id: "a:1".into(),
                        name: "read file".into(),
                        arguments: Arguments::Given(json!({"p": 1})),
                    },
                    ModelCall {
                        id: "b".into(),
                        name: "x".into(),
                        arguments: Arguments::Broken { text: "{\"p".into(), why: "cut".into() },
                    },
                ],
            },
            ChatMessage::Results {
                results: vec![
                    ToolResult {
                        call: None,
                        call_id: "a:1".into(),
                        name: "read file".into(),
                        text: "ok".into(),
                        is_error: false,
                        images: vec![image()],
                    },
                    ToolResult {
                        call: None,
                        call_id: "b".into(),
                        name: "x".into(),
                        text: String::new(),
                        is_error: true,
                        images: vec![],
                    },
                ],
            },
            ChatMessage::Assistant { thoughts: vec![], text: "done".into(), calls: vec![] },
        ],
        tools: vec![ToolDefinition {
            name: "t".into(),
            description: "d".into(),
            parameters: json!({"type": "object"}),
        }],
        constraint: Some(Constraint { name: "reply".into(), schema: json!({"type": "object"}) }),
        max_tokens: Some(5),
        extra: json!({"temperature": 0, "model": "other", "stream": false, "messages": [], "top_p": 1})
            .as_object()
            .unwrap()
            .clone(),
    };
    let mut server = server();
    server.extra = json!({"top_p": 2, "seed": 7, "stream_options": null}).as_object().unwrap().clone();
    let picture = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}});
    let mut want = json!({
        "model": "m",
        "stream": true,
        "messages": [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": [{"type": "text", "text": "look"}, picture]},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "a_1", "type": "function", "function": {"name": "read_file", "arguments": "{\"p\":1}"}},
                {"id": "b", "type": "function", "function": {"name": "x", "arguments": "{\"unreadable_arguments\":\"{\\\"p\"}"}},
            ]},
            {"role": "tool", "tool_call_id": "a_1", "content": "ok"},
            {"role": "tool", "tool_call_id": "b", "content": "(no output)"},
            {"role": "user", "content": [{"type": "text", "text": "Images from read file (a_1):"}, picture]},
            {"role": "assistant", "content": "done"},
        ],
        "tools": [{"type": "function", "function": {"name": "t", "description": "d", "parameters": {"type": "object"}}}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "reply", "schema": {"type": "object"}, "strict": true}},
        "max_tokens": 5,
        "temperature": 0,
        "top_p": 1,
        "seed": 7,
    });
    assert_eq!(server.body(&request), want);
    server.thoughts_back = true;
    server.max_tokens_field = MaxTokensField::MaxCompletionTokens;
    want["messages"][2]["reasoning_content"] = "hm".into();
    want.as_object_mut().unwrap().remove("max_tokens");
    want["max_completion_tokens"] = 5.into();
    assert_eq!(server.body(&request), want);
    server.images = false;
    let blind = server.body(&request).to_string();
    assert!(!blind.contains("image_url") && blind.contains("look\\n[1 image(s) left out"), "{blind}");
    let plain = server.body(&ModelRequest::default());
    assert!(plain.get("tools").is_none() && plain.get("response_format").is_none());
    assert_eq!(
        super::OpenAi::default().body(&ModelRequest::default())["stream_options"],
        json!({"include_usage": true})
    );
}

#[test]
fn text_and_thoughts_in_every_shape() {
    let shapes: &[(Value, &str, &str)] = &[
        (json!({"content": "hi"}), "hi", ""),
        (json!({"content": null, "role": "assistant"}), "", ""),
        (json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}), "ab", ""),
        (
            json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "t"}]}, {"type": "text", "text": "a"}]}),
            "a",
            "t",
        ),
        (json!({"reasoning_content": "t", "content": "a"}), "a", "t"),
        (json!({"reasoning": "t", "reasoning_content": "t"}), "", "t"),
        (json!({"reasoning": "t"}), "", "t"),
        (json!({"thinking": "t", "content": ""}), "", "t"),
        (json!({"thinking": {"content": "t"}}), "", "t"),
        (json!({"content": "<think>t</think>\n\na"}), "a", "t"),
        (json!({"content": "<thi"}), "<thi", ""),
        (json!({"refusal": "I will not."}), "I will not.", ""),
    ];
    for (delta, text, thought) in shapes {
        let (reply, deltas) = read(&[chunk(delta), end("stop")]).unwrap().unwrap();
        assert_eq!(reply.text, *text, "{delta}");
        assert_eq!(reply.thoughts.first().map_or("", |thought| thought.text.as_str()), *thought, "{delta}");
        let passed: String = deltas
            .iter()
            .map(|delta| match delta {
                Delta::Text(text) | Delta::Thought(text) => text.as_str(),
                _ => "",
            })
            .collect();
        assert_eq!(passed, format!("{thought}{text}"));
    }
}

#[test]
fn ends_of_every_kind() {
    for (reason, want) in [
        ("stop", Finish::Stop),
        ("tool_calls", Finish::Stop),
        ("eos_token", Finish::Stop),
        ("length", Finish::Length),
        ("content_filter", Finish::Filtered),
        ("sensitive", Finish::Filtered),
    ] {
        let (reply, _) = read(&[chunk(&json!({"content": "a"})), end(reason)]).unwrap().unwrap();
        assert_eq!(reply.finish, want, "{reason}");
    }
    assert!(read(&[chunk(&json!({"content": "a"}))]).unwrap().is_none(), "no reason, no end");
    assert!(read(&[chunk(&json!({"content": "a"})), end("")]).unwrap().is_none());
    assert!(read_texts(&[&chunk(&json!({"content": "a"})).to_string(), "[DONE]"]).unwrap().is_some());
    assert!(read_texts(&["[DONE]"]).unwrap().is_none(), "an end of nothing");
    for reason in ["error", "insufficient_system_resource"] {
        assert_eq!(read(&[end(reason)]).unwrap_err().class, ErrorClass::Server);
    }
}

#[test]
fn usage_wherever_it_stands() {
    let usage =
        json!({"prompt_tokens": 10, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 3}});
    for last in [
        json!({"choices": [], "usage": usage}),
        json!({"choices": [], "x_groq": {"usage": usage}}),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": null, "usage": usage}]}),
        json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 4, "prompt_cache_hit_tokens": 3}}),
        json!({"choices": [], "usage": {"input_tokens": 10, "output_tokens": 4, "cached_tokens": 3}}),
    ] {
        let (reply, _) = read(&[end("stop"), last.clone()]).unwrap().unwrap();
        let usage = reply.usage.unwrap_or_else(|| panic!("{last}"));
        assert_eq!(
            (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.cost),
            (10, 4, 3, None),
            "{last}"
        );
    }
    let (reply, _) =
        read(&[end("stop"), json!({"choices": [], "usage": {"prompt_tokens": 1, "cost": 0.25}})])
            .unwrap()
            .unwrap();
    assert_eq!(reply.usage.unwrap().cost, Some(0.25));
    assert_eq!(read(&[end("stop"), json!({"choices": [], "usage": null})]).unwrap().unwrap().0.usage, None);
}

#[test]
fn a_price_makes_a_cost() {
    let mut server = server();
    server.price = Some(Price { input: 1.0, output: 2.0, cached: None, cache_written: None });
    let mut reader = server.reader();
    let whole = json!({"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 500_000}});
    reader.whole(&whole, &mut |_| {}).unwrap();
    assert_eq!(reader.into_reply().usage.unwrap().cost, Some(2.0));
}

#[test]
fn a_message_instead_of_deltas() {
    let message = json!({"content": "hi", "reasoning_content": "t", "tool_calls": [
        {"id": "x", "function": {"name": "f", "arguments": "{}"}}, {"id": "y", "function": {"name": "f", "arguments": "{}"}}]});
    let whole = json!({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]});
    let mut reader = server().reader();
    reader.whole(&whole, &mut |_| {}).unwrap();
    let alone = reader.into_reply();
    assert_eq!((alone.text.as_str(), alone.calls.len(), alone.thoughts.len()), ("hi", 2, 1));
    // After deltas it brings only what they did not.
    let (after, deltas) = read(&[chunk(&json!({"content": "hi"})), whole]).unwrap().unwrap();
    assert_eq!((after.text.as_str(), after.calls.len()), ("hi", 2));
    assert_eq!(deltas.iter().filter(|delta| matches!(delta, Delta::Text(_))).count(), 1);
    let nothing = server().reader().whole(&json!({"hello": 1}), &mut |_| {}).unwrap_err();
    assert_eq!(nothing.class, ErrorClass::Malformed);
}

#[test]
fn errors_inside_a_stream() {
    for (data, class) in [
        (r#"{"error": {"code": 500, "message": "boom"}}"#, ErrorClass::Server),
        (r#"{"error": "boom"}"#, ErrorClass::Server),
        (r#"{"object": "error", "message": "boom", "code": 40001}"#, ErrorClass::Server),
        (
            r#"{"choices": [{"index": 0, "error": {"code": 502, "message": "boom"}, "finish_reason": "error"}]}"#,
            ErrorClass::Server,
        ),
        (r#"{"error": {"message": "boom", "type": "exceed_context_size_error"}}"#, ErrorClass::TooLong),
        ("boom", ErrorClass::Malformed),
        ("{\"choices\": [{\"del", ErrorClass::Malformed),
    ] {
        let error = read_texts(&[&chunk(&json!({"content": "a"})).to_string(), data]).unwrap_err();
        assert_eq!(error.class, class, "{data}");
        assert!(error.message.contains("boom") || class != ErrorClass::Server, "{data}: {error}");
    }
}

#[test]
fn events_without_a_blank_line_between_them() {
    let lines = format!("{}\n{}\n[DONE]", chunk(&json!({"content": "a"})), end("stop"));
    assert_eq!(read_texts(&[&lines]).unwrap().unwrap().0.text, "a");
    let second = json!({"choices": [{"index": 1, "delta": {"content": "other"}}]});
    assert_eq!(read(&[chunk(&json!({"content": "a"})), second, end("stop")]).unwrap().unwrap().0.text, "a");
}

#[test]
fn the_key_goes_into_a_header_that_is_not_shown() {
    let headers = server().headers(Some(&Key::new("very-secret")));
    assert_eq!(headers["authorization"], "Bearer very-secret");
    assert!(!format!("{headers:?}").contains("very-secret"));
    assert!(server().headers(None).is_empty());
}
