//! A form for the answers of models whose servers can force one (llama.cpp, Ollama, vLLM, …): either a call of an
//! offered tool, `{"name": …, "parameters": {…}}`, or an answer, `{"answer": "…"}`. Even the smallest model then writes
//! calls that can be read.
//!
//! Grammars write the members of an object in the order of the schema, and ours are in alphabetical order. Hence
//! `name` and `parameters`: with `tool` and `arguments` a model would have to write the arguments before it has chosen
//! the tool. [`read`] understands both, and more.

mod simplify;

pub use simplify::{inline_refs, inline_refs_in_bounds, simplify};

use serde_json::{Value, json};

use super::{
    json_scan,
    recover::{self, json_call::Shape},
};
use crate::provider::{Arguments, Constraint, ModelCall, ToolDefinition};

/// A call of one of these tools, or an answer.
pub fn constraint(tools: &[ToolDefinition]) -> Constraint {
    let mut options: Vec<Value> = tools.iter().map(call_schema).collect();
    options.push(json!({
        "type": "object",
        "properties": {"answer": {"type": "string"}},
        "required": ["answer"],
        "additionalProperties": false,
    }));
    Constraint { name: "call_or_answer".to_owned(), schema: any_of(options) }
}

fn call_schema(tool: &ToolDefinition) -> Value {
    json!({
        "type": "object",
        "properties": {"name": {"const": tool.name}, "parameters": simplify(&tool.parameters)},
        "required": ["name", "parameters"],
        "additionalProperties": false,
    })
}

fn any_of(mut options: Vec<Value>) -> Value {
    match options.len() {
        1 => options.remove(0),
        _ => json!({ "anyOf": options }),
    }
}

/// What an answer of this form says.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// The name is as the model wrote it: whether there is such a tool is not asked here.
    Call(ModelCall),
    Answer(String),
}

/// Reads an answer that was forced into the form. `None` if it is something else, and must be taken as text.
///
/// An answer that was cut off is an answer as far as it goes; a call that was cut off has broken arguments.
pub fn read(text: &str) -> Option<Reading> {
    let text = text.trim();
    if !text.starts_with('{') {
        return None;
    }
    match json_scan::extent(text, 0) {
        Ok(range) if range.end == text.len() => {
            let value = json_scan::read(text).ok();
            let Some(value) = value else { return begun_answer(text).map(Reading::Answer) };
            if let Some(answer) = answer(&value) {
                return Some(Reading::Answer(answer.to_owned()));
            }
            let shape = Shape::of(&value)?;
            Some(Reading::Call(recover::model_call(shape.name.to_owned(), shape.arguments())))
        }
        Ok(_) => None,
        Err(flaw) => {
            if let Some(answer) = begun_answer(text) {
                return Some(Reading::Answer(answer));
            }
            let name = recover::json_call::begun_name(text)?;
            let broken = Arguments::Broken { text: text.to_owned(), why: format!("The call is {flaw}.") };
            Some(Reading::Call(recover::model_call(name, broken)))
        }
    }
}

/// The text of `{"answer": "…"}`.
fn answer(value: &Value) -> Option<&str> {
    let fields = value.as_object().filter(|fields| fields.len() == 1)?;
    fields.get("answer")?.as_str()
}

/// The text of `{"answer": "…` as far as it goes. Also for showing an answer while it arrives: what this returns for a
/// longer beginning starts with what it returned for the shorter one.
pub fn begun_answer(text: &str) -> Option<String> {
    let after = |text: &'_ str, token: &str| Some(text.trim_start().strip_prefix(token)?.len());
    let mut rest = text;
    for token in ["{", "\"answer\"", ":", "\""] {
        rest = &rest[rest.len() - after(rest, token)?..];
    }
    let mut end = 0;
    let mut letters = rest.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => break,
            // An escape counts once it is whole; two halves of a character, once both are there.
            '\\' => match whole_escape(&rest[at..]) {
                None => break,
                Some(length) => {
                    end = at + length;
                    while letters.clone().next().is_some_and(|(next, _)| next < end) {
                        letters.next();
                    }
                }
            },
            _ => end = at + letter.len_utf8(),
        }
    }
    // Line breaks that should have been escaped are meant all the same.
    let mut escaped = String::with_capacity(end + 2);
    for letter in rest[..end].chars() {
        match letter {
            '\u{0}'..'\u{20}' => escaped.push_str(&format!("\\u{:04x}", u32::from(letter))),
            other => escaped.push(other),
        }
    }
    serde_json::from_str(&format!("\"{escaped}\"")).ok()
}

/// The length of the escape that a text starts with, if all of it is there.
fn whole_escape(text: &str) -> Option<usize> {
    if text.as_bytes().get(1)? != &b'u' {
        return Some(1 + text.chars().nth(1)?.len_utf8());
    }
    let digits = text.get(2..6)?;
    let is_first_half = u16::from_str_radix(digits, 16).is_ok_and(|unit| (0xd800..0xdc00).contains(&unit));
    if is_first_half {
        text.get(6..12)?;
        return Some(12);
    }
    Some(6)
}

#[cfg(test)]
mod tests;
