//! The text in which calls are looked for, with the few things that all forms of calls need of it.

use std::{cell::Cell, ops::Range};

use serde_json::Value;

use super::{
    Found, Piece,
    json_call::{self, Shape},
};
use crate::{
    chain::json_scan::{self, Flaw},
    provider::Arguments,
};

/// Whether what surrounds JSON already says that it is a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Marked {
    Yes,
    No,
}

/// Calls as JSON, one after the other.
pub(super) struct Block {
    pub end: usize,
    pub calls: Vec<Found>,
    /// The last one has no end.
    open: bool,
}

pub(super) struct Source<'a> {
    pub text: &'a str,
    is_tool: &'a dyn Fn(&str) -> bool,
    /// Bytes that may still be looked at in search of an end: failed attempts must not add up to a square.
    work: Cell<usize>,
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str, is_tool: &'a dyn Fn(&str) -> bool) -> Self {
        let mut end = text.len().min(json_scan::MAX_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = &text[..end];
        Self { text, is_tool, work: Cell::new(8 * text.len() + 4096) }
    }

    pub(super) fn may_go_on(&self) -> bool {
        self.work.get() > 0
    }

    pub(super) fn knows(&self, name: &str) -> bool {
        !name.is_empty() && name.len() <= 200 && (self.is_tool)(name)
    }

    fn spend(&self, bytes: usize) {
        self.work.set(self.work.get().saturating_sub(bytes));
    }

    pub(super) fn rest(&self, at: usize) -> &'a str {
        self.text.get(at..).unwrap_or_default()
    }

    pub(super) fn is_blank(&self, from: usize, to: usize) -> bool {
        self.text.get(from..to.max(from)).is_none_or(|text| text.trim().is_empty())
    }

    pub(super) fn skip_space(&self, at: usize) -> usize {
        let rest = self.rest(at);
        at + rest.len() - rest.trim_start().len()
    }

    /// Where `needle` next stands.
    pub(super) fn find(&self, needle: &str, from: usize) -> Option<usize> {
        let found = self.rest(from).find(needle);
        self.spend(found.unwrap_or(self.text.len().saturating_sub(from)));
        found.map(|at| from + at)
    }

    pub(super) fn extent(&self, start: usize) -> Result<Range<usize>, Flaw> {
        let extent = json_scan::extent(self.text, start);
        self.spend(extent.as_ref().map_or(self.text.len() - start, ExactSizeIterator::len));
        extent
    }

    /// The arguments that stand at `start`, an object as far as one can tell, and where they end.
    pub(super) fn arguments(&self, start: usize) -> (Arguments, usize) {
        match self.extent(start) {
            Ok(range) => (json_call::from_text(&self.text[range.clone()]), range.end),
            Err(flaw) => (broken(&self.text[start..], start, &flaw), self.text.len()),
        }
    }

    /// Calls as JSON from `start` on, up to something else or to `limit`. `None` if anything there is no call.
    pub(super) fn json_block(&self, start: usize, limit: usize, marked: Marked) -> Option<Block> {
        let mut block = Block { end: start, calls: Vec::new(), open: false };
        let mut at = start;
        while self.rest(at).starts_with(['{', '[']) && at < limit {
            match self.extent(at) {
                Ok(range) if range.end <= limit => {
                    let json = &self.text[range.clone()];
                    match json_scan::read(json) {
                        Ok(value) => self.calls_of(&value, marked, &mut block.calls)?,
                        Err(why) => block.calls.push(self.broken_call(json, marked, |text| {
                            Arguments::Broken { text, why: format!("The call is not JSON: {why}.") }
                        })?),
                    }
                    block.end = range.end;
                }
                Ok(_) => return None,
                Err(flaw) => {
                    let json = self.text[at..limit].trim_end();
                    let call = self.broken_call(json, marked, |_| broken(json, at, &flaw))?;
                    block.calls.push(call);
                    block.end = limit;
                    block.open = true;
                }
            }
            at = self.skip_space(block.end);
            if self.rest(at).starts_with([',', ';']) {
                at = self.skip_space(at + 1);
            }
        }
        (!block.calls.is_empty()).then_some(block)
    }

    fn broken_call(&self, json: &str, marked: Marked, why: impl Fn(String) -> Arguments) -> Option<Found> {
        let name = json_call::begun_name(json).filter(|name| self.knows(name))?;
        (marked == Marked::Yes || json_call::names_arguments(json))
            .then(|| Found { name, arguments: why(json.to_owned()) })
    }

    /// Adds the calls that a value is. `None` if it is something else, or if any part of it is.
    fn calls_of(&self, value: &Value, marked: Marked, calls: &mut Vec<Found>) -> Option<()> {
        let several = value.as_array().or_else(|| value.get("tool_calls")?.as_array());
        if let Some(several) = several {
            return several.iter().try_for_each(|one| self.one_call(one, marked, calls));
        }
        self.one_call(value, marked, calls)
    }

    fn one_call(&self, value: &Value, marked: Marked, calls: &mut Vec<Found>) -> Option<()> {
        let shape = Shape::of(value).filter(|shape| self.knows(shape.name))?;
        if !(shape.has_arguments() || shape.says_tool || marked == Marked::Yes) {
            return None;
        }
        calls.push(Found { name: shape.name.to_owned(), arguments: shape.arguments() });
        Some(())
    }

    /// `name({…})`, with nothing else inside the brackets.
    pub(super) fn python_call(&self, start: usize) -> Option<(Found, usize)> {
        let name = word(self.rest(start));
        let open = start + name.len();
        if !self.knows(name) || !self.rest(open).starts_with('(') {
            return None;
        }
        let at = self.skip_space(open + 1);
        if !self.rest(at).starts_with('{') {
            return None;
        }
        let (arguments, end) = self.arguments(at);
        let close = self.skip_space(end);
        let end = if self.rest(close).starts_with(')') { close + 1 } else { end };
        Some((Found { name: name.to_owned(), arguments }, end))
    }

    /// Where the content of a fence begins that opens on the line at `at`.
    pub(super) fn fence_opening(&self, at: usize) -> Option<usize> {
        let rest = self.rest(at);
        let line = rest.trim_start_matches([' ', '\t']);
        let behind = line.strip_prefix("```")?;
        let behind = behind.trim_start_matches('`');
        let language =
            behind.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')).count();
        Some(at + rest.len() - behind.len() + language)
    }

    /// Where a fence closes, and where the closing line ends.
    pub(super) fn fence_close(&self, inside: usize) -> (usize, usize) {
        let Some(at) = self.find("\n```", inside) else { return (self.text.len(), self.text.len()) };
        let close = at + 1;
        (close, self.find("\n", close).unwrap_or(self.text.len()))
    }

    /// A fence that holds a call, or several, and nothing else.
    pub(super) fn fenced_call(&self, start: usize, inside: usize) -> Option<Piece> {
        let opening = self.text[start..inside].trim().trim_start_matches('`').to_ascii_lowercase();
        let may_hold_json = opening.is_empty() || opening.starts_with("json") || opening.contains("tool");
        let content = self.skip_space(inside);
        let (calls, end) = if self.rest(content).starts_with(['{', '[']) && may_hold_json {
            let mut block = self.json_block(content, self.text.len(), Marked::No)?;
            if block.open {
                // It ends where the fence does.
                block = self.json_block(content, self.fence_close(inside).0, Marked::No)?;
            }
            (block.calls, block.end)
        } else if opening.is_empty() || opening.contains("tool") || opening == "python" {
            let (call, end) = self.python_call(content)?;
            (vec![call], end)
        } else {
            return None;
        };
        let after = self.skip_space(end);
        let rest = self.rest(after);
        if rest.is_empty() {
            return Some(Piece { range: start..self.text.len(), calls });
        }
        let closed = rest.strip_prefix("```")?.trim_start_matches('`');
        Some(Piece { range: start..self.text.len() - closed.len(), calls })
    }
}

/// Arguments without an end, with the place counted from where they begin.
fn broken(text: &str, start: usize, flaw: &Flaw) -> Arguments {
    let why = match flaw {
        Flaw::Truncated { inside, .. } => {
            let length = text.trim_end().len();
            format!(
                "The arguments break off inside {inside} (truncated at byte {length}). Send the whole call again."
            )
        }
        Flaw::TooDeep { at, .. } => {
            format!(
                "The arguments are nested deeper than {} levels at byte {}.",
                json_scan::MAX_DEPTH,
                at - start
            )
        }
        Flaw::TooLong { .. } => format!("The arguments are {flaw}."),
    };
    Arguments::Broken { text: text.trim_end().to_owned(), why }
}

/// The name that a text starts with.
pub(super) fn word(text: &str) -> &str {
    let length =
        text.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')).count();
    text[..length].trim_end_matches(['.', '-'])
}
