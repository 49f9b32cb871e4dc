//! Turns: while one is open its steps are rows of their own; when it ends they move into the answer.

use deskhand_core::{
    Event, EventBody, Status, Time,
    event::TurnOutcome,
    id::new_id,
    session::{
        Begun, CallEnd, CallStep, MessageMeta, NewTurn, OpenTurn, Role, SessionError, Step, TurnEnd,
        TurnSteps,
    },
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Map, Value};

use super::{
    MAX_METADATA, MAX_TEXT, Tried, bounded_json, calls, events, from_json, from_text,
    history::{self, Entry},
    holder::Holders,
    invalid, json, oversize, queue, rows, search, uploads,
};

const COLUMNS: &str = "id, session_id, user_message, assistant_message, first_seq, started_at";

/// The most bytes of the reason for which a turn ended.
const MAX_REASON: usize = 64 << 10;

/// What a call has for a result that was open when its turn ended.
const INTERRUPTED: &str = "This call was interrupted: it had begun, and how it ended is not known. It may have \
    taken effect in whole, in part or not at all. Look at what is there before you repeat it.";

fn from_row(row: &Row<'_>) -> rusqlite::Result<OpenTurn> {
    Ok(OpenTurn {
        id: row.get(0)?,
        session_id: row.get(1)?,
        user_message: row.get(2)?,
        assistant_message: row.get(3)?,
        first_event: row.get(4)?,
        started_at: from_text(row, 5)?,
    })
}

/// The turn that is under way in a session, whether its process lives or not.
pub fn open_in(c: &Connection, session_id: &str) -> Tried<Option<OpenTurn>> {
    let mut query =
        c.prepare_cached(&format!("SELECT {COLUMNS} FROM turns WHERE session_id = ? AND state = 'open'"))?;
    Ok(query.query_row([session_id], from_row).optional()?)
}

pub fn open_with_steps(c: &Connection, session_id: &str) -> Tried<Option<TurnSteps>> {
    let turn = open_in(c, session_id)?;
    turn.map(|turn| Ok(TurnSteps { steps: steps(c, &turn.id)?, turn })).transpose()
}

pub fn steps(c: &Connection, turn_id: &str) -> Tried<Vec<Step>> {
    let mut query = c.prepare_cached("SELECT body FROM turn_steps WHERE turn_id = ? ORDER BY number")?;
    Ok(query.query_map([turn_id], |row| from_json(row, 0))?.collect::<rusqlite::Result<_>>()?)
}

pub fn broken(c: &Connection, holders: &Holders) -> Tried<Vec<TurnSteps>> {
    let mut query =
        c.prepare_cached(&format!("SELECT {COLUMNS}, process FROM turns WHERE state = 'open' ORDER BY id"))?;
    let open: Vec<(OpenTurn, String)> =
        query.query_map([], |row| Ok((from_row(row)?, row.get(6)?)))?.collect::<rusqlite::Result<_>>()?;
    let gone = open.into_iter().filter(|(_, mark)| holders.is_gone(mark));
    gone.map(|(turn, _)| Ok(TurnSteps { steps: steps(c, &turn.id)?, turn })).collect()
}

/// `mark` says who runs it.
pub fn begin(c: &Connection, new: &NewTurn, mark: &str) -> Tried<Begun> {
    let session_id = new.session_id.as_str();
    check_free(c, session_id)?;
    uploads::check(c, session_id, &new.uploads)?;
    if let Some(id) = new.queued {
        queue::remove(c, session_id, id)?;
    }
    let (id, now) = (new_id(), Time::now());
    let metadata =
        &MessageMeta { turn_id: Some(id.clone()), uploads: new.uploads.clone(), ..MessageMeta::default() };
    let (role, content) = (Role::User, new.content.as_str());
    let asked = Entry { session_id, role, content, timestamp: now, steps: None, metadata };
    let message_id = history::insert(c, &asked)?;
    let (message, model) = (new.content.clone(), new.model.clone());
    open(c, session_id, id, Beginning { message, message_id, model, retry_of: None }, mark)
}

