//! Where the key of a provider is found, kept and forgotten: the environment, the keyring of the system, `keys.toml`,
//! in this order. The environment is only read.

use std::{path::PathBuf, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ErrorClass, Key, Problem, ProviderError,
    keyring::{Keyring, KeyringError},
    keys::{self, Entry},
    presets::Preset,
};

/// Where a key comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// The places of keys beside the environment. By default there are none.
#[derive(Clone, Debug, Default)]
pub struct KeyStore {
    keyring: Option<Arc<Keyring>>,
    /// `keys.toml`, which only its owner can read.
    file: Option<PathBuf>,
}

/// The keys of one provider.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub keys: Vec<Key>,
    /// Of those that come from the environment.
    pub variable: Option<String>,
    /// The keyring is there, and could not be asked.
    pub trouble: Option<KeyringError>,
    /// The address that a kept key was entered for, where that is known.
    pub address: Option<String>,
}

impl KeyStore {
    pub fn new(keyring: Option<Arc<Keyring>>, file: Option<PathBuf>) -> Self {
        Self { keyring, file }
    }

    /// Where the key of a provider would be taken from. What cannot be read has none.
    pub fn source(&self, preset: &Preset, env: &dyn Fn(&str) -> Option<String>) -> Option<KeySource> {
        if from_variables(preset, env).is_some() {
            return Some(KeySource::Environment);
        }
        let kept = |keyring: &Arc<Keyring>| keyring.providers().is_ok_and(|all| all.contains(&preset.name));
        if self.keyring.as_ref().is_some_and(kept) {
            return Some(KeySource::Keyring);
        }
        let keys = keys::from_file(self.file.as_deref()?, &preset.name).unwrap_or_default();
        (!keys.is_empty()).then_some(KeySource::File)
    }

