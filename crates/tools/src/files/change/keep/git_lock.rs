//! Git's own lock, held while something below a `.git` folder is kept: a git that starts then waits or says so.
//!
//! The lock's file is made elsewhere first and then renamed, so that its number is in the accepted list before the lock
//! is there: after a crash it is known again.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
};

use cap_std::fs::Dir;
use deskhand_core::{ToolError, ToolResult};
use deskhand_guard::sandbox::layer::{EntryKind, LayerChange, RootChanges};
use serde::{Deserialize, Serialize};

use super::{
    super::os,
    action::Identity,
    handles::{Handles, look_at},
};

const LOCK: &str = "index.lock";
const GIT: &str = ".git";

#[derive(Debug, Serialize, Deserialize)]
pub struct GitLock {
    pub root: usize,
    /// Relative to the root.
    #[serde(with = "deskhand_core::path_json")]
    folder: PathBuf,
    /// What it is called before it is the lock.
    name: String,
    entry: Identity,
}

/// The git folders of a root in which something changes, and which stay.
pub fn folders(root: &RootChanges, number: usize, handles: &Handles) -> BTreeSet<PathBuf> {
    let is_git = root.root.path.file_name() == Some(OsStr::new(GIT));
    let mut folders: BTreeSet<PathBuf> =
        root.changes.iter().filter_map(|change| git_folder(&change.path, is_git)).collect();
    // A command that changes the lock itself does what git does.
    folders.retain(|folder| !root.changes.iter().any(|change| change.path == folder.join(LOCK)));
    folders.retain(|folder| {
        !root.changes.iter().any(|change| change.path == *folder && !is_folder_before_and_after(change))
    });
    folders.retain(|folder| handles.folder(number, folder).is_ok());
    folders
}

fn git_folder(path: &Path, root_is_git: bool) -> Option<PathBuf> {
    if root_is_git {
        return Some(PathBuf::new());
    }
    let at = path.iter().position(|part| part == GIT)?;
    (at + 1 < path.iter().count()).then(|| path.iter().take(at + 1).collect())
}

fn is_folder_before_and_after(change: &LayerChange) -> bool {
    let is_folder = |state: &Option<_>| {
        state
            .as_ref()
            .is_some_and(|state: &deskhand_guard::sandbox::layer::EntryState| state.kind == EntryKind::Folder)
    };
    is_folder(&change.before) && is_folder(&change.after)
}

impl GitLock {
    /// An error if git is at work in a folder.
    pub fn check(root: usize, folder: &Path, shown: &Path, handles: &Handles) -> ToolResult<()> {
        match handles.look(root, &folder.join(LOCK)) {
            Ok(None) => Ok(()),
            _ => Err(busy(&shown.join(folder))),
        }
    }

    /// Makes the file that becomes the lock, in `near`, which is on the same file system.
    pub fn prepare(root: usize, folder: PathBuf, near: &Dir, number: usize) -> io::Result<Self> {
        let name = format!("{LOCK}-{number}");
        os::create_usual(near, OsStr::new(&name))?;
        let entry = Identity::of(&near.symlink_metadata(&name)?);
        Ok(Self { root, folder, name, entry })
    }

    /// Takes the lock, unless it is taken already by this very call. `near` is where it was prepared.
    pub fn take(&self, near: &Dir, handles: &Handles, shown: &Path) -> ToolResult<()> {
        let Ok(folder) = handles.folder(self.root, &self.folder) else { return Ok(()) };
        match os::rename_new(near, OsStr::new(&self.name), &folder, OsStr::new(LOCK)) {
            // It was taken, and maybe released again, before a crash.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(busy(&shown.join(&self.folder)))
            }
            other => other.map_err(|error| ToolError::io("lock", &shown.join(&self.folder), &error)),
        }
    }

    /// Releases the lock, if it is this one.
    pub fn release(&self, handles: &Handles) {
        if let Ok(folder) = handles.folder(self.root, &self.folder)
            && let Ok(Some(meta)) = look_at(&folder, OsStr::new(LOCK))
            && Identity::of(&meta) == self.entry
        {
            let _ = folder.remove_file(LOCK);
        }
    }
}

fn busy(folder: &Path) -> ToolError {
    let message = format!("Nothing was kept: git is busy in {}: {LOCK} exists there.", folder.display());
    ToolError::new("changed_since", message)
        .hint("Run the command again when git is done. If no git is running, remove that file first.")
}
