//! Anthropic's messages.

mod request;
mod stream;

#[cfg(test)]
mod tests;

use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::{Map, Value};

use super::{
    ModelRequest,
    failure::About,
    keys::Key,
    presets::Price,
    wire::{AnswerReader, Wire},
};

const VERSION: &str = "2023-06-01";

/// How a server of this kind is spoken to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anthropic {
    pub about: About,
    /// With `/messages` at its end.
    pub url: String,
    /// As the server knows it.
    pub model: String,
    pub headers: HeaderMap,
    pub extra: Map<String, Value>,
    pub price: Option<Price>,
}

impl Wire for Anthropic {
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
        Box::new(stream::MessageReader::new(self.about.clone(), self.price))
    }
}

/// What a request carries beside its body.
pub(crate) fn headers(key: Option<&Key>, own: &HeaderMap) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("anthropic-version", HeaderValue::from_static(VERSION));
    if let Some(mut value) = key.and_then(|key| HeaderValue::from_str(key.expose()).ok()) {
        value.set_sensitive(true);
        headers.insert("x-api-key", value);
    }
    headers.extend(own.clone());
    headers
}
