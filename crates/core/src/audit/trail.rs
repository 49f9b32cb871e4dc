//! Reading what was written down: which records, and whether they are as they were written.

use schemars::JsonSchema;
use serde::Serialize;

use super::{AuditRecord, Phase};
use crate::{error::StoreResult, id::CallId, session::Owner, time::Time};

/// Which records are wanted. What is not set does not matter.
#[derive(Clone, Debug, Default)]
pub struct AuditQuery {
    pub tool: Option<String>,
    pub status: Option<String>,
    pub session_id: Option<String>,
    /// Only records of calls that were made for this owner. What is no call is the owner's of this installation.
    pub owner: Option<Owner>,
    pub call_id: Option<CallId>,
    pub phase: Option<Phase>,
    pub since: Option<Time>,
    /// Only records with a smaller number: [`AuditPage::next`] of the page before.
    pub before: Option<u64>,
    /// The most records on a page; 0 stands for 100.
    pub limit: usize,
    /// Which page, from 1; 0 stands for 1. What comes before it is read, too: `before` leads there faster.
    pub page: usize,
}

impl AuditQuery {
    pub fn wants(&self, record: &AuditRecord) -> bool {
        let is =
            |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
        is(&self.tool, &record.tool_name)
            && is(&self.status, &record.status)
            && is(&self.session_id, &record.session_id)
            && self.call_id.is_none_or(|id| record.call_id == Some(id))
            && self.phase.is_none_or(|phase| record.phase == phase)
            && self.since.is_none_or(|since| record.timestamp >= since)
            && match &self.owner {
                None | Some(Owner::Everyone) => true,
                Some(Owner::Only(owner)) => *owner == record.owner,
            }
    }
}

/// A record and its place in the chain.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct KeptRecord {
    pub seq: u64,
    pub hash: String,
    #[serde(flatten)]
    pub record: AuditRecord,
}

/// Some of the records that fit.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AuditPage {
    /// Newest first.
    pub records: Vec<KeptRecord>,
    /// What [`AuditQuery::before`] has to be for the next page; `None` on the last one.
    pub next: Option<u64>,
}

impl AuditPage {
    pub fn has_more(&self) -> bool {
        self.next.is_some()
    }
}

/// What a whole reading of the log found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AuditReport {
    pub records: u64,
    pub files: u64,
    /// By file and line.
    pub findings: Vec<Finding>,
    /// How many more there were than are in `findings`.
    pub more_findings: u64,
    /// The last record of the chain.
    pub head: ChainHead,
}

impl AuditReport {
    /// Whether everything is as it was written.
    pub fn is_intact(&self) -> bool {
        self.findings.is_empty() && self.more_findings == 0
    }
}

/// A place in the chain. Someone who notes it down elsewhere can tell later that nothing before it was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChainHead {
    /// 0 before the first record.
    pub seq: u64,
    pub hash: String,
    pub file: Option<String>,
}

/// One thing that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    pub file: Option<String>,
    /// From 1.
    pub line: Option<u64>,
    pub seq: Option<u64>,
    pub kind: FindingKind,
    /// In words.
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// A record is not what it was.
    Edited,
    /// Records are missing from the middle.
    Removed,
    /// A line does not belong there.
    Inserted,
    /// A record is not in its place.
    Reordered,
    /// The end of a file is missing.
    Truncated,
    /// A file has nothing in it any more.
    Emptied,
    /// A file is gone.
    FileDeleted,
    /// The database does not know the chain, or did not at some time: its end may have been cut off unnoticed.
    HeadMissing,
    /// At some time the end of the log was not what had been written.
    RecordsLost,
}

/// The log, to be read.
pub trait AuditTrail: Send + Sync {
    /// The records that fit, newest first, a page at a time.
    fn query(&self, query: &AuditQuery) -> StoreResult<AuditPage>;
    /// Reads the whole log and says what is wrong with it. Others may append meanwhile.
    fn verify(&self) -> StoreResult<AuditReport>;
}
