//! A person signs in: `deskhand servers login NAME`.

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{
    Server, SignInError,
    attempt::Attempt,
    keeper::{Keeper, Kept},
    redirect::Redirect,
};

/// How long a person may take.
const LIMIT: Duration = Duration::from_mins(5);

/// One sign-in.
pub struct Login {
    server: Server,
    keeper: Arc<dyn Keeper>,
    challenge: Option<String>,
    limit: Duration,
}

/// It worked, and the tokens are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedIn {
    /// What the person agreed to, as far as the server told.
    pub scopes: Vec<String>,
}

impl Login {
    pub fn new(server: Server, keeper: Arc<dyn Keeper>) -> Self {
        Self { server, keeper, challenge: None, limit: LIMIT }
    }

    /// What the server said when it wanted this ([`Wanted::challenge`](super::Wanted::challenge)); else it is asked.
    pub fn with_challenge(mut self, challenge: Option<&str>) -> Self {
        self.challenge = challenge.map(str::to_owned);
        self
    }

    pub fn within(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Finds out what the server wants, gives the address of the page to `show` (which prints it, and may open it: it
    /// is https or on this machine), waits for the browser to come back, and keeps the tokens.
    pub async fn run(
        self,
        show: impl FnOnce(&str) + Send,
        cancel: &CancellationToken,
    ) -> Result<SignedIn, SignInError> {
        let limit = self.limit;
        tokio::select! {
            () = cancel.cancelled() => Err(SignInError::Cancelled),
            done = timeout(limit, self.steps(show)) => done.unwrap_or(Err(SignInError::Late(limit))),
        }
    }

    async fn steps(self, show: impl FnOnce(&str) + Send) -> Result<SignedIn, SignInError> {
        let redirect =
            Redirect::listen(self.server.oauth.callback_port).await.map_err(SignInError::Listen)?;
        let attempt = Attempt::begin(&self.server, self.keeper, self.challenge, &redirect.uri()).await?;
        show(attempt.address());
        let answer = redirect.answer(attempt.state().to_owned()).await.map_err(SignInError::Listen)?;
        let kept: Kept = attempt.finish(answer).await?;
        Ok(SignedIn { scopes: kept.scopes().to_vec() })
    }
}

/// Forgets the tokens of a server. Whether there were some. It blocks.
pub fn logout(server: &Server, keeper: &dyn Keeper) -> Result<bool, SignInError> {
    Ok(keeper.clear(&server.id())?)
}
