//! The events of a session, numbered without a gap.
//!
//! A model's words come in small pieces. Those that follow each other in one turn are one row, which holds the
//! pieces: `[[MILLISECONDS AFTER at, "TEXT"], …]`. Reading takes them apart again.

use std::time::Duration;

use deskhand_core::{Event, EventBody, Time, session::NewEvent};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Tried, from_json, from_text, json};

/// The most pieces in one row: whoever reads on from the middle of it reads all of it.
const MOST_PIECES: u64 = 4_096;

/// The most bytes at which a row still takes more pieces.
const MOST_BYTES: usize = 256 << 10;

/// A piece of words, by milliseconds after the row's time.
type Piece = (i64, String);

enum Body {
    Pieces(Vec<Piece>),
    Whole(EventBody),
}

/// One row of the table.
struct Stored {
    first_seq: u64,
    turn_id: Option<String>,
    at: Time,
    /// The type of the event.
    kind: String,
    body: Body,
}

const TEXT: &str = "text";
const THOUGHT: &str = "thought";

fn since(start: Time, at: Time) -> i64 {
    at.timestamp().as_millisecond().saturating_sub(start.timestamp().as_millisecond())
}

fn later(start: Time, milliseconds: i64) -> Time {
    let span = Duration::from_millis(milliseconds.unsigned_abs());
    if milliseconds < 0 { start.minus(span) } else { start.plus(span) }
}

impl Stored {
    fn new(first_seq: u64, event: &NewEvent) -> Self {
        let (kind, body) = match &event.body {
            EventBody::Text { text } => (TEXT.to_owned(), Body::Pieces(vec![(0, text.clone())])),
            EventBody::Thought { text } => (THOUGHT.to_owned(), Body::Pieces(vec![(0, text.clone())])),
            other => (other.name().to_owned(), Body::Whole(other.clone())),
        };
        Self { first_seq, turn_id: event.turn_id.clone(), at: event.at, kind, body }
    }

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let kind: String = row.get(3)?;
        let body = match kind.as_str() {
            TEXT | THOUGHT => Body::Pieces(from_json(row, 4)?),
            _ => Body::Whole(from_json(row, 4)?),
        };
        Ok(Self { first_seq: row.get(0)?, turn_id: row.get(1)?, at: from_text(row, 2)?, kind, body })
    }

    fn count(&self) -> u64 {
        match &self.body {
            Body::Pieces(pieces) => pieces.len() as u64,
            Body::Whole(_) => 1,
        }
    }

    fn bytes(&self) -> usize {
        match &self.body {
            Body::Pieces(pieces) => pieces.iter().map(|(_, text)| text.len()).sum(),
            Body::Whole(_) => 0,
        }
    }

    /// Takes the pieces of the row that follows; gives it back where they do not belong together.
    fn join(&mut self, next: Self) -> Option<Self> {
        let follows = self.first_seq + self.count() == next.first_seq;
        let alike = self.kind == next.kind && self.turn_id == next.turn_id;
        let room = self.count() + next.count() <= MOST_PIECES && self.bytes() + next.bytes() <= MOST_BYTES;
        match (&mut self.body, next.body) {
            (Body::Pieces(pieces), Body::Pieces(more)) if follows && alike && room => {
                let shift = since(self.at, next.at);
                pieces.extend(more.into_iter().map(|(at, text)| (at.saturating_add(shift), text)));
                None
            }
            (_, body) => Some(Self { body, ..next }),
        }
    }

    fn body(&self) -> Tried<String> {
        match &self.body {
            Body::Pieces(pieces) => json("an event", pieces),
            Body::Whole(body) => json("an event", body),
        }
    }

    fn last_seq(&self) -> u64 {
        self.first_seq + self.count() - 1
    }

    fn insert(&self, c: &Connection, session_id: &str) -> Tried<()> {
        c.prepare_cached(
            "INSERT INTO events (session_id, first_seq, last_seq, turn_id, at, kind, body)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            session_id,
            self.first_seq,
            self.last_seq(),
            self.turn_id,
            self.at.to_string(),
            self.kind,
            self.body()?
        ])?;
        Ok(())
    }

    /// Takes the place of the rows that it was joined from.
    fn replace(&self, c: &Connection, session_id: &str) -> Tried<()> {
        c.prepare_cached("DELETE FROM events WHERE session_id = ? AND first_seq > ? AND first_seq <= ?")?
            .execute(params![session_id, self.first_seq, self.last_seq()])?;
        c.prepare_cached("UPDATE events SET last_seq = ?, body = ? WHERE session_id = ? AND first_seq = ?")?
            .execute(params![self.last_seq(), self.body()?, session_id, self.first_seq])?;
        Ok(())
    }

    fn expand(self, session_id: &str) -> Vec<Event> {
        let Self { first_seq, turn_id, at, kind, body } = self;
        let event = |seq, at, body| Event {
            seq,
            at,
            session_id: session_id.to_owned(),
            turn_id: turn_id.clone(),
            body,
        };
        match body {
            Body::Whole(body) => vec![event(first_seq, at, body)],
            Body::Pieces(pieces) => (first_seq..)
                .zip(pieces)
                .map(|(seq, (after, text))| {
                    let body =
                        if kind == TEXT { EventBody::Text { text } } else { EventBody::Thought { text } };
                    event(seq, later(at, after), body)
                })
                .collect(),
        }
    }
}

