//! Tokens in the keyring of the system; where there is none that can be used, in files.

use std::{any::Any, sync::Arc};

use deskhand_agent::provider::{Keyring, keyring::KeyringError};

use super::{
    file::FileKeeper,
    keeper::{Keeper, KeeperError, Kept, ServerId},
};

/// A keyring: texts by name. It blocks.
pub trait Vault: Send + Sync {
    fn get(&self, name: &str) -> Result<Option<String>, VaultError>;
    fn set(&self, name: &str, text: &str) -> Result<(), VaultError>;
    /// Whether there was one.
    fn delete(&self, name: &str) -> Result<bool, VaultError>;
}

/// Why a keyring did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    /// There is none, so nothing is in it.
    #[error("there is no keyring")]
    Absent,
    /// There is one, and it does not answer: nobody knows what is in it.
    #[error("{0}")]
    Trouble(String),
}

impl From<KeyringError> for VaultError {
    fn from(error: KeyringError) -> Self {
        match error {
            KeyringError::Absent(_) => Self::Absent,
            other => Self::Trouble(other.to_string()),
        }
    }
}

impl Vault for Keyring {
    fn get(&self, name: &str) -> Result<Option<String>, VaultError> {
        Ok(self.text(name)?)
    }

    fn set(&self, name: &str, text: &str) -> Result<(), VaultError> {
        Ok(self.keep_text(name, text)?)
    }

    fn delete(&self, name: &str) -> Result<bool, VaultError> {
        Ok(Keyring::delete(self, name)?)
    }
}

/// The keyring first, files where it cannot be used.
pub struct KeyringKeeper {
    vault: Arc<dyn Vault>,
    files: FileKeeper,
}

impl KeyringKeeper {
    pub fn new(vault: Arc<dyn Vault>, files: FileKeeper) -> Self {
        Self { vault, files }
    }
}

/// Keys of models are in the same keyring, under the names of their providers.
fn name(server: &ServerId) -> String {
    format!("mcp:{}", server.key())
}

impl Keeper for KeyringKeeper {
    fn load(&self, server: &ServerId) -> Result<Option<Kept>, KeeperError> {
        let in_file = self.files.load(server)?;
        let in_vault = match self.vault.get(&name(server)) {
            Ok(text) => text.map(|text| Kept::from_text(&text, "the keyring")).transpose()?,
            Err(VaultError::Trouble(why)) if in_file.is_none() => return Err(KeeperError::new(why)),
            Err(_) => None,
        };
        // They went into the file while the keyring did not answer: what it has is older.
        Ok([in_file, in_vault].into_iter().flatten().max_by_key(|kept| kept.saved_at))
    }

    fn save(&self, server: &ServerId, kept: &Kept) -> Result<(), KeeperError> {
        match self.vault.set(&name(server), &kept.to_text()?) {
            Ok(()) => self.files.clear(server).map(drop),
            Err(error) => {
                tracing::debug!("tokens go into a file: {error}");
                self.files.save(server, kept)
            }
        }
    }

    fn clear(&self, server: &ServerId) -> Result<bool, KeeperError> {
        let in_file = self.files.clear(server)?;
        match self.vault.delete(&name(server)) {
            Ok(in_vault) => Ok(in_vault || in_file),
            Err(VaultError::Absent) => Ok(in_file),
            Err(VaultError::Trouble(why)) => Err(KeeperError::new(why)),
        }
    }

    fn try_lock(&self, server: &ServerId) -> Result<Option<Box<dyn Any + Send>>, KeeperError> {
        self.files.try_lock(server)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // all of it is tests
    use std::{collections::BTreeMap, sync::Mutex};

    use super::*;

    /// A keyring that can be taken away.
    #[derive(Default)]
    struct Chest {
        texts: Mutex<BTreeMap<String, String>>,
        trouble: Mutex<Option<VaultError>>,
    }

    impl Chest {
        fn check(&self) -> Result<(), VaultError> {
            self.trouble.lock().unwrap().clone().map_or(Ok(()), Err)
        }
    }

    impl Vault for Chest {
        fn get(&self, name: &str) -> Result<Option<String>, VaultError> {
            self.check()?;
            Ok(self.texts.lock().unwrap().get(name).cloned())
        }

        fn set(&self, name: &str, text: &str) -> Result<(), VaultError> {
            self.check()?;
            self.texts.lock().unwrap().insert(name.to_owned(), text.to_owned());
            Ok(())
        }

        fn delete(&self, name: &str) -> Result<bool, VaultError> {
            self.check()?;
            Ok(self.texts.lock().unwrap().remove(name).is_some())
        }
    }

    fn kept(challenge: &str, saved_at: u64) -> Kept {
        Kept { challenge: Some(challenge.to_owned()), saved_at, ..Kept::default() }
    }

    #[test]
    fn the_keyring_comes_first_and_the_newer_one_counts() {
        let folder = tempfile::tempdir().unwrap();
        let vault = Arc::new(Chest::default());
        let files = FileKeeper::new(folder.path());
        let keeper = KeyringKeeper::new(vault.clone(), files.clone());
        let server = ServerId::new("notes", "https://example.com/mcp");
        let found = || keeper.load(&server).unwrap().and_then(|kept| kept.challenge);

        keeper.save(&server, &kept("first", 1)).unwrap();
        assert!(files.load(&server).unwrap().is_none(), "a keyring is there: no file");
        assert_eq!(found().as_deref(), Some("first"));

        *vault.trouble.lock().unwrap() = Some(VaultError::Trouble("it is locked".into()));
        assert!(keeper.load(&server).is_err(), "nobody knows what is in it");
        keeper.save(&server, &kept("second", 2)).unwrap();
        assert_eq!(found().as_deref(), Some("second"));

        *vault.trouble.lock().unwrap() = None;
        assert_eq!(found().as_deref(), Some("second"), "what the keyring has is older");
        keeper.save(&server, &kept("third", 3)).unwrap();
        assert!(files.load(&server).unwrap().is_none(), "and not in two places");
        assert!(keeper.clear(&server).unwrap());
        assert_eq!(found(), None);

        *vault.trouble.lock().unwrap() = Some(VaultError::Absent);
        assert_eq!(found(), None, "where there is none, nothing is in it");
        keeper.save(&server, &kept("fourth", 4)).unwrap();
        assert_eq!(found().as_deref(), Some("fourth"));
    }
}
