//! Which session a program means that sends the whole conversation each time.
//!
//! It may name one. Else the conversation is known again by a digest of what had been said when we answered last; the
//! digests stand in the session's metadata. A conversation that goes on from an earlier answer is a fork of it. One that
//! we do not know, or that was had more than once, is a new session into which what was said before is imported.

use std::collections::VecDeque;

use axum::http::HeaderMap;
use deskhand_core::{
    arguments::sha256_hex,
    session::{
        ClientTalk, IMPORTED, KnownBy, MessageMeta, NewMessage, NewSession, NewUpload, Owner, PageAsk, Role,
        Session, SessionError, SessionMeta, SessionQuery, SessionResult, SessionStore,
    },
};

use super::body::{ChatBody, ClientMessage, ClientRole, SentFile};
use crate::http::{app::App, error::ApiError, person::Person};

/// By which a program names the session.
pub const SESSION_HEADER: &str = "x-deskhand-session";
/// How many of the newest sessions a conversation is looked for in.
const LOOKED_AT: u64 = 500;
/// How many answers of a session a conversation may go on from.
const MOST_KNOWN: usize = 100;
/// How many conversations are kept in mind.
const MOST_IN_MIND: usize = 1_000;
/// Bytes of what a program may want said to the model.
const LONGEST_WISH: usize = 16 << 10;

/// What was said, as far as it makes a conversation: who said what and sent which files, and what the program wished.
pub struct Told(String);

impl Told {
    fn of(messages: &[ClientMessage]) -> Self {
        let mut told = Self(String::new());
        for message in messages {
            let who = match message.role {
                ClientRole::System | ClientRole::Developer => "system",
                ClientRole::User => "user",
                ClientRole::Assistant => "assistant",
                ClientRole::Tool | ClientRole::Function => continue,
            };
            told.add(who, &message.text());
            message.file_hashes().iter().for_each(|hash| told.add("file", hash));
        }
        told
    }

    /// Up to the last message of the user, that one included.
    pub fn all_but_the_answer(body: &ChatBody) -> Self {
        let until = body.last_user().map_or(0, |at| at + 1);
        Self::of(body.messages.get(..until).unwrap_or_default())
    }

    /// Programs trim what they keep.
    pub fn add(&mut self, role: &str, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            self.0.push_str(&format!("{role} {}\n{text}\n", text.len()));
        }
    }

    pub fn digest(&self) -> String {
        sha256_hex(self.0.as_bytes())
    }
}

/// Whose conversation is in which session, for those that were had last.
#[derive(Default)]
pub struct Remembered(VecDeque<(Option<String>, String, String)>);

impl Remembered {
    pub fn note(&mut self, owner: Option<&str>, digest: &str, session_id: &str) {
        if self.0.len() == MOST_IN_MIND {
            self.0.pop_front();
        }
        self.0.push_back((owner.map(str::to_owned), digest.to_owned(), session_id.to_owned()));
    }

    fn find(&self, owner: Option<&str>, digest: &str) -> Vec<String> {
        let known = self.0.iter().filter(|(whose, known, _)| whose.as_deref() == owner && known == digest);
        known.map(|(_, _, session_id)| session_id.clone()).collect()
    }
}

/// The session that is named.
pub fn named<'a>(headers: &'a HeaderMap, body: &'a ChatBody) -> Option<&'a str> {
    let header = headers.get(SESSION_HEADER).and_then(|id| id.to_str().ok()).filter(|id| !id.is_empty());
    header.or(body.session_id())
}

/// The session to go on in.
pub async fn find_or_begin(
    app: &App,
    person: &Person,
    headers: &HeaderMap,
    body: &ChatBody,
) -> Result<Session, ApiError> {
    let before = body.messages.get(..body.last_user().unwrap_or(0)).unwrap_or_default();
    let session = match named(headers, body) {
        Some(id) => app.session_of(person, id).await?,
        None => match known(app, person, before).await? {
            Some(session) => session,
            None => begin(app, person, before).await?,
        },
    };
    free(app, &session.id).await?;
    wish(app, session, body.instructions()).await
}

/// Refuses a session in which a turn is under way, before anything is changed or kept in it.
async fn free(app: &App, session_id: &str) -> Result<(), ApiError> {
    let (agent, id) = (app.agent().clone(), session_id.to_owned());
    app.blocking(move || {
        // One whose process is gone keeps nobody from going on.
        if let Err(error) = agent.recover() {
            tracing::warn!(%error, "a turn that was cut off could not be closed");
        }
        match agent.store().open_turn(&id)? {
            None => Ok(()),
            Some(_) => Err(SessionError::Busy(id).into()),
        }
    })
    .await
}

