//! Sessions in memory, for tests of what is shown of them. What a database promises is tested where it is.

use std::{collections::HashMap, sync::Mutex};

use deskhand_core::{
    Event, Time,
    id::new_id,
    session::{
        Begun, CallStep, Deletion, ForkedFrom, Message, MessageQuery, NewEvent, NewMessage, NewSession,
        NewTurn, NewUpload, Page, PageAsk, SearchHit, SearchQuery, Session, SessionError, SessionMeta,
        SessionQuery, SessionResult, SessionStore, Step, TitledBy, ToolCallQuery, ToolCallRow, Transcript,
        TurnEnd, TurnSteps, UNTITLED, Upload,
    },
};
use tokio::sync::Notify;

#[derive(Default)]
pub struct MemoryStore {
    state: Mutex<State>,
    /// Rings when there are new events.
    pub bell: Notify,
}

#[derive(Default)]
struct State {
    /// Newest last.
    sessions: Vec<Session>,
    messages: Vec<Message>,
    events: HashMap<String, Vec<Event>>,
    uploads: Vec<Upload>,
    calls: Vec<ToolCallRow>,
}

fn page<T>(all: Vec<T>, ask: PageAsk) -> Page<T> {
    let skip = usize::try_from((ask.page - 1) * ask.size).unwrap();
    let total = all.len() as u64;
    Page { total, items: all.into_iter().skip(skip).take(usize::try_from(ask.size).unwrap()).collect() }
}

fn not_here<T>() -> SessionResult<T> {
    Err(SessionError::Invalid("these tests begin no turns in the store".into()))
}

impl State {
    fn find(&mut self, id: &str) -> SessionResult<&mut Session> {
        let found = self.sessions.iter_mut().find(|session| session.id == id && session.deleted_at.is_none());
        found.ok_or_else(|| SessionError::NoSuchSession(id.to_owned()))
    }

    fn add(&mut self, title: Option<&str>, metadata: SessionMeta, id: Option<String>) -> Session {
        let now = Time::now();
        let session = Session {
            id: id.unwrap_or_else(new_id),
            title: title.unwrap_or(UNTITLED).to_owned(),
            title_locked: title.is_some(),
            created_at: now,
            updated_at: now,
            message_count: 0,
            is_archived: false,
            deleted_at: None,
            metadata,
        };
        self.sessions.push(session.clone());
        session
    }

    fn say(&mut self, session: &str, mut message: Message) -> SessionResult<Message> {
        message.id = self.messages.last().map_or(1, |last| last.id + 1);
        session.clone_into(&mut message.session_id);
        self.find(session)?.message_count += 1;
        self.messages.push(message.clone());
        Ok(message)
    }
}

impl MemoryStore {
    /// A message with whatever it is to have.
    pub fn add_message(&self, session: &str, message: Message) -> Message {
        self.state.lock().unwrap().say(session, message).unwrap()
    }

    pub fn add_call(&self, call: ToolCallRow) {
        self.state.lock().unwrap().calls.push(call);
    }
}

impl SessionStore for MemoryStore {
    fn create(&self, new: &NewSession) -> SessionResult<Session> {
        Ok(self.state.lock().unwrap().add(new.title.as_deref(), new.metadata.clone(), new.id.clone()))
    }
    fn session(&self, id: &str) -> SessionResult<Session> {
        self.state.lock().unwrap().find(id).cloned()
    }
    fn find_session(&self, end: &str) -> SessionResult<Session> {
        let state = self.state.lock().unwrap();
        let fits =
            |session: &&Session| session.deleted_at.is_none() && end.len() >= 6 && session.id.ends_with(end);
        state.sessions.iter().find(fits).cloned().ok_or_else(|| SessionError::NoSuchSession(end.to_owned()))
    }
    fn sessions(&self, query: &SessionQuery) -> SessionResult<Page<Session>> {
        let state = self.state.lock().unwrap();
        let fits = |session: &&Session| {
            session.deleted_at.is_some() == query.deleted
                && query.archived.is_none_or(|archived| archived == session.is_archived)
        };
        Ok(page(state.sessions.iter().rev().filter(fits).cloned().collect(), query.page))
    }
    fn rename(&self, id: &str, title: &str, by: TitledBy) -> SessionResult<Session> {
        let mut state = self.state.lock().unwrap();
        let session = state.find(id)?;
        title.clone_into(&mut session.title);
        session.title_locked = by == TitledBy::Person;
        Ok(session.clone())
    }
    fn archive(&self, id: &str, archived: bool) -> SessionResult<Session> {
        let mut state = self.state.lock().unwrap();
        let session = state.find(id)?;
        session.is_archived = archived;
        Ok(session.clone())
    }
    fn set_metadata(&self, id: &str, metadata: &SessionMeta) -> SessionResult<Session> {
        let mut state = self.state.lock().unwrap();
        let session = state.find(id)?;
        session.metadata = metadata.clone();
        Ok(session.clone())
    }
    fn delete(&self, id: &str, how: Deletion) -> SessionResult<()> {
        let mut state = self.state.lock().unwrap();
        state.find(id)?.deleted_at = Some(Time::now());
        if how == Deletion::Hard {
            state.sessions.retain(|session| session.id != id);
        }
        Ok(())
    }
    fn restore(&self, id: &str) -> SessionResult<Session> {
        let mut state = self.state.lock().unwrap();
        let found = state.sessions.iter_mut().find(|session| session.id == id);
        let session = found.ok_or_else(|| SessionError::NoSuchSession(id.to_owned()))?;
        session.deleted_at = None;
        Ok(session.clone())
    }
    fn fork(&self, id: &str, at: Option<i64>, title: Option<&str>) -> SessionResult<Session> {
        let messages = self.messages(id, &MessageQuery::default())?.items;
        let mut state = self.state.lock().unwrap();
        let mut metadata = state.find(id)?.metadata.clone();
        let kept: Vec<Message> =
            messages.into_iter().filter(|message| at.is_none_or(|at| message.id <= at)).collect();
        let message_id = kept.last().map_or(0, |last| last.id);
        metadata.forked_from = Some(ForkedFrom { session_id: id.to_owned(), message_id });
        let fork = state.add(title.or(Some("fork")), metadata, None);
        for message in kept {
            state.say(&fork.id, message)?;
        }
        state.find(&fork.id).cloned()
    }
    fn import(&self, transcript: &Transcript) -> SessionResult<Session> {
        let mut state = self.state.lock().unwrap();
        let session = state.add(Some(&transcript.session.title), transcript.session.metadata.clone(), None);
        for message in transcript.messages.clone() {
            state.say(&session.id, message)?;
        }
        state.find(&session.id).cloned()
    }
    fn export(&self, id: &str) -> SessionResult<Transcript> {
        Ok(Transcript::new(self.session(id)?, self.messages(id, &MessageQuery::default())?.items))
    }

