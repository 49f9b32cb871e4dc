//! Calls that a model wrote as text instead of making them: `TOOL:`/`ARGS:` lines, JSON, tags.
//!
//! This is only for what the *model itself* wrote in this reply. What a tool returned, what a user said, a file or a
//! web page must never be handed to [`recover`]: it would turn their words into calls. (A model that repeats such words
//! makes them its own; the gate asks about them like about any call, and a tainted session asks more.)
//!
//! Only names of known tools count, and nothing is guessed: what cannot be read becomes
//! [`Arguments::Broken`], with what is wrong and where. An unknown name, or JSON inside of a sentence, stays text.

mod fit;
pub mod json_call;
mod lines;
mod source;
mod tags;

pub use fit::fit_to_schema;

use std::ops::Range;

use deskhand_core::CallId;
use source::Source;

use super::constraint::{self, Reading};
use crate::provider::{Arguments, ModelCall};

/// What a reply says, with the calls taken out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recovered {
    pub calls: Vec<ModelCall>,
    pub text: String,
}

/// A call, and where it stood.
struct Found {
    name: String,
    arguments: Arguments,
}

struct Piece {
    range: Range<usize>,
    calls: Vec<Found>,
}

/// A call with an id of its own.
pub(crate) fn model_call(name: String, arguments: Arguments) -> ModelCall {
    ModelCall { id: format!("text_{}", CallId::new().to_string().replace('-', "")), name, arguments }
}

/// Finds the calls that a model wrote into its answer, or, where it answered nothing, into its reasoning: a call that
/// was only thought about before something else was said is not made. For replies that have no calls of their own.
///
/// Calls in tags have no types: every argument is a text. [`fit_to_schema`] gives them those of the tool.
pub fn recover(text: &str, thoughts: &str, is_tool: &dyn Fn(&str) -> bool) -> Recovered {
    let (thought_aloud, answer) = split_thinking(text);
    if let Some(answer) = forced_answer(answer) {
        return Recovered { calls: Vec::new(), text: answer };
    }
    let found = calls_in(answer, is_tool);
    if !found.calls.is_empty() {
        return Recovered { calls: found.calls, text: format!("{thought_aloud}{}", found.text) };
    }
    if answer.trim().is_empty() {
        let from_thoughts = [thoughts, thought_aloud].into_iter().map(|source| calls_in(source, is_tool));
        if let Some(found) = from_thoughts.into_iter().find(|found| !found.calls.is_empty()) {
            return Recovered { calls: found.calls, text: text.to_owned() };
        }
    }
    Recovered { calls: Vec::new(), text: text.to_owned() }
}

/// Some servers leave the reasoning in the answer, between `<think>` and `</think>`.
fn split_thinking(text: &str) -> (&str, &str) {
    if !text.trim_start().starts_with("<think>") {
        return ("", text);
    }
    match text.find("</think>") {
        Some(at) => text.split_at(at + "</think>".len()),
        None => (text, ""),
    }
}

/// The answer in `{"answer": "…"}`, also where it is fenced.
fn forced_answer(text: &str) -> Option<String> {
    let mut text = text.trim();
    if let Some(inside) = text.strip_prefix("```") {
        text = inside.strip_prefix("json").unwrap_or(inside).trim_end_matches('`');
    }
    match constraint::read(text) {
        Some(Reading::Answer(answer)) => Some(answer),
        _ => None,
    }
}

fn calls_in(text: &str, is_tool: &dyn Fn(&str) -> bool) -> Recovered {
    let source = Source::new(text, is_tool);
    let mut walk = Walk { source: &source, pieces: Vec::new(), loose_tags: Vec::new() };
    match whole(&source) {
        Some(piece) => walk.pieces.push(piece),
        None => walk.walk(),
    }
    let Walk { pieces, loose_tags, .. } = walk;
    if pieces.iter().all(|piece| piece.calls.is_empty()) {
        return Recovered { calls: Vec::new(), text: text.to_owned() };
    }
    let mut cuts: Vec<Range<usize>> =
        pieces.iter().map(|piece| piece.range.clone()).chain(loose_tags).collect();
    cuts.sort_by_key(|range| range.start);
    let calls = pieces.into_iter().flat_map(|piece| piece.calls);
    let calls = calls.map(|found| model_call(found.name, found.arguments)).collect();
    Recovered { calls, text: without(text, &cuts) }
}

