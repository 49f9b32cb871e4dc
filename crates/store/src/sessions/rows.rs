//! Sessions themselves, without what is in them.

use deskhand_core::{
    Time,
    id::new_id,
    session::{NewSession, Page, Session, SessionError, SessionMeta, SessionQuery, TitledBy, UNTITLED},
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    MAX_METADATA, Tried, bounded_json, from_json, from_text, invalid, offset_and_limit, owner_column, search,
    wanted_owner,
};

const COLUMNS: &str = "id, title, title_locked, created_at, updated_at, message_count, is_archived, deleted_at, metadata, owner";

const MAX_TITLE: usize = 200;
const MAX_ID: usize = 100;
const MAX_OWNER: usize = 200;

/// The shortest end of an id that is looked for.
const SHORTEST_PART: usize = 6;

/// How many candidates are named where an end of an id is not enough.
const NAMED: usize = 5;

fn from_row(row: &Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        id: row.get(0)?,
        title: row.get(1)?,
        title_locked: row.get(2)?,
        created_at: from_text(row, 3)?,
        updated_at: from_text(row, 4)?,
        message_count: row.get(5)?,
        is_archived: row.get(6)?,
        deleted_at: row.get_ref(7)?.as_str_or_null()?.map(|_| from_text(row, 7)).transpose()?,
        metadata: from_json(row, 8)?,
        owner: row.get::<_, Option<String>>(9)?.filter(|owner| !owner.is_empty()),
    })
}

/// The session, also where it was deleted softly.
pub fn get_any(c: &Connection, id: &str) -> Tried<Session> {
    let mut query = c.prepare_cached(&format!("SELECT {COLUMNS} FROM sessions WHERE id = ?"))?;
    let found = query.query_row([id], from_row).optional()?;
    Ok(found.ok_or_else(|| SessionError::NoSuchSession(id.to_owned()))?)
}

pub fn get(c: &Connection, id: &str) -> Tried<Session> {
    let session = get_any(c, id)?;
    if session.deleted_at.is_some() {
        return Err(SessionError::NoSuchSession(id.to_owned()).into());
    }
    Ok(session)
}

pub fn create(c: &Connection, new: &NewSession) -> Tried<Session> {
    let now = Time::now();
    let id = new.id.clone().unwrap_or_else(new_id);
    check_id(&id)?;
    check_owner(new.owner.as_deref())?;
    let there = c.prepare_cached("SELECT 1 FROM sessions WHERE id = ?")?.exists([&id])?;
    if there {
        return Err(invalid(format!("there is a session {id} already, or there was: choose another id")));
    }
    let session = Session {
        id,
        owner: new.owner.clone(),
        title: new.title.as_deref().map_or(Ok(UNTITLED.to_owned()), clean_title)?,
        title_locked: new.title.is_some(),
        created_at: now,
        updated_at: now,
        message_count: 0,
        is_archived: false,
        deleted_at: None,
        metadata: new.metadata.clone(),
    };
    insert(c, &session)?;
    Ok(session)
}

/// An empty session; its messages are counted as they come.
pub fn insert(c: &Connection, session: &Session) -> Tried<()> {
    let metadata = bounded_json("the metadata of the session", &session.metadata, MAX_METADATA)?;
    c.prepare_cached(
        "INSERT INTO sessions (id, title, title_locked, created_at, updated_at, metadata, owner, changed)
         SELECT ?, ?, ?, ?, ?, ?, ?, COALESCE(MAX(changed), 0) + 1 FROM sessions",
    )?
    .execute(params![
        session.id,
        session.title,
        session.title_locked,
        session.created_at.to_string(),
        session.updated_at.to_string(),
        metadata,
        owner_column(session.owner.as_deref()),
    ])?;
    index_title(c, session)
}

fn index_title(c: &Connection, session: &Session) -> Tried<()> {
    // Nobody looks for what has no title by the word for that.
    if session.title == UNTITLED { Ok(()) } else { search::add(c, &session.id, None, &session.title) }
}

pub fn forget_title(c: &Connection, session: &Session) -> Tried<()> {
    if session.title == UNTITLED { Ok(()) } else { search::forget(c, &session.id, None, &session.title) }
}

/// It stands in paths, and on file systems that do not tell `A` from `a`.
pub fn check_id(id: &str) -> Tried<()> {
    let plain = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-' | '_' | '.');
    if id.len() > MAX_ID || !id.starts_with(|c: char| c.is_ascii_alphanumeric()) || !id.chars().all(plain) {
        return Err(invalid(format!(
            "{id:?} cannot be the id of a session: 1 to {MAX_ID} of the characters a-z, 0-9, '-', '_' and '.', \
             the first of them a letter or digit"
        )));
    }
    Ok(())
}

/// The owner of the installation has no name, and nobody else has none.
pub fn check_owner(owner: Option<&str>) -> Tried<()> {
    match owner {
        Some(name) if name.is_empty() || name.len() > MAX_OWNER || name.contains(char::is_control) => {
            Err(invalid(format!(
                "{name:?} cannot be the owner of a session: 1 to {MAX_OWNER} bytes without control characters"
            )))
        }
        _ => Ok(()),
    }
}

