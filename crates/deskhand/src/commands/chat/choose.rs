//! Which session, and where in it.

use std::path::Path;

use anyhow::Result;
use deskhand_core::session::{PageAsk, Session, SessionQuery, SessionStore};

/// How many of the newest sessions are looked at for one of this workspace.
const LOOKED_AT: u64 = 200;

/// The session that changed last in this workspace, and in which something was said.
pub fn last(store: &dyn SessionStore, workspace: &Path) -> Result<Option<Session>> {
    let page = PageAsk { page: 1, size: LOOKED_AT };
    let found = store.sessions(&SessionQuery { page, archived: Some(false), deleted: false })?;
    let here = |session: &Session| {
        session.message_count > 0 && session.metadata.workspace.as_deref() == Some(workspace)
    };
    Ok(found.items.into_iter().find(here))
}

/// The number of the last event of a session, 0 if there is none. Numbers grow by one, so it is found by halving.
pub fn last_event(store: &dyn SessionStore, session: &str) -> Result<u64> {
    let any_after = |after: u64| -> Result<bool> { Ok(!store.events(session, after, 1)?.is_empty()) };
    let mut step = 1_u64;
    while step < u64::MAX / 2 && any_after(step)? {
        step *= 2;
    }
    // There is none after `high`.
    let (mut low, mut high) = (0, step);
    while low < high {
        let middle = low + (high - low) / 2;
        if any_after(middle)? {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}
