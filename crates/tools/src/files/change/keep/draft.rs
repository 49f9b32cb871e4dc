//! From the list of changes to the actions that keep them. The real tree is only looked at here.

mod modes;
mod top;

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
};

use cap_std::fs::{Dir, Metadata, MetadataExt};
use deskhand_core::{
    Cx, ToolError, ToolResult, UndoStep,
    undo::{Meta, PathState},
};
use deskhand_guard::sandbox::layer::{Difference, EntryKind, LayerChange, RootChanges};

use self::{
    modes::FolderModes,
    top::{Top, below, is_folder, is_shown, may_link, mode_to_give},
};
use super::{
    super::{files::LINKED, os, state},
    action::{Action, Arrival, Departure, Identity, Keeping, Source, Work},
    handles::Handles,
    scrub::{LENT_RIGHTS, OWNER, Scrubbed, Scrubber, Spot},
};

/// How much is read in all to know contents again. Size and time stand for what is not.
const MOST_HASHED: u64 = 1024 * 1024;

/// What an action is drafted from.
pub struct Drafter<'a> {
    cx: &'a Cx,
    roots: &'a [RootChanges],
    real: &'a Handles,
    upper: &'a Handles,
    /// The folder of the journal's entry; `None` where nothing is written down.
    journal: Option<(&'a Path, &'a Dir)>,
    /// Whether the layer of each root is on another file system.
    is_far: &'a [bool],
    unjournaled: &'a dyn Fn(&Path) -> bool,
    scrubber: Scrubber<'a>,
    number: u32,
    left_to_hash: u64,
    modes: FolderModes,
    draft: Draft,
}

/// What keeping comes to.
#[derive(Default)]
pub struct Draft {
    /// In the order in which they are done.
    pub actions: Vec<Action>,
    pub notes: Vec<String>,
    /// How much the journal has to hold.
    pub bytes: u64,
    /// Listings of trees, by their name in the journal.
    pub listings: Vec<(String, Vec<u8>)>,
    /// How many files come.
    pub files: u64,
    /// What cannot be undone.
    pub lost: Loss,
}

/// What leaves nothing in the journal.
#[derive(Clone, Copy, Default)]
pub struct Loss {
    pub entries: u64,
    pub bytes: u64,
}

impl Loss {
    fn add(&mut self, bytes: u64) {
        self.entries += 1;
        self.bytes += bytes;
    }
}

impl<'a> Drafter<'a> {
    #[allow(clippy::too_many_arguments, reason = "all that a draft is made from, once")]
    pub fn new(
        cx: &'a Cx,
        roots: &'a [RootChanges],
        real: &'a Handles,
        upper: &'a Handles,
        journal: Option<(&'a Path, &'a Dir)>,
        is_far: &'a [bool],
        unjournaled: &'a dyn Fn(&Path) -> bool,
    ) -> Self {
        Self {
            cx,
            roots,
            real,
            upper,
            journal,
            is_far,
            unjournaled,
            scrubber: Scrubber::new(cx),
            number: 0,
            left_to_hash: MOST_HASHED,
            modes: FolderModes::default(),
            draft: Draft::default(),
        }
    }

    pub fn draft(mut self) -> ToolResult<Draft> {
        let roots = self.roots;
        for (root, list) in roots.iter().enumerate() {
            let mut rest = &list.changes[..];
            while let Some((top, more)) = Top::first(root, rest) {
                self.cx.check()?;
                self.top(&top)?;
                rest = more;
            }
        }
        let actions = std::mem::take(&mut self.draft.actions);
        self.draft.actions =
            self.modes.around(actions, self.real, &|root, path| roots[root].root.path.join(path))?;
        self.draft.notes.extend(self.scrubber.notes());
        Ok(self.draft)
    }

    fn top(&mut self, top: &Top<'_>) -> ToolResult<()> {
        match top.change.difference {
            Difference::Created => self.create(top),
            Difference::Modified => self.modify(top),
            Difference::Mode => self.mode(top),
            Difference::Deleted => self.delete(top),
        }
    }

    fn real_path(&self, root: usize, path: &Path) -> PathBuf {
        self.roots[root].root.path.join(path)
    }

    fn is_journaled(&self, root: usize, path: &Path) -> bool {
        self.journal.is_some() && !(self.unjournaled)(&self.real_path(root, path))
    }

    fn name(&mut self, ending: &str) -> String {
        self.number += 1;
        format!("{}.{ending}", self.number)
    }

    fn push(&mut self, root: usize, path: &Path, work: Work, steps: Vec<UndoStep>) {
        self.draft.actions.push(Action { root, path: path.to_path_buf(), work, steps });
    }

