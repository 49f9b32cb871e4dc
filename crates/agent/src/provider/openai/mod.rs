//! Chat completions, as OpenAI's servers and the many that imitate them speak them.

mod calls;
mod request;
mod stream;
mod think;
mod usage;

#[cfg(test)]
mod call_tests;
#[cfg(test)]
mod tests;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use serde_json::{Map, Value};

use super::{
    ModelRequest,
    failure::About,
    keys::Key,
    presets::Price,
    wire::{AnswerReader, Wire},
};

/// How one server of this kind is spoken to.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenAi {
    pub about: About,
    /// With `/chat/completions` at its end.
    pub url: String,
    /// As the server knows it.
    pub model: String,
    pub headers: HeaderMap,
    pub extra: Map<String, Value>,
    /// The field for the most tokens of an answer; OpenAI renamed it, others did not.
    pub max_tokens_field: MaxTokensField,
    /// Whether it takes images; where not, it is told that there was one.
    pub images: bool,
    /// Whether thoughts of the turn under way go back to the server.
    pub thoughts_back: bool,
    pub price: Option<Price>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MaxTokensField {
    #[default]
    MaxTokens,
    MaxCompletionTokens,
}

impl Wire for OpenAi {
    fn url(&self) -> &str {
        &self.url
    }

    fn headers(&self, key: Option<&Key>) -> HeaderMap {
        headers(key, &self.headers)
    }

    fn body(&self, request: &ModelRequest) -> Value {
        request::body(self, request)
    }

    fn reader(&self) -> Box<dyn AnswerReader> {
        Box::new(stream::ChatReader::new(self.about.clone(), self.price))
    }
}

/// What a request carries beside its body.
pub(crate) fn headers(key: Option<&Key>, own: &HeaderMap) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let value = key.and_then(|key| HeaderValue::from_str(&format!("Bearer {}", key.expose())).ok());
    if let Some(mut value) = value {
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    headers.extend(own.clone());
    headers
}
