//! What taking a call back comes to: each of its steps held against what is there now, the last one first.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use deskhand_core::{
    Access, Cx, Fingerprint, Plan, ToolError, ToolResult, UndoStep,
    undo::{PathState, UndoEntry},
};
use deskhand_guard::{BoundPaths, Kind, PathsOf, Place};

use crate::files::{
    change::{identity, state, tree},
    tree_scan::Scan,
};

/// How many files that were changed since are named.
const MOST_NAMED: usize = 20;

/// A step that is to be taken back, with the places it is about.
pub struct Back {
    pub step: UndoStep,
    pub place: Place,
    /// Where something moved away from, if it did not move into the journal.
    pub moved_to: Option<Place>,
    /// How much of what is there now goes away.
    bytes: u64,
}

impl Back {
    /// As the calls do that copy, move and delete trees: an undo may come to the same. `folder` is that of the
    /// journal's entry.
    fn raise(&self, plan: Plan, folder: &Path, cx: &Cx) -> ToolResult<Plan> {
        let here = self.place.path();
        let scan = match (&self.step, &self.moved_to) {
            (UndoStep::Move { .. }, Some(moved_to)) => {
                Scan::of(moved_to, &[(moved_to.path(), Access::Delete), (here, Access::Modify)], cx)?
            }
            (UndoStep::Move { to, .. }, None) => Scan::of_kept(to, &[(here, Access::Modify)], cx)?,
            (UndoStep::Change { before: PathState::Folder { kept: Some(kept), .. }, .. }, _) => {
                Scan::of_kept(&folder.join(kept), &[(here, Access::Modify)], cx)?
            }
            (
                UndoStep::Change { before: PathState::Absent, after: PathState::Folder { kept, .. }, .. },
                _,
            ) if kept.is_some() && self.place.kind() == Kind::Folder => {
                let scan = Scan::of(&self.place, &[(here, Access::Delete)], cx)?;
                return Ok(if scan.is_filled() { scan.raise_removal(plan) } else { scan.raise(plan) });
            }
            _ => return Ok(plan),
        };
        Ok(scan.raise(plan))
    }
}

/// All that is to be done, in the order in which it is to be done.
pub struct Reversal {
    steps: Vec<Back>,
    /// What was looked at, and is as it was before the call.
    unchanged: Vec<Place>,
}

