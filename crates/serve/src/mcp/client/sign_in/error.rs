//! Why signing in failed, in words that say nothing of a secret.

use std::{io, time::Duration};

use rmcp::transport::auth::AuthError;

use super::keeper::KeeperError;

/// What a server says of itself is cut after so many characters.
const LONGEST: usize = 300;

#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    #[error("the address of the MCP server {name} cannot be used: {why}")]
    Address { name: String, why: String },
    #[error("the MCP server {0} wants nobody to sign in")]
    NotWanted(String),
    /// What a token or a code would travel to, or a browser would be sent to.
    #[error(
        "{what} is `{url}`, which is neither https nor on this machine: nothing is sent there, and it is not opened"
    )]
    Unsafe { what: &'static str, url: String },
    #[error("what the server says about signing in cannot be used: {0}")]
    Metadata(String),
    #[error(
        "the authorization server registers no client by itself ({0}): register one with it, and set `client_id` \
         under `oauth`"
    )]
    Registration(String),
    #[error("nothing can be listened on for the browser to come back to: {0}")]
    Listen(io::Error),
    #[error("nobody finished signing in within {} minutes", .0.as_secs().div_ceil(60))]
    Late(Duration),
    #[error("signing in was cancelled")]
    Cancelled,
    #[error("the authorization server refused: {0}")]
    Refused(String),
    /// Somebody may have mixed up two authorization servers (RFC 9207): the code is not used.
    #[error(
        "the answer is not from the authorization server that was asked ({expected}): nothing was taken from it"
    )]
    OtherIssuer { expected: String },
    #[error("the authorization server gave no token: {0}")]
    NoToken(String),
    #[error("the server or its authorization server cannot be reached: {0}")]
    Unreachable(String),
    #[error(transparent)]
    Keeper(#[from] KeeperError),
}

impl From<AuthError> for SignInError {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::RegistrationFailed(why) => Self::Registration(harmless(&why)),
            AuthError::AuthorizationServerMismatch { expected_issuer, .. }
            | AuthError::AuthorizationServerMissingIssuer { expected_issuer } => {
                Self::OtherIssuer { expected: harmless(&expected_issuer) }
            }
            AuthError::TokenExchangeFailed(why) => Self::NoToken(of_exchange(&why)),
            AuthError::TokenRefreshFailed(why) | AuthError::TokenRefreshRejected(why) => {
                Self::NoToken(of_exchange(&why))
            }
            AuthError::CredentialStoreError(why) => Self::Keeper(KeeperError::new(why)),
            AuthError::HttpError(error) => Self::Unreachable(harmless(&error.without_url().to_string())),
            other => Self::Metadata(harmless(&other.to_string())),
        }
    }
}

/// Only the server's own error is told: a parser's words would quote what it could not read, which may be a token.
fn of_exchange(why: &str) -> String {
    if why.starts_with("Server returned error response") {
        harmless(why)
    } else {
        "its answer to the request for one could not be used".to_owned()
    }
}

/// Words of a server, on one line and within bounds.
pub(super) fn harmless(text: &str) -> String {
    crate::mcp::harmless::harmless(text, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_servers_words_do_not_steer_the_terminal() {
        assert_eq!(harmless("no\u{1b}[2J\r\nway \u{202e}now"), "no[2J  way now");
        assert_eq!(harmless(&"x".repeat(1_000)), format!("{}…", "x".repeat(LONGEST)));
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_not_quoted() {
        let told = |why: &str| SignInError::from(AuthError::TokenExchangeFailed(why.to_owned())).to_string();
        assert!(!told("invalid type: string \"hunter2\", expected u64").contains("hunter2"));
        assert!(told("Server returned error response: invalid_grant: too late").contains("too late"));
    }
}
