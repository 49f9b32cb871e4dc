//! Reads an answer of chat completions, in chunks or in one piece.

use deskhand_core::session::Usage;
use serde_json::Value;

use super::{
    calls::Calls,
    think::{Part, ThinkSplitter},
    usage,
};
use crate::provider::{
    Delta, ErrorClass, Finish, ProviderError, Reply, Thought,
    failure::{self, About},
    presets::Price,
    sse::SseEvent,
    wire::{AnswerReader, On, Stage},
};

pub(super) struct ChatReader {
    about: About,
    price: Option<Price>,
    text: String,
    thoughts: String,
    splitter: ThinkSplitter,
    calls: Calls,
    finish: Option<Finish>,
    usage: Option<Usage>,
    stage: Stage,
}

impl ChatReader {
    pub fn new(about: About, price: Option<Price>) -> Self {
        Self {
            about,
            price,
            text: String::new(),
            thoughts: String::new(),
            splitter: ThinkSplitter::default(),
            calls: Calls::default(),
            finish: None,
            usage: None,
            stage: Stage::Empty,
        }
    }

    fn chunk(&mut self, chunk: &Value, on: &mut On<'_>) -> Result<(), ProviderError> {
        if failure::is_error(chunk) {
            return Err(failure::of_value(&self.about, chunk));
        }
        if self.stage == Stage::Empty {
            self.stage = Stage::Open;
        }
        if let Some(found) = usage::find(chunk) {
            self.usage = Some(usage::read(found, self.price));
        }
        let choices = chunk.get("choices").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        // One answer was asked for; a server that gives more has its first one taken.
        let is_first = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
        for choice in choices.iter().filter(is_first) {
            self.choice(choice, on)?;
        }
        Ok(())
    }

    fn choice(&mut self, choice: &Value, on: &mut On<'_>) -> Result<(), ProviderError> {
        if choice.get("error").is_some_and(Value::is_object) {
            return Err(failure::of_value(&self.about, choice));
        }
        if let Some(delta) = choice.get("delta").filter(|delta| delta.is_object()) {
            self.content(delta, on);
        }
        if let Some(message) = choice.get("message").filter(|message| message.is_object()) {
            self.message(message, on);
        }
        match choice.get("finish_reason").and_then(Value::as_str).unwrap_or("") {
            "" => return Ok(()),
            "length" | "max_tokens" | "model_length" | "model_context_window_exceeded" => {
                self.finish = Some(Finish::Length);
            }
            "content_filter" | "sensitive" | "safety" | "SAFETY" => self.finish = Some(Finish::Filtered),
            reason @ ("error" | "network_error" | "insufficient_system_resource" | "abort") => {
                return Err(ProviderError::new(
                    ErrorClass::Server,
                    format!("{} gave up in the middle of its answer ({reason}).", self.about.host),
                ));
            }
            _ => {
                self.finish.get_or_insert(Finish::Stop);
            }
        }
        self.release(on);
        self.stage = Stage::Ending;
        Ok(())
    }

    /// The whole message at the end: only what the deltas did not bring.
    fn message(&mut self, message: &Value, on: &mut On<'_>) {
        let mut lacking = message.clone();
        if let Some(fields) = lacking.as_object_mut() {
            if !self.text.is_empty() {
                fields.remove("content");
            }
            if !self.thoughts.is_empty() {
                fields.retain(|key, _| !THOUGHTS.contains(&key.as_str()));
            }
            if !self.calls.is_empty() {
                fields.remove("tool_calls");
                fields.remove("function_call");
            }
        }
        self.content(&lacking, on);
    }

    fn content(&mut self, delta: &Value, on: &mut On<'_>) {
        // Servers that write the thought twice, under two names, write the same.
        let thought =
            THOUGHTS.iter().find_map(|key| delta.get(*key).map(plain_text).filter(|text| !text.is_empty()));
        if let Some(thought) = thought {
            self.think(&thought, on);
        }
        match delta.get("content") {
            Some(Value::String(text)) => self.say(text, on),
            Some(Value::Array(parts)) => parts.iter().for_each(|part| self.part(part, on)),
            Some(part @ Value::Object(_)) => self.part(part, on),
            _ => {}
        }
        if let Some(refusal) = delta.get("refusal").and_then(Value::as_str) {
            self.say(refusal, on);
        }
        if let Some(calls) = delta.get("tool_calls") {
            self.calls.add(calls, on);
        }
        if let Some(call) = delta.get("function_call") {
            self.calls.add_legacy(call, on);
        }
    }

