//! The services of sessions, kept while they are used: opening roots and looking for secrets takes time.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Instant,
};

use anyhow::Result;
use deskhand_core::Services;

use crate::assemble::App;

/// The most that are kept; those that were not used for longest go first.
const MOST: usize = 200;

#[derive(Default)]
pub struct SessionServices(Mutex<HashMap<Key, Kept>>);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    workspace: PathBuf,
    session_id: String,
}

struct Kept {
    services: Services,
    /// Which folder of uploads it was made for: there may be none at first, or another one later.
    uploads: Option<FolderId>,
    used: Instant,
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
    pub fn of(&self, app: &App, session_id: &str) -> Result<Services> {
        let key = Key { workspace: app.paths.workspace().to_path_buf(), session_id: session_id.to_owned() };
        let uploads = folder_id(&app.data_dir.join("uploads").join(session_id));
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = all.get_mut(&key).filter(|kept| kept.uploads == uploads) {
            kept.used = Instant::now();
            return Ok(kept.services.clone());
        }
        if all.len() >= MOST
            && let Some(oldest) = all.iter().min_by_key(|(_, kept)| kept.used).map(|(key, _)| key.clone())
        {
            all.remove(&oldest);
        }
        let services = app.services_of(session_id)?;
        all.insert(key, Kept { services: services.clone(), uploads, used: Instant::now() });
        Ok(services)
    }
}
