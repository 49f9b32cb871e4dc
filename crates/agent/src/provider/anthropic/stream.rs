//! Reads an answer of the messages API, in events or in one piece.

use std::collections::{BTreeMap, HashSet};

use deskhand_core::id::new_id;
use serde_json::{Map, Value};

use super::request::REDACTED;
use crate::provider::{
    Arguments, Delta, ErrorClass, Finish, ModelCall, ProviderError, Reply, Thought, arguments,
    failure::{self, About},
    presets::{Counts, Price},
    sse::SseEvent,
    wire::{AnswerReader, On, Stage},
};

pub(super) struct MessageReader {
    about: About,
    price: Option<Price>,
    blocks: BTreeMap<u64, Block>,
    finish: Option<Finish>,
    counts: Option<Counts>,
    stage: Stage,
}

enum Block {
    Text(String),
    Thinking {
        text: String,
        signature: String,
    },
    Redacted(String),
    /// `input` is what the block began with; `text` what followed in pieces.
    Call {
        id: String,
        name: String,
        input: Value,
        text: String,
    },
    /// A kind that is not ours, such as the server's own tools.
    Other,
}

impl MessageReader {
    pub fn new(about: About, price: Option<Price>) -> Self {
        Self { about, price, blocks: BTreeMap::new(), finish: None, counts: None, stage: Stage::Empty }
    }

    fn start_block(&mut self, at: u64, block: &Value, on: &mut On<'_>) {
        let text = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
        let block = match block.get("type").and_then(Value::as_str) {
            Some("text") => {
                pass_on(Delta::Text, &text("text"), on);
                Block::Text(text("text"))
            }
            Some("thinking") => {
                pass_on(Delta::Thought, &text("thinking"), on);
                Block::Thinking { text: text("thinking"), signature: text("signature") }
            }
            Some("redacted_thinking") => Block::Redacted(text("data")),
            Some("tool_use") => {
                on(Delta::Call { name: text("name") });
                let input = block.get("input").cloned().unwrap_or(Value::Null);
                Block::Call { id: text("id"), name: text("name"), input, text: String::new() }
            }
            _ => Block::Other,
        };
        self.blocks.insert(at, block);
    }

    fn add_to_block(&mut self, at: u64, delta: &Value, on: &mut On<'_>) -> Result<(), ProviderError> {
        let piece = |key: &str| delta.get(key).and_then(Value::as_str).unwrap_or("");
        match (self.blocks.get_mut(&at), delta.get("type").and_then(Value::as_str).unwrap_or("")) {
            (Some(Block::Text(text)), "text_delta") => {
                text.push_str(piece("text"));
                pass_on(Delta::Text, piece("text"), on);
            }
            (Some(Block::Thinking { text, .. }), "thinking_delta") => {
                text.push_str(piece("thinking"));
                pass_on(Delta::Thought, piece("thinking"), on);
            }
            (Some(Block::Thinking { signature, .. }), "signature_delta") => {
                signature.push_str(piece("signature"));
            }
            (Some(Block::Call { text, .. }), "input_json_delta") => text.push_str(piece("partial_json")),
            (None, "text_delta" | "thinking_delta" | "input_json_delta") => {
                return Err(ProviderError::new(
                    ErrorClass::Malformed,
                    format!("{} sent a piece of block {at}, which it had not begun.", self.about.host),
                ));
            }
            // Citations and what comes later.
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, reason: &str) {
        self.finish = Some(match reason {
            "max_tokens" | "model_context_window_exceeded" => Finish::Length,
            "refusal" => Finish::Filtered,
            _ => Finish::Stop,
        });
        self.stage = Stage::Ending;
    }

    /// Counts of a later event replace those that it names.
    fn count(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage.filter(|usage| usage.is_object()) else { return };
        let number = |key: &str| usage.get(key).and_then(Value::as_u64);
        let counts = self.counts.get_or_insert_default();
        if let Some(fresh) = number("input_tokens") {
            // Ours count all of the input; the server leaves out what its cache had or took.
            counts.cached = number("cache_read_input_tokens").unwrap_or(0);
            counts.cache_written = number("cache_creation_input_tokens").unwrap_or(0);
            counts.input = fresh + counts.cached + counts.cache_written;
        }
        if let Some(output) = number("output_tokens") {
            counts.output = output;
        }
    }
}

fn pass_on(kind: fn(String) -> Delta, text: &str, on: &mut On<'_>) {
    if !text.is_empty() {
        on(kind(text.to_owned()));
    }
}

impl AnswerReader for MessageReader {
    fn event(&mut self, event: &SseEvent, on: &mut On<'_>) -> Result<(), ProviderError> {
        let data = event.data.trim();
        if data.is_empty() || data == "[DONE]" {
            return Ok(());
        }
        let value: Value = serde_json::from_str(data).map_err(|_| {
            let start: String = data.chars().take(200).collect();
            ProviderError::new(
                ErrorClass::Malformed,
                format!("{} sent an event that is not JSON: «{}»", self.about.host, failure::shown(&start)),
            )
        })?;
        let kind = value.get("type").and_then(Value::as_str).unwrap_or(&event.name);
        if kind == "error" || failure::is_error(&value) {
            return Err(failure::of_value(&self.about, &value));
        }
        let at = value.get("index").and_then(Value::as_u64).unwrap_or(0);
        match kind {
            "message_start" => {
                self.stage = Stage::Open;
                self.count(value.pointer("/message/usage"));
            }
            "content_block_start" => {
                self.start_block(at, value.get("content_block").unwrap_or(&Value::Null), on);
            }
            "content_block_delta" => {
                self.add_to_block(at, value.get("delta").unwrap_or(&Value::Null), on)?;
            }
            "message_delta" => {
                self.count(value.get("usage"));
                if let Some(reason) = value.pointer("/delta/stop_reason").and_then(Value::as_str) {
                    self.end(reason);
                }
            }
            "message_stop" if self.stage != Stage::Empty => self.stage = Stage::Done,
            // `ping`, `content_block_stop`, and what comes later.
            _ => {}
        }
        Ok(())
    }

