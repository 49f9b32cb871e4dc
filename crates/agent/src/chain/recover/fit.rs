//! Arguments that came as text, given the types that the tool wants.

use serde_json::{Map, Value};

/// Turns texts into numbers, switches, lists and objects where the schema wants one and the text is exactly one.
/// A text that may stay a text stays, and everything else is left to the check of the gate.
pub fn fit_to_schema(arguments: &mut Value, schema: &Value) {
    let (Some(fields), Some(properties)) =
        (arguments.as_object_mut(), schema.get("properties").and_then(Value::as_object))
    else {
        return;
    };
    fit_fields(fields, properties);
}

fn fit_fields(fields: &mut Map<String, Value>, properties: &Map<String, Value>) {
    for (name, value) in fields {
        if let (Some(wanted), Some(text)) = (properties.get(name), value.as_str())
            && let Some(fitting) = fitting(text, wanted)
        {
            *value = fitting;
        }
    }
}

fn fitting(text: &str, schema: &Value) -> Option<Value> {
    let kinds = kinds(schema);
    if kinds.is_empty() || kinds.contains(&"string") {
        return None;
    }
    let value: Value = match text.trim() {
        "True" => Value::Bool(true),
        "False" => Value::Bool(false),
        text => serde_json::from_str(text).ok()?,
    };
    let fits = |kind: &&str| match *kind {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    };
    kinds.iter().any(fits).then_some(value)
}

/// The types that a schema allows at its top.
fn kinds(schema: &Value) -> Vec<&str> {
    let mut kinds = Vec::new();
    match schema.get("type") {
        Some(Value::String(kind)) => kinds.push(kind.as_str()),
        Some(Value::Array(several)) => kinds.extend(several.iter().filter_map(Value::as_str)),
        _ => {}
    }
    for key in ["anyOf", "oneOf"] {
        for option in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
            kinds.extend(self::kinds(option));
        }
    }
    let values = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    if values.chain(schema.get("const")).any(Value::is_string) {
        kinds.push("string");
    }
    kinds
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_become_what_the_tool_wants() {
        let schema = json!({"properties": {
            "text": {"type": "string"},
            "count": {"type": "integer"},
            "share": {"type": ["number", "null"]},
            "on": {"type": "boolean"},
            "list": {"type": "array"},
            "map": {"type": "object"},
            "glob": {"anyOf": [{"type": "string"}, {"type": "array"}]},
            "kind": {"enum": ["1", "2"]},
            "any": {},
        }});
        let cases = [
            (
                json!({"text": "5", "count": "5", "share": "0.5", "on": "true"}),
                json!({"text": "5", "count": 5, "share": 0.5, "on": true}),
            ),
            (json!({"list": "[1,\"a\"]", "map": "{\"a\":1}"}), json!({"list": [1, "a"], "map": {"a": 1}})),
            (json!({"on": "False", "count": " 7\n"}), json!({"on": false, "count": 7})),
            // what may be a text, what is something else, what is unknown
            (
                json!({"glob": "[1]", "kind": "1", "any": "1", "more": "1"}),
                json!({"glob": "[1]", "kind": "1", "any": "1", "more": "1"}),
            ),
            (
                json!({"count": "five", "on": "1", "list": "{}", "map": "x"}),
                json!({"count": "five", "on": "1", "list": "{}", "map": "x"}),
            ),
            (json!({"count": "5.5"}), json!({"count": "5.5"})),
            (json!(["5"]), json!(["5"])),
        ];
        for (mut given, wanted) in cases {
            fit_to_schema(&mut given, &schema);
            assert_eq!(given, wanted);
        }
    }
}
