//! Models and their keys, as the server asks the program for them. A key goes in and never comes out.

use std::sync::Arc;

use deskhand_agent::provider::{
    KeyPlace, KeySource, Provider, ProviderError,
    trial::{Draft, NewAddress},
};
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

    /// The same with what was typed and is not saved.
    fn connect_draft(&self, draft: &Draft, model: &str) -> Result<Arc<dyn Provider>, ProviderError>;

    /// The models that the provider itself lists. Does not block.
    fn available(&self, draft: Draft) -> BoxFuture<'_, Result<Vec<String>, ProviderError>>;

    /// What saving this changes of the address. An error where it must not be saved as it is.
    fn new_address(&self, draft: &Draft) -> Result<NewAddress, ApiError>;

    /// Keeps the key, once the address is saved; says where. An older key stays bound to the address before.
    fn settle_key(
        &self,
        draft: &Draft,
        place: Option<KeyPlace>,
        address: &NewAddress,
    ) -> Result<Option<KeySource>, ApiError>;
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
    /// The address in force, for the owner. `null` where it has to be given.
    pub base_url: Option<String>,
    /// The page on which a person gets a key.
    pub key_url: Option<String>,
    /// The command that starts a server on this machine.
    pub start: Option<String>,
    /// The command that gets a first model.
    pub pull: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KeyringState {
    pub available: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}
