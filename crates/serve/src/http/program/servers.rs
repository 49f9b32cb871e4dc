//! Other MCP servers, as the server asks the program for them. Values of variables and headers go in and never come out.

use std::collections::BTreeMap;

use deskhand_core::{Permission, Time};
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    http::error::ApiError,
    mcp::client::{
        ListedTool, LogLine, RefusedTool, SaidByServer, ServerConfig, ServerStatus, sign_in::SignInState,
        without_secrets,
    },
};

/// Asked once a change is known to be possible, before it is made: an error leaves everything as it is.
pub type Agree<'a> = &'a dyn Fn() -> Result<(), ApiError>;

/// The same, for a server that is one way now and would be another.
pub type AgreeToChange<'a> = &'a dyn Fn(&ServerConfig, &ServerConfig) -> Result<(), ApiError>;

/// Shows other MCP servers and changes them. What gives no future waits for the disk.
pub trait ServerDesk: Send + Sync {
    fn list(&self) -> Result<ServerList, ApiError>;

    /// The end of a server's log.
    fn log(&self, name: &str) -> Result<Vec<LogLine>, ApiError>;

    /// What adding the servers of this JSON (`{"mcpServers": {…}}`) would do.
    fn propose(&self, given: &NewServers) -> Result<ServerProposal, ApiError>;

    /// Writes them down, if they are what was confirmed.
    fn add(&self, given: &NewServers, confirmed: &str, agree: Agree<'_>) -> Result<ServerProposal, ApiError>;

    fn change(&self, name: &str, change: &ServerChange, agree: AgreeToChange<'_>) -> Result<(), ApiError>;

    fn remove(&self, name: &str, agree: Agree<'_>) -> Result<(), ApiError>;

    /// Has the servers run as they are written down now.
    fn apply(&self) -> BoxFuture<'_, Result<(), ApiError>>;

    fn restart<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), ApiError>>;

    /// Begins a sign-in. The address that the person is to open.
    fn sign_in<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<String, ApiError>>;

    /// Forgets the tokens. Whether there were some.
    fn sign_out(&self, name: &str) -> Result<bool, ApiError>;
}

/// Servers that are to be added.
pub enum NewServers {
    /// One, whose name must be free.
    One { name: String, entry: serde_json::Value },
    /// Those of another client's file. One of the same name in `mcp.json` is replaced.
    Imported(String),
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ServerList {
    pub servers: Vec<ServerItem>,
    /// What is wrong with entries that cannot be used, and where they stand.
    pub problems: Vec<String>,
    /// Where servers are added.
    pub file: Option<String>,
}

/// An MCP server whose tools are used here.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ServerItem {
    pub name: String,
    pub status: ServerStatus,
    /// Why it is not ready.
    pub error: Option<String>,
    /// The last lines that it printed, where it is not ready.
    pub last_words: Vec<String>,
    #[serde(flatten)]
    pub link: ServerLink,
    /// The file that it is written down in; `null`: it was taken out, and ends with Deskhand.
    pub file: Option<String>,
    /// Whether it can be changed and removed from here: it is in `mcp.json`, and not in a config file.
    pub editable: bool,
    pub disabled: bool,
    /// What its tools need where nothing else is set for one: `public` runs without a question, `moderate` asks,
    /// `sensitive` asks every time.
    pub permission: Permission,
    /// Other users of this installation may call its tools.
    pub shared: bool,
    /// All that it lists. Nothing before it was connected.
    pub tools: Vec<ListedTool>,
    pub refused: Vec<RefusedTool>,
    /// What it says of itself, unchecked.
    pub said: Option<SaidByServer>,
    pub protocol_version: Option<String>,
    pub restarts: u32,
    pub last_seen: Option<Time>,
    pub notes: Vec<String>,
    /// Somebody may sign in to it.
    pub signs_in: bool,
    pub signed_in: bool,
    /// The sign-in that was begun here last.
    pub sign_in: Option<SignInState>,
}

/// How a server is reached. Values that may be secret are masked, or left out.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ServerLink {
    /// A program on this machine.
    Stdio {
        command: String,
        args: Vec<String>,
        /// Variables, by name; values that look like secrets are masked, and in a listing all are left out.
        env: BTreeMap<String, Option<String>>,
        cwd: Option<String>,
    },
    Http {
        /// Without what may be secret in its address.
        host: String,
        /// The names of the headers that are sent.
        headers: Vec<String>,
        /// Variables whose values are put into the address, the headers or the sign-in, and so leave this machine.
        variables: Vec<String>,
    },
}

impl ServerLink {
    /// Without any value of a variable, and without keys in arguments.
    #[must_use]
    pub fn without_values(self) -> Self {
        match self {
            Self::Stdio { command, args, env, cwd } => {
                let env = env.into_keys().map(|name| (name, None)).collect();
                Self::Stdio { command, args: without_secrets(args), env, cwd }
            }
            http @ Self::Http { .. } => http,
        }
    }
}

/// What adding servers would do, or did.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ServerProposal {
    /// Whether they were added. If not, send the same again with this `confirm`.
    pub added: bool,
    pub confirm: String,
    pub servers: Vec<ProposedServer>,
    /// What is not taken over, and why.
    pub left_out: Vec<String>,
    /// Where they are written down.
    pub file: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProposedServer {
    pub name: String,
    #[serde(flatten)]
    pub link: ServerLink,
    /// One of that name is there, and is replaced.
    pub replaces: bool,
    pub disabled: bool,
}

/// What is to be changed about a server; what is left out stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServerChange {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
    /// What its tools need: public, moderate or sensitive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<Permission>,
    /// By the server's own names; `null`: as all its tools.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, Option<ToolRule>>,
}

/// What is set for one tool of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolRule {
    /// Runs without a question.
    Public,
    /// Asks; the answer can be remembered.
    Moderate,
    /// Asks every time.
    Sensitive,
    /// Nobody can find or call it.
    Hidden,
}
