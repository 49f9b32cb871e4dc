//! The trait of whoever keeps sessions, with what it is asked and what it answers.
//!
//! Each method is one change that is made whole or not at all: after a crash everything that had returned is there.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CallStep, Message, MessageMeta, Role, Session, SessionMeta, Step, Transcript, Usage};
use crate::{
    error::StoreError,
    event::{Event, EventBody, TurnOutcome},
    id::CallId,
    outcome::Status,
    time::Time,
};

pub type SessionResult<T> = Result<T, SessionError>;

/// The most bytes of one upload.
pub const MAX_UPLOAD: u64 = 100 << 20;

/// Why something about a session did not work.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("there is no session {0}")]
    NoSuchSession(String),
    #[error("there is no message {1} in the session {0}")]
    NoSuchMessage(String, i64),
    #[error("there is no upload {0}")]
    NoSuchUpload(String),
    /// A turn is under way, here or in another process.
    #[error("a turn is under way in the session {0}; it must end, or be cancelled, first")]
    Busy(String),
    #[error("{0}")]
    Invalid(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Whose sessions are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Those of all owners together.
    Everyone,
    /// Those of one alone; `None` is the owner of this installation.
    Only(Option<String>),
}

/// Which page of a list, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageAsk {
    pub page: u64,
    /// 1 to 1,000.
    pub size: u64,
}

/// Some of what there is, and how much there is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Page<T> {
    pub total: u64,
    pub items: Vec<T>,
}

#[derive(Clone, Debug, Default)]
pub struct NewSession {
    /// `None`: a new one.
    pub id: Option<String>,
    /// `None`: the owner of this installation.
    pub owner: Option<String>,
    /// Set by hand, and so locked. `None`: untitled.
    pub title: Option<String>,
    pub metadata: SessionMeta,
}

/// Which sessions are listed, the one that changed last first.
#[derive(Clone, Debug)]
pub struct SessionQuery {
    pub page: PageAsk,
    pub owner: Owner,
    /// `None`: both.
    pub archived: Option<bool>,
    /// Those that were deleted softly, instead of the others.
    pub deleted: bool,
}

/// Which messages are listed, oldest first.
#[derive(Clone, Copy, Debug, Default)]
pub struct MessageQuery {
    /// `None`: all of them.
    pub page: Option<PageAsk>,
    /// Only those with a larger id.
    pub after: Option<i64>,
    /// Only those with a smaller id.
    pub before: Option<i64>,
    /// Only so many of them, the newest: 1 to 1,000. Not together with a page. The total is then that of the session.
    pub last: Option<u64>,
}

#[derive(Clone, Debug)]
pub struct SearchQuery {
    /// Words, all of which must occur; Chinese needs no blanks between them.
    pub text: String,
    pub page: PageAsk,
    pub owner: Owner,
    /// Only in this session.
    pub session_id: Option<String>,
    pub archived: Option<bool>,
}

/// One page of hits. How many there are is not counted: of a common word that would take longer than finding it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Hits {
    pub items: Vec<SearchHit>,
    /// Whether the next page has any.
    pub has_more: bool,
}

/// One place where what was searched for stands. Newest first.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SearchHit {
    pub session_id: String,
    pub title: String,
    /// `None`: it is in the title.
    pub message_id: Option<i64>,
    pub role: Option<Role>,
    pub timestamp: Time,
    /// Around the hit, on one line; each hit stands between `⟪` and `⟫`.
    pub snippet: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// With everything that belongs to it; nothing is left.
    Hard,
    /// Out of sight; [`SessionStore::restore`] brings it back.
    Soft,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TitledBy {
    /// Locks it.
    Person,
    /// Leaves a locked title alone.
    Machine,
}

#[derive(Clone, Debug)]
pub struct NewMessage {
    pub role: Role,
    pub content: String,
    pub metadata: MessageMeta,
}

#[derive(Clone, Debug)]
pub struct NewTurn {
    pub session_id: String,
    /// What the user said. Masked.
    pub content: String,
    pub uploads: Vec<String>,
    pub model: Option<String>,
    /// The message that waited and is sent with this turn: it leaves the queue when the turn begins, or stays in it.
    pub queued: Option<i64>,
}

/// A message that waits for the end of the turn that is under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QueuedMessage {
    pub id: i64,
    /// Masked.
    pub content: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uploads: Vec<String>,
    pub created_at: Time,
    /// A turn before it failed or was cancelled: it is not sent by itself, unless it is edited.
    pub held: bool,
}

