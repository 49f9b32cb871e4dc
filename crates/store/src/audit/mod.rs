//! The audit log: append-only, one file a day, each record carrying the hash of the one before.
//!
//! Appending writes to a file under a lock, and does not wait for the disk. [`AuditLog::make_durable`] does,
//! and then moves the head of the chain in the database forward; a thread does the same a moment after
//! whatever was appended. [`AuditTrail::verify`] says what was changed, if anything was.

mod files;
mod head;
mod line;
mod lines;
mod lock;
mod notice;
mod query;
mod verify;
mod walk;
mod writer;

#[cfg(test)]
mod tests;

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use deskhand_core::{
    AuditLog, AuditRecord, AuditTrail, CallId, StoreResult, Time,
    audit::{AuditPage, AuditQuery, AuditReport},
};

use self::{
    head::{Heads, Switch},
    line::Position,
    writer::{Clock, Writer},
};
use crate::{
    database::Database,
    error::Doing,
    later::{Later, Work},
};

/// How long after an append the head follows by itself.
const FOLLOWS_AFTER: Duration = Duration::from_millis(200);

/// How far apart the clocks of machines on one data folder may be.
const CLOCKS_DIFFER: Duration = Duration::from_mins(10);

/// The audit log of one data folder.
pub struct Audit {
    log: Arc<Log>,
    enabled: bool,
    /// Brings the head up to what was appended.
    follower: Later,
}

/// What the appending threads and the follower share.
struct Log {
    folder: PathBuf,
    heads: Arc<Heads>,
    writer: Mutex<Writer>,
    /// Whether it has been written down that the log is on, or off. The lock is held while it is.
    switch_noted: AtomicBool,
    noting: Mutex<()>,
    /// The last record that is known to be on disk. Held while it is being brought there.
    durable: Mutex<Position>,
}

impl Audit {
    pub(crate) fn new(folder: PathBuf, database: Arc<Database>, enabled: bool) -> Self {
        Self::with_clock(folder, database, enabled, Arc::new(Time::now))
    }

    fn with_clock(folder: PathBuf, database: Arc<Database>, enabled: bool, clock: Clock) -> Self {
        let heads = Arc::new(Heads::new(database));
        let writer = Writer::new(folder.clone(), heads.clone(), clock);
        let log = Log {
            folder,
            heads,
            writer: Mutex::new(writer),
            switch_noted: AtomicBool::new(false),
            noting: Mutex::new(()),
            durable: Mutex::new(Position::START),
        };
        let log = Arc::new(log);
        let followed = Arc::clone(&log);
        // Without a thread the head moves when something is made durable, and at the end.
        let follower = Later::new("audit", FOLLOWS_AFTER, move || followed.make_durable_or_warn());
        Self { log, enabled, follower }
    }
}

impl AuditLog for Audit {
    fn append(&self, record: &AuditRecord) -> StoreResult<()> {
        if !self.log.switch_noted.load(Ordering::Acquire) {
            self.log.note_switch(if self.enabled { Switch::On } else { Switch::Off })?;
        }
        if !self.enabled {
            return Ok(());
        }
        let body = writer::body(record)?;
        let since = Instant::now();
        lock(&self.log.writer).append(&body, since)?;
        self.follower.soon();
        Ok(())
    }

    fn hasten(&self) {
        self.follower.hasten();
    }

    fn make_durable(&self) -> StoreResult<()> {
        self.log.make_durable()
    }

    fn last_record(&self, call: CallId) -> StoreResult<Option<AuditRecord>> {
        // A call has no record from before it had an id; clocks that differ a little do not matter.
        let since = call.made_at().map(|made| made.minus(CLOCKS_DIFFER));
        let newest = AuditQuery { call_id: Some(call), since, limit: 1, ..AuditQuery::default() };
        Ok(self.query(&newest)?.records.pop().map(|kept| kept.record))
    }
}

impl AuditTrail for Audit {
    fn query(&self, query: &AuditQuery) -> StoreResult<AuditPage> {
        query::query(&self.log.folder, query)
            .doing(|| format!("read the audit log {}", self.log.folder.display()))
    }

    fn verify(&self) -> StoreResult<AuditReport> {
        verify::verify(&self.log)
    }
}

impl Log {
    fn make_durable(&self) -> StoreResult<()> {
        let mut durable = lock(&self.durable);
        let Some(appended) = lock(&self.writer).appended() else { return Ok(()) };
        if appended.head.at == *durable {
            return Ok(());
        }
        let path = self.folder.join(&appended.head.file);
        appended.file.sync_data().doing(|| format!("bring {} to disk", path.display()))?;
        self.heads.advance(&appended.head, appended.first_seq)?;
        *durable = appended.head.at;
        Ok(())
    }

    fn make_durable_or_warn(&self) -> Work {
        if let Err(error) = self.make_durable() {
            tracing::warn!(%error, "the head of the audit chain is behind");
        }
        Work::Done
    }

    /// Writes down, once in a process, that the log was switched on or off since the last one.
    fn note_switch(&self, now: Switch) -> StoreResult<()> {
        let _noting = lock(&self.noting);
        if !self.switch_noted.load(Ordering::Acquire) && self.heads.switch()? != now {
            let since = Instant::now();
            let mut writer = lock(&self.writer);
            let notice = notice::switched(now, writer.now());
            writer.append(&writer::body(&notice)?, since)?;
            drop(writer);
            self.make_durable()?;
            self.heads.set_switch(now)?;
        }
        self.switch_noted.store(true, Ordering::Release);
        Ok(())
    }
}

/// What a lock guards here is valid after every single step, so a panic elsewhere does not spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
