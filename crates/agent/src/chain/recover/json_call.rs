//! Calls as JSON objects, in the shapes in which models write them.

use serde_json::{Map, Value};

use crate::{chain::json_scan, provider::Arguments};

const NAMES: &[&str] = &["name", "tool", "tool_name", "function", "function_name"];
const ARGUMENTS: &[&str] = &["arguments", "parameters", "args", "input", "tool_input"];

/// An object that may be a call.
pub struct Shape<'a> {
    pub name: &'a str,
    /// `None` if there is no member of that name.
    given: Option<&'a Value>,
    /// The object is named in a way that only calls are: `tool`, `tool_name`, …, not `name`.
    pub says_tool: bool,
}

impl<'a> Shape<'a> {
    /// `None` if nothing in it names a tool.
    pub fn of(value: &'a Value) -> Option<Self> {
        let fields = value.as_object()?;
        // {"function": {"name": …, "arguments": …}}, {"tool_call": {…}}
        let inner = ["function", "function_call", "tool_call"]
            .into_iter()
            .find_map(|key| fields.get(key)?.as_object());
        let fields = inner.unwrap_or(fields);
        let (key, name) = NAMES.iter().find_map(|key| Some((*key, fields.get(*key)?.as_str()?)))?;
        let says_tool = inner.is_some() || matches!(key, "tool" | "tool_name" | "function_name");
        Some(Self { name, given: arguments_of(fields), says_tool })
    }

    pub fn has_arguments(&self) -> bool {
        self.given.is_some()
    }

    /// The arguments, if they are an object or a text that is one.
    pub fn arguments(&self) -> Arguments {
        match self.given {
            None => Arguments::Broken {
                text: String::new(),
                why: format!(
                    "There are no arguments. Send {{\"name\": \"{}\", \"arguments\": {{…}}}}.",
                    self.name
                ),
            },
            Some(Value::String(text)) => from_text(text),
            Some(value) => from_value(value.clone()),
        }
    }
}

fn arguments_of(fields: &Map<String, Value>) -> Option<&Value> {
    ARGUMENTS.iter().find_map(|key| fields.get(*key))
}

/// Arguments that were read as JSON.
pub fn from_value(value: Value) -> Arguments {
    let kind = match &value {
        Value::Object(_) => return Arguments::Given(value),
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
    };
    Arguments::Broken {
        text: value.to_string(),
        why: format!("The arguments are {kind}, not a JSON object."),
    }
}

/// Arguments that are written as JSON.
pub fn from_text(text: &str) -> Arguments {
    let text = text.trim();
    if text.is_empty() {
        let why = "The arguments are empty. Send a JSON object, {} if there is nothing to say.".to_owned();
        return Arguments::Broken { text: String::new(), why };
    }
    match json_scan::read(text) {
        Ok(value) => from_value(value),
        Err(why) => {
            let why = format!("The arguments are not JSON: {why}.");
            Arguments::Broken { text: text.to_owned(), why }
        }
    }
}

/// The name of the tool in an object that has no end or is broken: the first whole text behind a key that names
/// tools. It is only good for saying whose arguments are broken.
pub fn begun_name(text: &str) -> Option<String> {
    let mut key: Option<&str> = None;
    let mut rest = text;
    loop {
        let start = rest.find('"')?;
        let is_value = key.is_some() && rest[..start].trim() == ":";
        let inside = &rest[start + 1..];
        let end = inside.find(['"', '\\'])?;
        let (word, behind) = (&inside[..end], &inside[end..]);
        if behind.starts_with('\\') {
            // No key and no name has an escape: pass over the string.
            let mut escaped = false;
            let close = behind.char_indices().find(|(_, letter)| {
                let closes = *letter == '"' && !escaped;
                escaped = *letter == '\\' && !escaped;
                closes
            });
            rest = &behind[close?.0 + 1..];
            key = None;
            continue;
        }
        rest = &behind[1..];
        if is_value {
            return Some(word.to_owned());
        }
        key = NAMES.contains(&word).then_some(word);
    }
}

/// Whether a broken object has a member for arguments at all.
pub fn names_arguments(text: &str) -> bool {
    ARGUMENTS.iter().any(|key| text.contains(&format!("\"{key}\"")))
}
