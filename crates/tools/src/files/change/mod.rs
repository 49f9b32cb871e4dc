//! The one way in which a file tool changes the disk.
//!
//! Every change is written down in the undo journal, with what is needed to take it back, before it is made;
//! it is made whole or not at all; and it goes through handles of folders, following no link. `undo` reads
//! what is written here, so what the steps of the journal mean is settled here, too:
//!
//! | change | step |
//! |---|---|
//! | a file is written anew | `Change`, `before` with its kept content |
//! | a file grows at its end | `Change` from `Prefix { old size }`; `sha256` of `after` is that of the new bytes |
//! | a file is cut | `Change` to `Prefix { new size }`; what is kept of `before`, and its `sha256`, are the bytes cut off |
//! | mode or times | `Change` from and to the same `size` and `sha256`, with nothing kept |
//! | something is made | `Change` from `Absent` |
//! | something goes away | `Move` into the folder of the journal's entry; from another file system, where it must be copied, `Change` to `Absent` |
//! | something moves | `Move`; to another file system it is made there and goes away here. A `Change` of it that changes nothing stands before it where it may come back as a copy: by that it is known again |
//!
//! An `after` that is a folder with something in it names a *listing* of the tree as kept (see `tree`). A file
//! larger than [`state::MOST_HASHED`] has no `sha256`: its size and the time of its last change stand for it, and
//! what is kept of it may be the file itself under a second name.
//!
//! What a command changed on its layer is kept by [`keep`]: the same steps, written down all at once.

mod files;
mod folders;
mod grow;
#[cfg(unix)]
pub mod keep;
mod leftovers;
mod moves;
pub mod os;
mod shrinks;
pub mod state;
#[cfg(test)]
mod tests;
pub mod tree;

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::HashSet,
    ffi::{OsStr, OsString},
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use cap_std::{ambient_authority, fs::Dir};
use deskhand_core::{
    CallId, Cx, Fingerprint, Plan, Time, ToolError, ToolResult, UndoJournal, UndoStep, Undoable,
    undo::{PathState, UndoHeader},
};
use deskhand_guard::Place;

pub(in crate::files) use self::moves::identity;
pub use self::{files::Look, folders::Stage, shrinks::say_if_it_shrinks};

/// All that one call changes.
pub struct Changes<'a> {
    cx: &'a Cx,
    /// `None` where the plan said that this cannot be taken back.
    journal: Option<Journal>,
    /// Counts names.
    next: u32,
    /// The folders that this call made, in that order.
    made: Vec<Place>,
    /// What this call has changed: it need not be as the plan saw it any more.
    changed: HashSet<PathBuf>,
    /// The entries that this call has changed, maybe under another of their names.
    touched: RefCell<HashSet<(u64, u64)>>,
    /// The files whose times, as they were before this call, are written down.
    times_known: HashSet<(u64, u64)>,
    /// The folders in which what killed calls left behind was looked for.
    swept: HashSet<PathBuf>,
    notes: Vec<String>,
}

struct Journal {
    journal: Arc<dyn UndoJournal>,
    header: UndoHeader,
    /// Set as soon as something is kept or written down.
    folder: OnceCell<PathBuf>,
    /// Room that was made and has not been used yet.
    room: Cell<u64>,
}

impl Journal {
    /// The folder for kept contents, with room for `bytes` more.
    fn open(&self, bytes: u64) -> ToolResult<PathBuf> {
        let in_store = self.room.get().min(bytes);
        self.room.set(self.room.get() - in_store);
        match self.folder.get() {
            Some(folder) if bytes == in_store => Ok(folder.clone()),
            _ => {
                let folder = self.journal.open(&self.header, bytes - in_store)?;
                Ok(self.folder.get_or_init(|| folder).clone())
            }
        }
    }
}

impl<'a> Changes<'a> {
    /// Nothing is written before the first change. What the plan said of undoing holds.
    pub fn begin(cx: &'a Cx, summary: impl Into<String>) -> ToolResult<Self> {
        Self::begin_as(cx, &summary.into(), None)
    }

    /// As [`Self::begin`], for a call that takes another one back.
    pub fn begin_undo(cx: &'a Cx, summary: impl Into<String>, undoes: CallId) -> ToolResult<Self> {
        Self::begin_as(cx, &summary.into(), Some(undoes))
    }

    fn begin_as(cx: &'a Cx, summary: &str, undoes: Option<CallId>) -> ToolResult<Self> {
        let keeps = !cx.plan().is_some_and(|plan| matches!(plan.undo, Undoable::No(_)));
        let journal = if keeps {
            let header = UndoHeader {
                call: cx.call_id(),
                tool: cx.tool().to_owned(),
                // It is kept beside what the call returned, and read by others.
                summary: cx.mask(summary),
                session_id: cx.session_id().to_owned(),
                owner: cx.owner().map(str::to_owned),
                at: Time::now(),
                undoes,
            };
            Some(Journal {
                journal: Arc::clone(cx.service::<Arc<dyn UndoJournal>>()?),
                header,
                folder: OnceCell::new(),
                room: Cell::new(0),
            })
        } else {
            None
        };
        Ok(Self {
            cx,
            journal,
            next: 0,
            made: Vec::new(),
            changed: HashSet::new(),
            touched: RefCell::default(),
            times_known: HashSet::new(),
            swept: HashSet::new(),
            notes: Vec::new(),
        })
    }

    /// What the caller should know beside that it worked: an owner that could not be kept, …
    pub fn into_notes(self) -> Vec<String> {
        self.notes
    }

