//! What a program sends that speaks OpenAI's chat completions. What we have no use for is not read.

use aide::{OperationInput, generate::GenContext, openapi::Operation};
use axum::extract::{FromRequest, Request};
use base64::{Engine, engine::general_purpose::STANDARD};
use deskhand_core::arguments::sha256_hex;
use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::refusal::Refusal;
use crate::http::{error::ApiError, extract::Body};

/// The most files of one message.
const MOST_FILES: usize = 20;

#[derive(Deserialize, JsonSchema)]
pub struct ChatBody {
    /// `deskhand`, `deskhand/PROVIDER/NAME`, or the name of a model that is known here. Left out: the usual one.
    pub model: Option<String>,
    pub messages: Vec<ClientMessage>,
    pub stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    /// `session_id`: the session to go on with. Else it is known by what was said before.
    metadata: Option<Map<String, Value>>,
    /// 1, if anything.
    n: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
struct StreamOptions {
    #[serde(default)]
    include_usage: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
pub struct ClientMessage {
    pub role: ClientRole,
    content: Option<Content>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ClientRole {
    System,
    Developer,
    User,
    Assistant,
    Tool,
    Function,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "type")]
enum Part {
    Text {
        text: String,
    },
    ImageUrl {
        image_url: ImageUrl,
    },
    File {
        file: FilePart,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize, JsonSchema)]
struct ImageUrl {
    /// `data:image/png;base64,…`; nothing is fetched.
    url: String,
}

#[derive(Deserialize, JsonSchema)]
struct FilePart {
    filename: Option<String>,
    /// `data:TYPE;base64,…`
    file_data: Option<String>,
}

/// What the user says now.
pub struct Said {
    pub text: String,
    pub files: Vec<SentFile>,
}

pub struct SentFile {
    pub name: String,
    pub mime: String,
    pub content: Vec<u8>,
}

impl ChatBody {
    pub fn wants_usage(&self) -> bool {
        self.stream_options.as_ref().and_then(|options| options.include_usage).unwrap_or(false)
    }

    /// The session that it names.
    pub fn session_id(&self) -> Option<&str> {
        self.metadata.as_ref()?.get("session_id")?.as_str().filter(|id| !id.is_empty())
    }

    /// Where the last message of the user stands.
    pub fn last_user(&self) -> Option<usize> {
        self.messages.iter().rposition(|message| message.role == ClientRole::User)
    }

    /// The last message of the user, with what came with it.
    pub fn last_said(&self) -> Result<Said, ApiError> {
        if self.n.is_some_and(|n| n != 1) {
            return Err(ApiError::invalid("n must be 1: a turn is made once"));
        }
        let last = self
            .last_user()
            .and_then(|at| self.messages.get(at))
            .ok_or_else(|| ApiError::invalid("messages has none of the role \"user\""))?;
        let files = last.files()?;
        let text = last.text();
        if text.trim().is_empty() && files.is_empty() {
            return Err(ApiError::invalid("the last message of the user is empty"));
        }
        Ok(Said { text, files })
    }

    /// What the program wants the model to be told.
    pub fn instructions(&self) -> Option<String> {
        let of_the_program = self
            .messages
            .iter()
            .filter(|message| matches!(message.role, ClientRole::System | ClientRole::Developer));
        let texts: Vec<String> = of_the_program.map(ClientMessage::text).collect();
        Some(texts.join("\n\n").trim().to_owned()).filter(|text| !text.is_empty())
    }
}

impl ClientMessage {
    /// Its words, without what came with them.
    pub fn text(&self) -> String {
        match &self.content {
            None => String::new(),
            Some(Content::Text(text)) => text.clone(),
            Some(Content::Parts(parts)) => {
                let texts = parts.iter().filter_map(|part| match part {
                    Part::Text { text } => Some(text.as_str()),
                    _ => None,
                });
                texts.collect::<Vec<_>>().join("\n")
            }
        }
    }

    /// SHA-256 of each file that came with it, as it was sent.
    pub fn file_hashes(&self) -> Vec<String> {
        let Some(Content::Parts(parts)) = &self.content else { return Vec::new() };
        let sent = parts.iter().filter_map(|part| match part {
            Part::ImageUrl { image_url } => Some(image_url.url.as_str()),
            Part::File { file } => file.file_data.as_deref(),
            Part::Text { .. } | Part::Other => None,
        });
        sent.map(|url| sha256_hex(url.as_bytes())).collect()
    }

