//! What we gave to a server and nobody else should see: it is taken out of all that the server says.

use serde_json::Value;

/// The secrets of one server.
#[derive(Clone, Default)]
pub(super) struct Secrets(Vec<String>);

const MASK: &str = "⟦masked:mcp-secret⟧";
/// Shorter ones would be found in any text.
const SHORTEST: usize = 6;

impl Secrets {
    pub fn is_named_like_one(name: &str) -> bool {
        deskhand_guard::mask::is_secret_name(name)
    }

    pub fn add(&mut self, value: &str) {
        let bare = value.split_once(' ').map_or(value, |(scheme, rest)| {
            if scheme.eq_ignore_ascii_case("bearer") || scheme.eq_ignore_ascii_case("basic") {
                rest
            } else {
                value
            }
        });
        for secret in [value.trim(), bare.trim()] {
            if secret.len() >= SHORTEST && !self.0.iter().any(|known| known == secret) {
                self.0.push(secret.to_owned());
            }
        }
        // The longest first, so that a part of one does not spoil the whole.
        self.0.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    }

    /// The password and the parameters of an address.
    pub fn add_url(&mut self, url: &str) {
        let Ok(url) = reqwest::Url::parse(url) else { return };
        if let Some(password) = url.password() {
            self.add(password);
        }
        for (_, value) in url.query_pairs() {
            self.add(&value);
        }
    }

    pub fn hide(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.0 {
            if text.contains(secret.as_str()) {
                text = text.replace(secret.as_str(), MASK);
            }
        }
        text
    }

    pub fn hide_in(&self, value: Value) -> Value {
        if self.0.is_empty() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.hide(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.hide_in(item)).collect(),
            Value::Object(fields) => {
                fields.into_iter().map(|(key, item)| (self.hide(&key), self.hide_in(item))).collect()
            }
            other => other,
        }
    }
}
