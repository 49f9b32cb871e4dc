//! What a job changed, read from its layer: what differs in content, mode or kind from the real folder.
//!
//! Presence in the upper folder is no change by itself: a file that was only opened for writing is copied there, too.

use std::{
    ffi::OsString,
    fs::{self, File, Metadata},
    io::{self, Read},
    os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use deskhand_core::{Fingerprint, ToolError, ToolResult};
use serde::{Deserialize, Serialize};

use super::{LayeredRoot, changed_ns};

/// Marks a folder that hides all of the real one.
const OPAQUE: &str = "user.overlay.opaque";
/// As deep as the file tools go, too.
const MOST_LEVELS: usize = 500;
const PIECE: usize = 64 * 1024;
/// What permission bits count: all of them.
const MODE: u32 = 0o7777;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    File,
    Folder,
    Link,
    /// A pipe, a socket or a device.
    Special,
}

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryState {
    pub kind: EntryKind,
    /// Bytes of a file, 0 for everything else.
    pub size: u64,
    /// Unix permission bits.
    pub mode: u32,
    /// Which entry it is, and its state.
    pub fingerprint: Fingerprint,
}

/// How an entry is different.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    Created,
    /// Another content of a file, another target of a link, or another kind of entry; maybe another mode, too.
    Modified,
    /// Nothing but its permission bits.
    Mode,
    Deleted,
}

/// One entry that is different.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerChange {
    /// Relative to the root.
    #[serde(with = "deskhand_core::path_json")]
    pub path: PathBuf,
    pub difference: Difference,
    /// In the real folder; `None` if it was created.
    pub before: Option<EntryState>,
    /// In the upper folder; `None` if it was deleted.
    pub after: Option<EntryState>,
}

/// What a job changed in one root. A folder stands before what is in it, names in the order of their bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootChanges {
    pub root: LayeredRoot,
    pub changes: Vec<LayerChange>,
}

impl RootChanges {
    /// Reads the layer of a root. All processes of its job must have ended. `check` is asked often and may stop it.
    pub fn read(root: &LayeredRoot, check: &dyn Fn() -> ToolResult<()>) -> ToolResult<Self> {
        let mut reader = Reader { root, changes: Vec::new(), check };
        reader.root_itself()?;
        reader.merged(Path::new(""), 0)?;
        Ok(Self { root: root.clone(), changes: reader.changes })
    }

    /// Where an entry really is, or will be.
    pub fn real(&self, change: &LayerChange) -> PathBuf {
        self.root.path.join(&change.path)
    }

    /// Where the job's version of an entry is.
    pub fn written(&self, change: &LayerChange) -> PathBuf {
        self.root.upper.join(&change.path)
    }
}

struct Reader<'a> {
    root: &'a LayeredRoot,
    changes: Vec<LayerChange>,
    check: &'a dyn Fn() -> ToolResult<()>,
}

