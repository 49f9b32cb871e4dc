//! What the calls of a turn changed and nobody has taken back yet: what there is to undo of a turn.

use std::collections::HashSet;

use super::{Owner, PageAsk, SessionResult, SessionStore, ToolCallQuery};
use crate::{
    id::CallId,
    undo::{UndoEntry, UndoJournal},
};

/// How many of the newest calls are looked through.
const MOST_CALLS: u64 = 1_000;

/// Which turn is meant.
#[derive(Clone, Copy, Debug)]
pub enum WhichTurn<'a> {
    /// The newest that changed something.
    Newest,
    /// The one that this call was made in.
    OfCall(CallId),
    /// The one of this id.
    Named(&'a str),
}

/// The calls of a turn of this owner's whose changes are still there, the last one first. `None`: there is no such turn.
pub fn changes_of_turn(
    store: &dyn SessionStore,
    journal: &dyn UndoJournal,
    (owner, session_id): (&Owner, Option<&str>),
    which: WhichTurn<'_>,
) -> SessionResult<Option<Vec<CallId>>> {
    let calls = |turn_id: Option<&str>| {
        store.tool_calls(&ToolCallQuery {
            page: PageAsk { page: 1, size: MOST_CALLS },
            owner: owner.clone(),
            session_id: session_id.map(str::to_owned),
            turn_id: turn_id.map(str::to_owned),
            tool: None,
        })
    };
    let entries = journal.recent(usize::try_from(MOST_CALLS).unwrap_or(usize::MAX))?;
    let mut there: HashSet<CallId> = HashSet::new();
    for entry in &entries {
        if !entry.is_undone(journal)? {
            there.insert(entry.call);
        }
    }
    let turn_id = match which {
        WhichTurn::Named(id) => Some(id.to_owned()),
        WhichTurn::Newest | WhichTurn::OfCall(_) => {
            let newest = calls(None)?.items;
            let of_turn = newest.into_iter().find(|row| match which {
                WhichTurn::OfCall(id) => row.call_id == id,
                _ => row.undo.is_some_and(|call| there.contains(&call)),
            });
            of_turn.map(|row| row.turn_id)
        }
    };
    let Some(turn_id) = turn_id else { return Ok(None) };
    let rows = calls(Some(&turn_id))?.items;
    if rows.is_empty() {
        return Ok(None);
    }
    let made: Vec<CallId> = rows.into_iter().filter_map(|row| row.undo).collect();
    // An undo of what the turn itself had changed leaves nothing to take back.
    let undid = |undo: &CallId| {
        let own = |entry: &&UndoEntry| made.contains(&entry.call);
        entries.iter().filter(own).any(|entry| entry.undone_by == Some(*undo))
    };
    Ok(Some(made.iter().copied().filter(|call| there.contains(call) && !undid(call)).collect()))
}
