//! The one SQLite file, `deskhand.db`: how it is opened, and how its tables came to be.
//!
//! What the tables mean is said beside the code that uses them.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use deskhand_core::{StoreError, StoreResult};
use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use crate::{error::Doing, folder, sessions};

/// How long to wait for another process that writes.
const BUSY: Duration = Duration::from_secs(10);

/// How long to wait for others where it is only to write the log of the database back.
const BUSY_WRITING_BACK: Duration = Duration::from_millis(200);

/// How many prepared statements a connection keeps: about as many as there are.
const STATEMENTS: usize = 128;

/// Step N brings a database from version N to version N + 1. A step that has been released is never
/// changed: a new one is added.
const MIGRATIONS: &[Step] = &[
    // Grants.
    Step::Sql(
        "CREATE TABLE IF NOT EXISTS grants (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        body TEXT NOT NULL
    );",
    ),
    // Questions to people, open and settled.
    Step::Sql(
        "CREATE TABLE IF NOT EXISTS approvals (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        state TEXT NOT NULL CHECK (state IN ('pending', 'answered', 'expired', 'withdrawn')),
        process TEXT NOT NULL,
        expires_at TEXT NOT NULL,
        request TEXT NOT NULL,
        settled TEXT,
        settled_at TEXT
    );
    CREATE INDEX IF NOT EXISTS approvals_by_state ON approvals (state, settled_at);",
    ),
    // What is known of the audit chain apart from its files, so that their loss shows.
    Step::Sql(
        "CREATE TABLE IF NOT EXISTS audit_head (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        seq INTEGER NOT NULL,
        hash TEXT NOT NULL,
        file TEXT NOT NULL,
        length INTEGER NOT NULL,
        enabled INTEGER NOT NULL
    );
    CREATE TABLE IF NOT EXISTS audit_files (
        name TEXT PRIMARY KEY,
        first_seq INTEGER NOT NULL,
        last_seq INTEGER NOT NULL
    );",
    ),
    // Workspace configurations that the person has trusted, by content.
    Step::Sql(
        "CREATE TABLE IF NOT EXISTS trusted_configs (
        path TEXT PRIMARY KEY,
        sha256 TEXT NOT NULL,
        trusted_at TEXT NOT NULL
    );",
    ),
    // Answers with what a person typed, on their way to the process that asked.
    Step::Sql(
        "CREATE TABLE IF NOT EXISTS unread_answers (
        id TEXT PRIMARY KEY REFERENCES approvals (id) ON DELETE CASCADE,
        settled TEXT NOT NULL
    );",
    ),
    // Conversations.
    Step::Sql(sessions::TABLES),
    // Whose a session is.
    Step::Column { table: "sessions", name: "owner", declaration: "TEXT NOT NULL DEFAULT ''" },
    Step::Sql(sessions::OWNERS),
    // Messages that wait for the end of a turn.
    Step::Sql(sessions::QUEUE),
    // Which of them wait for the person.
    Step::Column { table: "queued_messages", name: "held", declaration: "INTEGER NOT NULL DEFAULT 0" },
    // Commands run on a layer: a yes to a command line is not needed any more. Dropped ones are shown once.
    Step::Sql(
        "CREATE TABLE IF NOT EXISTS dropped_grants (
        id TEXT NOT NULL PRIMARY KEY,
        body TEXT NOT NULL
    );
    INSERT OR IGNORE INTO dropped_grants (id, body) SELECT id, body FROM grants
        WHERE json_valid(body) AND body ->> '$.effect' = 'allow' AND body ->> '$.shape.kind' = 'command'
            AND NOT body ->> '$.shape.network';
    DELETE FROM grants WHERE id IN (SELECT id FROM dropped_grants);",
    ),
];

/// One step, which can be run twice.
#[derive(Clone, Copy)]
enum Step {
    Sql(&'static str),
    /// A column that is added where it is not there: SQL has no words for that condition.
    Column {
        table: &'static str,
        name: &'static str,
        declaration: &'static str,
    },
}

impl Step {
    fn run(self, connection: &Connection) -> rusqlite::Result<()> {
        match self {
            Self::Sql(sql) => connection.execute_batch(sql),
            Self::Column { table, name, .. } if connection.column_exists(None, table, name)? => Ok(()),
            Self::Column { table, name, declaration } => {
                connection.execute_batch(&format!("ALTER TABLE {table} ADD COLUMN {name} {declaration}"))
            }
        }
    }
}

/// The database, opened when it is first needed.
pub(crate) struct Database {
    path: PathBuf,
    connection: Mutex<Option<Connection>>,
}

/// How much of the log was written back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum WrittenBack {
    All,
    /// Others were in the way.
    NotAll,
}

