//! Models and keys of a server that runs.

use deskhand_agent::provider::{
    ChatMessage, ModelName, ModelRequest, ProviderError,
    presets::{Preset, presets},
};
use deskhand_serve::http::{ApiError, KeyPlace, KeySource, KeyringState, ModelDesk, ModelList, ProviderItem};
use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::{
    keys,
    models::{ConfiguredModels, KeyFrom},
};

/// Enough for a word; some models think first.
const TRIAL_TOKENS: u64 = 256;

fn provider(name: &str) -> Result<&'static Preset, ApiError> {
    presets().provider(name).ok_or_else(|| {
        let names: Vec<&str> = presets().providers.iter().map(|preset| preset.name.as_str()).collect();
        ApiError::invalid(format!("there is no provider {name:?}"))
            .hint(format!("Providers: {}.", names.join(", ")))
    })
}

impl ModelDesk for ConfiguredModels {
    fn list(&self) -> BoxFuture<'_, ModelList> {
        Box::pin(async move {
            let models = self.all().await;
            let providers = presets().providers.iter().map(|preset| {
                let from = self.key_from(preset);
                ProviderItem {
                    name: preset.name.clone(),
                    title: preset.title.clone(),
                    needs_key: preset.needs_key,
                    has_key: from.is_some(),
                    key_source: from.map(|from| match from {
                        KeyFrom::Variable(_) => KeySource::Environment,
                        KeyFrom::File => KeySource::File,
                    }),
                    default_model: preset.default_model.clone(),
                }
            });
            ModelList {
                usual: self.usual_so_far(),
                models,
                providers: providers.collect(),
                keyring: KeyringState {
                    available: false,
                    why: Some("This build does not use the system's keyring.".to_owned()),
                },
            }
        })
    }

    fn named<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            if name.contains('/') && ModelName::parse(name).is_ok() {
                return Some(name.to_owned());
            }
            let all = self.all().await;
            all.into_iter().find(|whole| whole.split_once('/').is_some_and(|(_, rest)| rest == name))
        })
    }

    fn keep_key(&self, name: &str, key: &str, place: Option<KeyPlace>) -> Result<KeyPlace, ApiError> {
        let provider = provider(name)?;
        if place == Some(KeyPlace::Keyring) {
            return Err(ApiError::conflict("no_keyring", "there is no keyring here")
                .hint("Keep the key in the file, which only you can read."));
        }
        let file = self
            .keys_file()
            .ok_or_else(|| ApiError::conflict("no_home", "there is no home folder to keep a key in"))?;
        keys::keep_in_file(file, &provider.name, key)
            .map_err(|error| ApiError::conflict("bad_keys", format!("{error:#}")))?;
        self.connect_anew();
        Ok(KeyPlace::File)
    }

    fn forget_key(&self, name: &str) -> Result<(), ApiError> {
        let provider = provider(name)?;
        let was_kept = match self.keys_file() {
            Some(file) => keys::forget_in_file(file, &provider.name)
                .map_err(|error| ApiError::conflict("bad_keys", format!("{error:#}")))?,
            None => false,
        };
        self.connect_anew();
        match self.key_from(provider) {
            Some(KeyFrom::Variable(variable)) if !was_kept => {
                Err(ApiError::conflict("from_environment", format!("the key comes from {variable}"))
                    .hint("Take it out of the environment, then start the server anew."))
            }
            _ if was_kept => Ok(()),
            _ => Err(ApiError::not_found(format!("no key is kept for {name}"))),
        }
    }

    fn try_out<'a>(&'a self, model: &'a str) -> BoxFuture<'a, Result<(), ProviderError>> {
        Box::pin(async move {
            let provider = self.fresh(model)?;
            let request = ModelRequest {
                messages: vec![ChatMessage::User {
                    text: "Answer with the one word OK.".to_owned(),
                    images: Vec::new(),
                }],
                max_tokens: Some(TRIAL_TOKENS),
                ..ModelRequest::default()
            };
            provider.complete(&request, &mut |_| {}, &CancellationToken::new()).await.map(drop)
        })
    }
}
