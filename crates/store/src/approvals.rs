//! The queue of questions to people, shared by every process on one data folder.
//!
//! What is kept of an answer is how the person decided. What they typed goes to the process that asked: by
//! memory where it was answered there, otherwise through `unread_answers`, from which it is deleted when read.

mod asked;
mod lookout;

use std::{
    path::PathBuf,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use deskhand_core::{ApprovalQueue, ApprovalRequest, Settled, StoreResult, Time, approval::SettleResult};
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::{
    asked::{Asked, stored_form},
    lookout::{Lookout, OpenIds},
};
use crate::{database::Database, error::Doing, later::Later, passing::Question, process};

/// Where a row has its question.
const QUESTION: Question = Question { column: "request", at: "$" };

/// How long a settled question is kept.
const KEPT: Duration = Duration::from_hours(30 * 24);

/// For how long after its question's time an answer may still be read: it may have come at the last moment.
const READ_WITHIN: Duration = Duration::from_mins(1);

/// The approvals of one data folder.
pub struct Approvals {
    database: Arc<Database>,
    lookout: Lookout,
    /// Locked before the database is, and while an answer goes from one to the other.
    asked: Mutex<Asked>,
    /// What was taken out of a row stands in the log of the database until that is written back.
    write_back: Arc<Later>,
}

/// An open question, as far as its lapsing is concerned.
struct Open {
    id: String,
    process: String,
    expires_at: String,
}

impl Open {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self { id: row.get(0)?, process: row.get(1)?, expires_at: row.get(2)? })
    }

    /// How it has ended by itself, where it has.
    fn lapsed(&self, now: Time) -> Option<Settled> {
        if self.expires_at <= now.to_string() {
            Some(Settled::Expired)
        } else if process::is_gone(&self.process) {
            Some(Settled::Withdrawn)
        } else {
            None
        }
    }
}

/// How a question is settled in its row.
struct Answered<'a> {
    id: &'a str,
    state: &'static str,
    kept: &'a str,
    unread: Option<&'a str>,
}

impl Answered<'_> {
    /// Writes it, unless the question is settled already: then it is `None`. Else it tells whether something was taken
    /// out that is not kept once a question is settled.
    fn write(&self, connection: &mut Connection) -> rusqlite::Result<Option<bool>> {
        let Self { id, state, kept, unread } = self;
        let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let look = format!("SELECT {} FROM approvals WHERE id = ? AND state = 'pending'", QUESTION.has_any());
        let passing: Option<bool> =
            change.prepare_cached(&look)?.query_row([id], |row| row.get(0)).optional()?;
        let Some(passing) = passing else { return Ok(None) };
        change
            .prepare_cached("UPDATE approvals SET state = ?2, settled = ?3, settled_at = ?4 WHERE id = ?1")?
            .execute(params![id, state, kept, Time::now().to_string()])?;
        if passing {
            let forget = format!("UPDATE approvals SET request = {} WHERE id = ?", QUESTION.without());
            change.prepare_cached(&forget)?.execute([id])?;
        }
        if let Some(unread) = unread {
            change
                .prepare_cached("INSERT INTO unread_answers (id, settled) VALUES (?, ?)")?
                .execute([id, unread])?;
        }
        change.commit()?;
        Ok(Some(passing))
    }
}

/// How a question stands.
enum Standing {
    Unknown,
    Open,
    Settled(Settled),
}

