//! One attempt to sign in: what the server wants, as which client, the address for the browser, the tokens.

use std::sync::Arc;

use reqwest::Url;
use rmcp::transport::auth::{
    AuthorizationManager, AuthorizationMetadata, AuthorizationRequest, AuthorizationSession,
    StoredCredentials, WWWAuthenticateParams,
};
use tracing::{instrument::WithSubscriber as _, subscriber::NoSubscriber};

use super::{
    Server, SignInError, challenge,
    drawer::Drawer,
    error::harmless,
    is_safe,
    keeper::{Keeper, Kept},
    redirect,
};

/// Under what name we register.
const CLIENT_NAME: &str = "Deskhand";

pub(super) struct Attempt {
    session: AuthorizationSession,
    drawer: Drawer,
    /// The secret of the client that was registered just now.
    client_secret: Option<String>,
    issuer: Option<String>,
    requires_issuer: bool,
    address: Url,
    state: String,
}

/// As whom we come: what `rmcp` wants to know, and the secret that is to be kept.
struct Identity {
    request: AuthorizationRequest,
    client_secret: Option<String>,
}

impl Attempt {
    /// `challenge` is what the server answered to a request, where that is known.
    pub async fn begin(
        server: &Server,
        keeper: Arc<dyn Keeper>,
        challenge: Option<String>,
        redirect_uri: &str,
    ) -> Result<Self, SignInError> {
        check("the address of the server", server.url.as_str())?;
        let drawer = Drawer::new(keeper, server.id());
        let before = drawer.kept().await?.unwrap_or_default();
        let wanted = match challenge.or_else(|| before.challenge.clone().filter(|said| !said.is_empty())) {
            Some(said) => challenge::Answer::SignIn(Some(said)),
            None => challenge::ask(server).await?,
        };
        let said = match &wanted {
            challenge::Answer::SignIn(said) => said.as_deref(),
            challenge::Answer::Open => None,
        };
        let mut manager = server.manager().await?;
        manager.set_credential_store(drawer.clone());
        let found = manager.resolve_metadata_from_challenge(said).await?;
        if wanted == challenge::Answer::Open && !found.source.is_discovered() {
            return Err(SignInError::NotWanted(server.name.clone()));
        }
        check_endpoints(&found.metadata)?;
        manager.set_metadata(found.metadata.clone());
        let scopes = scopes(server, &manager, &before, &found.metadata, said).await;
        let Identity { request, client_secret } =
            identify(server, &mut manager, &found.metadata, redirect_uri, &scopes).await?;
        let session = AuthorizationSession::new(manager, request).await.map_err(|(_, error)| error)?;
        let address = check("the page for signing in", session.get_authorization_url())?;
        let state =
            address.query_pairs().find(|(name, _)| name == "state").map(|(_, value)| value.into_owned());
        let state = state.ok_or_else(|| SignInError::Metadata("there is no `state`".to_owned()))?;
        let requires_issuer = promises(&found.metadata, "authorization_response_iss_parameter_supported");
        let issuer = found.metadata.issuer;
        Ok(Self { session, drawer, client_secret, issuer, requires_issuer, address, state })
    }

    /// Where the person signs in.
    pub fn address(&self) -> &str {
        self.address.as_str()
    }

    pub fn state(&self) -> &str {
        &self.state
    }

    /// Takes the answer, and keeps the tokens that come for it.
    pub async fn finish(self, answer: redirect::Answer) -> Result<Kept, SignInError> {
        let issuer = answer.issuer.as_deref();
        let code = match answer.outcome {
            Ok(code) => code,
            Err(words) => {
                // The words of somebody else are not shown, either.
                self.check_issuer(issuer)?;
                return Err(SignInError::Refused(harmless(&words)));
            }
        };
        self.drawer.sign_in_as(self.client_secret);
        // `rmcp` writes the code, and parts of the answer that may be tokens, into its log.
        self.session
            .handle_callback_with_issuer(&code, &self.state, issuer)
            .with_subscriber(NoSubscriber::default())
            .await?;
        Ok(self.drawer.kept().await?.unwrap_or_default())
    }

