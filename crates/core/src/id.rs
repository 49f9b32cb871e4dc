//! Identifiers. A call id is a UUIDv7, so that ids sort by the time they were made.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::time::Time;

/// Names one call of one tool, in outcomes, events, the audit chain and the undo journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct CallId(#[schemars(with = "String")] Uuid);

impl CallId {
    #[allow(clippy::new_without_default)] // every id is a new one: `default` would suggest otherwise
    pub fn new() -> Self {
        Self(Uuid::now_v7())
    }

    /// When it was made, to the millisecond; `None` of an id that another program made in its own way.
    pub fn made_at(self) -> Option<Time> {
        let (seconds, nanoseconds) = self.0.get_timestamp()?.to_unix();
        let at = jiff::Timestamp::new(i64::try_from(seconds).ok()?, i32::try_from(nanoseconds).ok()?).ok()?;
        Some(Time::from(at))
    }

    /// Reads an id as a person or a program wrote it; `None` if it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        Uuid::try_parse(text.trim()).ok().map(Self)
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

/// A new identifier for anything that is not a call: a session, a grant, an approval.
pub fn new_id() -> String {
    Uuid::now_v7().hyphenated().to_string()
}
