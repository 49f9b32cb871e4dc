//! The tool as MCP lists it. Annotations are derived from the effects.

use serde_json::{Value, json};

use crate::{dialect::DialectEntry, registry::ToolEntry, spec::Permission};

/// The tool in the words of another system, whose results have a shape of their own.
pub fn mcp_tool_in_dialect(entry: &DialectEntry, tool: &ToolEntry) -> Value {
    let mut listed = mcp_tool(tool);
    listed["name"] = entry.name.into();
    listed["description"] = entry.description(Some(tool)).0.into();
    listed["inputSchema"] = entry.input_schema(tool.input_schema());
    if let Some(fields) = listed.as_object_mut() {
        fields.remove("outputSchema");
    }
    listed
}

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
