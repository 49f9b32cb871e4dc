//! Deskhand as an MCP server, over stdio and over HTTP.
//!
//! Every call of a client goes through the gate in a session of its own. Where the gate wants a person's yes, the
//! client's own person is asked (elicitation), or whoever answers on the web page or in a terminal.

use std::{path::PathBuf, sync::Arc};

use deskhand_core::{AuditTrail, Gate, SessionCx, session::SessionStore};

/// What a server is made of.
pub struct Parts {
    pub gate: Gate,
    pub store: Arc<dyn SessionStore>,
    pub audit: Arc<dyn AuditTrail>,
    pub house: Arc<dyn House>,
    pub offer: Offer,
}

/// What only the assembled program knows.
pub trait House: Send + Sync {
    /// Where the calls of one client work. Its approvers, events, caller and owner are the server's to fill in.
    fn surroundings(&self, session_id: &str) -> Result<SessionCx, String>;

    /// Where a person can answer questions, in words for people: the address of a web page that runs, or the command.
    fn where_to_answer(&self) -> String;

    /// The folder of the skills, a folder each: they are the prompts.
    fn skills(&self) -> PathBuf;
}

/// Which tools are listed.
#[derive(Clone, Debug, Default)]
pub struct Offer {
    /// None: the usual few, with `find_tools` for the rest.
    pub toolsets: Vec<String>,
    /// Names, parameters and results in the words of another system.
    pub dialect: Option<String>,
    /// All that is known of every schema, however long the listing gets.
    pub full_schemas: bool,
}
