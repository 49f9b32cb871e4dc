//! Conversations as they last: sessions, their messages, the steps of a turn, and the trait of whoever keeps them.
//!
//! A turn is one user message and the one assistant message that answers it. Everything in between (thoughts, calls
//! with their results) stands in the assistant message as [`Step`]s, in the order in which it happened, so that the
//! conversation can be rebuilt for a model, shown to a person and gone on with after a crash.

mod changes;
mod markdown;
mod step;
mod store;
mod transcript;
mod written;

pub use changes::{WhichTurn, changes_of_turn};
pub use step::{CallEnd, CallStep, Step};
pub use store::{
    AdoptUpload, Begun, Deletion, Hits, MAX_UPLOAD, MOST_FILES, MessageQuery, NewEvent, NewMessage,
    NewSession, NewTurn, NewUpload, OpenTurn, Owner, Page, PageAsk, QueuedMessage, SearchHit, SearchQuery,
    SessionError, SessionQuery, SessionResult, SessionStore, TitledBy, ToolCallQuery, ToolCallRow, TurnEnd,
    TurnSteps, Upload,
};
pub use transcript::{TRANSCRIPT_FORMAT, Transcript};

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::{event::TurnOutcome, policy::Mode, time::Time};

/// The title of a session that has none yet.
pub const UNTITLED: &str = "新会话";

/// Set in the metadata of messages that came with a file: nobody here vouches for them.
pub const IMPORTED: &str = "imported";

/// One conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Session {
    pub id: String,
    /// Whose it is. `None`: the owner of this installation, who also works in the terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    pub title: String,
    /// Set by hand: no automatic title replaces it.
    pub title_locked: bool,
    pub created_at: Time,
    pub updated_at: Time,
    pub message_count: u64,
    pub is_archived: bool,
    /// When it was deleted softly: it is not listed, searched or gone on with, and can be restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Time>,
    pub metadata: SessionMeta,
}

/// What else is known of a session. Unknown fields are kept as they are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionMeta {
    /// The folder it works in.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "crate::path_json::optional")]
    #[schemars(with = "Option<String>")]
    pub workspace: Option<PathBuf>,
    /// `PROVIDER/NAME`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The mode that its person has chosen for it. Whether they may is asked at each turn.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known_mode")]
    pub mode: Option<Mode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toolset: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<ForkedFrom>,
    /// A demo: its turns are scripted, its tools are real.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub demo: bool,
    /// What could be said next, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggested: Vec<String>,
    /// Of a conversation that another program leads through the OpenAI-compatible door.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientTalk>,
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What is no mode counts as none: it must not keep the session from being read.
fn known_mode<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Mode>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(from)?).ok())
}

/// What is remembered of a program that sends the whole conversation each time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ClientTalk {
    /// What it wishes the model to be told. It is told as a wish.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// By which the conversation is known again, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub known_by: Vec<KnownBy>,
}

/// The state of a conversation after an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KnownBy {
    /// SHA-256 of what had been said by then, as the program saw it.
    pub digest: String,
    /// The answer.
    pub message_id: i64,
}

/// Where a fork comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ForkedFrom {
    pub session_id: String,
    /// The last message that it shares with it.
    pub message_id: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    User,
    Assistant,
    /// Not for the model as it stands: a compaction, or a remark of Deskhand's own.
    System,
}

impl Role {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
        }
    }
}

/// One message. Ids grow, and order the messages of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    pub id: i64,
    pub session_id: String,
    pub role: Role,
    /// Of an assistant: its last words in the turn.
    pub content: String,
    pub timestamp: Time,
    /// What was thought, said and done before `content`. Only assistant messages have any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_steps: Option<Vec<Step>>,
    pub metadata: MessageMeta,
}

/// What else is known of a message. Unknown fields are kept as they are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessageMeta {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How the turn ended; absent while it runs, and in user messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<TurnOutcome>,
    /// Why it ended like that, where it is not simply completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The answer broke off: this is what there is of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
    /// The answer that this one tries again, to the same message. Its last words are not told to a model any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_of: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Uploads that came with a user message, by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uploads: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compaction: Option<Compaction>,
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What a model used, over one turn or one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Of the input, what the server had in its cache.
    #[serde(default)]
    pub cached_tokens: u64,
    /// In US dollars, where the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cached_tokens += other.cached_tokens;
        self.cost = match (self.cost, other.cost) {
            (None, cost) | (cost, None) => cost,
            (Some(a), Some(b)) => Some(a + b),
        };
    }
}

/// A system message that stands, for the model, in the place of everything up to a point.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Compaction {
    /// The last message it covers.
    pub until_message: i64,
    /// Where that message is the answer of a turn that was under way: how many of its steps it covers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_step: Option<usize>,
    /// The file with all that was covered, as it was.
    pub transcript: String,
    /// What must not get lost, also when this one is covered by the next.
    #[serde(default)]
    pub facts: Facts,
    /// Where text comes from that the summary may carry on. Empty where a person asked for the compaction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<String>,
}

/// What is known of a conversation without a model's help.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Facts {
    /// What the user asked, in their words, oldest first.
    pub requests: Vec<String>,
    /// Files that were changed.
    pub files: Vec<String>,
    /// Calls that failed.
    pub errors: Vec<String>,
}
