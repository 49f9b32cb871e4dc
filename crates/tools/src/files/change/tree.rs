//! Whole trees: listing them, copying them, removing them, through handles and without following links.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    time::SystemTime,
};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, Metadata};
use deskhand_core::{Cx, ToolError, ToolResult, undo::Meta};
use deskhand_guard::{Place, paths::show_name};
use serde::{Deserialize, Serialize};

use super::{os, state};

/// How much is copied between two looks at whether to stop.
const PIECE: u64 = 16 * 1024 * 1024;

/// How deep a tree may be. Each level takes stack, and a handle or two, until all below it is done.
const MOST_LEVELS: usize = 256;

/// After how many entries a copy tells how far it is.
const TELLS_EVERY: u64 = 500;

/// What tells whether something in a tree was changed: not its content, but what changes along with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    kind: char,
    size: u64,
    mode: Option<u32>,
    modified: Option<SystemTime>,
    target: Option<String>,
}

/// By path from the top of the tree.
pub type Listing = BTreeMap<String, Listed>;

/// What a walk does with each entry: its path, the folder it is in, its name there, and what it is.
type See<'a> = dyn FnMut(&Path, &Dir, &OsStr, &Metadata) -> ToolResult<()> + 'a;

/// Visits everything below a folder, a folder before what is in it. `at` is where the folder is.
pub fn walk(folder: &Dir, at: &Path, cx: &Cx, see: &mut See<'_>) -> ToolResult<()> {
    walk_at(1, folder, at, cx, see)
}

fn walk_at(level: usize, folder: &Dir, at: &Path, cx: &Cx, see: &mut See<'_>) -> ToolResult<()> {
    for name in names_in(folder).map_err(|error| ToolError::io("read the folder", at, &error))? {
        cx.check()?;
        let path = at.join(&name);
        let failed = |error: io::Error| ToolError::io("look at", &path, &error);
        let meta = folder.symlink_metadata(&name).map_err(failed)?;
        see(&path, folder, &name, &meta)?;
        if meta.is_dir() {
            may_go_below(level, &path)?;
            walk_at(level + 1, &folder.open_dir_nofollow(&name).map_err(failed)?, &path, cx, see)?;
        }
    }
    Ok(())
}

/// An error if a folder at this level, counted from the top of the tree, is too deep to be gone into.
fn may_go_below(level: usize, path: &Path) -> ToolResult<()> {
    if level < MOST_LEVELS {
        return Ok(());
    }
    // All of such a path is too long to be of use.
    let shown: String = show_name(path.as_os_str()).chars().take(200).collect();
    let message = format!("The tree is more than {MOST_LEVELS} levels deep, below {shown}…");
    Err(ToolError::new("too_deep", message)
        .hint("Name folders further down in it, one after the other, the deepest first."))
}

fn names_in(folder: &Dir) -> io::Result<Vec<OsString>> {
    folder.entries()?.map(|entry| Ok(entry?.file_name())).collect()
}

/// The listing of everything below a folder. `at` is where the folder is.
pub fn list(folder: &Dir, at: &Path, cx: &Cx) -> ToolResult<Listing> {
    let mut listing = Listing::new();
    walk(folder, at, cx, &mut |path, parent, name, meta| {
        let path = path.strip_prefix(at).unwrap_or(path);
        listing.insert(show_name(path.as_os_str()), listed(parent, name, meta));
        Ok(())
    })?;
    Ok(listing)
}

pub(super) fn listed(parent: &Dir, name: &OsStr, meta: &Metadata) -> Listed {
    let known = os::meta_of(meta);
    let target = meta.is_symlink().then(|| parent.read_link_contents(name).unwrap_or_default());
    Listed {
        kind: match () {
            () if meta.is_symlink() => 'l',
            () if meta.is_dir() => 'd',
            () if meta.is_file() => 'f',
            () => 's',
        },
        size: if meta.is_file() { meta.len() } else { 0 },
        mode: known.mode.filter(|_| !meta.is_symlink()),
        // That of a folder changes with what is made in it, and that of a link cannot be set everywhere.
        modified: known.modified.filter(|_| meta.is_file()),
        target: target.map(|target| show_name(target.as_os_str())),
    }
}

