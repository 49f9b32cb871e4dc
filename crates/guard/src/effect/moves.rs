//! What was moved: the same content at another path.

use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    ffi::OsStr,
    fs,
    hash::Hash,
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::Path,
};

use deskhand_core::ToolResult;
use sha2::{Digest, Sha256};

use super::{
    content,
    tree::{Item, Trees},
};
use crate::sandbox::layer::{Difference, EntryKind};

/// Below this size many files are alike: there the name or the time has to be the same, too.
const SMALL: u64 = 32;
/// How many files are read to compare them, and how many bytes.
const MOST_FILES: usize = 100_000;
const MOST_BYTES: u64 = 512 << 20;

/// A folder whose whole content was moved.
pub(super) struct MovedFolder {
    pub from: usize,
    /// How many entries are in it, not counting folders.
    pub entries: u64,
    pub bytes: u64,
}

/// Items by their numbers.
#[derive(Default)]
pub(super) struct Moves {
    /// Where a created entry was before.
    pub source_of: HashMap<usize, usize>,
    /// Where a deleted entry is now.
    pub target_of: HashMap<usize, usize>,
    /// By the number of the created folder.
    pub folders: BTreeMap<usize, MovedFolder>,
}

/// Entries of one kind and size that went and came.
#[derive(Default)]
struct Class {
    went: Vec<usize>,
    came: Vec<usize>,
}

impl Moves {
    pub fn find(
        trees: &Trees<'_>,
        is_left_out: &dyn Fn(usize) -> bool,
        check: &dyn Fn() -> ToolResult<()>,
    ) -> ToolResult<Self> {
        let mut finder = Finder { items: trees.items, moves: Self::default(), files: 0, bytes: 0 };
        for class in classes(trees.items, is_left_out) {
            finder.class(class, check)?;
        }
        Ok(finder.moves)
    }

    /// Finds the folders that were moved whole. What `stands_alone` keeps its own line.
    pub fn find_folders(&mut self, trees: &Trees<'_>, stands_alone: &dyn Fn(usize) -> bool) {
        let mut number = 0;
        while let Some(item) = trees.items.get(number) {
            let is_candidate = item.before() == Some(EntryKind::Folder)
                && item.change.difference == Difference::Deleted
                && item.below > 0;
            if is_candidate && let Some((to, moved)) = self.folder(trees, number, stands_alone) {
                self.folders.insert(to, moved);
                number += item.below;
            }
            number += 1;
        }
    }

    fn folder(
        &self,
        trees: &Trees<'_>,
        from: usize,
        stands_alone: &dyn Fn(usize) -> bool,
    ) -> Option<(usize, MovedFolder)> {
        let old = &trees.items[from];
        let inside = from + 1..=from + old.below;
        let (first, target) =
            inside.clone().find_map(|number| Some((number, *self.target_of.get(&number)?)))?;
        let relative = trees.items[first].path.strip_prefix(&old.path).ok()?;
        let target = &trees.items[target].path;
        let new_path =
            target.ends_with(relative).then(|| target.ancestors().nth(relative.components().count()));
        let to = trees.number(new_path??)?;
        let new = &trees.items[to];
        let is_like_it = new.change.difference == Difference::Created
            && new.after() == Some(EntryKind::Folder)
            && new.below == old.below
            && !stands_alone(from)
            && !stands_alone(to);
        if !is_like_it {
            return None;
        }
        let mut moved = MovedFolder { from, entries: 0, bytes: 0 };
        // Both lists are in the same order.
        for (one, other) in inside.zip(to + 1..) {
            let (gone, come) = (&trees.items[one], &trees.items[other]);
            let same_name = gone.path.strip_prefix(&old.path).ok() == come.path.strip_prefix(&new.path).ok();
            let is_moved = match gone.before() {
                Some(EntryKind::Folder) => come.after() == Some(EntryKind::Folder),
                _ => self.target_of.get(&one) == Some(&other) && mode_of(gone) == mode_of(come),
            };
            if !same_name || !is_moved || stands_alone(one) || stands_alone(other) {
                return None;
            }
            if let Some(state) = come.change.after.as_ref().filter(|state| state.kind != EntryKind::Folder) {
                moved.entries += 1;
                moved.bytes += state.size;
            }
        }
        Some((to, moved))
    }
}

fn mode_of(item: &Item<'_>) -> Option<u32> {
    item.change.after.as_ref().or(item.change.before.as_ref()).map(|state| state.mode)
}

