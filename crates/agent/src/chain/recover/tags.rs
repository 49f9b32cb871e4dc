//! Calls in tags, as the templates of many models have them.

use serde_json::{Map, Value};

use super::{
    Found, Piece,
    source::{Marked, Source, word},
};
use crate::provider::Arguments;

pub(super) enum Tag {
    Call(Piece),
    /// A tag that only surrounds calls; it ends here.
    Loose(usize),
}

/// What JSON calls, or a name, may follow; and what closes it.
const OPENING: &[(&str, &[&str])] = &[
    ("<tool_call>", &["</tool_call>"]),
    ("<function_call>", &["</function_call>"]),
    ("<|tool_call|>", &["<|/tool_call|>", "<|end_tool_call|>", "</tool_call>", "<|tool_call_end|>"]),
    ("<|tool_calls|>", &["<|/tool_calls|>"]),
    ("<|python_tag|>", &["<|eom_id|>", "<|eot_id|>"]),
    ("[TOOL_CALLS]", &["[/TOOL_CALLS]", "</s>"]),
];

const LOOSE: &[&str] = &[
    "<tool_call>",
    "</tool_call>",
    "<tool_calls>",
    "</tool_calls>",
    "<function_calls>",
    "</function_calls>",
    "</function_call>",
    "[/TOOL_CALLS]",
];

/// What begins at `start`, if it is a tag of ours.
pub(super) fn tag(source: &Source<'_>, start: usize) -> Option<Tag> {
    let rest = source.rest(start);
    if let Some((opening, closing)) = OPENING.iter().find(|(opening, _)| rest.starts_with(opening)) {
        let inside = source.skip_space(start + opening.len());
        if let Some((calls, end)) = inside_call(source, inside) {
            return Some(Tag::Call(Piece { range: start..past(source, end, closing), calls }));
        }
    }
    if let Some(after) = rest.strip_prefix("<function=") {
        return named(source, start, after.trim_start_matches(['"', '\'']), &["</function>"]);
    }
    for (opening, closing) in [
        ("<invoke name=", &["</invoke>"]),
        ("<function name=", &["</function>"]),
        ("<tool name=", &["</tool>"]),
    ] {
        if let Some(after) = rest.strip_prefix(opening) {
            return named(source, start, after.trim_start_matches(['"', '\'']), closing);
        }
    }
    let loose = LOOSE.iter().find(|tag| rest.starts_with(**tag))?;
    Some(Tag::Loose(start + loose.len()))
}

/// The end, with a closing tag if there is one.
fn past(source: &Source<'_>, end: usize, closing: &[&str]) -> usize {
    let at = source.skip_space(end);
    closing.iter().find(|tag| source.rest(at).starts_with(**tag)).map_or(end, |tag| at + tag.len())
}

/// Calls behind an opening tag: JSON (fenced or not), `name({…})`, `name{…}`, `name` with pairs of keys and values.
fn inside_call(source: &Source<'_>, inside: usize) -> Option<(Vec<Found>, usize)> {
    let at = source.fence_opening(inside).map_or(inside, |content| source.skip_space(content));
    if source.rest(at).starts_with(['{', '[']) {
        let block = source.json_block(at, source.text.len(), Marked::Yes)?;
        let end = if at > inside { past(source, block.end, &["```"]) } else { block.end };
        return Some((block.calls, end));
    }
    if let Some((call, end)) = source.python_call(at) {
        return Some((vec![call], end));
    }
    let name = word(source.rest(at));
    if !source.knows(name) {
        return None;
    }
    let mut behind = source.skip_space(at + name.len());
    if source.rest(behind).starts_with("[ARGS]") {
        behind = source.skip_space(behind + "[ARGS]".len());
    }
    let (arguments, end) = if source.rest(behind).starts_with('{') {
        source.arguments(behind)
    } else if source.rest(behind).starts_with("<arg_key>") {
        pairs(source, behind)
    } else {
        let text = source.rest(behind).lines().next().unwrap_or_default();
        let why = "The arguments are no JSON object.".to_owned();
        (Arguments::Broken { text: text.to_owned(), why }, behind)
    };
    Some((vec![Found { name: name.to_owned(), arguments }], end))
}

