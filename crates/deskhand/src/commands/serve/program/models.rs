//! Models and keys of a server that runs.

use std::sync::Arc;

use deskhand_agent::provider::{
    Key, KeyPlace, KeySource, ModelName, Provider, ProviderError,
    presets::{Preset, presets},
    trial::{Draft, NewAddress},
};
use deskhand_serve::http::{ApiError, KeyringState, ModelDesk, ModelList, ProviderItem};
use futures_util::future::BoxFuture;

use crate::models::ConfiguredModels;

fn provider(name: &str) -> Result<&'static Preset, ApiError> {
    presets().provider(name).ok_or_else(|| {
        let names: Vec<&str> = presets().providers.iter().map(|preset| preset.name.as_str()).collect();
        ApiError::invalid(format!("there is no provider {name:?}"))
            .hint(format!("Providers: {}.", names.join(", ")))
    })
}

/// A key that could not be kept or forgotten.
fn unchanged(error: ProviderError) -> ApiError {
    let answer = ApiError::conflict("key_not_changed", error.message);
    match error.hint {
        Some(hint) => answer.hint(hint),
        None => answer,
    }
}

impl ModelDesk for ConfiguredModels {
    fn look(&self) -> BoxFuture<'_, ()> {
        Box::pin(ConfiguredModels::look(self))
    }

    fn list(&self) -> ModelList {
        let providers = presets().providers.iter().map(|preset| {
            let key_source = self.key_source(preset);
            ProviderItem {
                name: preset.name.clone(),
                title: preset.title.clone(),
                needs_key: preset.needs_key,
                has_key: key_source.is_some(),
                key_source,
                default_model: preset.default_model.clone(),
                base_url: self.address(preset).map(|url| url.to_string()),
                key_url: preset.key_url.clone(),
                start: preset.start.clone(),
                pull: preset.pull.clone(),
            }
        });
        let why = self.keys().check_keyring().err().map(|error| error.to_string());
        ModelList {
            providers: providers.collect(),
            usual: self.usual_so_far(),
            models: self.all_so_far(),
            keyring: KeyringState { available: why.is_none(), why },
        }
    }

    fn named(&self, name: &str) -> Option<String> {
        if name.contains('/') && ModelName::parse(name).is_ok() {
            return Some(name.to_owned());
        }
        let mut all = self.all_so_far().into_iter();
        all.find(|whole| whole.split_once('/').is_some_and(|(_, rest)| rest == name))
    }

    fn keep_key(&self, name: &str, key: &str, place: Option<KeyPlace>) -> Result<KeySource, ApiError> {
        let preset = provider(name)?;
        let address = self.address(preset).map(|url| url.to_string());
        let key = Key::new(key);
        let kept = self.keys().keep(&preset.name, &key, place, address.as_deref()).map_err(unchanged);
        self.connect_anew();
        kept
    }

    fn forget_key(&self, name: &str) -> Result<(), ApiError> {
        let provider = provider(name)?;
        let was_kept = self.keys().forget(&provider.name).map_err(unchanged)?;
        self.connect_anew();
        if was_kept {
            return Ok(());
        }
        if self.key_source(provider) == Some(KeySource::Environment) {
            let variables = provider.key_variables.join(" or ");
            return Err(ApiError::conflict("from_environment", format!("the key comes from {variables}"))
                .hint("Take it out of the environment, then start the server anew."));
        }
        Err(ApiError::not_found(format!("no key is kept for {name}")))
    }

    fn connect(&self, model: &str) -> Result<Arc<dyn Provider>, ProviderError> {
        self.fresh(model)
    }

    fn connect_draft(&self, draft: &Draft, model: &str) -> Result<Arc<dyn Provider>, ProviderError> {
        ConfiguredModels::connect_draft(self, draft, model)
    }

    fn available(&self, draft: Draft) -> BoxFuture<'_, Result<Vec<String>, ProviderError>> {
        Box::pin(async move { ConfiguredModels::available(self, &draft).await })
    }

    fn new_address(&self, draft: &Draft) -> Result<NewAddress, ApiError> {
        let address = ConfiguredModels::new_address(self, draft).map_err(|error| {
            let answer = ApiError::invalid(error.message);
            match error.hint {
                Some(hint) => answer.hint(hint),
                None => answer,
            }
        })?;
        self.may_save(draft, &address).map_err(unchanged)?;
        self.bind_old_key(draft, &address).map_err(unchanged)?;
        Ok(address)
    }

    fn settle_key(
        &self,
        draft: &Draft,
        place: Option<KeyPlace>,
        address: &NewAddress,
    ) -> Result<Option<KeySource>, ApiError> {
        ConfiguredModels::settle_key(self, draft, place, address).map_err(unchanged)
    }
}
