//! A new session with the first messages of another. The other one stays as it is.

use std::{collections::HashMap, fs, path::Path};

use deskhand_core::{
    Time,
    id::new_id,
    session::{ForkedFrom, Message, MessageMeta, Session, SessionError},
};
use rusqlite::{Connection, params};

use super::{
    Tried,
    history::{self, Entry},
    invalid, rows, turns, uploads,
};

pub fn fork(c: &Connection, id: &str, at: Option<i64>, title: Option<&str>, folder: &Path) -> Tried<Session> {
    let original = rows::get(c, id)?;
    let at = last_message(c, id, at)?;
    let now = Time::now();
    let mut metadata = original.metadata.clone();
    // By its answers a conversation is known again, and those of the copy have other ids.
    if let Some(client) = &mut metadata.client {
        client.known_by.clear();
    }
    metadata.forked_from = Some(ForkedFrom { session_id: id.to_owned(), message_id: at });
    let copy = Session {
        id: new_id(),
        owner: original.owner.clone(),
        title: title.map_or(Ok(original.title.clone()), rows::clean_title)?,
        title_locked: title.is_some() || original.title_locked,
        created_at: now,
        updated_at: now,
        message_count: 0,
        is_archived: false,
        deleted_at: None,
        metadata,
    };
    let done = copy_all(c, &original.id, at, &copy, folder);
    if done.is_err() {
        // The rows are taken back by themselves, the copied uploads are not.
        let _ = fs::remove_dir_all(folder.join(&copy.id));
    }
    done
}

fn copy_all(c: &Connection, id: &str, at: i64, copy: &Session, folder: &Path) -> Tried<Session> {
    rows::insert(c, copy)?;
    let mut new_ids = NewIds::default();
    history::each(c, id, at, |message| {
        for upload in &message.metadata.uploads {
            if !new_ids.uploads.contains_key(upload)
                && let Some(new) = uploads::copy(c, upload, &copy.id, folder)?
            {
                new_ids.uploads.insert(upload.clone(), new);
            }
        }
        copy_message(c, &copy.id, message, &mut new_ids)
    })?;
    rows::get(c, &copy.id)
}

/// The last message that is copied; 0 where there is none.
fn last_message(c: &Connection, id: &str, at: Option<i64>) -> Tried<i64> {
    let open = turns::open_in(c, id)?;
    let Some(at) = at else {
        if open.is_some() {
            return Err(SessionError::Busy(id.to_owned()).into());
        }
        return Ok(c
            .prepare_cached("SELECT COALESCE(MAX(id), 0) FROM messages WHERE session_id = ?")?
            .query_row([id], |row| row.get(0))?);
    };
    if at == 0 {
        return Ok(at);
    }
    if !c.prepare_cached("SELECT 1 FROM messages WHERE session_id = ? AND id = ?")?.exists(params![id, at])? {
        return Err(SessionError::NoSuchMessage(id.to_owned(), at).into());
    }
    match open {
        Some(turn) if turn.assistant_message <= at => Err(invalid(format!(
            "the answer {} is not finished, so the session cannot be forked at the message {at}: wait for the \
             end of the turn, or fork at the message {} before it",
            turn.assistant_message, turn.user_message
        ))),
        _ => Ok(at),
    }
}

/// What the copies are called, by the names of the originals.
#[derive(Default)]
pub struct NewIds {
    pub messages: HashMap<i64, i64>,
    pub uploads: HashMap<String, String>,
}

/// Writes a message of another session with a new id, and whatever it refers to with the new ids of that.
pub fn copy_message(c: &Connection, session_id: &str, message: Message, new_ids: &mut NewIds) -> Tried<()> {
    let Message { id, role, content, timestamp, execution_steps, metadata, .. } = message;
    let metadata = with_new_ids(metadata, new_ids);
    let entry = Entry {
        session_id,
        role,
        content: &content,
        timestamp,
        steps: execution_steps.as_deref(),
        metadata: &metadata,
    };
    let new = history::insert(c, &entry)?;
    new_ids.messages.insert(id, new);
    Ok(())
}

/// A summary of messages that were not copied is no summary of this session, an answer that is not here is not tried
/// again in it, and an upload that is not here is none of its uploads.
fn with_new_ids(mut metadata: MessageMeta, new_ids: &NewIds) -> MessageMeta {
    metadata.compaction = metadata.compaction.and_then(|mut compaction| {
        compaction.until_message = *new_ids.messages.get(&compaction.until_message)?;
        Some(compaction)
    });
    metadata.retry_of = metadata.retry_of.and_then(|id| new_ids.messages.get(&id).copied());
    metadata.uploads = metadata.uploads.iter().filter_map(|id| new_ids.uploads.get(id).cloned()).collect();
    metadata
}
