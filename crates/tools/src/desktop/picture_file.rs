//! The file that a picture is written to.

use deskhand_core::{Cx, ToolError, ToolResult};
use deskhand_guard::{Kind, PathArg, PathsOf, Place};

use crate::files::change::Changes;

/// Where a new picture may go. It replaces nothing.
pub(super) fn place(arg: &PathArg, cx: &Cx) -> ToolResult<Place> {
    let place = cx.paths()?.writable(arg)?;
    if !place.name().is_some_and(|name| name.to_string_lossy().to_lowercase().ends_with(".png")) {
        let message = format!("{} is no name for a picture: it has to end in .png.", place.shown());
        return Err(ToolError::invalid("not_a_png", message));
    }
    if place.kind() != Kind::Absent {
        let message = format!("{} exists already.", place.shown());
        return Err(ToolError::new("already_exists", message).hint("Give another path, or none."));
    }
    Ok(place)
}

/// Writes it.
pub(super) fn write(place: &Place, file: &[u8], cx: &Cx) -> ToolResult<()> {
    let mut changes = Changes::begin(cx, format!("Wrote the picture {}", place.shown()))?;
    let written = changes.write_file(place, file);
    changes.end(written).map(|_| ())
}