    fn check_issuer(&self, received: Option<&str>) -> Result<(), SignInError> {
        let other = match (received, &self.issuer) {
            (Some(received), expected) => expected.as_deref() != Some(received),
            (None, _) => self.requires_issuer,
        };
        if other {
            let expected = harmless(self.issuer.as_deref().unwrap_or("of unknown name"));
            return Err(SignInError::OtherIssuer { expected });
        }
        Ok(())
    }
}

fn promises(metadata: &AuthorizationMetadata, what: &str) -> bool {
    metadata.additional_fields.get(what).and_then(serde_json::Value::as_bool).unwrap_or(false)
}

fn check(what: &'static str, url: &str) -> Result<Url, SignInError> {
    let parsed = Url::parse(url).ok().filter(is_safe);
    parsed.ok_or_else(|| {
        // Without what may be secret in it.
        let url = Url::parse(url).ok().map_or_else(
            || "no URL".to_owned(),
            |url| format!("{}://{}", url.scheme(), url.host_str().unwrap_or_default()),
        );
        SignInError::Unsafe { what, url: harmless(&url) }
    })
}

/// A server names these, and a browser opens the first: it must not be led to a file or a program.
fn check_endpoints(metadata: &AuthorizationMetadata) -> Result<(), SignInError> {
    check("the page for signing in", &metadata.authorization_endpoint)?;
    check("where tokens come from", &metadata.token_endpoint)?;
    if let Some(endpoint) = &metadata.registration_endpoint {
        check("where clients are registered", endpoint)?;
    }
    Ok(())
}

/// What to ask the person for: what the config says, else what the server needs. What they agreed to before is asked
/// for again, so that signing in for more does not end with less.
async fn scopes(
    server: &Server,
    manager: &AuthorizationManager,
    before: &Kept,
    metadata: &AuthorizationMetadata,
    challenge: Option<&str>,
) -> Vec<String> {
    let here = |credentials: &&StoredCredentials| credentials.issuer == metadata.issuer;
    let agreed =
        before.credentials.as_ref().filter(here).map(|credentials| credentials.granted_scopes.clone());
    let mut scopes = agreed.unwrap_or_default();
    if server.oauth.scopes.is_empty() {
        scopes.extend(manager.select_initial_scopes(&[]).await);
    } else {
        scopes.extend(server.oauth.scopes.iter().cloned());
        let said = challenge.map(|said| WWWAuthenticateParams::parse(said, &server.url));
        if let Some(said) = said.filter(WWWAuthenticateParams::is_insufficient_scope) {
            scopes.extend(said.scope.unwrap_or_default().split_whitespace().map(str::to_owned));
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    scopes.retain(|scope| seen.insert(scope.clone()));
    scopes
}

/// A client that the config names, or a document that describes one, or one that is registered now. The last is done
/// here and not by the session, which would not tell the secret.
async fn identify(
    server: &Server,
    manager: &mut AuthorizationManager,
    metadata: &AuthorizationMetadata,
    redirect_uri: &str,
    scopes: &[String],
) -> Result<Identity, SignInError> {
    let mut request = AuthorizationRequest::new(redirect_uri)
        .with_initial_scope_selection()
        .with_scopes(scopes)
        .with_client_name(CLIENT_NAME);
    let oauth = &server.oauth;
    if let Some(id) = &oauth.client_id {
        request = request.with_preregistered_client(id);
        if let Some(secret) = &oauth.client_secret {
            request = request.with_client_secret(secret);
        }
        return Ok(Identity { request, client_secret: None });
    }
    if let Some(url) = &oauth.client_metadata_url
        && promises(metadata, "client_id_metadata_document_supported")
    {
        return Ok(Identity { request: request.with_client_metadata_url(url), client_secret: None });
    }
    let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let client = manager.register_client(CLIENT_NAME, redirect_uri, &scopes).await?;
    request = request.with_preregistered_client(client.client_id);
    if let Some(secret) = &client.client_secret {
        request = request.with_client_secret(secret);
    }
    Ok(Identity { request, client_secret: client.client_secret })
}
