//! Sessions out of the store and into it, as transcripts.

use deskhand_core::{
    Time,
    id::new_id,
    session::{IMPORTED, MessageQuery, Role, Session, SessionMeta, TRANSCRIPT_FORMAT, Transcript},
};
use rusqlite::Connection;

use super::{
    Failure, Tried,
    fork::{NewIds, copy_message},
    history, invalid, rows, turns,
};

/// The most messages of a transcript that is read in.
const MAX_MESSAGES: usize = 2_000_000;

pub fn export(c: &Connection, id: &str) -> Tried<Transcript> {
    let session = rows::get(c, id)?;
    let messages = history::page(c, id, &MessageQuery::default())?.items;
    Ok(Transcript::new(session, messages))
}

pub fn import(c: &Connection, transcript: &Transcript, owner: Option<&str>) -> Tried<Session> {
    rows::check_owner(owner)?;
    check(transcript)?;
    let written = &transcript.session;
    let now = Time::now();
    // Whoever wrote the file does not choose where the session works, with which model and with which tools.
    let metadata = SessionMeta { other: written.metadata.other.clone(), ..SessionMeta::default() };
    let session = Session {
        id: new_id(),
        owner: owner.map(str::to_owned),
        title: rows::clean_title(&written.title)?,
        title_locked: written.title_locked,
        created_at: written.created_at.min(now),
        updated_at: now,
        message_count: 0,
        is_archived: false,
        deleted_at: None,
        metadata,
    };
    rows::insert(c, &session)?;
    let mut new_ids = NewIds::default();
    for (n, message) in transcript.messages.iter().enumerate() {
        let mut message = message.clone();
        if let Some(steps) = &mut message.execution_steps {
            // It may have been written in the middle of a turn.
            turns::close_open_calls(steps);
        }
        message.metadata.other.insert(IMPORTED.to_owned(), true.into());
        copy_message(c, &session.id, message, &mut new_ids).map_err(|failure| in_message(n, failure))?;
    }
    rows::get(c, &session.id)
}

fn check(transcript: &Transcript) -> Tried<()> {
    let Transcript { format, messages, .. } = transcript;
    if format != TRANSCRIPT_FORMAT {
        let shown: String = format.chars().take(100).collect();
        return Err(invalid(format!(
            "the transcript has the format {shown:?}; only {TRANSCRIPT_FORMAT:?} can be read"
        )));
    }
    if messages.len() > MAX_MESSAGES {
        return Err(invalid(format!(
            "the transcript has {} messages; at most {MAX_MESSAGES} are read",
            messages.len()
        )));
    }
    let mut last = i64::MIN;
    for (n, message) in messages.iter().enumerate() {
        if message.id <= last {
            let wrong = format!("its id {} does not come after {last}, the one before it", message.id);
            return Err(in_message(n, invalid(wrong)));
        }
        last = message.id;
        if message.role != Role::Assistant && message.execution_steps.as_ref().is_some_and(|s| !s.is_empty())
        {
            return Err(in_message(
                n,
                invalid("it has execution_steps, which only an assistant's message has"),
            ));
        }
    }
    Ok(())
}

/// Says which message of the transcript is meant, counted from 1.
fn in_message(index: usize, failure: Failure) -> Failure {
    match failure {
        Failure::Refused(deskhand_core::session::SessionError::Invalid(wrong)) => {
            invalid(format!("message {} of the transcript: {wrong}", index + 1))
        }
        other => other,
    }
}
