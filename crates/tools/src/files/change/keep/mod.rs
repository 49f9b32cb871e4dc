//! Keeping what a command changed on its layer: all of it, or nothing.
//!
//! 1. Every entry must be as the command saw it (`base`); git must not be at work.
//! 2. What must not land is taken away in the layer, and the rest becomes a list of actions (`draft`, `scrub`).
//! 3. Before-images and listings are put into the journal's folder; where the layer is on another file system, copies
//!    of what comes are put beside (`images`).
//! 4. The list is brought to disk in the layer's folder (`accepted`). From here on a crash rolls forward.
//! 5. Git's lock is taken, the undo journal gets all steps in one batch, and the actions are done: nothing but renames
//!    and modes (`perform`).
//!
//! The journal's steps follow the acceptance, and are in the list, too: so the journal never has an entry of changes
//! that were not accepted, and a crash between the two loses none. An action that fails undoes all others.

mod accepted;
mod action;
mod base;
mod draft;
mod fault;
mod git_lock;
mod handles;
mod images;
mod perform;
mod places;
mod scrub;
#[cfg(test)]
mod tests;
mod writers;

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use cap_std::{ambient_authority, fs::Dir};
use deskhand_core::{
    Cx, Time, ToolError, ToolResult, UndoJournal, UndoStep, Undoable,
    changed::{bytes_text, count_text},
    undo::UndoHeader,
};
use deskhand_guard::sandbox::layer::{ACCEPTED, Layer, RootChanges};

use self::{
    accepted::{Accepted, AcceptedRoot},
    draft::{Draft, Drafter, Loss},
    git_lock::GitLock,
    handles::Handles,
    places::{Places, staging_name},
};
use super::os;

/// Keeps the changes of a layer, or fails and keeps none. The notes are for the caller. `unjournaled` says of which
/// absolute paths nothing is kept for undo.
#[allow(clippy::needless_pass_by_value, reason = "what is kept is used up")]
pub fn keep(
    layer: Layer,
    roots: Vec<RootChanges>,
    summary: String,
    unjournaled: &dyn Fn(&Path) -> bool,
    cx: &Cx,
) -> ToolResult<Vec<String>> {
    let roots: Vec<RootChanges> = roots.into_iter().filter(|root| !root.changes.is_empty()).collect();
    let kept = Keep::begin(&layer, &roots, &summary, cx).and_then(|keep| keep.all(unjournaled));
    if fault::has_crashed() || layer.folder().join(ACCEPTED).exists() {
        // What is accepted and not done is finished at the next start.
        layer.leave();
    }
    kept
}

/// Finishes a layer that was accepted before its process went away, and removes it. All of it is kept then; if that
/// cannot be done any more, it is an error, and nothing of it is.
pub fn finish(folder: &Path, journal: &dyn UndoJournal) -> ToolResult<()> {
    let path = folder.join(ACCEPTED);
    let Some(_alone) = alone(&path)? else { return Ok(()) };
    // Somebody else may have finished it before this one had the lock.
    let Some(accepted) = Accepted::read(folder)? else { return Ok(()) };
    let kept = match accepted.steps().next() {
        Some(_) => Some(journal.open(&accepted.header, 0)?),
        None => None,
    };
    let places = Places::open(folder, &accepted.roots, kept.as_deref())?;
    // A git that is at work now is no reason to give up what was accepted: the next start tries again.
    take_locks(&accepted, &places)?;
    let completed = complete(folder, &accepted, &places, Some(journal));
    if !fault::has_crashed() && !path.exists() {
        // The kernel's own folder in it may forbid that: then the next sweep removes it.
        let _ = fs::remove_dir_all(folder);
    }
    completed
}

/// Locks an accepted list; `None` if there is none, or another process is at work on it.
fn alone(path: &Path) -> ToolResult<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(file.try_lock().is_ok().then_some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ToolError::io("open", path, &error)),
    }
}

/// Where a call writes down what it changed.
struct Journal {
    journal: Arc<dyn UndoJournal>,
    folder: PathBuf,
    handle: Dir,
}