    fn create(&mut self, top: &Top<'_>) -> ToolResult<()> {
        let is_journaled = self.is_journaled(top.root, top.path());
        let Some((new, after)) = self.arrival(top, is_journaled)? else { return Ok(()) };
        let steps = self.steps(top, is_journaled, || vec![(PathState::Absent, after)]);
        self.push(top.root, top.path(), Work::Create { new }, steps);
        Ok(())
    }

    fn modify(&mut self, top: &Top<'_>) -> ToolResult<()> {
        let is_journaled = self.is_journaled(top.root, top.path());
        let old = self.old(top)?;
        let new = {
            let (folder, name) = self.upper_entry(top)?;
            self.keep_owner(top, &folder, name, &old);
            self.arrival(top, is_journaled)?
        };
        // A file that was replaced by a socket is gone.
        let Some((new, after)) = new else { return self.delete(top) };
        let change = top.change;
        let departure = self.departure(top, &old, is_journaled)?;
        let Goes { old, before } = departure;
        let path = self.real_path(top.root, top.path());
        let is_exchange = matches!(old.kept, Keeping::Moved(_))
            || is_folder(change.before.as_ref())
            || is_folder(change.after.as_ref());
        let steps = match (&old.kept, before) {
            _ if !is_journaled => Vec::new(),
            (Keeping::Moved(name), _) => {
                let gone = self.moved(&path, old.entry, name);
                vec![gone, UndoStep::Change { path, before: PathState::Absent, after }]
            }
            (_, Some(before)) if is_exchange => vec![
                UndoStep::Change { path: path.clone(), before, after: PathState::Absent },
                UndoStep::Change { path, before: PathState::Absent, after },
            ],
            (_, before) => {
                vec![UndoStep::Change { path, before: before.unwrap_or(PathState::Absent), after }]
            }
        };
        self.push(top.root, top.path(), Work::Replace { new, old }, steps);
        Ok(())
    }

    fn delete(&mut self, top: &Top<'_>) -> ToolResult<()> {
        let is_journaled = self.is_journaled(top.root, top.path());
        let old = self.old(top)?;
        let Goes { old, before } = self.departure(top, &old, is_journaled)?;
        let path = self.real_path(top.root, top.path());
        let steps = match (&old.kept, before) {
            _ if !is_journaled => Vec::new(),
            (Keeping::Moved(name), _) => vec![self.moved(&path, old.entry, name)],
            (_, Some(before)) => vec![UndoStep::Change { path, before, after: PathState::Absent }],
            (_, None) => Vec::new(),
        };
        self.push(top.root, top.path(), Work::Delete { old }, steps);
        Ok(())
    }

    fn mode(&mut self, top: &Top<'_>) -> ToolResult<()> {
        let (Some(before), Some(after)) = (&top.change.before, &top.change.after) else { return Ok(()) };
        let is_journaled = self.is_journaled(top.root, top.path());
        if before.kind == EntryKind::Folder {
            let entry = Identity::of(&self.old(top)?);
            self.modes.change(top.root, top.path(), entry, (before.mode, after.mode), is_journaled);
            if !is_journaled {
                self.draft.lost.add(0);
            }
            return Ok(());
        }
        let lent = if before.kind == EntryKind::File { LENT_RIGHTS } else { 0 };
        let mode = after.mode & !lent;
        if mode != after.mode {
            self.scrubber.lends_no_rights(self.real_path(top.root, top.path()));
        }
        if mode == before.mode {
            return Ok(());
        }
        let old = self.old(top)?;
        let meta = os::meta_of(&old);
        let new = Meta { mode: Some(mode), ..meta.clone() };
        let state = |meta| match before.kind {
            EntryKind::File => PathState::File { size: old.len(), sha256: String::new(), meta, kept: None },
            _ => PathState::Pipe { meta },
        };
        let steps = self.steps(top, is_journaled, || vec![(state(meta), state(new))]);
        if !is_journaled {
            self.draft.lost.add(0);
        }
        self.push(
            top.root,
            top.path(),
            Work::Mode { entry: Identity::of(&old), was: before.mode, mode },
            steps,
        );
        Ok(())
    }

    fn steps(
        &self,
        top: &Top<'_>,
        is_journaled: bool,
        states: impl FnOnce() -> Vec<(PathState, PathState)>,
    ) -> Vec<UndoStep> {
        if !is_journaled {
            return Vec::new();
        }
        let path = self.real_path(top.root, top.path());
        states()
            .into_iter()
            .map(|(before, after)| UndoStep::Change { path: path.clone(), before, after })
            .collect()
    }

