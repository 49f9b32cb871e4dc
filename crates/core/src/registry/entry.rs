//! A registered tool with everything that is derived from it.

use std::sync::{Arc, OnceLock};

use jsonschema::Validator;
use serde_json::Value;

use super::guests::Guest;
use crate::{
    error::{ToolError, ToolResult},
    schema,
    spec::{Spec, SpecOf},
    tool::{SharedTool, Tool},
};

/// A tool, what is said of it, and its schemas.
pub struct ToolEntry {
    words: Words,
    pub(crate) tool: SharedTool,
    schemas: OnceLock<Schemas>,
    make_schemas: fn() -> (Value, Value),
}

/// What is said of a tool: in our own constant, or by the server that has it.
enum Words {
    Own(Spec),
    Guest { host: String, guest: Box<Said> },
}

struct Said {
    name: String,
    description: String,
    spec: Spec,
    shared: bool,
}

struct Schemas {
    input: Value,
    output: Value,
    validator: OnceLock<Result<Validator, String>>,
}

impl Schemas {
    fn new((input, output): (Value, Value)) -> Self {
        Self { input, output, validator: OnceLock::new() }
    }
}

impl ToolEntry {
    pub(super) fn new<T: Tool>(spec: Spec, tool: T) -> Self {
        Self {
            words: Words::Own(spec),
            tool: Arc::new(tool),
            schemas: OnceLock::new(),
            make_schemas: || (schema::of::<T::Input>(), schema::of::<T::Output>()),
        }
    }

    pub(super) fn guest(host: &str, guest: Guest) -> Self {
        let Guest {
            name,
            description,
            permission,
            effects,
            timeout_s,
            shared,
            input_schema,
            output_schema,
            tool,
        } = guest;
        let spec = Spec::new("", "").permission(permission).effects(effects).timeout_s(timeout_s);
        Self {
            words: Words::Guest {
                host: host.to_owned(),
                guest: Box::new(Said { name, description, spec, shared }),
            },
            tool,
            schemas: OnceLock::from(Schemas::new((input_schema, output_schema))),
            make_schemas: Default::default,
        }
    }

    pub fn spec(&self) -> SpecOf<'_> {
        match &self.words {
            Words::Own(spec) => *spec,
            Words::Guest { guest, .. } => {
                SpecOf { name: &guest.name, description: &guest.description, ..guest.spec }
            }
        }
    }

    /// Who says what is said of it, where that is text from outside.
    pub fn said_by(&self) -> Option<String> {
        self.host().map(|host| format!("the MCP server {host}"))
    }

    /// The server that has it, where it is not ours.
    pub fn host(&self) -> Option<&str> {
        match &self.words {
            Words::Own(_) => None,
            Words::Guest { host, .. } => Some(host),
        }
    }

    /// Whether it is there for whoever works for this owner (`None`: that of the installation, whose servers they are).
    pub fn is_for(&self, owner: Option<&str>) -> bool {
        match &self.words {
            Words::Own(_) => true,
            Words::Guest { guest, .. } => guest.shared || owner.is_none(),
        }
    }

    /// Whether it belongs to a toolset. The tools of another server are a toolset of its name.
    pub fn is_in(&self, toolset: &str) -> bool {
        match &self.words {
            Words::Own(spec) => spec.toolsets.contains(&toolset),
            Words::Guest { host, .. } => host == toolset,
        }
    }

    fn schemas(&self) -> &Schemas {
        self.schemas.get_or_init(|| Schemas::new((self.make_schemas)()))
    }

    pub fn input_schema(&self) -> &Value {
        &self.schemas().input
    }

    /// `null` where another server's tool has none.
    pub fn output_schema(&self) -> &Value {
        &self.schemas().output
    }

    /// Compiled once, at the first call of the tool.
    pub fn validator(&self) -> ToolResult<&Validator> {
        let schemas = self.schemas();
        schemas.validator.get_or_init(|| schema::compile(&schemas.input)).as_ref().map_err(|error| {
            ToolError::new("bad_schema", format!("The schema of {} is wrong: {error}.", self.spec().name))
        })
    }
}
