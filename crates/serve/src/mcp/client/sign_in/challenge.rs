//! What a server answers to somebody who has not signed in.

use std::time::Duration;

use reqwest::{
    Client, StatusCode,
    header::{ACCEPT, WWW_AUTHENTICATE},
    redirect,
};
use serde_json::json;

use super::{Server, SignInError, error::harmless, is_local, use_tls};

const CONNECT_LIMIT: Duration = Duration::from_secs(10);
const ANSWER_LIMIT: Duration = Duration::from_secs(30);

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Whoever asks must sign in; what it says about that (`WWW-Authenticate`), where it does.
    SignIn(Option<String>),
    /// It answers anybody, so far.
    Open,
}

/// Asks as a client would begin to. The server says what it wants only to that: many know no GET.
pub(super) async fn ask(server: &Server) -> Result<Answer, SignInError> {
    use_tls();
    let unreachable =
        |error: reqwest::Error| SignInError::Unreachable(harmless(&error.without_url().to_string()));
    let mut builder = Client::builder()
        .user_agent(concat!("deskhand/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_LIMIT)
        .timeout(ANSWER_LIMIT);
    if is_local(&server.url) {
        builder = builder.no_proxy();
    }
    let hello = json!({
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "deskhand", "version": env!("CARGO_PKG_VERSION")},
        },
    });
    let answer = builder
        .build()
        .map_err(unreachable)?
        .post(server.url.clone())
        .header(ACCEPT, "application/json, text/event-stream")
        .json(&hello)
        .send()
        .await
        .map_err(unreachable)?;
    if answer.status() != StatusCode::UNAUTHORIZED {
        return Ok(Answer::Open);
    }
    let said: Vec<&str> =
        answer.headers().get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok()).collect();
    // There may be one for each scheme.
    let ours = said.iter().find(|value| value.contains("resource_metadata")).or(said.first());
    Ok(Answer::SignIn(ours.map(|value| (*value).to_owned())))
}
