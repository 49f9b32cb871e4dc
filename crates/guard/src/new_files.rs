//! New files, for tools of crates that do not have the file tools' way of writing.

use std::io::Read;

use deskhand_core::{Cx, ToolResult};

use crate::Place;

/// Writes new files as the file tools do: into the undo journal first, whole or not at all, following no link. A service,
/// as `Arc<dyn NewFiles>`.
pub trait NewFiles: Send + Sync {
    /// Writes all that `from` gives to a place where nothing is yet. Returns its size, and what is to be said about it.
    /// It waits for the disk.
    fn write_new(
        &self,
        place: &Place,
        from: &mut dyn Read,
        summary: &str,
        cx: &Cx,
    ) -> ToolResult<(u64, Vec<String>)>;
}
