//! How the client that runs learns that a person must sign in, and what is told to that person.

use std::{error::Error, sync::Arc, time::Duration};

use reqwest::Url;
use rmcp::{
    service::{ClientInitializeError, ServiceError},
    transport::{
        DynamicTransportError,
        auth::{AuthError, WWWAuthenticateParams},
        streamable_http_client::{AuthRequiredError, InsufficientScopeError},
    },
};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{
    Server,
    drawer::Drawer,
    error::harmless,
    keeper::{Keeper, KeeperError, Kept},
};

/// A challenge is a line of a header; a longer one is not kept.
const LONGEST_CHALLENGE: usize = 4 << 10;

/// How often it is looked whether somebody has signed in.
const LOOK_AGAIN: Duration = Duration::from_secs(3);

/// A server wants a person to sign in. Nothing but that helps, so it is not tried again before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// What the server said (its `WWW-Authenticate`), where it did.
    challenge: Option<String>,
    /// Whether somebody has signed in and the server wants more than was agreed to.
    more: bool,
}

impl Wanted {
    /// What a connection that could not be made says.
    pub fn by_start(error: &ClientInitializeError) -> Option<Self> {
        match error {
            ClientInitializeError::TransportError { error, .. } => Self::by_transport(error),
            ClientInitializeError::LegacyFallbackFailed { discover, fallback } => {
                Self::by_start(fallback).or_else(|| Self::by_start(discover))
            }
            _ => None,
        }
    }

    /// What a request that failed says.
    pub fn by_request(error: &ServiceError) -> Option<Self> {
        match error {
            ServiceError::TransportSend(error) => Self::by_transport(error),
            _ => None,
        }
    }

    fn by_transport(error: &DynamicTransportError) -> Option<Self> {
        Self::by_error(error.error.as_ref())
    }

    /// Whatever the error is wrapped in.
    pub fn by_error(error: &(dyn Error + 'static)) -> Option<Self> {
        causes(error).find_map(|cause| {
            if let Some(required) = cause.downcast_ref::<AuthRequiredError>() {
                let challenge = Some(required.www_authenticate_header.clone());
                return Some(Self { challenge, more: false });
            }
            if let Some(scope) = cause.downcast_ref::<InsufficientScopeError>() {
                let challenge = Some(scope.www_authenticate_header.clone());
                return Some(Self { challenge, more: true });
            }
            match cause.downcast_ref::<AuthError>()? {
                AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_) => {
                    Some(Self { challenge: None, more: false })
                }
                AuthError::InsufficientScope { .. } => Some(Self { challenge: None, more: true }),
                _ => None,
            }
        })
    }

    /// What happened and what to do, for people.
    pub fn told(&self, name: &str) -> String {
        let why = if self.more {
            match &self.scope() {
                Some(scope) => format!("wants more than you agreed to ({})", harmless(scope)),
                None => "wants more than you agreed to".to_owned(),
            }
        } else {
            "wants you to sign in".to_owned()
        };
        format!("The MCP server {name} {why}. Run: {}", remedy(name))
    }

    pub fn wants_more(&self) -> bool {
        self.more
    }

    pub fn challenge(&self) -> Option<&str> {
        self.challenge.as_deref()
    }

    fn scope(&self) -> Option<String> {
        // Only needed for an address in it that is relative.
        let base = Url::parse("http://localhost").ok()?;
        WWWAuthenticateParams::parse(self.challenge.as_deref()?, &base).scope
    }

    /// Keeps what the server said for the sign-in, which another process may do.
    pub async fn remember(&self, server: &Server, keeper: Arc<dyn Keeper>) -> Result<(), KeeperError> {
        let drawer = Drawer::new(keeper, server.id());
        let mut kept = drawer.kept().await?.unwrap_or_else(|| Kept::new(None, None));
        let said = self.challenge.as_deref().filter(|said| said.len() <= LONGEST_CHALLENGE);
        // Also where it said nothing: that somebody must sign in is what is kept.
        kept.challenge = Some(said.unwrap_or_default().to_owned());
        drawer.keep(kept.touched()).await
    }

    /// Remembers it, and waits until somebody has signed in, here or in another process. `false` where that was
    /// cancelled.
    pub async fn until_signed_in(
        &self,
        server: &Server,
        keeper: Arc<dyn Keeper>,
        cancel: &CancellationToken,
    ) -> Result<bool, KeeperError> {
        self.remember(server, keeper.clone()).await?;
        loop {
            tokio::select! {
                () = cancel.cancelled() => return Ok(false),
                () = sleep(LOOK_AGAIN) => {}
            }
            // A drawer remembers, so each look is a new one.
            let kept = Drawer::new(keeper.clone(), server.id()).kept().await?;
            if kept.is_some_and(|kept| !kept.wants_person()) {
                return Ok(true);
            }
        }
    }
}

fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// The command that helps.
pub fn remedy(name: &str) -> String {
    format!("deskhand servers login {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(error: &(dyn Error + 'static)) -> Option<Wanted> {
        Wanted::by_error(error)
    }

    #[test]
    fn what_needs_a_person_is_told_from_what_may_pass() {
        let required = wanted(&AuthRequiredError::new("Bearer".into())).map(|wanted| wanted.told("notes"));
        assert_eq!(
            required.as_deref(),
            Some("The MCP server notes wants you to sign in. Run: deskhand servers login notes")
        );
        let header = "Bearer error=\"insufficient_scope\", scope=\"files:write\"".to_owned();
        let more = wanted(&InsufficientScopeError::new(header, None)).map(|wanted| wanted.told("notes"));
        assert_eq!(
            more.as_deref(),
            Some(
                "The MCP server notes wants more than you agreed to (files:write). Run: deskhand servers login notes"
            )
        );
        assert!(wanted(&AuthError::AuthorizationRequired).is_some());
        assert!(wanted(&AuthError::TokenRefreshFailed("503".into())).is_none(), "it may work the next time");
        assert!(wanted(&AuthError::CredentialStoreError("locked".into())).is_none());
    }
}
