//! The list of what was accepted, in the layer's folder: from when it is there, the changes are kept, whatever happens.

use std::{
    fs::{self, File},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use deskhand_core::{ToolError, ToolResult, UndoStep, undo::UndoHeader};
use deskhand_guard::sandbox::layer::ACCEPTED;
use serde::{Deserialize, Serialize};

use super::{action::Action, git_lock::GitLock};

/// Until it has its own name.
const UNFINISHED: &str = "accepted.new";

#[derive(Debug, Serialize, Deserialize)]
pub struct Accepted {
    pub header: UndoHeader,
    pub roots: Vec<AcceptedRoot>,
    /// In the order in which they are done.
    pub actions: Vec<Action>,
    pub locks: Vec<GitLock>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AcceptedRoot {
    #[serde(with = "deskhand_core::path_json")]
    pub path: PathBuf,
    #[serde(with = "deskhand_core::path_json")]
    pub upper: PathBuf,
    /// The name of a folder of ours at the top of the root, where the layer is on another file system.
    pub staging: Option<String>,
}

impl Accepted {
    pub fn steps(&self) -> impl Iterator<Item = &UndoStep> {
        self.actions.iter().flat_map(|action| &action.steps)
    }

    /// On disk when this returns.
    pub fn write(&self, folder: &Path) -> ToolResult<()> {
        let write = || {
            let unfinished = folder.join(UNFINISHED);
            let text = serde_json::to_vec(self)?;
            let mut options = File::options();
            let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
            file.write_all(&text)?;
            file.sync_all()?;
            fs::rename(unfinished, folder.join(ACCEPTED))?;
            File::open(folder)?.sync_all()
        };
        write().map_err(|error: io::Error| ToolError::io("write", &folder.join(ACCEPTED), &error))
    }

    /// `None` if nothing was accepted there, or all of it is done.
    pub fn read(folder: &Path) -> ToolResult<Option<Self>> {
        let path = folder.join(ACCEPTED);
        match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|error| {
                ToolError::new("journal_damaged", format!("Cannot read {}: {error}.", path.display()))
                    .hint("What the command changed lies in the folder `upper` beside it.")
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(ToolError::io("read", &path, &error)),
        }
    }

    /// All of it is done, or nothing of it will be.
    pub fn remove(folder: &Path) -> ToolResult<()> {
        match fs::remove_file(folder.join(ACCEPTED)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(ToolError::io("remove", &folder.join(ACCEPTED), &error))
            }
            _ => Ok(()),
        }
    }
}
