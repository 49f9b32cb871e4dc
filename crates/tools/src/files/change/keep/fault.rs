//! For tests: a process that is killed before any of its steps. Outside of tests nothing of it is left.

#[cfg(test)]
pub use self::injected::{crash_after, has_crashed, step};

#[cfg(test)]
mod injected {
    use std::cell::Cell;

    use deskhand_core::{ToolError, ToolResult};

    thread_local! {
        static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
        static CRASHED: Cell<bool> = const { Cell::new(false) };
    }

    /// Lets the step after the next `steps` ones on this thread be the last; `None`: none is.
    pub fn crash_after(steps: Option<usize>) {
        LEFT.set(steps);
        CRASHED.set(false);
    }

    /// Something is about to be done on disk.
    pub fn step() -> ToolResult<()> {
        match LEFT.get() {
            Some(0) => {
                CRASHED.set(true);
                Err(ToolError::new("crashed", "The process was killed."))
            }
            left => {
                LEFT.set(left.map(|left| left - 1));
                Ok(())
            }
        }
    }

    /// A process that was killed clears nothing up.
    pub fn has_crashed() -> bool {
        CRASHED.get()
    }
}

#[cfg(not(test))]
#[allow(clippy::unnecessary_wraps, reason = "as in tests")]
pub fn step() -> deskhand_core::ToolResult<()> {
    Ok(())
}

#[cfg(not(test))]
pub fn has_crashed() -> bool {
    false
}
