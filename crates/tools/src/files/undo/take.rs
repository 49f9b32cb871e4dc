//! Taking back one step: a change like any other, made and written down by `change`.

use std::{fs::File, io::Read, path::Path};

use deskhand_core::{ToolResult, UndoStep, undo::PathState};
use deskhand_guard::{Kind, Place};

use super::check::Back;
use crate::files::change::Changes;

/// `folder` is that of the entry which is taken back.
pub fn back(changes: &mut Changes<'_>, back: &Back, folder: &Path) -> ToolResult<()> {
    let place = &back.place;
    match &back.step {
        UndoStep::Move { to, .. } => match &back.moved_to {
            Some(target) => changes.move_entry(target, place),
            None => changes.restore_moved(to, place),
        },
        UndoStep::Change { before, after, .. } => match before {
            PathState::Absent if matches!(after, PathState::Folder { kept: None, .. }) => {
                changes.remove_empty_folder(place)
            }
            PathState::Absent => changes.remove_entry(place),
            PathState::Prefix { size } => changes.cut_file(place, *size),
            PathState::File { kept: None, meta, .. } => changes.set_meta(place, meta),
            PathState::File { kept: Some(kept), meta, .. } => {
                let kept = folder.join(kept);
                if matches!(after, PathState::Prefix { .. }) {
                    return add_again(changes, place, &kept);
                }
                make_way(changes, place)?;
                changes.put_back_file(&kept, place, meta)
            }
            PathState::Link { target, meta } => {
                make_way(changes, place)?;
                changes.put_link(place, target, meta)
            }
            PathState::Pipe { meta } => {
                make_way(changes, place)?;
                changes.put_pipe(place, meta)
            }
            PathState::Folder { kept: None, meta } if matches!(after, PathState::Folder { .. }) => {
                changes.set_folder_mode(place, meta)
            }
            PathState::Folder { kept: None, meta } => changes.restore_folder(place, meta),
            PathState::Folder { kept: Some(kept), meta } => {
                changes.restore_copied(&folder.join(kept), place, meta)
            }
        },
    }
}

/// A file or a link is replaced; a folder has to go first.
fn make_way(changes: &mut Changes<'_>, place: &Place) -> ToolResult<()> {
    match place.kind() {
        Kind::File | Kind::Link | Kind::Absent => Ok(()),
        _ => changes.remove_entry(place),
    }
}

fn add_again(changes: &mut Changes<'_>, place: &Place, kept: &Path) -> ToolResult<()> {
    let mut tail = Vec::new();
    let read = File::open(kept).and_then(|mut file| file.read_to_end(&mut tail));
    read.map_err(|error| place.io("put back", &error))?;
    changes.append_to_file(place, &tail).map(|_| ())
}
