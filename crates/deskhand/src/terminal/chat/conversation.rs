//! What the terminal needs of whoever runs turns.

use anyhow::Result;
use deskhand_core::{Event, Mode, event::TurnOutcome};
use futures_util::future::BoxFuture;

/// A turn that is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    pub session_id: String,
    pub message: String,
    /// Uploads of the session, by id.
    pub uploads: Vec<String>,
    /// `PROVIDER/NAME`; `None`: the session's, or the usual one.
    pub model: Option<String>,
    pub mode: Mode,
}

/// Runs turns in sessions.
pub trait Conversation: Send + Sync {
    /// Starts a turn, which goes on by itself.
    fn start(&self, turn: Turn) -> Result<Box<dyn RunningTurn>>;

    /// The stored events after this number, then what happens.
    fn subscribe(&self, session_id: &str, after: u64) -> Box<dyn EventSource>;

    /// Replaces the older part of the conversation by a summary.
    fn compact<'a>(&'a self, session_id: &'a str, focus: Option<&'a str>) -> BoxFuture<'a, Result<()>>;

    /// The model that answers where none is named, as `PROVIDER/NAME`.
    fn usual_model(&self) -> Option<String>;

    /// The models that can be named.
    fn models(&self) -> BoxFuture<'_, Vec<String>>;
}

/// A turn under way. Dropping it does not end it.
pub trait RunningTurn: Send + Sync {
    fn cancel(&self);

    /// The number of its first event.
    fn first_event(&self) -> u64;

    /// Returns when it has ended, whether that could be stored or not.
    fn ended(&self) -> BoxFuture<'_, TurnOutcome>;
}

/// Events, one after the other, each once.
pub trait EventSource: Send {
    fn next(&mut self) -> BoxFuture<'_, Option<Event>>;
}
