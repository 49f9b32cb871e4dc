//! Where commands keep things: a private folder for temporary files, output that is too long, processes.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use deskhand_core::{CallId, ToolError, ToolResult, arguments};

use super::folder;

/// The folders that commands work with. Put into [`Services`](deskhand_core::Services).
#[derive(Clone, Debug)]
pub struct ShellPlaces {
    data: PathBuf,
    home: Option<PathBuf>,
    most_layer_bytes: u64,
    journal_budget: u64,
    /// Calls that ran read-only or on a layer, and turned out to need more.
    must_write: Arc<Mutex<HashSet<CallId>>>,
    /// A command met files of a group that its user namespace does not know.
    foreign_groups: Arc<AtomicBool>,
}

/// How much a command may write on its layer, where no setting says so.
const MOST_LAYER_BYTES: u64 = 20 << 30;
/// How many bytes of git-ignored output one call journals, where no setting says so.
const JOURNAL_BUDGET: u64 = 256 << 20;

/// Nobody looks for temporary files after this long.
const KEPT: Duration = Duration::from_hours(30 * 24);

impl ShellPlaces {
    pub fn new(data_dir: &Path, home: Option<PathBuf>) -> Self {
        Self {
            data: data_dir.to_path_buf(),
            home,
            most_layer_bytes: MOST_LAYER_BYTES,
            journal_budget: JOURNAL_BUDGET,
            must_write: Arc::default(),
            foreign_groups: Arc::default(),
        }
    }

    /// How much a command may write on its layer, and how much git-ignored output of it the undo journal takes.
    #[must_use]
    pub fn with_layer_limits(mut self, most_layer_bytes: u64, journal_budget: u64) -> Self {
        self.most_layer_bytes = most_layer_bytes;
        self.journal_budget = journal_budget;
        self
    }

    pub(super) fn journal_budget(&self) -> u64 {
        self.journal_budget
    }

    pub(super) fn most_layer_bytes(&self) -> u64 {
        self.most_layer_bytes
    }

    /// Whether a call turned out to need to run directly.
    pub(super) fn must_write(&self, call: CallId) -> bool {
        self.must_write.lock().unwrap_or_else(PoisonError::into_inner).contains(&call)
    }

    pub(super) fn note_must_write(&self, call: CallId) {
        self.must_write.lock().unwrap_or_else(PoisonError::into_inner).insert(call);
    }

    pub(super) fn has_foreign_groups(&self) -> bool {
        self.foreign_groups.load(Ordering::Relaxed)
    }

    pub(super) fn note_foreign_groups(&self) {
        self.foreign_groups.store(true, Ordering::Relaxed);
    }

    /// The files by whose locks commands wait for each other.
    pub(super) fn locks(&self) -> PathBuf {
        self.data.join("locks")
    }

    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    pub(super) fn outputs(&self) -> PathBuf {
        self.data.join("outputs")
    }

    /// The folder that is `/tmp` for the commands of a session: the same for all of them.
    pub fn temporary(&self, session_id: &str) -> ToolResult<PathBuf> {
        let all = self.data.join("tmp");
        let path = all.join(folder_name(session_id));
        if !path.is_dir() {
            folder::make(&path).map_err(|error| ToolError::io("create the folder", &path, &error))?;
            clear_old(&all);
        }
        Ok(path)
    }
}

/// A session's id is what somebody chose; only a plain one is a name of a folder.
fn folder_name(session_id: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !session_id.is_empty() && session_id.len() <= 64 && session_id.chars().all(plain) {
        session_id.to_owned()
    } else {
        arguments::sha256_hex(session_id.as_bytes())
    }
}

/// Removes what sessions of long ago left. What cannot be removed is left.
fn clear_old(all: &Path) {
    let Ok(entries) = fs::read_dir(all) else { return };
    for entry in entries.flatten() {
        let modified = entry.metadata().and_then(|meta| meta.modified());
        let age = modified.and_then(|time| time.elapsed().map_err(io::Error::other));
        if age.is_ok_and(|age| age > KEPT) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_session_has_one_private_folder_whatever_its_name() {
        let data = tempfile::tempdir().unwrap();
        let places = ShellPlaces::new(data.path(), None);
        let long = "x".repeat(300);
        for id in ["session-1", "../../etc", "", "/", "a/b", long.as_str()] {
            let path = places.temporary(id).unwrap();
            assert_eq!(path.parent(), Some(data.path().join("tmp").as_path()), "{id}");
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
            assert_eq!(places.temporary(id).unwrap(), path);
        }
        assert_eq!(fs::read_dir(data.path().join("tmp")).unwrap().count(), 6);
    }

    #[test]
    fn what_is_old_goes() {
        let data = tempfile::tempdir().unwrap();
        let places = ShellPlaces::new(data.path(), None);
        let old = places.temporary("old").unwrap();
        fs::write(old.join("f"), "x").unwrap();
        let then = std::time::SystemTime::now() - 2 * KEPT;
        fs::File::open(&old).unwrap().set_modified(then).unwrap();
        places.temporary("new").unwrap();
        assert!(!old.exists());
    }
}
