//! The undo journal: what a call changed, written down before it changes it.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{error::StoreResult, id::CallId, time::Time};

/// What was, or will be, at a path. Enough to put it back, or to see whether it is still so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum PathState {
    Absent,
    File {
        size: u64,
        /// SHA-256 of the content, hex.
        sha256: String,
        meta: Meta,
        /// The name, in the entry's folder, of the kept content. `None` for a state that need not be restored.
        kept: Option<String>,
    },
    Link {
        #[serde(with = "crate::path_json")]
        target: PathBuf,
        meta: Meta,
    },
    Folder {
        meta: Meta,
        /// The name, in the entry's folder, of the kept tree. `None` for a folder that was empty, or that
        /// need not be restored.
        kept: Option<String>,
    },
    /// A file that only grew: its first `size` bytes are as they were.
    Prefix {
        size: u64,
    },
    /// A named pipe.
    Pipe {
        meta: Meta,
    },
}

/// What a path carries beside its content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// Unix permission bits.
    pub mode: Option<u32>,
    pub modified: Option<std::time::SystemTime>,
    pub accessed: Option<std::time::SystemTime>,
}

/// One change, as it is written down before it happens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "step")]
pub enum UndoStep {
    /// What is at `path` changes from `before` to `after`.
    Change {
        #[serde(with = "crate::path_json")]
        path: PathBuf,
        before: PathState,
        after: PathState,
    },
    /// What is at `from` moves to `to`, as it is. `to` was absent (a replaced target is a `Change` of its own
    /// before this).
    Move {
        #[serde(with = "crate::path_json")]
        from: PathBuf,
        #[serde(with = "crate::path_json")]
        to: PathBuf,
        identity: crate::Fingerprint,
    },
}

/// All that one call changed, in the order in which it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoEntry {
    pub call: CallId,
    pub tool: String,
    pub summary: String,
    pub session_id: String,
    /// For whom the call was made. `None`: the owner of this installation.
    pub owner: Option<String>,
    pub at: Time,
    /// The folder with the kept contents.
    pub folder: PathBuf,
    pub steps: Vec<UndoStep>,
    /// The call that took it back, where one did.
    pub undone_by: Option<CallId>,
}

impl UndoEntry {
    /// Whether what it changed is undone now. An undo can be undone, too.
    pub fn is_undone(&self, journal: &dyn UndoJournal) -> StoreResult<bool> {
        let (mut is_undone, mut by) = (false, self.undone_by);
        while let Some(call) = by {
            is_undone = !is_undone;
            by = journal.load(call)?.and_then(|entry| entry.undone_by);
        }
        Ok(is_undone)
    }

    /// The paths that it changed, each once. Folders are named only where nothing in them is.
    pub fn paths(&self) -> Vec<&Path> {
        let (mut files, mut folders): (Vec<&Path>, Vec<&Path>) = Default::default();
        let mut known = HashSet::new();
        for step in &self.steps {
            let (path, is_new_folder) = match step {
                UndoStep::Change {
                    path,
                    before: PathState::Absent,
                    after: PathState::Folder { kept: None, .. },
                } => (path, true),
                UndoStep::Change { path, .. } => (path, false),
                // What goes away lies in the entry's own folder; it is named by where it was.
                UndoStep::Move { from, to, .. } if to.starts_with(&self.folder) => (from, false),
                UndoStep::Move { to, .. } => (to, false),
            };
            // What a call keeps for itself on the way lies in the entry's own folder.
            if !path.starts_with(&self.folder) && known.insert((path, is_new_folder)) {
                if is_new_folder { &mut folders } else { &mut files }.push(path);
            }
        }
        if files.is_empty() { folders } else { files }
    }
}

/// What an entry says of itself before its first step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UndoHeader {
    pub call: CallId,
    pub tool: String,
    pub summary: String,
    pub session_id: String,
    /// For whom the call was made. `None`: the owner of this installation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    pub at: Time,
    /// The call that this one takes back, where it is an undo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<CallId>,
}

/// Keeps before-images. Bounded by size and age: the oldest go first.
pub trait UndoJournal: Send + Sync {
    /// Opens the entry of a call, if it is not open, and returns the folder for its kept contents. Fails
    /// if `bytes` more could not be kept within the limits.
    fn open(&self, header: &UndoHeader, bytes: u64) -> StoreResult<PathBuf>;
    /// Writes a step down. On disk, with every kept file it names, when this returns.
    fn append(&self, call: CallId, step: &UndoStep) -> StoreResult<()>;
    /// Writes many steps down at once. All of them are on disk, with every kept file they name, when this returns;
    /// a crash on the way leaves the first of them.
    fn append_all(&self, call: CallId, steps: &[UndoStep]) -> StoreResult<()> {
        steps.iter().try_for_each(|step| self.append(call, step))
    }
    fn load(&self, call: CallId) -> StoreResult<Option<UndoEntry>>;
    /// The newest entries first; those already taken back included.
    fn recent(&self, limit: usize) -> StoreResult<Vec<UndoEntry>>;
    fn mark_undone(&self, call: CallId, by: CallId) -> StoreResult<()>;
    /// Removes the entry of a call that changed nothing after all.
    fn discard(&self, _call: CallId) -> StoreResult<()> {
        Ok(())
    }
    /// The most bytes that one call may keep. What is larger cannot be undone, and its plan says so.
    fn limit(&self) -> u64;
}