/// The session in which this was said before.
async fn known(app: &App, person: &Person, before: &[ClientMessage]) -> Result<Option<Session>, ApiError> {
    if !before.iter().any(|message| message.role == ClientRole::Assistant) {
        return Ok(None);
    }
    let digest = Told::of(before).digest();
    let owner = person.user.clone();
    let in_mind = app.client_talks().find(owner.as_deref(), &digest);
    app.store(move |store| {
        let mut found = look_for(store, owner.clone(), &digest)?;
        for id in in_mind {
            if found.iter().any(|(_, session)| session.id == id) {
                continue;
            }
            let session = store.session(&id).ok().filter(|session| session.owner == owner);
            found.extend(session.and_then(|session| Some((answer_at(&session, &digest)?, session))));
        }
        // Which of several is meant cannot be known, and must not be guessed: one may have done what the other did not.
        if found.len() > 1 {
            return Ok(None);
        }
        let Some((at, session)) = found.pop() else { return Ok(None) };
        if at.is_newest {
            return Ok(Some(session));
        }
        // It goes on from an earlier answer: what came after that stays where it is.
        store.fork(&session.id, Some(at.answer), None).map(Some)
    })
    .await
}

/// Where in a session a conversation goes on.
struct At {
    answer: i64,
    is_newest: bool,
}

fn look_for(
    store: &dyn SessionStore,
    owner: Option<String>,
    digest: &str,
) -> SessionResult<Vec<(At, Session)>> {
    let query = SessionQuery {
        page: PageAsk { page: 1, size: LOOKED_AT },
        owner: Owner::Only(owner),
        archived: None,
        deleted: false,
    };
    let sessions = store.sessions(&query)?.items.into_iter();
    Ok(sessions.filter_map(|session| Some((answer_at(&session, digest)?, session))).collect())
}

/// The answer by which the conversation is known, and whether it is the last one.
fn answer_at(session: &Session, digest: &str) -> Option<At> {
    let known_by = &session.metadata.client.as_ref()?.known_by;
    let at = known_by.iter().rposition(|known| known.digest == digest)?;
    Some(At { answer: known_by[at].message_id, is_newest: at + 1 == known_by.len() })
}

/// A new session, with what was said elsewhere before.
async fn begin(app: &App, person: &Person, before: &[ClientMessage]) -> Result<Session, ApiError> {
    let screener = &app.gate().screener;
    let imported = before.iter().filter_map(|message| {
        let role = match message.role {
            ClientRole::User => Role::User,
            ClientRole::Assistant => Role::Assistant,
            _ => return None,
        };
        let content = screener.mask_text(&message.text()).into_string();
        let mut metadata = MessageMeta::default();
        metadata.other.insert(IMPORTED.to_owned(), true.into());
        (!content.trim().is_empty()).then_some(NewMessage { role, content, metadata })
    });
    let imported: Vec<NewMessage> = imported.collect();
    let metadata = SessionMeta {
        workspace: Some(app.one_of_its_folders(person, None)?),
        client: Some(ClientTalk::default()),
        ..SessionMeta::default()
    };
    let new = NewSession { id: None, title: None, metadata, owner: person.user.clone() };
    app.store(move |store| {
        let session = store.create(&new)?;
        for message in &imported {
            store.append(&session.id, message)?;
        }
        Ok::<_, SessionError>(session)
    })
    .await
}

/// Keeps what the program wants said to the model, for this session alone.
async fn wish(app: &App, session: Session, wanted: Option<String>) -> Result<Session, ApiError> {
    let wanted = wanted.map(|text| {
        let masked = app.gate().screener.mask_text(&text).into_string();
        masked[..masked.floor_char_boundary(LONGEST_WISH)].to_owned()
    });
    let had = session.metadata.client.as_ref().and_then(|client| client.instructions.as_ref());
    if wanted.is_none() || wanted.as_ref() == had {
        return Ok(session);
    }
    let mut metadata = session.metadata;
    metadata.client.get_or_insert_default().instructions = wanted;
    app.store(move |store| store.set_metadata(&session.id, &metadata)).await
}

/// Keeps what came with a message. The ids of the uploads.
pub async fn keep_files(app: &App, session_id: &str, files: Vec<SentFile>) -> Result<Vec<String>, ApiError> {
    let session_id = session_id.to_owned();
    app.store(move |store| {
        let keep = |file: SentFile| {
            let SentFile { name, mime, content } = file;
            store.add_upload(&NewUpload { session_id: session_id.clone(), name, mime, content })
        };
        files.into_iter().map(|file| keep(file).map(|upload| upload.id)).collect::<Result<Vec<_>, _>>()
    })
    .await
}

/// Notes by what the conversation is known after this answer.
pub async fn remember(app: &App, person: &Person, session_id: &str, digest: String, message_id: i64) {
    app.client_talks().note(person.user.as_deref(), &digest, session_id);
    let id = session_id.to_owned();
    let noted = app
        .store(move |store| {
            let mut metadata = store.session(&id)?.metadata;
            let known_by = &mut metadata.client.get_or_insert_default().known_by;
            known_by.push(KnownBy { digest, message_id });
            let too_many = known_by.len().saturating_sub(MOST_KNOWN);
            known_by.drain(..too_many);
            store.set_metadata(&id, &metadata).map(drop)
        })
        .await;
    if let Err(error) = noted {
        tracing::warn!(?error, "a conversation will not be known again");
    }
}
