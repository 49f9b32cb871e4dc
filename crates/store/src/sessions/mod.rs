//! Conversations, in the one database: sessions, messages, turns, events, the history of calls, search, uploads.
//!
//! One file for each subject; here they are put together. What is read goes through a connection of its own, so
//! that a long read does not hold up the events of a turn that runs.

mod calls;
#[cfg(test)]
mod contract;
mod events;
mod fork;
mod grams;
mod history;
mod holder;
mod kept;
mod oversize;
mod partial;
mod questions;
mod queue;
mod removal;
mod rows;
mod search;
mod snippet;
mod tables;
#[cfg(test)]
mod tests;
mod transcripts;
mod turns;
mod uploads;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant, SystemTime},
};

use deskhand_core::{
    CallId, Event, StoreError,
    session::{
        AdoptUpload, Begun, CallStep, Deletion, Hits, Message, MessageQuery, NewEvent, NewMessage,
        NewSession, NewTurn, NewUpload, Owner, Page, PageAsk, QueuedMessage, SearchQuery, Session,
        SessionError, SessionMeta, SessionQuery, SessionResult, SessionStore, Step, TitledBy, ToolCallQuery,
        ToolCallRow, Transcript, TurnEnd, TurnSteps, Upload,
    },
};
use rusqlite::{Connection, Row, TransactionBehavior, types::Type};

use self::holder::Holders;
use crate::{
    database::{Database, WrittenBack},
    later::Later,
};

pub(crate) use tables::{OWNERS, QUEUE, TABLES};

/// The most bytes of one message's content, and of its steps as JSON.
const MAX_TEXT: usize = 64 << 20;

/// The most bytes of the metadata of a session or a message, as JSON.
const MAX_METADATA: usize = 1 << 20;

/// How long others are left to write between two steps of something long.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// The sessions of one data folder.
pub struct Sessions {
    writing: Arc<Database>,
    reading: Arc<Database>,
    write_back: Arc<Later>,
    uploads: PathBuf,
    outputs: PathBuf,
    holders: Holders,
}

/// Why some work on the connection ended early: the database failed, or what was asked for cannot be.
#[derive(Debug)]
enum Failure {
    Database(rusqlite::Error),
    Refused(SessionError),
}

type Tried<T> = Result<T, Failure>;

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        Self::Refused(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Refused(error.into())
    }
}

fn invalid(message: impl Into<String>) -> Failure {
    Failure::Refused(SessionError::Invalid(message.into()))
}

impl Sessions {
    pub(crate) fn new(
        writing: Arc<Database>,
        reading: Arc<Database>,
        write_back: Arc<Later>,
        data_dir: &Path,
    ) -> Self {
        Self {
            writing,
            reading,
            write_back,
            uploads: data_dir.join("uploads"),
            outputs: data_dir.join("outputs"),
            holders: Holders::new(data_dir.join("turns")),
        }
    }

    /// Does `work` whole or not at all. `action` reads after "cannot".
    fn change<T>(&self, action: &str, work: impl FnOnce(&Connection) -> Tried<T>) -> SessionResult<T> {
        self.writing.with(action, |connection| {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            match work(&change) {
                Ok(done) => change.commit().map(|()| Ok(done)),
                Err(Failure::Refused(error)) => Ok(Err(error)),
                Err(Failure::Database(error)) => Err(error),
            }
        })?
    }

    /// Takes a large session out of the index in steps, with pauses in which others can write.
    fn forget_most(&self, id: &str) -> SessionResult<()> {
        let mut so_far = None;
        loop {
            let started = Instant::now();
            let progress =
                self.change("delete a session", |c| removal::forget_some(c, id, so_far, &self.holders))?;
            if progress == removal::Progress::Ready {
                return Ok(());
            }
            so_far = Some(progress);
            thread::sleep((started.elapsed() / 2).min(LONGEST_PAUSE));
        }
    }

    /// What was taken out still stands in the log of the database.
    fn write_back_soon(&self, forgot: bool) {
        if forgot {
            self.write_back.soon();
        }
    }