/// A call whose tag has the name; `after` starts with it.
fn named(source: &Source<'_>, start: usize, after: &str, closing: &[&str]) -> Option<Tag> {
    let name = word(after);
    if !source.knows(name) {
        return None;
    }
    let behind = after[name.len()..].trim_start_matches(['"', '\'', ' ']).strip_prefix('>')?;
    let inside = source.skip_space(source.text.len() - behind.len());
    let (arguments, end) = if source.rest(inside).starts_with('{') {
        source.arguments(inside)
    } else {
        parameters(source, inside, closing)
    };
    let call = Found { name: name.to_owned(), arguments };
    Some(Tag::Call(Piece { range: start..past(source, end, closing), calls: vec![call] }))
}

/// `<parameter=key>value</parameter>` or `<parameter name="key">value</parameter>`, any number of them.
fn parameters(source: &Source<'_>, start: usize, closing: &[&str]) -> (Arguments, usize) {
    let mut fields = Map::new();
    let mut at = start;
    loop {
        at = source.skip_space(at);
        let rest = source.rest(at);
        let key = rest.strip_prefix("<parameter=").or_else(|| rest.strip_prefix("<parameter name="));
        let Some(key_on) = key else { break };
        let key_on = key_on.trim_start_matches(['"', '\'']);
        let key = word(key_on);
        let behind = key_on[key.len()..].trim_start_matches(['"', '\'', ' ']);
        let Some(value_on) = behind.strip_prefix('>').filter(|_| !key.is_empty()) else { break };
        let value = source.text.len() - value_on.len();
        let Some(end) = source.find("</parameter>", value) else {
            return unfinished(
                source,
                start,
                &format!("The parameter {key} has no end (</parameter> is missing)."),
            );
        };
        if fields.insert(key.to_owned(), text_value(&source.text[value..end])).is_some() {
            return unfinished(source, start, &format!("The parameter {key} is there twice."));
        }
        at = end + "</parameter>".len();
    }
    if closing.iter().any(|tag| source.rest(at).starts_with(*tag)) {
        return (Arguments::Given(Value::Object(fields)), at);
    }
    unfinished(source, start, &format!("The call has no end: {} is missing.", closing.join(" or ")))
}

/// `<arg_key>key</arg_key><arg_value>value</arg_value>`, any number of them.
fn pairs(source: &Source<'_>, start: usize) -> (Arguments, usize) {
    let mut fields = Map::new();
    let mut at = start;
    loop {
        at = source.skip_space(at);
        let Some(key) = between(source, at, "<arg_key>", "</arg_key>") else { break };
        let value_at = source.skip_space(key.1);
        let Some(value) = between(source, value_at, "<arg_value>", "</arg_value>") else {
            return unfinished(source, start, &format!("The argument {} has no value.", key.0.trim()));
        };
        fields.insert(key.0.trim().to_owned(), text_value(value.0));
        at = value.1;
    }
    if source.rest(at).starts_with("</tool_call>") {
        return (Arguments::Given(Value::Object(fields)), at);
    }
    unfinished(source, start, "The call has no end: </tool_call> is missing.")
}

/// The text between two tags at `at`, and where the second ends.
fn between<'a>(source: &Source<'a>, at: usize, open: &str, close: &str) -> Option<(&'a str, usize)> {
    source.rest(at).strip_prefix(open)?;
    let start = at + open.len();
    let end = source.find(close, start)?;
    Some((&source.text[start..end], end + close.len()))
}

fn unfinished(source: &Source<'_>, start: usize, why: &str) -> (Arguments, usize) {
    let text = source.rest(start).trim_end().to_owned();
    (Arguments::Broken { text, why: format!("{why} Send the whole call again.") }, source.text.len())
}

/// A value as it stands, without the line breaks that set it off from its tags.
fn text_value(text: &str) -> Value {
    let text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text);
    let text = text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).unwrap_or(text);
    Value::from(text)
}
