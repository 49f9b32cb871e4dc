//! Listing records, newest first.

use std::{fs::File, io, path::Path};

use deskhand_core::audit::{AuditPage, AuditQuery, KeptRecord};

use super::{files, line::Line, lines::Backwards};

/// Whether a file can hold anything that is wanted. A file is never named after a day before that of its
/// records.
fn may_hold(query: &AuditQuery, folder: &Path, name: &str) -> io::Result<bool> {
    if query.since.is_some_and(|since| *name < *files::name_of_day(&since.day())) {
        return Ok(false);
    }
    match query.before {
        Some(before) => Ok(files::first_seq(&folder.join(name))?.is_none_or(|first| first < before)),
        None => Ok(true),
    }
}

/// Lines that cannot be read are left out: finding them is `verify`'s work.
pub(super) fn query(folder: &Path, query: &AuditQuery) -> io::Result<AuditPage> {
    let limit = if query.limit == 0 { 100 } else { query.limit };
    let mut left_out = query.page.saturating_sub(1).saturating_mul(limit);
    let mut page = AuditPage { records: Vec::new(), next: None };
    for name in files::list(folder)?.iter().rev() {
        if !may_hold(query, folder, name)? {
            continue;
        }
        let file = File::open(folder.join(name))?;
        let length = file.metadata()?.len();
        let mut lines = Backwards::new(file, length);
        while let Some(raw) = lines.next()? {
            let Some(line) = Line::parse(&raw.bytes) else { continue };
            let seq = line.at.seq;
            if query.before.is_some_and(|before| seq >= before) {
                continue;
            }
            let Some(record) = line.record().ok().filter(|record| query.wants(record)) else { continue };
            if left_out > 0 {
                left_out -= 1;
                continue;
            }
            if page.records.len() == limit {
                page.next = page.records.last().map(|last| last.seq);
                return Ok(page);
            }
            page.records.push(KeptRecord { seq, hash: line.at.hash.to_string(), record });
        }
    }
    Ok(page)
}