impl Reader<'_> {
    fn root_itself(&mut self) -> ToolResult<()> {
        let (real, written) = (state_at(&self.root.path)?, state_at(&self.root.upper)?);
        if let (Some(before), Some(after)) = (real, written)
            && before.mode != after.mode
        {
            self.add(Path::new(""), Difference::Mode, Some(before), Some(after));
        }
        Ok(())
    }

    /// A folder of the layer through which the real one is seen.
    fn merged(&mut self, at: &Path, level: usize) -> ToolResult<()> {
        let _opened = Opened::up(&self.root.upper.join(at));
        for name in names(&self.root.upper.join(at), level)? {
            (self.check)()?;
            let path = at.join(&name);
            let written = self.root.upper.join(&path);
            let meta = looked(&written, fs::symlink_metadata(&written))?;
            let before = state_at(&self.root.path.join(&path))?;
            if is_whiteout(&meta) {
                if let Some(before) = before {
                    self.deleted(&path, before, level)?;
                }
                continue;
            }
            let after = state(&meta);
            match before {
                None => self.created(&path, after, level)?,
                Some(before) if before.kind != EntryKind::Folder || after.kind != EntryKind::Folder => {
                    self.entry(&path, before, after, level)?;
                }
                Some(before) => {
                    if before.mode != after.mode {
                        self.add(&path, Difference::Mode, Some(before), Some(after));
                    }
                    if is_opaque(&written)? {
                        self.replaced(&path, level + 1)?;
                    } else {
                        self.merged(&path, level + 1)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// A folder of the layer that hides all of the real one, which is there, too.
    fn replaced(&mut self, at: &Path, level: usize) -> ToolResult<()> {
        let _opened = Opened::up(&self.root.upper.join(at));
        let mut all = names(&self.root.upper.join(at), level)?;
        all.extend(names(&self.root.path.join(at), level)?);
        all.sort_unstable();
        all.dedup();
        for name in all {
            (self.check)()?;
            let path = at.join(&name);
            let before = state_at(&self.root.path.join(&path))?;
            let written = self.root.upper.join(&path);
            let after = match fs::symlink_metadata(&written) {
                Ok(meta) if is_whiteout(&meta) => None,
                Ok(meta) => Some(state(&meta)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(ToolError::io("look at", &written, &error)),
            };
            match (before, after) {
                (None, None) => {}
                (Some(before), None) => self.deleted(&path, before, level)?,
                (None, Some(after)) => self.created(&path, after, level)?,
                (Some(before), Some(after))
                    if before.kind == EntryKind::Folder && after.kind == EntryKind::Folder =>
                {
                    if before.mode != after.mode {
                        self.add(&path, Difference::Mode, Some(before), Some(after));
                    }
                    self.replaced(&path, level + 1)?;
                }
                (Some(before), Some(after)) => self.entry(&path, before, after, level)?,
            }
        }
        Ok(())
    }

    /// Two entries that are not both folders.
    fn entry(&mut self, path: &Path, before: EntryState, after: EntryState, level: usize) -> ToolResult<()> {
        if before.kind == after.kind {
            let (real, written) = (self.root.path.join(path), self.root.upper.join(path));
            let same = match after.kind {
                EntryKind::File => before.size == after.size && same_content(&real, &written, self.check)?,
                EntryKind::Link => {
                    looked(&real, fs::read_link(&real))? == looked(&written, fs::read_link(&written))?
                }
                EntryKind::Folder | EntryKind::Special => true,
            };
            if !same {
                self.add(path, Difference::Modified, Some(before), Some(after));
            } else if before.mode != after.mode && after.kind != EntryKind::Link {
                self.add(path, Difference::Mode, Some(before), Some(after));
            }
            return Ok(());
        }
        let (was_folder, is_folder) = (before.kind == EntryKind::Folder, after.kind == EntryKind::Folder);
        self.add(path, Difference::Modified, Some(before), Some(after));
        if was_folder {
            self.deleted_below(path, level + 1)?;
        } else if is_folder {
            self.created_below(path, level + 1)?;
        }
        Ok(())
    }

    fn created(&mut self, path: &Path, after: EntryState, level: usize) -> ToolResult<()> {
        let is_folder = after.kind == EntryKind::Folder;
        self.add(path, Difference::Created, None, Some(after));
        if is_folder { self.created_below(path, level + 1) } else { Ok(()) }
    }

    fn created_below(&mut self, at: &Path, level: usize) -> ToolResult<()> {
        let _opened = Opened::up(&self.root.upper.join(at));
        for name in names(&self.root.upper.join(at), level)? {
            (self.check)()?;
            let path = at.join(&name);
            let written = self.root.upper.join(&path);
            let meta = looked(&written, fs::symlink_metadata(&written))?;
            // There is nothing below that it could hide.
            if !is_whiteout(&meta) {
                self.created(&path, state(&meta), level)?;
            }
        }
        Ok(())
    }

    fn deleted(&mut self, path: &Path, before: EntryState, level: usize) -> ToolResult<()> {
        let is_folder = before.kind == EntryKind::Folder;
        self.add(path, Difference::Deleted, Some(before), None);
        if is_folder { self.deleted_below(path, level + 1) } else { Ok(()) }
    }

    fn deleted_below(&mut self, at: &Path, level: usize) -> ToolResult<()> {
        for name in names(&self.root.path.join(at), level)? {
            (self.check)()?;
            let path = at.join(&name);
            if let Some(before) = state_at(&self.root.path.join(&path))? {
                self.deleted(&path, before, level)?;
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        path: &Path,
        difference: Difference,
        before: Option<EntryState>,
        after: Option<EntryState>,
    ) {
        self.changes.push(LayerChange { path: path.to_path_buf(), difference, before, after });
    }
}

/// A folder of the layer that its owner may not look into, opened while it is read.
struct Opened(Option<(PathBuf, u32)>);

impl Opened {
    fn up(folder: &Path) -> Self {
        const OWNER: u32 = 0o500;
        let mode = fs::symlink_metadata(folder).ok().filter(Metadata::is_dir).map(|meta| meta.mode() & MODE);
        let closed = mode.filter(|mode| mode & OWNER != OWNER);
        let set = |mode: u32| fs::set_permissions(folder, fs::Permissions::from_mode(mode | OWNER)).is_ok();
        Self(closed.filter(|mode| set(*mode)).map(|mode| (folder.to_path_buf(), mode)))
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Some((folder, mode)) = self.0.take() {
            // The mode is in the change list: keeping goes by that.
            let _ = fs::set_permissions(folder, fs::Permissions::from_mode(mode));
        }
    }
}

/// The names in a folder, in the order of their bytes.
fn names(folder: &Path, level: usize) -> ToolResult<Vec<OsString>> {
    if level > MOST_LEVELS {
        let shown: String = folder.to_string_lossy().chars().take(200).collect();
        return Err(ToolError::new(
            "too_deep",
            format!("The command made folders more than {MOST_LEVELS} levels deep, below {shown}…"),
        ));
    }
    let list = || fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>();
    let mut names = looked(folder, list())?;
    names.sort_unstable();
    Ok(names)
}

fn looked<T>(path: &Path, result: io::Result<T>) -> ToolResult<T> {
    result.map_err(|error| ToolError::io("look at", path, &error))
}

fn state_at(path: &Path) -> ToolResult<Option<EntryState>> {
    match fs::symlink_metadata(path) {
        Ok(meta) => Ok(Some(state(&meta))),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(ToolError::io("look at", path, &error)),
    }
}

fn state(meta: &Metadata) -> EntryState {
    let kind = match meta.file_type() {
        kind if kind.is_file() => EntryKind::File,
        kind if kind.is_dir() => EntryKind::Folder,
        kind if kind.is_symlink() => EntryKind::Link,
        _ => EntryKind::Special,
    };
    let size = if kind == EntryKind::File { meta.len() } else { 0 };
    let fingerprint =
        Fingerprint::State { device: meta.dev(), inode: meta.ino(), size, changed_ns: changed_ns(meta) };
    EntryState { kind, size, mode: meta.mode() & MODE, fingerprint }
}

/// What stands in the upper folder for an entry that was deleted.
fn is_whiteout(meta: &Metadata) -> bool {
    meta.file_type().is_char_device() && meta.rdev() == 0
}

fn is_opaque(folder: &Path) -> ToolResult<bool> {
    let mut value = [0; 1];
    match rustix::fs::lgetxattr(folder, OPAQUE, &mut value[..]) {
        Ok(length) => Ok(length == 1 && value[0] == b'y'),
        Err(rustix::io::Errno::NODATA | rustix::io::Errno::NOTSUP) => Ok(false),
        Err(error) => Err(ToolError::io("look at", folder, &error.into())),
    }
}

fn same_content(one: &Path, other: &Path, check: &dyn Fn() -> ToolResult<()>) -> ToolResult<bool> {
    // What its owner may not read cannot be compared: it counts as different.
    let (Ok(mut first), Ok(mut second)) = (File::open(one), File::open(other)) else { return Ok(false) };
    let (mut left, mut right) = (vec![0; PIECE], vec![0; PIECE]);
    loop {
        check()?;
        let read = looked(one, fill(&mut first, &mut left))?;
        if looked(other, fill(&mut second, &mut right))? != read || left[..read] != right[..read] {
            return Ok(false);
        }
        if read < PIECE {
            return Ok(true);
        }
    }
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < buffer.len() {
        match file.read(&mut buffer[read..]) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}
