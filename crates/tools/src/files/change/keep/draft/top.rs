//! One entry of the list of changes, with everything below it that goes the same way; and what it shows.

use std::path::Path;

use cap_std::fs::{Metadata, MetadataExt};
use deskhand_core::Fingerprint;
use deskhand_guard::sandbox::layer::{Difference, EntryKind, EntryState, LayerChange};

use super::OWNER;

pub struct Top<'c> {
    pub root: usize,
    pub change: &'c LayerChange,
    pub below: &'c [LayerChange],
}

impl<'c> Top<'c> {
    /// The first of these changes, and those that are not part of it.
    pub fn first(root: usize, changes: &'c [LayerChange]) -> Option<(Self, &'c [LayerChange])> {
        let (change, more) = changes.split_first()?;
        let covered = if covers(change) { below(change, more) } else { 0 };
        let (below, rest) = more.split_at(covered);
        Some((Self { root, change, below }, rest))
    }

    pub fn path(&self) -> &'c Path {
        &self.change.path
    }
}

/// How many of these changes, which follow it, are below a change.
pub fn below(change: &LayerChange, more: &[LayerChange]) -> usize {
    more.iter().take_while(|inner| inner.path.starts_with(&change.path)).count()
}

/// Whether the changes below this one are part of it.
fn covers(change: &LayerChange) -> bool {
    match change.difference {
        Difference::Created => is_folder(change.after.as_ref()),
        Difference::Deleted => is_folder(change.before.as_ref()),
        // Another kind: only one of them is a folder.
        Difference::Modified => is_folder(change.before.as_ref()) || is_folder(change.after.as_ref()),
        Difference::Mode => false,
    }
}

pub fn is_folder(state: Option<&EntryState>) -> bool {
    state.is_some_and(|state| state.kind == EntryKind::Folder)
}

/// Whether this is what the list shows: what is kept is what was accepted.
pub fn is_shown(change: &LayerChange, meta: &Metadata) -> bool {
    let Some(after) = &change.after else { return false };
    let size = if meta.is_file() { meta.len() } else { 0 };
    matches!(after.fingerprint, Fingerprint::State { inode, .. } if inode == meta.ino()) && size == after.size
}

/// The mode of a folder that has to be given again after it was moved.
pub fn mode_to_give(meta: &Metadata) -> Option<u32> {
    (meta.is_dir() && meta.mode() & OWNER != OWNER).then(|| meta.mode() & 0o7777)
}

/// Whether the system lets this user give the file a second name.
pub fn may_link(meta: &Metadata) -> bool {
    let user = rustix::process::geteuid();
    user.is_root() || meta.uid() == user.as_raw()
}
