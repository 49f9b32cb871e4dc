//! What is written down of every call, the log that keeps it, and how it is read.

mod trail;

pub use trail::{
    AuditPage, AuditQuery, AuditReport, AuditTrail, ChainHead, Finding, FindingKind, KeptRecord,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{error::StoreResult, id::CallId, time::Time};

/// Which of the two records of a call this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The call came in. Written before anything is done about it.
    Arrival,
    /// The call ended, whatever its status.
    End,
    /// Not a call: the log was switched off or on, repaired, or found changed; settings were changed; something kept was
    /// read.
    Notice,
}

/// One record. Texts in it are masked and bounded; the hashes are of the whole, unmasked values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditRecord {
    pub phase: Phase,
    pub call_id: Option<CallId>,
    pub tool_name: String,
    pub arguments: Value,
    pub session_id: String,
    /// For whom the call was made. `None`: the owner of this installation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    pub timestamp: Time,
    /// `started` at arrival; a [`Status`](crate::Status) at the end.
    pub status: String,
    pub duration_ms: Option<u64>,
    pub result: Option<String>,
    /// Who made the call: `cli`, `console`, `model:NAME`, `mcp:CLIENT`, …
    pub caller: String,
    /// `allow`, `ask` or `forbid`.
    pub decision: Option<String>,
    pub decided_by: Option<String>,
    pub rule: Option<String>,
    /// SHA-256 of the arguments in canonical form.
    pub input_sha256: Option<String>,
    /// SHA-256 of text and data as the tool produced them.
    pub output_sha256: Option<String>,
    /// What held in what the call ran, in words. Records from before there was any have no such field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confinement: Option<String>,
}

impl AuditRecord {
    /// A record of something that is not a call.
    pub fn notice(caller: impl Into<String>, status: &str, arguments: Value, timestamp: Time) -> Self {
        Self {
            phase: Phase::Notice,
            call_id: None,
            tool_name: String::new(),
            arguments,
            session_id: String::new(),
            owner: None,
            timestamp,
            status: status.to_owned(),
            duration_ms: None,
            result: None,
            caller: caller.into(),
            decision: None,
            decided_by: None,
            rule: None,
            input_sha256: None,
            output_sha256: None,
            confinement: None,
        }
    }
}

/// The append-only, hash-chained log.
pub trait AuditLog: Send + Sync {
    /// Appends one record. Not necessarily on disk when it returns.
    fn append(&self, record: &AuditRecord) -> StoreResult<()>;
    /// What was appended will be waited for soon: a head start, where there can be one.
    fn hasten(&self) {}
    /// Returns when everything appended so far is on disk, and the head of the chain is in the database.
    /// Called before the effect of any call that changes something.
    fn make_durable(&self) -> StoreResult<()>;
    /// The newest record of a call: its end, or its arrival if it never ended; `None` if it never arrived.
    fn last_record(&self, call: CallId) -> StoreResult<Option<AuditRecord>>;
}
