//! The lines of the change list: one for each entry, one for a folder that was moved whole, and one for each folder of
//! output that Git ignores.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    rc::Rc,
};

use deskhand_core::changed::{ChangeKind, ChangedEntry, EntryType, ModeChange};

use super::{
    moves::Moves,
    tree::{Item, Trees},
};
use crate::sandbox::layer::{Difference, EntryKind, EntryState};

pub(super) struct Line {
    pub entry: ChangedEntry,
    /// The item that it is about, if it is about only one.
    pub item: Option<usize>,
}

/// What is known of the items, each by its number.
pub(super) struct Findings<'a> {
    pub trees: &'a Trees<'a>,
    pub workspace: &'a Path,
    /// Why an item decides what runs later.
    pub reasons: &'a std::collections::HashMap<usize, String>,
    /// The folder by which an ignored item is named.
    pub ignored: &'a [Option<Rc<Path>>],
    pub moves: &'a Moves,
}

pub(super) fn lines(findings: &Findings<'_>) -> Vec<Line> {
    let items = findings.trees.items;
    let mut covered = vec![false; items.len()];
    for (to, moved) in &findings.moves.folders {
        let inside = [(*to, items[*to].below), (moved.from, items[moved.from].below)];
        for (first, below) in inside {
            covered[first..=first + below].fill(true);
        }
    }
    let mut lines = Vec::new();
    let mut ignored: BTreeMap<(&Path, bool), Vec<usize>> = BTreeMap::new();
    for (number, item) in items.iter().enumerate() {
        if covered[number] {
            lines.extend(findings.moved_folder(number));
        } else if !findings.reasons.contains_key(&number)
            && (stands_for_others(item) || findings.is_gone_elsewhere(number))
        {
        } else if let Some(folder) = &findings.ignored[number] {
            let is_deleted = item.change.difference == Difference::Deleted;
            ignored.entry((folder, is_deleted)).or_default().push(number);
        } else if let Some(entry) = findings.entry(number) {
            lines.push(Line { entry, item: Some(number) });
        }
    }
    let folded = ignored.into_iter().map(|((folder, _), numbers)| findings.ignored_line(folder, &numbers));
    lines.extend(folded.map(|entry| Line { entry, item: None }));
    lines
}

/// Whether an entry is a folder that came or went with what is in it: that has lines of its own.
pub(super) fn stands_for_others(item: &Item<'_>) -> bool {
    let whole = matches!(item.change.difference, Difference::Created | Difference::Deleted);
    whole && item.is_folder() && item.below > 0
}

impl Findings<'_> {
    fn is_gone_elsewhere(&self, number: usize) -> bool {
        self.moves.target_of.contains_key(&number)
    }

    /// As it stands in the list: relative to the workspace, or absolute outside of it.
    pub fn shown(&self, path: &Path) -> PathBuf {
        path.strip_prefix(self.workspace).unwrap_or(path).to_path_buf()
    }

    fn moved_folder(&self, number: usize) -> Option<Line> {
        let moved = self.moves.folders.get(&number)?;
        let entry = ChangedEntry {
            from: Some(self.shown(&self.trees.items[moved.from].path)),
            entries: moved.entries.max(1),
            bytes: moved.bytes,
            entry_type: EntryType::Folder,
            ..ChangedEntry::new(self.shown(&self.trees.items[number].path), ChangeKind::Moved)
        };
        Some(Line { entry, item: None })
    }

    fn entry(&self, number: usize) -> Option<ChangedEntry> {
        let item = &self.trees.items[number];
        let source = self.moves.source_of.get(&number).map(|from| (*from, &self.trees.items[*from]));
        let before = source.map_or(item.change.before.as_ref(), |(_, from)| from.change.before.as_ref());
        let after = item.change.after.as_ref();
        let state = after.or(before)?;
        let kind = match item.change.difference {
            Difference::Created if source.is_some() => ChangeKind::Moved,
            Difference::Created => ChangeKind::Created,
            Difference::Modified => ChangeKind::Modified,
            Difference::Mode => ChangeKind::Mode,
            Difference::Deleted => ChangeKind::Deleted,
        };
        let reason = self.reasons.get(&number);
        let of_source = source.and_then(|(from, _)| self.reasons.get(&from));
        Some(ChangedEntry {
            from: source.map(|(_, from)| self.shown(&from.path)),
            bytes: state.size,
            entry_type: entry_type(state.kind),
            was: before.map(|before| before.kind).filter(|was| *was != state.kind).map(entry_type),
            mode: before.zip(after).and_then(|(before, after)| mode_change(before, after)),
            runs_later: reason.or(of_source).cloned(),
            ..ChangedEntry::new(self.shown(&item.path), kind)
        })
    }

    fn ignored_line(&self, folder: &Path, numbers: &[usize]) -> ChangedEntry {
        let kinds = numbers.iter().map(|number| match self.trees.items[*number].change.difference {
            Difference::Created => ChangeKind::Created,
            Difference::Deleted => ChangeKind::Deleted,
            Difference::Modified | Difference::Mode => ChangeKind::Modified,
        });
        let kind = kinds.reduce(|one, other| if one == other { one } else { ChangeKind::Modified });
        let (path, entry_type) = match numbers {
            [only] if !self.trees.items[*only].is_folder() => {
                (self.trees.items[*only].path.as_path(), EntryType::File)
            }
            _ => (folder, EntryType::Folder),
        };
        ChangedEntry {
            entries: numbers.len() as u64,
            bytes: numbers.iter().map(|number| size(&self.trees.items[*number])).sum(),
            entry_type,
            ignored: true,
            ..ChangedEntry::new(self.shown(path), kind.unwrap_or(ChangeKind::Modified))
        }
    }
}

/// Size after the change; of a deleted entry, the size it had.
pub(super) fn size(item: &Item<'_>) -> u64 {
    item.change.after.as_ref().or(item.change.before.as_ref()).map_or(0, |state| state.size)
}

fn mode_change(before: &EntryState, after: &EntryState) -> Option<ModeChange> {
    let octal = |mode: u32| format!("{mode:03o}");
    let counts = before.mode != after.mode && before.kind == after.kind && after.kind != EntryKind::Link;
    counts.then(|| ModeChange { before: octal(before.mode), after: octal(after.mode) })
}

fn entry_type(kind: EntryKind) -> EntryType {
    match kind {
        EntryKind::File => EntryType::File,
        EntryKind::Folder => EntryType::Folder,
        EntryKind::Link => EntryType::Link,
        EntryKind::Special => EntryType::Special,
    }
}
