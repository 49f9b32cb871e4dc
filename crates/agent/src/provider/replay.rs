//! A real exchange, written down once and played back: the same requests get the same answers, without a server.
//!
//! A request is known by what was said and which tools were offered, after masking. The system prompt is left out, for
//! it has the date and the folder in it.

use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    io::Write as _,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use deskhand_core::{Screener as _, arguments::sha256};
use deskhand_guard::SecretScreener;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    Arguments, Capabilities, ChatMessage, Constrains, Delta, ErrorClass, ModelRequest, Provider,
    ProviderError, Reply,
};

#[cfg(test)]
mod tests;

const FORMAT: &str = "deskhand-replay-1";
/// The largest recording that is played.
const MOST_BYTES: u64 = 64 << 20;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    format: String,
    /// Who answered.
    model: String,
    native_tools: bool,
    constrains: bool,
    images: bool,
    context_tokens: u64,
}

/// Every further line.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Recorded {
    /// The hash of the request.
    request: String,
    /// How the last message began, for whoever reads the file.
    last: String,
    deltas: Vec<Delta>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply: Option<Reply>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<RecordedError>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct RecordedError {
    class: String,
    message: String,
    hint: Option<String>,
    status: Option<u16>,
    retry_after_s: Option<f64>,
    partly_answered: bool,
}

/// Asks another model and writes down what it answers.
pub struct Recorder {
    inner: Arc<dyn Provider>,
    file: Mutex<File>,
}

impl Recorder {
    /// Adds to `path`, which it makes for its owner alone.
    pub fn new(inner: Arc<dyn Provider>, path: &Path) -> Result<Self, ProviderError> {
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let wrong = |error: std::io::Error| {
            ProviderError::new(
                ErrorClass::BadRequest,
                format!("The recording {} cannot be written: {error}.", path.display()),
            )
            .naming_place()
        };
        let mut file = options.open(path).map_err(wrong)?;
        if file.metadata().map_err(wrong)?.len() == 0 {
            let can = inner.capabilities();
            let header = Header {
                format: FORMAT.to_owned(),
                model: inner.name().to_owned(),
                native_tools: can.native_tools,
                constrains: can.constrains == Constrains::JsonSchema,
                images: can.images,
                context_tokens: can.context_tokens,
            };
            writeln!(file, "{}", json!(header)).map_err(wrong)?;
        }
        Ok(Self { inner, file: Mutex::new(file) })
    }

    fn write(&self, line: &Recorded) {
        let mut text = json!(line).to_string();
        text.push('\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // The answer is worth more than its recording.
        if let Err(error) = file.write_all(text.as_bytes()) {
            tracing::warn!(%error, "an answer could not be written into the recording");
        }
    }
}

impl Provider for Recorder {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn complete<'a>(
        &'a self,
        request: &'a ModelRequest,
        on: &'a mut (dyn FnMut(Delta) + Send),
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        Box::pin(async move {
            let mut deltas = Vec::new();
            let answer = {
                let mut both = |delta: Delta| {
                    if !matches!(delta, Delta::Notice(_)) {
                        deltas.push(delta.clone());
                    }
                    on(delta);
                };
                self.inner.complete(request, &mut both, cancel).await
            };
            if !matches!(&answer, Err(error) if error.class == ErrorClass::Cancelled) {
                self.write(&recorded(request, deltas, &answer));
            }
            answer
        })
    }
}

fn recorded(request: &ModelRequest, deltas: Vec<Delta>, answer: &Result<Reply, ProviderError>) -> Recorded {
    let (reply, error) = match answer {
        Ok(reply) => (Some(masked_reply(reply)), None),
        Err(error) => (
            None,
            Some(RecordedError {
                class: error.class.as_str().to_owned(),
                message: SecretScreener.mask_text(&error.message).into_string(),
                hint: error.hint.clone(),
                status: error.status,
                retry_after_s: error.retry_after.map(|after| after.as_secs_f64()),
                partly_answered: error.partly_answered,
            }),
        ),
    };
    Recorded {
        request: hash(request),
        last: request.messages.last().map(beginning).unwrap_or_default(),
        deltas: masked_deltas(deltas),
        reply,
        error,
    }
}

fn masked_reply(reply: &Reply) -> Reply {
    let mask = |text: &str| SecretScreener.mask_text(text).into_string();
    let mut masked = reply.clone();
    masked.text = mask(&reply.text);
    for thought in &mut masked.thoughts {
        thought.text = mask(&thought.text);
    }
    for call in &mut masked.calls {
        call.arguments = match &call.arguments {
            Arguments::Given(value) => Arguments::Given(SecretScreener.mask_value(value)),
            Arguments::Broken { text, why } => Arguments::Broken { text: mask(text), why: mask(why) },
        };
    }
    masked
}