/// Begins a turn on the message of the last one.
pub fn retry(c: &Connection, session_id: &str, model: Option<&str>, mark: &str) -> Tried<Begun> {
    check_free(c, session_id)?;
    let nothing =
        |why: &str| invalid(format!("there is nothing to try again in the session {session_id}: {why}"));
    let answer = history::last_of(c, session_id, Role::Assistant, i64::MAX)?;
    let answer = answer.ok_or_else(|| nothing("nothing was answered yet"))?;
    let asked = history::last_of(c, session_id, Role::User, i64::MAX)?;
    let asked = asked
        .filter(|asked| asked.id < answer.id)
        .ok_or_else(|| nothing("its last answer has no message of the user before it"))?;
    match answer.metadata.outcome {
        None | Some(TurnOutcome::Completed) => return Err(nothing("its last turn was completed")),
        Some(_) => {}
    }
    let beginning = Beginning {
        message: asked.content,
        message_id: asked.id,
        model: model.map(str::to_owned),
        retry_of: Some(answer.id),
    };
    open(c, session_id, new_id(), beginning, mark)
}

fn check_free(c: &Connection, session_id: &str) -> Tried<()> {
    rows::get(c, session_id)?;
    match open_in(c, session_id)? {
        None => Ok(()),
        Some(_) => Err(SessionError::Busy(session_id.to_owned()).into()),
    }
}

/// What a turn begins with. The user's message is in its place.
struct Beginning {
    message: String,
    message_id: i64,
    model: Option<String>,
    retry_of: Option<i64>,
}

/// Writes the empty answer of a turn, its first event and its row.
fn open(c: &Connection, session_id: &str, id: String, beginning: Beginning, mark: &str) -> Tried<Begun> {
    let Beginning { message, message_id: user_message, model, retry_of } = beginning;
    let now = Time::now();
    let metadata =
        &MessageMeta { turn_id: Some(id.clone()), model: model.clone(), retry_of, ..MessageMeta::default() };
    let answered =
        Entry { session_id, role: Role::Assistant, content: "", timestamp: now, steps: None, metadata };
    let assistant_message = history::insert(c, &answered)?;
    let body = EventBody::TurnStarted { message, message_id: user_message, model, retry_of };
    let event = events::append_one(c, session_id, &id, now, body)?;
    c.prepare_cached(
        "INSERT INTO turns (id, session_id, user_message, assistant_message, state, process, first_seq, started_at)
         VALUES (?, ?, ?, ?, 'open', ?, ?, ?)",
    )?
    .execute(params![
        id,
        session_id,
        user_message,
        assistant_message,
        mark,
        event.seq,
        now.to_string()
    ])?;
    rows::touch(c, session_id, now)?;
    let turn = OpenTurn {
        id,
        session_id: session_id.to_owned(),
        user_message,
        assistant_message,
        first_event: event.seq,
        started_at: now,
    };
    Ok(Begun { turn, event })
}

/// A turn by its id, and whether it is still open.
fn by_id(c: &Connection, id: &str) -> Tried<(OpenTurn, bool)> {
    let mut query = c.prepare_cached(&format!("SELECT {COLUMNS}, state = 'open' FROM turns WHERE id = ?"))?;
    let found = query.query_row([id], |row| Ok((from_row(row)?, row.get(6)?))).optional()?;
    found.ok_or_else(|| invalid(format!("there is no turn {id}; its session may have been deleted")))
}

fn open_by_id(c: &Connection, id: &str) -> Tried<OpenTurn> {
    match by_id(c, id)? {
        (turn, true) => Ok(turn),
        (_, false) => Err(invalid(format!("the turn {id} has ended: nothing can be added to it"))),
    }
}

pub fn add_steps(c: &Connection, turn_id: &str, steps: &[Step]) -> Tried<()> {
    let turn = open_by_id(c, turn_id)?;
    let mut number: i64 = c
        .prepare_cached("SELECT COALESCE(MAX(number), 0) FROM turn_steps WHERE turn_id = ?")?
        .query_row([turn_id], |row| row.get(0))?;
    for step in steps {
        let call = match step {
            Step::Call(call) => Some(call),
            _ => None,
        };
        if let Some(call) = call {
            calls::add(c, &turn, call)?;
        }
        number += 1;
        let body = bounded_json("a step of the turn", step, MAX_TEXT)?;
        c.prepare_cached("INSERT INTO turn_steps (turn_id, number, call_id, body) VALUES (?, ?, ?, ?)")?
            .execute(params![turn_id, number, call.map(|call| call.call_id.to_string()), body])?;
    }
    Ok(())
}

