//! The state of a browser's targets, kept up to date, and waiting for it to become as it should.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{
    downloads::{DownloadLimits, file_of},
    fold::Then,
    state::{State, Whose},
};
use crate::{
    cdp::{Connection, Ears, Event, Session},
    stealth::{Identity, Kind, Stealth},
};

/// Why a wait ended without what it waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waited {
    TimedOut,
    Cancelled,
    /// The browser is gone.
    Closed(String),
}

/// What is open in a browser. It listens to the browser's events, and lives as long as the connection.
pub struct Targets {
    state: Mutex<State>,
    /// Counts the changes.
    changed: watch::Sender<u64>,
    stealth: Stealth,
    identity: OnceLock<Identity>,
    /// Where downloads go.
    downloads: OnceLock<PathBuf>,
}

impl Targets {
    pub fn new(stealth: Stealth, whose: Whose) -> Arc<Self> {
        let (state, changed) = (Mutex::new(State::of(whose)), watch::Sender::new(0));
        Arc::new(Self { state, changed, stealth, identity: OnceLock::new(), downloads: OnceLock::new() })
    }

    /// What the browser is to be called, where its own name is not right; known before the first target is.
    pub fn identify(&self, identity: Option<Identity>) {
        if let Some(identity) = identity {
            let _ = self.identity.set(identity);
        }
    }

    /// Where downloads go, and how much of them there may be.
    pub fn bound_downloads(&self, folder: PathBuf, limits: DownloadLimits) {
        let _ = self.downloads.set(folder);
        self.change(|state| state.downloads.limits = limits);
    }

    /// What is in progress the browser removes itself.
    fn remove_download(&self, guid: &str) {
        let Some(file) = file_of(guid).zip(self.downloads.get()).map(|(name, folder)| folder.join(name))
        else {
            return;
        };
        // Events are heard on an async thread, and a large file takes its time; nobody waits for it.
        tokio::task::spawn_blocking(move || std::fs::remove_file(file));
    }

    /// Attaches to what a session opens, before its code runs.
    pub fn auto_attach() -> Value {
        json!({
            "autoAttach": true,
            "waitForDebuggerOnStart": true,
            "flatten": true,
            "filter": [
                {"type": "browser", "exclude": true},
                {"type": "tab", "exclude": true},
                {"type": "browser_ui", "exclude": true},
                {},
            ],
        })
    }

    /// The state as it is now. Never held while waiting.
    pub fn look(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state from this side.
    pub fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let result = change(&mut self.look());
        self.changed.send_modify(|count| *count += 1);
        result
    }

    /// Waits until `wanted` finds what it looks for in the state.
    pub async fn wait_for<T>(
        &self,
        connection: &Connection,
        limit: Duration,
        cancel: &CancellationToken,
        wanted: impl Fn(&State) -> Option<T>,
    ) -> Result<T, Waited> {
        tokio::select! {
            found = self.find(wanted) => Ok(found),
            () = cancel.cancelled() => Err(Waited::Cancelled),
            why = connection.until_ended() => Err(Waited::Closed(why)),
            () = tokio::time::sleep(limit) => Err(Waited::TimedOut),
        }
    }

    /// Waits until the state is as `wanted` says, however long that takes.
    pub async fn until(&self, wanted: impl Fn(&State) -> bool) {
        self.find(|state| wanted(state).then_some(())).await;
    }

    async fn find<T>(&self, wanted: impl Fn(&State) -> Option<T>) -> T {
        let mut changes = self.changed.subscribe();
        loop {
            changes.mark_unchanged();
            if let Some(found) = wanted(&self.look()) {
                return found;
            }
            // The sender is ours: this ends only with a change.
            let _ = changes.changed().await;
        }
    }

    fn prepare(&self, session: &Session, kind: Kind) {
        let none = json!({});
        if kind != Kind::Worker {
            session.post("Page.enable", &none);
            session.post("Page.setLifecycleEventsEnabled", &json!({"enabled": true}));
        }
        session.post("Target.setAutoAttach", &Self::auto_attach());
        self.stealth.prepare(session, kind, self.identity.get());
        session.post("Runtime.runIfWaitingForDebugger", &none);
    }
}

impl Ears for Targets {
    fn hear(&self, event: &Event, connection: &Connection) {
        let then = self.change(|state| state.fold(event));
        let of = |id: String| Session::of(connection.clone(), id);
        for then in then {
            match then {
                Then::Prepare { session, kind } => self.prepare(&of(session), kind),
                Then::LetRun { session } => {
                    let session_of = of(session.clone());
                    session_of.post("Runtime.runIfWaitingForDebugger", &json!({}));
                    connection.post(None, "Target.detachFromTarget", &json!({"sessionId": session}));
                }
                Then::CloseTarget { target } => {
                    connection.post(None, "Target.closeTarget", &json!({"targetId": target}));
                }
                Then::DiscardDownload { guid } => {
                    connection.post(None, "Browser.cancelDownload", &json!({"guid": guid}));
                    self.remove_download(&guid);
                }
                Then::Post { session, method, params } => of(session).post(method, &params),
            }
        }
    }
}
