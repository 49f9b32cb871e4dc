//! Repositories as they were before a command: what they track, and what is clean in them.
//!
//! The real folders are as they were until the changes are kept, so all of this is read from them.

use std::{
    cell::{OnceCell, RefCell},
    collections::HashMap,
    ffi::OsStr,
    fs::{self, Metadata},
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::{Component, Path, PathBuf},
    rc::Rc,
};

use super::{
    content, git_config,
    git_index::{self, IndexEntry},
    git_keys,
    tree::kind_at,
};
use crate::sandbox::layer::EntryKind;

/// A larger index is not read.
const LARGEST_INDEX: u64 = 128 << 20;
const LARGEST_POINTER: u64 = 64 << 10;

/// A working tree with its Git folder.
pub(super) struct Repository {
    /// The top of the working tree.
    pub work: PathBuf,
    /// What its `.git` is, or names.
    pub git: PathBuf,
    /// The folder with the config and the objects; `git` itself but for a worktree.
    pub common: PathBuf,
    index: OnceCell<Option<Index>>,
}

struct Index {
    entries: HashMap<Vec<u8>, IndexEntry>,
    /// When it was written.
    written: (i64, i64),
}

impl Repository {
    /// The repository whose working tree has its top at `work`.
    fn at(work: &Path) -> Option<Self> {
        let git = pointed(&work.join(".git"))?;
        kind_at(&git.join("HEAD"))?;
        let common = common_of(&git);
        Some(Self { work: work.to_path_buf(), git, common, index: OnceCell::new() })
    }

    /// Whether Git tracks a path. What cannot be known counts as tracked.
    pub fn tracks(&self, path: &Path) -> bool {
        self.index().is_none_or(|index| {
            path.strip_prefix(&self.work)
                .is_ok_and(|path| index.entries.contains_key(path.as_os_str().as_bytes()))
        })
    }

    /// Whether Git has the very content that is at a path, as far as Git itself would look. Any doubt is a no.
    pub fn has_as_it_is(&self, path: &Path) -> bool {
        let entry = || {
            let index = self.index()?;
            let relative = path.strip_prefix(&self.work).ok()?;
            let entry = index.entries.get(relative.as_os_str().as_bytes())?;
            let meta = fs::symlink_metadata(path).ok()?;
            // What changed in the moment in which the index was written may have changed after it.
            let is_older = (meta.mtime(), meta.mtime_nsec()) < index.written;
            Some(entry.is_plain && is_older && is_like(entry, &meta))
        };
        entry().unwrap_or(false)
    }

    fn index(&self) -> Option<&Index> {
        let read = || {
            let path = self.git.join("index");
            let hash = self.hash_length()?;
            let Ok(meta) = fs::symlink_metadata(&path) else {
                return Some(Index { entries: HashMap::new(), written: (0, 0) });
            };
            let entries = git_index::parse(&content::read(&path, LARGEST_INDEX)?, hash)?;
            Some(Index { entries, written: (meta.mtime(), meta.mtime_nsec()) })
        };
        self.index.get_or_init(read).as_ref()
    }

    /// How long a hash is, in bytes. `None` if that cannot be told.
    fn hash_length(&self) -> Option<usize> {
        let config = content::read(&self.common.join("config"), git_keys::LARGEST)?;
        let settings = git_config::parse(&config)?;
        let format = settings.into_iter().rfind(|setting| setting.key == b"extensions.objectformat");
        match format.map(|setting| setting.value.unwrap_or_default()).as_deref() {
            None | Some(b"sha1") => Some(20),
            Some(b"sha256") => Some(32),
            Some(_) => None,
        }
    }
}

/// Size, time and kind; the lower 32 bits are what the index has.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn is_like(entry: &IndexEntry, meta: &Metadata) -> bool {
    let mode = match meta.file_type() {
        kind if kind.is_symlink() => 0o120_000,
        kind if kind.is_file() && meta.mode() & 0o100 != 0 => 0o100_755,
        kind if kind.is_file() => 0o100_644,
        _ => return false,
    };
    entry.mode == mode
        && entry.size == meta.len() as u32
        && entry.modified == (meta.mtime() as u32, meta.mtime_nsec() as u32)
}

/// The Git folder that a `.git` is or names.
pub(super) fn pointed(git: &Path) -> Option<PathBuf> {
    match kind_at(git)? {
        EntryKind::Folder => Some(git.to_path_buf()),
        EntryKind::File => {
            let text = content::read(git, LARGEST_POINTER)?;
            let path = text.strip_prefix(b"gitdir:")?;
            Some(joined(git.parent()?, path.trim_ascii()))
        }
        EntryKind::Link | EntryKind::Special => None,
    }
}

/// The folder that a Git folder shares with others, or itself.
pub(super) fn common_of(git: &Path) -> PathBuf {
    content::read(&git.join("commondir"), LARGEST_POINTER)
        .map_or_else(|| git.to_path_buf(), |text| joined(git, text.trim_ascii()))
}

/// A path from a file of Git's, without `..` in it.
pub(super) fn joined(folder: &Path, path: &[u8]) -> PathBuf {
    normal(&folder.join(OsStr::from_bytes(path)))
}

/// Without `.` and `..`.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}

/// Finds the repository of a folder, each once.
#[derive(Default)]
pub(super) struct Repositories {
    known: RefCell<HashMap<PathBuf, Option<Rc<Repository>>>>,
}

impl Repositories {
    /// The innermost repository in whose working tree a folder lies.
    pub fn of(&self, folder: &Path) -> Option<Rc<Repository>> {
        if let Some(known) = self.known.borrow().get(folder) {
            return known.clone();
        }
        let found = match Repository::at(folder) {
            Some(repository) => Some(Rc::new(repository)),
            None => folder.parent().and_then(|above| self.of(above)),
        };
        self.known.borrow_mut().insert(folder.to_path_buf(), found.clone());
        found
    }
}
