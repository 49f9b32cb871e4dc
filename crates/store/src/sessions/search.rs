//! Keyword search over titles and messages. [`grams`] says how text is split.
//!
//! Each title and each message is one entry, whose number grows: the newest hits are those with the largest
//! numbers, and SQLite finds them without looking at the others.

use deskhand_core::session::{Hits, Owner, SearchHit, SearchQuery, SessionError};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    Tried, from_text,
    grams::{self, Wanted},
    history, invalid, offset_and_limit, rows, snippet, wanted_owner,
};

const MAX_QUERY: usize = 1_000;
const MAX_TERMS: usize = 50;

/// Makes a title (`message_id` is `None`) or a message findable.
pub fn add(c: &Connection, session_id: &str, message_id: Option<i64>, text: &str) -> Tried<()> {
    let number = c
        .prepare_cached("INSERT INTO search_entries (session_id, message_id) VALUES (?, ?)")?
        .insert(params![session_id, message_id])?;
    c.prepare_cached("INSERT INTO search_grams (rowid, session, text) VALUES (?, ?, ?)")?
        .execute(params![number, grams::session_token(session_id), grams::spaced(text)])?;
    Ok(())
}

/// Takes out what [`add`] put in, for which it needs the same text.
pub fn forget(c: &Connection, session_id: &str, message_id: Option<i64>, text: &str) -> Tried<()> {
    let number: Option<i64> = c
        .prepare_cached("SELECT number FROM search_entries WHERE session_id = ? AND message_id IS ?")?
        .query_row(params![session_id, message_id], |row| row.get(0))
        .optional()?;
    if let Some(number) = number {
        forget_words(c, session_id, number, text)?;
        c.prepare_cached("DELETE FROM search_entries WHERE number = ?")?.execute([number])?;
    }
    Ok(())
}

fn forget_words(c: &Connection, session_id: &str, number: i64, text: &str) -> Tried<()> {
    c.prepare_cached(
        "INSERT INTO search_grams (search_grams, rowid, session, text) VALUES ('delete', ?, ?, ?)",
    )?
    .execute(params![number, grams::session_token(session_id), grams::spaced(text)])?;
    Ok(())
}

/// Takes the words of messages of a session out, before the rows go that they came from; at most so many, the
/// newest first.
pub fn forget_messages(c: &Connection, session_id: &str, most: usize) -> Tried<()> {
    let mut query = c.prepare_cached(
        "SELECT number, content FROM search_entries JOIN messages ON messages.id = message_id
         WHERE search_entries.session_id = ? ORDER BY message_id DESC LIMIT ?",
    )?;
    let mut found = query.query(params![session_id, i64::try_from(most).unwrap_or(i64::MAX)])?;
    let mut numbers: Vec<i64> = Vec::new();
    while let Some(row) = found.next()? {
        let number = row.get(0)?;
        forget_words(c, session_id, number, row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?)?;
        numbers.push(number);
    }
    for number in numbers {
        c.prepare_cached("DELETE FROM search_entries WHERE number = ?")?.execute([number])?;
    }
    Ok(())
}

/// Whether more than so many entries of a session can be found.
pub fn has_more_than(c: &Connection, session_id: &str, count: usize) -> Tried<bool> {
    let mut query = c.prepare_cached("SELECT 1 FROM search_entries WHERE session_id = ? LIMIT 1 OFFSET ?")?;
    Ok(query.exists(params![session_id, count])?)
}

/// Makes findable again what a deletion that did not come to its end has taken out.
pub fn add_missing(c: &Connection, session_id: &str) -> Tried<()> {
    let mut query = c.prepare_cached(
        "SELECT id, content FROM messages WHERE session_id = ?1 AND role <> 'system' AND content <> ''
             AND NOT EXISTS (SELECT 1 FROM search_entries WHERE session_id = ?1 AND message_id = messages.id)
         ORDER BY id",
    )?;
    let mut found = query.query([session_id])?;
    while let Some(row) = found.next()? {
        let text = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
        add(c, session_id, Some(row.get(0)?), text)?;
    }
    Ok(())
}

pub fn search(c: &Connection, query: &SearchQuery) -> Tried<Hits> {
    let (offset, limit) = offset_and_limit(query.page)?;
    let length = query.text.chars().count();
    if length > MAX_QUERY {
        return Err(invalid(format!(
            "the query has {length} characters; at most {MAX_QUERY} are searched for"
        )));
    }
    let wanted = Wanted::new(&query.text);
    if wanted.0.is_empty() {
        return Err(invalid(format!("{:?} has no letter or digit to search for", query.text)));
    }
    if wanted.0.len() > MAX_TERMS {
        return Err(invalid(format!(
            "the query has {} words; at most {MAX_TERMS} are searched for",
            wanted.0.len()
        )));
    }
    if let Some(session) = &query.session_id {
        let found = rows::get(c, session)?;
        // To others it does not exist.
        if let Owner::Only(owner) = &query.owner
            && found.owner != *owner
        {
            return Err(SessionError::NoSuchSession(session.clone()).into());
        }
    }
    // CROSS JOIN keeps the order of the tables: first the hits, newest first, then what they belong to.
    let mut statement = c.prepare_cached(
        "SELECT sessions.id, title, updated_at, messages.id, role, timestamp, content
         FROM search_grams
         CROSS JOIN search_entries ON search_entries.number = search_grams.rowid
         CROSS JOIN sessions ON sessions.id = search_entries.session_id
         LEFT JOIN messages ON messages.id = search_entries.message_id
         WHERE search_grams MATCH ?1 AND deleted_at IS NULL AND (?2 IS NULL OR is_archived = ?2)
             AND (?3 IS NULL OR sessions.id = ?3) AND (?6 IS NULL OR owner = ?6)
         ORDER BY search_grams.rowid DESC LIMIT ?4 OFFSET ?5",
    )?;
    let expression = wanted.expression(query.session_id.as_deref());
    let owner = wanted_owner(&query.owner);
    let bound = params![expression, query.archived, query.session_id, limit + 1, offset, owner];
    let found = statement.query_map(bound, |row| hit(row, &wanted))?;
    let mut items: Vec<SearchHit> = found.collect::<rusqlite::Result<_>>()?;
    let has_more = items.len() as u64 > limit;
    items.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(Hits { items, has_more })
}

fn hit(row: &Row<'_>, wanted: &Wanted) -> rusqlite::Result<SearchHit> {
    let title: String = row.get(1)?;
    let message_id: Option<i64> = row.get(3)?;
    let (role, timestamp, snippet) = match message_id {
        None => (None, from_text(row, 2)?, snippet::cut(&title, wanted)),
        Some(_) => (
            Some(history::role(row, 4)?),
            from_text(row, 5)?,
            snippet::cut(row.get_ref(6)?.as_str()?, wanted),
        ),
    };
    Ok(SearchHit { session_id: row.get(0)?, title, message_id, role, timestamp, snippet })
}