struct Keep<'a> {
    layer: &'a Layer,
    roots: &'a [RootChanges],
    header: UndoHeader,
    /// `None` where the plan said that this cannot be undone.
    journal: Option<Journal>,
    real: Handles,
    upper: Handles,
    /// Whether the layer of each root is on another file system.
    is_far: Vec<bool>,
    /// The git folders in which something changes, by root.
    git: Vec<(usize, PathBuf)>,
    cx: &'a Cx,
}

impl<'a> Keep<'a> {
    fn begin(layer: &'a Layer, roots: &'a [RootChanges], summary: &str, cx: &'a Cx) -> ToolResult<Self> {
        let real = Handles::open(roots.iter().map(|root| root.root.path.as_path()))?;
        base::check(cx, roots, &real)?;
        let mut git = Vec::new();
        for (number, root) in roots.iter().enumerate() {
            for folder in git_lock::folders(root, number, &real) {
                GitLock::check(number, &folder, &root.root.path, &real)?;
                git.push((number, folder));
            }
        }
        let upper = Handles::open_own(roots.iter().map(|root| root.root.upper.as_path()))?;
        let is_far = (0..roots.len()).map(|root| !os::is_near(real.root(root), upper.root(root))).collect();
        let header = UndoHeader {
            call: cx.call_id(),
            tool: cx.tool().to_owned(),
            summary: cx.mask(summary),
            session_id: cx.session_id().to_owned(),
            owner: cx.owner().map(str::to_owned),
            at: Time::now(),
            undoes: None,
        };
        let journal = if cx.plan().is_some_and(|plan| matches!(plan.undo, Undoable::No(_))) {
            None
        } else {
            let journal = Arc::clone(cx.service::<Arc<dyn UndoJournal>>()?);
            let folder = journal.open(&header, 0)?;
            let handle = Dir::open_ambient_dir(&folder, ambient_authority())
                .map_err(|error| ToolError::io("open the folder", &folder, &error))?;
            Some(Journal { journal, folder, handle })
        };
        Ok(Self { layer, roots, header, journal, real, upper, is_far, git, cx })
    }

    fn all(&self, unjournaled: &dyn Fn(&Path) -> bool) -> ToolResult<Vec<String>> {
        let kept = self.keep(unjournaled);
        let is_recorded = matches!(kept, Ok((true, _)));
        if is_recorded {
            self.cx.undo_was_recorded();
        } else if let Some(journal) = &self.journal
            && !fault::has_crashed()
            && !self.layer.folder().join(ACCEPTED).exists()
        {
            // Nothing happened that could be undone. What is left is cleared away later.
            let _ = journal.journal.discard(self.header.call);
        }
        kept.map(|(_, notes)| notes)
    }

    /// Whether anything is in the journal now, and the notes.
    fn keep(&self, unjournaled: &dyn Fn(&Path) -> bool) -> ToolResult<(bool, Vec<String>)> {
        let at = self.journal.as_ref().map(|journal| (journal.folder.as_path(), &journal.handle));
        let drafter =
            Drafter::new(self.cx, self.roots, &self.real, &self.upper, at, &self.is_far, unjournaled);
        let mut draft = drafter.draft()?;
        if let Some(journal) = &self.journal {
            journal.journal.open(&self.header, draft.bytes)?;
        }
        let mut notes = std::mem::take(&mut draft.notes);
        notes.extend(loss_note(draft.lost));
        if draft.actions.is_empty() {
            return Ok((false, notes));
        }
        let folder = self.layer.folder();
        let staging = staging_name(folder);
        let of_root = |(root, is_far): (&RootChanges, &bool)| AcceptedRoot {
            path: root.root.path.clone(),
            upper: root.root.upper.clone(),
            staging: is_far.then(|| staging.clone()),
        };
        let roots: Vec<AcceptedRoot> = self.roots.iter().zip(&self.is_far).map(of_root).collect();
        fault::step()?;
        let places = Places::open(folder, &roots, at.map(|(folder, _)| folder))?;
        places.clear_leftovers(folder.parent().unwrap_or(folder));
        let accepted = self.accept(draft, roots, &places).inspect_err(|_| {
            if !fault::has_crashed() {
                places.remove_staging();
            }
        })?;
        let is_recorded = accepted.steps().next().is_some();
        complete(folder, &accepted, &places, self.journal.as_ref().map(|journal| journal.journal.as_ref()))?;
        Ok((is_recorded, notes))
    }