impl Database {
    pub fn new(path: PathBuf) -> Self {
        Self { path, connection: Mutex::new(None) }
    }

    /// Does `work` on the connection. `action` reads after "cannot".
    pub fn with<T>(
        &self,
        action: &str,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> StoreResult<T> {
        let mut slot = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = match &mut *slot {
            Some(connection) => connection,
            empty => empty.insert(open(&self.path, MIGRATIONS)?),
        };
        work(connection).doing(|| format!("{action} in {}", self.path.display()))
    }

    /// Brings everything to disk, and empties the write-ahead log, in which what was deleted still stands.
    /// While others read or write that may not be possible.
    pub fn write_back(&self) -> StoreResult<WrittenBack> {
        self.with("write the log back", |connection| {
            connection.busy_timeout(BUSY_WRITING_BACK)?;
            // Not an error of the pragma: its first column says whether others were in the way.
            let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
            connection.busy_timeout(BUSY)?;
            busy.map(|busy: bool| if busy { WrittenBack::NotAll } else { WrittenBack::All })
        })
    }
}

fn open(path: &Path, migrations: &[Step]) -> StoreResult<Connection> {
    let action = || format!("open the database {}", path.display());
    // Readable by its owner alone, also where the folder is not: SQLite gives its side files the same mode.
    folder::private_file().create(true).append(true).open(path).doing(action)?;
    let mut connection = Connection::open(path).doing(action)?;
    connection.busy_timeout(BUSY).doing(action)?;
    set_up(&connection).doing(action)?;
    migrate(&mut connection, path, migrations)?;
    Ok(connection)
}

fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // What is deleted is overwritten: it may be what a person typed. This pragma answers with its value.
    connection.pragma_update_and_check(None, "secure_delete", true, |_| Ok(()))?;
    // SQLite does not wait by itself while another process switches the same new file to WAL.
    let until = Instant::now() + BUSY;
    loop {
        match connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0)) {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && Instant::now() < until =>
            {
                thread::sleep(Duration::from_millis(5));
            }
            // Where WAL cannot be had (some network file systems) the mode stays as it is, and works.
            other => return other.map(drop),
        }
    }
}

fn version(connection: &Connection) -> rusqlite::Result<usize> {
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(version as usize)
}

