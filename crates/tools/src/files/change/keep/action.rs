//! What keeping a layer comes to, action by action. It is written down before the first is done, so each says enough
//! to be done again, or to see that it is done.

use std::{path::PathBuf, time::SystemTime};

use cap_std::fs::Metadata;
use deskhand_core::{Fingerprint, UndoStep};
use serde::{Deserialize, Serialize};

use super::super::os;

/// Which entry it is, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    pub device: u64,
    pub inode: u64,
}

impl Identity {
    pub fn of(meta: &Metadata) -> Self {
        let (device, inode) = os::identity_of(meta);
        Self { device, inode }
    }

    pub fn pair(self) -> (u64, u64) {
        (self.device, self.inode)
    }

    pub fn fingerprint(self) -> Fingerprint {
        Fingerprint::Identity { device: self.device, inode: self.inode }
    }
}

/// One entry of a root that becomes different.
#[derive(Debug, Serialize, Deserialize)]
pub struct Action {
    /// Number of the root.
    pub root: usize,
    /// Relative to the root.
    #[serde(with = "deskhand_core::path_json")]
    pub path: PathBuf,
    pub work: Work,
    /// What the journal says of it; nothing where it cannot be undone.
    pub steps: Vec<UndoStep>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Another mode, and nothing else.
    Mode {
        entry: Identity,
        was: u32,
        mode: u32,
    },
    /// Something comes to where nothing is.
    Create {
        new: Arrival,
    },
    /// Two entries change places; then the old one goes into the journal, or away.
    Replace {
        new: Arrival,
        old: Departure,
    },
    Delete {
        old: Departure,
    },
}

/// What comes.
#[derive(Debug, Serialize, Deserialize)]
pub struct Arrival {
    pub source: Source,
    pub entry: Identity,
    /// Of a file. What was accepted may not be on disk: after a power cut, a file may be empty.
    pub size: u64,
    pub modified: Option<SystemTime>,
    /// The mode of a folder that its owner may not write: it has to be given again after it was moved.
    pub mode: Option<u32>,
}

impl Arrival {
    pub fn new(source: Source, meta: &Metadata, mode: Option<u32>) -> Self {
        Self {
            source,
            entry: Identity::of(meta),
            size: meta.len(),
            modified: os::meta_of(meta).modified,
            mode,
        }
    }

    /// Whether this is what was accepted, and nobody has written to it since.
    pub fn is(&self, meta: &Metadata) -> bool {
        is_same(meta, self.entry, self.size, self.modified)
    }
}

/// Where something is before it comes.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// In the upper folder, under the path of the action.
    Upper,
    /// In the root's staging folder: a copy, as the upper folder is on another file system.
    Staged(String),
}

/// What goes.
#[derive(Debug, Serialize, Deserialize)]
pub struct Departure {
    pub entry: Identity,
    pub size: u64,
    pub modified: Option<SystemTime>,
    /// The mode of a folder that its owner may not write.
    pub mode: Option<u32>,
    pub kept: Keeping,
    /// What it is called among what goes away for good.
    pub gone: String,
}

impl Departure {
    /// Whether this is what was there when the changes were accepted. A second name in the journal changes the time of
    /// the last change of its state, so that does not count.
    pub fn is(&self, meta: &Metadata) -> bool {
        is_same(meta, self.entry, self.size, self.modified)
    }
}

fn is_same(meta: &Metadata, entry: Identity, size: u64, modified: Option<SystemTime>) -> bool {
    let is_it = Identity::of(meta) == entry;
    is_it && (!meta.is_file() || (meta.len() == size && os::meta_of(meta).modified == modified))
}

/// How the old entry is kept, by its name in the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Keeping {
    /// Not at all, or the step itself says enough.
    Nothing,
    /// The file itself, under a second name.
    Linked(String),
    Copied(String),
    /// The entry itself.
    Moved(String),
}
