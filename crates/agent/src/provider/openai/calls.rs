//! Puts calls together from their pieces, which servers number, name and repeat as they like.
//!
//! Which call a piece belongs to is decided by its id, its index and its name together; what remains is told apart by
//! whether the arguments so far are a whole object. Arguments are never repaired.

use std::collections::HashSet;

use deskhand_core::id::new_id;
use serde_json::Value;

use crate::provider::{Arguments, Delta, Finish, ModelCall, arguments, wire::On};

/// More calls in one answer are a runaway.
const MOST_CALLS: usize = 128;

#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
}

#[derive(Debug, Default)]
struct Call {
    id: String,
    index: Option<u64>,
    name: String,
    /// All pieces, one after the other.
    text: String,
    /// The last piece, while each one has begun with the one before: then it may be all there is so far.
    whole_so_far: Option<String>,
    /// An object instead of text.
    object: Option<Value>,
}

impl Call {
    fn is_whole(&self) -> bool {
        self.object.is_some()
            || arguments::is_whole(&self.text)
            || self.whole_so_far.as_deref().is_some_and(arguments::is_whole)
    }

    fn has_arguments(&self) -> bool {
        self.object.is_some() || !self.text.is_empty()
    }

    fn add(&mut self, piece: &Value) {
        match piece {
            Value::String(piece) if !piece.is_empty() => {
                let repeats = match &self.whole_so_far {
                    None => self.text.is_empty(),
                    Some(before) => piece.starts_with(before.as_str()),
                };
                self.whole_so_far = repeats.then(|| piece.clone());
                self.text.push_str(piece);
            }
            Value::Null | Value::String(_) => {}
            // An object that comes again, complete, replaces itself.
            Value::Object(_) if self.text.is_empty() => self.object = Some(piece.clone()),
            other => self.text.push_str(&other.to_string()),
        }
    }

    fn arguments(self, finish: Option<Finish>) -> Arguments {
        let Self { name, text, whole_so_far, object, .. } = self;
        if name.is_empty() {
            return arguments::broken(&text, "the call does not name a tool");
        }
        if let (Some(object), true) = (object, text.is_empty()) {
            return Arguments::Given(object);
        }
        if text.is_empty() {
            return match finish {
                Some(Finish::Stop) => Arguments::Given(Value::Object(serde_json::Map::new())),
                Some(Finish::Length) => arguments::broken("", "the answer was cut off before the arguments"),
                _ => arguments::broken("", "the answer ended without arguments"),
            };
        }
        let read = arguments::read(&text);
        if matches!(read, Arguments::Given(_)) {
            return read;
        }
        // A text that was cut off could look like a whole one of a server that repeats itself.
        let may_repeat = finish == Some(Finish::Stop);
        match whole_so_far.filter(|_| may_repeat).map(|text| arguments::read(&text)) {
            Some(repeated @ Arguments::Given(_)) => repeated,
            _ => read,
        }
    }
}

/// One piece of a call, as it stands in a delta.
struct Piece<'a> {
    id: &'a str,
    index: Option<u64>,
    name: &'a str,
    arguments: &'a Value,
}