fn migrate(connection: &mut Connection, path: &Path, migrations: &[Step]) -> StoreResult<()> {
    let action = || format!("bring the database {} up to date", path.display());
    let newest = migrations.len();
    if version(connection).doing(action)? == newest {
        return Ok(());
    }
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate).doing(action)?;
    // Another process may have done it while this one waited for the lock.
    let from = version(&change).doing(action)?;
    if from > newest {
        return Err(StoreError::new(
            format!("open the database {}", path.display()),
            format!(
                "it is of version {from}, made by a newer Deskhand; this one knows version {newest}. \
                 Use the newer Deskhand, or another data folder (--data-dir)"
            ),
        ));
    }
    for step in &migrations[from..] {
        step.run(&change).doing(action)?;
    }
    change.pragma_update(None, "user_version", newest.to_string()).doing(action)?;
    change.commit().doing(action)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(connection: &Connection) -> Vec<String> {
        let mut query =
            connection.prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").unwrap();
        query.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn every_earlier_version_arrives_at_the_same_tables() {
        let folder = tempfile::tempdir().unwrap();
        let fresh = tables(&open(&folder.path().join("fresh.db"), MIGRATIONS).unwrap());
        assert!(fresh.len() >= 5);
        for from in 0..=MIGRATIONS.len() {
            let path = folder.path().join(format!("{from}.db"));
            drop(open(&path, &MIGRATIONS[..from]).unwrap());
            for _ in 0..2 {
                let connection = open(&path, MIGRATIONS).unwrap();
                assert_eq!(tables(&connection), fresh, "from version {from}");
                assert_eq!(version(&connection).unwrap(), MIGRATIONS.len());
            }
        }
    }

    #[test]
    fn what_an_earlier_version_kept_is_still_there() {
        let rows = [
            "INSERT INTO grants (id, body) VALUES ('kept', '{}')",
            "INSERT INTO approvals (id, state, process, expires_at, request) VALUES ('kept', 'pending', '', '', '')",
            "INSERT INTO audit_files VALUES ('kept', 1, 2)",
            "INSERT INTO trusted_configs VALUES ('kept', '', '')",
            "INSERT INTO unread_answers VALUES ('kept', '{}')",
            "INSERT INTO sessions (id, created_at, updated_at, changed) VALUES ('kept', '', '', 1)",
            "UPDATE sessions SET owner = 'kept'",
            "DELETE FROM session_counts WHERE sessions = 0",
            "INSERT INTO queued_messages (id, session_id, content, uploads, created_at) VALUES (1, 'kept', '', '[]', '')",
            "UPDATE queued_messages SET content = 'kept'",
            "INSERT INTO dropped_grants VALUES ('kept', '{}')",
        ];
        let columns = [
            "grants id",
            "approvals id",
            "audit_files name",
            "trusted_configs path",
            "unread_answers id",
            "sessions id",
            "sessions owner",
            "session_counts owner",
            "queued_messages session_id",
            "queued_messages content",
            "dropped_grants id",
        ];
        assert_eq!(rows.len(), MIGRATIONS.len(), "a new step wants a row here");
        let folder = tempfile::tempdir().unwrap();
        for from in 1..=MIGRATIONS.len() {
            let path = folder.path().join(format!("{from}.db"));
            let old = open(&path, &MIGRATIONS[..from]).unwrap();
            for row in &rows[..from] {
                old.execute(row, []).unwrap();
            }
            drop(old);
            let new = open(&path, MIGRATIONS).unwrap();
            for column in &columns[..from] {
                let (table, column) = column.split_once(' ').unwrap();
                let kept: String =
                    new.query_row(&format!("SELECT {column} FROM {table}"), [], |row| row.get(0)).unwrap();
                assert_eq!(kept, "kept", "{table}, from version {from}");
            }
        }
    }

    #[test]
    fn sessions_from_before_there_were_owners_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let old = open(&path, &MIGRATIONS[..6]).unwrap();
        for (n, archived, deleted) in [(1, 0, "NULL"), (2, 0, "NULL"), (3, 1, "NULL"), (4, 0, "'then'")] {
            old.execute_batch(&format!(
                "INSERT INTO sessions (id, created_at, updated_at, changed, is_archived, deleted_at)
                 VALUES ('{n}', '', '', {n}, {archived}, {deleted})"
            ))
            .unwrap();
        }
        drop(old);
        let new = open(&path, MIGRATIONS).unwrap();
        let mut query = new
            .prepare("SELECT owner, deleted, archived, sessions FROM session_counts ORDER BY 2, 3")
            .unwrap();
        let counts: Vec<(String, i64, i64, i64)> = query
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let own = String::new;
        assert_eq!(counts, [(own(), 0, 0, 2), (own(), 0, 1, 1), (own(), 1, 0, 1)]);
    }

    #[test]
    fn each_step_can_be_run_twice() {
        let connection = Connection::open_in_memory().unwrap();
        for step in MIGRATIONS {
            step.run(&connection).unwrap();
            step.run(&connection).unwrap();
        }
    }

    #[test]
    fn is_set_up_for_several_processes() {
        let folder = tempfile::tempdir().unwrap();
        let connection = open(&folder.path().join("a.db"), MIGRATIONS).unwrap();
        let text = |name: &str| {
            connection.pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0)).unwrap()
        };
        assert_eq!(text("journal_mode"), "wal".to_owned().into());
        assert_eq!(text("foreign_keys"), 1.into());
        assert_eq!(text("synchronous"), 1.into());
        assert_eq!(text("secure_delete"), 1.into());
        assert_eq!(text("busy_timeout"), 10_000.into());
    }

    #[test]
    fn a_newer_database_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        open(&path, MIGRATIONS).unwrap().pragma_update(None, "user_version", 99).unwrap();
        let error = open(&path, MIGRATIONS).unwrap_err().to_string();
        assert!(error.contains("version 99") && error.contains("newer Deskhand"), "{error}");
        assert_eq!(version(&Connection::open(&path).unwrap()).unwrap(), 99);
    }

    #[test]
    fn many_may_open_a_new_database_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        // A step that cannot be run twice shows whether the version is looked at again under the lock.
        let once = Step::Sql("CREATE TABLE once (x)");
        let steps: Vec<Step> = MIGRATIONS.iter().copied().chain([once]).collect();
        let start = std::sync::Barrier::new(8);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    start.wait();
                    open(&path, &steps).unwrap();
                });
            }
        });
        assert_eq!(version(&open(&path, &steps).unwrap()).unwrap(), steps.len());
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_can_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let connection = open(&path, MIGRATIONS).unwrap();
        connection.execute("DELETE FROM grants", []).unwrap();
        for name in ["a.db", "a.db-wal"] {
            let mode = std::fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
    }
}
