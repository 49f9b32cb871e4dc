//! Folding many lines of a change list into one for each folder.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{ChangeKind, ChangedEntry, EntryType};

/// Lines are folded only with others that mean the same.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    rank: u8,
    folder: PathBuf,
    ignored: bool,
}

/// The same entries in at most about `most` lines (one for each kind, if need be), ordered by what matters most. Each
/// folded line names a folder, and says how many entries in it it stands for.
pub(super) fn folded(mut entries: Vec<ChangedEntry>, most: usize) -> Vec<ChangedEntry> {
    entries.sort_by(|one, other| rank(one).cmp(&rank(other)).then_with(|| one.path.cmp(&other.path)));
    if entries.len() <= most {
        return entries;
    }
    let deepest = entries.iter().map(|entry| depth(&entry.path)).max().unwrap_or(0);
    for level in (0..deepest).rev() {
        if lines_at(&entries, level) <= most || level == 0 {
            return fold_at(entries, level);
        }
    }
    entries
}

fn rank(entry: &ChangedEntry) -> u8 {
    match entry {
        ChangedEntry { runs_later: Some(_), .. } => 0,
        ChangedEntry { kind: ChangeKind::Deleted, .. } => 1,
        ChangedEntry { was: Some(_), .. } => 2,
        ChangedEntry { kind: ChangeKind::Mode, .. } => 3,
        ChangedEntry { kind: ChangeKind::Modified, .. } => 4,
        ChangedEntry { kind: ChangeKind::Moved, .. } => 5,
        ChangedEntry { kind: ChangeKind::Created, .. } => 6,
    }
}

fn depth(path: &Path) -> usize {
    path.components().count()
}

/// The folder at this level that stands for an entry.
fn group(entry: &ChangedEntry, level: usize) -> Group {
    let levels = level.min(depth(&entry.path).saturating_sub(1));
    let folder = entry.path.components().take(levels).collect();
    Group { rank: rank(entry), folder, ignored: entry.ignored }
}

fn lines_at(entries: &[ChangedEntry], level: usize) -> usize {
    let mut groups: Vec<Group> = entries.iter().map(|entry| group(entry, level)).collect();
    groups.sort_unstable();
    groups.dedup();
    groups.len()
}

fn fold_at(entries: Vec<ChangedEntry>, level: usize) -> Vec<ChangedEntry> {
    let mut groups: BTreeMap<Group, Vec<ChangedEntry>> = BTreeMap::new();
    for entry in entries {
        groups.entry(group(&entry, level)).or_default().push(entry);
    }
    groups.into_iter().map(|(group, entries)| line(&group, entries)).collect()
}

fn line(group: &Group, mut entries: Vec<ChangedEntry>) -> ChangedEntry {
    if entries.len() == 1 {
        return entries.remove(0);
    }
    let first = &entries[0];
    let sum = |amount: fn(&ChangedEntry) -> u64| entries.iter().map(amount).sum();
    let same = |is_same: &dyn Fn(&ChangedEntry) -> bool| entries.iter().all(is_same);
    let kind = if same(&|entry| entry.kind == first.kind) { first.kind } else { ChangeKind::Modified };
    let folder = if group.folder.as_os_str().is_empty() { Path::new(".") } else { &group.folder };
    ChangedEntry {
        added: sum(|entry| entry.added),
        removed: sum(|entry| entry.removed),
        bytes: sum(|entry| entry.bytes),
        entries: sum(|entry| entry.entries),
        entry_type: EntryType::Folder,
        was: first.was.filter(|_| same(&|entry| entry.was == first.was)),
        mode: first.mode.clone().filter(|_| same(&|entry| entry.mode == first.mode)),
        runs_later: first.runs_later.clone(),
        ignored: group.ignored,
        ..ChangedEntry::new(folder, kind)
    }
}