    pub(crate) fn find(
        &self,
        preset: &Preset,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Found, ProviderError> {
        if let Some((variable, keys)) = from_variables(preset, env) {
            return Ok(Found { keys, variable: Some(variable), ..Found::default() });
        }
        // Without it a key would go anywhere.
        let address = self.address(&preset.name)?;
        let trouble = match self.keyring.as_ref().map(|keyring| keyring.get(&preset.name)) {
            Some(Ok(Some(key))) => return Ok(Found { keys: vec![key], address, ..Found::default() }),
            Some(Err(error)) if !matches!(error, KeyringError::Absent(_)) => Some(error),
            _ => None,
        };
        let keys = match &self.file {
            Some(path) => keys::from_file(path, &preset.name)?,
            None => Vec::new(),
        };
        Ok(Found { keys, variable: None, trouble, address })
    }

    /// Keeps a key for an address; says where. Without a place: in the keyring, or where there is none that can be
    /// used, in the file. From then on the key is sent to that address alone.
    pub fn keep(
        &self,
        provider: &str,
        key: &Key,
        place: Option<KeyPlace>,
        address: Option<&str>,
    ) -> Result<KeySource, ProviderError> {
        let address = address.map(origin).transpose()?;
        let address = address.as_deref();
        if place != Some(KeyPlace::File) {
            match self.in_keyring(|keyring| keyring.set(provider, key)) {
                Ok(()) => {
                    // A key of which it is not known where it belongs must not stay.
                    let noted = self.only_in_keyring(provider, address);
                    if noted.is_err() {
                        self.in_keyring(|keyring| keyring.delete(provider)).ok();
                    }
                    return noted.map(|()| KeySource::Keyring);
                }
                Err(error) if place == Some(KeyPlace::Keyring) => return Err(refused(&error)),
                Err(error) => tracing::debug!("a key goes into the file: {error}"),
            }
        }
        let Some(file) = &self.file else {
            return Err(ProviderError::new(ErrorClass::Auth, "There is no folder to keep a key in.")
                .hint("Set the variable of the provider instead."));
        };
        // One key has one place: the address that is noted is that of the one key.
        match self.in_keyring(|keyring| keyring.delete(provider)) {
            Ok(_) | Err(KeyringError::Absent(_)) => {}
            // One that is locked is no matter, unless it has an older key.
            Err(error)
                if self
                    .in_keyring(Keyring::providers)
                    .is_ok_and(|all| all.iter().any(|one| one == provider)) =>
            {
                return Err(refused(&error));
            }
            Err(error) => tracing::debug!("keyring unchanged: {error}"),
        }
        keys::keep_in_file(file, provider, &Entry::Key(key, address))?;
        Ok(KeySource::File)
    }

    /// The address that the kept key of a provider was entered for, where that is known.
    pub fn address(&self, provider: &str) -> Result<Option<String>, ProviderError> {
        self.file.as_deref().map_or(Ok(None), |file| keys::address_in_file(file, provider))
    }

    /// From now on the kept key of a provider is sent to this address.
    pub fn move_key(&self, provider: &str, address: &str) -> Result<(), ProviderError> {
        self.note_address(provider, &origin(address)?)
    }

    /// The key is in the keyring: the file has its address, and no key any more.
    fn only_in_keyring(&self, provider: &str, origin: Option<&str>) -> Result<(), ProviderError> {
        match &self.file {
            Some(file) => keys::keep_in_file(file, provider, &Entry::InKeyring(origin)).map(drop),
            None => Ok(()),
        }
    }

    fn note_address(&self, provider: &str, origin: &str) -> Result<(), ProviderError> {
        match &self.file {
            Some(file) => keys::keep_in_file(file, provider, &Entry::Address(origin)).map(drop),
            None => Ok(()),
        }
    }

    /// Takes the key of a provider out of the keyring and the file. Whether there was one.
    pub fn forget(&self, provider: &str) -> Result<bool, ProviderError> {
        let in_keyring = match self.in_keyring(|keyring| keyring.delete(provider)) {
            Ok(was_there) => was_there,
            Err(KeyringError::Absent(_)) => false,
            Err(error) => return Err(refused(&error)),
        };
        match &self.file {
            Some(file) => Ok(keys::keep_in_file(file, provider, &Entry::Nothing)? || in_keyring),
            None => Ok(in_keyring),
        }
    }

    /// Whether the keyring can be used; where not, why.
    pub fn check_keyring(&self) -> Result<(), KeyringError> {
        self.in_keyring(Keyring::check)
    }

    pub fn file(&self) -> Option<&std::path::Path> {
        self.file.as_deref()
    }

    fn in_keyring<T>(
        &self,
        work: impl FnOnce(&Keyring) -> Result<T, KeyringError>,
    ) -> Result<T, KeyringError> {
        match &self.keyring {
            Some(keyring) => work(keyring),
            None => Err(KeyringError::Absent("none is used".to_owned())),
        }
    }
}

fn refused(error: &KeyringError) -> ProviderError {
    ProviderError::new(ErrorClass::Auth, format!("The key was not changed: {error}."))
        .hint("Mend that, or keep the key in keys.toml.")
}

/// The part of an address that a key belongs to: scheme, host and port.
fn origin(address: &str) -> Result<String, ProviderError> {
    let url: reqwest::Url = address.parse().map_err(|_| {
        ProviderError::new(ErrorClass::BadRequest, format!("{address:?} is no address."))
            .because(Problem::BadAddress)
    })?;
    Ok(url.origin().ascii_serialization())
}

fn from_variables(preset: &Preset, env: &dyn Fn(&str) -> Option<String>) -> Option<(String, Vec<Key>)> {
    preset.key_variables.iter().find_map(|variable| {
        let keys = keys::from_variable(variable, env);
        (!keys.is_empty()).then(|| (variable.clone(), keys))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::presets::presets;

    fn openai() -> &'static Preset {
        presets().providers.iter().find(|preset| preset.name == "openai").unwrap()
    }

    fn texts(found: &Found) -> Vec<&str> {
        found.keys.iter().map(Key::expose).collect()
    }

    #[test]
    fn the_environment_comes_before_the_file_and_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("keys.toml");
        let store = KeyStore::new(None, Some(file.clone()));
        let nothing = |_: &str| None;
        let set = |name: &str| (name == "OPENAI_API_KEY").then(|| "from-env".to_owned());
        assert_eq!(store.source(openai(), &nothing), None);
        assert!(store.find(openai(), &nothing).unwrap().keys.is_empty());
        assert_eq!(store.keep("openai", &Key::new("from-file"), None, None).unwrap(), KeySource::File);
        assert_eq!(store.source(openai(), &nothing), Some(KeySource::File));
        assert_eq!(texts(&store.find(openai(), &nothing).unwrap()), ["from-file"]);
        assert_eq!(store.source(openai(), &set), Some(KeySource::Environment));
        let found = store.find(openai(), &set).unwrap();
        assert_eq!((texts(&found), found.variable.as_deref()), (vec!["from-env"], Some("OPENAI_API_KEY")));
        assert!(store.forget("openai").unwrap());
        assert!(!store.forget("openai").unwrap());
        assert_eq!(store.source(openai(), &nothing), None);
    }

    #[test]
    fn a_keyring_that_was_asked_for_and_is_not_there_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("keys.toml");
        let store = KeyStore::new(None, Some(file.clone()));
        let error =
            store.keep("openai", &Key::new("very-secret"), Some(KeyPlace::Keyring), None).unwrap_err();
        assert!(error.to_string().contains("there is no keyring"), "{error}");
        assert!(!error.to_string().contains("very-secret"));
        assert!(!file.exists(), "not somewhere else without a word");
        assert!(store.check_keyring().is_err());
        assert!(KeyStore::default().keep("openai", &Key::new("x"), None, None).is_err());
    }
}