    fn files(&self) -> Result<Vec<SentFile>, ApiError> {
        let Some(Content::Parts(parts)) = &self.content else { return Ok(Vec::new()) };
        let mut files = Vec::new();
        for part in parts {
            let (url, name) = match part {
                Part::Text { .. } => continue,
                Part::ImageUrl { image_url } => (image_url.url.as_str(), None),
                Part::File { file } => {
                    (file.file_data.as_deref().unwrap_or_default(), file.filename.as_deref())
                }
                Part::Other => {
                    return Err(ApiError::invalid("a part of a message must be text, image_url or file"));
                }
            };
            if files.len() == MOST_FILES {
                return Err(ApiError::invalid(format!("a message has more than {MOST_FILES} files")));
            }
            let (mime, content) = data_url(url)?;
            let name = name.map_or_else(|| named_by_kind(&mime, files.len() + 1), str::to_owned);
            files.push(SentFile { name, mime, content });
        }
        Ok(files)
    }
}

fn named_by_kind(mime: &str, number: usize) -> String {
    let ending = mime.rsplit('/').next().unwrap_or("bin").trim_start_matches("x-");
    let ending: String = ending.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
    let kind = if mime.starts_with("image/") { "image" } else { "file" };
    format!("{kind}-{number}.{ending}")
}

fn data_url(url: &str) -> Result<(String, Vec<u8>), ApiError> {
    let wrong = || {
        let start: String = url.chars().take(40).collect();
        ApiError::invalid(format!("a file must come as data:TYPE;base64,…, and this begins with {start:?}"))
            .hint("Nothing is fetched from other addresses.")
    };
    let (kind, data) = url.strip_prefix("data:").and_then(|rest| rest.split_once(',')).ok_or_else(wrong)?;
    let mime = kind.strip_suffix(";base64").ok_or_else(wrong)?;
    let mime = mime.split(';').next().unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/-+.".contains(c);
    if !mime.contains('/') || mime.len() > 100 || !mime.chars().all(is_plain) {
        return Err(wrong());
    }
    Ok((mime.to_ascii_lowercase(), STANDARD.decode(data).map_err(|_| wrong())?))
}

/// The body, with errors as such programs understand them.
pub struct Sent<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Sent<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        let Body(body) = Body::<T>::from_request(request, state).await?;
        Ok(Self(body))
    }
}

impl<T: JsonSchema> OperationInput for Sent<T> {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        Body::<T>::operation_input(ctx, operation);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn body(messages: &Value) -> ChatBody {
        serde_json::from_value(json!({"model": "deskhand", "messages": messages, "temperature": 1})).unwrap()
    }

    #[test]
    fn the_last_word_of_the_user_counts() {
        let body = body(&json!([
            {"role": "system", "content": "Be brief."},
            {"role": "developer", "content": [{"type": "text", "text": "Rhyme."}]},
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": null, "tool_calls": []},
            {"role": "user", "content": [
                {"type": "text", "text": "what is"},
                {"type": "text", "text": "this?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAEC"}},
                {"type": "file", "file": {"filename": "a.txt", "file_data": "data:text/plain;base64,aGk="}},
            ]},
            {"role": "assistant", "content": "It"},
        ]));
        let said = body.last_said().unwrap();
        assert_eq!(said.text, "what is\nthis?");
        let files: Vec<_> =
            said.files.iter().map(|f| (f.name.as_str(), f.mime.as_str(), &f.content[..])).collect();
        assert_eq!(files, [("image-1.png", "image/png", &[0, 1, 2][..]), ("a.txt", "text/plain", b"hi")]);
        assert_eq!(body.instructions().unwrap(), "Be brief.\n\nRhyme.");
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        let image = |url: &str| json!([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}]);
        for (messages, part) in [
            (json!([]), "none of the role"),
            (json!([{"role": "system", "content": "x"}]), "none of the role"),
            (json!([{"role": "user", "content": " "}]), "empty"),
            (image("https://example.com/a.png"), "data:TYPE"),
            (image("data:image/png,AAEC"), "data:TYPE"),
            (image("data:image/png;base64,???"), "data:TYPE"),
            (image("data:x\r\n/y;base64,AAEC"), "data:TYPE"),
            (json!([{"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]}]), "image_url"),
        ] {
            let Err(error) = body(&messages).last_said() else { panic!("{messages}") };
            assert!(error.body.message.contains(part), "{messages}: {error:?}");
        }
    }
}
