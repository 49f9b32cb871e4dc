//! Writing files: a new one beside the old one, on disk, then renamed over it.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Write},
    path::Path,
};

use cap_std::fs::{Dir, Metadata};
use deskhand_core::{
    Fingerprint, ToolError, ToolResult,
    undo::{Meta, PathState},
};
use deskhand_guard::Place;

use super::{
    Changes, changed_meanwhile, create_kept, entry_of, keeping, leftovers, open_kept_folder, os, state,
    still_is,
};

/// What a written file looks like beside its content.
#[derive(Clone, Debug)]
pub enum Look {
    /// Mode, owner and attributes of the file that was there; those of any new file where there was none.
    Kept,
    /// Exactly this.
    Given(Meta),
}

impl Changes<'_> {
    /// Writes a file, new or in place of an old one, with this content. Returns its size.
    pub fn write_file(&mut self, place: &Place, content: &[u8]) -> ToolResult<u64> {
        self.replace_file(place, Look::Kept, |file| {
            file.write_all(content).map_err(|error| place.io("write", &error))
        })
    }

    /// Writes a file, new or in place of an old one, with what `write` puts into it. Missing folders are
    /// made. Until all is on disk, the old file stays as it is. Returns the new size.
    pub fn replace_file(
        &mut self,
        place: &Place,
        look: Look,
        write: impl FnOnce(&mut File) -> ToolResult<()>,
    ) -> ToolResult<u64> {
        self.replace(place, Over::File, look, write)
    }

    /// As [`Self::replace_file`], over what `over` says.
    pub(super) fn replace(
        &mut self,
        place: &Place,
        over: Over,
        look: Look,
        write: impl FnOnce(&mut File) -> ToolResult<()>,
    ) -> ToolResult<u64> {
        let given = match look {
            Look::Kept => None,
            Look::Given(meta) => Some(meta),
        };
        self.make_folders_for(place)?;
        let (parent, name) = entry_of(place)?;
        self.clear_leftovers(place, &parent);
        let old = self.keep_over(place, over)?;
        let passing = self.passing_name();
        let finish = || {
            let beside = write_beside(place, &parent, &passing, given.as_ref(), &old, write)?;
            self.notes.extend(beside.note.clone());
            still_is(place, &old.was)?;
            self.record_change(place, old.state.clone(), beside.state.clone())?;
            old.make_way_for(&parent, &passing, name).map_err(|error| place.io("write", &error))?;
            Ok(beside.size)
        };
        let finished = finish();
        self.settle(place, &parent, &passing, &old, finished)
    }

    /// Makes a link, new or in place of a file or another link, which stays until the new one is there.
    pub fn put_link(&mut self, place: &Place, target: &Path, meta: &Meta) -> ToolResult<()> {
        self.make_folders_for(place)?;
        let (parent, name) = entry_of(place)?;
        let old = self.keep_over(place, Over::FileOrLink)?;
        let passing = self.passing_name();
        let failed = |error: io::Error| place.io("make the link", &error);
        let finish = || {
            os::make_link(&parent, &passing, target).map_err(failed)?;
            // A link's own times cannot be set everywhere.
            let _ = os::set_times(&parent, &passing, meta);
            still_is(place, &old.was)?;
            let after = PathState::Link { target: target.to_path_buf(), meta: meta.clone() };
            self.record_change(place, old.state.clone(), after)?;
            old.make_way_for(&parent, &passing, name).map_err(failed)
        };
        let finished = finish();
        self.settle(place, &parent, &passing, &old, finished)
    }

    /// Makes a named pipe where nothing is.
    pub fn put_pipe(&mut self, place: &Place, meta: &Meta) -> ToolResult<()> {
        self.make_folders_for(place)?;
        let (parent, name) = entry_of(place)?;
        self.as_planned(place)?;
        self.record_change(place, PathState::Absent, PathState::Pipe { meta: meta.clone() })?;
        os::make_pipe(&parent, name, meta.mode.unwrap_or(0o600))
            .map_err(|error| place.io("make the pipe", &error))?;
        self.happened(place);
        os::sync_folder(&parent).map_err(|error| place.io("bring to disk", &error))
    }

    /// After a rename over the old entry, or what should have been one.
    fn settle<T>(
        &mut self,
        place: &Place,
        parent: &Dir,
        passing: &OsStr,
        old: &Old,
        finished: ToolResult<T>,
    ) -> ToolResult<T> {
        match finished {
            Ok(value) => {
                self.happened(place);
                os::sync_folder(parent).map_err(|error| place.io("bring to disk", &error))?;
                Ok(value)
            }
            Err(error) => {
                let _ = parent.remove_file(passing);
                self.forget(old);
                Err(error)
            }
        }
    }

    /// Puts back a file that an earlier call kept: the very file where that can be, else a copy of it.
    pub fn put_back_file(&mut self, kept: &Path, place: &Place, meta: &Meta) -> ToolResult<()> {
        let failed = |error: io::Error| place.io("put back", &error);
        let (Some(folder), Some(kept_name)) = (kept.parent(), kept.file_name()) else {
            return Err(failed(io::ErrorKind::NotFound.into()));
        };
        self.make_folders_for(place)?;
        let (parent, name) = entry_of(place)?;
        let journal = open_kept_folder(folder).map_err(failed)?;
        let mut source = os::open_to_read(&journal, kept_name).map_err(failed)?;
        let found = journal.symlink_metadata(kept_name).map_err(failed)?;
        let here = parent.dir_metadata().map_err(failed)?;
        let is_itself = Path::new(kept_name).extension() == Some(OsStr::new(LINKED))
            && os::meta_of(&found).modified == meta.modified
            && os::mode_of(&found) == meta.mode;
        if !is_itself || os::device_of(&found) != os::device_of(&here) {
            let copy = |file: &mut File| io::copy(&mut source, file).map(|_| ()).map_err(failed);
            return self.replace(place, Over::FileOrLink, Look::Given(meta.clone()), copy).map(|_| ());
        }
        let old = self.keep_over(place, Over::FileOrLink)?;
        let mut put = || {
            let after = state::of_file(&mut source, meta.clone()).map_err(failed)?;
            still_is(place, &old.was)?;
            self.record_change(place, old.state.clone(), after)?;
            journal.rename(kept_name, &parent, name).map_err(failed)
        };
        put().inspect_err(|_| self.forget(&old))?;
        self.happened(place);
        os::sync_folder(&parent).map_err(|error| place.io("bring to disk", &error))
    }

    /// Keeps what is at a place that something will be put to.
    pub(super) fn keep_over(&mut self, place: &Place, over: Over) -> ToolResult<Old> {
        let is_link = place.metadata().is_ok_and(|meta| meta.is_symlink());
        if over == Over::File || !is_link {
            return self.keep_old(place);
        }
        let was = self.as_planned(place)?;
        let (parent, name) = entry_of(place)?;
        let state = state::of_entry(&parent, name).map_err(|error| keeping(place, &error))?;
        Ok(Old { was, meta: None, file: None, state })
    }

    /// Keeps what is at a place that a file will be written to.
    fn keep_old(&mut self, place: &Place) -> ToolResult<Old> {
        let was = self.as_planned(place)?;
        let Some(meta) = old_file(place)? else {
            return Ok(Old { was, meta: None, file: None, state: PathState::Absent });
        };
        let (state, file) = self.keep_file(place, &meta)?;
        // Giving it another name, in the journal, changed the time of its last change.
        let now = place.metadata()?;
        let same = |meta: &Metadata| (os::identity_of(meta), meta.len(), os::meta_of(meta).modified);
        if same(&now) != same(&meta) {
            return Err(changed_meanwhile(place));
        }
        Ok(Old { was: place.fingerprint(), meta: Some(meta), file, state })
    }

    /// Keeps a file in the journal: a copy; or, where that would be a large one and it can be, the file itself
    /// under another name. (Whoever has that open can still write to it; its time tells.) Returns its state,
    /// and the file.
    fn keep_file(&mut self, place: &Place, meta: &Metadata) -> ToolResult<(PathState, Option<File>)> {
        let size = meta.len();
        let Some(folder) = self.kept_folder(size)? else {
            return Ok((PathState::Absent, place.open().ok()));
        };
        let failed = |error: io::Error| keeping(place, &error);
        let mut file = place.open()?;
        let known = os::meta_of(meta);
        if size > state::MOST_HASHED {
            let kept = self.kept_name(LINKED);
            let journal = open_kept_folder(&folder).map_err(failed)?;
            if is_linked(place, meta, &journal, OsStr::new(&kept)) {
                let state = PathState::File { size, sha256: String::new(), meta: known, kept: Some(kept) };
                return Ok((state, Some(file)));
            }
        }
        let kept = self.kept_name("file");
        let mut copy = || {
            let mut to = create_kept(&folder, &kept)?;
            let copied = if os::share_blocks(&file, &to) {
                let copied = to.metadata()?.len();
                (copied, state::hash(&mut to, copied)?)
            } else {
                state::copy_hashed(&mut file, &mut to, size)?
            };
            known.modified.map_or(Ok(()), |modified| to.set_modified(modified))?;
            Ok(copied)
        };
        let abandon = || {
            let _ = std::fs::remove_file(folder.join(&kept));
        };
        let (copied, sha256) = copy().inspect_err(|_| abandon()).map_err(failed)?;
        if copied != size {
            abandon();
            return Err(ToolError::plan_changed(format!(
                "{} is being written by someone else.",
                place.shown()
            )));
        }
        Ok((PathState::File { size, sha256, meta: known, kept: Some(kept) }, Some(file)))
    }

    /// Keeps nothing after all: the file is still where it was.
    pub(super) fn forget(&self, old: &Old) {
        if let PathState::File { kept: Some(kept), .. } = &old.state
            && let Ok(Some(folder)) = self.kept_folder(0)
        {
            let _ = std::fs::remove_file(folder.join(kept));
        }
    }

    /// Sets mode and times of a file.
    pub fn set_meta(&mut self, place: &Place, meta: &Meta) -> ToolResult<()> {
        let (parent, name) = entry_of(place)?;
        let Some(old) = old_file(place)? else { return Ok(()) };
        self.record_meta(place, &old, meta.clone())?;
        if let Some(mode) = meta.mode.filter(|mode| os::mode_of(&old) != Some(*mode)) {
            let file = os::open_to_read(&parent, name).map_err(|error| place.io("open", &error))?;
            os::set_mode(&file, mode).map_err(|error| place.io("set the mode of", &error))?;
        }
        os::set_times(&parent, name, meta).map_err(|error| place.io("set the times of", &error))?;
        self.happened(place);
        Ok(())
    }

    /// Writes down that mode or times change, and nothing else. Once for a file is enough: what it was before
    /// the call comes last when the call is taken back.
    pub(super) fn record_meta(&mut self, place: &Place, old: &Metadata, new: Meta) -> ToolResult<()> {
        if !self.times_known.insert(os::identity_of(old)) {
            return Ok(());
        }
        let state = |meta| PathState::File { size: old.len(), sha256: String::new(), meta, kept: None };
        self.record_change(place, state(os::meta_of(old)), state(new))
    }
}

