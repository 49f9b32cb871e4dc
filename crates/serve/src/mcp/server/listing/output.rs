//! Schemas of results. Nothing in them is required: a person may keep back a part of a result or change it, and what
//! is long is cut.

use deskhand_agent::chain::constraint::inline_refs;
use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

/// How much is said of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputDetail {
    /// Every field with its type and what it means.
    Described,
    /// Every field with its type.
    Types,
    /// The fields of the result itself, each with its type.
    Fields,
    /// That it is an object.
    Object,
}

/// What may stand in a schema of a result, beside the schemas in it.
const SAYS_SOMETHING: &[&str] = &["type", "description", "enum", "const"];
const HOLD_ONE: &[&str] = &["items", "additionalProperties"];
const HOLD_SEVERAL: &[&str] = &["anyOf", "oneOf", "allOf"];

pub fn shrunk(schema: &Value, detail: OutputDetail) -> JsonObject {
    let mut result = match detail {
        OutputDetail::Object => Map::new(),
        OutputDetail::Fields => fields(&inline_refs(schema)),
        OutputDetail::Described | OutputDetail::Types => {
            match kept(&inline_refs(schema), detail == OutputDetail::Described) {
                Value::Object(fields) => fields,
                _ => Map::new(),
            }
        }
    };
    result.remove("description");
    result.insert("type".to_owned(), "object".into());
    result
}

/// The types of the properties.
fn fields(schema: &Value) -> JsonObject {
    let Some(properties) = schema["properties"].as_object() else { return Map::new() };
    let typed = properties.iter().map(|(name, property)| {
        let told = match &property["type"] {
            Value::Null => json!({}),
            kind => json!({"type": kind}),
        };
        (name.clone(), told)
    });
    [("properties".to_owned(), Value::Object(typed.collect()))].into_iter().collect()
}

fn kept(schema: &Value, described: bool) -> Value {
    let Some(all) = schema.as_object() else { return schema.clone() };
    let mut result = Map::new();
    for (key, value) in all {
        let told = match key.as_str() {
            "description" if !described => continue,
            "properties" => match value.as_object() {
                Some(properties) => Value::Object(
                    properties.iter().map(|(name, inner)| (name.clone(), kept(inner, described))).collect(),
                ),
                None => continue,
            },
            key if SAYS_SOMETHING.contains(&key) => value.clone(),
            key if HOLD_ONE.contains(&key) => kept(value, described),
            key if HOLD_SEVERAL.contains(&key) => match value.as_array() {
                Some(options) => options.iter().map(|inner| kept(inner, described)).collect(),
                None => continue,
            },
            _ => continue,
        };
        result.insert(key.clone(), told);
    }
    Value::Object(result)
}
