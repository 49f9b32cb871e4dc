//! Models and their keys, as the server asks the program for them. A key goes in and never comes out.

use std::sync::Arc;

use deskhand_agent::provider::{KeyPlace, KeySource, Provider, ProviderError};
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::error::ApiError;

/// Shows models and keeps keys. All but looking waits for the disk or the keyring.
pub trait ModelDesk: Send + Sync {
    /// Looks for servers on this machine, so that the list is a fresh one.
    fn look(&self) -> BoxFuture<'_, ()>;

    fn list(&self) -> ModelList;

    /// The whole name of a model that somebody named in short; `None` where there is no such model.
    fn named(&self, name: &str) -> Option<String>;

    /// Keeps a key; the next turn uses it.
    fn keep_key(&self, provider: &str, key: &str, place: Option<KeyPlace>) -> Result<KeySource, ApiError>;

    /// Forgets the key that is kept for a provider.
    fn forget_key(&self, provider: &str) -> Result<(), ApiError>;

    /// A model to be tried out: it is asked once, and with the key that counts now.
    fn connect(&self, model: &str) -> Result<Arc<dyn Provider>, ProviderError>;
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
