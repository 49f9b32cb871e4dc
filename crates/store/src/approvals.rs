//! The queue of questions to people, shared by every process on one data folder.

use std::{path::PathBuf, pin::Pin, sync::Arc, time::Duration};

use deskhand_core::{ApprovalQueue, ApprovalRequest, Settled, StoreResult, Time, approval::SettleResult};
use rusqlite::{Connection, OptionalExtension, params};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{database::Database, error::Doing, process, wake};

/// How long a settled question is kept.
const KEPT: Duration = Duration::from_hours(30 * 24);

/// How often one who waits looks by itself.
const LOOK: Duration = Duration::from_millis(250);

/// The approvals of one data folder.
pub struct Approvals {
    database: Arc<Database>,
    wake_folder: PathBuf,
}

/// An open question, as far as its lapsing is concerned.
struct Open {
    id: String,
    process: String,
    expires_at: String,
}

impl Open {
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

/// How a question stands.
enum Standing {
    Unknown,
    Open,
    Settled(Settled),
}

impl Approvals {
    pub(crate) fn new(database: Arc<Database>, wake_folder: PathBuf) -> Self {
        Self { database, wake_folder }
    }

    /// Settles what nobody can answer any more: its time has passed, or its process is gone.
    fn settle_lapsed(&self, only: Option<&str>) -> StoreResult<()> {
        let now = Time::now();
        let open: Vec<Open> = self.database.with("read the open approvals", |connection| {
            let mut query = connection.prepare_cached(
                "SELECT id, process, expires_at FROM approvals
                 WHERE state = 'pending' AND (?1 IS NULL OR id = ?1)",
            )?;
            query
                .query_map([only], |row| {
                    Ok(Open { id: row.get(0)?, process: row.get(1)?, expires_at: row.get(2)? })
                })?
                .collect()
        })?;
        let lapsed: Vec<_> = open.iter().filter_map(|one| Some((one, one.lapsed(now)?))).collect();
        for (one, settled) in &lapsed {
            self.settle_first(&one.id, settled)?;
        }
        if !lapsed.is_empty() {
            wake::wake_all(&self.wake_folder);
        }
        Ok(())
    }

    /// The one place where a question is settled. Whether this did it.
    fn settle_first(&self, id: &str, settled: &Settled) -> StoreResult<bool> {
        let state = match settled {
            Settled::Answered { .. } => "answered",
            Settled::Expired => "expired",
            Settled::Withdrawn => "withdrawn",
        };
        let body = serde_json::to_string(settled).doing(|| format!("write the answer to {id}"))?;
        self.database.with("settle the approval", |connection| {
            let changed = connection
                .prepare_cached(
                    "UPDATE approvals SET state = ?2, settled = ?3, settled_at = ?4
                     WHERE id = ?1 AND state = 'pending'",
                )?
                .execute(params![id, state, body, Time::now().to_string()])?;
            Ok(changed > 0)
        })
    }

    fn look(&self, id: &str) -> StoreResult<Standing> {
        let row: Option<Option<String>> = self.database.with("look at the approval", |connection| {
            connection
                .prepare_cached("SELECT settled FROM approvals WHERE id = ?")?
                .query_row([id], |row| row.get(0))
                .optional()
        })?;
        let Some(settled) = row else { return Ok(Standing::Unknown) };
        Ok(parse_settled(id, settled)?.map_or(Standing::Open, Standing::Settled))
    }

    async fn wait_until_settled(
        &self,
        id: &str,
        limit: Duration,
        cancel: &CancellationToken,
    ) -> StoreResult<Option<Settled>> {
        // Bound before the first look, so that nothing is missed in between.
        let socket = wake::WakeSocket::bind(&self.wake_folder);
        let deadline = Instant::now().checked_add(limit);
        loop {
            match self.look(id)? {
                Standing::Settled(settled) => return Ok(Some(settled)),
                Standing::Open => {}
                Standing::Unknown => {
                    return Err("there is no such question").doing(|| format!("wait for the answer to {id}"));
                }
            }
            let left = deadline.map_or(LOOK, |deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return Ok(None);
            }
            tokio::select! {
                () = cancel.cancelled() => return Ok(None),
                () = socket.woken() => {}
                () = tokio::time::sleep(LOOK.min(left)) => {}
            }
        }
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
        .prepare_cached("DELETE FROM approvals WHERE state <> 'pending' AND settled_at < ?")?
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
        self.database.with("post the approval", |connection| insert(connection, request, &body))
    }

    fn settle(&self, id: &str, settled: &Settled) -> StoreResult<SettleResult> {
        // An answer that comes too late must not count, even where nobody has noticed yet that it is late.
        self.settle_lapsed(Some(id))?;
        if self.settle_first(id, settled)? {
            wake::wake_all(&self.wake_folder);
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
