//! Reading the whole chain, to find what was changed.

use std::{collections::HashMap, fs::File, io, time::Instant};

use deskhand_core::{StoreResult, audit::AuditReport};

use super::{Log, files, lines::Forwards, lock, walk::Walk};
use crate::error::Doing;

/// No more findings than this are told one by one.
pub(super) const MAX_FINDINGS: usize = 1000;

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
