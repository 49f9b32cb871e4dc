//! A request, written as a body of the messages API.

use deskhand_core::Image;
use serde_json::{Map, Value, json};

use super::Anthropic;
use crate::provider::{
    ChatMessage, ModelCall, ModelRequest, Thought, ToolResult,
    wire::{merge, wire_arguments, wire_id, wire_name},
};

/// What no setting changes.
const FIXED: &[&str] = &["model", "messages", "stream"];
/// The API wants a number: enough for a long file, and every model of today allows it.
const MOST_TOKENS: u64 = 8_192;
/// How the signature begins that stands for thoughts which the server sent encrypted.
pub(super) const REDACTED: &str = "redacted:";

pub(super) fn body(server: &Anthropic, request: &ModelRequest) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), json!(server.model));
    body.insert("max_tokens".into(), request.max_tokens.unwrap_or(MOST_TOKENS).into());
    body.insert("stream".into(), true.into());
    if !request.system.is_empty() {
        body.insert(
            "system".into(),
            json!([{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}]),
        );
    }
    if !request.tools.is_empty() {
        let mut tools: Vec<Value> = request
            .tools
            .iter()
            .map(|tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters}))
            .collect();
        // The mark on the last one covers all of them.
        if let Some(last) = tools.last_mut() {
            last["cache_control"] = json!({"type": "ephemeral"});
        }
        body.insert("tools".into(), tools.into());
    }
    merge(&mut body, &server.extra, FIXED);
    merge(&mut body, &request.extra, FIXED);
    body.insert("messages".into(), messages(request).into());
    Value::Object(body)
}

fn messages(request: &ModelRequest) -> Vec<Value> {
    let mut out: Vec<(&'static str, Vec<Value>)> = Vec::new();
    for message in &request.messages {
        let (role, blocks) = match message {
            ChatMessage::User { text, images } => ("user", user(text, images)),
            ChatMessage::Assistant { thoughts, text, calls } => {
                ("assistant", assistant(thoughts, text, calls))
            }
            ChatMessage::Results { results } => ("user", results.iter().map(result).collect()),
        };
        // The API wants the roles to take turns.
        match out.last_mut() {
            Some((last, known)) if *last == role => known.extend(blocks),
            _ => out.push((role, blocks)),
        }
    }
    out.retain(|(_, blocks)| !blocks.is_empty());
    // Everything up to here comes again with the next request of the turn. Thoughts, which are not the user's, take no mark.
    let last = out.last_mut().filter(|(role, _)| *role == "user");
    if let Some(block) = last.and_then(|(_, blocks)| blocks.last_mut()) {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
    out.into_iter().map(|(role, blocks)| json!({"role": role, "content": blocks})).collect()
}

fn user(text: &str, images: &[Image]) -> Vec<Value> {
    let mut blocks: Vec<Value> = images.iter().map(image).collect();
    if !text.trim().is_empty() {
        blocks.push(json!({"type": "text", "text": text}));
    }
    blocks
}

fn image(image: &Image) -> Value {
    json!({"type": "image", "source": {"type": "base64", "media_type": image.mime, "data": image.base64}})
}

fn assistant(thoughts: &[Thought], text: &str, calls: &[ModelCall]) -> Vec<Value> {
    // Thoughts without a signature are another server's: this one would refuse them.
    let mut blocks: Vec<Value> = thoughts
        .iter()
        .filter_map(|thought| {
            let signature = thought.signature.as_deref()?;
            Some(match signature.strip_prefix(REDACTED) {
                Some(data) => json!({"type": "redacted_thinking", "data": data}),
                None => json!({"type": "thinking", "thinking": thought.text, "signature": signature}),
            })
        })
        .collect();
    if !text.trim().is_empty() {
        blocks.push(json!({"type": "text", "text": text}));
    }
    blocks.extend(calls.iter().map(|call| {
        json!({"type": "tool_use", "id": wire_id(&call.id), "name": wire_name(&call.name),
            "input": wire_arguments(&call.arguments)})
    }));
    blocks
}

fn result(result: &ToolResult) -> Value {
    let text = if result.text.trim().is_empty() { "(no output)" } else { &result.text };
    let mut content = vec![json!({"type": "text", "text": text})];
    content.extend(result.images.iter().map(image));
    json!({"type": "tool_result", "tool_use_id": wire_id(&result.call_id), "content": content,
        "is_error": result.is_error})
}