impl Approvals {
    pub(crate) fn new(database: Arc<Database>, write_back: Arc<Later>, wake_folder: PathBuf) -> Self {
        Self { database, lookout: Lookout::new(wake_folder), asked: Mutex::default(), write_back }
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        // It is a map, valid after every single step.
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Settles what nobody can answer any more: its time has passed, or its process is gone.
    fn settle_lapsed(&self, only: Option<&str>) -> StoreResult<()> {
        let now = Time::now();
        let open: Vec<Open> = self.database.with("read the open approvals", |connection| {
            let mut query = connection.prepare_cached(
                "SELECT id, process, expires_at FROM approvals
                 WHERE state = 'pending' AND (?1 IS NULL OR id = ?1)",
            )?;
            query.query_map([only], Open::from_row)?.collect()
        })?;
        let lapsed: Vec<_> = open.iter().filter_map(|one| Some((one, one.lapsed(now)?))).collect();
        for (one, settled) in &lapsed {
            self.settle_first(&one.id, settled)?;
        }
        if !lapsed.is_empty() {
            self.lookout.wake_all();
        }
        Ok(())
    }

    /// Deletes the answers that nobody will read any more: the one who asked is gone, or waited no longer.
    fn drop_unread(&self) -> StoreResult<()> {
        let unread: Vec<Open> = self.database.with("read the unread answers", |connection| {
            connection
                .prepare_cached(
                    "SELECT id, process, expires_at FROM approvals JOIN unread_answers USING (id)",
                )?
                .query_map([], Open::from_row)?
                .collect()
        })?;
        let now = Time::now().minus(READ_WITHIN);
        let ids = unread.iter().filter(|one| one.lapsed(now).is_some()).map(|one| one.id.as_str());
        self.delete_unread(&ids.collect::<Vec<_>>())
    }

    /// Deletes answers so that soon nothing of them is left in the files.
    fn delete_unread(&self, ids: &[&str]) -> StoreResult<()> {
        if ids.is_empty() {
            return Ok(());
        }
        self.database.with("delete an answer that was read", |connection| {
            let mut delete = connection.prepare_cached("DELETE FROM unread_answers WHERE id = ?")?;
            ids.iter().try_for_each(|id| delete.execute([id]).map(drop))
        })?;
        self.write_back.soon();
        Ok(())
    }

    /// The one place where a question is settled. Whether this did it.
    fn settle_first(&self, id: &str, settled: &Settled) -> StoreResult<bool> {
        let state = match settled {
            Settled::Answered { .. } => "answered",
            Settled::Expired => "expired",
            Settled::Withdrawn => "withdrawn",
        };
        let write =
            |settled: &Settled| serde_json::to_string(settled).doing(|| format!("write the answer to {id}"));
        let kept = stored_form(settled);
        let mut asked = self.asked();
        let asked_here = asked.is_open(id);
        let unread = if asked_here || kept == *settled { None } else { Some(write(settled)?) };
        let row = Answered { id, state, kept: &write(&kept)?, unread: unread.as_deref() };
        let passing = self.database.with("settle the approval", |connection| row.write(connection))?;
        let Some(passing) = passing else { return Ok(false) };
        if asked_here {
            asked.close(id, settled);
        }
        drop(asked);
        if passing {
            self.write_back.soon();
        }
        Ok(true)
    }

    /// How a question stands. Where it was asked here, the answer is whole, and read with this; to others it
    /// is what is kept of it.
    fn look(&self, id: &str) -> StoreResult<Standing> {
        let mut asked = self.asked();
        if let Some(settled) = asked.answer(id) {
            return Ok(Standing::Settled(settled.clone()));
        }
        let row: Option<(Option<String>, Option<String>)> =
            self.database.with("look at the approval", |connection| {
                connection
                    .prepare_cached(
                        "SELECT kept.settled, unread.settled FROM approvals kept
                         LEFT JOIN unread_answers unread USING (id) WHERE id = ?",
                    )?
                    .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
                    .optional()
            })?;
        let Some((kept, unread)) = row else { return Ok(Standing::Unknown) };
        let unread = unread.filter(|_| asked.is_open(id));
        let is_unread = unread.is_some();
        let Some(settled) = parse_settled(id, unread.or(kept))? else { return Ok(Standing::Open) };
        if asked.is_open(id) {
            asked.close(id, &settled);
        }
        if is_unread && let Err(error) = self.delete_unread(&[id]) {
            // The answer counts all the same, and is deleted when its time has passed.
            tracing::warn!(%error, "an answer that was read is still stored");
        }
        Ok(Standing::Settled(settled))
    }

    async fn wait_until_settled(
        &self,
        id: &str,
        limit: Duration,
        cancel: &CancellationToken,
    ) -> StoreResult<Option<Settled>> {
        // From before the first look, so that nothing is missed in between.
        let mut seen = self.lookout.news();
        let deadline = Instant::now().checked_add(limit);
        loop {
            match self.look(id)? {
                Standing::Settled(settled) => return Ok(Some(settled)),
                Standing::Open => {}
                Standing::Unknown => {
                    return Err("there is no such question").doing(|| format!("wait for the answer to {id}"));
                }
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(None);
            }
            tokio::select! {
                () = cancel.cancelled() => return Ok(None),
                () = tokio::time::sleep(left.unwrap_or(Duration::MAX)) => {}
                () = seen.without(id) => {}
                looked = self.lookout.look_for_all(id, || self.open_ids()) => looked?,
            }
        }
    }

    fn open_ids(&self) -> StoreResult<OpenIds> {
        self.database.with("read the open approvals", |connection| {
            let mut query = connection.prepare_cached("SELECT id FROM approvals WHERE state = 'pending'")?;
            query.query_map([], |row| row.get(0))?.collect()
        })
    }
}

fn parse_settled(id: &str, text: Option<String>) -> StoreResult<Option<Settled>> {
    text.map(|text| serde_json::from_str(&text).doing(|| format!("read the answer to {id}"))).transpose()
}

fn parse_request(id: &str, text: &str) -> StoreResult<ApprovalRequest> {
    serde_json::from_str(text).doing(|| format!("read the approval {id}"))
}

fn insert(connection: &Connection, request: &ApprovalRequest, body: &str) -> rusqlite::Result<()> {
    let now = Time::now();
    connection
        .prepare_cached(
            "DELETE FROM approvals WHERE state IN ('answered', 'expired', 'withdrawn') AND settled_at < ?",
        )?
        .execute([now.minus(KEPT).to_string()])?;
    connection
        .prepare_cached(
            "INSERT INTO approvals (id, state, process, expires_at, request) VALUES (?, 'pending', ?, ?, ?)",
        )?
        .execute(params![request.id, process::this(), request.expires_at.to_string(), body])
        .map(drop)
}

impl ApprovalQueue for Approvals {
    fn post(&self, request: &ApprovalRequest) -> StoreResult<()> {
        let body = serde_json::to_string(request).doing(|| format!("write the approval {}", request.id))?;
        self.settle_lapsed(None)?;
        self.drop_unread()?;
        // First, so that it is known where it was asked when the first answer comes.
        self.asked().open(&request.id);
        self.database
            .with("post the approval", |connection| insert(connection, request, &body))
            .inspect_err(|_| self.asked().forget(&request.id))
    }

