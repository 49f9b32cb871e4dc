//! Keeping what is too long to hand over at once.

use std::path::{Path, PathBuf};

use crate::{error::StoreResult, id::CallId, screener::Masked};

/// The prefix of handles under which `read_file` reads kept outputs.
pub const HANDLE_PREFIX: &str = "out:";

/// Keeps whole outputs, masked, by call.
pub trait OutputKeeper: Send + Sync {
    fn keep(&self, call: CallId, text: &Masked) -> StoreResult<()>;
    /// The file of a kept output; `None` if there is none.
    fn path(&self, call: CallId) -> Option<PathBuf>;
    /// Remembers that what is kept of this call holds text from outside.
    fn mark_outside(&self, call: CallId, source: &str) -> StoreResult<()>;
    /// The call that this file was kept of, if it is a kept output.
    fn call_of(&self, path: &Path) -> Option<CallId>;
    /// Where text in this file comes from, if it is a kept output with text from outside.
    fn source_of(&self, path: &Path) -> Option<String>;
}

/// `out:CALL_ID`
pub fn handle(call: CallId) -> String {
    format!("{HANDLE_PREFIX}{call}")
}

/// The calls whose handles stand in a text.
pub fn handles_in(text: &str) -> impl Iterator<Item = CallId> {
    /// A UUID in its usual form.
    const LENGTH: usize = 36;
    text.match_indices(HANDLE_PREFIX).filter_map(|(at, prefix)| {
        let start = at + prefix.len();
        CallId::parse(text.get(start..start + LENGTH)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_found_in_prose_and_json() {
        let [a, b] = [(); 2].map(|()| CallId::new());
        let text = format!("see {} and {{\"full\":\"{}\"}}, not out:nothing or out:", handle(a), handle(b));
        assert_eq!(handles_in(&text).collect::<Vec<_>>(), [a, b]);
    }
}
