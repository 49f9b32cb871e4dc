//! Conceal: what of a call's arguments may be shown and written down.

use serde_json::Value;

use super::Gate;
use crate::{
    registry::ToolEntry,
    screener::{MASK_CLOSE, MASK_OPEN},
};

impl Gate {
    /// Arguments as they may be shown: without secrets that can be told as such, and without what the tool says may be
    /// one. `tool` is any name of it, in `dialect` or ours.
    pub fn shown(&self, tool: &str, dialect: Option<&str>, arguments: &Value) -> Value {
        let masked = self.screener.mask_value(arguments);
        let Ok(found) = self.registry.find(tool, dialect) else { return masked };
        let conceals = found.entry.spec().conceals;
        if conceals.is_empty() {
            return masked;
        }
        let hidden = || Value::String(format!("{MASK_OPEN}not shown{MASK_CLOSE}"));
        let Value::Object(mut fields) = masked else { return hidden() };
        for (name, value) in &mut fields {
            if is_concealed(&found.entry, name) {
                *value = hidden();
            }
        }
        Value::Object(fields)
    }

    /// Whether some of these arguments are not shown.
    pub(super) fn conceals(&self, tool: &str, dialect: Option<&str>, arguments: &Value) -> bool {
        self.registry.find(tool, dialect).is_ok_and(|found| conceals_some(&found.entry, arguments))
    }
}

/// Whether some of a call's arguments may be secrets that nothing in them tells.
pub(super) fn conceals_some(entry: &ToolEntry, arguments: &Value) -> bool {
    let is_any =
        |fields: &serde_json::Map<String, Value>| fields.keys().any(|name| is_concealed(entry, name));
    !entry.spec().conceals.is_empty() && arguments.as_object().is_none_or(is_any)
}

/// A name that is not the tool's own may be meant for one that is concealed.
fn is_concealed(entry: &ToolEntry, name: &str) -> bool {
    let is_known = entry.input_schema()["properties"].get(name).is_some();
    entry.spec().conceals.contains(&name) || !is_known
}
