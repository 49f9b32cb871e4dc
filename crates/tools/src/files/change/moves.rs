//! Moving, copying and removing entries: files, links and whole trees.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, Metadata};
use deskhand_core::{
    Fingerprint, ToolError, ToolResult, UndoStep,
    undo::{Meta, PathState},
};
use deskhand_guard::Place;

use super::{
    Changes, Look, entry_of,
    files::Over,
    keeping, open_kept_folder, os, state, still_is,
    tree::{self, Amount, Copier, Likeness},
};

/// What may be in something that goes into the journal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Any,
    MustBeEmpty,
}

impl Changes<'_> {
    /// Removes what is there, whatever it is: into the journal, or for good where the plan said so.
    pub fn remove_entry(&mut self, place: &Place) -> ToolResult<()> {
        let (parent, name) = entry_of(place)?;
        let meta = place.metadata()?;
        self.as_planned(place)?;
        let amount = tree::measure(place, &meta, self.cx)?;
        if !self.keeps() {
            tree::remove(&parent, name, place.path(), Some(self.cx))?;
            self.happened(place);
            return os::sync_folder(&parent).map_err(|error| place.io("bring to disk", &error));
        }
        self.kept_folder(amount.bytes)?;
        if self.move_into_journal(place, &parent, name, &meta, Content::Any)? {
            return Ok(());
        }
        self.copy_into_journal(place, &parent, name, &meta)
    }

    /// `false` if the journal is on another file system, or nothing is to be kept.
    pub(super) fn move_into_journal(
        &mut self,
        place: &Place,
        parent: &Dir,
        name: &OsStr,
        meta: &Metadata,
        content: Content,
    ) -> ToolResult<bool> {
        let Some(folder) = self.kept_folder(0)? else { return Ok(false) };
        let journal = open_kept_folder(&folder).map_err(|error| keeping(place, &error))?;
        if !journal.dir_metadata().is_ok_and(|kept| os::device_of(&kept) == os::device_of(meta)) {
            return Ok(false);
        }
        let kept = self.kept_name("gone");
        self.record(&UndoStep::Move {
            from: place.path().to_path_buf(),
            to: folder.join(&kept),
            identity: identity(meta),
        })?;
        match os::move_new(parent, name, &journal, OsStr::new(&kept)) {
            Ok(()) => {}
            Err(error) if os::crosses_devices(&error) => return Ok(false),
            Err(error) => return Err(place.io("remove", &error)),
        }
        let moved = journal.symlink_metadata(&kept);
        let is_it = moved.is_ok_and(|moved| os::identity_of(&moved) == os::identity_of(meta));
        let is_empty = || journal.read_dir(&kept).is_ok_and(|mut entries| entries.next().is_none());
        if !is_it || (content == Content::MustBeEmpty && !is_empty()) {
            // Someone put something there in the last moment: it goes back.
            let _ = os::move_new(&journal, OsStr::new(&kept), parent, name);
            return Err(ToolError::plan_changed(format!("{} was changed meanwhile.", place.shown())));
        }
        self.happened(place);
        let synced = os::sync_folder(parent).and_then(|()| os::sync_folder(&journal));
        synced.map_err(|error| place.io("bring to disk", &error)).map(|()| true)
    }

    fn copy_into_journal(
        &mut self,
        place: &Place,
        parent: &Dir,
        name: &OsStr,
        meta: &Metadata,
    ) -> ToolResult<()> {
        let Some(folder) = self.kept_folder(0)? else { return Ok(()) };
        let journal = &open_kept_folder(&folder).map_err(|error| keeping(place, &error))?;
        let was = place.fingerprint();
        let kept = self.kept_name("copy");
        let mut copier = Copier::new(self.cx, Likeness::Exact, None, place.path().to_path_buf());
        let copied = copier.copy_entry(parent, name, meta, journal, OsStr::new(&kept), Path::new(""));
        let before = copied.and_then(|()| self.verified(place, parent, name, journal, &kept));
        let before = before.inspect_err(|_| {
            let _ = tree::remove(journal, OsStr::new(&kept), Path::new(&kept), None);
        })?;
        still_is(place, &was)?;
        self.record_change(place, before, PathState::Absent)?;
        if !meta.is_dir() {
            parent.remove_file(name).map_err(|error| place.io("remove", &error))?;
            self.happened(place);
            return os::sync_folder(parent).map_err(|error| place.io("bring to disk", &error));
        }
        // A tree goes out of sight at once, and only then piece by piece.
        let passing = self.passing_name();
        parent.rename(name, parent, &passing).map_err(|error| place.io("remove", &error))?;
        self.happened(place);
        tree::remove(parent, &passing, place.path(), None)?;
        os::sync_folder(parent).map_err(|error| place.io("bring to disk", &error))
    }

    /// The state of what was copied into the journal, if the copy is like it.
    fn verified(
        &self,
        place: &Place,
        parent: &Dir,
        name: &OsStr,
        journal: &Dir,
        kept: &str,
    ) -> ToolResult<PathState> {
        let state = state::of_entry(parent, name).map_err(|error| keeping(place, &error))?;
        let changed = || ToolError::plan_changed(format!("{} was changed meanwhile.", place.shown()));
        let failed = |error: io::Error| keeping(place, &error);
        Ok(match state {
            PathState::Folder { meta, .. } => {
                let original = parent.open_dir_nofollow(name).map_err(failed)?;
                let copy = journal.open_dir_nofollow(kept).map_err(failed)?;
                let at = place.path();
                if tree::list(&original, at, self.cx)? != tree::list(&copy, at, self.cx)? {
                    return Err(changed());
                }
                PathState::Folder { meta, kept: Some(kept.to_owned()) }
            }
            PathState::File { size, sha256, meta, .. } => {
                let mut copy = os::open_to_read(journal, OsStr::new(kept)).map_err(failed)?;
                if state::hash(&mut copy, size).map_err(failed)? != sha256 {
                    return Err(changed());
                }
                PathState::File { size, sha256, meta, kept: Some(kept.to_owned()) }
            }
            other => other,
        })
    }

    /// Moves an entry to where nothing is. To another file system it is copied, then removed.
    pub fn move_entry(&mut self, from: &Place, to: &Place) -> ToolResult<()> {
        self.make_folders_for(to)?;
        let (parent, name) = entry_of(from)?;
        let (target, new_name) = entry_of(to)?;
        let meta = from.metadata()?;
        self.as_planned(from)?;
        let is_near = target.dir_metadata().is_ok_and(|dir| os::device_of(&dir) == os::device_of(&meta));
        if is_near {
            self.record_witness(from, &parent, name, &meta)?;
            self.record(&UndoStep::Move {
                from: from.path().to_path_buf(),
                to: to.path().to_path_buf(),
                identity: identity(&meta),
            })?;
            let renamed = if is_same(&target, new_name, name, &meta) {
                // Only the case of the name changes, where names that differ in case are the same.
                parent.rename(name, &target, new_name)
            } else {
                os::rename_new(&parent, name, &target, new_name)
            };
            match renamed {
                Ok(()) => {
                    self.happened(from);
                    self.happened(to);
                    let synced = os::sync_folder(&target).and_then(|()| os::sync_folder(&parent));
                    return synced.map_err(|error| to.io("bring to disk", &error));
                }
                Err(error) if os::crosses_devices(&error) => {}
                Err(error) => return Err(from.io("move", &error)),
            }
        }
        self.copy_entry_as(from, to, Likeness::Exact, None)?;
        self.remove_entry(from).map_err(|error| half_moved(error, to))
    }

    /// Writes down what it is that moves, as a change that changes nothing. It is needed because what is taken
    /// back may come back as a copy, and not as the same file. (A folder comes back as itself, unless the journal
    /// is on another file system.)
    fn record_witness(
        &mut self,
        place: &Place,
        parent: &Dir,
        name: &OsStr,
        meta: &Metadata,
    ) -> ToolResult<()> {
        let Some(folder) = self.kept_folder(0)? else { return Ok(()) };
        let journal = open_kept_folder(&folder).and_then(|journal| journal.dir_metadata());
        if meta.is_dir() && journal.is_ok_and(|journal| os::device_of(&journal) == os::device_of(meta)) {
            return Ok(());
        }
        let state = if meta.is_dir() {
            self.listed(place, &place.folder()?, os::meta_of(meta))?
        } else {
            match state::of_entry(parent, name) {
                Ok(state) => state,
                // A pipe, a socket or a device has no content that could be the same.
                Err(_) => return Ok(()),
            }
        };
        self.record_change(place, state.clone(), state)
    }

    /// Moves a file or a link over another one, which it replaces at once.
    pub fn move_over(&mut self, from: &Place, to: &Place) -> ToolResult<()> {
        let (parent, name) = entry_of(from)?;
        let (target, new_name) = entry_of(to)?;
        let meta = from.metadata()?;
        self.as_planned(from)?;
        let is_near = target.dir_metadata().is_ok_and(|dir| os::device_of(&dir) == os::device_of(&meta));
        if !is_near {
            self.copy_over_as(from, to, Likeness::Exact, None)?;
            return self.remove_entry(from).map_err(|error| half_moved(error, to));
        }
        let old = self.keep_over(to, Over::FileOrLink)?;
        let mut finish = || {
            still_is(to, &old.was)?;
            self.record_change(to, old.state.clone(), PathState::Absent)?;
            self.record_witness(from, &parent, name, &meta)?;
            self.record(&UndoStep::Move {
                from: from.path().to_path_buf(),
                to: to.path().to_path_buf(),
                identity: identity(&meta),
            })?;
            parent.rename(name, &target, new_name).map_err(|error| from.io("move", &error))
        };
        finish().inspect_err(|_| self.forget(&old))?;
        self.happened(from);
        self.happened(to);
        let synced = os::sync_folder(&target).and_then(|()| os::sync_folder(&parent));
        synced.map_err(|error| to.io("bring to disk", &error))
    }

    /// Copies a file or a link over another one, which stays until the copy is there.
    pub fn copy_over(&mut self, from: &Place, to: &Place, total: Option<u64>) -> ToolResult<Amount> {
        self.copy_over_as(from, to, Likeness::Copy, total)
    }

    fn copy_over_as(
        &mut self,
        from: &Place,
        to: &Place,
        likeness: Likeness,
        total: Option<u64>,
    ) -> ToolResult<Amount> {
        let meta = from.metadata()?;
        if meta.is_symlink() {
            self.copy_link(from, to, &meta)
        } else {
            self.copy_file(from, to, likeness, total)
        }
    }

    fn copy_link(&mut self, from: &Place, to: &Place, meta: &Metadata) -> ToolResult<Amount> {
        let (parent, name) = entry_of(from)?;
        let target = parent.read_link_contents(name).map_err(|error| from.io("read the link", &error))?;
        self.put_link(to, &target, &os::meta_of(meta))?;
        Ok(Amount { links: 1, ..Amount::default() })
    }

    /// Copies an entry, with everything below it, to where nothing is. It appears there at once, or not at all.
    pub fn copy_entry(&mut self, from: &Place, to: &Place, total: Option<u64>) -> ToolResult<Amount> {
        self.copy_entry_as(from, to, Likeness::Copy, total)
    }

    fn copy_entry_as(
        &mut self,
        from: &Place,
        to: &Place,
        likeness: Likeness,
        total: Option<u64>,
    ) -> ToolResult<Amount> {
        self.cx.check()?;
        let meta = from.metadata()?;
        if meta.is_symlink() {
            return self.copy_link(from, to, &meta);
        }
        if meta.is_file() {
            return self.copy_file(from, to, likeness, total);
        }
        if !meta.is_dir() {
            let message = format!("{} is a pipe, a socket or a device, which is not copied.", from.shown());
            return Err(ToolError::new("not_a_file", message));
        }
        let stage = self.stage(to)?;
        let mut copier = Copier::new(self.cx, likeness, total, from.path().to_path_buf());
        copier.copy_into(&from.folder()?, stage.folder(), Path::new(""))?;
        let mut amount = copier.done;
        amount.folders += 1;
        self.put_in_place(stage, &likeness.meta(&meta))?;
        Ok(amount)
    }

    /// Copies the content of a file into a new one, or in place of an old one, or of a link.
    fn copy_file(
        &mut self,
        from: &Place,
        to: &Place,
        likeness: Likeness,
        total: Option<u64>,
    ) -> ToolResult<Amount> {
        let mut source = from.open()?;
        let meta = from.metadata()?;
        let look = Look::Given(likeness.meta(&meta));
        let cx = self.cx;
        let shown = from.path().to_path_buf();
        let bytes = self.replace(to, Over::FileOrLink, look, |file| {
            Copier::new(cx, likeness, total, PathBuf::new()).copy_content(&mut source, file, &shown)
        })?;
        Ok(Amount { files: 1, bytes, ..Amount::default() })
    }

    /// Puts back what an earlier call moved into the journal.
    pub fn restore_moved(&mut self, kept: &Path, place: &Place) -> ToolResult<()> {
        self.make_folders_for(place)?;
        let (parent, name) = entry_of(place)?;
        let failed = |error: io::Error| place.io("put back", &error);
        let (Some(folder), Some(kept_name)) = (kept.parent(), kept.file_name()) else {
            return Err(failed(io::ErrorKind::NotFound.into()));
        };
        let journal = open_kept_folder(folder).map_err(failed)?;
        let after = match journal.symlink_metadata(kept_name).map_err(failed)? {
            meta if meta.is_dir() => {
                let tree = journal.open_dir_nofollow(kept_name).map_err(failed)?;
                self.listed(place, &tree, os::meta_of(&meta))?
            }
            _ => state::of_entry(&journal, kept_name).map_err(failed)?,
        };
        self.record_change(place, PathState::Absent, after)?;
        os::move_new(&journal, kept_name, &parent, name).map_err(failed)?;
        self.happened(place);
        os::sync_folder(&parent).map_err(|error| place.io("bring to disk", &error))
    }

    /// Puts back a tree that an earlier call copied into the journal.
    pub fn restore_copied(&mut self, kept: &Path, place: &Place, meta: &Meta) -> ToolResult<()> {
        let kept = open_kept_folder(kept).map_err(|error| place.io("put back", &error))?;
        let stage = self.stage(place)?;
        let mut copier = Copier::new(self.cx, Likeness::Exact, None, place.path().to_path_buf());
        copier.copy_into(&kept, stage.folder(), Path::new(""))?;
        self.put_in_place(stage, meta)
    }
}

/// A move to another file system that came only to a copy.
fn half_moved(error: ToolError, to: &Place) -> ToolError {
    let cause = error.message.trim_end_matches(" Nothing was changed.");
    let message = format!("{cause} It was copied to {}, and is still where it was, too.", to.shown());
    ToolError { message, ..error }.hint("Undo takes the copy back.")
}

/// Which file it is.
pub(in crate::files) fn identity(meta: &Metadata) -> Fingerprint {
    let (device, inode) = os::identity_of(meta);
    Fingerprint::Identity { device, inode }
}

/// Whether the same file is found under a name that differs in case alone.
fn is_same(parent: &Dir, name: &OsStr, other: &OsStr, meta: &Metadata) -> bool {
    let fold = |name: &OsStr| name.to_string_lossy().to_lowercase();
    let found = || parent.symlink_metadata(name).is_ok_and(|m| os::identity_of(&m) == os::identity_of(meta));
    fold(name) == fold(other) && found()
}
