//! Remembered answers.

use std::sync::{Arc, Mutex, PoisonError};

use deskhand_core::{Grant, GrantBook, GrantEffect, StoreResult, Time, grant::ANY_TOOL};
use rusqlite::Connection;

use crate::{database::Database, error::Doing};

/// The grants of one data folder.
///
/// They are asked for at every call and change rarely, so all of them are kept in memory until the database
/// says that somebody has written to it.
pub struct Grants {
    database: Arc<Database>,
    known: Mutex<Option<Known>>,
}

/// All grants, as they were at one version of the database.
struct Known {
    version: i64,
    /// Newest first.
    grants: Vec<Grant>,
}

impl Grants {
    pub(crate) fn new(database: Arc<Database>) -> Self {
        Self { database, known: Mutex::new(None) }
    }

    /// Hands all grants, newest first, to `choose`.
    fn read<T>(&self, choose: impl FnOnce(&[Grant]) -> T) -> StoreResult<T> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let have = known.as_ref().map(|known| known.version);
        if let Some((version, rows)) =
            self.database.with("read the grants", |connection| changed_since(connection, have))?
        {
            // One that cannot be read is an error, never skipped: it may be a no.
            let parse = |(id, body): (String, String)| {
                serde_json::from_str(&body).doing(|| format!("read the grant {id}"))
            };
            *known = None;
            *known =
                Some(Known { version, grants: rows.into_iter().map(parse).collect::<StoreResult<_>>()? });
        }
        Ok(choose(known.as_ref().map_or(&[], |known| &known.grants)))
    }

    /// Changes the grants. The version of the database does not tell of what is written through this very
    /// connection, so what is known is forgotten.
    fn write<T>(
        &self,
        action: &str,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> StoreResult<T> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known = None;
        self.database.with(action, work)
    }
}

type Rows = Vec<(String, String)>;

/// All rows and their version, unless it is the one that is known. The version is read first: what is written
/// in between is read again, not missed.
fn changed_since(connection: &Connection, known: Option<i64>) -> rusqlite::Result<Option<(i64, Rows)>> {
    let version = connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
    if known == Some(version) {
        return Ok(None);
    }
    let mut query = connection.prepare_cached("SELECT id, body FROM grants ORDER BY number DESC")?;
    let rows: rusqlite::Result<Rows> = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect();
    Ok(Some((version, rows?)))
}

impl Grants {
    /// Yeses to command lines that a newer version does not need any more. They are gone already; each is given once.
    pub fn take_dropped(&self) -> StoreResult<Vec<Grant>> {
        let rows = self.database.with("read the grants that were dropped", |connection| {
            let mut taken = connection.prepare("DELETE FROM dropped_grants RETURNING body")?;
            taken.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()
        })?;
        Ok(rows.iter().filter_map(|body| serde_json::from_str(body).ok()).collect())
    }
}

impl GrantBook for Grants {
    fn for_tool(&self, tool: &str, now: Time) -> StoreResult<Vec<Grant>> {
        self.read(|all| {
            let is_for = |grant: &Grant| grant.tool == tool || grant.tool == ANY_TOOL;
            let valid = |grant: &&Grant| is_for(grant) && grant.until.is_none_or(|until| now < until);
            let mut found: Vec<_> = all.iter().filter(valid).cloned().collect();
            found.sort_by_key(|grant| grant.effect == GrantEffect::Allow);
            found
        })
    }

    fn add(&self, grant: &Grant) -> StoreResult<()> {
        let body = serde_json::to_string(grant).doing(|| format!("write the grant {}", grant.id))?;
        self.write("keep the grant", |connection| {
            connection.execute("INSERT INTO grants (id, body) VALUES (?, ?)", [&grant.id, &body]).map(drop)
        })
    }

    fn list(&self) -> StoreResult<Vec<Grant>> {
        self.read(<[Grant]>::to_vec)
    }