/// JSON that is the whole answer.
fn whole(source: &Source<'_>) -> Option<Piece> {
    let start = source.skip_space(0);
    let block = source.json_block(start, source.text.len(), source::Marked::No)?;
    (source.skip_space(block.end) == source.text.len())
        .then_some(Piece { range: 0..source.text.len(), calls: block.calls })
}

/// What is left of a text; where something was cut out, a blank line stands.
fn without(text: &str, cuts: &[Range<usize>]) -> String {
    let mut left = String::new();
    let mut from = 0;
    let parts = cuts.iter().map(|cut| (cut.start, cut.end)).chain([(text.len(), text.len())]);
    for (start, end) in parts {
        let part = text.get(from..start.max(from)).unwrap_or_default().trim();
        if !part.is_empty() {
            if !left.is_empty() {
                left.push_str("\n\n");
            }
            left.push_str(part);
        }
        from = from.max(end);
    }
    left
}

/// Goes through a text once, from piece to piece.
struct Walk<'a> {
    source: &'a Source<'a>,
    pieces: Vec<Piece>,
    /// Tags that only surround calls. They go if there is any call.
    loose_tags: Vec<Range<usize>>,
}

/// A fence that holds something else than JSON, which may yet be calls.
struct Fence {
    start: usize,
    inside: Range<usize>,
    end: usize,
    pieces_before: usize,
}

impl Walk<'_> {
    fn walk(&mut self) {
        let text = self.source.text;
        let bytes = text.as_bytes();
        let mut fence: Option<Fence> = None;
        let mut at = 0;
        while at < bytes.len() && self.source.may_go_on() {
            if fence.as_ref().is_some_and(|fence| at >= fence.inside.end) {
                at = at.max(self.leave(fence.take()));
                continue;
            }
            let at_line_start = at == 0 || bytes[at - 1] == b'\n';
            if at_line_start {
                if !self.pieces.is_empty() && lines::is_invented_result(self.source, at) {
                    // The model goes on as if it had the results: what follows stands on nothing.
                    self.pieces.push(Piece { range: at..text.len(), calls: Vec::new() });
                    return;
                }
                if fence.is_none()
                    && let Some(inside) = self.source.fence_opening(at)
                {
                    if let Some(piece) = self.source.fenced_call(at, inside) {
                        at = self.take(piece);
                    } else {
                        let (close, end) = self.source.fence_close(inside);
                        let pieces_before = self.pieces.len();
                        fence = Some(Fence { start: at, inside: inside..close, end, pieces_before });
                        at = inside;
                    }
                    continue;
                }
                if let Some(piece) = lines::tool_line(self.source, at) {
                    at = self.take(piece);
                    continue;
                }
            }
            if matches!(bytes[at], b'<' | b'[') {
                match tags::tag(self.source, at) {
                    Some(tags::Tag::Call(piece)) => {
                        at = self.take(piece);
                        continue;
                    }
                    Some(tags::Tag::Loose(end)) => {
                        self.loose_tags.push(at..end);
                        at = end;
                        continue;
                    }
                    None => {}
                }
            }
            at += 1;
        }
        self.leave(fence);
    }

    fn take(&mut self, piece: Piece) -> usize {
        let end = piece.range.end;
        self.pieces.push(piece);
        end
    }

    /// A fence in which nothing but calls stood goes with them.
    fn leave(&mut self, fence: Option<Fence>) -> usize {
        let Some(fence) = fence else { return 0 };
        let inside = &self.pieces[fence.pieces_before..];
        let mut from = fence.inside.start;
        let mut blank = true;
        for piece in inside {
            blank &= self.source.is_blank(from, piece.range.start);
            from = piece.range.end;
        }
        if !inside.is_empty() && blank && self.source.is_blank(from, fence.inside.end) {
            self.loose_tags.push(fence.start..fence.end.max(from));
        }
        fence.end
    }
}

#[cfg(test)]
mod tests;
