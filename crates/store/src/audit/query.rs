//! Listing records, newest first.

use std::{fs::File, io, path::Path};

use deskhand_core::{AuditRecord, CallId, Phase, Time};
use serde::Serialize;

use super::{files, line::Line, lines::Backwards};

/// Which records are wanted. What is not set does not matter.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    pub tool: Option<String>,
    pub status: Option<String>,
    pub session_id: Option<String>,
    pub call_id: Option<CallId>,
    pub phase: Option<Phase>,
    pub since: Option<Time>,
    /// Only records with a smaller number: [`AuditPage::next`] of the page before.
    pub before: Option<u64>,
    /// The most records on a page; 0 stands for 100.
    pub limit: usize,
}

/// A record and its place in the chain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KeptRecord {
    pub seq: u64,
    pub hash: String,
    #[serde(flatten)]
    pub record: AuditRecord,
}

/// Some of the records that fit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AuditPage {
    /// Newest first.
    pub records: Vec<KeptRecord>,
    /// What [`AuditFilter::before`] has to be for the next page; `None` on the last one.
    pub next: Option<u64>,
}

impl AuditFilter {
    fn wants(&self, record: &AuditRecord) -> bool {
        let is =
            |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
        is(&self.tool, &record.tool_name)
            && is(&self.status, &record.status)
            && is(&self.session_id, &record.session_id)
            && self.call_id.is_none_or(|id| record.call_id == Some(id))
            && self.phase.is_none_or(|phase| record.phase == phase)
            && self.since.is_none_or(|since| record.timestamp >= since)
    }

    /// Whether a file can hold anything that is wanted. A file is never named after a day before that of its
    /// records.
    fn wants_file(&self, folder: &Path, name: &str) -> io::Result<bool> {
        if self.since.is_some_and(|since| *name < *files::name_of_day(&since.day())) {
            return Ok(false);
        }
        match self.before {
            Some(before) => Ok(files::first_seq(&folder.join(name))?.is_none_or(|first| first < before)),
            None => Ok(true),
        }
    }
}

/// Lines that cannot be read are left out: finding them is `verify`'s work.
pub(super) fn query(folder: &Path, filter: &AuditFilter) -> io::Result<AuditPage> {
    let limit = if filter.limit == 0 { 100 } else { filter.limit };
    let mut page = AuditPage { records: Vec::new(), next: None };
    for name in files::list(folder)?.iter().rev() {
        if !filter.wants_file(folder, name)? {
            continue;
        }
        let file = File::open(folder.join(name))?;
        let length = file.metadata()?.len();
        let mut lines = Backwards::new(file, length);
        while let Some(raw) = lines.next()? {
            let Some(line) = Line::parse(&raw.bytes) else { continue };
            let seq = line.at.seq;
            if filter.before.is_some_and(|before| seq >= before) {
                continue;
            }
            let Some(record) = line.record().ok().filter(|record| filter.wants(record)) else { continue };
            if page.records.len() == limit {
                page.next = page.records.last().map(|last| last.seq);
                return Ok(page);
            }
            page.records.push(KeptRecord { seq, hash: line.at.hash.to_string(), record });
        }
    }
    Ok(page)
}
