//! A model that answers from a script: for tests, for the demo, for measuring. No server, no key.
//!
//! The format is told in `docs/models.md`.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use deskhand_core::session::Usage;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    Arguments, Capabilities, ChatMessage, Delta, ErrorClass, Finish, ModelCall, ModelRequest, Provider,
    ProviderError, Reply, Thought, arguments,
};

#[cfg(test)]
mod tests;

/// The largest script that is read.
const MOST_BYTES: u64 = 16 << 20;

/// What is answered, and by which rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Script {
    pub native_tools: bool,
    pub constrains: bool,
    pub images: bool,
    pub context_tokens: u64,
    pub matching: Matching,
    pub replies: Vec<ScriptedReply>,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            native_tools: true,
            constrains: false,
            images: true,
            context_tokens: 128_000,
            matching: Matching::InOrder,
            replies: Vec::new(),
        }
    }
}

/// Which reply is next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Matching {
    /// The first request gets the first, and so on: one conversation.
    #[default]
    InOrder,
    /// Of those whose `when` is in what the user said last, the one for this round of the turn: any number of
    /// conversations at once.
    ByMessage,
}

/// One reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptedReply {
    /// A part of what the user said, for [`Matching::ByMessage`].
    pub when: Option<String>,
    /// A part of the last message of the request, which must be there.
    pub expect: Option<String>,
    pub thoughts: String,
    pub text: String,
    pub calls: Vec<ScriptedCall>,
    /// How many characters of thoughts and text come at once; absent: a word.
    pub piece: Option<usize>,
    /// Before each piece.
    pub delay_ms: u64,
    pub finish: Finish,
    pub usage: Option<Usage>,
    /// Instead of a reply, after what there is of thoughts and text.
    pub error: Option<ScriptedError>,
}

impl ScriptedReply {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub fn call(name: impl Into<String>, arguments: Value) -> Self {
        let call = ScriptedCall { name: name.into(), arguments: Some(arguments), ..ScriptedCall::default() };
        Self { calls: vec![call], ..Self::default() }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptedCall {
    /// Absent: one is made.
    pub id: Option<String>,
    pub name: String,
    pub arguments: Option<Value>,
    /// As a model would have written them, broken ones included.
    pub arguments_text: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptedError {
    /// A class by its name, such as `rate_limited`.
    pub class: String,
    pub message: String,
    pub hint: Option<String>,
    pub status: Option<u16>,
    pub retry_after_s: Option<f64>,
}

/// A model that follows a script.
pub struct Scripted {
    name: String,
    script: Script,
    asked: AtomicUsize,
}

impl Scripted {
    /// `name`: what stands after `scripted/`.
    pub fn new(name: &str, script: Script) -> Self {
        Self { name: format!("scripted/{name}"), script, asked: AtomicUsize::new(0) }
    }

    /// Reads a script: `.toml`, `.jsonl` (a reply on each line), or JSON.
    pub fn from_file(path: &Path) -> Result<Self, ProviderError> {
        let wrong = |why: String| {
            ProviderError::new(ErrorClass::NoSuchModel, format!("The script {} {why}", path.display()))
                .naming_place()
        };
        let size = fs::metadata(path).map_err(|error| wrong(format!("cannot be read: {error}.")))?.len();
        if size > MOST_BYTES {
            return Err(wrong(format!("has {size} bytes; {MOST_BYTES} are the most.")));
        }
        let text = fs::read_to_string(path).map_err(|error| wrong(format!("cannot be read: {error}.")))?;
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        let script = match extension {
            "toml" => toml::from_str(&text).map_err(|error| error.to_string()),
            "jsonl" => replies_by_line(&text).map(|replies| Script { replies, ..Script::default() }),
            _ => serde_json::from_str(&text).map_err(|error| error.to_string()),
        }
        .map_err(|why| wrong(format!("is not one: {why}")))?;
        if script.replies.is_empty() {
            return Err(wrong("has no replies.".to_owned()));
        }
        if let Some(class) =
            script.replies.iter().filter_map(|reply| reply.error.as_ref()).find_map(unknown_class)
        {
            return Err(wrong(format!("names the class of errors «{class}», which there is not.")));
        }
        Ok(Self::new(&path.display().to_string(), script))
    }

    /// How often it was asked.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    fn reply_for(&self, request: &ModelRequest) -> Result<&ScriptedReply, ProviderError> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        let wrong = |why: String| ProviderError::new(ErrorClass::BadRequest, why);
        let reply = match self.script.matching {
            Matching::InOrder => self.script.replies.get(asked).ok_or_else(|| {
                wrong(format!(
                    "{} has {} replies, and this is request {}.",
                    self.name,
                    self.script.replies.len(),
                    asked + 1
                ))
            })?,
            Matching::ByMessage => self.by_message(request).map_err(wrong)?,
        };
        if let Some(expected) = &reply.expect {
            let last = request.messages.last().map(text_of).unwrap_or_default();
            if !last.contains(expected.as_str()) {
                let start: String = last.chars().take(500).collect();
                return Err(wrong(format!(
                    "{} expects «{expected}» in the last message of request {}, which says «{start}».",
                    self.name,
                    asked + 1
                )));
            }
        }
        Ok(reply)
    }

    /// The latest word of the user that a reply waits for says which; how often was answered since, which of those.
    fn by_message(&self, request: &ModelRequest) -> Result<&ScriptedReply, String> {
        let mut round = 0;
        for message in request.messages.iter().rev() {
            match message {
                ChatMessage::Assistant { .. } => round += 1,
                ChatMessage::Results { .. } => {}
                ChatMessage::User { text, .. } => {
                    let is_meant = |reply: &&ScriptedReply| {
                        reply.when.as_deref().is_some_and(|when| text.contains(when))
                    };
                    let mut meant = self.script.replies.iter().filter(is_meant).peekable();
                    if meant.peek().is_some() {
                        return meant.nth(round).ok_or_else(|| {
                            let start: String = text.chars().take(200).collect();
                            format!("{} has no reply {} to «{start}».", self.name, round + 1)
                        });
                    }
                }
            }
        }
        Err(format!("{} has no reply whose `when` is in what the user says.", self.name))
    }
}

fn unknown_class(error: &ScriptedError) -> Option<&str> {
    ErrorClass::parse(&error.class).is_none().then_some(error.class.as_str())
}

fn replies_by_line(text: &str) -> Result<Vec<ScriptedReply>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| serde_json::from_str(line).map_err(|error| format!("line {}: {error}", at + 1)))
        .collect()
}

