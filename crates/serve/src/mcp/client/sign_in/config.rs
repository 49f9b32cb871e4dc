//! What may be written down about signing in to a server: `"oauth": {…}` beside its `url`.

use std::fmt;

use serde::{Deserialize, Deserializer};

/// Mostly nothing is needed: what is missing is found out by asking the server.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OauthConfig {
    /// A client that was registered with the authorization server by hand.
    #[serde(alias = "clientId")]
    pub client_id: Option<String>,
    #[serde(alias = "clientSecret")]
    pub client_secret: Option<String>,
    /// The https address of a document that describes the client, for servers that take that instead.
    #[serde(alias = "clientMetadataUrl")]
    pub client_metadata_url: Option<String>,
    /// What to ask for, where it is not what the server says it needs: a list, or one text with blanks between.
    #[serde(deserialize_with = "words")]
    pub scopes: Vec<String>,
    /// Where the browser comes back to on this machine; any free port where nothing is said. Only for authorization
    /// servers that insist on the very address that was registered.
    #[serde(alias = "callbackPort")]
    pub callback_port: Option<u16>,
    /// Whether the authorization server may be at an address that only exists in a private network.
    #[serde(alias = "privateNetwork")]
    pub private_network: bool,
}

impl OauthConfig {
    /// The texts in which a person may name a variable.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        [&mut self.client_id, &mut self.client_secret, &mut self.client_metadata_url].into_iter().flatten()
    }
}

impl fmt::Debug for OauthConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OauthConfig")
            .field("client_id", &self.client_id)
            .field("client_secret", &self.client_secret.as_ref().map(|_| "…"))
            .field("client_metadata_url", &self.client_metadata_url)
            .field("scopes", &self.scopes)
            .field("callback_port", &self.callback_port)
            .field("private_network", &self.private_network)
            .finish()
    }
}

fn words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Words {
        List(Vec<String>),
        Text(String),
    }
    Ok(match Words::deserialize(deserializer)? {
        Words::List(list) => list,
        Words::Text(text) => text.split_whitespace().map(str::to_owned).collect(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // all of it is tests
    use super::*;

    fn read(json: &str) -> Result<OauthConfig, serde_json::Error> {
        serde_json::from_str(json)
    }

    #[test]
    fn both_manners_of_writing_are_read() {
        let ours =
            r#"{"client_id": "me", "client_secret": "hush", "scopes": ["a", "b"], "callback_port": 8080}"#;
        let theirs = r#"{"clientId": "me", "clientSecret": "hush", "scopes": "a b", "callbackPort": 8080}"#;
        assert_eq!(read(ours).unwrap(), read(theirs).unwrap());
        assert_eq!(read("{}").unwrap(), OauthConfig::default());
        assert!(read(r#"{"client": "me"}"#).is_err(), "a misspelling is not passed over");
    }

    #[test]
    fn the_secret_is_not_shown() {
        let config = read(r#"{"client_id": "me", "client_secret": "hush-hush"}"#).unwrap();
        let shown = format!("{config:?}");
        assert!(shown.contains("me") && !shown.contains("hush"), "{shown}");
    }

    #[test]
    fn variables_can_be_put_into_every_text() {
        let mut config = read(r#"{"client_id": "$A", "client_secret": "$B", "scopes": ["$C"]}"#).unwrap();
        config.texts_mut().for_each(|text| *text = text.replace('$', "the "));
        assert_eq!(config.client_id.as_deref(), Some("the A"));
        assert_eq!(config.client_secret.as_deref(), Some("the B"));
    }
}
