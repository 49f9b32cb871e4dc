//! What is known of one server while the program runs: shared by its supervisor, its tools and whoever looks.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use deskhand_core::{Permission, Screener, Time};
use rmcp::{RoleClient, model::RequestId, service::Peer};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::{Notify, watch};

use super::{
    Answerer, Link, ServerConfig,
    hide::Secrets,
    log::{Log, LogLine},
    name,
    progress::Watched,
    sign_in::{self, Keeper},
    tools::Listing,
};

/// How far a server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ServerStatus {
    Starting,
    Ready,
    /// It was there, and will be started again.
    Restarting,
    /// It did not come up. Where that may pass, it is tried again.
    Failed,
    /// It wants a person to sign in, and is waited for until one has.
    WantsSignIn,
    Disabled,
}

impl ServerStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::Restarting => "restarting",
            Self::Failed => "failed",
            Self::WantsSignIn => "wants you to sign in",
            Self::Disabled => "disabled",
        }
    }
}

/// A server as it is shown. Secrets are masked.
#[derive(Clone, Debug, Serialize)]
pub struct ServerState {
    pub name: String,
    /// `stdio` or `http`.
    pub kind: &'static str,
    pub status: ServerStatus,
    pub error: Option<String>,
    /// The names under which its tools are called here.
    pub tools: Vec<String>,
    /// All that it lists, with what the settings say of each.
    pub listed: Vec<ListedTool>,
    pub refused: Vec<RefusedTool>,
    pub protocol_version: Option<String>,
    pub server_info: Option<SaidByServer>,
    pub permission: Permission,
    pub shared: bool,
    /// Whether tokens of a person who signed in are used.
    pub signed_in: bool,
    pub restarts: u32,
    pub last_seen: Option<Time>,
    /// The end of what it wrote to stderr.
    pub stderr: Vec<String>,
    pub notes: Vec<String>,
}

/// A tool as its server lists it, and what the settings say of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedTool {
    /// The server's own name for it.
    pub name: String,
    /// The name under which it is called here.
    pub called_as: String,
    /// What it needs; `null`: what all tools of the server need.
    pub permission: Option<Permission>,
    /// Nobody can find or call it.
    pub hidden: bool,
}

/// A tool that was not taken in, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RefusedTool {
    pub name: String,
    pub why: String,
}

/// What a server says of itself: nobody here vouches for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SaidByServer {
    /// Where the text comes from.
    pub outside: String,
    pub name: Option<String>,
    pub version: Option<String>,
    pub instructions: Option<String>,
}

/// How long things may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub connect: Duration,
    pub list: Duration,
    /// A call with progress may take this long in all.
    pub call: Duration,
    /// Before a dead server is started again: at first, and at most.
    pub first_wait: Duration,
    pub longest_wait: Duration,
    /// A server that lived this long starts from the first wait again.
    pub quiet: Duration,
    /// How long changes of the list of tools are gathered.
    pub debounce: Duration,
    /// How long a server may take to end when asked to, each time it is asked.
    pub end: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            list: Duration::from_secs(30),
            call: Duration::from_mins(10),
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_mins(1),
            quiet: Duration::from_mins(1),
            debounce: Duration::from_millis(500),
            end: Duration::from_secs(2),
        }
    }
}

/// Where servers are started, and what they are given.
#[derive(Clone)]
pub struct Places {
    /// The roots that servers are told of; the first is where they start.
    pub workspaces: Vec<PathBuf>,
    /// From which variables are put in, and a few passed on. Nothing else of it reaches a server.
    pub environment: HashMap<String, String>,
    /// Masks what servers say of themselves.
    pub screener: Arc<dyn Screener>,
    /// Who answers their questions. `None`: they are declined.
    pub answerer: Option<Arc<dyn Answerer>>,
    /// Where the tokens of those who signed in are kept. `None`: nobody can sign in.
    pub keeper: Option<Arc<dyn Keeper>>,
    pub limits: Limits,
}

impl Places {
    /// With the environment of this process.
    pub fn here(workspaces: Vec<PathBuf>, screener: Arc<dyn Screener>) -> Self {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Self {
            workspaces,
            environment: std::env::vars_os().filter_map(text).collect(),
            screener,
            answerer: None,
            keeper: None,
            limits: Limits::default(),
        }
    }
}

/// Who signs in to a server over HTTP, and where the tokens are.
pub(super) struct Signer {
    pub server: sign_in::Server,
    pub keeper: Arc<dyn Keeper>,
}

impl Signer {
    /// Whether somebody has signed in. What cannot be read counts for nobody.
    pub async fn has_tokens(&self) -> bool {
        let (keeper, id) = (Arc::clone(&self.keeper), self.server.id());
        let kept = tokio::task::spawn_blocking(move || keeper.load(&id)).await;
        matches!(kept, Ok(Ok(Some(kept))) if kept.has_tokens())
    }
}

