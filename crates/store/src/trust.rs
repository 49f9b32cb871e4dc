//! Which workspace configurations the person has trusted. Trust is in a file's content: a changed file is
//! not trusted any more.

use std::{path::Path, sync::Arc};

use deskhand_core::{StoreResult, Time};
use rusqlite::params;

use crate::{database::Database, error::Doing};

/// The trusted configurations of one data folder.
pub struct Trust {
    database: Arc<Database>,
}

impl Trust {
    pub(crate) fn new(database: Arc<Database>) -> Self {
        Self { database }
    }

    /// Whether this very content of this file was trusted.
    pub fn is_trusted(&self, path: &Path, sha256: &str) -> StoreResult<bool> {
        let Some(path) = path.to_str() else { return Ok(false) };
        self.database.with("look up the trusted configurations", |connection| {
            connection
                .prepare_cached("SELECT 1 FROM trusted_configs WHERE path = ? AND sha256 = ?")?
                .exists([path, sha256])
        })
    }

    /// Trusts this content of this file, in place of what was trusted before.
    pub fn trust(&self, path: &Path, sha256: &str) -> StoreResult<()> {
        let text =
            path.to_str().ok_or("its path is not UTF-8").doing(|| format!("trust {}", path.display()))?;
        self.database.with("keep the trusted configuration", |connection| {
            connection
                .execute(
                    "INSERT INTO trusted_configs (path, sha256, trusted_at) VALUES (?, ?, ?)
                     ON CONFLICT (path) DO UPDATE SET sha256 = excluded.sha256, trusted_at = excluded.trusted_at",
                    params![text, sha256, Time::now().to_string()],
                )
                .map(drop)
        })
    }

    /// Whether there was trust to take away.
    pub fn revoke(&self, path: &Path) -> StoreResult<bool> {
        let Some(path) = path.to_str() else { return Ok(false) };
        self.database.with("revoke the trusted configuration", |connection| {
            Ok(connection.execute("DELETE FROM trusted_configs WHERE path = ?", [path])? > 0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_is_in_a_path_and_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let trust = Trust::new(Arc::new(Database::new(folder.path().join("a.db"))));
        let (a, b) = (Path::new("/w/a.toml"), Path::new("/w/b.toml"));
        let state = || {
            [(a, "11"), (a, "22"), (b, "11")].map(|(path, sha256)| trust.is_trusted(path, sha256).unwrap())
        };
        assert_eq!(state(), [false, false, false]);
        trust.trust(a, "11").unwrap();
        assert_eq!(state(), [true, false, false]);
        trust.trust(a, "22").unwrap();
        assert_eq!(state(), [false, true, false]);
        trust.trust(b, "11").unwrap();
        assert_eq!(state(), [false, true, true]);
        assert!(trust.revoke(a).unwrap());
        assert!(!trust.revoke(a).unwrap());
        assert_eq!(state(), [false, false, true]);
    }
}
