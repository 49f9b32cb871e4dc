//! Which session to go on with.

use std::path::Path;

use anyhow::Result;
use deskhand_core::session::{Owner, PageAsk, Session, SessionQuery, SessionStore};

/// How many of the newest sessions are looked at for one of this workspace.
const LOOKED_AT: u64 = 200;

/// The session of this installation's owner that changed last in this workspace, and in which something was said.
pub fn last(store: &dyn SessionStore, workspace: &Path) -> Result<Option<Session>> {
    let page = PageAsk { page: 1, size: LOOKED_AT };
    let found = store.sessions(&SessionQuery {
        page,
        owner: Owner::Only(None),
        archived: Some(false),
        deleted: false,
    })?;
    let here = |session: &Session| {
        session.message_count > 0 && session.metadata.workspace.as_deref() == Some(workspace)
    };
    Ok(found.items.into_iter().find(here))
}
