//! Setting a provider up: what was typed is tried before it is saved, on the page and in the terminal.
//!
//! A key goes to the address that it was entered for and nowhere else, unless the owner says so.

use std::sync::Arc;

use deskhand_agent::provider::{
    ConnectOptions, ErrorClass, KeptKeys, KeyPlace, KeySource, ModelName, Problem, Provider, ProviderError,
    RetryPolicy, TimeLimits, Url, connect, discover,
    models::address_of,
    presets::{Preset, presets},
    trial::{self, Draft, NewAddress, StoredKey},
};
use deskhand_core::Permission;
use serde_json::Value;

use super::ConfiguredModels;

impl ConfiguredModels {
    /// The models that the provider lists.
    pub async fn available(&self, draft: &Draft) -> Result<Vec<String>, ProviderError> {
        let options = self.draft_options(draft)?;
        let provider = draft.provider.clone();
        // Looking the key up may wait for the keyring.
        let runtime = tokio::runtime::Handle::current();
        let listed =
            tokio::task::spawn_blocking(move || runtime.block_on(discover::list_models(&provider, &options)));
        listed.await.unwrap_or_else(|error| {
            let message = format!("The list could not be asked for: {error}.");
            Err(ProviderError::new(ErrorClass::BadRequest, message))
        })
    }

    /// The model as it would be with the draft saved. It is asked once.
    pub fn connect_draft(&self, draft: &Draft, model: &str) -> Result<Arc<dyn Provider>, ProviderError> {
        connect(&ModelName::parse(model)?, &self.draft_options(draft)?)
    }

    /// The address in force of a provider.
    pub fn address(&self, preset: &Preset) -> Option<Url> {
        address_of(preset, &self.options(Some(&preset.name))).ok().flatten()
    }

    fn draft_options(&self, draft: &Draft) -> Result<ConnectOptions, ProviderError> {
        let preset = preset(&draft.provider)?;
        let address = self.new_address(draft)?;
        let mut options = ConnectOptions {
            retry: RetryPolicy { tries: 1, ..RetryPolicy::default() },
            limits: TimeLimits { first_byte: trial::LIMIT, between: trial::LIMIT, ..TimeLimits::default() },
            ..self.options(Some(&preset.name))
        };
        options.base_url = address.after.as_ref().map(Url::to_string).or(options.base_url);
        options.keys = draft.key.iter().cloned().collect();
        if draft.stored_key == StoredKey::GoesAlong {
            options.kept_keys = KeptKeys::Anywhere;
        } else if address.is_elsewhere() {
            // Headers and fields of a person's own may hold keys, too.
            options.headers.clear();
            options.extra.clear();
            if let Some(before) = address.before {
                options.kept_keys = KeptKeys::Of(before);
            }
        }
        Ok(options)
    }

    /// What saving this changes of the address. One that the outbound guard forbids is an error.
    pub fn new_address(&self, draft: &Draft) -> Result<NewAddress, ProviderError> {
        let preset = preset(&draft.provider)?;
        let set = self.options(Some(&preset.name));
        let before = address_of(preset, &set).ok().flatten();
        let Some(written) = &draft.address else {
            return Ok(NewAddress { setting: None, after: before.clone(), before });
        };
        let after = address_of(preset, &ConnectOptions { base_url: Some(written.clone()), ..set.clone() })?;
        if let Some(url) = &after {
            let verdict = self.settings().outbound().judge_url(url);
            if verdict.permission == Permission::Forbidden {
                let message = format!("Deskhand does not connect to this address. {}", verdict.why);
                return Err(ProviderError::new(ErrorClass::BadRequest, message)
                    .because(Problem::BadAddress)
                    .hint("Give the address of a model server."));
            }
        }
        let unset = address_of(preset, &ConnectOptions { base_url: None, ..set.clone() }).ok().flatten();
        let setting = if after == before {
            None
        } else if after == unset {
            Some(Value::Null)
        } else {
            after.as_ref().map(|url| Value::from(url.as_str()))
        };
        Ok(NewAddress { setting, before, after })
    }

