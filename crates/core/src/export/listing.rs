//! The JSON listing of `deskhand tools --json`.

use serde_json::{Value, json};

use crate::registry::ToolEntry;

pub fn listing(entry: &ToolEntry) -> Value {
    let spec = entry.spec();
    json!({
        "name": spec.name,
        "description": spec.description,
        "description_zh": spec.description_zh,
        "permission": spec.permission,
        "effects": spec.effects.names(),
        "requires_execution_approval": spec.requires_execution_approval,
        "requires_result_approval": spec.requires_result_approval,
        "toolsets": spec.toolsets,
        "keywords": spec.keywords,
        "timeout_s": spec.timeout_s,
        "example": serde_json::from_str::<Value>(spec.example).unwrap_or_default(),
        "input_schema": entry.input_schema(),
        "output_schema": entry.output_schema(),
    })
}