/// One server.
pub(super) struct Server {
    pub name: String,
    /// What is said of its tools can change while it runs.
    config: Mutex<Arc<ServerConfig>>,
    listing: Mutex<Listing>,
    pub places: Places,
    /// How names of tools begin that belong to another server whose name goes on where this one's ends.
    pub taken_prefixes: Vec<String>,
    pub secrets: OnceLock<Secrets>,
    /// Who signs in to it, where somebody may.
    pub signer: OnceLock<Signer>,
    pub watched: Watched,
    live: Mutex<Live>,
    changes: watch::Sender<u64>,
    /// The list of tools has changed.
    pub list_changed: Notify,
    /// A call found the connection broken.
    pub suspect: Notify,
    /// The connection was ended since the server asked too much of us.
    asked_too_much: AtomicBool,
    abandoned: Mutex<Vec<RequestId>>,
    pub has_abandoned: Notify,
}

struct Live {
    status: ServerStatus,
    error: Option<String>,
    peer: Option<Peer<RoleClient>>,
    /// The hash of each tool's definition as the server last gave it, by the server's own name.
    definitions: HashMap<String, String>,
    tools: Vec<String>,
    listed: Vec<ListedTool>,
    signed_in: bool,
    refused: Vec<RefusedTool>,
    protocol_version: Option<String>,
    info: Option<SaidByServer>,
    restarts: u32,
    last_seen: Option<Time>,
    settled: bool,
    log: Log,
}

