//! Deskhand as a client of other MCP servers: their tools become tools here, behind the same gate.
//!
//! | file | what lives there |
//! |---|---|
//! | `config.rs`, `expand.rs` | what is written down about a server, and the variables in it |
//! | `supervise.rs` | the life of one server: started, listed, started again, ended |
//! | `child.rs`, `http.rs` | the two ways to reach one |
//! | `handler.rs`, `asked.rs`, `progress.rs` | what servers ask of us and tell us |
//! | `tools.rs`, `schema.rs`, `guest.rs`, `result.rs` | their tools: taken in, planned and called, and what comes back |
//! | `state.rs`, `log.rs` | what is known of each of them |
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
mod log;
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
    sync::{Arc, Mutex, MutexGuard, PoisonError},
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
    hide::without_secrets,
    log::{LogLine, LogSource},
    name::prefix,
    state::{Limits, ListedTool, Places, RefusedTool, SaidByServer, ServerState, ServerStatus},
};

/// The servers whose tools we use. Dropped, they end at once; [`Servers::shutdown`] lets them end in good order.
pub struct Servers {
    registry: Arc<Registry>,
    places: Places,
    lives: Mutex<BTreeMap<String, Life>>,
    /// Held while servers are exchanged: two changes at once must not undo each other.
    exchanging: tokio::sync::Mutex<()>,
    stop: CancellationToken,
    changes: watch::Sender<u64>,
}

/// A server, and what keeps it going.
struct Life {
    server: Arc<Server>,
    stop: CancellationToken,
    /// Aborted when this is dropped; it takes its process group along.
    supervisor: JoinSet<()>,
}

impl Servers {
    /// Starts all of them side by side in the background. Their tools come into the registry as they come up. Must be
    /// called within a tokio runtime.
    pub fn start(registry: &Arc<Registry>, configs: BTreeMap<String, ServerConfig>, places: &Places) -> Self {
        let servers = Self {
            registry: Arc::clone(registry),
            places: places.clone(),
            lives: Mutex::default(),
            exchanging: tokio::sync::Mutex::default(),
            stop: CancellationToken::new(),
            changes: watch::Sender::new(0),
        };
        let names: Vec<String> = configs.keys().cloned().collect();
        for (name, config) in configs {
            let taken = taken_prefixes(&name, &names);
            servers.begin(name, config, taken);
        }
        servers
    }

