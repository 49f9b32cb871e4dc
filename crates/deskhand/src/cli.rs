//! The command line, as clap reads it. Stable once shipped: scripts depend on it.

mod parse;

use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use deskhand_core::Mode;

pub use self::parse::parse;

/// Safe hands on a computer for any language model.
///
/// Every call passes one gate: it is checked, planned, approved, run, screened and recorded. Without a
/// command, `deskhand` begins a conversation with the model that is configured or found on this machine.
/// `deskhand "tidy my downloads"` begins one with that message: one argument of several words is a message,
/// a single word is a command. `deskhand --continue` resumes the last conversation of this workspace.
///
/// Exit codes: 0 success, 1 the call failed, 2 wrong usage or invalid arguments, 3 refused (blocked, rejected,
/// expired, nobody to ask), 4 timed out or cancelled.
#[derive(Debug, Parser)]
#[command(name = "deskhand", version, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    pub shared: Shared,
    /// Resume the last conversation of this workspace; with a message, it goes there
    #[arg(long = "continue")]
    pub go_on: bool,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Accepted before and after the subcommand.
#[derive(Clone, Debug, Default, Args)]
pub struct Shared {
    /// Print one JSON value on stdout and nothing else there
    #[arg(long, global = true)]
    pub json: bool,
    /// Where Deskhand keeps its data [env: DESKHAND_DATA]
    #[arg(long, global = true, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// A folder to work in; may be repeated [default: the current folder] [env: DESKHAND_WORKSPACE]
    #[arg(long, global = true, value_name = "DIR")]
    pub workspace: Vec<PathBuf>,
    /// How much runs unasked: ask, auto, read-only or unattended [env: DESKHAND_MODE]
    #[arg(long, global = true, value_name = "MODE")]
    pub mode: Option<Mode>,
    /// The model that answers, as PROVIDER/NAME [env: DESKHAND_MODEL]
    #[arg(long, global = true, value_name = "PROVIDER/NAME")]
    pub model: Option<String>,
    /// The config file to use instead of the usual one [env: DESKHAND_CONFIG]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The session that calls belong to: answers for "this session" hold in it. Of a conversation the first or last
    /// characters of its id will do, as `sessions list` shows them [default: a new one] [env: DESKHAND_SESSION]
    #[arg(long, global = true, value_name = "ID")]
    pub session: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Talk: with MESSAGE one turn, else a conversation. Text from a pipe is added to the message
    ///
    /// With --json each event of the turn is one line of JSON. Exit codes: 0 completed, 1 failed or stopped, 3
    /// refused (nobody could be asked), 4 cancelled.
    Chat(ChatArgs),
    /// Serve the web page and the HTTP API; prints the address with its token
    ///
    /// With --json one line {"url","token",…} once it is ready to answer.
    Serve(ServeArgs),
    /// Offer the tools to an MCP client, on stdin and stdout
    Mcp(McpArgs),
    /// Who else may use the server; with `add NAME` a token for them
    Users {
        #[command(subcommand)]
        action: Option<UserAction>,
    },
    /// The other MCP servers whose tools are used here: what they are, and whether they work
    Servers {
        #[command(subcommand)]
        action: Option<ServerAction>,
    },
    /// Set up a model: provider, address, key and name, each tested before it is saved
    Setup(SetupArgs),
    /// A scripted conversation with real tools in a folder of its own; needs no model
    Demo,
    /// List, search, show and change conversations
    Sessions {
        #[command(subcommand)]
        action: SessionAction,
    },
    /// List every tool with schema, permission and effects; with NAME its manual page
    Tools {
        name: Option<String>,
        /// Only the tools of this toolset
        #[arg(long, value_name = "NAME")]
        toolset: Option<String>,
        /// The tools as this other system names them: omni, countbot, ops, skillmint
        #[arg(long, value_name = "NAME")]
        dialect: Option<String>,
        /// The form of the listing, with --json
        #[arg(long, value_enum, default_value_t, value_name = "FORM")]
        format: ToolFormat,
    },
    /// Make one call along the one path
    Call {
        tool: String,
        /// JSON, or NAME=VALUE pairs; `-` reads JSON from stdin [default: {}]
        #[arg(value_name = "JSON")]
        arguments: Vec<String>,
        /// Answer every question, of execution and of result, with yes. Opens nothing that is forbidden,
        /// restricted or refused by the mode
        #[arg(long, short)]
        yes: bool,
        /// Where nobody can be asked here, wait for `deskhand approvals` in another shell to answer
        #[arg(long)]
        wait: bool,
        /// Name and arguments are in the words of this other system, and so will be the result
        #[arg(long, value_name = "NAME")]
        dialect: Option<String>,
    },
    /// Show the plan of a call, the decision and the rule that decided; runs nothing
    Explain {
        #[arg(required_unless_present = "jsonl")]
        tool: Option<String>,
        /// JSON, or NAME=VALUE pairs; `-` reads JSON from stdin [default: {}]
        #[arg(value_name = "JSON")]
        arguments: Vec<String>,
        #[arg(long, value_name = "NAME")]
        dialect: Option<String>,
        /// Read {"id","tool","arguments"} lines from stdin, answer {"id","decision","permission","rule","why"} lines
        #[arg(long, conflicts_with_all = ["tool", "arguments"])]
        jsonl: bool,
    },
    /// List the questions that wait for an answer, show one, or answer it
    Approvals {
        #[command(subcommand)]
        action: Option<ApprovalAction>,
    },
    /// List remembered answers, or revoke one
    Grants {
        #[command(subcommand)]
        action: Option<GrantAction>,
    },
    /// List what was done, or verify that the record is whole
    Audit {
        #[command(subcommand)]
        action: Option<AuditAction>,
        #[command(flatten)]
        filter: AuditFilter,
    },
    /// Run a command, show what it would change, then keep or discard that
    ///
    /// The command runs on a copy-on-write layer: until its changes are kept, the files stay as they are. Without a
    /// terminal and without --keep, the changes are shown and discarded.
    Try {
        /// The command, as a shell reads it
        command: String,
        /// Keep the changes without asking
        #[arg(long, conflicts_with = "discard")]
        keep: bool,
        /// Discard the changes without asking
        #[arg(long)]
        discard: bool,
    },
    /// Take back the last change, or the change of one call
    Undo {
        /// The id of the call, or its beginning or end; if it is left out, the newest change in this session or workspace
        call: Option<String>,
        /// Take back all changes of a turn: that of CALL, or the last one that changed something
        #[arg(long)]
        turn: bool,
        /// List what can be taken back instead
        #[arg(long, conflicts_with_all = ["call", "turn"])]
        list: bool,
    },
    /// List, explain and call tools by hand, one line at a time
    Console,
    /// Say what works on this machine, and what to do about what does not
    Doctor,
    /// Show every setting with its value and where it comes from; change one
    Config {
        #[command(subcommand)]
        action: Option<ConfigAction>,
    },
    /// Print completions for a shell
    Completions { shell: clap_complete::Shell },
    /// Print the manual page (roff)
    Man,
}

