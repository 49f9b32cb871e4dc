//! Starting a browser: which one, with which arguments, on which profile, and how it ends.

mod arguments;
mod find;
mod process;
mod profile;
mod reach;

use std::{io, path::PathBuf, time::Duration};

pub use self::{
    arguments::{Viewport, Window, arguments, without_sandbox},
    find::{Found, find, version},
    process::{Process, Started, start},
    profile::{Kept, Profile},
    reach::reach,
};

/// Why there is no browser.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    #[error("no browser was found")]
    NoBrowser,
    #[error("the browser at {} (setting browser.path) cannot be used: {why}", path.display())]
    Unusable { path: PathBuf, why: String },
    #[error("{} could not be started: {error}", path.display())]
    NotStarted { path: PathBuf, error: io::Error },
    /// It began, and did not get to where it answers. What it printed says why.
    #[error("{} ended, or did not answer within {} s{printed}", path.display(), limit.as_secs())]
    NoAnswer { path: PathBuf, limit: Duration, printed: String },
    #[error("the profile folder {}: {error}", path.display())]
    Profile { path: PathBuf, error: io::Error },
    #[error("the profile «{name}» is in use by another browser")]
    InUse { name: String },
    #[error("the browser at {address} cannot be reached: {error}")]
    NotReached { address: String, error: io::Error },
}

impl LaunchError {
    /// What to do about it.
    pub fn remedy(&self) -> String {
        match self {
            Self::NoBrowser => find::REMEDY.to_owned(),
            Self::Unusable { .. } => {
                "Set browser.path to the program of Chromium, Chrome or Edge.".to_owned()
            }
            Self::NotStarted { .. } | Self::NoAnswer { .. } => {
                "Start it by hand to see why; another one can be named by the setting browser.path."
                    .to_owned()
            }
            Self::Profile { .. } => "Check that the data folder is yours and has room.".to_owned(),
            Self::InUse { .. } => "End the other one, or ask for another profile.".to_owned(),
            Self::NotReached { .. } => {
                "Start that browser with --remote-debugging-port, or take the setting browser.attach away."
                    .to_owned()
            }
        }
    }
}