/// How the tree differs from a kept listing, in words.
pub fn differs_from_listing(place: &Place, listing: &Path, cx: &Cx) -> ToolResult<Option<String>> {
    let gone = |error: &dyn std::fmt::Display| {
        ToolError::new("journal_damaged", format!("Cannot read {}: {error}.", listing.display()))
    };
    let was: Listing = if listing.is_dir() {
        // Not a listing but the tree itself.
        let kept = Dir::open_ambient_dir(listing, cap_std::ambient_authority()).map_err(|e| gone(&e))?;
        list(&kept, place.path(), cx)?
    } else {
        serde_json::from_slice(&state::read_all(listing).map_err(|e| gone(&e))?).map_err(|e| gone(&e))?
    };
    let now = list(&place.folder()?, place.path(), cx)?;
    for (path, was) in &was {
        match now.get(path) {
            None => return Ok(Some(format!("{path} in it is gone"))),
            Some(now) if now != was => return Ok(Some(format!("{path} in it was changed"))),
            Some(_) => {}
        }
    }
    Ok(now.keys().find(|path| !was.contains_key(*path)).map(|path| format!("{path} in it is new")))
}

/// How much a tree holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    pub files: u64,
    pub folders: u64,
    pub links: u64,
    pub bytes: u64,
}

impl Amount {
    pub fn add(&mut self, meta: &Metadata) {
        if meta.is_dir() {
            self.folders += 1;
        } else if meta.is_symlink() {
            self.links += 1;
        } else {
            self.files += 1;
            self.bytes += meta.len();
        }
    }
}

/// How much is at a place, and below it.
pub fn measure(place: &Place, meta: &Metadata, cx: &Cx) -> ToolResult<Amount> {
    let mut amount = Amount::default();
    amount.add(meta);
    if meta.is_dir() {
        walk(&place.folder()?, place.path(), cx, &mut |_, _, _, meta| {
            amount.add(meta);
            Ok(())
        })?;
    }
    Ok(amount)
}

/// How exactly a copy is like what was copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// Mode and times; the right to run as somebody else does not go along.
    Copy,
    /// Everything that can be kept: for the undo journal.
    Exact,
}

impl Likeness {
    pub(super) fn meta(self, meta: &Metadata) -> Meta {
        let known = os::meta_of(meta);
        match self {
            Self::Exact => known,
            Self::Copy => Meta { mode: os::copied_mode(meta), ..known },
        }
    }
}

/// Copies trees, and tells how far it is.
pub struct Copier<'a> {
    pub cx: &'a Cx,
    pub likeness: Likeness,
    pub done: Amount,
    /// All that is to be copied, where it is known.
    pub total: Option<u64>,
    /// Where `at` is, for messages.
    pub shown: PathBuf,
}

impl<'a> Copier<'a> {
    pub fn new(cx: &'a Cx, likeness: Likeness, total: Option<u64>, shown: PathBuf) -> Self {
        Self { cx, likeness, done: Amount::default(), total, shown }
    }

    /// Copies everything in `from` into `to`, a new folder of ours. `at` is where they are in the tree.
    pub fn copy_into(&mut self, from: &Dir, to: &Dir, at: &Path) -> ToolResult<()> {
        let shown = self.shown.join(at);
        for name in names_in(from).map_err(|error| ToolError::io("read the folder", &shown, &error))? {
            self.cx.check()?;
            let path = at.join(&name);
            let meta = from
                .symlink_metadata(&name)
                .map_err(|error| ToolError::io("look at", &self.shown.join(&path), &error))?;
            self.copy_entry(from, &name, &meta, to, &name, &path)?;
        }
        Ok(())
    }

    /// Copies one entry, with everything below it, to a name that is not there yet.
    pub fn copy_entry(
        &mut self,
        from: &Dir,
        name: &OsStr,
        meta: &Metadata,
        to: &Dir,
        new_name: &OsStr,
        at: &Path,
    ) -> ToolResult<()> {
        if meta.is_dir() {
            self.copy_folder(from, name, meta, to, new_name, at)?;
        } else {
            self.copy_single(from, name, meta, to, new_name, at)?;
        }
        self.done.add(meta);
        let count = self.done.files + self.done.folders + self.done.links;
        if count.is_multiple_of(TELLS_EVERY) {
            self.cx.progress(&format!("Copied {count} entries"), Some(self.done.bytes), self.total);
        }
        Ok(())
    }

