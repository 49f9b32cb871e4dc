//! Other systems' names for our tools: the exact names, parameters and result shapes that their callers use.
//!
//! A dialect is a table. One implementation, many names.

use serde_json::{Map, Value, json};

use crate::{outcome::Outcome, registry::Registry, schema};

/// The tools of another system.
#[derive(Clone, Debug)]
pub struct Dialect {
    pub name: &'static str,
    /// Whose names these are.
    pub about: &'static str,
    pub entries: &'static [DialectEntry],
    /// Turns an outcome into what that system's callers expect.
    pub shape: fn(&Outcome) -> Value,
}

/// One tool of another system, and what it is here.
#[derive(Clone, Copy, Debug)]
pub struct DialectEntry {
    pub name: &'static str,
    /// The canonical tool.
    pub tool: &'static str,
    pub parameters: &'static [Parameter],
    /// Arguments that are always so: JSON objects.
    pub fixed: &'static str,
}

/// A parameter as the other system documents it.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: &'static str,
    /// The canonical parameter.
    pub is: &'static str,
    pub required: bool,
    /// What it is where it is left out; JSON. Empty: the canonical tool's own default.
    pub default: &'static str,
    /// Tighter bounds than the canonical tool's; JSON Schema keywords as a JSON object.
    pub bounds: &'static str,
    /// What its values are called here, where they are called otherwise; a JSON object. A value that is not in it stays
    /// as it is.
    pub values: &'static str,
}

impl Parameter {
    pub const fn required(name: &'static str) -> Self {
        Self { name, is: name, required: true, default: "", bounds: "{}", values: "" }
    }

    pub const fn optional(name: &'static str) -> Self {
        Self { required: false, ..Self::required(name) }
    }

    pub const fn is(mut self, canonical: &'static str) -> Self {
        self.is = canonical;
        self
    }

    pub const fn default(mut self, json: &'static str) -> Self {
        self.default = json;
        self
    }

    pub const fn bounds(mut self, json: &'static str) -> Self {
        self.bounds = json;
        self
    }

    pub const fn values(mut self, json: &'static str) -> Self {
        self.values = json;
        self
    }

    /// A value in that system's words, in ours.
    fn value_here(&self, value: Value) -> Value {
        let ours = parse(self.values).and_then(|mut values| Some(values.get_mut(value.as_str()?)?.take()));
        ours.unwrap_or(value)
    }
}

impl DialectEntry {
    pub const fn new(name: &'static str, tool: &'static str, parameters: &'static [Parameter]) -> Self {
        Self { name, tool, parameters, fixed: "{}" }
    }

    pub const fn fixed(mut self, json: &'static str) -> Self {
        self.fixed = json;
        self
    }

    /// Arguments in that system's words, in ours. What is no documented parameter goes through as it is,
    /// and is checked by the canonical schema. Fixed arguments cannot be overridden.
    pub fn to_canonical(&self, arguments: Value) -> Value {
        let Value::Object(mut given) = arguments else { return arguments };
        let mut canonical = Map::new();
        for parameter in self.parameters {
            let value = given.remove(parameter.name).filter(|value| !value.is_null());
            if let Some(value) = value.or_else(|| parse(parameter.default)) {
                canonical.insert(parameter.is.to_owned(), parameter.value_here(value));
            }
        }
        for (name, value) in given {
            canonical.entry(name).or_insert(value);
        }
        if let Some(Value::Object(fixed)) = parse(self.fixed) {
            canonical.extend(fixed);
        }
        Value::Object(canonical)
    }

