//! Where the tokens of servers are kept, and what is kept.

use std::{
    any::Any,
    fmt,
    time::{SystemTime, UNIX_EPOCH},
};

use rmcp::transport::auth::StoredCredentials;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A server by its name and its address: tokens for one address are never sent to another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServerId {
    name: String,
    key: String,
}

impl ServerId {
    pub fn new(name: &str, url: &str) -> Self {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
        let readable: String = name.chars().map(plain).take(40).collect();
        // The whole name is in the sum, too: two that read alike are still two.
        let sum = Sha256::digest(format!("{name}\n{url}"));
        let sum = sum.iter().take(8).fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        Self { name: name.to_owned(), key: format!("{readable}-{sum:016x}") }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// One word of letters, digits, `-` and `_`; good for a file's name, and without the address, which may be secret.
    pub fn key(&self) -> &str {
        &self.key
    }
}

/// What is kept for one server.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
    /// The tokens, whose they are and who gave them. Their own `Debug` shows nothing of them.
    pub(super) credentials: Option<StoredCredentials>,
    /// Of the client that was registered for them; one from the config is not kept.
    pub(super) client_secret: Option<String>,
    /// What the server answered when these tokens were not enough (its `WWW-Authenticate`), for the next sign-in.
    pub(super) challenge: Option<String>,
    /// Milliseconds since 1970: of two that are kept, the newer one counts.
    pub(super) saved_at: u64,
}

impl Kept {
    pub(super) fn new(credentials: Option<StoredCredentials>, client_secret: Option<String>) -> Self {
        Self { credentials, client_secret, challenge: None, saved_at: now() }
    }

    /// Whether there are tokens to try.
    pub fn has_tokens(&self) -> bool {
        self.credentials.as_ref().is_some_and(|credentials| credentials.token_response.is_some())
    }

    /// Whether a person is waited for to sign in.
    pub fn wants_person(&self) -> bool {
        !self.has_tokens() || self.challenge.is_some()
    }

    /// What the person agreed to.
    pub fn scopes(&self) -> &[String] {
        self.credentials.as_ref().map_or(&[], |credentials| &credentials.granted_scopes)
    }

    pub(super) fn touched(mut self) -> Self {
        self.saved_at = now();
        self
    }

    pub(super) fn to_text(&self) -> Result<String, KeeperError> {
        serde_json::to_string(self).map_err(|_| KeeperError::new("tokens cannot be written down"))
    }

    /// The parser's words would quote a token.
    pub(super) fn from_text(text: &str, place: &str) -> Result<Self, KeeperError> {
        serde_json::from_str(text).map_err(|error| {
            KeeperError::new(format!(
                "what {place} has is not what was kept there (line {}, column {})",
                error.line(),
                error.column()
            ))
        })
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept")
            .field("tokens", &self.has_tokens())
            .field("scopes", &self.scopes())
            .field("wants_person", &self.wants_person())
            .finish_non_exhaustive()
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Why tokens could not be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the tokens of MCP servers: {0}")]
pub struct KeeperError(String);

impl KeeperError {
    pub fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// A place for tokens. All of this blocks: inside of async code it belongs on a thread for that.
pub trait Keeper: Send + Sync {
    fn load(&self, server: &ServerId) -> Result<Option<Kept>, KeeperError>;

    fn save(&self, server: &ServerId, kept: &Kept) -> Result<(), KeeperError>;

    /// Whether there was something.
    fn clear(&self, server: &ServerId) -> Result<bool, KeeperError>;

    /// Held while the tokens of a server are renewed, so that two processes do not use one token for that, which can
    /// be used once. `None` while another has it; it is given back when it is dropped. Loading and saving do not
    /// take it.
    fn try_lock(&self, server: &ServerId) -> Result<Option<Box<dyn Any + Send>>, KeeperError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_name_or_address_is_another_server() {
        let one = ServerId::new("git hub", "https://example.com/mcp");
        assert_eq!(one, ServerId::new("git hub", "https://example.com/mcp"));
        assert_eq!(one.name(), "git hub");
        assert_ne!(one.key(), ServerId::new("git_hub", "https://example.com/mcp").key());
        assert_ne!(one.key(), ServerId::new("git hub", "https://example.org/mcp").key());
        let strange = ServerId::new("../../etc/passwd\0中", "https://example.com");
        assert!(strange.key().chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)), "{strange:?}");
    }

    #[test]
    fn broken_text_is_not_quoted() {
        let error = Kept::from_text(r#"{"client_secret": 5, "challenge": "hunter2"}"#, "the file");
        let told = error.map(|_| ()).map_err(|error| error.to_string());
        assert_eq!(
            told,
            Err(
                "the tokens of MCP servers: what the file has is not what was kept there (line 1, column 19)"
                    .to_owned()
            )
        );
    }
}