    fn part(&mut self, part: &Value, on: &mut On<'_>) {
        let kind = part.get("type").and_then(Value::as_str).unwrap_or("text");
        if THOUGHTS.contains(&kind) {
            let thought =
                THOUGHTS.iter().chain(["text"].iter()).find_map(|key| part.get(*key)).map(plain_text);
            self.think(&thought.unwrap_or_default(), on);
        } else {
            self.say(&plain_text(part), on);
        }
    }

    fn say(&mut self, text: &str, on: &mut On<'_>) {
        if text.is_empty() {
            return;
        }
        for part in self.splitter.push(text) {
            self.take(part, on);
        }
    }

    fn take(&mut self, part: Part, on: &mut On<'_>) {
        match part {
            Part::Thought(thought) => self.think(&thought, on),
            Part::Text(text) => {
                self.text.push_str(&text);
                on(Delta::Text(text));
            }
        }
    }

    /// Nothing more comes: what looked like the beginning of a tag was none.
    fn release(&mut self, on: &mut On<'_>) {
        if let Some(part) = self.splitter.finish() {
            self.take(part, on);
        }
    }

    fn think(&mut self, text: &str, on: &mut On<'_>) {
        if !text.is_empty() {
            self.thoughts.push_str(text);
            on(Delta::Thought(text.to_owned()));
        }
    }

    fn parse(&self, text: &str) -> Result<Vec<Value>, ProviderError> {
        if let Ok(value) = serde_json::from_str(text) {
            return Ok(vec![value]);
        }
        // A server that forgets the blank line between events: each line is one.
        let lines: Result<Vec<Value>, _> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && *line != DONE)
            .map(serde_json::from_str)
            .collect();
        lines.map_err(|_| {
            let start: String = text.chars().take(200).collect();
            ProviderError::new(
                ErrorClass::Malformed,
                format!("{} sent an event that is not JSON: «{}»", self.about.host, failure::shown(&start)),
            )
        })
    }
}

const DONE: &str = "[DONE]";
const THOUGHTS: &[&str] = &["reasoning_content", "reasoning", "thinking"];

/// A text, however it is wrapped.
fn plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain_text).collect(),
        Value::Object(fields) => {
            ["text", "content"].iter().find_map(|key| fields.get(*key)).map(plain_text).unwrap_or_default()
        }
        _ => String::new(),
    }
}

impl AnswerReader for ChatReader {
    fn event(&mut self, event: &SseEvent, on: &mut On<'_>) -> Result<(), ProviderError> {
        let data = event.data.trim();
        if data.is_empty() || self.stage == Stage::Done {
            return Ok(());
        }
        if data != DONE {
            for chunk in self.parse(data)? {
                self.chunk(&chunk, on)?;
            }
        }
        if data.ends_with(DONE) && self.stage != Stage::Empty {
            self.release(on);
            self.stage = Stage::Done;
        }
        Ok(())
    }

    fn whole(&mut self, value: &Value, on: &mut On<'_>) -> Result<(), ProviderError> {
        self.chunk(value, on)?;
        let has_choice = value.get("choices").and_then(Value::as_array).is_some_and(|list| !list.is_empty());
        if !has_choice {
            let start: String = value.to_string().chars().take(200).collect();
            return Err(ProviderError::new(
                ErrorClass::Malformed,
                format!("{} sent no answer, but «{}»", self.about.host, failure::shown(&start)),
            ));
        }
        self.release(on);
        self.stage = Stage::Done;
        Ok(())
    }

    fn stage(&self) -> Stage {
        self.stage
    }

    fn into_reply(self: Box<Self>) -> Reply {
        let mut thoughts = Vec::new();
        if !self.thoughts.is_empty() {
            thoughts.push(Thought { text: self.thoughts, signature: None });
        }
        Reply {
            thoughts,
            text: self.text,
            calls: self.calls.finish(self.finish),
            finish: self.finish.unwrap_or_default(),
            usage: self.usage,
        }
    }
}
