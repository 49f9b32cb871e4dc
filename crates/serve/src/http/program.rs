//! What only the assembled program knows, as the server asks for it.

pub mod demo;
pub mod models;
pub mod settings;

use std::{path::Path, sync::Arc};

use deskhand_core::SessionCx;
use schemars::JsonSchema;
use serde::Serialize;

use self::{demo::DemoDesk, models::ModelDesk, settings::SettingsDesk};
use super::{error::ApiError, modes::ModeInForce};

/// The program that this server is a part of.
pub trait Program: Send + Sync {
    /// What it is, and how it is set up.
    fn about(&self) -> About;

    /// Where a session's calls work: in its folder, or the first of the workspaces, with its own uploads to read and
    /// nobody else's. `owner` is whose session it is, `None` being the owner of this installation.
    fn surroundings(
        &self,
        session_id: &str,
        owner: Option<&str>,
        workspace: Option<&Path>,
    ) -> Result<SessionCx, ApiError>;

    /// The mode of sessions that work in this folder, where their person chooses none.
    fn mode_in(&self, _workspace: Option<&Path>) -> Result<ModeInForce, ApiError> {
        Ok(ModeInForce { mode: self.about().mode, is_fixed: false })
    }

    /// Its settings, where they can be seen and changed from here.
    fn settings(&self) -> Option<Arc<dyn SettingsDesk>> {
        None
    }

    /// Its models and their keys, where they can be seen and changed from here.
    fn models(&self) -> Option<Arc<dyn ModelDesk>> {
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