    fn messages(&self, session: &str, query: &MessageQuery) -> SessionResult<Page<Message>> {
        let state = self.state.lock().unwrap();
        let fits = |message: &&Message| {
            message.session_id == session && query.after.is_none_or(|after| message.id > after)
        };
        let all: Vec<Message> = state.messages.iter().filter(fits).cloned().collect();
        Ok(page(all, query.page.unwrap_or(PageAsk { page: 1, size: 1_000_000 })))
    }
    fn append(&self, session: &str, new: &NewMessage) -> SessionResult<Message> {
        let message = Message {
            id: 0,
            session_id: String::new(),
            role: new.role,
            content: new.content.clone(),
            timestamp: Time::now(),
            execution_steps: None,
            metadata: new.metadata.clone(),
        };
        self.state.lock().unwrap().say(session, message)
    }
    fn search(&self, query: &SearchQuery) -> SessionResult<Page<SearchHit>> {
        let mut state = self.state.lock().unwrap();
        let found: Vec<Message> = state
            .messages
            .iter()
            .rev()
            .filter(|message| message.content.contains(&query.text))
            .cloned()
            .collect();
        let hits = found.into_iter().map(|message| {
            Ok(SearchHit {
                title: state.find(&message.session_id)?.title.clone(),
                snippet: message.content.replace(&query.text, &format!("⟪{}⟫", query.text)),
                session_id: message.session_id,
                message_id: Some(message.id),
                role: Some(message.role),
                timestamp: message.timestamp,
            })
        });
        let hits: SessionResult<Vec<SearchHit>> = hits.collect();
        Ok(page(hits?, query.page))
    }

    fn begin_turn(&self, _: &NewTurn) -> SessionResult<Begun> {
        not_here()
    }
    fn add_steps(&self, _: &str, _: &[Step]) -> SessionResult<()> {
        not_here()
    }
    fn end_call(&self, _: &str, _: &CallStep) -> SessionResult<()> {
        not_here()
    }
    fn end_turn(&self, _: &str, _: &TurnEnd) -> SessionResult<Option<Event>> {
        not_here()
    }
    fn open_turn(&self, _: &str) -> SessionResult<Option<TurnSteps>> {
        not_here()
    }
    fn broken_turns(&self) -> SessionResult<Vec<TurnSteps>> {
        not_here()
    }

    fn append_events(&self, new: Vec<NewEvent>) -> SessionResult<Vec<Event>> {
        let mut state = self.state.lock().unwrap();
        let mut stored = Vec::new();
        for NewEvent { session_id, turn_id, at, body } in new {
            let events = state.events.entry(session_id.clone()).or_default();
            let event = Event { seq: events.len() as u64 + 1, at, session_id, turn_id, body };
            events.push(event.clone());
            stored.push(event);
        }
        self.bell.notify_waiters();
        Ok(stored)
    }
    fn events(&self, session: &str, after: u64, limit: usize) -> SessionResult<Vec<Event>> {
        let state = self.state.lock().unwrap();
        let events = state.events.get(session).into_iter().flatten();
        Ok(events.filter(|event| event.seq > after).take(limit).cloned().collect())
    }

    fn add_upload(&self, new: &NewUpload) -> SessionResult<Upload> {
        let upload = Upload {
            id: new_id(),
            session_id: new.session_id.clone(),
            name: new.name.clone(),
            mime: new.mime.clone(),
            size: new.content.len() as u64,
            path: "/uploads".into(),
            created_at: Time::now(),
        };
        self.state.lock().unwrap().uploads.push(upload.clone());
        Ok(upload)
    }
    fn uploads(&self, session: &str) -> SessionResult<Vec<Upload>> {
        let state = self.state.lock().unwrap();
        Ok(state.uploads.iter().filter(|upload| upload.session_id == session).cloned().collect())
    }
    fn tool_calls(&self, query: &ToolCallQuery) -> SessionResult<Page<ToolCallRow>> {
        let state = self.state.lock().unwrap();
        let fits = |call: &&ToolCallRow| query.turn_id.as_ref().is_none_or(|turn| *turn == call.turn_id);
        Ok(page(state.calls.iter().rev().filter(fits).cloned().collect(), query.page))
    }
}
