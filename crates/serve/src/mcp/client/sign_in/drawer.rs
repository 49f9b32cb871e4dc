//! What is kept for one server, as `rmcp` asks for it.
//!
//! Every request asks for the token. So it is read once and then remembered, until it is renewed: another process may
//! have done that meanwhile, and then its token is the one to go on with.

use std::{
    any::Any,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rmcp::transport::auth::{AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials};
use tokio::time::{Instant, sleep};

use super::keeper::{Keeper, KeeperError, Kept, ServerId};

/// How long another process is waited for that renews the same tokens: longer than it waits for its answer.
const LOCK_LIMIT: Duration = Duration::from_secs(40);
const LOCK_PAUSE: Duration = Duration::from_millis(50);

#[derive(Clone)]
pub(super) struct Drawer {
    keeper: Arc<dyn Keeper>,
    server: ServerId,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    known: Known,
    /// Of the client whose tokens are saved next.
    client_secret: Option<String>,
    /// Whether they come from a person who signs in, and are not just renewed.
    signs_in: bool,
}

/// What is kept, as far as that is known.
#[derive(Clone, Default)]
enum Known {
    #[default]
    Nothing,
    Kept(Box<Kept>),
    /// That there is nothing is known, too.
    Empty,
}

impl From<Option<Kept>> for Known {
    fn from(kept: Option<Kept>) -> Self {
        kept.map_or(Self::Empty, |kept| Self::Kept(Box::new(kept)))
    }
}

/// What a lock's holder keeps: it is only dropped.
struct Held {
    _lock: Box<dyn Any + Send>,
}

impl Drawer {
    pub fn new(keeper: Arc<dyn Keeper>, server: ServerId) -> Self {
        Self { keeper, server, state: Arc::default() }
    }

    pub async fn kept(&self) -> Result<Option<Kept>, KeeperError> {
        match self.state().known.clone() {
            Known::Kept(kept) => return Ok(Some(*kept)),
            Known::Empty => return Ok(None),
            Known::Nothing => {}
        }
        let kept = self.ask(|keeper, server| keeper.load(server)).await?;
        let mut state = self.state();
        state.client_secret = kept.as_ref().and_then(|kept| kept.client_secret.clone());
        state.known = kept.clone().into();
        Ok(kept)
    }

    pub async fn keep(&self, kept: Kept) -> Result<(), KeeperError> {
        let saved = kept.clone();
        self.ask(move |keeper, server| keeper.save(server, &saved)).await?;
        self.state().known = Some(kept).into();
        Ok(())
    }

    /// A person signs in: the next tokens belong to a client with this secret, and are what the server wanted.
    pub fn sign_in_as(&self, client_secret: Option<String>) {
        let mut state = self.state();
        state.client_secret = client_secret;
        state.signs_in = true;
    }

    /// Tokens as they are to be kept. Renewed ones allow no more than those before, so what the server still wants
    /// stays known.
    fn to_keep(&self, credentials: StoredCredentials) -> Kept {
        let state = self.state();
        let mut kept = Kept::new(Some(credentials), state.client_secret.clone());
        if let Known::Kept(before) = &state.known
            && !state.signs_in
        {
            kept.challenge.clone_from(&before.challenge);
        }
        kept
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The keeper blocks, so it is asked on a thread for that.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&dyn Keeper, &ServerId) -> Result<T, KeeperError> + Send + 'static,
    ) -> Result<T, KeeperError> {
        let (keeper, server) = (self.keeper.clone(), self.server.clone());
        tokio::task::spawn_blocking(move || question(&*keeper, &server))
            .await
            .unwrap_or_else(|_| Err(KeeperError::new("asking for them broke down")))
    }

    async fn lock(&self) -> Result<Held, KeeperError> {
        let until = Instant::now() + LOCK_LIMIT;
        loop {
            if let Some(lock) = self.ask(|keeper, server| keeper.try_lock(server)).await? {
                return Ok(Held { _lock: lock });
            }
            if Instant::now() >= until {
                return Err(KeeperError::new("another process does not finish renewing them"));
            }
            sleep(LOCK_PAUSE).await;
        }
    }

    /// Tokens that can no longer be renewed are put away, unless somebody has signed in again meanwhile. What the
    /// person had agreed to stays known.
    async fn put_away(&self, refused: &StoredCredentials) -> Result<(), KeeperError> {
        self.state().known = Known::Nothing;
        let Some(mut kept) = self.kept().await? else { return Ok(()) };
        let same = kept.credentials.as_ref().is_some_and(|now| renewed_by(now) == renewed_by(refused));
        if !same {
            return Ok(());
        }
        if let Some(credentials) = &mut kept.credentials {
            credentials.token_response = None;
        }
        self.keep(kept.touched()).await
    }
}

/// The token by which tokens are renewed.
fn renewed_by(credentials: &StoredCredentials) -> Option<serde_json::Value> {
    serde_json::to_value(credentials.token_response.as_ref()?).ok()?.get("refresh_token").cloned()
}

fn failed(error: &KeeperError) -> AuthError {
    tracing::warn!("{error}");
    AuthError::CredentialStoreError(error.to_string())
}

type Asked<'a, T> = Pin<Box<dyn Future<Output = Result<T, AuthError>> + Send + 'a>>;

// The trait is written with a macro that makes these signatures.
impl CredentialStore for Drawer {
    fn load<'a: 'f, 'f>(&'a self) -> Asked<'f, Option<StoredCredentials>>
    where
        Self: 'f,
    {
        Box::pin(async move {
            Ok(self.kept().await.map_err(|error| failed(&error))?.and_then(|kept| kept.credentials))
        })
    }

    fn save<'a: 'f, 'f>(&'a self, credentials: StoredCredentials) -> Asked<'f, ()>
    where
        Self: 'f,
    {
        Box::pin(async move {
            let kept = self.to_keep(credentials);
            self.keep(kept).await.map_err(|error| failed(&error))
        })
    }

    fn clear<'a: 'f, 'f>(&'a self) -> Asked<'f, ()>
    where
        Self: 'f,
    {
        Box::pin(async move {
            self.ask(|keeper, server| keeper.clear(server)).await.map_err(|error| failed(&error))?;
            self.state().known = Known::Empty;
            Ok(())
        })
    }

    fn on_refresh_token_rejected<'a: 'f, 'b: 'f, 'f>(
        &'a self,
        credentials: &'b StoredCredentials,
    ) -> Asked<'f, ()>
    where
        Self: 'f,
    {
        Box::pin(async move { self.put_away(credentials).await.map_err(|error| failed(&error)) })
    }

    fn acquire_refresh_guard<'a: 'f, 'f>(&'a self) -> Asked<'f, Option<CredentialRefreshGuard>>
    where
        Self: 'f,
    {
        Box::pin(async move {
            let held = self.lock().await.map_err(|error| failed(&error))?;
            // Whoever held it may have renewed them.
            self.state().known = Known::Nothing;
            Ok(Some(CredentialRefreshGuard::new(held)))
        })
    }
}
