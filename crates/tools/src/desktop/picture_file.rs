//! The file that a picture is written to.

use std::{
    collections::BTreeSet,
    io::Write,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use deskhand_core::{Cx, ToolError, ToolResult, undo::Meta};
use deskhand_guard::{Kind, PathArg, PathsOf, Place};

use crate::files::change::{Changes, Look};

/// The code of the error for a name that is taken.
pub(super) const ALREADY_EXISTS: &str = "already_exists";

/// Where a new picture may go. It replaces nothing.
pub(super) fn place(arg: &PathArg, cx: &Cx) -> ToolResult<Place> {
    let place = cx.paths()?.writable(arg)?;
    if !place.name().is_some_and(|name| name.to_string_lossy().to_lowercase().ends_with(".png")) {
        let message = format!("{} is no name for a picture: it has to end in .png.", place.shown());
        return Err(ToolError::invalid("not_a_png", message));
    }
    if place.kind() != Kind::Absent {
        let message = format!("{} exists already.", place.shown());
        return Err(ToolError::new(ALREADY_EXISTS, message).hint("Give another path, or none."));
    }
    Ok(place)
}

/// Who may read a new picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readers {
    /// As with any new file there.
    Usual,
    /// In a folder that everyone has: its owner alone.
    Owner,
}

/// Writes it.
pub(super) fn write(place: &Place, file: &[u8], readers: Readers, cx: &Cx) -> ToolResult<()> {
    let look = match readers {
        Readers::Usual => Look::Kept,
        Readers::Owner => Look::Given(Meta { mode: Some(0o600), ..Meta::default() }),
    };
    let mut changes = Changes::begin(cx, format!("Wrote the picture {}", place.shown()))?;
    let written =
        changes.replace_file(place, look, |to| to.write_all(file).map_err(|error| place.io("write", &error)));
    changes.end(written).map(|_| ())
}

/// The files that this process will write once a person has seen the pictures.
static PROMISED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn promised() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    // Every single step leaves the set whole.
    PROMISED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The name of a picture that waits for its person, and is not on disk yet. It is free again when this is dropped.
pub(super) struct Promise(PathBuf);

impl Promise {
    /// Where another call has just taken the name, this one is planned again.
    pub fn make(path: &Path) -> ToolResult<Self> {
        if promised().insert(path.to_owned()) {
            return Ok(Self(path.to_owned()));
        }
        Err(ToolError::plan_changed(format!("{} is the name of another new picture.", path.display())))
    }

    pub fn is_made(path: &Path) -> bool {
        promised().contains(path)
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        promised().remove(&self.0);
    }
}
