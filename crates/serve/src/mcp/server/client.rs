//! One client: its session, the tools it has found, how much it wants to be told.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use deskhand_agent::{chain::Language, desk::TurnDesk};
use deskhand_core::{Desktop, Outside, Request, SessionCx, Time, id::new_id};
use rmcp::model::{Implementation, LoggingLevel};
use tokio::sync::{OnceCell, Semaphore, watch};
use tokio_util::sync::CancellationToken;

use super::{McpServer, bounds::Bounds};
use crate::http::ApiError;

/// One is enough; some ask anew before they let go.
const MOST_SUBSCRIPTIONS: usize = 4;

/// A client. What it does is done in a session that is its alone.
pub struct Client {
    server: McpServer,
    /// For whom it works. `None`: the owner of this installation.
    owner: Option<String>,
    /// As it stands in the audit.
    caller: String,
    session_id: String,
    /// Whether it has made a call: opening roots takes time, and a client that only looks around needs none.
    has_begun: OnceCell<()>,
    desk: TurnDesk,
    /// What of its text comes from outside.
    outside: Arc<Outside>,
    bounds: Bounds,
    /// Fires when the client goes away: whatever runs for it stops then.
    ending: CancellationToken,
    /// How often it may still ask to be told of changes.
    subscriptions: Semaphore,
    /// Counts how often its list of tools changed by its own doing.
    changes: watch::Sender<u64>,
    state: Mutex<State>,
}

struct State {
    /// The least that it wants to be told of.
    level: LoggingLevel,
    /// The names of the tools that it was told of last, if it has ever asked.
    told: Option<Vec<String>>,
    used_at: Time,
}

impl Client {
    pub fn new(server: &McpServer, owner: Option<String>, who: Option<&Implementation>) -> Self {
        let registry = Arc::clone(&server.gate().registry);
        Self {
            bounds: Bounds::new(&server.0.owners, owner.as_deref()),
            owner,
            caller: caller(who),
            // So that nobody takes it for a conversation.
            session_id: format!("mcp-{}", new_id()),
            has_begun: OnceCell::new(),
            outside: Arc::default(),
            // Nothing is on the desk yet: there is no toolset without a name.
            desk: TurnDesk::new(registry, "", Language::English),
            ending: server.0.ending.child_token(),
            subscriptions: Semaphore::new(MOST_SUBSCRIPTIONS),
            changes: watch::Sender::new(0),
            state: Mutex::new(State {
                // Of usual things a client that has not asked is told nothing.
                level: LoggingLevel::Notice,
                told: None,
                used_at: Time::now(),
            }),
            server: server.clone(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn owner(&self) -> Option<&str> {
        self.owner.as_deref()
    }

    /// Whom answers that are given through it are from.
    pub fn surface(&self) -> String {
        format!("person:{}", self.caller)
    }

    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// As it stands in the audit.
    pub fn caller(&self) -> &str {
        &self.caller
    }

    pub fn ending(&self) -> &CancellationToken {
        &self.ending
    }

    pub fn subscriptions(&self) -> &Semaphore {
        &self.subscriptions
    }

    pub fn level(&self) -> LoggingLevel {
        self.state().level
    }

    pub fn set_level(&self, level: LoggingLevel) {
        self.state().level = level;
    }

    pub fn is_used_now(&self) {
        self.state().used_at = Time::now();
    }

    pub fn used_at(&self) -> Time {
        self.state().used_at
    }

    /// The names of the tools that it has found, in the order in which it did.
    pub fn found(&self) -> Vec<String> {
        self.desk.offered().into_iter().map(|tool| tool.name).collect()
    }

    /// Notes which tools it is told of; says whether they are others than it was told of before.
    pub fn is_told(&self, names: &[String]) -> bool {
        let before = self.state().told.replace(names.to_vec());
        before.is_some_and(|before| before != names)
    }

    pub fn list_changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    pub fn list_changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Notes that it was told what somebody outside says.
    pub fn reads_from_outside(&self, source: &str) {
        self.outside.mark(source);
    }

    /// Where its calls work, as things stand now: the mode may have been changed since its last call. Nobody can be
    /// asked there yet, and nobody watches.
    pub async fn surroundings(&self, desktop: Desktop) -> Result<SessionCx, String> {
        self.has_begun.get_or_try_init(|| self.begin()).await?;
        let program = &self.server.parts().program;
        let usual = program.surroundings(&self.session_id, self.owner(), None).map_err(why)?;
        let services = usual.services.clone().with(self.desk.clone());
        let usual = usual.made_for(self.owner.clone(), desktop).called_by(&*self.caller);
        Ok(usual.asking(Vec::new(), false).tainted_by(Arc::clone(&self.outside)).with_services(services))
    }

    /// Has the program open what the calls need, which takes time.
    async fn begin(&self) -> Result<(), String> {
        let (server, id, owner) = (self.server.clone(), self.session_id.clone(), self.owner.clone());
        let opened = tokio::task::spawn_blocking(move || {
            server.parts().program.surroundings(&id, owner.as_deref(), None).map(drop).map_err(why)
        });
        opened.await.map_err(|error| format!("the session cannot begin: {error}"))?
    }

    /// A request of it to the gate, in its words.
    pub fn request(&self, tool: &str, arguments: serde_json::Value, cancel: CancellationToken) -> Request {
        let dialect = self.server.offer().dialect.clone();
        Request { cancel, ..Request::new(tool, arguments).in_dialect(dialect) }
    }
}

/// The reason alone: a client of MCP gets no HTTP status.
fn why(error: ApiError) -> String {
    error.body.message
}

/// `mcp:NAME`: the name is of the client's choice, so only what cannot be taken for anything else is kept of it.
fn caller(who: Option<&Implementation>) -> String {
    const MOST: usize = 40;
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let name: String =
        who.map(|who| who.name.trim().chars().map(plain).take(MOST).collect()).unwrap_or_default();
    format!("mcp:{}", if name.is_empty() { "unknown" } else { &name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_cannot_choose_who_it_seems_to_be() {
        for (name, shown) in [
            ("Inspector", "mcp:Inspector"),
            ("my client/2", "mcp:my-client-2"),
            ("a\nperson:terminal", "mcp:a-person-terminal"),
            ("  ", "mcp:unknown"),
            ("名", "mcp:-"),
        ] {
            assert_eq!(caller(Some(&Implementation::new(name, "1"))), shown);
        }
        assert_eq!(caller(None), "mcp:unknown");
        let long = "x".repeat(500);
        assert_eq!(caller(Some(&Implementation::new(long, "1"))).len(), 44);
    }
}
