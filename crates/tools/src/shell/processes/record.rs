//! What is kept of a process: `processes/ID/meta.json`, and what it printed, `stdout.log` and `stderr.log`.

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use deskhand_core::{CallId, Time, output};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::folder,
    is_id,
    ring::{Page, Ring},
};

const META: &str = "meta.json";
/// Held by whoever runs the process: one that says it runs, and that nobody holds, does not.
const LOCK: &str = "lock";
pub const LOGS: [&str; 2] = ["stdout.log", "stderr.log"];
/// As much of a log as can hold the lines that are shown.
const MOST_READ: u64 = 8 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ProcessStatus {
    Running,
    /// By itself.
    Exited,
    /// By `bash_kill`.
    Killed,
    TimedOut,
    /// Deskhand ended, and everything that it had started ended with it.
    EndedWithDeskhand,
}

impl ProcessStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Exited => "exited",
            Self::Killed => "killed",
            Self::TimedOut => "timed_out",
            Self::EndedWithDeskhand => "ended_with_deskhand",
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    pub process_id: String,
    pub session_id: String,
    /// For whom it was started. `None`: the owner of this installation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Masked.
    pub command: String,
    #[serde(with = "deskhand_core::path_json")]
    pub cwd: PathBuf,
    pub pid: u32,
    pub pty: bool,
    pub reads_commands: bool,
    pub started_at: Time,
    pub status: ProcessStatus,
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    pub ended_at: Option<Time>,
    /// How many lines it printed to stdout and stderr.
    pub lines: [u64; 2],
    /// The handles under which `read_file` reads the logs.
    pub handles: [Option<String>; 2],
    /// Where text that it prints comes from, if it is from outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<String>,
}

impl Record {
    pub fn folder(&self, root: &Path) -> PathBuf {
        root.join(&self.process_id)
    }

    pub fn save(&self, folder: &Path) -> io::Result<()> {
        folder::write_whole(folder, META, &serde_json::to_vec_pretty(self)?)
    }

    /// What the logs have after a cursor.
    pub fn pages(&self, root: &Path, since: [u64; 2]) -> [Page; 2] {
        let folder = self.folder(root);
        [0, 1].map(|n| {
            // A log that cannot be read has nothing to show.
            let ring = newest(&folder.join(LOGS[n])).unwrap_or_default();
            let ring =
                if self.status == ProcessStatus::Running { ring } else { ring.counted_to(self.lines[n]) };
            ring.since(since[n])
        })
    }
}

/// The last lines of a log.
fn newest(log: &Path) -> io::Result<Ring> {
    let mut file = File::open(log)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MOST_READ)))?;
    let mut bytes = Vec::new();
    file.take(MOST_READ).read_to_end(&mut bytes)?;
    if length > MOST_READ {
        // The first line is not whole.
        let begin = memchr::memchr(b'\n', &bytes).map_or(0, |at| at + 1);
        bytes.drain(..begin);
    }
    let mut ring = Ring::default();
    ring.take(&bytes);
    Ok(ring)
}

/// A new folder for a process, and the lock that says that it runs.
pub fn make_folder(folder: &Path) -> io::Result<File> {
    folder::make(folder)?;
    let lock = folder::new_file(&folder.join(LOCK))?;
    lock.lock()?;
    Ok(lock)
}

/// Puts a log among the kept outputs, too, under a handle that only who is told it knows.
pub fn publish(log: &Path, outputs: &Path) -> Option<String> {
    let id = CallId::new();
    let linked = folder::make(outputs).and_then(|()| fs::hard_link(log, outputs.join(format!("{id}.txt"))));
    linked.ok().map(|()| output::handle(id))
}