#[derive(Clone, Debug, Default, Args)]
pub struct ChatArgs {
    /// What to say; if it is left out, a conversation begins
    pub message: Option<String>,
    /// Resume the last session of this workspace
    #[arg(long = "continue")]
    pub go_on: bool,
    /// The conversation stays open after the message, where there is a terminal
    #[arg(skip)]
    pub stay: bool,
    /// An image to send along (PNG, JPEG, GIF or WebP); may be repeated
    #[arg(long, value_name = "FILE")]
    pub image: Vec<PathBuf>,
}

#[derive(Clone, Debug, Default, Args)]
pub struct SetupArgs {
    /// The provider, such as openai, ollama or custom; if it is left out, there is a list to choose from
    pub provider: Option<String>,
    /// The address of the server, such as http://127.0.0.1:8080/v1
    #[arg(long, value_name = "URL")]
    pub address: Option<String>,
}

#[derive(Clone, Debug, Default, Args)]
pub struct ServeArgs {
    /// Where to listen [default: 127.0.0.1:8787, or the next free port]
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: Option<SocketAddr>,
    /// Another name under which the server may be asked for; may be repeated
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// The certificate (PEM); needed where other machines can reach the address
    #[arg(long, value_name = "FILE")]
    pub tls_cert: Option<PathBuf>,
    /// The key of the certificate (PEM)
    #[arg(long, value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// Make new tokens, for the page and for MCP clients; the old ones and all cookies stop working
    #[arg(long)]
    pub new_token: bool,
}

#[derive(Clone, Debug, Default, Args)]
pub struct McpArgs {
    /// The toolsets to list, with commas between them [default: the usual few, and find_tools for the rest]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub toolset: Vec<String>,
    /// Names, parameters and results as this other system has them: omni, countbot, ops, skillmint
    #[arg(long, value_name = "NAME")]
    pub dialect: Option<String>,
    /// List all that is known of every schema, however long the listing gets
    #[arg(long)]
    pub full_schemas: bool,
    /// Listen here for clients that come over HTTP, instead of serving stdin and stdout
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: Option<SocketAddr>,
}

#[derive(Debug, Subcommand)]
pub enum UserAction {
    /// Let somebody in: prints their token. Again for the same name: a new token
    Add { name: String },
    /// Let them in no longer
    Remove { name: String },
}

#[derive(Debug, Subcommand)]
pub enum ServerAction {
    /// Everything about one: its tools, what was refused of it and why, what it prints to standard error
    Show { name: String },
    /// Take the servers of another client's JSON file over; FILE has `mcpServers` in it. What it allows its tools is not taken over
    Import { file: PathBuf },
    /// Take one out of mcp.json
    Remove { name: String },
    /// Sign in to one over HTTP that wants it, in the browser; the tokens are kept in the keyring, or in a file for you alone
    Login { name: String },
    /// Forget the tokens of one
    Logout { name: String },
}

