//! Waiting between two looks: use of the processor is a difference over time.

use std::{
    thread,
    time::{Duration, Instant},
};

use deskhand_core::{Cx, ToolError, ToolResult};

/// How soon a cancelled wait ends.
const SLICE: Duration = Duration::from_millis(50);

/// Waits on a thread that may block. Ends early, with an error, when the call is cancelled.
pub(super) fn pause(cx: &Cx, time: Duration) -> ToolResult<()> {
    let end = Instant::now() + time;
    loop {
        cx.check()?;
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        thread::sleep(left.min(SLICE));
    }
}

/// The system did not tell something that everything else needs.
pub(super) fn not_told(what: &str, error: &sysinfo::Error) -> ToolError {
    ToolError::new("not_told", format!("The system does not tell its {what}: {error}."))
        .hint("On Linux this needs /proc to be mounted and readable.")
}