    /// Writes everything beside that is needed, then the list. It is accepted when this returns.
    fn accept(&self, mut draft: Draft, roots: Vec<AcceptedRoot>, places: &Places) -> ToolResult<Accepted> {
        images::prepare(&mut draft, places, self.cx)?;
        let mut locks = Vec::new();
        for (number, (root, folder)) in self.git.iter().enumerate() {
            fault::step()?;
            let lock = GitLock::prepare(*root, folder.clone(), &places.aside[*root], number);
            let shown = || places.shown(*root, folder);
            locks.push(lock.map_err(|error| ToolError::io("lock", &shown(), &error))?);
        }
        let accepted = Accepted { header: self.header.clone(), roots, actions: draft.actions, locks };
        places.sync_far()?;
        self.cx.check()?;
        fault::step()?;
        accepted.write(self.layer.folder())?;
        Ok(accepted)
    }
}

/// Does what was accepted, from wherever it got to, or takes all of it back. The list is gone afterwards, unless
/// neither could be done.
fn complete(
    folder: &Path,
    accepted: &Accepted,
    places: &Places,
    journal: Option<&dyn UndoJournal>,
) -> ToolResult<()> {
    let done = take_locks(accepted, places)
        .and_then(|()| match record(accepted, journal) {
            // The entry was pushed out of the journal since.
            Err(_) if perform::is_begun(accepted, places) => Ok(()),
            recorded => recorded,
        })
        .and_then(|()| perform::forward(accepted, places));
    if fault::has_crashed() {
        return done;
    }
    if let Err(error) = &done
        && let Err(stuck) = perform::back(accepted, places)
    {
        return Err(half_kept(folder, error, &stuck));
    }
    places.sync_far()?;
    for lock in &accepted.locks {
        fault::step()?;
        lock.release(&places.real);
    }
    if done.is_err() {
        // Before the list is gone: an entry of what did not happen would only be in the way.
        let _ = journal.map(|journal| journal.discard(accepted.header.call));
    }
    fault::step()?;
    Accepted::remove(folder)?;
    fault::step()?;
    places.remove_staging();
    done
}

fn take_locks(accepted: &Accepted, places: &Places) -> ToolResult<()> {
    accepted.locks.iter().try_for_each(|lock| {
        fault::step()?;
        lock.take(&places.aside[lock.root], &places.real, &accepted.roots[lock.root].path)
    })
}

/// Writes down in the journal what of the steps is not there yet.
fn record(accepted: &Accepted, journal: Option<&dyn UndoJournal>) -> ToolResult<()> {
    let steps: Vec<UndoStep> = accepted.steps().cloned().collect();
    let Some(journal) = journal.filter(|_| !steps.is_empty()) else { return Ok(()) };
    fault::step()?;
    let call = accepted.header.call;
    let known = journal.load(call)?.map_or(0, |entry| entry.steps.len());
    Ok(journal.append_all(call, &steps[known.min(steps.len())..])?)
}

fn loss_note(lost: Loss) -> Option<String> {
    let Loss { entries, bytes } = lost;
    let what = if entries == 1 { "1 entry".to_owned() } else { format!("{} entries", count_text(entries)) };
    (entries > 0)
        .then(|| format!("{what} ({}) cannot be undone: no before-image was kept.", bytes_text(bytes)))
}

fn half_kept(folder: &Path, error: &ToolError, stuck: &ToolError) -> ToolError {
    let message =
        format!("Only a part could be kept: {} And taking it back failed: {}", error.message, stuck.message);
    ToolError::new("half_kept", message).hint(format!(
        "Deskhand tries again when it starts. What the command wrote lies in {}.",
        folder.display()
    ))
}
