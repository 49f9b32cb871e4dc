//! The OpenAI function definition.

use serde_json::{Value, json};

use crate::{dialect::DialectEntry, registry::ToolEntry};

pub fn openai_function(entry: &ToolEntry) -> Value {
    function(entry.spec().name, entry.spec().description, entry.input_schema())
}

/// The same in the words of another system.
pub fn openai_function_in_dialect(entry: &DialectEntry, tool: &ToolEntry) -> Value {
    function(entry.name, entry.description(Some(tool)).0, &entry.input_schema(tool.input_schema()))
}

fn function(name: &str, description: &str, parameters: &Value) -> Value {
    json!({
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters}
    })
}
