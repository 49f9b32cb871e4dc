//! Whether everything is still as the command saw it. Whatever is not, is a conflict, and then nothing is kept.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

use cap_std::fs::{Metadata, MetadataExt};
use deskhand_core::{Cx, Fingerprint, ToolError, ToolResult};
use deskhand_guard::{
    paths::show_name,
    sandbox::layer::{Difference, EntryKind, EntryState, LayerChange, RootChanges},
};

use super::{handles::Handles, writers};

/// How many conflicts are named.
const MOST_NAMED: usize = 5;

#[derive(Default)]
struct Conflicts {
    named: Vec<String>,
    count: usize,
}

impl Conflicts {
    fn add(&mut self, path: &Path, how: &str) {
        self.count += 1;
        if self.named.len() < MOST_NAMED {
            self.named.push(format!("{} {how}", show_name(path.as_os_str())));
        }
    }

    fn into_result(self) -> ToolResult<()> {
        if self.count == 0 {
            return Ok(());
        }
        let mut named = self.named.join("; ");
        if self.count > self.named.len() {
            named.push_str(&format!("; and {} more", self.count - self.named.len()));
        }
        let message = format!("Nothing was kept: something else changed the same files: {named}.");
        Err(ToolError::new("changed_since", message).hint("Run the command again."))
    }
}

/// An error that names what is not as it was.
pub fn check(cx: &Cx, roots: &[RootChanges], handles: &Handles) -> ToolResult<()> {
    let mut conflicts = Conflicts::default();
    let mut files = HashMap::new();
    for (number, root) in roots.iter().enumerate() {
        // Nothing is below what is not there, or is no folder.
        let mut empty: Option<&Path> = None;
        for change in &root.changes {
            cx.check()?;
            if change.before.is_none() && empty.is_some_and(|above| change.path.starts_with(above)) {
                continue;
            }
            if change.before.as_ref().is_none_or(|before| before.kind != EntryKind::Folder) {
                empty = Some(&change.path);
            }
            if let Some(how) = conflict(handles, number, root, change) {
                conflicts.add(&root.real(change), how);
            }
            remember(&mut files, root, change);
        }
    }
    let wanted: HashSet<(u64, u64)> = files.keys().copied().collect();
    for open in writers::open_for_writing(&wanted) {
        conflicts.add(&files[&open], "is open for writing in another process");
    }
    conflicts.into_result()
}

fn conflict(
    handles: &Handles,
    number: usize,
    root: &RootChanges,
    change: &LayerChange,
) -> Option<&'static str> {
    let Ok(now) = handles.look(number, &change.path) else {
        return Some("is in a folder that is gone, or reached through a link now");
    };
    match (&change.before, now) {
        (None, None) => None,
        (None, Some(_)) => Some("was created since"),
        (Some(_), None) => Some("was removed since"),
        (Some(before), Some(now)) if is_as(&now, before) => {
            (changed_ns(&now) > root.root.begun_ns).then_some("was changed while the command ran")
        }
        (Some(_), Some(_)) => Some("was changed since"),
    }
}

/// Files whose content is replaced or goes away: nobody may be writing to them.
fn remember(files: &mut HashMap<(u64, u64), PathBuf>, root: &RootChanges, change: &LayerChange) {
    let is_at_stake = matches!(change.difference, Difference::Modified | Difference::Deleted);
    if let Some(EntryState { kind: EntryKind::File, fingerprint, .. }) = &change.before
        && let Fingerprint::State { device, inode, .. } = fingerprint
        && is_at_stake
    {
        files.insert((*device, *inode), root.real(change));
    }
}

/// Whether it is exactly this entry in exactly this state.
fn is_as(meta: &Metadata, was: &EntryState) -> bool {
    let kind = kind_of(meta);
    let size = if kind == EntryKind::File { meta.len() } else { 0 };
    let now =
        Fingerprint::State { device: meta.dev(), inode: meta.ino(), size, changed_ns: changed_ns(meta) };
    kind == was.kind && now == was.fingerprint
}

pub fn kind_of(meta: &Metadata) -> EntryKind {
    match () {
        () if meta.is_symlink() => EntryKind::Link,
        () if meta.is_dir() => EntryKind::Folder,
        () if meta.is_file() => EntryKind::File,
        () => EntryKind::Special,
    }
}

fn changed_ns(meta: &Metadata) -> i64 {
    meta.ctime().saturating_mul(1_000_000_000).saturating_add(meta.ctime_nsec())
}
