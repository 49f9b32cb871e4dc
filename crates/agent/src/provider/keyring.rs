//! The keyring of the system, as a place for keys: the Secret Service of the desktop, over D-Bus.
//!
//! A keyring may be missing, locked, or hang. Nobody is asked to unlock it from here, and every access ends within
//! [`LIMIT`]. These calls block so long: inside of async code they belong on a thread for that.

mod service;
#[cfg(test)]
#[cfg(all(unix, not(target_os = "macos")))]
mod tests;

use std::{
    collections::BTreeSet,
    fmt,
    future::Future,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use super::Key;

/// The longest that one access takes.
pub const LIMIT: Duration = Duration::from_secs(2);

/// How long a keyring that did not answer is not asked again: many accesses in a row would add up.
const REST: Duration = Duration::from_secs(30);

/// For how long it is known whose keys are kept.
const KNOWN_FOR: Duration = Duration::from_secs(2);

/// Why the keyring did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyringError {
    #[error("there is no keyring here: {0}")]
    Absent(String),
    #[error("the keyring is locked: unlock it, for instance by logging in to the desktop")]
    Locked,
    #[error("the keyring has not answered within {} seconds", LIMIT.as_secs())]
    Late,
    #[error("the keyring failed: {0}")]
    Failed(String),
}

pub type KeyringResult<T> = Result<T, KeyringError>;

/// The keyring of whoever runs this process. One access at a time.
pub struct Keyring {
    limit: Duration,
    state: Mutex<State>,
}

impl Default for Keyring {
    fn default() -> Self {
        Self { limit: LIMIT, state: Mutex::default() }
    }
}

#[derive(Default)]
struct State {
    /// When it did not answer in time.
    late: Option<Instant>,
    known: Option<(Instant, BTreeSet<String>)>,
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keyring")
    }
}

impl Keyring {
    /// Whether keys can be kept here now.
    pub fn check(&self) -> KeyringResult<()> {
        self.ask(&mut self.state(), service::check)
    }

    pub fn get(&self, provider: &str) -> KeyringResult<Option<Key>> {
        Ok(self.text(provider)?.map(Key::new))
    }

    /// Keeps a key, in the place of another of the same provider.
    pub fn set(&self, provider: &str, key: &Key) -> KeyringResult<()> {
        self.keep_text(provider, key.expose())
    }

    /// A secret that is no key of a provider. Its name must not be that of one.
    pub fn text(&self, name: &str) -> KeyringResult<Option<String>> {
        let name = name.to_owned();
        self.ask(&mut self.state(), move || service::get(name))
    }

    /// Keeps a secret, in the place of another of the same name.
    pub fn keep_text(&self, name: &str, text: &str) -> KeyringResult<()> {
        let (name, text) = (name.to_owned(), text.to_owned());
        let mut state = self.state();
        state.known = None;
        self.ask(&mut state, move || async move { service::set(&name, &text).await })
    }

    /// Whether there was one.
    pub fn delete(&self, provider: &str) -> KeyringResult<bool> {
        let provider = provider.to_owned();
        let mut state = self.state();
        state.known = None;
        self.ask(&mut state, move || service::delete(provider))
    }

    /// The providers whose keys are kept here. No key is read for it.
    pub fn providers(&self) -> KeyringResult<BTreeSet<String>> {
        let mut state = self.state();
        if let Some((at, providers)) = &state.known
            && at.elapsed() < KNOWN_FOR
        {
            return Ok(providers.clone());
        }
        let found = self.ask(&mut state, service::providers)?;
        state.known = Some((Instant::now(), found.clone()));
        Ok(found)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Does the work on a thread with a runtime of its own, which ends with it: nothing is left behind that hangs.
    fn ask<T, F>(&self, state: &mut State, work: impl FnOnce() -> F + Send + 'static) -> KeyringResult<T>
    where
        T: Send + 'static,
        F: Future<Output = KeyringResult<T>>,
    {
        if state.late.is_some_and(|at| at.elapsed() < REST) {
            return Err(KeyringError::Late);
        }
        let limit = self.limit;
        let failed = |error: std::io::Error| KeyringError::Failed(error.to_string());
        let asked = thread::Builder::new().name("keyring".to_owned()).spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
            let answer = runtime.block_on(async { tokio::time::timeout(limit, work()).await });
            runtime.shutdown_background();
            answer.unwrap_or(Err(KeyringError::Late))
        });
        let answer = asked
            .map_err(failed)?
            .join()
            .unwrap_or_else(|_| Err(KeyringError::Failed("asking it broke down".to_owned())));
        state.late = matches!(answer, Err(KeyringError::Late)).then(Instant::now);
        answer
    }
}
