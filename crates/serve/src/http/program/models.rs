//! Models and their keys, as the server asks the program for them. A key goes in and never comes out.

use deskhand_agent::provider::{KeyPlace, KeySource, ProviderError};
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::error::ApiError;

/// Shows models, keeps keys, tries models out.
pub trait ModelDesk: Send + Sync {
    fn list(&self) -> BoxFuture<'_, ModelList>;

    /// The whole name of a model that somebody named in short; `None` where there is no such model.
    fn named<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Option<String>>;

    /// Keeps a key; the next turn uses it. Waits for the disk or the keyring.
    fn keep_key(&self, provider: &str, key: &str, place: Option<KeyPlace>) -> Result<KeySource, ApiError>;

    /// Forgets the key that is kept for a provider. Waits for the disk or the keyring.
    fn forget_key(&self, provider: &str) -> Result<(), ApiError>;

    /// Asks the model for a word. It is up to the caller how long that may take.
    fn try_out<'a>(&'a self, model: &'a str) -> BoxFuture<'a, Result<(), ProviderError>>;
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ModelList {
    /// The model that is talked to where none is named.
    pub usual: Option<String>,
    /// `PROVIDER/NAME` of each that can be talked to.
    pub models: Vec<String>,
    pub providers: Vec<ProviderItem>,
    pub keyring: KeyringState,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProviderItem {
    /// What stands before the slash in `PROVIDER/NAME`.
    pub name: String,
    /// What people call it.
    pub title: String,
    pub needs_key: bool,
    pub has_key: bool,
    pub key_source: Option<KeySource>,
    pub default_model: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KeyringState {
    pub available: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}
