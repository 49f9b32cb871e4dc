//! What is asked of the keyring, on each system.

#[cfg(all(unix, not(target_os = "macos")))]
pub use secret_service::{check, delete, get, providers, set};

#[cfg(not(all(unix, not(target_os = "macos"))))]
pub use none::{check, delete, get, providers, set};

/// The Secret Service: gnome-keyring, KWallet, KeePassXC and others.
#[cfg(all(unix, not(target_os = "macos")))]
mod secret_service {
    use std::collections::{BTreeSet, HashMap};

    use secret_service::{Collection, EncryptionType, Error, Item, SecretService};

    use crate::provider::keyring::{KeyringError, KeyringResult};

    /// The attributes by which a key is found.
    const SERVICE: (&str, &str) = ("service", "deskhand");
    const PROVIDER: &str = "username";

    impl From<Error> for KeyringError {
        fn from(error: Error) -> Self {
            match error {
                Error::Unavailable => Self::Absent(
                    "no program answers for the Secret Service on the session's D-Bus".to_owned(),
                ),
                Error::Locked | Error::Prompt | Error::PromptDisconnected => Self::Locked,
                Error::NoResult => Self::Absent("there is none that is used by default".to_owned()),
                other => Self::Failed(other.to_string()),
            }
        }
    }

    async fn connect() -> KeyringResult<SecretService<'static>> {
        // Encrypted on the bus, too.
        SecretService::connect(EncryptionType::Dh).await.map_err(|error| match error {
            Error::Zbus(error) => {
                KeyringError::Absent(format!("the session's D-Bus cannot be reached ({error})"))
            }
            other => other.into(),
        })
    }

    /// The default collection, which must be open: a question to the person would take longer than we wait.
    async fn open<'a>(service: &'a SecretService<'static>) -> KeyringResult<Collection<'a>> {
        let collection = service.get_default_collection().await?;
        if collection.is_locked().await? { Err(KeyringError::Locked) } else { Ok(collection) }
    }

    /// Our items, of one provider or all. Where some are locked, it cannot be said what is there.
    async fn items<'a>(
        service: &'a SecretService<'static>,
        provider: Option<&str>,
    ) -> KeyringResult<Vec<Item<'a>>> {
        let of_one = provider.map(|name| (PROVIDER, name));
        let attributes: HashMap<_, _> = [SERVICE].into_iter().chain(of_one).collect();
        let found = service.search_items(attributes).await?;
        if found.locked.is_empty() { Ok(found.unlocked) } else { Err(KeyringError::Locked) }
    }

    pub async fn check() -> KeyringResult<()> {
        open(&connect().await?).await.map(drop)
    }

    pub async fn get(provider: String) -> KeyringResult<Option<String>> {
        let service = connect().await?;
        let items = items(&service, Some(&provider)).await?;
        let Some(item) = items.first() else { return Ok(None) };
        let key = String::from_utf8(item.get_secret().await?);
        key.map(Some).map_err(|_| KeyringError::Failed(format!("the key of {provider} is no text")))
    }

    pub async fn set(provider: &str, key: &str) -> KeyringResult<()> {
        let service = connect().await?;
        let collection = open(&service).await?;
        let attributes = HashMap::from([SERVICE, (PROVIDER, provider)]);
        let label = format!("Deskhand: key of {provider}");
        collection.create_item(&label, attributes, key.as_bytes(), true, "text/plain").await?;
        Ok(())
    }

    pub async fn delete(provider: String) -> KeyringResult<bool> {
        let service = connect().await?;
        let items = items(&service, Some(&provider)).await?;
        for item in &items {
            item.delete().await?;
        }
        Ok(!items.is_empty())
    }

    pub async fn providers() -> KeyringResult<BTreeSet<String>> {
        let service = connect().await?;
        let mut providers = BTreeSet::new();
        for item in items(&service, None).await? {
            providers.extend(item.get_attributes().await?.remove(PROVIDER));
        }
        Ok(providers)
    }
}

/// Where no keyring is known yet.
#[cfg(not(all(unix, not(target_os = "macos"))))]
mod none {
    use std::collections::BTreeSet;

    use crate::provider::keyring::{KeyringError, KeyringResult};

    fn absent<T>() -> KeyringResult<T> {
        Err(KeyringError::Absent("that of this system is not supported yet".to_owned()))
    }

    pub async fn check() -> KeyringResult<()> {
        absent()
    }

    pub async fn get(_: String) -> KeyringResult<Option<String>> {
        absent()
    }

    pub async fn set(_: &str, _: &str) -> KeyringResult<()> {
        absent()
    }

    pub async fn delete(_: String) -> KeyringResult<bool> {
        absent()
    }

    pub async fn providers() -> KeyringResult<BTreeSet<String>> {
        absent()
    }
}