/// The record of that name. One whose Deskhand is gone has ended.
pub fn load(root: &Path, id: &str) -> Option<Record> {
    if !is_id(id) {
        return None;
    }
    let folder = root.join(id);
    let mut record: Record = serde_json::from_slice(&fs::read(folder.join(META)).ok()?).ok()?;
    if record.status == ProcessStatus::Running && is_abandoned(&folder) {
        // Its owner may have written its end just before it let go.
        record = serde_json::from_slice(&fs::read(folder.join(META)).ok()?).ok()?;
        if record.status == ProcessStatus::Running {
            record.status = ProcessStatus::EndedWithDeskhand;
            record.ended_at = Some(Time::now());
            record.lines = LOGS.map(|log| count_lines(&folder.join(log)));
            if let Err(error) = record.save(&folder) {
                tracing::warn!(%error, id, "the end of a process could not be kept");
            }
        }
    }
    Some(record)
}

fn count_lines(log: &Path) -> u64 {
    newest(log).map_or(0, |ring| ring.total())
}

fn is_abandoned(folder: &Path) -> bool {
    File::open(folder.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok())
}

/// Every record.
pub fn all(root: &Path) -> Vec<Record> {
    let Ok(entries) = fs::read_dir(root) else { return Vec::new() };
    entries.flatten().filter_map(|entry| load(root, entry.file_name().to_str()?)).collect()
}

/// Removes the folders of all that have ended, but for the newest.
pub fn remove_old(root: &Path, most: usize) {
    let mut ended: Vec<Record> = all(root);
    ended.retain(|record| record.status != ProcessStatus::Running);
    ended.sort_by_key(|record| std::cmp::Reverse(record.ended_at));
    for record in ended.iter().skip(most) {
        if let Err(error) = fs::remove_dir_all(record.folder(root)) {
            tracing::warn!(%error, id = record.process_id, "an old process could not be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: &str, status: ProcessStatus, ended_at: Option<&str>) -> Record {
        Record {
            process_id: id.into(),
            session_id: "s".into(),
            owner: None,
            command: "make".into(),
            cwd: "/w".into(),
            pid: 1,
            pty: false,
            reads_commands: false,
            started_at: Time::now(),
            status,
            exit_code: Some(0),
            signal: None,
            ended_at: ended_at.map(|time| time.parse().unwrap()),
            lines: [2, 0],
            handles: [None, None],
            outside: None,
        }
    }

    #[test]
    fn one_that_nobody_holds_has_ended() {
        let root = tempfile::tempdir().unwrap();
        let record = record("p-00000001", ProcessStatus::Running, None);
        let folder = record.folder(root.path());
        let lock = make_folder(&folder).unwrap();
        record.save(&folder).unwrap();
        fs::write(folder.join(LOGS[0]), "a\nb\nc\n").unwrap();
        assert_eq!(load(root.path(), "p-00000001").unwrap().status, ProcessStatus::Running);
        drop(lock);
        for _ in 0..2 {
            let found = load(root.path(), "p-00000001").unwrap();
            assert_eq!((found.status, found.lines), (ProcessStatus::EndedWithDeskhand, [3, 0]));
            let [page, _] = found.pages(root.path(), [1, 0]);
            assert_eq!((page.text.as_str(), page.next), ("b\nc\n", 3));
        }
        for odd in ["", "p-", "../p-00000001", "p-0000000g", "p-00000002"] {
            assert!(load(root.path(), odd).is_none(), "{odd}");
        }
    }

    #[test]
    fn the_newest_that_have_ended_are_kept() {
        let root = tempfile::tempdir().unwrap();
        for n in 0..35 {
            let ended = format!("2026-01-02T03:04:{n:02}.000Z");
            let record = record(&format!("p-{n:08x}"), ProcessStatus::Exited, Some(&ended));
            make_folder(&record.folder(root.path())).unwrap();
            record.save(&record.folder(root.path())).unwrap();
        }
        remove_old(root.path(), 30);
        assert_eq!(all(root.path()).len(), 30);
        assert!(load(root.path(), "p-00000004").is_none());
        assert!(load(root.path(), "p-00000005").is_some());
    }
}
