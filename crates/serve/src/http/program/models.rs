//! Models and their keys, as the server asks the program for them. A key goes in and never comes out.

use deskhand_agent::provider::ProviderError;
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::error::ApiError;

/// Shows models, keeps keys, tries models out.
pub trait ModelDesk: Send + Sync {
    fn list(&self) -> BoxFuture<'_, ModelList>;

    /// The whole name of a model that somebody named in short; `None` where there is no such model.
    fn named<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Option<String>>;

    /// Keeps a key; the next turn uses it. Waits for the disk or the keyring.
    fn keep_key(&self, provider: &str, key: &str, place: Option<KeyPlace>) -> Result<KeyPlace, ApiError>;

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

/// Where a key comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KeySource {
    Environment,
    Keyring,
    File,
}

/// Where a key can be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KeyPlace {
    Keyring,
    File,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KeyringState {
    pub available: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}
