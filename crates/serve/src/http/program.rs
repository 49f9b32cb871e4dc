//! What only the assembled program knows, as the server asks for it.

use std::path::Path;

use deskhand_core::SessionCx;
use schemars::JsonSchema;
use serde::Serialize;

use super::error::ApiError;

/// The program that this server is a part of.
pub trait Program: Send + Sync {
    /// What it is, and how it is set up.
    fn about(&self) -> About;

    /// Where a session's calls work: in its folder, or the first of the workspaces, with its own uploads to read and
    /// nobody else's.
    fn surroundings(&self, session_id: &str, workspace: Option<&Path>) -> Result<SessionCx, ApiError>;
}

/// What the program says of itself.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct About {
    pub version: String,
    /// The folders that sessions may work in.
    pub workspaces: Vec<String>,
    pub mode: deskhand_core::Mode,
    /// `en` or `zh`
    pub language: String,
    /// The usual model, where there is one.
    pub model: Option<String>,
}