    /// A parameter that is given twice, in that system's word and in ours.
    pub fn given_twice(&self, arguments: &Value) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| {
            parameter.name != parameter.is
                && arguments.get(parameter.name).is_some()
                && arguments.get(parameter.is).is_some()
        })
    }

    /// The schema of the arguments in that system's words, made from the canonical tool's.
    pub fn input_schema(&self, canonical: &Value) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for parameter in self.parameters {
            let mut schema = canonical["properties"][parameter.is].clone();
            if schema.is_null() {
                schema = json!({});
            }
            if let Some(fields) = schema.as_object_mut() {
                if !parameter.values.is_empty() {
                    // What the canonical tool takes are other values: only the words about it are the same.
                    fields.retain(|keyword, _| keyword == "description");
                    fields.insert("type".into(), "string".into());
                }
                if let Some(default) = parse(parameter.default) {
                    fields.insert("default".into(), default);
                }
                if let Some(Value::Object(bounds)) = parse(parameter.bounds) {
                    fields.extend(bounds);
                }
            }
            properties.insert(parameter.name.to_owned(), schema);
            if parameter.required {
                required.push(parameter.name);
            }
        }
        json!({"type": "object", "properties": properties, "required": required})
    }

    /// What is wrong with the arguments by that system's own bounds.
    pub fn violations(&self, arguments: &Value, canonical: &Value) -> Vec<String> {
        let schema = self.input_schema(canonical);
        // A `null` stands for what is left out, here as everywhere.
        let mut arguments = arguments.clone();
        if let Value::Object(fields) = &mut arguments {
            fields.retain(|_, value| !value.is_null());
        }
        schema::compile(&schema).map_or_else(
            |error| vec![error],
            |validator| {
                validator
                    .iter_errors(&arguments)
                    .take(20)
                    .map(|e| format!("{}: {e}", e.instance_path()))
                    .collect()
            },
        )
    }
}

fn parse(json: &str) -> Option<Value> {
    if json.is_empty() { None } else { serde_json::from_str(json).ok() }
}

impl Dialect {
    pub fn entry(&self, name: &str) -> Option<&'static DialectEntry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The entries whose tool exists, and those whose tool does not (yet).
    pub fn split<'a>(&'a self, registry: &'a Registry) -> (Vec<&'a DialectEntry>, Vec<&'a DialectEntry>) {
        self.entries.iter().partition(|entry| registry.get(entry.tool).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: DialectEntry = DialectEntry::new(
        "monitor",
        "look",
        &[
            Parameter::optional("metric")
                .is("sections")
                .default(r#""all""#)
                .bounds(r#"{"enum": ["cpu", "all"]}"#)
                .values(r#"{"cpu": ["cpu"], "all": ["cpu", "disk"]}"#),
            Parameter::optional("interval").is("interval_s"),
        ],
    );

    #[test]
    fn values_have_names_of_their_own() {
        for (given, wanted) in [
            (json!({"metric": "cpu"}), json!({"sections": ["cpu"]})),
            (json!({}), json!({"sections": ["cpu", "disk"]})),
            (json!({"metric": null, "interval": 2}), json!({"sections": ["cpu", "disk"], "interval_s": 2})),
            (json!({"metric": "other"}), json!({"sections": "other"})),
            (json!({"metric": ["disk"]}), json!({"sections": ["disk"]})),
        ] {
            assert_eq!(ENTRY.to_canonical(given.clone()), wanted, "{given}");
        }
    }

    #[test]
    fn bounds_are_those_of_the_other_systems_values() {
        let canonical = json!({"properties": {
            "sections": {"type": "array", "items": {"type": "string"}, "description": "What."},
            "interval_s": {"type": "number"},
        }});
        let metric = &ENTRY.input_schema(&canonical)["properties"]["metric"];
        let wanted =
            json!({"type": "string", "description": "What.", "default": "all", "enum": ["cpu", "all"]});
        assert_eq!(*metric, wanted);
        for (given, right) in [
            (json!({"metric": "cpu", "interval": null}), true),
            (json!({"metric": "disk"}), false),
            (json!({"metric": ["cpu"]}), false),
            (json!({"interval": "x"}), false),
        ] {
            assert_eq!(ENTRY.violations(&given, &canonical).is_empty(), right, "{given}");
        }
    }
}