    /// Whether a draft may be saved: not where another key than the one meant would be sent, or to where it was not
    /// meant for.
    pub fn may_save(&self, draft: &Draft, address: &NewAddress) -> Result<(), ProviderError> {
        let preset = preset(&draft.provider)?;
        let refused = |message: String, hint: &str| {
            Err(ProviderError::new(ErrorClass::Auth, message).because(Problem::KeyHeldBack).hint(hint))
        };
        let is_from_environment = self.key_source(preset) == Some(KeySource::Environment);
        let variables = preset.key_variables.join(" or ");
        if is_from_environment && draft.key.is_some() {
            return refused(
                format!(
                    "{variables} is set in the environment and is used instead of a key that is entered here."
                ),
                "Take it out of the environment and start Deskhand again, or leave the key empty.",
            );
        }
        if draft.stored_key == StoredKey::GoesAlong || !address.is_elsewhere() || address.before.is_none() {
            return Ok(());
        }
        if is_from_environment {
            return refused(
                format!("The key in {variables} would be sent to the new address."),
                "Allow that, or take the key out of the environment.",
            );
        }
        if !self.options(Some(&preset.name)).headers.is_empty() {
            return refused(
                format!("The headers in providers.{}.headers would be sent to the new address.", preset.name),
                "Allow that, or take them out of the config file.",
            );
        }
        Ok(())
    }

    /// Keeps the key of a draft for its address, once that is saved. An older key stays bound to the address before.
    pub fn settle_key(
        &self,
        draft: &Draft,
        place: Option<KeyPlace>,
        address: &NewAddress,
    ) -> Result<Option<KeySource>, ProviderError> {
        let settled = self.settle(draft, place, address);
        self.connect_anew();
        settled
    }

    /// Before another address is saved: an older key of which it is not known where it belongs is bound to the address
    /// before, so that it does not go to the new one whatever fails after this.
    pub fn bind_old_key(&self, draft: &Draft, address: &NewAddress) -> Result<(), ProviderError> {
        let preset = preset(&draft.provider)?;
        let is_kept = self.key_source(preset).is_some_and(|source| source != KeySource::Environment);
        match &address.before {
            Some(before)
                if is_kept && address.is_elsewhere() && self.keys().address(&preset.name)?.is_none() =>
            {
                self.keys().move_key(&preset.name, before.as_str())
            }
            _ => Ok(()),
        }
    }

    fn settle(
        &self,
        draft: &Draft,
        place: Option<KeyPlace>,
        address: &NewAddress,
    ) -> Result<Option<KeySource>, ProviderError> {
        let preset = preset(&draft.provider)?;
        if let Some(key) = &draft.key {
            let entered_for = address.after.as_ref().map(Url::as_str);
            return self.keys().keep(&preset.name, key, place, entered_for).map(Some);
        }
        let is_kept = self.key_source(preset).is_some_and(|source| source != KeySource::Environment);
        if !is_kept || !address.is_elsewhere() {
            return Ok(None);
        }
        let belongs_to = match draft.stored_key {
            StoredKey::GoesAlong => address.after.as_ref(),
            StoredKey::StaysWhereEntered => address.before.as_ref(),
        };
        if let Some(url) = belongs_to
            && (draft.stored_key == StoredKey::GoesAlong || self.keys().address(&preset.name)?.is_none())
        {
            self.keys().move_key(&preset.name, url.as_str())?;
        }
        Ok(None)
    }
}

fn preset(name: &str) -> Result<&'static Preset, ProviderError> {
    presets().provider(name).ok_or_else(|| {
        let names: Vec<&str> = presets().providers.iter().map(|preset| preset.name.as_str()).collect();
        ProviderError::new(ErrorClass::NoSuchModel, format!("There is no provider {name:?}."))
            .hint(format!("Providers: {}.", names.join(", ")))
    })
}