/// The most files that go along with one message.
pub const MOST_FILES: usize = 20;

/// What became of the wish to begin a turn.
#[derive(Debug)]
pub struct Begun {
    pub turn: OpenTurn,
    /// Its first event, `turn_started`.
    pub event: Event,
}

/// A turn that has begun and not ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenTurn {
    pub id: String,
    pub session_id: String,
    pub user_message: i64,
    /// The answer: empty until the turn ends.
    pub assistant_message: i64,
    /// The number of its first event, `turn_started`.
    pub first_event: u64,
    pub started_at: Time,
}

/// A turn that has begun and not ended, with what it has done so far.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnSteps {
    pub turn: OpenTurn,
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug)]
pub struct TurnEnd {
    pub outcome: TurnOutcome,
    pub reason: Option<String>,
    /// The last words of the model.
    pub content: String,
    /// They broke off.
    pub incomplete: bool,
    pub usage: Option<Usage>,
    /// What to set in the metadata of the answer beside the above.
    pub metadata: serde_json::Map<String, Value>,
}

/// An event on its way into the store, which gives it its number.
#[derive(Clone, Debug)]
pub struct NewEvent {
    pub session_id: String,
    pub turn_id: Option<String>,
    pub at: Time,
    pub body: EventBody,
}

/// A file that a person gave to a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Upload {
    pub id: String,
    pub session_id: String,
    /// As the person named it: a last component, nothing else.
    pub name: String,
    pub mime: String,
    /// Bytes.
    pub size: u64,
    /// Where it lies, in the data folder.
    #[serde(with = "crate::path_json")]
    #[schemars(with = "String")]
    pub path: PathBuf,
    pub created_at: Time,
}

#[derive(Clone, Debug)]
pub struct NewUpload {
    pub session_id: String,
    pub name: String,
    pub mime: String,
    pub content: Vec<u8>,
}

/// An upload whose file has been written already: too large for the memory, or piece by piece.
#[derive(Clone, Debug)]
pub struct AdoptUpload {
    pub session_id: String,
    pub name: String,
    pub mime: String,
    /// How many bytes the file must have.
    pub size: u64,
    /// The whole file, on the file system of [`SessionStore::upload_place`]. It is moved from there.
    pub file: PathBuf,
}

#[derive(Clone, Debug)]
pub struct ToolCallQuery {
    pub page: PageAsk,
    pub owner: Owner,
    pub session_id: Option<String>,
    pub turn_id: Option<String>,
    pub tool: Option<String>,
}

/// One call of a tool, as the history of calls keeps it. Newest first.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ToolCallRow {
    pub call_id: CallId,
    pub session_id: String,
    pub turn_id: String,
    pub message_id: i64,
    pub tool: String,
    pub arguments: Value,
    pub started_at: Time,
    /// `None` while it is open.
    pub status: Option<Status>,
    pub duration_ms: Option<u64>,
    pub undo: Option<CallId>,
}

/// Keeps sessions. Shared by every process on one data folder.
///
/// A session that was deleted is not found by anything but `restore` and a query for deleted ones.
pub trait SessionStore: Send + Sync {
    fn create(&self, new: &NewSession) -> SessionResult<Session>;
    fn session(&self, id: &str) -> SessionResult<Session>;
    /// The session whose id is, begins or ends with `part` (at least six characters). An error names the candidates.
    fn find_session(&self, part: &str) -> SessionResult<Session>;
    fn sessions(&self, query: &SessionQuery) -> SessionResult<Page<Session>>;
    fn rename(&self, id: &str, title: &str, by: TitledBy) -> SessionResult<Session>;
    fn archive(&self, id: &str, archived: bool) -> SessionResult<Session>;
    fn set_metadata(&self, id: &str, metadata: &SessionMeta) -> SessionResult<Session>;
    /// Refused while a turn is under way.
    fn delete(&self, id: &str, how: Deletion) -> SessionResult<()>;
    fn restore(&self, id: &str) -> SessionResult<Session>;
    /// Whose a session is that was deleted softly.
    fn owner_of_deleted(&self, id: &str) -> SessionResult<Option<String>>;
    /// A number that changes whenever anything that is kept here does, whoever changes it.
    fn version(&self) -> SessionResult<i64>;
    /// A new session with the messages up to `at` (all of them, where it is `None`; none, where it is 0) as they were, of the same
    /// owner; the original stays.
    fn fork(&self, id: &str, at: Option<i64>, title: Option<&str>) -> SessionResult<Session>;
    /// A new session of `owner` from a transcript, with new ids. Whose it was before does not matter.
    fn import(&self, transcript: &Transcript, owner: Option<&str>) -> SessionResult<Session>;
    fn export(&self, id: &str) -> SessionResult<Transcript>;

