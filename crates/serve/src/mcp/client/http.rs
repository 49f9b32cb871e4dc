//! A server over streamable HTTP. The exchange is rmcp's; the client under it is ours, since an answer must have a bound,
//! and an error must not tell the address with the secrets in it.

use std::{borrow::Cow, collections::BTreeMap, collections::HashMap, sync::Arc};

use futures_util::{StreamExt as _, stream::BoxStream};
use reqwest::{
    Client, Response, StatusCode, Url,
    header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, WWW_AUTHENTICATE},
    redirect,
};
use rmcp::{
    model::{ClientJsonRpcMessage, ClientRequest, ErrorData, ServerJsonRpcMessage},
    transport::{
        StreamableHttpClientTransport,
        streamable_http_client::{
            AuthRequiredError, InsufficientScopeError, SseError, StreamableHttpClient,
            StreamableHttpClientTransportConfig, StreamableHttpError, StreamableHttpPostResponse,
        },
    },
};
use sse_stream::{Sse, SseStream};

use super::{child::LONGEST_MESSAGE, config::Hidden, sign_in::is_local, state::Limits};

const SESSION: &str = "mcp-session-id";
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
/// What is read of an answer that is an error.
const LONGEST_ERROR: usize = 64 * 1024;

type Failed = StreamableHttpError<reqwest::Error>;

/// A client whose answers are bounded.
#[derive(Clone)]
pub(super) struct Bounded(Client);

/// How a server is asked: the client, and what goes with every request.
pub(super) struct Asking {
    pub client: Bounded,
    config: StreamableHttpClientTransportConfig,
}

impl Asking {
    /// By this client, which may be one that signs what it sends.
    pub fn by<C: StreamableHttpClient + Send>(self, client: C) -> StreamableHttpClientTransport<C> {
        StreamableHttpClientTransport::with_client(client, self.config)
    }
}

/// A server is asked with the headers of its entry in every request.
pub(super) fn asking(
    url: &str,
    headers: &BTreeMap<String, Hidden>,
    limits: &Limits,
) -> Result<Asking, String> {
    let url = parse(url)?;
    let mut custom = HashMap::new();
    for (name, value) in headers {
        const OURS: [&str; 5] = ["accept", "content-type", "last-event-id", SESSION, "mcp-protocol-version"];
        let header = HeaderName::try_from(name.as_str())
            .map_err(|_| "the name of a header has a character that is not allowed".to_owned())?;
        if OURS.contains(&header.as_str()) {
            return Err(format!("the header {header} is set by the protocol: take it out of `headers`"));
        }
        let mut value = HeaderValue::try_from(value.reveal())
            .map_err(|_| format!("the value of the header {header} has a character that is not allowed"))?;
        value.set_sensitive(true);
        custom.insert(header, value);
    }
    let config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
        .max_sse_event_size(LONGEST_MESSAGE)
        .custom_headers(custom);
    Ok(Asking { client: Bounded(client(&url, limits)?), config })
}

fn parse(url: &str) -> Result<Url, String> {
    // The address itself is not shown: there may be a secret in it.
    let url = Url::parse(url).map_err(|error| format!("its `url` is no address: {error}"))?;
    if matches!(url.scheme(), "http" | "https") && url.has_host() {
        Ok(url)
    } else {
        Err("its `url` must begin with https:// or http://".to_owned())
    }
}

/// `host` or `host:port`, for people.
pub(super) fn host(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let host = url.host_str()?;
    Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

fn client(url: &Url, limits: &Limits) -> Result<Client, String> {
    // An error means that one is installed: any is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("deskhand/", env!("CARGO_PKG_VERSION")))
        .redirect(same_origin())
        .retry(reqwest::retry::never())
        .connect_timeout(limits.connect);
    if url.scheme() == "http" {
        // No certificate is looked at: a machine that has none can ask its local server all the same.
        builder = builder.tls_certs_only([]);
    }
    if is_local(url) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| format!("the HTTP client cannot be set up: {}", error.without_url()))
}

/// Another origin must not get the headers, and another method would lose the message.
fn same_origin() -> redirect::Policy {
    redirect::Policy::custom(|attempt| {
        let keeps_body =
            matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
        let stays = attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
        if keeps_body && stays && attempt.previous().len() <= 5 { attempt.follow() } else { attempt.stop() }
    })
}

fn without_url(error: reqwest::Error) -> Failed {
    StreamableHttpError::Client(error.without_url())
}

fn tidy(error: Failed) -> Failed {
    match error {
        StreamableHttpError::Client(error) => without_url(error),
        other => other,
    }
}

fn unexpected(words: impl Into<Cow<'static, str>>) -> Failed {
    StreamableHttpError::UnexpectedServerResponse(words.into())
}

/// Whether a request failed since it was answered with an error, or with nonsense: the next may be answered well.
pub(super) fn answered_badly(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    causes.any(|cause| {
        matches!(cause.downcast_ref::<Failed>(), Some(StreamableHttpError::UnexpectedServerResponse(_)))
    })
}