    /// The same at once. What was deleted is gone all the same, so this cannot fail.
    fn write_back_now(&self) {
        match self.writing.write_back() {
            Ok(WrittenBack::All) => {}
            Ok(WrittenBack::NotAll) => self.write_back.soon(),
            Err(error) => tracing::warn!("something was deleted, but: {error}"),
        }
    }

    /// Everything that `work` reads is of one moment.
    fn look<T>(&self, action: &str, work: impl FnOnce(&Connection) -> Tried<T>) -> SessionResult<T> {
        self.reading.with(action, |connection| match work(&*connection.transaction()?) {
            Ok(found) => Ok(Ok(found)),
            Err(Failure::Refused(error)) => Ok(Err(error)),
            Err(Failure::Database(error)) => Err(error),
        })?
    }
}

/// A column whose text is read in a way of its own.
fn parsed<T>(
    row: &Row<'_>,
    column: usize,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> rusqlite::Result<T> {
    parse(row.get_ref(column)?.as_str()?)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into()))
}

fn from_text<T: std::str::FromStr<Err: ToString>>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    parsed(row, column, |text| text.parse().map_err(|error: T::Err| error.to_string()))
}

fn from_json<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    parsed(row, column, |text| serde_json::from_str(text).map_err(|error| error.to_string()))
}

fn json(what: &str, value: &impl serde::Serialize) -> Tried<String> {
    Ok(serde_json::to_string(value)
        .map_err(|error| StoreError::new(format!("write {what} as JSON"), error))?)
}

fn bounded_json(what: &str, value: &impl serde::Serialize, most: usize) -> Tried<String> {
    let text = json(what, value)?;
    if text.len() > most {
        return Err(invalid(format!("{what} have {} bytes as JSON; at most {most} are kept", text.len())));
    }
    Ok(text)
}

/// What a page is in SQL: how many to leave out, and how many to take.
fn offset_and_limit(page: PageAsk) -> Tried<(u64, u64)> {
    if page.page == 0 || !(1..=1_000).contains(&page.size) {
        return Err(invalid(format!(
            "page {} of size {}: pages count from 1, and have 1 to 1,000 entries",
            page.page, page.size
        )));
    }
    // SQLite counts in 63 bits; nothing stands beyond them.
    Ok(((page.page - 1).saturating_mul(page.size).min(i64::MAX as u64), page.size))
}

/// What the column `owner` has for one: the owner of the installation has no name.
fn owner_column(owner: Option<&str>) -> &str {
    owner.unwrap_or_default()
}

/// What the column must be; `None` where it may be anything.
fn wanted_owner(owner: &Owner) -> Option<&str> {
    match owner {
        Owner::Everyone => None,
        Owner::Only(owner) => Some(owner_column(owner.as_deref())),
    }
}

impl SessionStore for Sessions {
    fn create(&self, new: &NewSession) -> SessionResult<Session> {
        self.change("create a session", |c| rows::create(c, new))
    }

    fn session(&self, id: &str) -> SessionResult<Session> {
        self.look("read a session", |c| rows::get(c, id))
    }

    fn find_session(&self, part: &str) -> SessionResult<Session> {
        self.look("look for a session", |c| rows::find(c, part))
    }

    fn sessions(&self, query: &SessionQuery) -> SessionResult<Page<Session>> {
        self.look("list the sessions", |c| rows::list(c, query))
    }

    fn rename(&self, id: &str, title: &str, by: TitledBy) -> SessionResult<Session> {
        self.change("rename a session", |c| rows::rename(c, id, title, by))
    }

    fn archive(&self, id: &str, archived: bool) -> SessionResult<Session> {
        self.change("archive a session", |c| rows::archive(c, id, archived))
    }

    fn set_metadata(&self, id: &str, metadata: &SessionMeta) -> SessionResult<Session> {
        self.change("change a session", |c| rows::set_metadata(c, id, metadata))
    }

