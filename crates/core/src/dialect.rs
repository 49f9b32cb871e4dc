//! Other systems' names for our tools: the exact names, parameters and result shapes that their callers use.
//!
//! A dialect is a table. One implementation, many names.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use crate::{
    error::ToolError,
    outcome::Outcome,
    registry::{Registry, ToolEntry},
    schema,
};

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
    /// What it does, in English and in Chinese, where the canonical tool's description says other or more.
    pub about: Option<(&'static str, &'static str)>,
    /// The shape of its results, where it is not the usual one of its system.
    pub shape: Option<fn(&Outcome) -> Value>,
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
    /// A parameter of the same tool: where it is `true`, the default does not hold.
    pub unless: &'static str,
    /// Tighter bounds than the canonical tool's; JSON Schema keywords as a JSON object.
    pub bounds: &'static str,
    /// What its values are called here, where they are called otherwise; a JSON object. A value that is not in it stays
    /// as it is.
    pub values: &'static str,
    /// How its value becomes the canonical one.
    pub becomes: Becomes,
    /// Its own schema, where it is not that of the canonical parameter; a JSON object.
    pub schema: &'static str,
    /// What it means, where the canonical words speak of what that system does not have.
    pub says: &'static str,
    /// What that system says of a text that its schema does not take, before the text itself. Empty: our words.
    pub refusal: &'static str,
}

/// How a value of another system becomes ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Becomes {
    /// As it is.
    Itself,
    /// A number in another unit: seconds that are milliseconds here.
    Times(u32),
    /// A field of the canonical object.
    Field(&'static str),
    /// Added to the canonical list, after what the parameters before it added.
    Added,
}

impl Parameter {
    pub const fn required(name: &'static str) -> Self {
        Self {
            name,
            is: name,
            required: true,
            default: "",
            unless: "",
            bounds: "{}",
            becomes: Becomes::Itself,
            schema: "",
            values: "",
            says: "",
            refusal: "",
        }
    }

    pub const fn optional(name: &'static str) -> Self {
        Self { required: false, ..Self::required(name) }
    }

    pub const fn is(mut self, canonical: &'static str) -> Self {
        self.is = canonical;
        self
    }

    /// The canonical number is `factor` times this one; `schema` says what this one may be.
    pub const fn times(mut self, factor: u32, schema: &'static str) -> Self {
        self.becomes = Becomes::Times(factor);
        self.schema = schema;
        self
    }

    /// The value goes to the end of the canonical list; `schema` says what it may be.
    pub const fn added(mut self, schema: &'static str) -> Self {
        self.becomes = Becomes::Added;
        self.schema = schema;
        self
    }

    /// The value is a field of the canonical object; `schema` says what it may be.
    pub const fn field(mut self, name: &'static str, schema: &'static str) -> Self {
        self.becomes = Becomes::Field(name);
        self.schema = schema;
        self
    }

    pub const fn default(mut self, json: &'static str) -> Self {
        self.default = json;
        self
    }

    /// The default does not hold in a call where the parameter `other` is `true`.
    pub const fn unless(mut self, other: &'static str) -> Self {
        self.unless = other;
        self
    }

    pub const fn bounds(mut self, json: &'static str) -> Self {
        self.bounds = json;
        self
    }

    pub const fn says(mut self, description: &'static str) -> Self {
        self.says = description;
        self
    }

