//! The messages of a session, in the order of their ids.

use deskhand_core::{
    Time,
    session::{Message, MessageMeta, MessageQuery, NewMessage, Page, PageAsk, Role, Session, Step},
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    MAX_METADATA, MAX_TEXT, Tried, bounded_json, from_json, from_text, invalid, offset_and_limit, parsed,
    rows, search, turns,
};

const COLUMNS: &str = "messages.id, session_id, role, content, timestamp, execution_steps, messages.metadata";

pub fn from_row(row: &Row<'_>) -> rusqlite::Result<Message> {
    Ok(Message {
        id: row.get(0)?,
        session_id: row.get(1)?,
        role: role(row, 2)?,
        content: row.get(3)?,
        timestamp: from_text(row, 4)?,
        execution_steps: row.get_ref(5)?.as_str_or_null()?.map(|_| from_json(row, 5)).transpose()?,
        metadata: from_json(row, 6)?,
    })
}

pub fn role(row: &Row<'_>, column: usize) -> rusqlite::Result<Role> {
    parsed(row, column, |text| match text {
        "user" => Ok(Role::User),
        "assistant" => Ok(Role::Assistant),
        "system" => Ok(Role::System),
        other => Err(format!("{other:?} is not a role")),
    })
}

/// Which rows of the index on `(session_id, id)` make a page, and from which end they are counted.
struct Slice {
    newest_first: bool,
    offset: u64,
    limit: u64,
}

impl Slice {
    /// Leaving out entries takes time by their number, so a page in the second half is counted from the end.
    fn of(offset: u64, limit: u64, total: u64) -> Self {
        let limit = limit.min(total.saturating_sub(offset));
        let after = total.saturating_sub(offset).saturating_sub(limit);
        let newest_first = after < offset;
        Self { newest_first, offset: if newest_first { after } else { offset }, limit }
    }

    fn newest(limit: u64, query: &MessageQuery) -> Tried<Self> {
        if query.page.is_some() {
            return Err(invalid("a page of the messages or the last of them: ask for one of the two"));
        }
        let (offset, limit) = offset_and_limit(PageAsk { page: 1, size: limit })?;
        Ok(Self { newest_first: true, offset, limit })
    }
}

/// Which ids are meant, both ends left out.
#[derive(Clone, Copy)]
struct Between {
    after: i64,
    before: i64,
}

impl Between {
    fn of(query: &MessageQuery) -> Self {
        Self { after: query.after.unwrap_or(0), before: query.before.unwrap_or(i64::MAX) }
    }

    fn count(self, c: &Connection, session: &Session) -> Tried<u64> {
        if self.after <= 0 && self.before == i64::MAX {
            return Ok(session.message_count);
        }
        let mut query =
            c.prepare_cached("SELECT COUNT(*) FROM messages WHERE session_id = ? AND id > ? AND id < ?")?;
        Ok(query.query_row(params![session.id, self.after, self.before], |row| row.get(0))?)
    }
}

pub fn page(c: &Connection, session_id: &str, query: &MessageQuery) -> Tried<Page<Message>> {
    let session = rows::get(c, session_id)?;
    let between = Between::of(query);
    let (total, slice) = if let Some(last) = query.last {
        (session.message_count, Slice::newest(last, query)?)
    } else {
        let total = between.count(c, &session)?;
        let (offset, limit) = query.page.map_or(Ok((0, total)), offset_and_limit)?;
        (total, Slice::of(offset, limit, total))
    };
    let mut items = read(c, session_id, between, &slice)?;
    show_open_turn(c, session_id, &mut items)?;
    Ok(Page { total, items })
}

/// What a model is told from: the newest compaction, and what it does not cover whole.
pub fn context(c: &Connection, session_id: &str) -> Tried<Vec<Message>> {
    /// More than any model takes.
    const MOST: u64 = 5_000;
    rows::get(c, session_id)?;
    let newest: Option<MessageMeta> = c
        .prepare_cached(
            "SELECT metadata FROM messages
             WHERE session_id = ? AND role = 'system' AND metadata ->> '$.compaction' IS NOT NULL
             ORDER BY id DESC LIMIT 1",
        )?
        .query_row([session_id], |row| from_json(row, 0))
        .optional()?;
    let after = newest.and_then(|metadata| metadata.compaction).map_or(0, |made| {
        // Of a message that is covered in part, the rest is told.
        if made.until_step.is_some() { made.until_message - 1 } else { made.until_message }
    });
    let between = Between { after, before: i64::MAX };
    let mut messages = read(c, session_id, between, &Slice { newest_first: true, offset: 0, limit: MOST })?;
    // What is being answered is told, also where it was covered since: a turn that is tried again.
    if let Some(turn) = turns::open_in(c, session_id)?.filter(|turn| turn.user_message <= after) {
        let asked = last_of(c, session_id, Role::User, turn.user_message + 1)?;
        messages.splice(0..0, asked);
    }
    show_open_turn(c, session_id, &mut messages)?;
    Ok(messages)
}