    fn revoke(&self, id: &str) -> StoreResult<bool> {
        self.write("revoke the grant", |connection| {
            Ok(connection.execute("DELETE FROM grants WHERE id = ?", [id])? > 0)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use deskhand_core::{Scope, Shape, id::new_id};

    use super::*;

    fn book(folder: &tempfile::TempDir) -> Grants {
        Grants::new(Arc::new(Database::new(folder.path().join("a.db"))))
    }

    fn grant(tool: &str, effect: GrantEffect, until: Option<Time>) -> Grant {
        Grant {
            id: new_id(),
            owner: None,
            effect,
            tool: tool.into(),
            shape: Shape::Folder { path: "/w/a".into() },
            scope: Scope::Workspace { path: "/w".into() },
            until,
            created_at: Time::now(),
            created_by: "person:terminal".into(),
            reason: Some("because".into()),
        }
    }

    #[test]
    fn command_grants_of_an_earlier_version_are_dropped_and_given_once() {
        let folder = tempfile::tempdir().unwrap();
        let command = |network, effect| Grant {
            shape: Shape::Command { pattern: "make *".parse().unwrap(), folder: "/w".into(), network },
            ..grant("bash", effect, None)
        };
        let dropped = command(false, GrantEffect::Allow);
        let stay = [
            command(true, GrantEffect::Allow),
            command(false, GrantEffect::Deny),
            grant("write_file", GrantEffect::Allow, None),
        ];
        {
            let book = book(&folder);
            book.add(&dropped).unwrap();
            for grant in &stay {
                book.add(grant).unwrap();
            }
            // As the version before left it.
            let forget = "DROP TABLE dropped_grants; PRAGMA user_version = 10;";
            book.database.with("go back", |connection| connection.execute_batch(forget)).unwrap();
        }
        let book = book(&folder);
        assert_eq!(book.take_dropped().unwrap(), [dropped]);
        assert_eq!(book.take_dropped().unwrap(), []);
        assert_eq!(book.list().unwrap().len(), stay.len());
    }

    #[test]
    fn a_no_comes_before_a_yes_and_the_newest_first() {
        let folder = tempfile::tempdir().unwrap();
        let book = book(&folder);
        let old_yes = grant("write_file", GrantEffect::Allow, None);
        let old_no = grant("write_file", GrantEffect::Deny, None);
        let new_no = grant("write_file", GrantEffect::Deny, None);
        let new_yes = grant("write_file", GrantEffect::Allow, None);
        let other = grant("read_file", GrantEffect::Allow, None);
        for one in [&old_yes, &old_no, &new_no, &new_yes, &other] {
            book.add(one).unwrap();
        }
        let expected = [&new_no, &old_no, &new_yes, &old_yes].map(Clone::clone);
        assert_eq!(book.for_tool("write_file", Time::now()).unwrap(), expected);
        assert_eq!(book.list().unwrap(), [other, new_yes, new_no, old_no, old_yes]);
    }

    #[test]
    fn an_expired_one_is_listed_but_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let book = book(&folder);
        let until: Time = "2026-01-02T03:04:05.678Z".parse().unwrap();
        book.add(&grant("t", GrantEffect::Allow, Some(until))).unwrap();
        let ms = Duration::from_millis(1);
        for (now, counts) in [(until.minus(ms), 1), (until, 0), (until.plus(ms), 0)] {
            assert_eq!(book.for_tool("t", now).unwrap().len(), counts, "at {now}");
        }
        assert_eq!(book.list().unwrap().len(), 1);
    }

    #[test]
    fn a_revoked_one_is_gone_for_every_process() {
        let folder = tempfile::tempdir().unwrap();
        let (here, there) = (book(&folder), book(&folder));
        let one = grant("t", GrantEffect::Allow, None);
        here.add(&one).unwrap();
        assert_eq!(there.for_tool("t", Time::now()).unwrap(), std::slice::from_ref(&one));
        assert!(there.revoke(&one.id).unwrap());
        assert!(!there.revoke(&one.id).unwrap());
        assert!(there.list().unwrap().is_empty());
        assert!(here.for_tool("t", Time::now()).unwrap().is_empty());
    }

    #[test]
    fn an_unreadable_one_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let book = book(&folder);
        let one = grant("t", GrantEffect::Deny, None);
        book.add(&one).unwrap();
        book.write("x", |c| c.execute("UPDATE grants SET body = '{'", [])).unwrap();
        for _ in 0..2 {
            let error = book.for_tool("t", Time::now()).unwrap_err().to_string();
            assert!(error.contains(&one.id), "{error}");
        }
    }
}
