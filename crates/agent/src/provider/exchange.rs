//! One request and its answer: sent, waited for, read as it arrives. Every wait has a limit.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use reqwest::{Client, Response};
use serde_json::Value;
use tokio::time::timeout;

use super::{
    ErrorClass, Problem, ProviderError, Reply,
    failure::{self, About},
    http,
    keys::Key,
    retry::{TimeLimits, in_words},
    sse::{SseEvent, SseReader},
    wire::{On, Stage, Wire},
};

/// The most bytes of an answer; a stream that never ends ends here.
const MOST_BYTES: usize = 64 << 20;
/// The most bytes of a body that says why not.
const MOST_ERROR_BYTES: usize = 64 << 10;
/// How long is waited for what a server may say after the end of its answer.
const AFTER_END: Duration = Duration::from_secs(2);
/// How long is waited for the end of a connection whose answer is done, so that the next request can use it.
const TO_KEEP: Duration = Duration::from_millis(100);

pub(crate) struct Exchange<'a> {
    pub client: &'a Client,
    pub wire: &'a dyn Wire,
    pub about: &'a About,
    pub limits: &'a TimeLimits,
    /// Whether the last request got as far as a connection.
    pub was_reached: AtomicBool,
}

impl Exchange<'_> {
    pub async fn run(&self, key: Option<&Key>, body: &[u8], on: &mut On<'_>) -> Result<Reply, ProviderError> {
        let answer = async {
            let sent = Instant::now();
            let response = self.send(key, body).await?;
            self.read(response, sent, on).await
        };
        let error = match timeout(self.limits.whole, answer).await {
            Ok(Ok(reply)) => return Ok(reply),
            Ok(Err(error)) => error,
            Err(_) => ProviderError::new(
                ErrorClass::Silent,
                format!("{} did not end its answer within {}.", self.about.host, in_words(self.limits.whole)),
            ),
        };
        let mut error = self.without_secrets(failure::without_key(error, key));
        error.names_place |= !self.about.is_own_address;
        Err(error)
    }

    /// Headers of a person's own may hold keys, too.
    fn without_secrets(&self, error: ProviderError) -> ProviderError {
        /// What is shorter is no secret, and would be found everywhere.
        const SHORTEST: usize = 8;
        let headers = self.wire.headers(None);
        let own =
            headers.values().filter(|value| value.is_sensitive()).filter_map(|value| value.to_str().ok());
        own.filter(|value| value.len() >= SHORTEST)
            .fold(error, |error, value| failure::without_key(error, Some(&Key::new(value))))
    }

    async fn send(&self, key: Option<&Key>, body: &[u8]) -> Result<Response, ProviderError> {
        let request = self
            .client
            .post(self.wire.url())
            .headers(self.wire.headers(key))
            .header("content-type", "application/json")
            .header("accept", "text/event-stream, application/json")
            .body(body.to_vec());
        let response = match timeout(self.limits.first_byte, request.send()).await {
            Err(_) => return Err(self.silent(self.limits.first_byte)),
            Ok(Err(error)) => {
                self.was_reached.store(!error.is_connect(), Ordering::Relaxed);
                return Err(self.broken(&error.without_url()));
            }
            Ok(Ok(response)) => response,
        };
        self.was_reached.store(true, Ordering::Relaxed);
        if response.status().is_success() { Ok(response) } else { Err(self.refused(response).await) }
    }

    async fn refused(&self, mut response: Response) -> ProviderError {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let mut body = Vec::new();
        // What cannot be read of the body is left out: the status says enough.
        while let Ok(Ok(Some(chunk))) = timeout(self.limits.between.min(AFTER_END), response.chunk()).await {
            body.extend_from_slice(&chunk[..chunk.len().min(MOST_ERROR_BYTES - body.len())]);
            if body.len() >= MOST_ERROR_BYTES {
                break;
            }
        }
        failure::of_response(self.about, status, &headers, &body)
    }

    async fn read(
        &self,
        mut response: Response,
        sent: Instant,
        on: &mut On<'_>,
    ) -> Result<Reply, ProviderError> {
        let mut body = Body::new();
        let mut reader = self.wire.reader();
        let mut events = Vec::new();
        let mut read = 0;
        loop {
            let limit = match reader.stage() {
                Stage::Done => break,
                Stage::Ending => self.limits.between.min(AFTER_END),
                _ if read == 0 => self.limits.first_byte.saturating_sub(sent.elapsed()),
                _ => self.limits.between,
            };
            let chunk = match timeout(limit, response.chunk()).await {
                Ok(Ok(Some(chunk))) => chunk,
                Ok(Ok(None)) => break,
                // The answer is whole: how the connection ends does not matter.
                Err(_) | Ok(Err(_)) if reader.stage() == Stage::Ending => break,
                Err(_) if read == 0 => return Err(self.silent(self.limits.first_byte)),
                Err(_) => return Err(self.silent(limit)),
                Ok(Err(error)) => return Err(self.broken(&error.without_url())),
            };
            read += chunk.len();
            if read > MOST_BYTES {
                return Err(self.malformed(&format!("an answer of more than {MOST_BYTES} bytes")));
            }
            body.push(&chunk, &mut events)?;
            for event in events.drain(..) {
                reader.event(&event, on)?;
            }
        }
        let mut is_cut = false;
        match body.finish() {
            Rest::Event(event) if reader.stage() != Stage::Done => {
                // The last event lacks its end. If it cannot be read, it is a part of one.
                is_cut = serde_json::from_str::<Value>(&event.data).is_err() && event.data.trim() != "[DONE]";
                if !is_cut {
                    reader.event(&event, on)?;
                }
            }
            Rest::PartOfCharacter => is_cut = true,
            Rest::Json(text) => match serde_json::from_slice::<Value>(&text) {
                Ok(value) => reader.whole(&value, on)?,
                Err(error) if error.is_eof() => return Err(self.cut()),
                Err(_) => return Err(self.malformed(&excerpt(&text))),
            },
            Rest::Page(text) => return Err(self.page(&text)),
            _ => {}
        }
        match reader.stage() {
            stage @ (Stage::Ending | Stage::Done) => {
                if stage == Stage::Done {
                    timeout(TO_KEEP, drain(response)).await.ok();
                }
                Ok(reader.into_reply())
            }
            Stage::Empty if is_cut => Err(self.cut()),
            Stage::Open => Err(self.cut()),
            Stage::Empty if read == 0 => Err(self.malformed("nothing at all")),
            Stage::Empty => Err(self.malformed(&excerpt(&body.start))),
        }
    }

    fn silent(&self, limit: Duration) -> ProviderError {
        ProviderError::new(
            ErrorClass::Silent,
            format!("{} sent nothing for {}.", self.about.host, in_words(limit)),
        )
    }

    fn cut(&self) -> ProviderError {
        self.network("ended the connection in the middle of its answer").because(Problem::BrokeOff)
    }

    fn broken(&self, error: &reqwest::Error) -> ProviderError {
        if http::is_bad_data(error) {
            return self.malformed(&format!("data that cannot be unpacked ({})", http::chain(error)));
        }
        if error.is_connect() {
            let mut failed = self.network(&format!("cannot be reached: {}", http::chain(error)));
            failed.problem = http::problem(error, self.about);
            if http::is_bad_certificate(error) {
                failed.class = ErrorClass::BadRequest;
                failed.hint = Some("Its certificate is not trusted: check the address, or install the certificate of whoever issued it.".to_owned());
            }
            return failed;
        }
        let mut failed = self.network(&format!("broke off: {}", http::chain(error)));
        failed.problem = Some(http::problem(error, self.about).unwrap_or(Problem::BrokeOff));
        failed
    }

    fn network(&self, what: &str) -> ProviderError {
        let mut error =
            ProviderError::new(ErrorClass::Network, failure::shown(&format!("{} {what}.", self.about.host)));
        error.hint = failure::hint(self.about, ErrorClass::Network);
        error
    }

    fn malformed(&self, what: &str) -> ProviderError {
        ProviderError::new(
            ErrorClass::Malformed,
            format!("{} sent {} instead of an answer.", self.about.host, failure::shown(what)),
        )
        .hint(failure::WRONG_PLACE)
    }

    fn page(&self, text: &[u8]) -> ProviderError {
        let told = failure::of_response(self.about, 200, &reqwest::header::HeaderMap::new(), text);
        let said = told.message.split_once(": ").map_or("a web page", |(_, said)| said);
        self.malformed(&format!("{}, that is", said.trim_end_matches(", not an answer of a model")))
    }
}

