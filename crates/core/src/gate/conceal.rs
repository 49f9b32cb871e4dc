//! Conceal: what of a call's arguments may be shown and written down.

use serde_json::Value;

use super::Gate;
use crate::screener::{MASK_CLOSE, MASK_OPEN};

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
        let known = &found.entry.input_schema()["properties"];
        for (name, value) in &mut fields {
            // A name that is not the tool's own may be meant for one that is concealed.
            if conceals.contains(&name.as_str()) || known.get(name).is_none() {
                *value = hidden();
            }
        }
        Value::Object(fields)
    }

    /// Whether the tool has parameters that are not shown.
    pub(super) fn conceals(&self, tool: &str, dialect: Option<&str>) -> bool {
        self.registry.find(tool, dialect).is_ok_and(|found| !found.entry.spec().conceals.is_empty())
    }
}