    fn delete(&self, id: &str, how: Deletion) -> SessionResult<()> {
        match how {
            Deletion::Soft => self.change("delete a session", |c| removal::soft(c, id, &self.holders)),
            Deletion::Hard => {
                self.forget_most(id)?;
                self.change("delete a session", |c| {
                    let outputs = kept::files(c, id, &self.outputs)?;
                    let files = removal::Files { uploads: &self.uploads, outputs };
                    removal::hard(c, id, &files, &self.holders)
                })?;
                self.write_back_now();
                Ok(())
            }
        }
    }

    fn restore(&self, id: &str) -> SessionResult<Session> {
        self.change("restore a session", |c| removal::restore(c, id))
    }

    fn owner_of_deleted(&self, id: &str) -> SessionResult<Option<String>> {
        self.look("look at a deleted session", |c| {
            let session = rows::get_any(c, id)?;
            if session.deleted_at.is_none() {
                return Err(invalid(format!("the session {id} is not deleted")));
            }
            Ok(session.owner)
        })
    }

    fn version(&self) -> SessionResult<i64> {
        // What is read has a connection of its own, so that it is told of what this process writes, too.
        self.look("look whether anything has changed", |c| {
            Ok(c.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?)
        })
    }

    fn fork(&self, id: &str, at: Option<i64>, title: Option<&str>) -> SessionResult<Session> {
        self.change("fork a session", |c| fork::fork(c, id, at, title, &self.uploads))
    }

    fn import(&self, transcript: &Transcript, owner: Option<&str>) -> SessionResult<Session> {
        self.change("import a session", |c| transcripts::import(c, transcript, owner))
    }

    fn export(&self, id: &str) -> SessionResult<Transcript> {
        self.look("export a session", |c| transcripts::export(c, id))
    }

    fn messages(&self, session: &str, query: &MessageQuery) -> SessionResult<Page<Message>> {
        self.look("read the messages of a session", |c| history::page(c, session, query))
    }

    fn context(&self, session: &str) -> SessionResult<Vec<Message>> {
        self.look("read the messages of a session", |c| history::context(c, session))
    }

    fn append(&self, session: &str, message: &NewMessage) -> SessionResult<Message> {
        self.change("add a message", |c| history::append(c, session, message))
    }

    fn search(&self, query: &SearchQuery) -> SessionResult<Hits> {
        self.look("search the sessions", |c| search::search(c, query))
    }

    fn begin_turn(&self, new: &NewTurn) -> SessionResult<Begun> {
        let mark = self.holders.our_mark()?;
        self.change("begin a turn", |c| turns::begin(c, new, &mark))
    }

    fn retry_turn(&self, session: &str, model: Option<&str>) -> SessionResult<Begun> {
        let mark = self.holders.our_mark()?;
        self.change("try a turn again", |c| turns::retry(c, session, model, &mark))
    }

    fn add_steps(&self, turn: &str, steps: &[Step]) -> SessionResult<()> {
        self.change("add steps to a turn", |c| turns::add_steps(c, turn, steps))
    }

    fn end_call(&self, turn: &str, call: &CallStep) -> SessionResult<()> {
        self.change("end a call of a turn", |c| turns::end_call(c, turn, call))
    }

    fn end_turn(&self, turn: &str, end: &TurnEnd) -> SessionResult<Option<Event>> {
        let (ended, forgot) = self
            .change("end a turn", |c| Ok((turns::end(c, turn, end)?, questions::forget_all_of(c, turn)?)))?;
        self.write_back_soon(forgot);
        Ok(ended)
    }

    fn open_turn(&self, session: &str) -> SessionResult<Option<TurnSteps>> {
        self.look("read the open turn of a session", |c| {
            rows::get(c, session)?;
            turns::open_with_steps(c, session)
        })
    }

    fn broken_turns(&self) -> SessionResult<Vec<TurnSteps>> {
        self.look("look for broken turns", |c| turns::broken(c, &self.holders))
    }