    fn lives(&self) -> MutexGuard<'_, BTreeMap<String, Life>> {
        self.lives.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, name: String, config: ServerConfig, taken: Vec<String>) {
        let disabled = config.disabled;
        let server = Server::new(name.clone(), config, self.places.clone(), taken, self.changes.clone());
        let server = Arc::new(server);
        let (stop, mut supervisor) = (self.stop.child_token(), JoinSet::new());
        let hosts = self.registry.hosts();
        let is_toolset =
            |name: &String| !hosts.contains(name) && self.registry.toolset_names().contains(name);
        if !disabled && is_toolset(&name) {
            server.fail("there is a toolset of that name already: give the server another one.");
        } else if !disabled {
            // It is known from the start, so that what a model is told of the servers does not change as they come up.
            self.registry.receive(&name, Vec::new());
            let (server, registry) = (Arc::clone(&server), Arc::clone(&self.registry));
            supervisor.spawn(supervise::supervise(server, registry, stop.clone()));
        }
        self.lives().insert(name, Life { server, stop, supervisor });
        self.changes.send_modify(|count| *count += 1);
    }

    /// Has those go on that are in `configs` as they are, ends the others, and begins the new ones. Where only what is
    /// said of its tools has changed, a server goes on, and the change holds when this returns.
    pub async fn exchange(&self, configs: BTreeMap<String, ServerConfig>) {
        let _one_at_a_time = self.exchanging.lock().await;
        let names: Vec<String> = configs.keys().cloned().collect();
        let goes_on = |life: &Life| {
            configs.get(&life.server.name).is_some_and(|config| {
                let taken = taken_prefixes(&life.server.name, &names);
                life.server.config().runs_like(config) && life.server.taken_prefixes == taken
            })
        };
        let (stay, end): (Vec<String>, Vec<String>) = {
            let lives = self.lives();
            let (stay, end): (Vec<&Life>, Vec<&Life>) = lives.values().partition(|life| goes_on(life));
            let named = |lives: Vec<&Life>| lives.iter().map(|life| life.server.name.clone()).collect();
            (named(stay), named(end))
        };
        self.end(&end).await;
        for (name, config) in configs {
            if !stay.contains(&name) {
                let taken = taken_prefixes(&name, &names);
                self.begin(name, config, taken);
            } else if let Some(server) = self.server(&name)
                && *server.config() != config
            {
                let disabled = config.disabled;
                server.goes_by(config);
                if !disabled {
                    tools::take_in_again(&server, &self.registry);
                }
            }
        }
    }

    /// Ends one, and begins it again as it is. `false`: there is none of that name.
    pub async fn restart(&self, name: &str) -> bool {
        let _one_at_a_time = self.exchanging.lock().await;
        let Some(server) = self.server(name) else { return false };
        self.end(&[name.to_owned()]).await;
        self.begin(name.to_owned(), ServerConfig::clone(&server.config()), server.taken_prefixes.clone());
        true
    }

    /// Ends those of these names, and forgets them and their tools. Until they have ended they are still seen.
    async fn end(&self, names: &[String]) {
        let mut supervisors = Vec::new();
        for (name, life) in self.lives().iter_mut().filter(|(name, _)| names.contains(name)) {
            // Nobody calls a tool of one that ends.
            self.registry.dismiss(name);
            life.stop.cancel();
            supervisors.push(std::mem::take(&mut life.supervisor));
        }
        for mut supervisor in supervisors {
            while supervisor.join_next().await.is_some() {}
        }
        for name in names {
            // Once more: it may have listed its tools while it ended.
            self.registry.dismiss(name);
        }
        self.lives().retain(|name, _| !names.contains(name));
        self.changes.send_modify(|count| *count += 1);
    }

    fn server(&self, name: &str) -> Option<Arc<Server>> {
        self.lives().get(name).map(|life| Arc::clone(&life.server))
    }

    fn all(&self) -> Vec<Arc<Server>> {
        self.lives().values().map(|life| Arc::clone(&life.server)).collect()
    }

    /// All of them, as they are now, in the order of their names.
    pub fn states(&self) -> Vec<ServerState> {
        self.all().iter().map(|server| server.state()).collect()
    }

    /// The entry that each of them goes by.
    pub fn configs(&self) -> BTreeMap<String, Arc<ServerConfig>> {
        self.lives().iter().map(|(name, life)| (name.clone(), life.server.config())).collect()
    }

    /// The end of what one printed to stderr, and of what happened to its connection.
    pub fn log(&self, name: &str) -> Option<Vec<LogLine>> {
        self.server(name).map(|server| server.log())
    }

    /// Counts how often anything about them changed.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Waits until each of them is ready or has failed once, but not longer than `limit`. Tells whether all are.
    pub async fn settled(&self, limit: Duration) -> bool {
        let mut changes = self.changes();
        let settled = async {
            while !self.all().iter().all(|server| server.is_settled()) {
                if changes.changed().await.is_err() {
                    break;
                }
            }
        };
        tokio::time::timeout(limit, settled).await.is_ok()
    }

    /// Ends all of them, and waits until nothing is left of them. Their tools stay known.
    pub async fn shutdown(&self) {
        self.stop.cancel();
        let supervisors: Vec<_> =
            self.lives().values_mut().map(|life| std::mem::take(&mut life.supervisor)).collect();
        for mut supervisor in supervisors {
            while supervisor.join_next().await.is_some() {}
        }
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        // The tasks are aborted with their sets; each takes its process group along.
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
pub fn taken_prefixes(own: &str, names: &[String]) -> Vec<String> {
    let own = name::prefix(own);
    let others = names.iter().map(|other| name::prefix(other));
    others.filter(|other| other.len() > own.len() && other.starts_with(&own)).collect()
}
