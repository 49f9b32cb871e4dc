//! Messages that wait for the end of the turn that is under way.

use deskhand_core::{
    Time,
    session::{QueuedMessage, SessionError},
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{MAX_TEXT, Tried, from_json, from_text, invalid, json, rows, uploads};

/// The most messages that wait in one session.
const MOST: usize = 20;
const COLUMNS: &str = "id, content, uploads, created_at, held";

fn from_row(row: &Row<'_>) -> rusqlite::Result<QueuedMessage> {
    Ok(QueuedMessage {
        id: row.get(0)?,
        content: row.get(1)?,
        uploads: from_json(row, 2)?,
        created_at: from_text(row, 3)?,
        held: row.get(4)?,
    })
}

pub fn add(c: &Connection, session: &str, content: &str, files: &[String]) -> Tried<QueuedMessage> {
    rows::get(c, session)?;
    check(content, files)?;
    uploads::check(c, session, files)?;
    if list(c, session)?.len() >= MOST {
        return Err(invalid(format!(
            "{MOST} messages wait already; remove one, or wait for the turn to end"
        )));
    }
    let added = c
        .prepare_cached(&format!(
            "INSERT INTO queued_messages (session_id, content, uploads, created_at) VALUES (?, ?, ?, ?) RETURNING {COLUMNS}"
        ))?
        .query_row(
            params![session, content, json("the uploads of a message", &files)?, Time::now().to_string()],
            from_row,
        )?;
    Ok(added)
}

fn check(content: &str, files: &[String]) -> Tried<()> {
    if content.trim().is_empty() && files.is_empty() {
        return Err(invalid("the message is empty"));
    }
    if content.len() > MAX_TEXT {
        return Err(invalid(format!("the message has {} bytes; at most {MAX_TEXT} are kept", content.len())));
    }
    Ok(())
}

pub fn list(c: &Connection, session: &str) -> Tried<Vec<QueuedMessage>> {
    rows::get(c, session)?;
    let mut query =
        c.prepare_cached(&format!("SELECT {COLUMNS} FROM queued_messages WHERE session_id = ? ORDER BY id"))?;
    Ok(query.query_map([session], from_row)?.collect::<rusqlite::Result<_>>()?)
}

pub fn edit(c: &Connection, session: &str, id: i64, content: &str) -> Tried<QueuedMessage> {
    rows::get(c, session)?;
    let edited = c
        .prepare_cached(&format!(
            "UPDATE queued_messages SET content = ?3, held = 0 WHERE session_id = ?1 AND id = ?2 RETURNING {COLUMNS}"
        ))?
        .query_row(params![session, id, content], from_row)
        .optional()?
        .ok_or_else(|| SessionError::NoSuchMessage(session.to_owned(), id))?;
    check(content, &edited.uploads)?;
    Ok(edited)
}

/// What waits now waits for the person.
pub fn hold(c: &Connection, session: &str) -> Tried<()> {
    c.prepare_cached("UPDATE queued_messages SET held = 1 WHERE session_id = ?")?.execute([session])?;
    Ok(())
}

pub fn remove(c: &Connection, session: &str, id: i64) -> Tried<QueuedMessage> {
    rows::get(c, session)?;
    let removed = c
        .prepare_cached(&format!(
            "DELETE FROM queued_messages WHERE session_id = ? AND id = ? RETURNING {COLUMNS}"
        ))?
        .query_row(params![session, id], from_row)
        .optional()?;
    Ok(removed.ok_or_else(|| SessionError::NoSuchMessage(session.to_owned(), id))?)
}
