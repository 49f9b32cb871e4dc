//! Find: the name is looked up; names and parameters are canonical from here on.

use std::sync::Arc;

use serde_json::Value;

use super::Request;
use crate::{
    arguments,
    error::{ToolError, ToolResult},
    registry::{Registry, ToolEntry},
};

pub(super) fn find(registry: &Registry, request: &Request) -> ToolResult<(Arc<ToolEntry>, Value)> {
    let asked = request.dialect.as_deref();
    let found = registry.find(&request.tool, asked).map_err(|error| {
        // A name that the asked system has deserves a better answer than that there is none.
        let dialect = asked.and_then(|name| registry.dialect(name));
        dialect.and_then(|dialect| dialect.not_built(&request.tool, registry)).unwrap_or(error)
    })?;
    let schema = found.entry.input_schema();
    let mut given = request.arguments.clone();
    if let Some((dialect, entry)) = found.dialect {
        // A dialect's own bounds bind only where the dialect was asked for: its name alone may be used with
        // all that the tool can do.
        if request.dialect.is_some() {
            if let Some(refusal) = entry.refusal(&given, schema) {
                return Err(ToolError::invalid("invalid_arguments", refusal));
            }
            let wrong = entry.violations(&given, schema);
            if !wrong.is_empty() {
                let (dialect, name) = (dialect.name, entry.name);
                let message = format!("In {dialect}, {name} does not take this: {}.", wrong.join("; "));
                return Err(ToolError::invalid("invalid_arguments", message));
            }
        }
        if let Some(parameter) = entry.given_twice(&given) {
            let message =
                format!("{} and {} are the same parameter: give one of them.", parameter.name, parameter.is);
            return Err(ToolError::invalid("invalid_arguments", message));
        }
        given = found.to_canonical(given);
    }
    arguments::normalise(&mut given, schema);
    Ok((found.entry, given))
}
