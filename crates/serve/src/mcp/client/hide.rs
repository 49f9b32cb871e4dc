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
        // After the name of a scheme (`Bearer`, `token`, …) only the last word is the secret.
        let words = value.split_whitespace().count();
        let bare = value.split_whitespace().next_back().filter(|_| words == 2).unwrap_or(value);
        for secret in [value.trim(), bare.trim()] {
            if secret.len() >= SHORTEST && !self.0.iter().any(|known| known == secret) {
                self.0.push(secret.to_owned());
            }
        }
        // The longest first, so that a part of one does not spoil the whole.
        self.0.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    }

    /// `--api-key X` and `--api-key=X`.
    pub fn add_arguments(&mut self, arguments: &[String]) {
        let names_one =
            |name: &str| name.starts_with('-') && Self::is_named_like_one(name.trim_start_matches('-'));
        for (at, argument) in arguments.iter().enumerate() {
            match argument.split_once('=') {
                Some((name, value)) if names_one(name) => self.add(value),
                None if names_one(argument) => {
                    if let Some(value) = arguments.get(at + 1) {
                        self.add(value);
                    }
                }
                _ => {}
            }
        }
    }

    /// The password, the parameters and what looks like a key in the path of an address.
    pub fn add_url(&mut self, url: &str) {
        let Ok(url) = reqwest::Url::parse(url) else { return };
        if let Some(password) = url.password() {
            self.add(password);
        }
        for (_, value) in url.query_pairs() {
            self.add(&value);
        }
        let like_a_key = |part: &&str| part.len() >= 16 && part.contains(|c: char| c.is_ascii_digit());
        for part in url.path_segments().into_iter().flatten().filter(like_a_key) {
            self.add(part);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_known_wherever_an_entry_has_them() {
        let mut secrets = Secrets::default();
        let arguments = ["--port", "8080-8080", "--api-key", "key-of-args", "--token=key-of-token"];
        secrets.add_arguments(&arguments.map(str::to_owned));
        secrets.add_url("https://h.example/mcp/0123456789abcdef/x?k=key-of-query");
        secrets.add("token key-of-header");
        let said = "key-of-args key-of-token 0123456789abcdef key-of-query key-of-header 8080-8080 example";
        let hidden = secrets.hide(said);
        assert_eq!(hidden.matches(MASK).count(), 5, "{hidden}");
        assert!(hidden.ends_with("8080-8080 example"), "{hidden}");
    }
}
