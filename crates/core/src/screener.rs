//! Secrets never leave: what the gate needs from whoever knows what a secret looks like.

use std::{fmt, ops::Deref};

use serde::Serialize;
use serde_json::Value;

/// Text that went through a [`Screener`]. Only such text reaches a model, a log, the audit or a stored row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Masked(String);

impl Masked {
    /// For a screener, which has masked it, and for words of our own, which hold no secret.
    pub fn assume(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

impl Deref for Masked {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Masked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How a mask begins and ends: `⟦masked:kind⟧`.
pub const MASK_OPEN: &str = "⟦masked:";
pub const MASK_CLOSE: char = '⟧';

/// Replaces secrets by masks.
pub trait Screener: Send + Sync {
    fn mask_text(&self, text: &str) -> Masked;

    /// Masks every string in a value, and what stands under a key that names a secret. Keys are masked, too.
    fn mask_value(&self, value: &Value) -> Value;
}

/// Where in `value` a mask stands, as JSON pointers: a write with one in it would replace a secret by its
/// mask.
pub fn masks_in(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    visit_strings(value, &mut String::new(), &mut |at, text| {
        if text.contains(MASK_OPEN) {
            found.push(if at.is_empty() { "/".to_owned() } else { at.to_owned() });
        }
    });
    found
}

fn visit_strings(value: &Value, at: &mut String, see: &mut impl FnMut(&str, &str)) {
    let depth = at.len();
    match value {
        Value::String(text) => see(at, text),
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                at.push('/');
                at.push_str(&i.to_string());
                visit_strings(item, at, see);
                at.truncate(depth);
            }
        }
        Value::Object(fields) => {
            for (key, item) in fields {
                at.push('/');
                at.push_str(&key.replace('~', "~0").replace('/', "~1"));
                see(at, key);
                visit_strings(item, at, see);
                at.truncate(depth);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn finds_masks_wherever_they_stand() {
        let value = json!({"path": "a", "edits": [{"new_text": "x ⟦masked:aws⟧ y"}]});
        assert_eq!(masks_in(&value), ["/edits/0/new_text"]);
        assert!(masks_in(&json!({"path": "masked:aws"})).is_empty());
    }
}
