//! The OpenAI function definition.

use serde_json::{Value, json};

use crate::registry::ToolEntry;

pub fn openai_function(entry: &ToolEntry) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": entry.spec().name,
            "description": entry.spec().description,
            "parameters": entry.input_schema(),
        }
    })
}
