//! The client that runs: it signs its requests with the tokens that are kept, and asks nobody.

use std::sync::Arc;

use rmcp::transport::{
    auth::{AuthClient, OAuthClientConfig},
    streamable_http_client::StreamableHttpClient,
};

use super::{
    Server, SignInError,
    drawer::Drawer,
    keeper::{Keeper, Kept},
};

/// A client that puts the token into each request of `http`, and renews it when it is old or refused: once for a
/// request, never more. Where nothing is kept, requests go out as they are. Errors that mean that a person must sign
/// in are told by [`Wanted`](super::Wanted).
///
/// This is done anew for each connection: the server may have moved to another authorization server.
pub async fn authorise<C>(
    http: C,
    server: &Server,
    keeper: Arc<dyn Keeper>,
) -> Result<AuthClient<C>, SignInError>
where
    C: StreamableHttpClient,
{
    let mut manager = server.manager().await?;
    let drawer = Drawer::new(keeper, server.id());
    let kept = drawer.kept().await?;
    manager.set_credential_store(drawer);
    let usable = kept.filter(|kept| belongs_here(kept, server));
    if let Some(kept) = usable
        && manager.initialize_from_store().await?
        && let Some(config) = client_of(&kept, server)
    {
        manager.configure_client(config)?;
    }
    Ok(AuthClient::new(http, manager))
}

/// Tokens of another client than the one that the config names now are not used.
fn belongs_here(kept: &Kept, server: &Server) -> bool {
    let named = server.oauth.client_id.as_deref();
    let holder = kept.credentials.as_ref().map(|credentials| credentials.client_id.as_str());
    kept.has_tokens() && (named.is_none() || named == holder)
}

/// The client with its secret, which `rmcp` does not keep by itself; a client without one is set up already.
fn client_of(kept: &Kept, server: &Server) -> Option<OAuthClientConfig> {
    let secret = match server.oauth.client_id {
        Some(_) => server.oauth.client_secret.clone(),
        None => kept.client_secret.clone(),
    }?;
    let id = &kept.credentials.as_ref()?.client_id;
    // Nobody is sent anywhere from here: the redirect is only there because one must be.
    Some(OAuthClientConfig::new(id, server.url.as_str()).with_client_secret(secret))
}