    fn messages(&self, session: &str, query: &MessageQuery) -> SessionResult<Page<Message>>;
    /// What a model is told from: the newest compaction, and what it does not cover whole; the newest 5,000 at most.
    fn context(&self, session: &str) -> SessionResult<Vec<Message>>;
    fn append(&self, session: &str, message: &NewMessage) -> SessionResult<Message>;
    fn search(&self, query: &SearchQuery) -> SessionResult<Hits>;

    /// Writes the user's message, an empty answer and the event `turn_started`. `Busy` if a turn is under way.
    fn begin_turn(&self, new: &NewTurn) -> SessionResult<Begun>;
    /// Begins a turn on the message of the last one, which did not complete: an empty answer and the event
    /// `turn_started`. Refused (`Invalid`) where there is nothing to try again, `Busy` if a turn is under way.
    fn retry_turn(&self, session: &str, model: Option<&str>) -> SessionResult<Begun>;
    /// Adds to the turn. Refused (`Invalid`) once it has ended.
    fn add_steps(&self, turn: &str, steps: &[Step]) -> SessionResult<()>;
    /// Closes a call that was added open.
    fn end_call(&self, turn: &str, call: &CallStep) -> SessionResult<()>;
    /// Writes the answer with all its steps and the event `done`. `None` if the turn had ended before: the first wins.
    fn end_turn(&self, turn: &str, end: &TurnEnd) -> SessionResult<Option<Event>>;
    /// The turn that is under way in a session, with its steps.
    fn open_turn(&self, session: &str) -> SessionResult<Option<TurnSteps>>;
    /// Turns that will never end by themselves: the process that ran them is gone.
    fn broken_turns(&self) -> SessionResult<Vec<TurnSteps>>;

    /// Stores events in this order, each once; `seq` grows by one within a session. Events of a session that is gone
    /// are dropped.
    fn append_events(&self, events: Vec<NewEvent>) -> SessionResult<Vec<Event>>;
    /// The events after `after`, at most `limit`.
    fn events(&self, session: &str, after: u64, limit: usize) -> SessionResult<Vec<Event>>;
    /// What the events of these turns tell of their calls: plans, questions with their answers, and ends, without the images,
    /// which stand in the steps. Turns of other owners than the session's have none.
    fn call_events(&self, session: &str, turns: &[String]) -> SessionResult<Vec<Event>>;
    /// The number of the newest event of a session; 0 where it has none.
    fn last_event(&self, session: &str) -> SessionResult<u64>;

    /// Keeps a message until the turn that is under way has ended. It is kept over restarts, and not copied by a fork.
    fn queue_message(&self, session: &str, content: &str, uploads: &[String])
    -> SessionResult<QueuedMessage>;
    /// The messages that wait, the first one first.
    fn queued(&self, session: &str) -> SessionResult<Vec<QueuedMessage>>;
    /// An edited message is not held any more.
    fn edit_queued(&self, session: &str, id: i64, content: &str) -> SessionResult<QueuedMessage>;
    /// The messages that wait now wait for the person. So they do after a turn that failed or was cancelled.
    fn hold_queued(&self, session: &str) -> SessionResult<()>;
    /// Takes a message out of the queue.
    fn unqueue(&self, session: &str, id: i64) -> SessionResult<QueuedMessage>;

    fn add_upload(&self, new: &NewUpload) -> SessionResult<Upload>;
    /// Moves a file into the session. If that fails, the file is left where it was.
    fn adopt_upload(&self, new: &AdoptUpload) -> SessionResult<Upload>;
    /// A private folder for files that are still being written, made where it is not there. What nobody has
    /// written to for a day is removed from it.
    fn upload_place(&self) -> SessionResult<PathBuf>;
    fn upload(&self, id: &str) -> SessionResult<Upload>;
    /// Gives a session an upload of its own with the content of another.
    fn copy_upload(&self, id: &str, to_session: &str) -> SessionResult<Upload>;
    fn uploads(&self, session: &str) -> SessionResult<Vec<Upload>>;
    fn tool_calls(&self, query: &ToolCallQuery) -> SessionResult<Page<ToolCallRow>>;
    /// One call of a session, however old. `None`: the session has no such call.
    fn tool_call(&self, session: &str, call: CallId) -> SessionResult<Option<ToolCallRow>>;
}
