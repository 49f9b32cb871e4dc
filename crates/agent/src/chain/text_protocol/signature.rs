//! A tool on one line: `- name(path*: string, limit: integer): What it does.`

use serde_json::Value;

use crate::provider::ToolDefinition;

/// Values to choose from that are listed; of more, only the type is.
const MAX_VALUES: usize = 12;
/// Objects in objects deeper than this are just `object`.
const MAX_DEPTH: usize = 3;

pub(super) fn line(tool: &ToolDefinition) -> String {
    let description = tool.description.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("- {}({}): {description}", tool.name, members(&tool.parameters, 0))
}

/// The parameters, those first that must be given.
fn members(schema: &Value, depth: usize) -> String {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return String::new() };
    let (first, rest): (Vec<_>, Vec<_>) =
        properties.iter().partition(|(name, _)| required.contains(&name.as_str()));
    let must = first.into_iter().map(|(name, property)| format!("{name}*: {}", kind(property, depth)));
    let may = rest.into_iter().map(|(name, property)| format!("{name}: {}", kind(property, depth)));
    must.chain(may).collect::<Vec<_>>().join(", ")
}

fn kind(schema: &Value, depth: usize) -> String {
    if let Some(constant) = schema.get("const") {
        return word(constant);
    }
    if let Some(values) =
        schema.get("enum").and_then(Value::as_array).filter(|values| values.len() <= MAX_VALUES)
    {
        return values.iter().map(word).collect::<Vec<_>>().join("|");
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(options) = schema.get(key).and_then(Value::as_array) {
            return options.iter().map(|option| kind(option, depth + 1)).collect::<Vec<_>>().join("|");
        }
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("array") if depth < MAX_DEPTH => {
            let items = schema.get("items").map_or_else(|| "any".to_owned(), |items| kind(items, depth + 1));
            if items.contains('|') { format!("({items})[]") } else { format!("{items}[]") }
        }
        Some("object") if depth < MAX_DEPTH && schema.get("properties").is_some() => {
            format!("{{{}}}", members(schema, depth + 1))
        }
        Some(other) => other.to_owned(),
        None => "any".to_owned(),
    }
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
