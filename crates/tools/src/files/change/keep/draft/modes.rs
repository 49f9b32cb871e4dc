//! Modes of folders: opened before anything is done in them, and set at the end.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use cap_std::fs::MetadataExt;
use deskhand_core::{ToolError, ToolResult, UndoStep};

use super::super::{
    super::folders::folder_mode,
    action::{Action, Identity, Work},
    handles::Handles,
    scrub::OWNER,
};

/// What has to be so of a folder in which entries come and go.
const WORKABLE: u32 = 0o300;

/// Folders whose mode changes, for good or for the time of the work.
#[derive(Default)]
pub struct FolderModes(BTreeMap<(usize, PathBuf), FolderMode>);

struct FolderMode {
    entry: Identity,
    now: u32,
    end: u32,
    is_journaled: bool,
    /// Something is done in it.
    has_work: bool,
}

impl FolderModes {
    /// The command changed the mode of a folder.
    pub fn change(
        &mut self,
        root: usize,
        path: &Path,
        entry: Identity,
        (now, end): (u32, u32),
        is_journaled: bool,
    ) {
        let mode = FolderMode { entry, now, end, is_journaled, has_work: false };
        self.0.insert((root, path.to_path_buf()), mode);
    }

    /// The actions with those before that open the folders, and those after that set their modes, the deepest first.
    pub fn around(
        mut self,
        actions: Vec<Action>,
        real: &Handles,
        shown: &dyn Fn(usize, &Path) -> PathBuf,
    ) -> ToolResult<Vec<Action>> {
        self.add_parents(&actions, real, shown)?;
        let mut open = Vec::new();
        let mut close = Vec::new();
        for ((root, path), folder) in self.0 {
            let opened = if folder.has_work { folder.now | open_bits(folder.now) } else { folder.now };
            let set = |list: &mut Vec<Action>, from: u32, to: u32| {
                if from != to {
                    let change = || UndoStep::Change {
                        path: shown(root, &path),
                        before: folder_mode(from),
                        after: folder_mode(to),
                    };
                    let steps = if folder.is_journaled { vec![change()] } else { Vec::new() };
                    let work = Work::Mode { entry: folder.entry, was: from, mode: to };
                    list.push(Action { root, path: path.clone(), work, steps });
                }
            };
            set(&mut open, folder.now, opened);
            set(&mut close, opened, folder.end);
        }
        Ok(open.into_iter().chain(actions).chain(close.into_iter().rev()).collect())
    }

    fn add_parents(
        &mut self,
        actions: &[Action],
        real: &Handles,
        shown: &dyn Fn(usize, &Path) -> PathBuf,
    ) -> ToolResult<()> {
        let mut last: Option<(usize, &Path)> = None;
        for action in actions {
            let Some(parent) = action.path.parent() else { continue };
            let is_journaled = !action.steps.is_empty();
            if !matches!(action.work, Work::Mode { .. })
                && (last != Some((action.root, parent)) || is_journaled)
            {
                self.add_parent(action.root, parent, is_journaled, real)
                    .map_err(|error| ToolError::io("look at", &shown(action.root, parent), &error))?;
                last = Some((action.root, parent));
            }
        }
        Ok(())
    }

    fn add_parent(
        &mut self,
        root: usize,
        path: &Path,
        is_journaled: bool,
        real: &Handles,
    ) -> std::io::Result<()> {
        if let Some(known) = self.0.get_mut(&(root, path.to_path_buf())) {
            known.has_work = true;
            known.is_journaled |= is_journaled;
            return Ok(());
        }
        let Some(meta) = real.look(root, path)? else { return Ok(()) };
        let now = meta.mode() & 0o7777;
        // Only its owner can change it, and only for him do these bits count.
        if open_bits(now) != 0 && meta.uid() == rustix::process::geteuid().as_raw() {
            let entry = Identity::of(&meta);
            let folder = FolderMode { entry, now, end: now, is_journaled, has_work: true };
            self.0.insert((root, path.to_path_buf()), folder);
        }
        Ok(())
    }
}

/// What is missing for work in a folder of that mode.
fn open_bits(mode: u32) -> u32 {
    if mode & WORKABLE == WORKABLE { 0 } else { OWNER }
}
