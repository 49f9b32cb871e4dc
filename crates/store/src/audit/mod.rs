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
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
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
use crate::{database::Database, error::Doing};

/// How long after an append the head follows by itself.
const FOLLOWS_AFTER: Duration = Duration::from_millis(200);

/// How far apart the clocks of machines on one data folder may be.
const CLOCKS_DIFFER: Duration = Duration::from_mins(10);

/// The audit log of one data folder.
pub struct Audit {
    log: Arc<Log>,
    enabled: bool,
    follower: Mutex<Option<JoinHandle<()>>>,
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
    /// Whether something was appended since the follower last looked.
    pending: AtomicBool,
    stopping: Mutex<bool>,
    wake: Condvar,
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
            pending: AtomicBool::new(false),
            stopping: Mutex::new(false),
            wake: Condvar::new(),
        };
        Self { log: Arc::new(log), enabled, follower: Mutex::new(None) }
    }

    /// Says to the follower that there is something to follow; starts it, if it is not there.
    fn tell_follower(&self) {
        if self.log.pending.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut follower = lock(&self.follower);
        if follower.is_none() {
            let log = self.log.clone();
            let started = thread::Builder::new().name("audit".into()).spawn(move || log.follow());
            // Without it the head moves when something is made durable, and at the end.
            *follower =
                started.inspect_err(|error| tracing::warn!(%error, "no thread for the audit log")).ok();
        }
        drop(lock(&self.log.stopping));
        self.log.wake.notify_one();
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
        self.tell_follower();
        Ok(())
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

impl Drop for Audit {
    fn drop(&mut self) {
        *lock(&self.log.stopping) = true;
        self.log.wake.notify_one();
        if let Some(follower) = lock(&self.follower).take() {
            let _ = follower.join();
        }
        self.log.make_durable_or_warn();
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

    fn make_durable_or_warn(&self) {
        if let Err(error) = self.make_durable() {
            tracing::warn!(%error, "the head of the audit chain is behind");
        }
    }

    /// Runs until the log is dropped.
    fn follow(&self) {
        let mut stopping = lock(&self.stopping);
        while !*stopping {
            let idle = |stopping: &mut bool| !*stopping && !self.pending.load(Ordering::Acquire);
            stopping = self.wake.wait_while(stopping, idle).unwrap_or_else(PoisonError::into_inner);
            stopping = self
                .wake
                .wait_timeout_while(stopping, FOLLOWS_AFTER, |stopping| !*stopping)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
            // Cleared first: what is appended from here on is told anew.
            self.pending.store(false, Ordering::Release);
            drop(stopping);
            self.make_durable_or_warn();
            stopping = lock(&self.stopping);
        }
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