    fn settle(&self, id: &str, settled: &Settled) -> StoreResult<SettleResult> {
        // An answer that comes too late must not count, even where nobody has noticed yet that it is late.
        self.settle_lapsed(Some(id))?;
        if self.settle_first(id, settled)? {
            self.lookout.wake_all();
            return Ok(SettleResult::First);
        }
        Ok(match self.look(id)? {
            Standing::Settled(settled) => SettleResult::Already(settled),
            Standing::Open | Standing::Unknown => SettleResult::Unknown,
        })
    }

    fn wait<'a>(
        &'a self,
        id: &'a str,
        limit: Duration,
        cancel: &'a CancellationToken,
    ) -> Pin<Box<dyn Future<Output = StoreResult<Option<Settled>>> + Send + 'a>> {
        Box::pin(self.wait_until_settled(id, limit, cancel))
    }

    fn pending(&self) -> StoreResult<Vec<ApprovalRequest>> {
        self.settle_lapsed(None)?;
        self.drop_unread()?;
        let rows: Vec<(String, String)> = self.database.with("read the open approvals", |connection| {
            let mut query = connection.prepare_cached(
                "SELECT id, request FROM approvals WHERE state = 'pending' ORDER BY number",
            )?;
            query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })?;
        // One that cannot be shown cannot be answered here; it must not hide the others.
        let readable = rows.iter().filter_map(|(id, body)| {
            parse_request(id, body)
                .inspect_err(|error| tracing::warn!(%error, "an approval cannot be shown"))
                .ok()
        });
        Ok(readable.collect())
    }

    fn get(&self, id: &str) -> StoreResult<Option<(ApprovalRequest, Option<Settled>)>> {
        self.settle_lapsed(Some(id))?;
        let row: Option<(String, Option<String>)> =
            self.database.with("look at the approval", |connection| {
                connection
                    .prepare_cached("SELECT request, settled FROM approvals WHERE id = ?")?
                    .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
                    .optional()
            })?;
        row.map(|(request, settled)| Ok((parse_request(id, &request)?, parse_settled(id, settled)?)))
            .transpose()
    }
}

#[cfg(test)]
mod tests;
