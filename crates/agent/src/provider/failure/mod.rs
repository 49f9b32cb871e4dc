//! What a server's refusal means: its status and its own words, turned into a class, a message and a hint.
//!
//! Servers agree on little. Words come first, since the same fault arrives as 400 here and 500 there; then the status.

mod after;
mod words;

#[cfg(test)]
mod tests;

use std::time::SystemTime;

use deskhand_core::Screener as _;
use deskhand_guard::SecretScreener;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::{ErrorClass, Problem, ProviderError, keys::Key};
use words::Words;

/// How much of a server's own words a person is shown.
const MOST_SHOWN: usize = 2_000;

/// Whom a failure is about: what the hints name.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    /// `PROVIDER/NAME`
    pub model: String,
    /// `api.example.com`, with the port where it is not the usual one.
    pub host: String,
    /// The variable that holds the key, if the server wants one.
    pub key_variable: Option<String>,
    /// The variable that holds the address.
    pub base_variable: Option<String>,
    /// On this machine.
    pub is_local: bool,
    /// The address that the provider is known by, and none that was set here.
    pub is_own_address: bool,
    /// Whether any key is sent along.
    pub has_key: bool,
    /// The command that starts this server.
    pub start: Option<String>,
    /// The address that the stored key was entered for, where it is another and the key was not sent.
    pub held_back_for: Option<String>,
}

/// The failure that a status other than success tells of.
pub(crate) fn of_response(about: &About, status: u16, headers: &HeaderMap, body: &[u8]) -> ProviderError {
    let words = Words::read(body);
    let mut error = classed(about, Some(status), &words);
    error.retry_after =
        after::in_headers(headers, SystemTime::now()).or_else(|| after::in_words(&words.message));
    if (300..400).contains(&status) {
        let target = headers.get("location").and_then(|value| value.to_str().ok()).unwrap_or("elsewhere");
        error.message = format!(
            "{} answered {status}: it sends the request on to {}. Requests with a key are not sent on.",
            about.host,
            shown(target)
        );
        error.said = None;
        error.problem = Some(Problem::Moved);
        error.hint = Some(match &about.base_variable {
            Some(variable) => format!("Set {variable} to the address that really answers."),
            None => "Set the base URL to the address that really answers.".to_owned(),
        });
    }
    error
}

/// The failure that an error object tells of which came with status 200: inside a stream, or instead of an answer.
pub(crate) fn of_value(about: &About, value: &Value) -> ProviderError {
    let words = Words::of(value);
    let mut error = classed(about, words.status, &words);
    error.retry_after = after::in_words(&words.message);
    error
}

/// Whether a JSON value is an error and nothing else.
pub(crate) fn is_error(value: &Value) -> bool {
    let Some(fields) = value.as_object() else { return false };
    let says_error = fields.get("error").is_some_and(|error| match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    });
    says_error
        || ["object", "type"].iter().any(|key| fields.get(*key).and_then(Value::as_str) == Some("error"))
        || (fields.contains_key("code") && fields.contains_key("message") && !fields.contains_key("choices"))
}

fn classed(about: &About, status: Option<u16>, words: &Words) -> ProviderError {
    let class = words.class(status);
    let said = if words.message.is_empty() { "nothing more".to_owned() } else { shown(&words.message) };
    let is_theirs = !words.message.is_empty() && !words.is_page;
    let message = match status {
        Some(status) => format!("{} answered {status}: {said}", about.host),
        None => format!("{} answered with an error: {said}", about.host),
    };
    let mut error = ProviderError::new(class, message);
    error.status = status;
    error.said = is_theirs.then_some(said);
    error.problem = match class {
        ErrorClass::Auth if about.held_back_for.is_some() => Some(Problem::KeyHeldBack),
        ErrorClass::Auth if !about.has_key => Some(Problem::NoKey),
        ErrorClass::Auth if status == Some(403) && !words.refuse_key() => Some(Problem::NotAllowed),
        _ if words.is_page && !matches!(status, Some(401..=403 | 429 | 500..)) => {
            Some(Problem::NotCompatible)
        }
        _ if status == Some(405) || (status == Some(404) && words.names_no_model()) => {
            Some(Problem::NotCompatible)
        }
        ErrorClass::BadRequest | ErrorClass::TooLong | ErrorClass::NoTools if status.is_some() => {
            Some(Problem::Refused)
        }
        _ => None,
    };
    error.hint = match error.problem {
        Some(Problem::NotCompatible) => Some(WRONG_PLACE.to_owned()),
        Some(Problem::NotAllowed) => Some(NOT_ALLOWED.to_owned()),
        _ => hint(about, class),
    };
    error
}