/// Only where something went can something have come from there.
fn classes(items: &[Item<'_>], is_left_out: &dyn Fn(usize) -> bool) -> Vec<Class> {
    let mut numbers: HashMap<(EntryKind, u64), usize> = HashMap::new();
    let mut classes: Vec<Class> = Vec::new();
    let can_move = |kind| matches!(kind, EntryKind::File | EntryKind::Link);
    for (number, item) in items.iter().enumerate() {
        if let (Difference::Deleted, Some(state)) = (item.change.difference, &item.change.before)
            && can_move(state.kind)
            && !is_left_out(number)
        {
            let class = *numbers.entry((state.kind, state.size)).or_insert(classes.len());
            if class == classes.len() {
                classes.push(Class::default());
            }
            classes[class].went.push(number);
        }
    }
    if classes.is_empty() {
        return classes;
    }
    for (number, item) in items.iter().enumerate() {
        if let (Difference::Created, Some(state)) = (item.change.difference, &item.change.after)
            && let Some(class) = numbers.get(&(state.kind, state.size))
            && !is_left_out(number)
        {
            classes[*class].came.push(number);
        }
    }
    classes
}

struct Finder<'a> {
    items: &'a [Item<'a>],
    moves: Moves,
    files: usize,
    bytes: u64,
}

impl Finder<'_> {
    fn class(&mut self, mut class: Class, check: &dyn Fn() -> ToolResult<()>) -> ToolResult<()> {
        if class.came.is_empty() {
            return Ok(());
        }
        // Many new files of the size of a few old ones: those with their names are the likely ones.
        let most = class.went.len() * 4 + 64;
        if class.came.len() > most {
            let names: HashSet<_> =
                class.went.iter().filter_map(|number| self.items[*number].path.file_name()).collect();
            class.came.retain(|number| {
                self.items[*number].path.file_name().is_some_and(|name| names.contains(name))
            });
            class.came.truncate(most);
        }
        let mut by_content: BTreeMap<[u8; 32], Class> = BTreeMap::new();
        for number in class.went {
            check()?;
            if let Some(sum) = self.sum(number) {
                by_content.entry(sum).or_default().went.push(number);
            }
        }
        for number in class.came {
            check()?;
            if let Some(same) = self.sum(number).and_then(|sum| by_content.get_mut(&sum)) {
                same.came.push(number);
            }
        }
        for same in by_content.values().filter(|same| !same.came.is_empty()) {
            self.pair(same);
        }
        Ok(())
    }

    fn sum(&mut self, number: usize) -> Option<[u8; 32]> {
        let item = &self.items[number];
        let state = item.change.after.as_ref().or(item.change.before.as_ref())?;
        self.files += 1;
        self.bytes += state.size;
        if self.files > MOST_FILES || self.bytes > MOST_BYTES {
            return None;
        }
        let path = place(item);
        match state.kind {
            EntryKind::Link => Some(Sha256::digest(content::link_target(&path)?.as_bytes()).into()),
            _ => content::hash(&path),
        }
    }

    /// Pairs entries of the same content, the likeliest first.
    fn pair(&mut self, same: &Class) {
        let items = self.items;
        let path = |number: usize| items[number].path.as_path();
        self.pair_by(same, &|number| Some((name_of(path(number).parent()?), name_of(path(number)))));
        self.pair_by(same, &|number| Some(name_of(path(number))));
        let is_small = same.went.first().is_some_and(|number| {
            items[*number].change.before.as_ref().is_none_or(|state| state.size < SMALL)
        });
        if is_small {
            self.pair_by(same, &|number| {
                let meta = fs::symlink_metadata(place(&items[number])).ok()?;
                Some((meta.mtime(), meta.mtime_nsec()))
            });
        } else {
            self.pair_by(same, &|_| Some(()));
        }
    }

    fn pair_by<K: Eq + Hash>(&mut self, same: &Class, key: &dyn Fn(usize) -> Option<K>) {
        let mut left: HashMap<K, VecDeque<usize>> = HashMap::new();
        for number in same.went.iter().filter(|number| !self.moves.target_of.contains_key(number)) {
            if let Some(key) = key(*number) {
                left.entry(key).or_default().push_back(*number);
            }
        }
        if left.is_empty() {
            return;
        }
        for number in &same.came {
            if self.moves.source_of.contains_key(number) {
                continue;
            }
            let from = key(*number).and_then(|key| left.get_mut(&key)?.pop_front());
            if let Some(from) = from {
                self.moves.source_of.insert(*number, from);
                self.moves.target_of.insert(from, *number);
            }
        }
    }
}

/// Where the content of a deleted or created entry is.
fn place(item: &Item<'_>) -> std::path::PathBuf {
    if item.after().is_some() { item.written() } else { item.path.clone() }
}

fn name_of(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}