impl Reversal {
    /// Changes nothing. If anything is not as the call left it, nor as it was before, it is an error that names it.
    pub fn of(entry: &UndoEntry, cx: &Cx) -> ToolResult<Self> {
        let mut checker = Checker {
            cx,
            paths: cx.paths()?,
            entry,
            will_be: HashMap::new(),
            unchanged: Vec::new(),
            conflicts: Vec::new(),
        };
        let mut steps = Vec::new();
        for (at, step) in entry.steps.iter().enumerate().rev() {
            cx.check()?;
            steps.extend(match step {
                UndoStep::Change { path, before, after } => {
                    checker.check_change(step, path, before, after, &entry.steps[..at])?
                }
                UndoStep::Move { from, to, identity } => {
                    let witness = at.checked_sub(1).and_then(|at| witness(&entry.steps[at], from));
                    checker.check_move(step, (from, to), identity, witness)?
                }
            });
        }
        if checker.conflicts.is_empty() {
            let reversal = Self { steps, unchanged: checker.unchanged };
            reversal.is_kept(entry)?;
            return Ok(reversal);
        }
        Err(changed_since(entry, &checker.conflicts))
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    pub fn steps(&self) -> impl Iterator<Item = &Back> {
        self.steps.iter()
    }

    pub fn unchanged(&self) -> impl Iterator<Item = &Place> {
        self.unchanged.iter()
    }

    /// The places that are touched, and whether with everything below them.
    pub fn places(&self) -> impl Iterator<Item = (&Place, bool)> {
        let whole = |back: &Back| {
            let is_tree = |state: &PathState| matches!(state, PathState::Folder { kept: Some(_), .. });
            match &back.step {
                UndoStep::Change { before, after, .. } => is_tree(before) || is_tree(after),
                UndoStep::Move { .. } => true,
            }
        };
        self.steps.iter().flat_map(move |back| {
            let whole = whole(back);
            std::iter::once((&back.place, whole)).chain(back.moved_to.iter().map(move |place| (place, whole)))
        })
    }

    /// Raises the plan's permission to what the trees want that come back, move or go away.
    pub fn raise(&self, mut plan: Plan, entry: &UndoEntry, cx: &Cx) -> ToolResult<Plan> {
        for back in &self.steps {
            cx.check()?;
            plan = back.raise(plan, &entry.folder, cx)?;
        }
        Ok(plan)
    }

    /// How much of what is there now must be kept to make this undoable, too.
    pub fn bytes(&self) -> u64 {
        self.steps.iter().map(|back| back.bytes).sum()
    }

    /// Whether everything that is to be put back is still in the journal.
    pub fn is_kept(&self, entry: &UndoEntry) -> ToolResult<()> {
        for back in &self.steps {
            let kept = match &back.step {
                UndoStep::Change {
                    before:
                        PathState::File { kept: Some(kept), .. } | PathState::Folder { kept: Some(kept), .. },
                    ..
                } => entry.folder.join(kept),
                UndoStep::Move { to, .. } if to.starts_with(&entry.folder) => to.clone(),
                _ => continue,
            };
            if !is_sound(&back.step, &kept) {
                let message = format!("What was kept of {} is gone, or is spoilt.", back.place.shown());
                return Err(
                    ToolError::new("journal_damaged", message).hint("It cannot be taken back any more.")
                );
            }
        }
        Ok(())
    }
}

/// Whether what was kept is there, and is what it was.
fn is_sound(step: &UndoStep, kept: &Path) -> bool {
    let Ok(meta) = kept.symlink_metadata() else { return false };
    match step {
        UndoStep::Change { before: PathState::File { size, sha256, meta: was, .. }, after, .. } => {
            let is_tail = matches!(after, PathState::Prefix { .. });
            // What has no hash is large, and may be written by whoever had it open: its time tells.
            let same_time = || was.modified.is_none() || meta.modified().ok() == was.modified;
            (is_tail || meta.len() == *size)
                && if sha256.is_empty() {
                    same_time()
                } else {
                    state::hash_at(kept).is_ok_and(|is| is == *sha256)
                }
        }
        _ => true,
    }
}

fn changed_since(entry: &UndoEntry, conflicts: &[Conflict]) -> ToolError {
    let named: Vec<&str> =
        conflicts.iter().take(MOST_NAMED).map(|conflict| conflict.words.as_str()).collect();
    let mut named = named.join("; ");
    if conflicts.len() > MOST_NAMED {
        named.push_str(&format!("; and {} more", conflicts.len() - MOST_NAMED));
    }
    let message =
        format!("Call {} cannot be taken back, for things were changed since: {named}.", entry.call);
    ToolError::new("changed_since", message)
        .hint("Nothing was changed. Take back the later changes first, or change the files by hand.")
}

/// Something that is neither as the call left it nor as it was before.
struct Conflict {
    path: PathBuf,
    words: String,
}

/// What a path will be when the steps after this one have been taken back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WillBe {
    Absent,
    There,
}

struct Checker<'a> {
    cx: &'a Cx,
    paths: BoundPaths<'a>,
    entry: &'a UndoEntry,
    will_be: HashMap<PathBuf, WillBe>,
    unchanged: Vec<Place>,
    conflicts: Vec<Conflict>,
}