/// The ending of what is kept under a second name, rather than as a copy.
pub(super) const LINKED: &str = "linked";

/// What something may be put over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    /// A link is an error: it came there after the plan was made.
    File,
    /// A link is replaced itself.
    FileOrLink,
}

/// What something is put over.
pub(super) struct Old {
    pub was: Fingerprint,
    pub meta: Option<Metadata>,
    pub file: Option<File>,
    pub state: PathState,
}

impl Old {
    /// Gives the new entry the name of the old one, which goes away in the same step.
    fn make_way_for(&self, parent: &Dir, passing: &OsStr, name: &OsStr) -> io::Result<()> {
        match self.was {
            Fingerprint::Absent => os::rename_new(parent, passing, parent, name),
            _ => parent.rename(passing, parent, name),
        }
    }
}

/// Whether the file has got a name in the journal. Nobody else may have one for it: what is written through that
/// would change what is kept.
fn is_linked(place: &Place, meta: &Metadata, journal: &Dir, kept: &OsStr) -> bool {
    let is_near = journal.dir_metadata().is_ok_and(|dir| os::device_of(&dir) == os::device_of(meta));
    if !is_near || os::names_of(meta) != 1 {
        return false;
    }
    let (Ok(parent), Some(name)) = (place.parent(), place.name()) else { return false };
    if parent.hard_link(name, journal, kept).is_err() {
        return false;
    }
    let is_it =
        journal.symlink_metadata(kept).is_ok_and(|linked| os::identity_of(&linked) == os::identity_of(meta));
    if !is_it {
        let _ = journal.remove_file(kept);
    }
    is_it
}