impl<'a> Piece<'a> {
    fn of(value: &'a Value) -> Self {
        let text = |at: &str| value.pointer(at).and_then(Value::as_str).unwrap_or("");
        let first = |paths: [&'a str; 2]| paths.into_iter().find(|text| !text.is_empty()).unwrap_or("");
        let arguments = ["/function/arguments", "/arguments"].iter().find_map(|at| value.pointer(at));
        Self {
            id: text("/id"),
            index: value.get("index").and_then(Value::as_u64),
            name: first([text("/function/name"), text("/name")]),
            arguments: arguments.unwrap_or(&Value::Null),
        }
    }

    fn begins_object(&self) -> bool {
        match self.arguments {
            Value::String(text) => text.trim_start().starts_with('{'),
            other => other.is_object(),
        }
    }
}

impl Calls {
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// The `tool_calls` of one delta or of a message.
    pub fn add(&mut self, value: &Value, on: &mut On<'_>) {
        let pieces: &[Value] = match value {
            Value::Array(items) => items,
            Value::Object(_) => std::slice::from_ref(value),
            _ => return,
        };
        let mut touched = HashSet::new();
        for value in pieces.iter().filter(|value| value.is_object()) {
            let piece = Piece::of(value);
            let at = match self.target(&piece, &touched) {
                Some(at) => at,
                None if self.calls.len() >= MOST_CALLS => continue,
                None => {
                    self.calls.push(Call { index: piece.index, ..Call::default() });
                    self.calls.len() - 1
                }
            };
            touched.insert(at);
            let call = &mut self.calls[at];
            if call.id.is_empty() {
                piece.id.clone_into(&mut call.id);
            }
            if call.name.is_empty() && !piece.name.is_empty() {
                piece.name.clone_into(&mut call.name);
                on(Delta::Call { name: call.name.clone() });
            }
            call.add(piece.arguments);
        }
    }

    /// `function_call`, from before there could be several.
    pub fn add_legacy(&mut self, value: &Value, on: &mut On<'_>) {
        if value.is_object() {
            self.add(value, on);
        }
    }

    /// Which call a piece belongs to; `None`: it begins one.
    fn target(&self, piece: &Piece<'_>, touched: &HashSet<usize>) -> Option<usize> {
        let at = self.candidate(piece)?;
        let call = &self.calls[at];
        // Two in one delta, each with a name, are two.
        if touched.contains(&at) && !piece.name.is_empty() {
            return None;
        }
        let other_id = !piece.id.is_empty() && !call.id.is_empty() && piece.id != call.id;
        let other_name = !piece.name.is_empty() && !call.name.is_empty() && piece.name != call.name;
        if other_name {
            return None;
        }
        if other_id {
            // Some servers make up an id for every piece: what goes on in the middle of an object is no new call.
            let goes_on = call.has_arguments() && !call.is_whole() && !piece.begins_object();
            let is_bare = piece.name.is_empty() && !call.is_whole();
            return (goes_on || is_bare).then_some(at);
        }
        // The same name again with another whole object is another call, unless it only repeats what came.
        let again = !piece.name.is_empty() && piece.begins_object() && call.is_whole();
        (!again || Self::repeats(call, piece)).then_some(at)
    }

    fn repeats(call: &Call, piece: &Piece<'_>) -> bool {
        match piece.arguments {
            Value::String(text) => {
                call.whole_so_far.as_deref().is_some_and(|before| text.starts_with(before))
            }
            object => call.object.as_ref() == Some(object),
        }
    }

    fn candidate(&self, piece: &Piece<'_>) -> Option<usize> {
        let last = |is: &dyn Fn(&Call) -> bool| self.calls.iter().rposition(is);
        match (piece.id, piece.index) {
            ("", None) => self.calls.len().checked_sub(1),
            ("", index) => last(&|call| call.index == index),
            // The same id under another index is a call that took someone's id.
            (id, Some(index)) => last(&|call| call.id == id && call.index == Some(index))
                .or_else(|| last(&|call| call.index == Some(index))),
            (id, None) => last(&|call| call.id == id)
                .or_else(|| self.calls.len().checked_sub(1).filter(|at| self.calls[*at].id.is_empty()))
                .or_else(|| self.calls.len().checked_sub(1)),
        }
    }

    /// The calls, each with an id of its own. `finish`: why the answer ended, if it said so.
    pub fn finish(self, finish: Option<Finish>) -> Vec<ModelCall> {
        let mut ids = HashSet::new();
        let finished = self.calls.into_iter().map(|mut call| {
            let mut id = std::mem::take(&mut call.id);
            if id.is_empty() || !ids.insert(id.clone()) {
                id = format!("call_{}", new_id());
                ids.insert(id.clone());
            }
            let name = if call.name.is_empty() { "unnamed".to_owned() } else { call.name.clone() };
            ModelCall { id, name, arguments: call.arguments(finish) }
        });
        finished.collect()
    }
}
