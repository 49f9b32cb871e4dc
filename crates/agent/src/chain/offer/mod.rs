//! Tools as a model is told of them, and how it finds those that it was not told of.

mod search;
mod shrink;

pub use search::{Hit, search};
pub use shrink::{Detail, parameters};

use std::sync::Arc;

use deskhand_core::ToolEntry;
use serde_json::json;

use super::Language;
use crate::provider::ToolDefinition;

/// The most bytes that the definitions of a request may have by default, as JSON.
pub const DEFAULT_BYTES: usize = 6_000;

/// A tool as a model is told of it, with all that is said of its parameters.
pub fn definition(entry: &ToolEntry, language: Language) -> ToolDefinition {
    definition_in(entry, language, Detail::Full)
}

/// The same with less said of its parameters.
pub fn definition_in(entry: &ToolEntry, language: Language, detail: Detail) -> ToolDefinition {
    let spec = entry.spec();
    let chinese = if spec.description_zh.is_empty() { spec.description } else { spec.description_zh };
    ToolDefinition {
        name: spec.name.to_owned(),
        description: language.say(spec.description, chinese).to_owned(),
        parameters: parameters(entry.input_schema(), detail),
    }
}

/// The definitions of these tools in this order, with as much detail as fits into `most` bytes; the least there is
/// where not even that fits. What is left out of a definition is still understood and checked.
pub fn definitions(entries: &[Arc<ToolEntry>], language: Language, most: usize) -> Vec<ToolDefinition> {
    let in_detail = |detail| -> Vec<ToolDefinition> {
        entries.iter().map(|entry| definition_in(entry, language, detail)).collect()
    };
    let fitting = Detail::ALL.iter().map(|detail| in_detail(*detail)).find(|tools| bytes(tools) <= most);
    fitting.unwrap_or_else(|| in_detail(Detail::Names))
}

/// The size of the definitions on the wire, in OpenAI's form.
pub fn bytes(tools: &[ToolDefinition]) -> usize {
    let on_wire = |tool: &ToolDefinition| json!({"type": "function", "function": tool}).to_string().len();
    tools.iter().map(|tool| on_wire(tool) + 1).sum()
}

#[cfg(test)]
mod tests;
