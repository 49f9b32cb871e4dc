//! A request, written as a body of chat completions.

use deskhand_core::Image;
use serde_json::{Map, Value, json};

use super::{MaxTokensField, OpenAi};
use crate::provider::{
    ChatMessage, ModelCall, ModelRequest, Thought, ToolResult,
    wire::{merge, wire_arguments, wire_id, wire_name},
};

/// What no setting changes.
const FIXED: &[&str] = &["model", "messages", "stream"];

pub(super) fn body(server: &OpenAi, request: &ModelRequest) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), json!(server.model));
    body.insert("messages".into(), messages(server, request).into());
    body.insert("stream".into(), true.into());
    body.insert("stream_options".into(), json!({"include_usage": true}));
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request
            .tools
            .iter()
            .map(|tool| {
                json!({"type": "function", "function": {
                    "name": tool.name, "description": tool.description, "parameters": tool.parameters,
                }})
            })
            .collect();
        body.insert("tools".into(), tools.into());
    }
    if let Some(constraint) = &request.constraint {
        body.insert(
            "response_format".into(),
            json!({"type": "json_schema", "json_schema": {
                "name": wire_name(&constraint.name), "schema": constraint.schema, "strict": true,
            }}),
        );
    }
    if let Some(most) = request.max_tokens {
        let field = match server.max_tokens_field {
            MaxTokensField::MaxTokens => "max_tokens",
            MaxTokensField::MaxCompletionTokens => "max_completion_tokens",
        };
        body.insert(field.into(), most.into());
    }
    merge(&mut body, &server.extra, FIXED);
    merge(&mut body, &request.extra, FIXED);
    Value::Object(body)
}

fn messages(server: &OpenAi, request: &ModelRequest) -> Vec<Value> {
    let mut out = Vec::new();
    if !request.system.is_empty() {
        out.push(json!({"role": "system", "content": request.system}));
    }
    // What was thought before the last request of the user has done its work.
    let this_turn =
        request.messages.iter().rposition(|message| matches!(message, ChatMessage::User { .. })).unwrap_or(0);
    for (at, message) in request.messages.iter().enumerate() {
        match message {
            ChatMessage::User { text, images } => out.push(user(server, text, images)),
            ChatMessage::Assistant { thoughts, text, calls } => {
                let thoughts = if server.thoughts_back && at > this_turn { thoughts.as_slice() } else { &[] };
                out.push(assistant(thoughts, text, calls));
            }
            ChatMessage::Results { results } => push_results(server, results, &mut out),
        }
    }
    out
}

fn user(server: &OpenAi, text: &str, images: &[Image]) -> Value {
    if images.is_empty() {
        return json!({"role": "user", "content": text});
    }
    if !server.images {
        let note = format!("[{} image(s) left out: this model takes none]", images.len());
        return json!({"role": "user", "content": format!("{text}\n{note}")});
    }
    let mut parts = Vec::new();
    if !text.is_empty() {
        parts.push(json!({"type": "text", "text": text}));
    }
    parts.extend(images.iter().map(|image| {
        let url = format!("data:{};base64,{}", image.mime, image.base64);
        json!({"type": "image_url", "image_url": {"url": url}})
    }));
    json!({"role": "user", "content": parts})
}

fn assistant(thoughts: &[Thought], text: &str, calls: &[ModelCall]) -> Value {
    let mut message = Map::new();
    message.insert("role".into(), "assistant".into());
    // Servers' templates stumble over null as well as over "": a message with calls has null, as OpenAI's own do.
    let content = if text.is_empty() && !calls.is_empty() { Value::Null } else { text.into() };
    message.insert("content".into(), content);
    if !thoughts.is_empty() {
        let text: Vec<&str> = thoughts.iter().map(|thought| thought.text.as_str()).collect();
        message.insert("reasoning_content".into(), text.join("\n").into());
    }
    if !calls.is_empty() {
        let calls: Vec<Value> = calls
            .iter()
            .map(|call| {
                json!({"id": wire_id(&call.id), "type": "function", "function": {
                    "name": wire_name(&call.name), "arguments": wire_arguments(&call.arguments).to_string(),
                }})
            })
            .collect();
        message.insert("tool_calls".into(), calls.into());
    }
    Value::Object(message)
}

/// A `tool` message holds text alone: images follow in a user's message, after all results.
fn push_results(server: &OpenAi, results: &[ToolResult], out: &mut Vec<Value>) {
    let mut images = Vec::new();
    let mut sources = Vec::new();
    for result in results {
        let text = if result.text.is_empty() { "(no output)" } else { &result.text };
        out.push(json!({"role": "tool", "tool_call_id": wire_id(&result.call_id), "content": text}));
        if !result.images.is_empty() {
            images.extend(result.images.iter().cloned());
            sources.push(format!("{} ({})", result.name, wire_id(&result.call_id)));
        }
    }
    if !images.is_empty() {
        out.push(user(server, &format!("Images from {}:", sources.join(", ")), &images));
    }
}