/// A secret may be spread over pieces: where one is, the pieces become one.
fn masked_deltas(deltas: Vec<Delta>) -> Vec<Delta> {
    let of = |pick: fn(&Delta) -> Option<&str>| deltas.iter().filter_map(pick).collect::<String>();
    let text = of(|delta| if let Delta::Text(text) = delta { Some(text) } else { None });
    let thoughts = of(|delta| if let Delta::Thought(text) = delta { Some(text) } else { None });
    let masked_text = SecretScreener.mask_text(&text).into_string();
    let masked_thoughts = SecretScreener.mask_text(&thoughts).into_string();
    if masked_text == text && masked_thoughts == thoughts {
        return deltas;
    }
    let calls = deltas.into_iter().filter(|delta| matches!(delta, Delta::Call { .. }));
    let texts = [Delta::Thought(masked_thoughts), Delta::Text(masked_text)];
    texts
        .into_iter()
        .filter(|delta| !matches!(delta, Delta::Text(text) | Delta::Thought(text) if text.is_empty()))
        .chain(calls)
        .collect()
}

fn hash(request: &ModelRequest) -> String {
    let tools: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    let value: Value =
        json!({"messages": request.messages, "tools": tools, "constraint": request.constraint});
    sha256(&SecretScreener.mask_value(&value))
}

fn beginning(message: &ChatMessage) -> String {
    let text = match message {
        ChatMessage::User { text, .. } | ChatMessage::Assistant { text, .. } => text.as_str(),
        ChatMessage::Results { results } => results.first().map_or("", |result| result.text.as_str()),
    };
    SecretScreener.mask_text(text).chars().take(100).collect()
}

/// Answers as a recording says.
#[derive(Debug)]
pub struct Player {
    name: String,
    header: Header,
    answers: HashMap<String, Vec<Recorded>>,
    played: Mutex<HashMap<String, usize>>,
}

impl Player {
    pub fn from_file(path: &Path) -> Result<Self, ProviderError> {
        let wrong = |why: String| {
            ProviderError::new(ErrorClass::NoSuchModel, format!("The recording {} {why}", path.display()))
                .naming_place()
        };
        let unreadable = |error: std::io::Error| wrong(format!("cannot be read: {error}."));
        let size = fs::metadata(path).map_err(unreadable)?.len();
        if size > MOST_BYTES {
            return Err(wrong(format!("has {size} bytes; {MOST_BYTES} are the most.")));
        }
        let text = fs::read_to_string(path).map_err(unreadable)?;
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let header = lines.next().and_then(|(_, line)| serde_json::from_str::<Header>(line).ok());
        let header = header.filter(|header| header.format == FORMAT).ok_or_else(|| {
            wrong(format!("is not one: its first line does not say \"format\": \"{FORMAT}\"."))
        })?;
        let mut answers: HashMap<String, Vec<Recorded>> = HashMap::new();
        for (at, line) in lines {
            let recorded: Recorded = serde_json::from_str(line)
                .map_err(|error| wrong(format!("cannot be understood in line {}: {error}.", at + 1)))?;
            answers.entry(recorded.request.clone()).or_default().push(recorded);
        }
        Ok(Self { name: format!("replay/{}", path.display()), header, answers, played: Mutex::default() })
    }

    /// The next recorded answer to this request; the last one again and again.
    fn find(&self, request: &ModelRequest) -> Result<&Recorded, ProviderError> {
        let hash = hash(request);
        let answers = self.answers.get(&hash).ok_or_else(|| {
            let last = request.messages.last().map(beginning).unwrap_or_default();
            ProviderError::new(
                ErrorClass::BadRequest,
                format!("{} has no answer to this request (its last message begins «{last}»).", self.name),
            )
            .hint("Record it anew: the conversation or the tools have changed.")
        })?;
        let mut played = self.played.lock().unwrap_or_else(PoisonError::into_inner);
        let count = played.entry(hash).or_default();
        let at = (*count).min(answers.len() - 1);
        *count += 1;
        Ok(&answers[at])
    }
}

impl Provider for Player {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            native_tools: self.header.native_tools,
            constrains: self.header.constrains.into(),
            images: self.header.images,
            context_tokens: self.header.context_tokens,
        }
    }

    fn complete<'a>(
        &'a self,
        request: &'a ModelRequest,
        on: &'a mut (dyn FnMut(Delta) + Send),
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        Box::pin(async move {
            if cancel.is_cancelled() {
                return Err(ProviderError::new(ErrorClass::Cancelled, "The request was cancelled."));
            }
            let recorded = self.find(request)?;
            recorded.deltas.iter().cloned().for_each(&mut *on);
            match (&recorded.reply, &recorded.error) {
                (Some(reply), _) => Ok(reply.clone()),
                (None, Some(error)) => Err(error.into()),
                (None, None) => Err(ProviderError::new(
                    ErrorClass::Malformed,
                    format!("{} has a line with neither a reply nor an error.", self.name),
                )),
            }
        })
    }
}

impl From<&RecordedError> for ProviderError {
    fn from(error: &RecordedError) -> Self {
        Self {
            class: ErrorClass::parse(&error.class).unwrap_or(ErrorClass::Server),
            message: error.message.clone(),
            hint: error.hint.clone(),
            status: error.status,
            retry_after: error.retry_after_s.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            partly_answered: error.partly_answered,
            ..Self::new(ErrorClass::Server, "")
        }
    }
}