/// What to do where something else than the API answers.
pub(crate) const WRONG_PLACE: &str = "Check that the base URL is the one of its API.";

const NOT_ALLOWED: &str = "Check what the account may use: the model, and requests from your country or network, may not be allowed.";

/// What to do about a failure of this class.
pub(crate) fn hint(about: &About, class: ErrorClass) -> Option<String> {
    let key = about.key_variable.as_deref();
    Some(match class {
        ErrorClass::Auth if about.held_back_for.is_some() => format!(
            "The stored key was entered for another address, so it was not sent to {}. Enter a key for this one: deskhand setup",
            about.host
        ),
        ErrorClass::Auth => match key {
            Some(variable) => {
                format!("Check the key in {variable}: it may be wrong, expired, or not allowed this model.")
            }
            None => "Check the key: it may be wrong, expired, or not allowed this model.".to_owned(),
        },
        ErrorClass::NoCredit => "Top up the account, or give another key or another model.".to_owned(),
        ErrorClass::NoSuchModel => {
            let name = about.model.split_once('/').map_or("", |(_, name)| name);
            if about.model.starts_with("ollama/") {
                format!("Run: ollama pull {name}")
            } else {
                format!("Check the model's name ({name}) and the address of the server ({}).", about.host)
            }
        }
        ErrorClass::TooLong => "Shorten the conversation, or use a model with a larger context.".to_owned(),
        ErrorClass::NoTools => "This model can be used without native tools.".to_owned(),
        ErrorClass::RateLimited => match key {
            Some(variable) => format!("Wait, or add a second key: {variable}=KEY1,KEY2."),
            None => "Wait a while.".to_owned(),
        },
        ErrorClass::Network if about.is_local && about.start.is_some() => {
            format!(
                "Is the server running? Start it with `{}`, or set {} to where it listens.",
                about.start.as_deref().unwrap_or_default(),
                about.base_variable.as_deref().unwrap_or("the base URL")
            )
        }
        ErrorClass::Network if about.is_local => match &about.base_variable {
            Some(variable) => {
                format!("Is the server running? Start it, or set {variable} to where it listens.")
            }
            None => "Is the server running? Start it, or give its base URL.".to_owned(),
        },
        ErrorClass::Network => {
            "Check the network, the proxy variables and the address of the server.".to_owned()
        }
        _ => return None,
    })
}

/// A server's words as a person may see them: masked, and bounded.
pub(crate) fn shown(text: &str) -> String {
    // Masking looks at all that will be shown and a little more, so that a cut does not hide the form of a secret.
    let start: String = text.trim().chars().take(2 * MOST_SHOWN).collect();
    let masked = SecretScreener.mask_text(&start).into_string();
    match masked.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", &masked[..end]),
        None => masked,
    }
}

/// Takes the very key out of an error: a server may repeat it, and not every key looks like one.
pub(crate) fn without_key(mut error: ProviderError, key: Option<&Key>) -> ProviderError {
    if let Some(key) = key {
        error.message = key.mask_in(&error.message);
        error.said = error.said.map(|said| key.mask_in(&said));
        error.hint = error.hint.map(|hint| key.mask_in(&hint));
    }
    error
}