impl Server {
    pub fn new(
        name: String,
        config: ServerConfig,
        places: Places,
        taken_prefixes: Vec<String>,
        changes: watch::Sender<u64>,
    ) -> Self {
        let disabled = config.disabled;
        Self {
            name,
            config: Mutex::new(Arc::new(config)),
            listing: Mutex::default(),
            places,
            taken_prefixes,
            secrets: OnceLock::new(),
            signer: OnceLock::new(),
            watched: Watched::default(),
            live: Mutex::new(Live {
                status: if disabled { ServerStatus::Disabled } else { ServerStatus::Starting },
                error: None,
                peer: None,
                definitions: HashMap::new(),
                tools: Vec::new(),
                listed: Vec::new(),
                signed_in: false,
                refused: Vec::new(),
                protocol_version: None,
                info: None,
                restarts: 0,
                last_seen: None,
                settled: disabled,
                log: Log::default(),
            }),
            changes,
            list_changed: Notify::new(),
            suspect: Notify::new(),
            asked_too_much: AtomicBool::new(false),
            abandoned: Mutex::default(),
            has_abandoned: Notify::new(),
        }
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut Live) -> T) -> T {
        let changed = change(&mut self.live());
        self.changes.send_modify(|count| *count += 1);
        changed
    }

    pub fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Goes by another entry, which differs only in what it says of the tools.
    pub fn goes_by(&self, config: ServerConfig) {
        *self.config.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(config);
    }

    pub fn listing(&self) -> MutexGuard<'_, Listing> {
        self.listing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What may be shown of a text that this server, or the way to it, produced.
    pub fn screened(&self, text: &str) -> String {
        let hidden = self.secrets.get().map_or_else(|| text.to_owned(), |secrets| secrets.hide(text));
        self.places.screener.mask_text(&hidden).into_string()
    }

    pub fn says(&self) -> String {
        format!("the MCP server {}", name::harmless(&self.name, 60))
    }

    pub fn peer(&self) -> Option<Peer<RoleClient>> {
        self.live().peer.clone()
    }

    pub fn definition(&self, tool: &str) -> Option<String> {
        self.live().definitions.get(tool).cloned()
    }

    pub fn is_settled(&self) -> bool {
        self.live().settled
    }

    /// Its tools are there and can be called.
    pub fn ready(&self, peer: Peer<RoleClient>) {
        let info = peer.peer_info();
        self.change(|live| {
            live.status = ServerStatus::Ready;
            live.error = None;
            live.settled = true;
            live.last_seen = Some(Time::now());
            live.protocol_version = info.as_ref().map(|info| info.protocol_version.to_string());
            live.info = info.map(|info| SaidByServer {
                outside: self.says(),
                name: info.server_info.as_ref().map(|said| self.screened(&name::harmless(&said.name, 100))),
                version: info
                    .server_info
                    .as_ref()
                    .map(|said| self.screened(&name::harmless(&said.version, 60))),
                instructions: info
                    .instructions
                    .as_ref()
                    .map(|said| self.screened(&name::harmless_lines(said, 2_000))),
            });
            live.peer = Some(peer);
            let connected = format!("connected, {} tools", live.tools.len());
            live.log.note(&connected);
        });
    }

    /// It is gone, or did not come. Its tools stay known.
    pub fn down(&self, why: &str) {
        let why = self.screened(why);
        self.change(|live| {
            if live.peer.take().is_some() {
                live.last_seen = Some(Time::now());
            }
            let was_there = live.last_seen.is_some();
            live.status = if was_there { ServerStatus::Restarting } else { ServerStatus::Failed };
            live.log.note(&why);
            live.error = Some(why);
            live.settled = true;
        });
    }

    /// It will not come, whatever is tried.
    pub fn fail(&self, why: &str) {
        self.down(why);
        self.change(|live| live.status = ServerStatus::Failed);
    }

    /// Finds out who signs in: nobody, where a token is given in the entry.
    pub fn signs(&self, link: &Link) -> Result<(), String> {
        let (Link::Http { url, oauth, .. }, Some(keeper)) = (link, &self.places.keeper) else {
            return Ok(());
        };
        if !self.config().signs_in() {
            return Ok(());
        }
        let known = sign_in::Server::new(&self.name, url.reveal(), oauth.clone());
        let server = known.map_err(|error| error.to_string())?;
        let _ = self.signer.set(Signer { server, keeper: Arc::clone(keeper) });
        Ok(())
    }

    /// It wants a person to sign in.
    pub fn wants_sign_in(&self, told: &str) {
        self.down(told);
        self.change(|live| live.status = ServerStatus::WantsSignIn);
    }

    /// It is being started once more.
    pub fn again(&self) {
        self.change(|live| live.restarts += 1);
    }

    /// What its calls are held against from now on.
    pub fn defines(&self, definitions: HashMap<String, String>) {
        self.live().definitions = definitions;
    }

    pub fn offers(&self, tools: Vec<String>, listed: Vec<ListedTool>, refused: Vec<RefusedTool>) {
        self.change(|live| {
            live.tools = tools;
            live.listed = listed;
            live.refused = refused;
        });
    }

    /// One line of its stderr.
    pub fn wrote(&self, line: &str) {
        // Cleaned first: what is hidden between its letters would keep a secret from being known.
        let line = self.screened(&name::harmless(line, line.len()));
        self.live().log.printed(&line);
    }

    /// What happens to the connection, for the log. Secrets are out of it already.
    pub fn note(&self, event: &str) {
        self.live().log.note(event);
    }

    pub fn signed_in(&self, yes: bool) {
        self.live().signed_in = yes;
    }

    pub fn log(&self) -> Vec<LogLine> {
        self.live().log.lines()
    }

    /// The end of its stderr, for a message.
    pub fn last_words(&self) -> String {
        const SHOWN: usize = 5;
        let live = self.live();
        let lines: Vec<_> = live.log.stderr().rev().filter(|line| !line.is_empty()).take(SHOWN).collect();
        if lines.is_empty() {
            return String::new();
        }
        let lines: Vec<_> = lines.into_iter().rev().collect();
        format!(" The end of what it wrote to stderr:\n{}", lines.join("\n"))
    }

    /// Why it cannot be called now, in words.
    pub fn why_not(&self) -> String {
        let live = self.live();
        let seen = live.last_seen.map_or_else(String::new, |at| format!(" It was last seen at {at}."));
        let why = live.error.as_deref().map_or_else(String::new, |why| format!(" What happened: {why}"));
        let doing = match live.status {
            ServerStatus::Starting => "is still starting",
            ServerStatus::Failed => "does not come up",
            _ => "is being restarted",
        };
        format!("The MCP server {} {doing}.{seen}{why}", name::harmless(&self.name, 60))
    }

    pub fn asks_too_much(&self) {
        self.asked_too_much.store(true, Ordering::Release);
    }

    /// Whether it did; asked once.
    pub fn has_asked_too_much(&self) -> bool {
        self.asked_too_much.swap(false, Ordering::AcqRel)
    }

    /// Nobody waits for the answer to a request any more: the supervisor tells the server.
    pub fn abandon(&self, request: RequestId) {
        self.abandoned.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        self.has_abandoned.notify_one();
    }

    pub fn take_abandoned(&self) -> Vec<RequestId> {
        std::mem::take(&mut *self.abandoned.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn state(&self) -> ServerState {
        let config = self.config();
        let live = self.live();
        ServerState {
            name: self.name.clone(),
            kind: config.kind(),
            status: live.status,
            error: live.error.clone(),
            tools: live.tools.clone(),
            listed: live.listed.clone(),
            refused: live.refused.clone(),
            protocol_version: live.protocol_version.clone(),
            server_info: live.info.clone(),
            permission: config.permission,
            shared: config.shared,
            signed_in: live.signed_in,
            restarts: live.restarts,
            last_seen: live.last_seen,
            stderr: live.log.stderr().map(str::to_owned).collect(),
            notes: config.notes.clone(),
        }
    }
}