impl StreamableHttpClient for Bounded {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let mut request = self.0.post(uri.as_ref()).header(ACCEPT, format!("{EVENTS}, {JSON}"));
        if let Some(token) = auth_header {
            request = request.bearer_auth(token);
        }
        for (name, value) in custom_headers {
            request = request.header(name, value);
        }
        let had_session = session_id.is_some();
        if let Some(session) = session_id {
            request = request.header(SESSION, session.as_ref());
        }
        let response = request.json(&message).send().await.map_err(without_url)?;
        read_answer(response, &message, had_session).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failed> {
        self.0.delete_session(uri, session_id, auth_header, custom_headers).await.map_err(tidy)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        let most = LONGEST_MESSAGE;
        let stream = self.0.get_stream_with_max_sse_event_size(
            uri,
            session_id,
            last_event_id,
            auth_header,
            custom_headers,
            most,
        );
        stream.await.map_err(tidy)
    }
}

/// What a POST was answered with.
async fn read_answer(
    response: Response,
    message: &ClientJsonRpcMessage,
    had_session: bool,
) -> Result<StreamableHttpPostResponse, Failed> {
    let status = response.status();
    let header = |name: HeaderName| Some(response.headers().get(name)?.to_str().ok()?.to_owned());
    match status {
        StatusCode::ACCEPTED | StatusCode::NO_CONTENT => return Ok(StreamableHttpPostResponse::Accepted),
        StatusCode::NOT_FOUND if had_session => return Err(StreamableHttpError::SessionExpired),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            let challenge = header(WWW_AUTHENTICATE).unwrap_or_default();
            // It knows who asks, and wants more than was agreed to.
            if status == StatusCode::FORBIDDEN && challenge.contains("insufficient_scope") {
                let more = InsufficientScopeError::new(challenge, None);
                return Err(StreamableHttpError::InsufficientScope(more));
            }
            return Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge)));
        }
        _ => {}
    }
    let session = header(HeaderName::from_static(SESSION));
    let kind = header(CONTENT_TYPE).unwrap_or_default().to_ascii_lowercase();
    if !status.is_success() {
        return read_refusal(response, message, had_session, session).await;
    }
    if kind.starts_with(EVENTS) {
        return Ok(StreamableHttpPostResponse::Sse(events(response), session));
    }
    let wants_answer = matches!(message, ClientJsonRpcMessage::Request(_));
    let body = read(response, LONGEST_MESSAGE).await?;
    match serde_json::from_slice(&body) {
        Ok(answer) if kind.starts_with(JSON) => Ok(StreamableHttpPostResponse::Json(answer, session)),
        _ if !wants_answer => Ok(StreamableHttpPostResponse::Accepted),
        _ => Err(unexpected(format!("HTTP {status} with something that is no answer in JSON"))),
    }
}

/// An error may still be an answer; and one to `server/discover` tells that the server is of an older kind.
async fn read_refusal(
    response: Response,
    message: &ClientJsonRpcMessage,
    had_session: bool,
    session: Option<String>,
) -> Result<StreamableHttpPostResponse, Failed> {
    let status = response.status();
    let body = read(response, LONGEST_ERROR).await?;
    let error = match serde_json::from_slice(&body) {
        Ok(ServerJsonRpcMessage::Error(error)) => Some(error),
        _ => None,
    };
    if let ClientJsonRpcMessage::Request(request) = message
        && matches!(request.request, ClientRequest::DiscoverRequest(_))
        && status.is_client_error()
        && !had_session
    {
        let words = format!("server/discover was refused with HTTP {status}");
        let error = error.map_or_else(|| ErrorData::invalid_request(words, None), |error| error.error);
        let answer = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
        return Ok(StreamableHttpPostResponse::Json(answer, None));
    }
    match error {
        Some(error) => Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(error), session)),
        None => Err(unexpected(format!("HTTP {status}"))),
    }
}

async fn read(mut response: Response, most: usize) -> Result<Vec<u8>, Failed> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(without_url)? {
        if body.len() + piece.len() > most {
            return Err(unexpected(format!("an answer of more than {most} bytes")));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

/// The events of an answer, none of them longer than a message may be.
fn events(response: Response) -> BoxStream<'static, Result<Sse, SseError>> {
    let mut bound = EventBound::default();
    let pieces = response.bytes_stream().map(move |piece| {
        let piece = piece.map_err(|error| std::io::Error::other(error.without_url()))?;
        if bound.fits(&piece) { Ok(piece) } else { Err(std::io::Error::other("an event is too long")) }
    });
    SseStream::from_bytes_stream(pieces).boxed()
}

/// How long the event is that is being read. An empty line ends one.
#[derive(Default)]
struct EventBound {
    length: usize,
    in_line: bool,
}

impl EventBound {
    fn fits(&mut self, piece: &[u8]) -> bool {
        for &byte in piece {
            match byte {
                b'\n' if !self.in_line => self.length = 0,
                b'\n' => self.in_line = false,
                b'\r' => {}
                _ => self.in_line = true,
            }
            self.length += 1;
            if self.length > LONGEST_MESSAGE {
                return false;
            }
        }
        true
    }
}
