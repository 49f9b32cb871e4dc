//! Trying a model out: one word, and how long it took.

use std::time::{Duration, Instant};

use reqwest::Url;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{ChatMessage, ErrorClass, Key, ModelRequest, Provider, ProviderError};

/// What a person typed to set a provider up, before any of it is saved.
#[derive(Clone, Debug)]
pub struct Draft {
    pub provider: String,
    /// `None`: the address in force.
    pub address: Option<String>,
    /// `None`: the key that is stored, if it may go to this address.
    pub key: Option<Key>,
    pub stored_key: StoredKey,
}

/// Whether a key that was entered for one address may go to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoredKey {
    #[default]
    StaysWhereEntered,
    /// The owner said so.
    GoesAlong,
}

/// What saving a draft changes of the provider's address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewAddress {
    /// The new value of `providers.NAME.base_url`; `None`: it stays as it is.
    pub setting: Option<Value>,
    pub before: Option<Url>,
    pub after: Option<Url>,
}

impl NewAddress {
    /// Whether it is another server: a key for the one is not for the other.
    pub fn is_elsewhere(&self) -> bool {
        self.before.as_ref().map(Url::origin) != self.after.as_ref().map(Url::origin)
    }
}

/// How long a model has for one word: one on a server of one's own may have to be loaded first.
pub const LIMIT: Duration = Duration::from_mins(1);

/// Enough for a word; some models think first.
const MOST_TOKENS: u64 = 256;

/// Asks a model for one word. How long it took to answer.
pub async fn try_out(model: &dyn Provider, limit: Duration) -> Result<Duration, ProviderError> {
    let request = ModelRequest {
        messages: vec![ChatMessage::User {
            text: "Answer with the one word OK.".to_owned(),
            images: Vec::new(),
        }],
        max_tokens: Some(MOST_TOKENS),
        ..ModelRequest::default()
    };
    let begun = Instant::now();
    let asked = async { model.complete(&request, &mut |_| {}, &CancellationToken::new()).await };
    if let Ok(answered) = tokio::time::timeout(limit, asked).await {
        answered.map(|_| begun.elapsed())
    } else {
        let message = format!("{} did not answer within {} seconds.", model.name(), limit.as_secs());
        Err(ProviderError::new(ErrorClass::Silent, message)
            .hint("A model that has to be loaded first may need longer: try again."))
    }
}
