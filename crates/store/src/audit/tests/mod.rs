//! Tests of the log as a whole: real files, a real database.

mod append;
mod processes;
mod query;
mod repair;
mod tamper;

use std::{
    fs,
    sync::atomic::{AtomicI64, Ordering},
    thread,
    time::Duration,
};

use deskhand_core::{CallId, Phase, audit::FindingKind, session::Owner};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

/// 2026-01-01, noon.
const NOON: i64 = 1_767_268_800;

/// A data folder whose clock stands where it is put.
struct World {
    folder: TempDir,
    seconds: Arc<AtomicI64>,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("audit")).unwrap();
        Self { folder, seconds: Arc::new(AtomicI64::new(NOON)) }
    }

    fn audit_folder(&self) -> PathBuf {
        self.folder.path().join("audit")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.audit_folder().join(name)
    }

    fn open(&self, enabled: bool) -> Audit {
        let database = Arc::new(Database::new(self.folder.path().join("a.db")));
        let seconds = self.seconds.clone();
        let clock = move || {
            let second = seconds.load(Ordering::Relaxed);
            jiff::Timestamp::from_second(second).unwrap().into()
        };
        Audit::with_clock(self.audit_folder(), database, enabled, Arc::new(clock))
    }

    fn audit(&self) -> Audit {
        self.open(true)
    }

    /// Days from the first one.
    fn set_day(&self, day: i64) {
        self.seconds.store(NOON + day * 86_400, Ordering::Relaxed);
    }

    fn files(&self) -> Vec<String> {
        files::list(&self.audit_folder()).unwrap()
    }

    /// The lines of all files.
    fn lines(&self) -> Vec<Value> {
        let text = |name: &String| fs::read_to_string(self.path(name)).unwrap();
        self.files()
            .iter()
            .flat_map(|f| text(f).lines().map(|l| serde_json::from_str(l).unwrap()).collect::<Vec<_>>())
            .collect()
    }

    /// What the notices in the log say, by status.
    fn notices(&self) -> Vec<String> {
        let lines = self.lines();
        let notices = lines.iter().filter(|line| line["phase"] == "notice");
        notices.map(|line| line["status"].as_str().unwrap().to_owned()).collect()
    }

    fn seqs(&self) -> Vec<u64> {
        self.lines().iter().map(|line| line["seq"].as_u64().unwrap()).collect()
    }

    fn head(&self) -> Option<head::Head> {
        Heads::new(Arc::new(Database::new(self.folder.path().join("a.db")))).load().unwrap()
    }

    fn sql(&self, sql: &str) {
        Database::new(self.folder.path().join("a.db")).with("x", |c| c.execute_batch(sql)).unwrap();
    }

    fn lose_database(&self) {
        for name in ["a.db", "a.db-wal", "a.db-shm"] {
            let _ = fs::remove_file(self.folder.path().join(name));
        }
    }

    fn verify(&self) -> AuditReport {
        self.audit().verify().unwrap()
    }
}

fn record(tool: &str) -> AuditRecord {
    let arguments = json!({"path": "a", "text": "é\n\"quoted\""});
    AuditRecord {
        phase: Phase::Arrival,
        call_id: Some(CallId::new()),
        tool_name: tool.into(),
        session_id: "s".into(),
        ..AuditRecord::notice("cli", "started", arguments, Time::now())
    }
}

fn append(audit: &Audit, count: usize) {
    for n in 0..count {
        audit.append(&record(&format!("tool{n}"))).unwrap();
    }
}