fn text_of(message: &ChatMessage) -> String {
    match message {
        ChatMessage::User { text, .. } | ChatMessage::Assistant { text, .. } => text.clone(),
        ChatMessage::Results { results } => {
            results.iter().map(|result| result.text.as_str()).collect::<Vec<_>>().join("\n")
        }
    }
}

impl Provider for Scripted {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            native_tools: self.script.native_tools,
            constrains: self.script.constrains.into(),
            images: self.script.images,
            context_tokens: self.script.context_tokens,
        }
    }

    fn complete<'a>(
        &'a self,
        request: &'a ModelRequest,
        on: &'a mut (dyn FnMut(Delta) + Send),
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        Box::pin(async move {
            let scripted = self.reply_for(request)?;
            let mut passed_on = false;
            for delta in deltas(scripted) {
                let wait = tokio::time::sleep(Duration::from_millis(scripted.delay_ms));
                let is_cancelled = tokio::select! {
                    biased;
                    () = cancel.cancelled() => true,
                    () = wait, if scripted.delay_ms > 0 => false,
                    () = std::future::ready(()), if scripted.delay_ms == 0 => false,
                };
                if is_cancelled {
                    let mut error = ProviderError::new(ErrorClass::Cancelled, "The request was cancelled.");
                    error.partly_answered = passed_on;
                    return Err(error);
                }
                passed_on = true;
                on(delta);
            }
            match &scripted.error {
                Some(error) => Err(failure(error, passed_on)),
                None => Ok(reply(scripted, request)),
            }
        })
    }
}

fn deltas(scripted: &ScriptedReply) -> Vec<Delta> {
    let thoughts = pieces(&scripted.thoughts, scripted.piece).into_iter().map(Delta::Thought);
    let text = pieces(&scripted.text, scripted.piece).into_iter().map(Delta::Text);
    let calls = scripted.calls.iter().map(|call| Delta::Call { name: call.name.clone() });
    thoughts.chain(text).chain(calls).collect()
}

fn pieces(text: &str, size: Option<usize>) -> Vec<String> {
    match size {
        Some(size) => {
            let characters: Vec<char> = text.chars().collect();
            characters.chunks(size.max(1)).map(|piece| piece.iter().collect()).collect()
        }
        None => text.split_inclusive(char::is_whitespace).map(str::to_owned).collect(),
    }
}

fn failure(error: &ScriptedError, passed_on: bool) -> ProviderError {
    let class = ErrorClass::parse(&error.class).unwrap_or(ErrorClass::Server);
    let mut failed = ProviderError::new(class, &error.message);
    failed.hint.clone_from(&error.hint);
    failed.status = error.status;
    failed.retry_after = error.retry_after_s.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    failed.partly_answered = passed_on;
    failed
}

fn reply(scripted: &ScriptedReply, request: &ModelRequest) -> Reply {
    let thoughts = (!scripted.thoughts.is_empty())
        .then(|| Thought { text: scripted.thoughts.clone(), signature: None })
        .into_iter()
        .collect();
    let calls = scripted
        .calls
        .iter()
        .enumerate()
        .map(|(at, call)| ModelCall {
            // The same conversation has the same ids each time, and no two replies of it share one.
            id: call.id.clone().unwrap_or_else(|| format!("call_{}_{}", request.messages.len(), at + 1)),
            name: call.name.clone(),
            arguments: match (&call.arguments_text, &call.arguments) {
                (Some(text), _) => arguments::read(text),
                (None, Some(value)) => Arguments::Given(value.clone()),
                (None, None) => Arguments::Given(Value::Object(serde_json::Map::new())),
            },
        })
        .collect();
    Reply { thoughts, text: scripted.text.clone(), calls, finish: scripted.finish, usage: scripted.usage }
}
