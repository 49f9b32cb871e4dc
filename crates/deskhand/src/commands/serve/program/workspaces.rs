//! Folders to work in that the owner has added at the page since the server was started.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use deskhand_serve::http::ApiError;

use crate::{assemble::App, places};

#[derive(Default)]
pub struct AddedWorkspaces(Mutex<Vec<PathBuf>>);

impl AddedWorkspaces {
    fn lock(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn all(&self) -> Vec<PathBuf> {
        self.lock().clone()
    }

    pub fn has(&self, folder: &Path) -> bool {
        self.lock().iter().any(|added| added == folder)
    }

    /// One that is there already is as good as added.
    pub fn add(&self, wanted: &str, app: &App) -> Result<PathBuf, ApiError> {
        let folder = checked(wanted, app)?;
        let mut added = self.lock();
        if !app.paths.workspaces().any(|ours| ours == folder) && !added.contains(&folder) {
            added.push(folder.clone());
        }
        Ok(folder)
    }
}

/// The folder with its links followed, if sessions may work there.
fn checked(wanted: &str, app: &App) -> Result<PathBuf, ApiError> {
    let wanted = wanted.trim();
    let path = match (wanted.strip_prefix('~'), places::home()) {
        (Some(""), Some(home)) => home,
        (Some(below), Some(home)) if below.starts_with('/') => home.join(below.trim_start_matches('/')),
        _ => PathBuf::from(wanted),
    };
    if !path.is_absolute() {
        return Err(ApiError::invalid(format!("{wanted:?} is not an absolute path"))
            .hint("Write the whole path, such as /home/ada/project or ~/project."));
    }
    let folder = path
        .canonicalize()
        .map_err(|error| ApiError::invalid(format!("{} cannot be opened: {error}", path.display())))?;
    let refused = |why: &str| Err(ApiError::invalid(format!("{} {why}", folder.display())));
    if !folder.is_dir() {
        return refused("is not a folder");
    }
    if folder.parent().is_none() {
        return refused("is the whole file system: choose a folder in it");
    }
    let data = app.data_dir.canonicalize().unwrap_or_else(|_| app.data_dir.clone());
    if folder.starts_with(&data) {
        return refused("is where Deskhand keeps its own data");
    }
    Ok(folder)
}
