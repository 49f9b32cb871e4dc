//! A new file from what a page gave: through the path policy, in place of nothing, and in the undo journal.

use std::sync::Arc;

use deskhand_core::{Cx, ToolError, ToolResult};
use deskhand_guard::{NewFiles, PathArg, PathsOf, Place};

/// Where it may go: a name that is not taken, in a folder that is there.
pub fn place(cx: &Cx, path: &PathArg, ending: &str) -> ToolResult<Place> {
    let place = cx.paths()?.writable_entry(path)?;
    if !place.name().is_some_and(|name| name.to_string_lossy().to_lowercase().ends_with(ending)) {
        let message = format!("{} has to end in {ending}.", place.shown());
        return Err(ToolError::invalid("wrong_ending", message));
    }
    if place.exists() {
        let message = format!("{} is there already, and is not written over.", place.shown());
        return Err(ToolError::invalid("already_exists", message).hint("Give another path."));
    }
    place.parent()?;
    Ok(place)
}

/// Writes it, as the file tools do.
pub fn write(cx: &Cx, place: &Place, mut content: &[u8]) -> ToolResult<()> {
    let summary = cx.mask(&format!("Wrote {}", place.shown()));
    cx.service::<Arc<dyn NewFiles>>()?.write_new(place, &mut content, &summary, cx)?;
    Ok(())
}
