//! Signing in to MCP servers over HTTP that want it (OAuth 2.1), on top of what `rmcp` has for that.
//!
//! There are two ways in. [`authorise`] is for the client that runs: it uses and renews the tokens that are kept, and
//! asks nobody; a server that wants more than that is told of by [`Wanted`]. [`Login`] is for the person who says
//! `deskhand servers login NAME`: it shows an address, waits for the browser to come back, and keeps the tokens.
//!
//! | module | what lives there |
//! |---|---|
//! | [`config`] | what may be written down about it: a client that is registered already, scopes |
//! | [`keeper`], [`file`](mod@file), [`keyring`] | where tokens are kept: the system's keyring, else files that only their owner reads |
//! | `drawer` | what is kept for one server, as `rmcp` asks for it |
//! | [`authorise`](mod@authorise), [`wanted`] | the client that runs, and how it learns that a person must sign in |
//! | [`under_way`] | sign-ins that go on in the background, begun on the page |
//! | [`login`], `attempt`, `challenge`, `redirect` | the person's way: what the server says it wants, registration, the browser, tokens |
//!
//! A token, a code or a client's secret is in no `Debug`, no line of a log and no error.

mod attempt;
pub mod authorise;
mod challenge;
pub mod config;
mod drawer;
mod error;
pub mod file;
pub mod keeper;
pub mod keyring;
pub mod login;
mod redirect;
pub mod under_way;
pub mod wanted;

use std::{fmt, net::IpAddr, sync::Once};

use reqwest::Url;
use rmcp::transport::auth::AuthorizationManager;

pub use self::{
    authorise::authorise,
    config::OauthConfig,
    error::SignInError,
    file::FileKeeper,
    keeper::{Keeper, KeeperError, Kept, ServerId},
    keyring::{KeyringKeeper, Vault, VaultError},
    login::{Login, SignedIn},
    under_way::{SignInState, SignIns},
    wanted::Wanted,
};

/// The server that somebody signs in to.
#[derive(Clone)]
pub struct Server {
    name: String,
    url: Url,
    oauth: OauthConfig,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may have a secret in it.
        f.debug_struct("Server")
            .field("name", &self.name)
            .field("host", &self.url.host_str())
            .finish_non_exhaustive()
    }
}

impl Server {
    pub fn new(name: &str, url: &str, oauth: OauthConfig) -> Result<Self, SignInError> {
        let wrong = |why: &str| SignInError::Address { name: name.to_owned(), why: why.to_owned() };
        let url: Url = url.parse().map_err(|_| wrong("it is no URL"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong("it is neither http nor https"));
        }
        Ok(Self { name: name.to_owned(), url, oauth })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// By what its tokens are found again: another address under the same name is another server.
    pub fn id(&self) -> ServerId {
        ServerId::new(&self.name, self.url.as_str())
    }

    /// What finds out about the server and talks to its authorization server. It connects to no address inside of a
    /// network that was not named in the config.
    async fn manager(&self) -> Result<AuthorizationManager, SignInError> {
        use_tls();
        let url = self.url.as_str();
        let manager = if self.oauth.private_network {
            AuthorizationManager::new_allowing_private_addresses(url).await
        } else {
            AuthorizationManager::new(url).await
        };
        manager.map_err(SignInError::from)
    }
}

static TLS: Once = Once::new();

/// A client without a provider of cryptography is refused by `reqwest`, even where nothing is encrypted.
fn use_tls() {
    TLS.call_once(|| {
        // An error means that one is installed: any is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

/// Whether an address is on this machine.
pub(super) fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

/// Whether secrets may travel to an address: encrypted, or without leaving this machine.
fn is_safe(url: &Url) -> bool {
    url.scheme() == "https" || (url.scheme() == "http" && is_local(url))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // all of it is tests
    use super::*;

    #[test]
    fn secrets_travel_encrypted_or_not_at_all() {
        for (url, want) in [
            ("https://auth.example.com/authorize", true),
            ("http://127.0.0.1:9/authorize", true),
            ("http://[::1]:9/authorize", true),
            ("http://localhost:9", true),
            ("http://auth.example.com/authorize", false),
            ("http://127.0.0.1.example.com", false),
            ("file:///etc/passwd", false),
            ("javascript:alert(1)", false),
        ] {
            assert_eq!(is_safe(&url.parse().unwrap()), want, "{url}");
        }
    }

    #[test]
    fn an_address_is_shown_without_what_may_be_secret_in_it() {
        let url = "https://me:hunter2@example.com/mcp?key=hunter3";
        let server = Server::new("notes", url, OauthConfig::default()).unwrap();
        let shown = format!("{server:?} {:?}", server.id());
        assert!(shown.contains("notes") && !shown.contains("hunter"), "{shown}");
        let error = Server::new("notes", "ftp://hunter2@example.com", OauthConfig::default()).unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}