pub fn end_call(c: &Connection, turn_id: &str, call: &CallStep) -> Tried<()> {
    open_by_id(c, turn_id)?;
    let id = call.call_id;
    if call.end.is_none() {
        return Err(invalid(format!("the call {id} is to be ended, and has no end")));
    }
    let found: Option<(i64, Step)> = c
        .prepare_cached("SELECT number, body FROM turn_steps WHERE turn_id = ? AND call_id = ?")?
        .query_row(params![turn_id, id.to_string()], |row| Ok((row.get(0)?, from_json(row, 1)?)))
        .optional()?;
    match found {
        Some((number, Step::Call(open))) if open.end.is_none() => {
            let body = bounded_json("a step of the turn", &Step::Call(Box::new(call.clone())), MAX_TEXT)?;
            c.prepare_cached("UPDATE turn_steps SET body = ? WHERE turn_id = ? AND number = ?")?
                .execute(params![body, turn_id, number])?;
            calls::end(c, call)
        }
        Some(_) => Err(invalid(format!("the call {id} has ended already"))),
        None => Err(invalid(format!("there is no call {id} in the turn {turn_id}"))),
    }
}

pub fn end(c: &Connection, turn_id: &str, end: &TurnEnd) -> Tried<Option<Event>> {
    let (turn, is_open) = by_id(c, turn_id)?;
    if !is_open {
        return Ok(None);
    }
    let now = Time::now();
    let mut steps = steps(c, turn_id)?;
    for call in close_open_calls(&mut steps) {
        calls::end(c, call)?;
    }
    oversize::fit(&mut steps, MAX_TEXT)?;
    let end = &TurnEnd {
        content: oversize::shorten(&end.content, MAX_TEXT),
        reason: end.reason.as_deref().map(|reason| oversize::shorten(reason, MAX_REASON)),
        ..end.clone()
    };
    write_answer(c, &turn, end, &steps)?;
    c.prepare_cached("DELETE FROM turn_steps WHERE turn_id = ?")?.execute([turn_id])?;
    let body =
        EventBody::Done { outcome: end.outcome, reason: end.reason.clone(), incomplete: end.incomplete };
    let event = events::append_one(c, &turn.session_id, turn_id, now, body)?;
    let outcome = json("the outcome of the turn", &end.outcome)?;
    c.prepare_cached(
        "UPDATE turns SET state = 'ended', ended_at = ?2, outcome = ?3, reason = ?4 WHERE id = ?1",
    )?
    .execute(params![turn_id, now.to_string(), outcome.trim_matches('"'), end.reason])?;
    if !matches!(end.outcome, TurnOutcome::Completed | TurnOutcome::Stopped) {
        queue::hold(c, &turn.session_id)?;
    }
    events::merge(c, &turn.session_id, turn_id, turn.first_event)?;
    rows::touch(c, &turn.session_id, now)?;
    Ok(Some(event))
}

/// Gives every open call an end that says the truth about it. Returns those that had none.
pub fn close_open_calls(steps: &mut [Step]) -> Vec<&CallStep> {
    let open = steps.iter_mut().filter_map(|step| match step {
        Step::Call(call) if call.end.is_none() => Some(call),
        _ => None,
    });
    open.map(|call| {
        call.end = Some(CallEnd::without_outcome(Status::Cancelled, "interrupted", INTERRUPTED));
        &**call
    })
    .collect()
}

fn write_answer(c: &Connection, turn: &OpenTurn, end: &TurnEnd, steps: &[Step]) -> Tried<()> {
    let id = turn.assistant_message;
    let before: Map<String, Value> = c
        .prepare_cached("SELECT metadata FROM messages WHERE id = ?")?
        .query_row([id], |row| from_json(row, 0))?;
    let metadata = bounded_json("the metadata of the answer", &answer_metadata(before, end)?, MAX_METADATA)?;
    let steps = Some(steps).filter(|steps| !steps.is_empty());
    let steps = steps.map(|steps| bounded_json("the steps of the turn", &steps, MAX_TEXT)).transpose()?;
    c.prepare_cached("UPDATE messages SET content = ?2, execution_steps = ?3, metadata = ?4 WHERE id = ?1")?
        .execute(params![id, end.content, steps, metadata])?;
    if end.content.is_empty() { Ok(()) } else { search::add(c, &turn.session_id, Some(id), &end.content) }
}

/// What the caller sets comes first, so that it cannot hide how the turn ended.
fn answer_metadata(before: Map<String, Value>, end: &TurnEnd) -> Tried<MessageMeta> {
    let mut fields = end.metadata.clone();
    fields.extend(before);
    let mut metadata: MessageMeta = serde_json::from_value(Value::Object(fields))
        .map_err(|error| invalid(format!("the metadata of the answer does not fit: {error}")))?;
    metadata.outcome = Some(end.outcome);
    metadata.reason.clone_from(&end.reason);
    metadata.usage = end.usage;
    metadata.incomplete = end.incomplete;
    Ok(metadata)
}
