//! A session as a file: JSON, which can be read back, and Markdown, which a person reads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Message, Session, markdown, written::Written};

/// The value of `format` in a transcript that this program writes.
pub const TRANSCRIPT_FORMAT: &str = "deskhand-session-1";

/// A whole session. Read from JSON, only `format` and each message's `role` and `content` have to be there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Written")]
pub struct Transcript {
    pub format: String,
    pub session: Session,
    pub messages: Vec<Message>,
}

impl Transcript {
    pub fn new(session: Session, messages: Vec<Message>) -> Self {
        Self { format: TRANSCRIPT_FORMAT.to_owned(), session, messages }
    }

    /// For a person to read. It cannot be read back.
    pub fn to_markdown(&self) -> String {
        markdown::write(self)
    }
}