    fn append_events(&self, events: Vec<NewEvent>) -> SessionResult<Vec<Event>> {
        if events.is_empty() {
            return Ok(Vec::new());
        }
        let settled = questions::settled_by(&events);
        let (stored, forgot) = self
            .change("store events", |c| Ok((events::append(c, events)?, questions::forget(c, &settled)?)))?;
        self.write_back_soon(forgot);
        Ok(stored)
    }

    fn events(&self, session: &str, after: u64, limit: usize) -> SessionResult<Vec<Event>> {
        self.look("read the events of a session", |c| {
            rows::get(c, session)?;
            events::read(c, session, after, limit)
        })
    }

    fn call_events(&self, session: &str, turns: &[String]) -> SessionResult<Vec<Event>> {
        self.look("read the events of turns", |c| {
            let owner = rows::get(c, session)?.owner;
            let mut found = Vec::new();
            for turn in turns {
                found.extend(events::of_calls(c, turn, owner_column(owner.as_deref()))?);
            }
            Ok(found)
        })
    }

    fn last_event(&self, session: &str) -> SessionResult<u64> {
        self.look("read the events of a session", |c| {
            rows::get(c, session)?;
            events::last(c, session)
        })
    }

    fn queue_message(
        &self,
        session: &str,
        content: &str,
        uploads: &[String],
    ) -> SessionResult<QueuedMessage> {
        self.change("queue a message", |c| queue::add(c, session, content, uploads))
    }

    fn queued(&self, session: &str) -> SessionResult<Vec<QueuedMessage>> {
        self.look("read the queued messages", |c| queue::list(c, session))
    }

    fn edit_queued(&self, session: &str, id: i64, content: &str) -> SessionResult<QueuedMessage> {
        self.change("edit a queued message", |c| queue::edit(c, session, id, content))
    }

    fn hold_queued(&self, session: &str) -> SessionResult<()> {
        self.change("hold the queued messages", |c| queue::hold(c, session))
    }

    fn unqueue(&self, session: &str, id: i64) -> SessionResult<QueuedMessage> {
        self.change("remove a queued message", |c| queue::remove(c, session, id))
    }

    fn add_upload(&self, new: &NewUpload) -> SessionResult<Upload> {
        let file = uploads::keep(&self.uploads, new)?;
        let added = self.change("add an upload", |c| uploads::add(c, &file));
        if added.is_err() {
            file.discard();
        }
        added
    }

    fn adopt_upload(&self, new: &AdoptUpload) -> SessionResult<Upload> {
        let file = uploads::adopt(&self.uploads, new)?;
        let added = self.change("add an upload", |c| uploads::add(c, &file));
        if added.is_err() {
            file.give_back(&new.file);
        }
        added
    }

    fn upload_place(&self) -> SessionResult<PathBuf> {
        Ok(partial::place(&self.uploads, SystemTime::now())?)
    }

    fn upload(&self, id: &str) -> SessionResult<Upload> {
        self.look("read an upload", |c| uploads::get(c, id, &self.uploads))
    }

    fn copy_upload(&self, id: &str, to_session: &str) -> SessionResult<Upload> {
        self.change("copy an upload", |c| {
            rows::get(c, to_session)?;
            let copy = uploads::copy(c, id, to_session, &self.uploads)?;
            let copy = copy.ok_or_else(|| SessionError::NoSuchUpload(id.to_owned()))?;
            uploads::get(c, &copy, &self.uploads)
        })
    }

    fn uploads(&self, session: &str) -> SessionResult<Vec<Upload>> {
        self.look("list the uploads of a session", |c| {
            rows::get(c, session)?;
            uploads::list(c, session, &self.uploads)
        })
    }

    fn tool_calls(&self, query: &ToolCallQuery) -> SessionResult<Page<ToolCallRow>> {
        self.look("list the calls of tools", |c| calls::list(c, query))
    }

    fn tool_call(&self, session: &str, call: CallId) -> SessionResult<Option<ToolCallRow>> {
        self.look("look up a call of a tool", |c| {
            rows::get(c, session)?;
            calls::get(c, session, call)
        })
    }
}