/// Takes so many numbers; returns the first. `None` where the session is gone.
fn take_numbers(c: &Connection, session_id: &str, count: usize) -> Tried<Option<u64>> {
    let count = count as u64;
    let last: Option<u64> = c
        .prepare_cached("UPDATE sessions SET last_seq = last_seq + ?2 WHERE id = ?1 RETURNING last_seq")?
        .query_row(params![session_id, count], |row| row.get(0))
        .optional()?;
    Ok(last.map(|last| last - count + 1))
}

pub fn append(c: &Connection, events: Vec<NewEvent>) -> Tried<Vec<Event>> {
    // By session, each in its own order; then back into the order in which they came.
    let mut order: Vec<usize> = (0..events.len()).collect();
    order.sort_by(|a, b| events[*a].session_id.cmp(&events[*b].session_id).then(a.cmp(b)));
    let mut numbers: Vec<Option<u64>> = vec![None; events.len()];
    for group in order.chunk_by(|a, b| events[*a].session_id == events[*b].session_id) {
        let session_id = &events[group[0]].session_id;
        let Some(first) = take_numbers(c, session_id, group.len())? else { continue };
        let mut run: Option<Stored> = None;
        for (seq, index) in (first..).zip(group) {
            numbers[*index] = Some(seq);
            let next = Stored::new(seq, &events[*index]);
            run = match run.take() {
                None => Some(next),
                Some(mut row) => match row.join(next) {
                    None => Some(row),
                    Some(next) => {
                        row.insert(c, session_id)?;
                        Some(next)
                    }
                },
            };
        }
        if let Some(row) = run {
            row.insert(c, session_id)?;
        }
    }
    let numbered = events.into_iter().zip(numbers).filter_map(|(event, seq)| {
        let NewEvent { session_id, turn_id, at, body } = event;
        Some(Event { seq: seq?, at, session_id, turn_id, body })
    });
    Ok(numbered.collect())
}

/// Appends one event of a session that is there.
pub fn append_one(
    c: &Connection,
    session_id: &str,
    turn_id: &str,
    at: Time,
    body: EventBody,
) -> Tried<Event> {
    let event = NewEvent { session_id: session_id.to_owned(), turn_id: Some(turn_id.to_owned()), at, body };
    let stored = append(c, vec![event])?.pop();
    Ok(stored.ok_or_else(|| deskhand_core::session::SessionError::NoSuchSession(session_id.to_owned()))?)
}