impl Checker<'_> {
    /// One thing is named once, and not again with the folder that it is in.
    fn conflict(&mut self, path: &Path, words: String) {
        if !self.conflicts.iter().any(|known| known.path.starts_with(path)) {
            self.conflicts.push(Conflict { path: path.to_path_buf(), words });
        }
    }

    /// The place that a step is about; `None` if its path leads elsewhere now.
    fn place(&mut self, path: &Path, access: Access) -> ToolResult<Option<Place>> {
        let place = self.paths.recorded(path, access)?;
        if place.path() == path {
            return Ok(Some(place));
        }
        self.conflict(path, format!("{} is reached through a link now", path.display()));
        Ok(None)
    }

    fn check_change(
        &mut self,
        step: &UndoStep,
        path: &Path,
        before: &PathState,
        after: &PathState,
        earlier: &[UndoStep],
    ) -> ToolResult<Option<Back>> {
        if before == after {
            return Ok(None);
        }
        let Some(place) = self.place(path, Access::Read)? else { return Ok(None) };
        // What later steps of the same call made of it is known; only what is there now has to be looked at.
        if !self.will_be.contains_key(path) {
            let as_before = self.differs(&place, before, after)?;
            if as_before.is_none()
                && (is_meta_alone(before, after) || self.differs(&place, after, before)?.is_some())
            {
                return Ok(None);
            }
            if let Some(how) = self.differs(&place, after, before)? {
                if *before == PathState::Absent && self.is_back(&place, earlier.last())? {
                    return Ok(None);
                }
                self.conflict(path, format!("{}: {how}", place.shown()));
                return Ok(None);
            }
        }
        let (access, will_be) = match before {
            PathState::Absent => (Access::Delete, WillBe::Absent),
            _ => (Access::Modify, WillBe::There),
        };
        let Some(place) = self.place(path, access)? else { return Ok(None) };
        self.will_be.insert(path.to_path_buf(), will_be);
        let bytes = self.bytes_that_go(&place, before, after)?;
        Ok(Some(Back { step: step.clone(), place, moved_to: None, bytes }))
    }

    /// Whether what the step before took away from a place is there again: an undo that was cut short got that far.
    fn is_back(&self, place: &Place, step: Option<&UndoStep>) -> ToolResult<bool> {
        match step {
            Some(UndoStep::Move { from, identity: moved, .. }) if from == place.path() => {
                Ok(place.metadata().is_ok_and(|meta| identity(&meta) == *moved))
            }
            Some(UndoStep::Change { path, before, after }) if path == place.path() => {
                Ok(*after == PathState::Absent && self.differs(place, before, after)?.is_none())
            }
            _ => Ok(false),
        }
    }

    /// How what is there differs from one side of a step; `other` is its other side.
    fn differs(&self, place: &Place, state: &PathState, other: &PathState) -> ToolResult<Option<String>> {
        if let (PathState::Folder { meta: was, .. }, true) = (state, is_meta_alone(state, other)) {
            // Whatever is in it by now.
            return match place.metadata() {
                Ok(meta) if meta.is_dir() => Ok(state::mode_differs(&meta, was)),
                Ok(_) => Ok(Some("it is not a folder any more".to_owned())),
                Err(_) => Ok(Some("it is not there any more".to_owned())),
            };
        }
        if let (PathState::File { size, sha256, .. }, PathState::Prefix { size: start }) = (state, other) {
            return tail_differs(place, *start, *size, sha256);
        }
        let ours = |path: &Path| self.will_be.get(path) == Some(&WillBe::Absent);
        state::difference(place, state, &self.entry.folder, &ours, self.cx)
    }

    fn check_move(
        &mut self,
        step: &UndoStep,
        (from, to): (&Path, &Path),
        moved: &Fingerprint,
        witness: Option<&PathState>,
    ) -> ToolResult<Option<Back>> {
        let is_kept = to.starts_with(&self.entry.folder);
        let Some(place) = self.place(from, Access::Read)? else { return Ok(None) };
        let target = if is_kept { None } else { self.place(to, Access::Read)? };
        if target.is_none() && !is_kept {
            return Ok(None);
        }
        let is_there = self.is_there(to, target.as_ref(), moved, witness)?;
        let at_source = place.metadata().ok().map(|meta| identity(&meta));
        let is_free = match self.will_be.get(from) {
            Some(will_be) => *will_be == WillBe::Absent,
            // The same file under a name that differs in case alone.
            None => at_source.is_none() || (at_source.as_ref() == Some(moved) && !is_kept),
        };
        let never_moved = at_source.as_ref() == Some(moved) || self.will_be.contains_key(from);
        match (is_there, is_free) {
            (true, true) => {
                self.will_be.insert(from.to_path_buf(), WillBe::There);
                self.will_be.insert(to.to_path_buf(), WillBe::Absent);
                let Some(place) = self.place(from, Access::Modify)? else { return Ok(None) };
                let moved_to = if is_kept { None } else { self.place(to, Access::Delete)? };
                return Ok(Some(Back { step: step.clone(), place, moved_to, bytes: 0 }));
            }
            (false, _) if never_moved => self.unchanged.extend([Some(place), target].into_iter().flatten()),
            (false, _) if is_kept => {
                self.conflict(from, format!("{}: what was kept of it is gone", place.shown()));
            }
            (false, _) => {
                self.conflict(to, format!("{}: what was moved there is not there any more", to.display()));
            }
            (true, false) => self.conflict(from, format!("{}: there is something again", place.shown())),
        }
        Ok(None)
    }

    /// Whether what moved is where it moved to; `target` is that place, if it is not in the journal.
    fn is_there(
        &self,
        to: &Path,
        target: Option<&Place>,
        moved: &Fingerprint,
        witness: Option<&PathState>,
    ) -> ToolResult<bool> {
        if let Some(will_be) = self.will_be.get(to) {
            return Ok(*will_be == WillBe::There);
        }
        let now = match target {
            None => state::identity_at(to),
            Some(target) => target.metadata().ok().map(|meta| identity(&meta)),
        };
        match (target, witness) {
            _ if now.as_ref() == Some(moved) => Ok(true),
            // Not the same file; but one just like it.
            (Some(target), Some(state)) => Ok(self.differs(target, state, state)?.is_none()),
            _ => Ok(false),
        }
    }

    /// How much of what is there now this takes away.
    fn bytes_that_go(&self, place: &Place, before: &PathState, after: &PathState) -> ToolResult<u64> {
        let Ok(meta) = place.metadata() else { return Ok(0) };
        Ok(match (before, after) {
            (PathState::Prefix { size }, _) => meta.len().saturating_sub(*size),
            (_, PathState::Prefix { .. }) => 0,
            _ if is_meta_alone(before, after) => 0,
            _ => tree::measure(place, &meta, self.cx)?.bytes,
        })
    }
}

