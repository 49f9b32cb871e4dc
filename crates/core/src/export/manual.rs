//! The manual page of a tool, in Markdown.

use std::fmt::Write;

use serde_json::Value;

use crate::{
    dialect::{Dialect, DialectEntry},
    registry::{Registry, ToolEntry},
};

pub fn manual(registry: &Registry, entry: &ToolEntry) -> String {
    let spec = entry.spec();
    let mut page = format!("# {}\n\n{}\n", spec.name, spec.description);
    if !spec.description_zh.is_empty() {
        let _ = write!(page, "\n{}\n", spec.description_zh);
    }
    let _ = write!(page, "\n- Permission: {} (the plan of each call settles it)\n", spec.permission);
    let _ = writeln!(page, "- Effects: {}", or_none(&spec.effects.names()));
    let _ = writeln!(page, "- Toolsets: {}", or_none(spec.toolsets));
    let _ = writeln!(page, "- Time limit: {} s", spec.timeout_s);
    let also = other_names(registry, spec.name);
    if !also.is_empty() {
        let _ = writeln!(page, "- Also known as: {}", also.join(", "));
    }
    let _ = write!(page, "\n## Parameters\n\n{}", parameters(entry.input_schema()));
    let _ = write!(page, "\n## Result\n\n{}", parameters(entry.output_schema()));
    let _ = write!(page, "\n## Example\n\n```sh\ndeskhand call {} '{}'\n```\n", spec.name, spec.example);
    page
}

/// The manual page of a tool of another system, in its words.
pub fn manual_in_dialect(dialect: &Dialect, entry: &DialectEntry, tool: &ToolEntry) -> String {
    let (description, description_zh) = entry.description(Some(tool));
    let mut page = format!("# {}\n\n{description}\n", entry.name);
    if !description_zh.is_empty() {
        let _ = write!(page, "\n{description_zh}\n");
    }
    let spec = tool.spec();
    let _ = write!(page, "\n- Dialect: {} ({})\n", dialect.name, dialect.about);
    let _ =
        writeln!(page, "- Tool here: `{}` (`deskhand tools {}` is its manual page)", spec.name, spec.name);
    let _ = writeln!(page, "- Permission: {} (the plan of each call settles it)", spec.permission);
    let schema = entry.input_schema(tool.input_schema());
    let _ = write!(page, "\n## Parameters\n\n{}", parameters(&schema));
    page
}

fn or_none(names: &[&str]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn other_names(registry: &Registry, tool: &str) -> Vec<String> {
    let entries = registry.dialects().iter().flat_map(|d| d.entries.iter().map(move |e| (d, e)));
    entries
        .filter(|(_, entry)| entry.tool == tool)
        .map(|(dialect, entry)| format!("`{}` ({})", entry.name, dialect.name))
        .collect()
}

/// A table of the properties of an object schema; nested objects follow with their path.
fn parameters(schema: &Value) -> String {
    let mut rows = String::new();
    rows_of(schema, "", &mut rows);
    if rows.is_empty() {
        return "None.\n".to_owned();
    }
    format!("| name | type | | meaning |\n|---|---|---|---|\n{rows}")
}

fn rows_of(schema: &Value, prefix: &str, rows: &mut String) {
    let Some(properties) = schema["properties"].as_object() else { return };
    let required: Vec<&str> = schema["required"]
        .as_array()
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    for (name, property) in properties {
        let need = if required.contains(&name.as_str()) { "required" } else { "" };
        let meaning = property["description"].as_str().unwrap_or_default().replace(['\n', '|'], " ");
        let default = match &property["default"] {
            Value::Null => String::new(),
            value => format!(" Default: `{value}`."),
        };
        let _ = writeln!(rows, "| `{prefix}{name}` | {} | {need} | {meaning}{default} |", type_of(property));
        rows_of(property, &format!("{prefix}{name}."), rows);
        rows_of(&property["items"], &format!("{prefix}{name}[]."), rows);
    }
}

fn type_of(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        let words: Vec<_> = values.iter().map(|v| format!("`{}`", v.as_str().unwrap_or_default())).collect();
        return words.join(", ");
    }
    let options = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array());
    if let Some(options) = options {
        let words: Vec<_> = options
            .iter()
            .map(|option| match option["const"].as_str() {
                Some(word) => format!("`{word}`"),
                None => type_of(option),
            })
            .collect();
        return words.join(", ");
    }
    match &schema["type"] {
        Value::String(name) if name == "array" => format!("array of {}", type_of(&schema["items"])),
        Value::String(name) => name.clone(),
        _ => "any".to_owned(),
    }
}
