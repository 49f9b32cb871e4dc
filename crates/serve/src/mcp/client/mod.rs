//! Deskhand as a client of other MCP servers: their tools become tools here, behind the same gate.
//!
//! | file | what lives there |
//! |---|---|
//! | `config.rs`, `expand.rs` | what is written down about a server, and the variables in it |
//! | `supervise.rs` | the life of one server: started, listed, started again, ended |
//! | `child.rs`, `http.rs` | the two ways to reach one |
//! | `handler.rs`, `asked.rs`, `progress.rs` | what servers ask of us and tell us |
//! | `tools.rs`, `schema.rs`, `guest.rs`, `result.rs` | their tools: taken in, planned and called, and what comes back |
//! | `state.rs` | what is known of each of them |
//! | [`sign_in`] | tokens for servers over HTTP that want somebody to sign in: kept, used, renewed, asked for |
//! | `name.rs`, `hide.rs` | their words made fit to be shown, and our secrets kept out of them |
//!
//! What a server says is outside text, and what it says of its own harmlessness counts for nothing: only the user's
//! settings lower what its tools need.

mod asked;
mod child;
mod config;
mod expand;
mod guest;
mod handler;
mod hide;
mod http;
mod name;
mod progress;
mod result;
mod schema;
pub mod sign_in;
mod state;
mod supervise;
mod tools;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use deskhand_core::Registry;
use tokio::{sync::watch, task::JoinSet};
use tokio_util::sync::CancellationToken;

use self::state::Server;
pub use self::{
    config::{
        ConfigError, ConfigErrors, Hidden, Link, ReadServers, ServerConfig, ToolConfig, named_like,
        parse_servers, plain_json, read_servers,
    },
    handler::{Answerer, FormAnswer},
    name::prefix,
    state::{Limits, Places, RefusedTool, SaidByServer, ServerState, ServerStatus},
};

/// The servers whose tools we use. Dropped, they end at once; [`Servers::shutdown`] lets them end in good order.
pub struct Servers {
    servers: Vec<Arc<Server>>,
    stop: CancellationToken,
    supervisors: Mutex<JoinSet<()>>,
    changes: watch::Sender<u64>,
}

impl Servers {
    /// Starts all of them side by side in the background. Their tools come into the registry as they come up. Must be
    /// called within a tokio runtime.
    pub fn start(registry: &Arc<Registry>, configs: BTreeMap<String, ServerConfig>, places: &Places) -> Self {
        let changes = watch::Sender::new(0);
        let stop = CancellationToken::new();
        let mut supervisors = JoinSet::new();
        let toolsets = registry.toolset_names();
        let names: Vec<String> = configs.keys().cloned().collect();
        let mut servers = Vec::new();
        for (name, config) in configs {
            let server = Server::new(
                name.clone(),
                config,
                places.clone(),
                taken_prefixes(&name, &names),
                changes.clone(),
            );
            let server = Arc::new(server);
            servers.push(Arc::clone(&server));
            if server.config.disabled {
                continue;
            }
            if toolsets.contains(&name) {
                server.fail("there is a toolset of that name already: give the server another one.");
                continue;
            }
            // It is known from the start, so that what a model is told of the servers does not change as they come up.
            registry.receive(&name, Vec::new());
            supervisors.spawn(supervise::supervise(server, Arc::clone(registry), stop.clone()));
        }
        Self { servers, stop, supervisors: Mutex::new(supervisors), changes }
    }

    /// All of them, as they are now, in the order of their names.
    pub fn states(&self) -> Vec<ServerState> {
        self.servers.iter().map(|server| server.state()).collect()
    }

    /// Counts how often anything about them changed.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Waits until each of them is ready or has failed once, but not longer than `limit`. Tells whether all are.
    pub async fn settled(&self, limit: Duration) -> bool {
        let mut changes = self.changes();
        let settled = async {
            while !self.servers.iter().all(|server| server.is_settled()) {
                if changes.changed().await.is_err() {
                    break;
                }
            }
        };
        tokio::time::timeout(limit, settled).await.is_ok()
    }

    /// Ends all of them, and waits until nothing is left of them.
    pub async fn shutdown(&self) {
        self.stop.cancel();
        let mut supervisors =
            std::mem::take(&mut *self.supervisors.lock().unwrap_or_else(PoisonError::into_inner));
        while supervisors.join_next().await.is_some() {}
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        // The tasks are aborted with their set; each takes its process group along.
        self.stop.cancel();
    }
}

/// The server of an entry as somebody signs in to it, with its variables put in. An error says why nobody can.
pub fn server_to_sign_in(
    name: &str,
    config: &ServerConfig,
    places: &Places,
) -> Result<sign_in::Server, String> {
    let workspace = places.workspaces.first().map_or_else(String::new, |folder| folder.display().to_string());
    let variables = expand::Variables { environment: &places.environment, workspace: &workspace };
    match variables.expand(&config.link)?.link {
        Link::Stdio { .. } => Err(format!("{name} is a program on this machine: nobody signs in to it")),
        Link::Http { url, oauth, .. } => {
            sign_in::Server::new(name, url.reveal(), oauth).map_err(|error| error.to_string())
        }
    }
}

/// How names of tools must not begin for a server: `git` may not have a tool that looks like one of `git_hub`.
fn taken_prefixes(own: &str, names: &[String]) -> Vec<String> {
    let own = name::prefix(own);
    let others = names.iter().map(|other| name::prefix(other));
    others.filter(|other| other.len() > own.len() && other.starts_with(&own)).collect()
}