    /// For a call that failed: takes away the folders that it made and that are still empty.
    pub fn abandon(self) {
        for place in self.made.iter().rev() {
            if let (Ok(parent), Some(name)) = (place.parent(), place.name()) {
                let _ = parent.remove_dir(name);
            }
        }
    }

    /// Ends a call: with its notes, or, where it failed, without the folders it had made for it.
    pub fn end<T>(self, result: ToolResult<T>) -> ToolResult<(T, Vec<String>)> {
        match result {
            Ok(value) => Ok((value, self.notes)),
            Err(error) => {
                self.abandon();
                Err(error)
            }
        }
    }

    /// Whether what goes away is kept.
    pub fn keeps(&self) -> bool {
        self.journal.is_some()
    }

    /// Makes sure that `bytes` can be kept. Whoever needs much, or needs other entries of the journal to
    /// stay, asks for all of it at the start.
    pub fn reserve(&self, bytes: u64) -> ToolResult<()> {
        if let Some(journal) = &self.journal {
            journal.open(bytes)?;
            journal.room.set(journal.room.get() + bytes);
        }
        Ok(())
    }

    /// The folder for kept contents, with room for `bytes` more.
    fn kept_folder(&self, bytes: u64) -> ToolResult<Option<PathBuf>> {
        self.journal.as_ref().map(|journal| journal.open(bytes)).transpose()
    }

    /// Writes a step down. It is on disk, with what it keeps, when this returns.
    fn record(&self, step: &UndoStep) -> ToolResult<()> {
        if let Some(journal) = &self.journal {
            journal.open(0)?;
            journal.journal.append(journal.header.call, step)?;
        }
        Ok(())
    }

    fn record_change(&self, place: &Place, before: PathState, after: PathState) -> ToolResult<()> {
        self.record(&UndoStep::Change { path: place.path().to_path_buf(), before, after })
    }

    /// Something is different now.
    fn happened(&mut self, place: &Place) {
        self.changed.insert(place.path().to_path_buf());
        if self.journal.is_some() {
            self.cx.undo_was_recorded();
        }
    }

    /// What a place is before this call changes it. If it is not what the plan saw, someone else changed it.
    fn as_planned(&self, place: &Place) -> ToolResult<Fingerprint> {
        let now = place.fingerprint();
        let seen = self.cx.plan().filter(|_| !self.changed.contains(place.path())).and_then(|plan| {
            let writes = place.access().writes();
            plan.touches.iter().find(|touch| touch.path == place.path() && touch.access.writes() == writes)
        });
        match seen {
            Some(seen) if seen.fingerprint != now && !self.is_own_doing(&seen.fingerprint, &now) => {
                Err(changed_meanwhile(place))
            }
            _ => {
                if let Fingerprint::State { device, inode, .. } = now {
                    self.touched.borrow_mut().insert((device, inode));
                }
                Ok(now)
            }
        }
    }

    /// Whether nothing but the time of the last change of state is another, and this call changed the same entry under
    /// another name, which sets that time.
    fn is_own_doing(&self, was: &Fingerprint, now: &Fingerprint) -> bool {
        let state = |fingerprint: &Fingerprint| match fingerprint {
            Fingerprint::State { device, inode, size, .. } => Some(((*device, *inode), *size)),
            _ => None,
        };
        let (was, now) = (state(was), state(now));
        was == now && now.is_some_and(|(entry, _)| self.touched.borrow().contains(&entry))
    }

    /// A name that nobody uses, for something that is kept.
    fn kept_name(&mut self, ending: &str) -> String {
        self.next += 1;
        format!("{}.{ending}", self.next)
    }

    /// A name that nobody uses, in a folder of the user's, for what is not finished.
    fn passing_name(&mut self) -> OsString {
        self.next += 1;
        format!(".deskhand-{}-{}.tmp", self.cx.call_id(), self.next).into()
    }
}

/// The handle of the folder that a place is in, and its name there.
pub(in crate::files) fn entry_of(place: &Place) -> ToolResult<(Dir, &OsStr)> {
    match place.name() {
        Some(name) => Ok((place.parent()?, name)),
        None => Err(ToolError::new("invalid_path", format!("{} cannot be changed itself.", place.shown()))),
    }
}

/// Where the entry was changed by someone else between our looking and our writing.
fn still_is(place: &Place, was: &Fingerprint) -> ToolResult<()> {
    if place.fingerprint() == *was {
        return Ok(());
    }
    Err(changed_meanwhile(place))
}

fn changed_meanwhile(place: &Place) -> ToolError {
    ToolError::plan_changed(format!("{} was changed by someone else meanwhile.", place.shown()))
}

/// An error while keeping what is needed for undo.
fn keeping(place: &Place, error: &io::Error) -> ToolError {
    let error = place.io("keep the old state of", error);
    ToolError { message: format!("{} Nothing was changed.", error.message), ..error }
}

fn open_kept_folder(folder: &Path) -> io::Result<Dir> {
    Dir::open_ambient_dir(folder, ambient_authority())
}

fn create_kept(folder: &Path, name: &str) -> io::Result<File> {
    os::create_private(&open_kept_folder(folder)?, OsStr::new(name))
}

/// Says in the plan that a call cannot be taken back, where it would have to keep more than it may.
pub fn say_if_too_large(plan: Plan, cx: &Cx, bytes: u64) -> ToolResult<Plan> {
    let limit = cx.service::<Arc<dyn UndoJournal>>()?.limit();
    // The journal's own records want some room, too.
    const ROOM: u64 = 64 * 1024;
    if bytes.saturating_add(ROOM.min(limit / 8)) <= limit {
        return Ok(plan);
    }
    Ok(plan.not_undoable(format!(
        "Taking it back would need {bytes} bytes to be kept; the undo journal keeps at most {limit} for one call."
    )))
}