    fn copy_folder(
        &mut self,
        from: &Dir,
        name: &OsStr,
        meta: &Metadata,
        to: &Dir,
        new_name: &OsStr,
        at: &Path,
    ) -> ToolResult<()> {
        let (source, target) = self.open_both(from, name, to, new_name, at)?;
        self.copy_into(&source, &target, at)?;
        let kept = self.likeness.meta(meta);
        let set_mode = || kept.mode.map_or(Ok(()), |mode| os::set_folder_mode(to, new_name, mode));
        set_mode()
            .and_then(|()| os::set_times(to, new_name, &kept))
            .map_err(|error| ToolError::io("copy", &self.shown.join(at), &error))
    }

    /// A folder, and the new one that becomes a copy of it.
    fn open_both(
        &self,
        from: &Dir,
        name: &OsStr,
        to: &Dir,
        new_name: &OsStr,
        at: &Path,
    ) -> ToolResult<(Dir, Dir)> {
        let shown = self.shown.join(at);
        may_go_below(at.components().count(), &shown)?;
        let open = || {
            to.create_dir(new_name)?;
            Ok((from.open_dir_nofollow(name)?, to.open_dir_nofollow(new_name)?))
        };
        open().map_err(|error| ToolError::io("copy", &shown, &error))
    }

    /// Copies what is no folder.
    fn copy_single(
        &mut self,
        from: &Dir,
        name: &OsStr,
        meta: &Metadata,
        to: &Dir,
        new_name: &OsStr,
        at: &Path,
    ) -> ToolResult<()> {
        let shown = self.shown.join(at);
        let failed = |error: io::Error| ToolError::io("copy", &shown, &error);
        let kept = self.likeness.meta(meta);
        if meta.is_symlink() {
            let target = from.read_link_contents(name).map_err(failed)?;
            os::make_link(to, new_name, &target).map_err(failed)?;
            // A link's own times cannot be set everywhere.
            let _ = os::set_times(to, new_name, &kept);
        } else if meta.is_file() {
            let mut source = os::open_to_read(from, name).map_err(failed)?;
            let mut target = os::create_private(to, new_name).map_err(failed)?;
            self.copy_content(&mut source, &mut target, &shown)?;
            if self.likeness == Likeness::Exact {
                os::keep_attributes(&target, &source);
            }
            if let Some(mode) = kept.mode {
                os::set_mode(&target, mode).map_err(failed)?;
            }
            os::set_times(to, new_name, &kept).map_err(failed)?;
        } else if os::is_pipe(meta) && self.likeness == Likeness::Exact {
            os::make_pipe(to, new_name, kept.mode.unwrap_or(0o600)).map_err(failed)?;
        } else {
            let message =
                format!("{} is a pipe, a socket or a device, which is not copied.", shown.display());
            return Err(ToolError::new("not_a_file", message));
        }
        Ok(())
    }

    /// Copies the content of a file, sharing its blocks where that can be done.
    pub fn copy_content(&mut self, from: &mut File, to: &mut File, shown: &Path) -> ToolResult<()> {
        if os::share_blocks(from, to) {
            return Ok(());
        }
        let mut copied = 0;
        loop {
            let piece =
                io::copy(&mut from.take(PIECE), to).map_err(|error| ToolError::io("copy", shown, &error))?;
            copied += piece;
            if piece < PIECE {
                return Ok(());
            }
            self.cx.check()?;
            let text = format!("Copying {}", shown.display());
            self.cx.progress(&text, Some(self.done.bytes + copied), self.total);
        }
    }
}

/// Removes an entry with everything below it. What is removed stays so if this stops in the middle: whoever
/// removes what may be too deep measures it first.
pub fn remove(parent: &Dir, name: &OsStr, shown: &Path, cx: Option<&Cx>) -> ToolResult<()> {
    remove_at(0, parent, name, shown, cx)
}

fn remove_at(level: usize, parent: &Dir, name: &OsStr, shown: &Path, cx: Option<&Cx>) -> ToolResult<()> {
    let failed = |error: io::Error| ToolError::io("remove", shown, &error);
    let meta = parent.symlink_metadata(name).map_err(failed)?;
    if !meta.is_dir() {
        return parent.remove_file(name).map_err(failed);
    }
    may_go_below(level, shown)?;
    let folder = parent.open_dir_nofollow(name).map_err(failed)?;
    for inner in names_in(&folder).map_err(failed)? {
        if let Some(cx) = cx {
            cx.check()?;
        }
        remove_at(level + 1, &folder, &inner, &shown.join(&inner), cx)?;
    }
    parent.remove_dir(name).map_err(failed)
}
