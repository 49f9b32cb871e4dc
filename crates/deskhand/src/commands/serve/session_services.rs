//! The services of sessions, kept while they are used: opening roots and looking for secrets takes time.

use std::{
    fs,
    path::{Path, PathBuf},
};

use deskhand_core::Services;
use deskhand_serve::http::ApiError;

use crate::{assemble::App, recently_used::KeptOpen};

/// The most that are kept; those that were not used for longest go first.
const MOST: usize = 200;

pub struct SessionServices(KeptOpen<Key, Kept>);

impl Default for SessionServices {
    fn default() -> Self {
        Self(KeptOpen::at_most(MOST))
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    workspace: PathBuf,
    session_id: String,
    owner: Option<String>,
}

#[derive(Clone)]
struct Kept {
    services: Services,
    /// Which folder of uploads it was made for: there may be none at first, or another one later.
    uploads: Option<FolderId>,
}

#[cfg(unix)]
type FolderId = (u64, u64);
#[cfg(not(unix))]
type FolderId = std::time::SystemTime;

#[cfg(unix)]
fn folder_id(folder: &Path) -> Option<FolderId> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(folder).ok().map(|found| (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn folder_id(folder: &Path) -> Option<FolderId> {
    fs::metadata(folder).and_then(|found| found.created()).ok()
}

impl SessionServices {
    pub fn of(
        &self,
        app: &App,
        session_id: &str,
        owner: Option<&str>,
        workspace: &Path,
    ) -> Result<Services, ApiError> {
        let key = Key {
            workspace: workspace.to_path_buf(),
            session_id: session_id.to_owned(),
            owner: owner.map(str::to_owned),
        };
        let uploads = folder_id(&app.data_dir.join("uploads").join(session_id));
        let broken = |error| ApiError::broken(format!("{error:#}"));
        let open =
            || Ok(Kept { services: app.services_of(session_id, owner, workspace).map_err(broken)?, uploads });
        self.0.get_or_open(&key, |kept| kept.uploads == uploads, open).map(|kept| kept.services)
    }
}
