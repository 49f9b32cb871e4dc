//! Keeping what is too long to hand over at once.

use std::path::PathBuf;

use crate::{error::StoreResult, id::CallId, screener::Masked};

/// The prefix of handles under which `read_file` reads kept outputs.
pub const HANDLE_PREFIX: &str = "out:";

/// Keeps whole outputs, masked, by call.
pub trait OutputKeeper: Send + Sync {
    fn keep(&self, call: CallId, text: &Masked) -> StoreResult<()>;
    /// The file of a kept output; `None` if there is none.
    fn path(&self, call: CallId) -> Option<PathBuf>;
}

/// `out:CALL_ID`
pub fn handle(call: CallId) -> String {
    format!("{HANDLE_PREFIX}{call}")
}
