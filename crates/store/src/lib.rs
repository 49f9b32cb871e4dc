//! What lasts: sessions, grants, approvals, trusted configurations, the audit chain, the undo journal, kept outputs.
//!
//! One data folder may be shared by any number of processes. [`Store::open`] makes the folders and does
//! nothing else: the database is opened, and the audit log repaired where it has to be, at the first use.
//!
//! ```text
//! DATA/deskhand.db            sessions, grants, approvals, trusted configurations, the head of the audit chain
//! DATA/audit/YYYY-MM-DD.jsonl the audit chain
//! DATA/undo/CALL_ID/          what a call changed, and what was there before
//! DATA/outputs/CALL_ID.txt    outputs too long to hand over at once
//! DATA/uploads/SESSION_ID/    files that people gave to a session; .partial/ has those that are not finished
//! DATA/turns/ID.lock         held by a process that runs turns
//! DATA/wake/                  sockets of processes that wait for an answer
//! ```

mod approvals;
mod audit;
mod budget;
mod database;
mod error;
mod folder;
mod grants;
mod later;
mod outputs;
mod passing;
mod process;
mod sessions;
mod trust;
mod undo;
mod wake;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use deskhand_core::StoreResult;

pub use approvals::Approvals;
pub use audit::Audit;
pub use grants::Grants;
pub use outputs::Outputs;
pub use sessions::Sessions;
pub use trust::Trust;
pub use undo::Undo;

use crate::{budget::Budget, database::Database, error::Doing};

const DAY: Duration = Duration::from_hours(24);
const GIB: u64 = 1 << 30;

/// The data folder, before the settings are read: which workspace configs are trusted is in its database, and the settings
/// say how the rest of the store is kept.
pub struct DataFolder {
    path: PathBuf,
    database: Arc<Database>,
    trust: Arc<Trust>,
}

impl DataFolder {
    /// Creates the folders that are missing. The database is opened when something is first read or written.
    pub fn open(path: &Path) -> StoreResult<Self> {
        for name in ["audit", "undo", "outputs"] {
            let path = path.join(name);
            folder::create_private(&path).doing(|| format!("create the folder {}", path.display()))?;
        }
        let database = Arc::new(Database::new(path.join("deskhand.db")));
        let trust = Arc::new(Trust::new(database.clone()));
        Ok(Self { path: path.to_path_buf(), database, trust })
    }

    pub fn trust(&self) -> &Trust {
        &self.trust
    }

    pub fn store(self, options: &StoreOptions) -> Store {
        let Self { path, database, trust } = self;
        let reading = Arc::new(Database::new(path.join("deskhand.db")));
        let write_back = passing::written_back(&database);
        let undo = Budget::new(path.join("undo"), options.undo_max_bytes, options.undo_max_age);
        let outputs = Budget::new(path.join("outputs"), options.outputs_max_bytes, options.outputs_max_age);
        Store {
            audit: Arc::new(Audit::new(path.join("audit"), database.clone(), options.audit_enabled)),
            approvals: Arc::new(Approvals::new(database.clone(), write_back.clone(), path.join("wake"))),
            grants: Arc::new(Grants::new(database.clone())),
            outputs: Arc::new(Outputs::new(outputs)),
            sessions: Arc::new(Sessions::new(database, reading, write_back, &path)),
            undo: Arc::new(Undo::new(undo)),
            trust,
        }
    }
}

/// What can be set about keeping things.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// Off only by an explicit setting, which the log itself records.
    pub audit_enabled: bool,
    /// The most that all kept before-images may take; one call may take a quarter of it.
    pub undo_max_bytes: u64,
    pub undo_max_age: Duration,
    pub outputs_max_bytes: u64,
    pub outputs_max_age: Duration,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            audit_enabled: true,
            undo_max_bytes: 2 * GIB,
            undo_max_age: 30 * DAY,
            outputs_max_bytes: GIB,
            outputs_max_age: 30 * DAY,
        }
    }
}

/// Everything that is kept in one data folder. Dropping the last handle on the audit log writes it out.
pub struct Store {
    audit: Arc<Audit>,
    approvals: Arc<Approvals>,
    grants: Arc<Grants>,
    outputs: Arc<Outputs>,
    sessions: Arc<Sessions>,
    undo: Arc<Undo>,
    trust: Arc<Trust>,
}

impl Store {
    pub fn open(data_dir: &Path, options: &StoreOptions) -> StoreResult<Self> {
        Ok(DataFolder::open(data_dir)?.store(options))
    }

    pub fn audit(&self) -> Arc<Audit> {
        self.audit.clone()
    }

    pub fn approvals(&self) -> Arc<Approvals> {
        self.approvals.clone()
    }

    pub fn grants(&self) -> Arc<Grants> {
        self.grants.clone()
    }

    pub fn outputs(&self) -> Arc<Outputs> {
        self.outputs.clone()
    }

    pub fn sessions(&self) -> Arc<Sessions> {
        self.sessions.clone()
    }

    pub fn undo(&self) -> Arc<Undo> {
        self.undo.clone()
    }

    pub fn trust(&self) -> Arc<Trust> {
        self.trust.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opening_makes_the_folders_and_no_database() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("new/data");
        for _ in 0..2 {
            Store::open(&data, &StoreOptions::default()).unwrap();
        }
        let mut names: Vec<_> = std::fs::read_dir(&data)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["audit", "outputs", "undo"]);
    }

    #[test]
    fn a_data_folder_that_cannot_be_made_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = Store::open(file.path(), &StoreOptions::default()).err().unwrap().to_string();
        assert!(error.contains(file.path().to_str().unwrap()), "{error}");
    }
}
