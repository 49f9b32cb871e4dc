//! What would be restored, path by path, for the person who is asked.

use std::path::Path;

use deskhand_core::{
    Plan, UndoStep,
    undo::{PathState, UndoEntry},
};

use super::check::{Back, Reversal};
use crate::files::{
    change::state,
    counted::counted,
    diff,
    encoding::{self, Sample},
    text_file,
};

/// Larger files, and more of them, are named and not compared.
const MOST_COMPARED: u64 = 64 * 1024;
const MOST_DIFFS: usize = 5;

pub fn show(plan: Plan, entry: &UndoEntry, reversal: &Reversal) -> Plan {
    let mut text = String::new();
    for back in reversal.steps() {
        text.push_str(&words(back));
        text.push('\n');
    }
    for diff in reversal.steps().filter_map(|back| difference(back, &entry.folder)).take(MOST_DIFFS) {
        text.push('\n');
        text.push_str(&diff);
    }
    diff::show_text(plan, &text)
}

/// One step in words.
pub fn words(back: &Back) -> String {
    let path = back.place.shown();
    match &back.step {
        UndoStep::Move { to, .. } => match &back.moved_to {
            Some(_) => format!("move {} back to {path}", to.display()),
            None => format!("restore {path}"),
        },
        UndoStep::Change { before, after, .. } => match (before, after) {
            (PathState::Absent, PathState::Folder { .. }) => format!("remove the folder {path}"),
            (PathState::Absent, _) => format!("remove {path}"),
            (PathState::Prefix { size }, _) => format!("cut {path} back to {}", bytes(*size)),
            (PathState::File { kept: None, .. }, _) => format!("set back mode and times of {path}"),
            (PathState::File { size, .. }, PathState::Prefix { size: start }) => {
                format!("add again to {path}: {}", bytes(size.saturating_sub(*start)))
            }
            (PathState::File { size, .. }, _) => format!("restore {path}: {}", bytes(*size)),
            (PathState::Link { .. }, _) => format!("restore the link {path}"),
            (PathState::Pipe { .. }, _) => format!("restore the pipe {path}"),
            (PathState::Folder { kept: None, .. }, PathState::Folder { .. }) => {
                format!("set back the mode of the folder {path}")
            }
            (PathState::Folder { .. }, _) => format!("restore the folder {path}"),
        },
    }
}

fn bytes(count: u64) -> String {
    counted(count, "byte")
}

/// The diff from what is there to what would be, where both are small texts.
fn difference(back: &Back, folder: &Path) -> Option<String> {
    let UndoStep::Change { before: PathState::File { kept: Some(kept), size, .. }, after, .. } = &back.step
    else {
        return None;
    };
    if *size > MOST_COMPARED || matches!(after, PathState::Prefix { .. }) {
        return None;
    }
    let old = match after {
        PathState::Absent => String::new(),
        _ => text(&text_file::read_whole(&back.place, MOST_COMPARED).ok()?)?,
    };
    let new = text(&state::read_all(&folder.join(kept)).ok()?)?;
    let name = back.place.name().map(deskhand_guard::paths::show_name)?;
    Some(diff::unified(&name, &old, &new).0)
}

fn text(bytes: &[u8]) -> Option<String> {
    Some(encoding::detect(bytes, Sample::Whole)?.decode(bytes).text)
}
