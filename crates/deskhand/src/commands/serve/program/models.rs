//! Models and keys of a server that runs.

use deskhand_agent::provider::{
    ChatMessage, Key, KeyPlace, KeySource, ModelName, ModelRequest, ProviderError,
    presets::{Preset, presets},
};
use deskhand_serve::http::{ApiError, KeyringState, ModelDesk, ModelList, ProviderItem};
use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::models::ConfiguredModels;

/// Enough for a word; some models think first.
const TRIAL_TOKENS: u64 = 256;

fn provider(name: &str) -> Result<&'static Preset, ApiError> {
    presets().provider(name).ok_or_else(|| {
        let names: Vec<&str> = presets().providers.iter().map(|preset| preset.name.as_str()).collect();
        ApiError::invalid(format!("there is no provider {name:?}"))
            .hint(format!("Providers: {}.", names.join(", ")))
    })
}

fn refused(error: &ProviderError) -> ApiError {
    let answer = ApiError::conflict("key_not_kept", error.message.clone());
    match &error.hint {
        Some(hint) => answer.hint(hint.clone()),
        None => answer,
    }
}

impl ModelDesk for ConfiguredModels {
    fn list(&self) -> BoxFuture<'_, ModelList> {
        Box::pin(async move {
            let models = self.all().await;
            // A keyring may have to be unlocked, or hang.
            let keyring = tokio::task::block_in_place(|| self.keys().check_keyring());
            let providers = presets().providers.iter().map(|preset| {
                let from = tokio::task::block_in_place(|| self.key_source(preset));
                ProviderItem {
                    name: preset.name.clone(),
                    title: preset.title.clone(),
                    needs_key: preset.needs_key,
                    has_key: from.is_some(),
                    key_source: from,
                    default_model: preset.default_model.clone(),
                }
            });
            ModelList {
                usual: self.usual_so_far(),
                models,
                providers: providers.collect(),
                keyring: KeyringState {
                    available: keyring.is_ok(),
                    why: keyring.err().map(|error| error.to_string()),
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

    fn keep_key(&self, name: &str, key: &str, place: Option<KeyPlace>) -> Result<KeySource, ApiError> {
        let provider = provider(name)?;
        let kept = self.keys().keep(&provider.name, &Key::new(key), place);
        self.connect_anew();
        kept.map_err(|error| refused(&error))
    }

    fn forget_key(&self, name: &str) -> Result<(), ApiError> {
        let provider = provider(name)?;
        let was_kept = self.keys().forget(&provider.name).map_err(|error| refused(&error))?;
        self.connect_anew();
        match self.key_source(provider) {
            _ if was_kept => Ok(()),
            Some(KeySource::Environment) => Err(ApiError::conflict(
                "from_environment",
                format!("the key of {name} comes from the environment"),
            )
            .hint("Take it out of the environment, then start the server anew.")),
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
