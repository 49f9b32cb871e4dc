//! Demos, as the server asks the program for them.

use deskhand_core::session::Session;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::error::ApiError;

/// Sets demos up and clears them away. Both wait for the disk.
pub trait DemoDesk: Send + Sync {
    /// A folder with the demo's files, and what is said in it.
    fn set_up(&self, language: DemoLanguage) -> Result<DemoScene, ApiError>;

    /// Removes the folder of a demo whose session is gone.
    fn clear_away(&self, session: &Session);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DemoLanguage {
    En,
    Zh,
}

/// A demo that is ready to be played.
#[derive(Clone, Debug)]
pub struct DemoScene {
    pub title: String,
    pub workspace: std::path::PathBuf,
    /// The scripted model, by its name.
    pub model: String,
    /// What is said in it, in this order.
    pub suggested: Vec<String>,
}
