//! What a call has done and not kept yet: the changes of a command on its layer.

use std::fmt;

use crate::{changed::ChangeSummary, cx::Cx, error::ToolResult, plan::Plan};

/// Changes that wait to be kept. Dropped, they are discarded.
pub struct Held {
    /// What keeping them would do. It is decided and asked about like any plan.
    pub plan: Plan,
    pub changes: ChangeSummary,
    keep: Box<Keep>,
}

/// Keeps the changes, all of them or none; the notes are for the caller. It may block.
type Keep = dyn FnOnce(&Cx) -> ToolResult<Vec<String>> + Send;

impl Held {
    pub fn new(
        plan: Plan,
        changes: ChangeSummary,
        keep: impl FnOnce(&Cx) -> ToolResult<Vec<String>> + Send + 'static,
    ) -> Self {
        Self { plan, changes, keep: Box::new(keep) }
    }

    pub(crate) fn keep(self, cx: &Cx) -> ToolResult<Vec<String>> {
        (self.keep)(cx)
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held").field("plan", &self.plan).finish_non_exhaustive()
    }
}
