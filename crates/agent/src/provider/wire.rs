//! What one kind of server understands: how a request is written for it, and how its answer is read.

use reqwest::header::HeaderMap;
use serde_json::{Map, Value};

use super::{Delta, ModelRequest, ProviderError, Reply, keys::Key, sse::SseEvent};

/// Where pieces of an answer go.
pub(crate) type On<'a> = dyn FnMut(Delta) + Send + 'a;

/// One kind of server.
pub(crate) trait Wire: Send + Sync {
    fn url(&self) -> &str;

    fn headers(&self, key: Option<&Key>) -> HeaderMap;

    fn body(&self, request: &ModelRequest) -> Value;

    fn reader(&self) -> Box<dyn AnswerReader>;
}

/// Reads one answer.
pub(crate) trait AnswerReader: Send {
    /// One event of a stream.
    fn event(&mut self, event: &SseEvent, on: &mut On<'_>) -> Result<(), ProviderError>;

    /// The whole answer in one value, from a server that does not stream.
    fn whole(&mut self, value: &Value, on: &mut On<'_>) -> Result<(), ProviderError>;

    fn stage(&self) -> Stage;

    /// Only for an answer that has ended.
    fn into_reply(self: Box<Self>) -> Reply;
}

/// How far an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Nothing has come.
    Empty,
    Open,
    /// It has said why it ends; something more, such as what it used, may follow.
    Ending,
    /// Nothing follows.
    Done,
}

/// Puts settings into a body: later ones win, `null` takes a field away, and `fixed` ones stay as they are.
pub(crate) fn merge(body: &mut Map<String, Value>, extra: &Map<String, Value>, fixed: &[&str]) {
    for (key, value) in extra {
        if fixed.contains(&key.as_str()) {
            continue;
        }
        if value.is_null() {
            body.remove(key);
        } else {
            body.insert(key.clone(), value.clone());
        }
    }
}

/// A name of a tool as every server takes it: letters, digits, `_` and `-`, 64 at most.
pub(crate) fn wire_name(name: &str) -> String {
    let name: String = name.chars().take(64).map(|c| if is_plain(c) { c } else { '_' }).collect();
    if name.is_empty() { "unnamed".to_owned() } else { name }
}

/// An id of a call as every server takes it.
pub(crate) fn wire_id(id: &str) -> String {
    id.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// What goes back to a server as the arguments of a call that could not be read: servers want an object.
pub(crate) fn wire_arguments(arguments: &super::Arguments) -> Value {
    match arguments {
        super::Arguments::Given(value @ Value::Object(_)) => value.clone(),
        super::Arguments::Given(other) => serde_json::json!({ "unreadable_arguments": other }),
        super::Arguments::Broken { text, .. } => serde_json::json!({ "unreadable_arguments": text }),
    }
}