/// Which page of a list.
#[derive(Clone, Copy, Debug, Args)]
pub struct PageArgs {
    /// Which page, from 1
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub page: u64,
    /// How many on a page
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub page_size: u64,
}

#[derive(Clone, Debug, Subcommand)]
pub enum SessionAction {
    /// List sessions, the one that changed last first
    List {
        #[command(flatten)]
        page: PageArgs,
        /// Those that were put aside, instead of the others
        #[arg(long, conflicts_with = "all")]
        archived: bool,
        /// Those that were put aside, too
        #[arg(long)]
        all: bool,
        /// Those that were deleted softly, instead of the others
        #[arg(long)]
        deleted: bool,
    },
    /// Show the messages of a session
    Show {
        /// The id, or a beginning or end of it that only one has, at least 6 characters
        id: String,
        #[command(flatten)]
        page: PageArgs,
    },
    /// Search titles and messages for words, newest hit first
    Search {
        #[arg(required = true)]
        words: Vec<String>,
        #[command(flatten)]
        page: PageArgs,
    },
    /// Give a session a title, which then stays
    Rename { id: String, title: String },
    /// Put a session aside
    Archive { id: String },
    /// Take that back
    Unarchive { id: String },
    /// Delete a session with all that belongs to it
    Delete {
        id: String,
        /// Only put it out of sight: `restore` brings it back
        #[arg(long)]
        soft: bool,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
    /// Bring back what was deleted softly
    Restore { id: String },
    /// Make a new session with the messages up to one of them; the original stays
    Fork {
        id: String,
        /// The last message to take along [default: all of them]
        #[arg(long, value_name = "MESSAGE_ID")]
        at: Option<i64>,
        #[arg(long)]
        title: Option<String>,
    },
    /// Print a session, or write it to a file that is not there yet
    Export {
        id: String,
        #[arg(long, value_enum, default_value_t, value_name = "FORM")]
        format: ExportFormat,
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Make a new session of what `export --format json` wrote; `-` reads stdin
    Import { file: PathBuf },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Markdown, to be read
    #[default]
    Md,
    /// JSON, which `import` reads
    Json,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ToolFormat {
    /// Everything there is to know
    #[default]
    Full,
    /// OpenAI function definitions
    Openai,
    /// MCP tool listing
    Mcp,
}

#[derive(Debug, Subcommand)]
pub enum ApprovalAction {
    /// Everything about one question, its plan and preview included
    Show { id: String },
    /// Answer a question; the first answer counts
    Answer {
        /// The id, or a beginning or end of it that only one has, at least 6 characters
        id: String,
        answer: AnswerWord,
        /// With `edit`: the arguments as JSON, or the text that the caller gets instead of the result
        value: Option<String>,
        /// Why not
        #[arg(long)]
        reason: Option<String>,
        /// Remember the answer
        #[arg(long, value_enum, value_name = "WHERE")]
        remember: Option<RememberWhere>,
        /// What the remembered answer is about, by its number in `approvals show`
        #[arg(long, default_value_t = 1, value_name = "N", requires = "remember")]
        shape: usize,
        /// Until when it is remembered: 30m, 2h, 7d or a time such as 2027-01-01T00:00:00Z
        #[arg(long, value_name = "WHEN", requires = "remember")]
        until: Option<String>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnswerWord {
    Yes,
    No,
    Edit,
    Pass,
    Withhold,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RememberWhere {
    Session,
    Workspace,
    Always,
}

#[derive(Debug, Subcommand)]
pub enum GrantAction {
    /// Take a remembered answer back
    Revoke {
        /// The id, or a beginning or end of it that only one has, at least 6 characters
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub enum AuditAction {
    /// Check that no record was edited, removed, inserted, reordered or cut off
    Verify,
}

#[derive(Debug, Default, Args)]
pub struct AuditFilter {
    /// How many records, newest first
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub limit: usize,
    /// Only records before this number: for the next page
    #[arg(long, value_name = "SEQ")]
    pub before: Option<u64>,
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    #[arg(long, value_name = "STATUS")]
    pub status: Option<String>,
    /// The id of one call
    #[arg(long, value_name = "ID")]
    pub call: Option<String>,
    /// Only from this time on: 2h, 7d or a time such as 2027-01-01T00:00:00Z
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum ConfigAction {
    /// Write a setting into your config file; its comments and order stay
    ///
    /// Numbers, true and false, and lists such as `["git push *"]` are written as JSON; anything else is a text.
    Set {
        /// Such as mode, model or chain.max_rounds; `deskhand config` lists all
        key: String,
        value: String,
    },
    /// Take a setting out of your config file
    Unset { key: String },
    /// Let this workspace's own config loosen settings, too, as long as its content stays the same
    Trust,
    /// Take that back
    Untrust,
}