async fn drain(mut response: Response) {
    while let Ok(Some(_)) = response.chunk().await {}
}

fn excerpt(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let start: String = text.trim().chars().take(200).collect();
    format!("«{start}»")
}

/// A body, which is a stream of events, one JSON value, or a page: the first character tells.
struct Body {
    kind: Kind,
    /// The first bytes, for messages and to tell the kind.
    start: Vec<u8>,
}

enum Kind {
    Unknown(Vec<u8>),
    Events(SseReader),
    Json(Vec<u8>),
    Page(Vec<u8>),
}

enum Rest {
    Nothing,
    Event(SseEvent),
    /// The last line ends in bytes that are no text.
    PartOfCharacter,
    Json(Vec<u8>),
    Page(Vec<u8>),
}

impl Body {
    fn new() -> Self {
        Self { kind: Kind::Unknown(Vec::new()), start: Vec::new() }
    }

    fn push(&mut self, chunk: &[u8], events: &mut Vec<SseEvent>) -> Result<(), ProviderError> {
        let room = 400usize.saturating_sub(self.start.len());
        self.start.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if let Kind::Unknown(held) = &mut self.kind {
            held.extend_from_slice(chunk);
            let Some(first) = held.iter().find(|byte| !byte.is_ascii_whitespace()) else { return Ok(()) };
            let kind = match first {
                b'{' | b'[' => Kind::Json(Vec::new()),
                b'<' => Kind::Page(Vec::new()),
                _ => Kind::Events(SseReader::default()),
            };
            let Kind::Unknown(held) = std::mem::replace(&mut self.kind, kind) else { return Ok(()) };
            return self.add(&held, events);
        }
        self.add(chunk, events)
    }

    fn add(&mut self, chunk: &[u8], events: &mut Vec<SseEvent>) -> Result<(), ProviderError> {
        match &mut self.kind {
            Kind::Unknown(held) | Kind::Json(held) => held.extend_from_slice(chunk),
            // A page is told by its beginning.
            Kind::Page(held) => {
                let room = MOST_ERROR_BYTES.saturating_sub(held.len());
                held.extend_from_slice(&chunk[..chunk.len().min(room)]);
            }
            Kind::Events(reader) => return reader.push(chunk, events),
        }
        Ok(())
    }

    fn finish(&mut self) -> Rest {
        match std::mem::replace(&mut self.kind, Kind::Unknown(Vec::new())) {
            Kind::Unknown(_) => Rest::Nothing,
            Kind::Events(reader) => match reader.finish() {
                Ok(event) => event.map_or(Rest::Nothing, Rest::Event),
                Err(_) => Rest::PartOfCharacter,
            },
            Kind::Json(text) => Rest::Json(text),
            Kind::Page(text) => Rest::Page(text),
        }
    }
}
