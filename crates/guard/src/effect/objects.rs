//! What happened to the objects of Git folders: whether Git tidied up, or somebody took them away.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
};

use super::tree::{Item, Trees};
use crate::sandbox::layer::{Difference, EntryKind};

/// The state of one folder of objects.
#[derive(Default)]
struct Store {
    /// Packs that came, and that went.
    came: bool,
    went: bool,
    /// Loose objects that went.
    loose_went: bool,
    /// The folder is gone or replaced, or something in it was overwritten.
    is_broken: bool,
}

/// What a command did to the objects of every Git folder that was there before.
pub(super) struct Objects {
    stores: HashMap<PathBuf, Store>,
    /// Git folders whose refs were put into one file.
    packed_refs: HashSet<PathBuf>,
    /// Whether Git folders have their shape, before.
    was: RefCell<HashMap<PathBuf, bool>>,
    has_packs: RefCell<HashMap<PathBuf, bool>>,
}

impl Objects {
    pub fn look(trees: &Trees<'_>, was_git: &dyn Fn(&Path) -> bool) -> Self {
        let mut objects = Self {
            stores: HashMap::new(),
            packed_refs: HashSet::new(),
            was: RefCell::default(),
            has_packs: RefCell::default(),
        };
        for item in trees.items {
            if item.path.ends_with("packed-refs") && item.after() == Some(EntryKind::File) {
                objects.packed_refs.extend(item.path.parent().map(Path::to_path_buf));
            }
            if let Some((git, rest)) = objects.place(&item.path, "objects", was_git) {
                objects.stores.entry(git).or_default().note(item, &rest);
            }
        }
        objects
    }

    /// Whether the objects of a Git folder are all there still, as far as anybody but Git itself goes.
    pub fn are_whole(&self, common: &Path) -> bool {
        self.stores.get(common).is_none_or(|store| store.was_tidied(|| self.has_packs(common)))
    }

    /// Whether Git itself took an entry away, or wrote it anew, as it does when it tidies up or goes on working.
    pub fn is_gits_own(&self, item: &Item<'_>, was_git: &dyn Fn(&Path) -> bool) -> bool {
        if let Some((git, _)) = self.place(&item.path, "objects", was_git) {
            return self.are_whole(&git);
        }
        if let Some((git, _)) = self.place(&item.path, "refs", was_git) {
            return item.change.difference == Difference::Deleted && self.packed_refs.contains(&git);
        }
        // Made again from the files, or only grown.
        item.after() == Some(EntryKind::File)
            && item.path.parent().is_some_and(was_git)
            && (item.path.ends_with("index") || item.path.ends_with("packed-refs"))
    }

    /// The Git folder that has this path in one of its folders, and the path in there.
    fn place(
        &self,
        path: &Path,
        folder: &str,
        was_git: &dyn Fn(&Path) -> bool,
    ) -> Option<(PathBuf, PathBuf)> {
        let within = path.ancestors().filter(|above| above.file_name().is_some_and(|name| name == folder));
        within.into_iter().find_map(|above| {
            let git = above.parent()?;
            let known = self.was.borrow().get(git).copied();
            let was = known.unwrap_or_else(|| was_git(git));
            self.was.borrow_mut().insert(git.to_path_buf(), was);
            was.then(|| (git.to_path_buf(), path.strip_prefix(above).unwrap_or(path).to_path_buf()))
        })
    }

    /// Whether packs were there before.
    fn has_packs(&self, git: &Path) -> bool {
        *self.has_packs.borrow_mut().entry(git.to_path_buf()).or_insert_with(|| {
            let entries = fs::read_dir(git.join("objects/pack")).into_iter().flatten().flatten();
            entries.into_iter().any(|entry| is_pack(&entry.path()))
        })
    }
}

impl Store {
    fn note(&mut self, item: &Item<'_>, rest: &Path) {
        let first = rest.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let is_list = matches!(first.as_deref(), Some("info")) || rest.ends_with("multi-pack-index");
        match item.change.difference {
            Difference::Deleted if first.is_none() => self.is_broken = true,
            Difference::Deleted if is_pack(rest) => self.went = true,
            Difference::Deleted if !item.is_folder() && first.as_deref() != Some("pack") && !is_list => {
                self.loose_went = true;
            }
            Difference::Deleted if rest == Path::new("info/alternates") => self.is_broken = true,
            Difference::Modified if !is_list || rest == Path::new("info/alternates") => self.is_broken = true,
            Difference::Created if is_pack(rest) => self.came = true,
            _ => {}
        }
    }

    /// Git writes a pack before it takes away what is in it.
    fn was_tidied(&self, had_packs: impl FnOnce() -> bool) -> bool {
        let kept_packs = !self.went && had_packs();
        let lost_packs = self.went && !self.came;
        let lost_loose = self.loose_went && !self.came && !kept_packs;
        !(self.is_broken || lost_packs || lost_loose)
    }
}

fn is_pack(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "pack")
}
