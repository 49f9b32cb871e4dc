//! What only the assembled program knows, as its servers ask for it: the API and the page, and the MCP server.

pub mod demo;
pub mod models;
pub mod servers;
pub mod settings;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use deskhand_core::SessionCx;
use schemars::JsonSchema;
use serde::Serialize;

use self::{demo::DemoDesk, models::ModelDesk, servers::ServerDesk, settings::SettingsDesk};
use super::{error::ApiError, modes::ModeInForce};

/// The program that a server is a part of.
pub trait Program: Send + Sync {
    /// What it is, and how it is set up.
    fn about(&self) -> About;

    /// Where the calls of a session, or of an MCP client, work: in its folder, or the first of the workspaces, with its
    /// own uploads to read and nobody else's. It is asked for each call: a changed setting holds at once, and what takes
    /// time to open is kept. `owner` is whose session it is, `None` being the owner of this installation. The result has
    /// the session's id; the approvers, events, caller and owner are the server's to fill in.
    fn surroundings(
        &self,
        session_id: &str,
        owner: Option<&str>,
        workspace: Option<&Path>,
    ) -> Result<SessionCx, ApiError>;

    /// Where a person can answer questions, in words for people: the address of a web page that runs, or the command.
    fn where_to_answer(&self) -> String;

    /// The folder of the skills, a folder each: they are the prompts of the MCP server.
    fn skills(&self) -> PathBuf;

    /// The mode of sessions that work in this folder, where their person chooses none.
    fn mode_in(&self, _workspace: Option<&Path>) -> Result<ModeInForce, ApiError> {
        Ok(ModeInForce { mode: self.about().mode, is_fixed: false })
    }

    /// The folders that the owner has added since the start, for their own sessions.
    fn added_workspaces(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Adds one, until the program ends: the folder as it is called from now on.
    fn add_workspace(&self, folder: &str) -> Result<PathBuf, ApiError> {
        Err(ApiError::invalid(format!("{folder} cannot be added: the folders of this program are fixed")))
    }

    /// Its settings, where they can be seen and changed from here.
    fn settings(&self) -> Option<Arc<dyn SettingsDesk>> {
        None
    }

    /// Its models and their keys, where they can be seen and changed from here.
    fn models(&self) -> Option<Arc<dyn ModelDesk>> {
        None
    }

    /// The other MCP servers, where they can be seen and changed from here.
    fn servers(&self) -> Option<Arc<dyn ServerDesk>> {
        None
    }

    /// Its demos, where it has any.
    fn demos(&self) -> Option<Arc<dyn DemoDesk>> {
        None
    }
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
