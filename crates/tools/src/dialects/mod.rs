//! The names that four existing systems have for these tools, one table each.
//!
//! A table has every tool that its system documents, also those that do not exist here yet: they are found once
//! they do. A row whose parameters need more than another name (seconds for milliseconds) is made exact together
//! with its tool; the test of the catalogue lists those, and fails when the tool is there and the row is not exact.

mod countbot;
mod omni;
mod ops;
mod skillmint;
mod text;

use deskhand_core::{Registry, dialect::Parameter};

pub fn register(registry: &mut Registry) {
    registry.add_dialect(omni::DIALECT);
    registry.add_dialect(countbot::DIALECT);
    registry.add_dialect(skillmint::DIALECT);
    registry.add_dialect(ops::DIALECT);
}

/// The schema of a time that others give in seconds.
const SECONDS: &str =
    r#"{"type": "number", "exclusiveMinimum": 0, "maximum": 3600, "description": "Seconds."}"#;

/// What parameters mean that are called otherwise, or can do less, than here.
mod words {
    pub const COMMAND: &str = "The command, as a shell reads it.";
    pub const OLD: &str = "The text to replace, exactly as it stands in the file.";
    pub const NEW: &str = "What to put in its place.";
    pub const FOLDER: &str = "Folder; relative paths start at the workspace.";
    pub const WINDOW: &str =
        "The window: its handle from list_windows, or its title where no other window has it.";
}

/// Systems that know no ignore files search hidden and ignored files, too.
const EVERY_FILE: &str = r#"{"include_hidden": true, "respect_gitignore": false}"#;

/// Short, so that the tables read as tables.
const fn required(name: &'static str) -> Parameter {
    Parameter::required(name)
}

const fn optional(name: &'static str) -> Parameter {
    Parameter::optional(name)
}