    fn whole(&mut self, value: &Value, on: &mut On<'_>) -> Result<(), ProviderError> {
        if failure::is_error(value) {
            return Err(failure::of_value(&self.about, value));
        }
        let Some(blocks) = value.get("content").and_then(Value::as_array) else {
            let start: String = value.to_string().chars().take(200).collect();
            return Err(ProviderError::new(
                ErrorClass::Malformed,
                format!("{} sent no answer, but «{}»", self.about.host, failure::shown(&start)),
            ));
        };
        for (at, block) in (0u64..).zip(blocks) {
            self.start_block(at, block, on);
        }
        self.count(value.get("usage"));
        self.end(value.get("stop_reason").and_then(Value::as_str).unwrap_or(""));
        self.stage = Stage::Done;
        Ok(())
    }

    fn stage(&self) -> Stage {
        self.stage
    }

    fn into_reply(self: Box<Self>) -> Reply {
        let mut reply = Reply { finish: self.finish.unwrap_or_default(), ..Reply::default() };
        let mut ids = HashSet::new();
        for block in self.blocks.into_values() {
            match block {
                Block::Text(text) => reply.text.push_str(&text),
                Block::Thinking { text, signature } => {
                    let signature = Some(signature).filter(|signature| !signature.is_empty());
                    reply.thoughts.push(Thought { text, signature });
                }
                Block::Redacted(data) => {
                    let signature = Some(format!("{REDACTED}{data}"));
                    reply.thoughts.push(Thought { text: String::new(), signature });
                }
                Block::Call { mut id, name, input, text } => {
                    if id.is_empty() || !ids.insert(id.clone()) {
                        id = format!("toolu_{}", new_id());
                        ids.insert(id.clone());
                    }
                    let arguments = call_arguments(&name, input, &text, self.finish);
                    let name = if name.is_empty() { "unnamed".to_owned() } else { name };
                    reply.calls.push(ModelCall { id, name, arguments });
                }
                Block::Other => {}
            }
        }
        reply.usage = self.counts.map(|counts| counts.usage(self.price));
        reply
    }
}

fn call_arguments(name: &str, input: Value, text: &str, finish: Option<Finish>) -> Arguments {
    if name.is_empty() {
        return arguments::broken(text, "the call does not name a tool");
    }
    if !text.is_empty() {
        return arguments::read(text);
    }
    match (input, finish) {
        (Value::Object(fields), _) if !fields.is_empty() => Arguments::Given(Value::Object(fields)),
        (Value::Object(_) | Value::Null, Some(Finish::Stop)) => Arguments::Given(Value::Object(Map::new())),
        (Value::Object(_) | Value::Null, _) => {
            arguments::broken("", "the answer was cut off before the arguments")
        }
        (other, _) => arguments::read(&other.to_string()),
    }
}