/// What moved from there in the next step, where that was written down: a change that changes nothing.
fn witness<'a>(step: &'a UndoStep, from: &Path) -> Option<&'a PathState> {
    match step {
        UndoStep::Change { path, before, after } if path == from && before == after => Some(before),
        _ => None,
    }
}

/// Only mode or times differ.
fn is_meta_alone(before: &PathState, after: &PathState) -> bool {
    match (before, after) {
        (
            PathState::File { size, sha256, kept: None, .. },
            PathState::File { size: new_size, sha256: new_sha256, .. },
        ) => (size, sha256) == (new_size, new_sha256),
        (PathState::Folder { kept: None, meta }, PathState::Folder { kept: None, meta: new }) => meta != new,
        _ => false,
    }
}

/// Whether a file ends, after `start`, in what it did then. What stands before that does not matter: it stays.
fn tail_differs(place: &Place, start: u64, size: u64, sha256: &str) -> ToolResult<Option<String>> {
    if place.kind() != Kind::File {
        return Ok(Some("it is not a file any more".to_owned()));
    }
    let mut file = place.open()?;
    let now = file.metadata().map_err(|error| place.io("look at", &error))?.len();
    if now != size {
        return Ok(Some(state::other_size(now, size)));
    }
    let tail = state::hash_from(&mut file, start).map_err(|error| place.io("read", &error))?;
    Ok((tail != sha256).then(|| "its end was changed".to_owned()))
}