/// The file that a new one will replace; `None` where there is nothing.
pub(super) fn old_file(place: &Place) -> ToolResult<Option<Metadata>> {
    let Ok(meta) = place.metadata() else { return Ok(None) };
    if meta.is_file() {
        return Ok(Some(meta));
    }
    Err(if meta.is_dir() {
        place.io("write", &io::ErrorKind::IsADirectory.into())
    } else if meta.is_symlink() {
        ToolError::plan_changed(format!("{} became a link meanwhile.", place.shown()))
    } else {
        ToolError::new("not_a_file", format!("{} is a pipe, a socket or a device.", place.shown()))
    })
}

struct Beside {
    /// Held until the file has its own name: nobody takes it for a leftover.
    _file: File,
    state: PathState,
    size: u64,
    note: Option<String>,
}

/// Writes the new file under its passing name, with everything it should have, and brings it to disk.
fn write_beside(
    place: &Place,
    parent: &Dir,
    passing: &OsStr,
    given: Option<&Meta>,
    old: &Old,
    write: impl FnOnce(&mut File) -> ToolResult<()>,
) -> ToolResult<Beside> {
    let failed = |error: io::Error| place.io("write", &error);
    let old = old.meta.as_ref().zip(old.file.as_ref());
    let is_usual = old.is_none() && given.is_none();
    let create = if is_usual { os::create_usual } else { os::create_private };
    let mut file = create(parent, passing).map_err(failed)?;
    leftovers::hold(&file);
    write(&mut file)?;
    let note = old.and_then(|(meta, _)| os::keep_owner(&file, meta));
    if let Some((_, old)) = old {
        os::keep_attributes(&file, old);
    }
    let mode = match given {
        None => old.and_then(|(meta, _)| os::mode_of(meta)),
        Some(meta) => meta.mode,
    };
    if let Some(mode) = mode {
        // Whoever changes the owner loses these bits, and so does whoever could not keep the owner.
        let lent = if note.is_some() { 0o1777 } else { 0o7777 };
        os::set_mode(&file, mode & lent).map_err(failed)?;
    }
    if let Some(meta) = given {
        os::set_times(parent, passing, meta).map_err(failed)?;
    }
    file.sync_all().map_err(failed)?;
    let meta = parent.symlink_metadata(Path::new(passing)).map_err(failed)?;
    let state = state::of_file(&mut file, os::meta_of(&meta)).map_err(failed)?;
    Ok(Beside { _file: file, state, size: meta.len(), note })
}
