//! A new file from what a page gave: through the path policy, in place of nothing, and in the undo journal.

use std::{
    io::{self, Write},
    path::Path,
    sync::Arc,
};

use deskhand_core::{
    Cx, Time, ToolError, ToolResult, UndoJournal, UndoStep, arguments,
    undo::{Meta, PathState, UndoHeader},
};
use deskhand_guard::{Kind, PathArg, PathsOf, Place};

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

/// Writes it. What will be there is in the journal before it is.
pub fn write(cx: &Cx, place: &Place, content: &[u8]) -> ToolResult<()> {
    let journal = cx.service::<Arc<dyn UndoJournal>>()?;
    let header = UndoHeader {
        call: cx.call_id(),
        tool: cx.tool().to_owned(),
        summary: cx.mask(&format!("Wrote {}", place.shown())),
        session_id: cx.session_id().to_owned(),
        owner: cx.owner().map(str::to_owned),
        at: Time::now(),
        undoes: None,
    };
    journal.open(&header, 0)?;
    let after = PathState::File {
        size: content.len() as u64,
        sha256: arguments::sha256_hex(content),
        meta: Meta::default(),
        kept: None,
    };
    let path = place.path().to_path_buf();
    journal.append(cx.call_id(), &UndoStep::Change { path, before: PathState::Absent, after })?;
    let failed = |error: io::Error| place.io("write", &error);
    let mut file = place.create_new()?;
    if let Err(error) = file.write_all(content).and_then(|()| file.sync_all()) {
        // Half a file is none.
        let _ = place.parent()?.remove_file(Path::new(place.name().unwrap_or_default()));
        return Err(failed(error));
    }
    cx.undo_was_recorded();
    Ok(())
}

/// Takes away what this call has written, for good: a person keeps it from whoever asked.
pub fn take_away(cx: &Cx) -> ToolResult<()> {
    let Some(written) = cx.plan().and_then(|plan| plan.touches.iter().find(|touch| touch.access.writes()))
    else {
        return Ok(());
    };
    let place = cx.paths()?.writable_entry(&PathArg::new(written.path.to_string_lossy()))?;
    let Some(name) = place.name().filter(|_| place.kind() == Kind::File) else { return Ok(()) };
    place.parent()?.remove_file(name).map_err(|error| place.io("remove", &error))
}
