//! Reading the whole chain, to find what was changed.

use std::{collections::HashMap, fs::File, io, time::Instant};

use deskhand_core::StoreResult;
use serde::Serialize;

use super::{Log, files, lines::Forwards, lock, walk::Walk};
use crate::error::Doing;

/// No more findings than this are told one by one.
pub(super) const MAX_FINDINGS: usize = 1000;

/// What a whole reading of the log found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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

/// A place in the chain. Someone who notes it down elsewhere can tell later that nothing before it was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChainHead {
    /// 0 before the first record.
    pub seq: u64,
    pub hash: String,
    pub file: Option<String>,
}

/// One thing that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub file: Option<String>,
    /// From 1.
    pub line: Option<u64>,
    pub seq: Option<u64>,
    pub kind: FindingKind,
    /// In words.
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
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

/// A file as it was when the reading began. What is appended later is not looked at.
pub(super) struct Snapshot {
    pub name: String,
    pub length: u64,
}

pub(super) fn verify(log: &Log) -> StoreResult<AuditReport> {
    let (files, head, rows) = {
        let since = Instant::now();
        let mut writer = lock(&log.writer);
        let locked = writer.repair(since)?;
        // The head is read under the lock, so that it is not ahead of the lengths.
        let head = log.heads.load()?;
        let rows = log.heads.files()?;
        let files = snapshot(log).doing(|| format!("list the audit log {}", log.folder.display()))?;
        drop(locked);
        (files, head, rows)
    };
    let lengths: HashMap<String, u64> = files.iter().map(|file| (file.name.clone(), file.length)).collect();
    let mut walk = Walk::new(head, rows, lengths);
    for Snapshot { name, length } in &files {
        let path = log.folder.join(name);
        let action = || format!("read the audit log {}", path.display());
        let mut lines = Forwards::new(File::open(&path).doing(action)?, *length);
        walk.begin_file(name);
        while let Some(line) = lines.next().doing(action)? {
            walk.line(&line.bytes);
        }
    }
    Ok(walk.report())
}

fn snapshot(log: &Log) -> io::Result<Vec<Snapshot>> {
    files::list(&log.folder)?
        .into_iter()
        .map(|name| Ok(Snapshot { length: log.folder.join(&name).metadata()?.len(), name }))
        .collect()
}
