//! Sign-ins that go on in the background: begun on the page, done in the browser.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use schemars::JsonSchema;
use serde::Serialize;
use tokio::{sync::oneshot, task::JoinSet};
use tokio_util::sync::CancellationToken;

use super::{Login, SignInError};

/// How far a sign-in is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum SignInState {
    /// The person is to open this address.
    Waiting {
        address: String,
    },
    Done,
    Failed {
        why: String,
    },
}

/// The last sign-in to each server. Dropped, those that wait end.
#[derive(Default)]
pub struct SignIns(Arc<All>);

type All = Mutex<BTreeMap<String, SignIn>>;

struct SignIn {
    state: Option<SignInState>,
    /// Which one it is: an earlier one does not report over a later one.
    number: u64,
    task: JoinSet<()>,
}

fn lock(all: &All) -> MutexGuard<'_, BTreeMap<String, SignIn>> {
    all.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SignIns {
    pub fn state(&self, server: &str) -> Option<SignInState> {
        lock(&self.0).get(server)?.state.clone()
    }

    pub fn forget(&self, server: &str) {
        lock(&self.0).remove(server);
    }

    /// Begins one, in place of an earlier one that still waits. Gives the address that the person is to open; what comes
    /// after is told by [`SignIns::state`]. `then` is done once somebody has signed in.
    pub async fn begin(
        &self,
        server: &str,
        login: Login,
        then: impl Future<Output = ()> + Send + 'static,
    ) -> Result<String, SignInError> {
        let (shown, address) = oneshot::channel();
        let (failed, failure) = oneshot::channel();
        let report = self.begun(server);
        let number = report.number;
        let work = async move {
            let show = |address: &str| {
                report.tell(SignInState::Waiting { address: address.to_owned() });
                let _ = shown.send(address.to_owned());
            };
            match login.run(show, &CancellationToken::new()).await {
                Ok(_) => {
                    // To its end, also if the sign-in is given up: a server that was ended is begun again.
                    let _ = tokio::spawn(then).await;
                    report.tell(SignInState::Done);
                }
                Err(error) => {
                    report.tell(SignInState::Failed { why: error.to_string() });
                    let _ = failed.send(error);
                }
            }
        };
        if let Some(one) = lock(&self.0).get_mut(server).filter(|one| one.number == number) {
            one.task.spawn(work);
        }
        match address.await {
            Ok(address) => Ok(address),
            // It ended before there was an address.
            Err(_) => Err(failure.await.unwrap_or(SignInError::Cancelled)),
        }
    }

    fn begun(&self, server: &str) -> Report {
        let mut all = lock(&self.0);
        let number = all.get(server).map_or(0, |before| before.number + 1);
        all.insert(server.to_owned(), SignIn { state: None, number, task: JoinSet::new() });
        Report { all: Arc::downgrade(&self.0), server: server.to_owned(), number }
    }
}

/// Where one sign-in says how far it is.
struct Report {
    all: Weak<All>,
    server: String,
    number: u64,
}

impl Report {
    fn tell(&self, state: SignInState) {
        let Some(all) = self.all.upgrade() else { return };
        if let Some(one) = lock(&all).get_mut(&self.server).filter(|one| one.number == self.number) {
            one.state = Some(state);
        }
    }
}
