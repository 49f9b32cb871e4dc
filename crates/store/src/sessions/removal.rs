//! Deleting a session, for good or out of sight, and bringing it back.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use deskhand_core::{
    Time,
    session::{Session, SessionError},
};
use rusqlite::{Connection, OptionalExtension, params};

use super::{Tried, holder::Holders, invalid, kept, rows, search};
use crate::error::Doing;

/// How many messages are taken out of the index in one transaction.
const AT_ONCE: usize = 20;

/// Refuses while a turn is under way. One whose process is gone will not go on, and holds nothing up.
fn check_idle(c: &Connection, id: &str, holders: &Holders) -> Tried<()> {
    let mark: Option<String> = c
        .prepare_cached("SELECT process FROM turns WHERE session_id = ? AND state = 'open'")?
        .query_row([id], |row| row.get(0))
        .optional()?;
    match mark {
        Some(mark) if !holders.is_gone(&mark) => Err(SessionError::Busy(id.to_owned()).into()),
        _ => Ok(()),
    }
}

pub fn soft(c: &Connection, id: &str, holders: &Holders) -> Tried<()> {
    rows::get(c, id)?;
    check_idle(c, id, holders)?;
    let now = Time::now();
    c.prepare_cached("UPDATE sessions SET deleted_at = ?2 WHERE id = ?1")?
        .execute(params![id, now.to_string()])?;
    rows::touch(c, id, now)
}

pub fn restore(c: &Connection, id: &str) -> Tried<Session> {
    if rows::get_any(c, id)?.deleted_at.is_none() {
        return Err(invalid(format!("the session {id} is not deleted: there is nothing to restore")));
    }
    c.prepare_cached("UPDATE sessions SET deleted_at = NULL WHERE id = ?")?.execute([id])?;
    search::add_missing(c, id)?;
    rows::touch(c, id, Time::now())?;
    rows::get(c, id)
}

/// Whether more has to be done before the session can go at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    Begun,
    Ready,
}

/// The first part of deleting a large session for good. Overwriting words in the index takes long, and nobody else
/// can write meanwhile, so it is done for some messages at a time, with the session out of sight. If it ends in
/// between, the session is deleted softly: it can be deleted again, or restored, which makes its words findable again.
pub fn forget_some(c: &Connection, id: &str, so_far: Option<Progress>, holders: &Holders) -> Tried<Progress> {
    let session = rows::get_any(c, id)?;
    check_idle(c, id, holders)?;
    if !search::has_more_than(c, id, AT_ONCE)? {
        return Ok(Progress::Ready);
    }
    match (session.deleted_at, so_far) {
        (None, None) => soft(c, id, holders)?,
        (None, Some(_)) => {
            return Err(invalid(format!("the session {id} was restored while it was being deleted")));
        }
        (Some(_), _) => {}
    }
    search::forget_messages(c, id, AT_ONCE)?;
    Ok(Progress::Begun)
}

/// The files that go with a session.
pub struct Files<'a> {
    /// The folder of all uploads.
    pub uploads: &'a Path,
    pub outputs: Vec<PathBuf>,
}

/// Also of a session that was deleted softly before. The files go first: if this ends in between, the session is
/// still there to be deleted again, and no file is left that nothing leads to.
pub fn hard(c: &Connection, id: &str, files: &Files<'_>, holders: &Holders) -> Tried<()> {
    let session = rows::get_any(c, id)?;
    check_idle(c, id, holders)?;
    search::forget_messages(c, id, usize::MAX)?;
    rows::forget_title(c, &session)?;
    c.prepare_cached("DELETE FROM sessions WHERE id = ?")?.execute([id])?;
    kept::remove(&files.outputs)?;
    let folder = files.uploads.join(id);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Ok(Err(error).doing(|| format!("remove the uploads in {}", folder.display()))?)
        }
        _ => Ok(()),
    }
}
