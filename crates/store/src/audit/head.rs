//! What the database knows of the chain: its head, and which file holds which records.
//!
//! The head moves only forward, and only to what is on disk already. So it may lag behind the files, but
//! files that lag behind the head have lost something.

use std::sync::Arc;

use deskhand_core::StoreResult;
use rusqlite::{OptionalExtension, params};

use super::line::{Hash, Position};
use crate::{
    database::{Database, WrittenBack},
    error::Doing,
};

/// How often it is tried to bring the head of a new chain to disk while others use the database.
const MOST_TRIES: usize = 25;

/// The newest record that is known to be on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub at: Position,
    /// The file it stands in; empty before the first record.
    pub file: String,
    /// Of the file, that record included.
    pub length: u64,
}

impl Head {
    pub const START: Self = Self { at: Position::START, file: String::new(), length: 0 };
}

/// Which records a file holds, as far as they are known to be on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileRow {
    pub name: String,
    pub first_seq: u64,
    pub last_seq: u64,
}

/// Whether the log was written to when it was last looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Switch {
    On,
    Off,
}

pub(super) struct Heads(Arc<Database>);

impl Heads {
    pub fn new(database: Arc<Database>) -> Self {
        Self(database)
    }

    pub fn load(&self) -> StoreResult<Option<Head>> {
        self.0.with("read the head of the audit chain", |connection| {
            connection
                .prepare_cached("SELECT seq, hash, file, length FROM audit_head")?
                .query_row([], |row| {
                    let hash: String = row.get(1)?;
                    // One that is no hash matches no record: the chain is reported as changed.
                    let hash = Hash::parse(hash.as_bytes()).unwrap_or_else(|| Hash::of(hash.as_bytes()));
                    let at = Position { seq: unsigned(row.get(0)?), hash };
                    Ok(Head { at, file: row.get(2)?, length: unsigned(row.get(3)?) })
                })
                .optional()
        })
    }

    /// Creates the head of a chain that has none, on disk before the chain is: a power cut must not look like
    /// a head that somebody removed.
    pub fn begin(&self) -> StoreResult<()> {
        self.advance(&Head::START, 0)?;
        for _ in 0..MOST_TRIES {
            if self.0.write_back()? == WrittenBack::All {
                return Ok(());
            }
        }
        Err("others use the database").doing(|| "begin the chain of the audit log".to_owned())
    }

    /// Moves the head to `head`, unless it is there or further already; creates it, where there is none.
    /// `first_seq` is the first record in the head's file.
    pub fn advance(&self, head: &Head, first_seq: u64) -> StoreResult<()> {
        let (seq, hash, length) = (signed(head.at.seq), head.at.hash.to_string(), signed(head.length));
        self.0.with("keep the head of the audit chain", |connection| {
            let change = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            change
                .prepare_cached(
                    "INSERT INTO audit_head (id, seq, hash, file, length, enabled) VALUES (1, ?1, ?2, ?3, ?4, 1)
                     ON CONFLICT (id) DO UPDATE
                     SET seq = excluded.seq, hash = excluded.hash, file = excluded.file, length = excluded.length
                     WHERE seq < excluded.seq",
                )?
                .execute(params![seq, hash, head.file, length])?;
            if !head.file.is_empty() {
                change
                    .prepare_cached(
                        "INSERT INTO audit_files (name, first_seq, last_seq) VALUES (?1, ?2, ?3)
                         ON CONFLICT (name) DO UPDATE SET last_seq = excluded.last_seq
                         WHERE last_seq < excluded.last_seq",
                    )?
                    .execute(params![head.file, signed(first_seq), seq])?;
            }
            change.commit()
        })
    }

    /// Every file there has been, by name.
    pub fn files(&self) -> StoreResult<Vec<FileRow>> {
        self.0.with("list the files of the audit chain", |connection| {
            let mut query = connection
                .prepare_cached("SELECT name, first_seq, last_seq FROM audit_files ORDER BY name")?;
            query
                .query_map([], |row| {
                    let (first_seq, last_seq) = (unsigned(row.get(1)?), unsigned(row.get(2)?));
                    Ok(FileRow { name: row.get(0)?, first_seq, last_seq })
                })?
                .collect()
        })
    }

    pub fn switch(&self) -> StoreResult<Switch> {
        let on: Option<bool> = self.0.with("read whether the audit log is on", |connection| {
            connection.query_row("SELECT enabled FROM audit_head", [], |row| row.get(0)).optional()
        })?;
        Ok(if on.unwrap_or(true) { Switch::On } else { Switch::Off })
    }

    pub fn set_switch(&self, switch: Switch) -> StoreResult<()> {
        self.0.with("keep whether the audit log is on", |connection| {
            connection.execute("UPDATE audit_head SET enabled = ?", [switch == Switch::On]).map(drop)
        })
    }
}

// SQLite knows signed integers alone. No count or length of ours comes near the difference.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(seq: u64, file: &str, length: u64) -> Head {
        Head { at: Position { seq, hash: Hash::of(&seq.to_be_bytes()) }, file: file.into(), length }
    }

    #[test]
    fn the_head_only_moves_forward() {
        let folder = tempfile::tempdir().unwrap();
        let heads = Heads::new(Arc::new(Database::new(folder.path().join("a.db"))));
        assert_eq!(heads.load().unwrap(), None);
        heads.advance(&Head::START, 0).unwrap();
        assert_eq!(heads.load().unwrap(), Some(Head::START));
        assert!(heads.files().unwrap().is_empty());
        let steps = [(3, 3), (2, 3), (3, 3), (7, 7), (5, 7)];
        for (to, stands) in steps {
            heads.advance(&head(to, "2026-01-01.jsonl", to * 10), 1).unwrap();
            assert_eq!(heads.load().unwrap(), Some(head(stands, "2026-01-01.jsonl", stands * 10)));
        }
        heads.advance(&head(9, "2026-01-02.jsonl", 20), 8).unwrap();
        let files: Vec<_> =
            heads.files().unwrap().into_iter().map(|f| (f.name, f.first_seq, f.last_seq)).collect();
        assert_eq!(files, [("2026-01-01.jsonl".into(), 1, 7), ("2026-01-02.jsonl".into(), 8, 9)]);
    }

    #[test]
    fn the_switch_is_kept_and_starts_on() {
        let folder = tempfile::tempdir().unwrap();
        let heads = Heads::new(Arc::new(Database::new(folder.path().join("a.db"))));
        assert_eq!(heads.switch().unwrap(), Switch::On);
        heads.advance(&Head::START, 0).unwrap();
        for to in [Switch::Off, Switch::On] {
            heads.set_switch(to).unwrap();
            heads.advance(&head(1, "2026-01-01.jsonl", 1), 1).unwrap();
            assert_eq!(heads.switch().unwrap(), to);
        }
    }
}