const COLUMNS: &str = "first_seq, turn_id, at, kind, body";

pub fn read(c: &Connection, session_id: &str, after: u64, limit: usize) -> Tried<Vec<Event>> {
    // The first row may hold pieces on both sides of `after`.
    let mut query = c.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM events WHERE session_id = ?1 AND first_seq >= COALESCE(
             (SELECT MAX(first_seq) FROM events WHERE session_id = ?1 AND first_seq <= ?2), 0)
         ORDER BY first_seq"
    ))?;
    let mut found = query.query(params![session_id, after.min(i64::MAX as u64)])?;
    let mut events = Vec::new();
    while events.len() < limit
        && let Some(row) = found.next()?
    {
        let expanded = Stored::from_row(row)?.expand(session_id);
        events.extend(expanded.into_iter().filter(|event| event.seq > after));
    }
    events.truncate(limit);
    Ok(events)
}

/// What the events of a turn tell of its calls, without the images of their results. Nothing where the turn is another
/// owner's.
pub fn of_calls(c: &Connection, turn_id: &str, owner: &str) -> Tried<Vec<Event>> {
    let turn: Option<(String, u64)> = c
        .prepare_cached(
            "SELECT turns.session_id, turns.first_seq FROM turns JOIN sessions ON sessions.id = turns.session_id
             WHERE turns.id = ? AND sessions.owner = ?",
        )?
        .query_row(params![turn_id, owner], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((session_id, from)) = turn else { return Ok(Vec::new()) };
    let end: Option<u64> = c
        .prepare_cached(
            "SELECT first_seq FROM events WHERE session_id = ? AND first_seq >= ? AND turn_id = ? AND kind = 'done'
             ORDER BY first_seq LIMIT 1",
        )?
        .query_row(params![session_id, from, turn_id], |row| row.get(0))
        .optional()?;
    let mut query = c.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM events
         WHERE session_id = ? AND first_seq BETWEEN ? AND ? AND turn_id = ?
             AND kind IN ('call_planned', 'approval_wanted', 'approval_settled', 'call_ended')
         ORDER BY first_seq"
    ))?;
    let until = end.unwrap_or(i64::MAX as u64);
    let rows = query.query_map(params![session_id, from, until, turn_id], Stored::from_row)?;
    let mut events = Vec::new();
    for row in rows {
        for mut event in row?.expand(&session_id) {
            if let EventBody::CallEnded { outcome } = &mut event.body {
                outcome.images.clear();
            }
            events.push(event);
        }
    }
    Ok(events)
}

/// The number of the newest event; 0 where there is none.
pub fn last(c: &Connection, session_id: &str) -> Tried<u64> {
    let mut query = c.prepare_cached("SELECT last_seq FROM sessions WHERE id = ?")?;
    Ok(query.query_row([session_id], |row| row.get(0))?)
}

/// Makes one row of the rows of a turn that hold pieces of the same kind and follow each other.
pub fn merge(c: &Connection, session_id: &str, turn_id: &str, from: u64) -> Tried<()> {
    let mut query = c.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM events
         WHERE session_id = ? AND first_seq >= ? AND turn_id = ? AND kind IN ('text', 'thought')
         ORDER BY first_seq"
    ))?;
    let rows: Vec<Stored> = query
        .query_map(params![session_id, from, turn_id], Stored::from_row)?
        .collect::<rusqlite::Result<_>>()?;
    let mut joined: Vec<(Stored, u64)> = Vec::new();
    for next in rows {
        let count = next.count();
        match joined.pop() {
            None => joined.push((next, count)),
            Some((mut row, before)) => {
                let rest = row.join(next);
                joined.push((row, before));
                joined.extend(rest.map(|next| (next, count)));
            }
        }
    }
    // What took nothing in stands there already.
    let grown = joined.iter().filter(|(row, before)| row.count() > *before);
    grown.map(|(row, _)| row).try_for_each(|row| row.replace(c, session_id))
}