    fn moved(&self, path: &Path, entry: Identity, name: &str) -> UndoStep {
        let folder = self.journal.map_or_else(PathBuf::new, |(folder, _)| folder.to_path_buf());
        UndoStep::Move { from: path.to_path_buf(), to: folder.join(name), identity: entry.fingerprint() }
    }

    /// What is in the real tree. It was checked a moment ago.
    fn old(&self, top: &Top<'_>) -> ToolResult<Metadata> {
        let shown = self.real_path(top.root, top.path());
        match self.real.look(top.root, top.path()) {
            Ok(Some(meta)) => Ok(meta),
            Ok(None) => Err(ToolError::io("look at", &shown, &io::ErrorKind::NotFound.into())),
            Err(error) => Err(ToolError::io("look at", &shown, &error)),
        }
    }

    fn upper_entry<'t>(&self, top: &'t Top<'_>) -> ToolResult<(std::rc::Rc<Dir>, &'t OsStr)> {
        let failed =
            |error: io::Error| ToolError::io("look at", &self.real_path(top.root, top.path()), &error);
        let parent = top.path().parent().unwrap_or(Path::new(""));
        // What its owner may not write cannot be moved out of it.
        if !parent.as_os_str().is_empty() {
            let meta = self.upper.look(top.root, parent).map_err(failed)?;
            if let Some(meta) = meta.filter(|meta| meta.mode() & OWNER != OWNER) {
                let (above, name) = self.upper.entry(top.root, parent).map_err(failed)?;
                os::set_mode_at(&above, name, os::identity_of(&meta), meta.mode() & 0o7777 | OWNER)
                    .map_err(failed)?;
            }
        }
        self.upper.entry(top.root, top.path()).map_err(failed)
    }

    /// What comes, without what must not, and its state. `None` if nothing of it does.
    fn arrival(&mut self, top: &Top<'_>, is_journaled: bool) -> ToolResult<Option<(Arrival, PathState)>> {
        let (folder, name) = self.upper_entry(top)?;
        let shown = self.real_path(top.root, top.path());
        let upper = self.roots[top.root].root.upper.join(top.path());
        let spot = Spot { folder: &folder, name, upper, shown: shown.clone() };
        let Some(Scrubbed { meta, listing, amount }) = self.scrubber.scrub(&spot)? else { return Ok(None) };
        if !is_shown(top.change, &meta) {
            let message = format!("Nothing was kept: {} is not what the command left.", shown.display());
            return Err(ToolError::new("changed_since", message).hint("Run the command again."));
        }
        self.draft.files += amount.files;
        if !is_journaled {
            self.draft.lost.entries += amount.files + amount.folders + amount.links;
            self.draft.lost.bytes += amount.bytes;
        }
        let kept = if is_journaled && !listing.is_empty() {
            let text =
                serde_json::to_vec(&listing).map_err(|error| ToolError::io("list", &shown, &error.into()))?;
            self.draft.bytes += text.len() as u64;
            let kept = self.name("list");
            self.draft.listings.push((kept.clone(), text));
            Some(kept)
        } else {
            None
        };
        let after = if is_journaled {
            self.state(&folder, name, &meta, kept.clone())
                .map_err(|error| ToolError::io("look at", &shown, &error))?
                .unwrap_or(PathState::Absent)
        } else {
            PathState::Absent
        };
        let source = if self.is_far[top.root] { Source::Staged(self.name("new")) } else { Source::Upper };
        let arrival = Arrival::new(source, &meta, mode_to_give(&meta));
        Ok(Some((arrival, after)))
    }

    /// What goes, how it is kept, and its state where the journal cannot do without.
    fn departure(&mut self, top: &Top<'_>, meta: &Metadata, is_journaled: bool) -> ToolResult<Goes> {
        let inner = self.discard_inner(top, is_journaled)?;
        let sizes = |list: &[&LayerChange]| -> u64 {
            list.iter().filter_map(|change| change.before.as_ref()).map(|before| before.size).sum()
        };
        let all: Vec<&LayerChange> = std::iter::once(top.change).chain(inner).collect();
        let (kept, before) = if is_journaled {
            self.keeping(top, meta)?
        } else {
            let gone = all.iter().filter(|change| change.before.is_some());
            if top.change.after.is_none() {
                gone.clone()
                    .for_each(|change| self.draft.lost.add(change.before.as_ref().map_or(0, |b| b.size)));
            }
            (Keeping::Nothing, None)
        };
        if !matches!(kept, Keeping::Nothing) {
            self.draft.bytes += sizes(&all);
        }
        let gone = self.name("gone");
        let old = Departure {
            entry: Identity::of(meta),
            size: meta.len(),
            modified: os::meta_of(meta).modified,
            mode: mode_to_give(meta),
            kept,
            gone,
        };
        Ok(Goes { old, before })
    }

    /// What cannot be undone goes before the folder that it is in, of which the rest can.
    fn discard_inner<'c>(
        &mut self,
        top: &Top<'c>,
        is_journaled: bool,
    ) -> ToolResult<impl Iterator<Item = &'c LayerChange> + use<'c>> {
        let mut stays = Vec::new();
        let mut rest = top.below;
        while let Some((change, more)) = rest.split_first() {
            let below = below(change, more);
            let is_old = change.before.is_some();
            if is_journaled && is_old && !self.is_journaled(top.root, &change.path) {
                self.delete(&Top { root: top.root, change, below: &more[..below] })?;
                rest = &more[below..];
            } else {
                stays.push(change);
                rest = more;
            }
        }
        Ok(stays.into_iter())
    }

    fn keeping(&mut self, top: &Top<'_>, meta: &Metadata) -> ToolResult<(Keeping, Option<PathState>)> {
        let shown = self.real_path(top.root, top.path());
        let failed = |error: io::Error| ToolError::io("keep the old state of", &shown, &error);
        let is_near = self.journal.is_some_and(|(_, journal)| {
            os::is_near(self.real.root(top.root), journal)
                && journal.dir_metadata().is_ok_and(|dir| os::device_of(&dir) == os::device_of(meta))
        });
        let is_deleted = top.change.after.is_none() || top.change.difference == Difference::Deleted;
        let (folder, name) = self.real.entry(top.root, top.path()).map_err(failed)?;
        let is_replaced = !is_deleted && !is_folder(top.change.after.as_ref());
        if meta.is_symlink() && (is_replaced || !is_near) {
            return Ok((Keeping::Nothing, self.state(&folder, name, meta, None).map_err(failed)?));
        }
        if meta.is_file() && is_replaced && is_near && os::names_of(meta) == 1 && may_link(meta) {
            let kept = self.name(LINKED);
            let before = self.state(&folder, name, meta, Some(kept.clone())).map_err(failed)?;
            return Ok((Keeping::Linked(kept), before));
        }
        // What is written through another name of a file would change what is kept of it.
        let is_shared = meta.is_file() && os::names_of(meta) > 1 && is_replaced;
        if is_near && !is_shared {
            return Ok((Keeping::Moved(self.name("gone")), None));
        }
        if meta.is_file() || meta.is_dir() {
            let kept = self.name("copy");
            let before = self.state(&folder, name, meta, Some(kept.clone())).map_err(failed)?;
            return Ok((Keeping::Copied(kept), before));
        }
        let before = self.state(&folder, name, meta, None).map_err(failed)?;
        if before.is_none() {
            self.draft.lost.add(0);
        }
        Ok((Keeping::Nothing, before))
    }

    /// The state of an entry; `None` for a socket or a device.
    fn state(
        &mut self,
        folder: &Dir,
        name: &OsStr,
        meta: &Metadata,
        kept: Option<String>,
    ) -> io::Result<Option<PathState>> {
        let known = os::meta_of(meta);
        Ok(Some(if meta.is_symlink() {
            PathState::Link { target: folder.read_link_contents(name)?, meta: known }
        } else if meta.is_dir() {
            PathState::Folder { meta: known, kept }
        } else if os::is_pipe(meta) {
            PathState::Pipe { meta: known }
        } else if meta.is_file() {
            let size = meta.len();
            let mut sha256 = String::new();
            if size <= self.left_to_hash
                && let Ok(mut file) = os::open_to_read(folder, name)
            {
                self.left_to_hash -= size;
                sha256 = state::hash(&mut file, size)?;
            }
            PathState::File { size, sha256, meta: known, kept }
        } else {
            return Ok(None);
        }))
    }

    /// What comes in the place of a file has the owner and the group of that.
    fn keep_owner(&mut self, top: &Top<'_>, folder: &Dir, name: &OsStr, old: &Metadata) {
        let Ok(new) = folder.symlink_metadata(name) else { return };
        if old.is_dir() || new.is_dir() || os::is_given_to(folder, name, &new, old.uid(), old.gid()) {
            return;
        }
        let shown = self.real_path(top.root, top.path());
        self.draft.notes.push(format!("The owner or the group of {} could not be kept.", shown.display()));
    }
}

/// What goes, and the state of it that a step needs.
struct Goes {
    old: Departure,
    before: Option<PathState>,
}