/// On one line, without what a terminal would obey.
pub fn clean_title(title: &str) -> Tried<String> {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    // Only so much is looked at as can make a title.
    let start: String = title.chars().take(MAX_TITLE * 50).map(plain).collect();
    let clean = start.split_whitespace().collect::<Vec<_>>().join(" ");
    let length = clean.chars().count();
    if clean.is_empty() {
        return Err(invalid("a title cannot be empty: give at least one character"));
    }
    if length > MAX_TITLE {
        return Err(invalid(format!(
            "the title has {length} characters or more; at most {MAX_TITLE} are allowed"
        )));
    }
    Ok(clean)
}

pub fn find(c: &Connection, part: &str) -> Tried<Session> {
    match get(c, part) {
        Err(super::Failure::Refused(SessionError::NoSuchSession(_))) => {}
        found => return found,
    }
    let length = part.chars().count();
    if length < SHORTEST_PART {
        return Err(invalid(format!(
            "{part:?} is not the id of a session, and too short for a part of one: give at least \
             {SHORTEST_PART} characters of its beginning or end"
        )));
    }
    let mut query = c.prepare_cached(
        "SELECT id FROM sessions WHERE (substr(id, -?1) = ?2 OR substr(id, 1, ?1) = ?2) AND deleted_at IS NULL
         ORDER BY changed DESC",
    )?;
    let mut ids: Vec<String> =
        query.query_map(params![length, part], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    match ids.len() {
        0 => Err(SessionError::NoSuchSession(part.to_owned()).into()),
        1 => get(c, &ids[0]),
        many => {
            ids.truncate(NAMED);
            let more = if many > NAMED { ", …" } else { "" };
            Err(invalid(format!(
                "{many} sessions begin or end with {part:?}: {}{more}; give more of the id",
                ids.join(", ")
            )))
        }
    }
}

pub fn list(c: &Connection, query: &SessionQuery) -> Tried<Page<Session>> {
    let (offset, limit) = offset_and_limit(query.page)?;
    let owner = wanted_owner(&query.owner);
    let total = c
        .prepare_cached(
            "SELECT COALESCE(SUM(sessions), 0) FROM session_counts
             WHERE deleted = ?1 AND (?2 IS NULL OR archived = ?2) AND (?3 IS NULL OR owner = ?3)",
        )?
        .query_row(params![query.deleted, query.archived, owner], |row| row.get(0))?;
    // Written out, not bound: this is how SQLite knows which of the partial indexes serves.
    let deleted = if query.deleted { "deleted_at IS NOT NULL" } else { "deleted_at IS NULL" };
    let archived = match query.archived {
        None => "",
        Some(true) => "AND is_archived = 1",
        Some(false) => "AND is_archived = 0",
    };
    let owned = if owner.is_some() { "AND owner = ?1" } else { "AND ?1 IS NULL" };
    let mut query = c.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM sessions WHERE {deleted} {archived} {owned}
         ORDER BY changed DESC LIMIT ?2 OFFSET ?3"
    ))?;
    let items = query.query_map(params![owner, limit, offset], from_row)?.collect::<rusqlite::Result<_>>()?;
    Ok(Page { total, items })
}

/// Says that the session has changed: it moves to the top of the list.
pub fn touch(c: &Connection, id: &str, at: Time) -> Tried<()> {
    c.prepare_cached(
        "UPDATE sessions SET updated_at = ?2, changed = (SELECT MAX(changed) FROM sessions) + 1 WHERE id = ?1",
    )?
    .execute(params![id, at.to_string()])?;
    Ok(())
}

pub fn rename(c: &Connection, id: &str, title: &str, by: TitledBy) -> Tried<Session> {
    let title = clean_title(title)?;
    let session = get(c, id)?;
    if by == TitledBy::Machine && session.title_locked {
        return Ok(session);
    }
    forget_title(c, &session)?;
    c.prepare_cached("UPDATE sessions SET title = ?2, title_locked = title_locked OR ?3 WHERE id = ?1")?
        .execute(params![id, title, by == TitledBy::Person])?;
    touch(c, id, Time::now())?;
    let session = get(c, id)?;
    index_title(c, &session)?;
    Ok(session)
}

pub fn archive(c: &Connection, id: &str, archived: bool) -> Tried<Session> {
    let session = get(c, id)?;
    if session.is_archived == archived {
        return Ok(session);
    }
    c.prepare_cached("UPDATE sessions SET is_archived = ?2 WHERE id = ?1")?.execute(params![id, archived])?;
    touch(c, id, Time::now())?;
    get(c, id)
}

pub fn set_metadata(c: &Connection, id: &str, metadata: &SessionMeta) -> Tried<Session> {
    get(c, id)?;
    let metadata = bounded_json("the metadata of the session", metadata, MAX_METADATA)?;
    c.prepare_cached("UPDATE sessions SET metadata = ?2 WHERE id = ?1")?.execute(params![id, metadata])?;
    touch(c, id, Time::now())?;
    get(c, id)
}
