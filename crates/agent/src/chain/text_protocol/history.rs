//! A conversation with calls and results, as plain messages.

use deskhand_core::Image;
use serde_json::json;

use super::Form;
use crate::provider::{Arguments, ChatMessage, ModelCall, ToolResult};

/// Stands before an assistant's message that nobody's message precedes: many servers want a user to speak first.
const BEFORE: &str = "(What was said before is left out.)";

/// The conversation without calls and results: calls are lines in the assistant's text, results are a message of the
/// user. Users and assistants take turns, since many servers insist on it.
pub fn render(messages: &[ChatMessage]) -> Vec<ChatMessage> {
    render_as(messages, Form::Lines)
}

pub fn render_as(messages: &[ChatMessage], form: Form) -> Vec<ChatMessage> {
    let mut plain: Vec<ChatMessage> = Vec::new();
    for message in messages {
        match message {
            ChatMessage::User { text, images } => user(&mut plain, text, images.clone()),
            ChatMessage::Assistant { text, calls, .. } => assistant(&mut plain, &said(text, calls, form)),
            ChatMessage::Results { results } => {
                let texts: Vec<String> = results.iter().map(result_text).collect();
                let images = results.iter().flat_map(|result| result.images.clone()).collect();
                user(&mut plain, &texts.join("\n\n"), images);
            }
        }
    }
    plain
}

fn user(plain: &mut Vec<ChatMessage>, more: &str, more_images: Vec<Image>) {
    if more.trim().is_empty() && more_images.is_empty() {
        return;
    }
    if let Some(ChatMessage::User { text, images }) = plain.last_mut() {
        append(text, more);
        images.extend(more_images);
    } else {
        plain.push(ChatMessage::User { text: more.to_owned(), images: more_images });
    }
}

fn assistant(plain: &mut Vec<ChatMessage>, more: &str) {
    if more.trim().is_empty() {
        return;
    }
    if plain.is_empty() {
        user(plain, BEFORE, Vec::new());
    }
    if let Some(ChatMessage::Assistant { text, .. }) = plain.last_mut() {
        append(text, more);
    } else {
        plain.push(ChatMessage::Assistant { thoughts: Vec::new(), text: more.to_owned(), calls: Vec::new() });
    }
}

fn append(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(more);
}

fn said(text: &str, calls: &[ModelCall], form: Form) -> String {
    // A forced answer is one object: what was said before a call has no place in it.
    if form == Form::Json {
        return match calls {
            [] => json!({ "answer": text }).to_string(),
            calls => calls.iter().map(call_json).collect::<Vec<_>>().join("\n"),
        };
    }
    let mut said = text.trim().to_owned();
    for call in calls {
        let arguments = match &call.arguments {
            Arguments::Given(value) => value.to_string(),
            Arguments::Broken { text, .. } => text.clone(),
        };
        append(&mut said, &format!("TOOL: {}\nARGS: {arguments}", call.name));
    }
    said
}

fn call_json(call: &ModelCall) -> String {
    match &call.arguments {
        Arguments::Given(value) => json!({"name": call.name, "parameters": value}).to_string(),
        Arguments::Broken { text, .. } => json!({"name": call.name, "parameters": text}).to_string(),
    }
}

fn result_text(result: &ToolResult) -> String {
    let ToolResult { call_id, name, text, is_error, .. } = result;
    let failed = if *is_error { ", failed" } else { "" };
    format!("RESULT of {name} ({call_id}{failed}): {text}")
}
