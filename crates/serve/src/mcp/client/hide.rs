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

    pub fn add_arguments(&mut self, arguments: &[String]) {
        for (argument, start) in secret_arguments(arguments) {
            self.add(&arguments[argument][start..]);
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

/// The arguments of a program as they may be shown: keys in them are masked, however short.
pub fn without_secrets(mut arguments: Vec<String>) -> Vec<String> {
    for (argument, start) in secret_arguments(&arguments) {
        arguments[argument].replace_range(start.., MASK);
    }
    arguments
}

/// The values in `--api-key X`, `--api-key=X` and `API_KEY=X`: which argument, and where in it they start.
fn secret_arguments(arguments: &[String]) -> Vec<(usize, usize)> {
    let names_one = |name: &str| Secrets::is_named_like_one(name.trim_start_matches('-'));
    let value_of = |(at, argument): (usize, &String)| match argument.split_once('=') {
        Some((name, _)) => names_one(name).then_some((at, name.len() + 1)),
        None if argument.starts_with('-') && names_one(argument) => Some((at + 1, 0)),
        None => None,
    };
    arguments.iter().enumerate().filter_map(value_of).filter(|(at, _)| *at < arguments.len()).collect()
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

    #[test]
    fn arguments_are_shown_without_their_keys() {
        for (given, shown) in [
            ("run --api-key k1 --port 80", "run --api-key ⟦masked:mcp-secret⟧ --port 80"),
            (
                "--token=a=b -e GITHUB_TOKEN=k1",
                "--token=⟦masked:mcp-secret⟧ -e GITHUB_TOKEN=⟦masked:mcp-secret⟧",
            ),
            ("password x --secret", "password x --secret"),
            ("--max-tokens 5 --url=x", "--max-tokens 5 --url=x"),
        ] {
            let arguments = given.split(' ').map(str::to_owned).collect();
            assert_eq!(without_secrets(arguments).join(" "), shown);
        }
    }
}
