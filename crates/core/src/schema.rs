//! JSON Schemas of tools: derived from types, tidied for models, checked with all errors at once.

use jsonschema::Validator;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value};

/// The schema (draft 2020-12) of a type, with everything in its place and nothing that a model need not read.
pub fn of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    tidy(&mut schema);
    if let Some(root) = schema.as_object_mut() {
        root.remove("$schema");
        if root.get("type").and_then(Value::as_str) == Some("object") {
            root.entry("properties").or_insert_with(|| Value::Object(Map::new()));
        }
    }
    schema
}

/// Takes out titles, number formats and `null` alternatives of optional fields. (An optional field may be
/// left out; a caller that sends `null` for one is understood, too: see `arguments::drop_nulls`.)
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.get("title").is_some_and(Value::is_string) {
                fields.remove("title");
            }
            if fields
                .get("format")
                .and_then(Value::as_str)
                .is_some_and(|f| f.starts_with("uint") || f.starts_with("int"))
            {
                fields.remove("format");
            }
            if fields.get("default").is_some_and(Value::is_null) {
                fields.remove("default");
            }
            drop_null_type(fields);
            fields.values_mut().for_each(tidy);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}

fn drop_null_type(fields: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        types.retain(|t| t != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            fields.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = fields.get_mut("enum") {
        values.retain(|v| !v.is_null());
    }
    let Some(Value::Array(options)) = fields.get_mut("anyOf") else { return };
    options.retain(|option| option.get("type").and_then(Value::as_str) != Some("null"));
    if options.len() == 1 {
        let only = options.remove(0);
        fields.remove("anyOf");
        if let Value::Object(only) = only {
            for (key, value) in only {
                fields.entry(key).or_insert(value);
            }
        }
    }
}

/// Compiles a schema. One that cannot be compiled is a mistake in the program; the text says which.
pub fn compile(schema: &Value) -> Result<Validator, String> {
    jsonschema::draft202012::new(schema).map_err(|error| error.to_string())
}

/// The names of the parameters that a schema knows at its top.
pub fn property_names(schema: &Value) -> Vec<&str> {
    schema
        .get("properties")
        .and_then(Value::as_object)
        .map(|properties| properties.keys().map(String::as_str).collect())
        .unwrap_or_default()
}
