//! The roots before and after a command: the real folders, and the same with the changes of their layers.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use super::content;
use crate::sandbox::layer::{EntryKind, LayerChange, RootChanges};

/// One changed entry.
pub(super) struct Item<'a> {
    pub root: &'a RootChanges,
    pub change: &'a LayerChange,
    /// Where it really is, or will be.
    pub path: PathBuf,
    /// How many of the items that follow it are in it.
    pub below: usize,
}

impl Item<'_> {
    pub fn before(&self) -> Option<EntryKind> {
        self.change.before.as_ref().map(|state| state.kind)
    }

    pub fn after(&self) -> Option<EntryKind> {
        self.change.after.as_ref().map(|state| state.kind)
    }

    /// Whether it is, or was, nothing but a folder.
    pub fn is_folder(&self) -> bool {
        let is_folder = |kind: Option<EntryKind>| kind.is_none_or(|kind| kind == EntryKind::Folder);
        is_folder(self.before()) && is_folder(self.after())
    }

    pub fn read_before(&self, most: u64) -> Option<Vec<u8>> {
        (self.before()? == EntryKind::File).then(|| content::read(&self.path, most)).flatten()
    }

    pub fn read_after(&self, most: u64) -> Option<Vec<u8>> {
        (self.after()? == EntryKind::File).then(|| content::read(&self.written(), most)).flatten()
    }

    /// Where the command's version of it is.
    pub fn written(&self) -> PathBuf {
        self.root.written(self.change)
    }
}

/// All items, in the order of their roots and lists.
pub(super) fn items(roots: &[RootChanges]) -> Vec<Item<'_>> {
    let mut items: Vec<Item<'_>> = Vec::with_capacity(roots.iter().map(|root| root.changes.len()).sum());
    // Those that may still have entries in them.
    let mut open: Vec<usize> = Vec::new();
    for root in roots {
        open.clear();
        for change in &root.changes {
            while let Some(above) = open.last() {
                if change.path.starts_with(&items[*above].change.path) {
                    break;
                }
                open.pop();
            }
            for above in &open {
                items[*above].below += 1;
            }
            open.push(items.len());
            items.push(Item { root, change, path: root.real(change), below: 0 });
        }
    }
    items
}

/// Looks up absolute paths. The change list is exact: what it does not name is as in the real folder.
pub(super) struct Trees<'a> {
    pub items: &'a [Item<'a>],
    by_path: HashMap<&'a Path, usize>,
}

impl<'a> Trees<'a> {
    pub fn new(items: &'a [Item<'a>]) -> Self {
        Self { items, by_path: items.iter().enumerate().map(|(n, item)| (item.path.as_path(), n)).collect() }
    }

    pub fn number(&self, path: &Path) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    pub fn item(&self, path: &Path) -> Option<&'a Item<'a>> {
        self.number(path).map(|number| &self.items[number])
    }

    pub fn before(&self, path: &Path) -> Option<EntryKind> {
        self.item(path).map_or_else(|| self.real(path), Item::before)
    }

    pub fn after(&self, path: &Path) -> Option<EntryKind> {
        self.item(path).map_or_else(|| self.real(path), Item::after)
    }

    pub fn read_after(&self, path: &Path, most: u64) -> Option<Vec<u8>> {
        match self.item(path) {
            Some(item) => item.read_after(most),
            None => (self.real(path)? == EntryKind::File).then(|| content::read(path, most)).flatten(),
        }
    }

    /// What is at a path that did not change. Nothing is seen through a link, and nothing is in a new folder.
    fn real(&self, path: &Path) -> Option<EntryKind> {
        let above = path.parent()?;
        match self.item(above) {
            Some(item) if item.before() != Some(EntryKind::Folder) => None,
            Some(_) => kind_at(path),
            None => (kind_at(above)? == EntryKind::Folder).then(|| kind_at(path)).flatten(),
        }
    }
}

/// What is at an absolute path; a link at its end is not followed.
pub(super) fn kind_at(path: &Path) -> Option<EntryKind> {
    let kind = fs::symlink_metadata(path).ok()?.file_type();
    Some(match kind {
        kind if kind.is_file() => EntryKind::File,
        kind if kind.is_dir() => EntryKind::Folder,
        kind if kind.is_symlink() => EntryKind::Link,
        _ => EntryKind::Special,
    })
}
