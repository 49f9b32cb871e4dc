//! Questions among the events: of what is only for the one who is asked, nothing stays there.

use deskhand_core::{EventBody, session::NewEvent};
use rusqlite::{Connection, Params, params};

use super::Tried;
use crate::passing::Question;

const QUESTION: Question = Question { column: "body", at: "$.request" };

/// The questions that these events settle, by session and id.
pub fn settled_by(events: &[NewEvent]) -> Vec<(String, String)> {
    let settled = events.iter().filter_map(|event| match &event.body {
        EventBody::ApprovalSettled { approval_id, .. } => {
            Some((event.session_id.clone(), approval_id.clone()))
        }
        _ => None,
    });
    settled.collect()
}

/// Forgets what is only for the one who was asked. Whether there was any.
pub fn forget(c: &Connection, settled: &[(String, String)]) -> Tried<bool> {
    let mut forgot = false;
    for (session_id, approval_id) in settled {
        forgot |= forget_where(
            c,
            "session_id = ?1 AND first_seq = (
                 SELECT first_seq FROM events
                 WHERE session_id = ?1 AND kind = 'approval_wanted' AND json_extract(body, '$.request.id') = ?2
                 ORDER BY first_seq DESC LIMIT 1)",
            params![session_id, approval_id],
        )?;
    }
    Ok(forgot)
}

/// The same for the questions of a turn that has ended: whoever asked may have been cut off before they were settled.
pub fn forget_all_of(c: &Connection, turn_id: &str) -> Tried<bool> {
    forget_where(
        c,
        "session_id = (SELECT session_id FROM turns WHERE id = ?1)
         AND first_seq >= (SELECT first_seq FROM turns WHERE id = ?1)
         AND turn_id = ?1 AND kind = 'approval_wanted'",
        params![turn_id],
    )
}

fn forget_where(c: &Connection, which: &str, values: impl Params) -> Tried<bool> {
    let (without, has_any) = (QUESTION.without(), QUESTION.has_any());
    let changed = c
        .prepare_cached(&format!("UPDATE events SET body = {without} WHERE {which} AND ({has_any})"))?
        .execute(values)?;
    Ok(changed > 0)
}

#[cfg(test)]
mod tests;
