//! The tool as MCP lists it. Annotations are derived from the effects.

use serde_json::{Value, json};

use crate::{registry::ToolEntry, spec::Permission};

pub fn mcp_tool(entry: &ToolEntry) -> Value {
    let spec = entry.spec();
    let changes = spec.effects.change_state();
    json!({
        "name": spec.name,
        "description": spec.description,
        "inputSchema": entry.input_schema(),
        "outputSchema": entry.output_schema(),
        "annotations": {
            "readOnlyHint": !changes,
            "destructiveHint": changes && spec.permission >= Permission::Moderate,
            "idempotentHint": !changes,
            "openWorldHint": spec.effects.network,
        }
    })
}