    pub const fn refused_with(mut self, sentence: &'static str) -> Self {
        self.refusal = sentence;
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

impl Parameter {
    /// Puts a value of this parameter where it belongs. What is of a wrong kind goes through as it is, and is found
    /// by the canonical schema.
    fn put(&self, value: Value, canonical: &mut Map<String, Value>) {
        let value = match (self.becomes, value) {
            (Becomes::Times(factor), Value::Number(number)) => times(&number, factor),
            (Becomes::Added, value) => {
                let list = canonical.remove(self.is);
                let mut items = match list {
                    Some(Value::Array(items)) => items,
                    _ => Vec::new(),
                };
                match value {
                    Value::Array(more) => items.extend(more),
                    one => items.push(one),
                }
                Value::Array(items)
            }
            (Becomes::Field(name), value) => {
                let mut fields = match canonical.remove(self.is) {
                    Some(Value::Object(fields)) => fields,
                    _ => Map::new(),
                };
                fields.insert(name.to_owned(), value);
                Value::Object(fields)
            }
            (_, value) => value,
        };
        canonical.insert(self.is.to_owned(), value);
    }
}

fn times(number: &serde_json::Number, factor: u32) -> Value {
    match (number.as_i64(), number.as_f64()) {
        (Some(whole), _) => whole.saturating_mul(i64::from(factor)).into(),
        (None, Some(float)) => (float * f64::from(factor)).round().into(),
        _ => Value::Number(number.clone()),
    }
}

impl DialectEntry {
    pub const fn new(name: &'static str, tool: &'static str, parameters: &'static [Parameter]) -> Self {
        Self { name, tool, parameters, fixed: "{}", about: None, shape: None }
    }

    pub const fn about(mut self, english: &'static str, chinese: &'static str) -> Self {
        self.about = Some((english, chinese));
        self
    }

    pub const fn fixed(mut self, json: &'static str) -> Self {
        self.fixed = json;
        self
    }

    pub const fn shaped(mut self, shape: fn(&Outcome) -> Value) -> Self {
        self.shape = Some(shape);
        self
    }

    /// What it does, in English and in Chinese; `tool` is the canonical one, where it exists.
    pub fn description<'a>(&self, tool: Option<&'a ToolEntry>) -> (&'a str, &'a str) {
        let of_tool = || tool.map(|tool| (tool.spec().description, tool.spec().description_zh));
        self.about.or_else(of_tool).unwrap_or_default()
    }

    /// Arguments in that system's words, in ours. What is no documented parameter goes through as it is,
    /// and is checked by the canonical schema. Fixed arguments cannot be overridden.
    pub fn to_canonical(&self, arguments: Value) -> Value {
        let Value::Object(mut given) = arguments else { return arguments };
        let mut canonical = Map::new();
        let without_default: Vec<&str> = self
            .parameters
            .iter()
            .filter(|parameter| !parameter.unless.is_empty())
            .filter(|parameter| given.get(parameter.unless) == Some(&Value::Bool(true)))
            .map(|parameter| parameter.name)
            .collect();
        for parameter in self.parameters {
            let value = given.remove(parameter.name).filter(|value| !value.is_null());
            let default = || parse(parameter.default).filter(|_| !without_default.contains(&parameter.name));
            if let Some(value) = value.or_else(default) {
                parameter.put(parameter.value_here(value), &mut canonical);
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
            let mut schema =
                parse(parameter.schema).unwrap_or_else(|| canonical["properties"][parameter.is].clone());
            if schema.is_null() {
                schema = json!({});
            }
            if let Some(fields) = schema.as_object_mut() {
                if !parameter.values.is_empty() {
                    // What the canonical tool takes are other values: only the words about it are the same.
                    fields.retain(|keyword, _| keyword == "description");
                    fields.insert("type".into(), "string".into());
                }
                if !parameter.says.is_empty() {
                    fields.insert("description".into(), parameter.says.into());
                }
                if parameter.required {
                    fields.remove("default");
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

    /// What that system says itself of a text that it does not take: of the first such parameter.
    pub fn refusal(&self, arguments: &Value, canonical: &Value) -> Option<String> {
        let properties = &self.input_schema(canonical)["properties"];
        self.parameters.iter().filter(|parameter| !parameter.refusal.is_empty()).find_map(|parameter| {
            let schema = &properties[parameter.name];
            // What is of another kind altogether is told in our words.
            let is_list = schema["type"] == "array";
            let given = arguments.get(parameter.name).filter(|value| value.is_array() == is_list)?;
            let validator = schema::compile(schema).ok()?;
            let text =
                validator.iter_errors(given).find_map(|error| error.instance().as_str().map(str::to_owned));
            Some(format!("{}{}", parameter.refusal, text?))
        })
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
                    .map(|e| match e.instance_path().as_str() {
                        "" => e.to_string(),
                        path => format!("{path}: {e}"),
                    })
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

    /// An outcome as callers of the tool `name` expect it.
    pub fn shaped(&self, name: &str, outcome: &Outcome) -> Value {
        let shape = self.entry(name).and_then(|entry| entry.shape).unwrap_or(self.shape);
        shape(outcome)
    }

    /// What a caller of `name` is told where that system has it and its tool does not exist here yet.
    pub fn not_built(&self, name: &str, registry: &Registry) -> Option<ToolError> {
        let entry = self.entry(name).filter(|entry| registry.get(entry.tool).is_none())?;
        let (name, tool, dialect) = (entry.name, entry.tool, self.name);
        let message = if name == tool {
            format!("{name} of {dialect} is not built yet.")
        } else {
            format!("{name} of {dialect} is not built yet: its tool here will be {tool}.")
        };
        let hint = format!("`deskhand tools --dialect {dialect}` lists what is built.");
        let error = ToolError::new("not_found", message).hint(hint);
        Some(ToolError { status: crate::Status::NotFound, ..error })
    }

    /// One of its tools, for programs; with the reason and what helps where it cannot work here.
    pub fn listed(&self, entry: &DialectEntry, registry: &Registry) -> Value {
        let tool = registry.get(entry.tool);
        let canonical = tool.as_ref().map_or(&Value::Null, |tool| tool.input_schema());
        let (description, description_zh) = entry.description(tool.as_deref());
        let mut listed = json!({
            "name": entry.name,
            "tool": entry.tool,
            "description": description,
            "description_zh": description_zh,
            "built": tool.is_some(),
            "available": registry.find(entry.name, Some(self.name)).is_ok(),
            "input_schema": entry.input_schema(canonical),
        });
        if let Some(absent) = registry.why_absent(entry.tool) {
            listed["why"] = absent.why.as_str().into();
            listed["remedy"] = absent.remedy.as_str().into();
        }
        listed
    }

    /// Every tool that this system has, for programs: what it is here, whether it is built, and its schema in that
    /// system's words.
    pub fn listing(&self, registry: &Registry) -> Vec<Value> {
        self.entries.iter().map(|entry| self.listed(entry, registry)).collect()
    }

    /// The entries whose tool exists, and those whose tool does not (yet).
    pub fn split<'a>(&'a self, registry: &'a Registry) -> (Vec<&'a DialectEntry>, Vec<&'a DialectEntry>) {
        self.entries.iter().partition(|entry| registry.get(entry.tool).is_some())
    }
}