/// The newest message of this role with a smaller id.
pub fn last_of(c: &Connection, session_id: &str, role: Role, before: i64) -> Tried<Option<Message>> {
    let mut query = c.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM messages WHERE session_id = ? AND role = ? AND messages.id < ? ORDER BY messages.id DESC LIMIT 1"
    ))?;
    Ok(query.query_row(params![session_id, role.as_str(), before], from_row).optional()?)
}

/// The answer of a turn that is under way, with its steps so far.
fn show_open_turn(c: &Connection, session_id: &str, messages: &mut [Message]) -> Tried<()> {
    if let Some(turn) = turns::open_in(c, session_id)?
        && let Some(answer) = messages.iter_mut().find(|message| message.id == turn.assistant_message)
    {
        answer.execution_steps = some_steps(turns::steps(c, &turn.id)?);
    }
    Ok(())
}

fn read(c: &Connection, session_id: &str, between: Between, slice: &Slice) -> Tried<Vec<Message>> {
    // The ids come from the index alone; only the rows of the page are read.
    let order = if slice.newest_first { "DESC" } else { "ASC" };
    let mut query = c.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM messages
         JOIN (SELECT id FROM messages WHERE session_id = ? AND id > ? AND id < ?
               ORDER BY id {order} LIMIT ? OFFSET ?) AS chosen ON messages.id = chosen.id
         ORDER BY messages.id"
    ))?;
    let bound = params![session_id, between.after, between.before, slice.limit, slice.offset];
    let found = query.query_map(bound, from_row)?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

fn some_steps(steps: Vec<Step>) -> Option<Vec<Step>> {
    Some(steps).filter(|steps| !steps.is_empty())
}

/// A message on its way into the table.
pub struct Entry<'a> {
    pub session_id: &'a str,
    pub role: Role,
    pub content: &'a str,
    pub timestamp: Time,
    pub steps: Option<&'a [Step]>,
    pub metadata: &'a MessageMeta,
}

/// Writes a message with what the search knows of it. The session is not touched.
pub fn insert(c: &Connection, entry: &Entry<'_>) -> Tried<i64> {
    if entry.content.len() > MAX_TEXT {
        return Err(invalid(format!(
            "the message has {} bytes; at most {MAX_TEXT} are kept: hand a file over as an upload",
            entry.content.len()
        )));
    }
    let steps =
        entry.steps.map(|steps| bounded_json("the steps of the message", &steps, MAX_TEXT)).transpose()?;
    let metadata = bounded_json("the metadata of the message", entry.metadata, MAX_METADATA)?;
    let id = c
        .prepare_cached(
            "INSERT INTO messages (session_id, role, content, timestamp, execution_steps, metadata)
             VALUES (?, ?, ?, ?, ?, ?)",
        )?
        .insert(params![
            entry.session_id,
            entry.role.as_str(),
            entry.content,
            entry.timestamp.to_string(),
            steps,
            metadata
        ])?;
    if entry.role != Role::System && !entry.content.is_empty() {
        search::add(c, entry.session_id, Some(id), entry.content)?;
    }
    Ok(id)
}

pub fn append(c: &Connection, session_id: &str, message: &NewMessage) -> Tried<Message> {
    rows::get(c, session_id)?;
    let timestamp = Time::now();
    let NewMessage { role, content, metadata } = message;
    let id = insert(c, &Entry { session_id, role: *role, content, timestamp, steps: None, metadata })?;
    rows::touch(c, session_id, timestamp)?;
    Ok(Message {
        id,
        session_id: session_id.to_owned(),
        role: *role,
        content: content.clone(),
        timestamp,
        execution_steps: None,
        metadata: metadata.clone(),
    })
}

/// Hands each message of a session up to `until` to `use_it`, one after the other.
pub fn each(
    c: &Connection,
    session_id: &str,
    until: i64,
    mut use_it: impl FnMut(Message) -> Tried<()>,
) -> Tried<()> {
    let mut query = c.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM messages WHERE session_id = ? AND id <= ? ORDER BY id"
    ))?;
    let mut found = query.query(params![session_id, until])?;
    while let Some(row) = found.next()? {
        use_it(from_row(row)?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_counted_from_its_nearer_end() {
        for (offset, limit, total, newest_first, left_out, taken) in [
            (0, 10, 100, false, 0, 10),
            (40, 10, 100, false, 40, 10),
            (50, 10, 100, true, 40, 10),
            (90, 10, 100, true, 0, 10),
            (95, 10, 100, true, 0, 5),
            (100, 10, 100, true, 0, 0),
            (u64::MAX, 10, 100, true, 0, 0),
            (0, 10, 0, false, 0, 0),
        ] {
            let slice = Slice::of(offset, limit, total);
            let found = (slice.newest_first, slice.offset, slice.limit);
            assert_eq!(found, (newest_first, left_out, taken), "{offset} {limit} {total}");
        }
    }
}
