//! Processes that calls left running in the background.
//!
//! Each belongs to the session that started it, lives as long as Deskhand at most, and has a folder
//! `processes/ID/` with what it printed. [`ProcessTable`] has those that run here; those that have ended, or run in
//! another Deskhand on the same data, are read from their folders.

mod live;
mod record;
mod ring;

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use deskhand_core::{Cx, Time, ToolError, ToolResult};

use self::live::LogPlaces;
pub use self::{
    live::Live,
    record::{ProcessStatus, Record},
    ring::Page,
};
use super::{ShellPlaces, spawn::Started};

/// How many that have ended are kept.
const MOST_ENDED: usize = 30;
/// How long `bash_output` waits for one to end, where no setting says otherwise.
pub const USUAL_WAIT: Duration = Duration::from_hours(1);

/// The processes in the background. Put into [`Services`](deskhand_core::Services); when the last handle goes away,
/// everything that runs ends.
#[derive(Clone)]
pub struct ProcessTable(Arc<Inner>);

struct Inner {
    root: PathBuf,
    longest_wait: Duration,
    live: Mutex<HashMap<String, Arc<Live>>>,
}

/// What a process is begun with.
pub struct Beginning {
    pub command: String,
    pub cwd: PathBuf,
    pub pty: bool,
    /// It is a shell: what is typed into it are commands.
    pub reads_commands: bool,
    pub limit: Option<Duration>,
}

/// A process, as a session finds it.
pub enum Found {
    /// It runs here.
    Here(Arc<Live>),
    /// It has ended, or runs in another Deskhand.
    Kept(Box<Record>),
}

impl Found {
    pub fn record(&self) -> Record {
        match self {
            Self::Here(live) => live.record(),
            Self::Kept(record) => (**record).clone(),
        }
    }
}

impl ProcessTable {
    /// The processes of one data folder.
    pub fn new(data_dir: &Path) -> Self {
        Self::waiting(data_dir, USUAL_WAIT)
    }

    /// The same; a call waits so long at most for one of them to end.
    pub fn waiting(data_dir: &Path, longest_wait: Duration) -> Self {
        Self(Arc::new(Inner { root: data_dir.join("processes"), longest_wait, live: Mutex::default() }))
    }

    pub fn longest_wait(&self) -> Duration {
        self.0.longest_wait
    }

    /// Takes a process over. Its end is an event of the session.
    pub fn begin(&self, started: Started, beginning: Beginning, cx: &Cx) -> ToolResult<Record> {
        let record = Record {
            process_id: new_id(),
            session_id: cx.session_id().to_owned(),
            owner: cx.owner().map(str::to_owned),
            command: cx.mask(&beginning.command),
            cwd: beginning.cwd,
            pid: started.pid,
            pty: beginning.pty,
            reads_commands: beginning.reads_commands,
            started_at: Time::now(),
            status: ProcessStatus::Running,
            exit_code: None,
            signal: None,
            ended_at: None,
            lines: [0, 0],
            handles: [None, None],
            outside: cx.plan().and_then(deskhand_core::outside::source),
        };
        let folder = record.folder(&self.0.root);
        let outputs = cx.service::<ShellPlaces>()?.outputs();
        let place = LogPlaces { folder: &folder, outputs: &outputs };
        let (live, work) = Live::begin(started, record, place, beginning.limit, cx.events())
            .map_err(|error| ToolError::io("keep the process in", &folder, &error))?;
        let record = live.record();
        self.lock().insert(record.process_id.clone(), Arc::clone(&live));
        // The task must not keep the table alive: what it runs ends with the table.
        let table = Arc::downgrade(&self.0);
        let id = record.process_id.clone();
        live.owned_by(tokio::spawn(async move {
            work.await;
            if let Some(inner) = table.upgrade() {
                Self(inner).ended(&id);
            }
        }));
        Ok(record)
    }

    fn ended(&self, id: &str) {
        let live = self.lock().remove(id);
        record::remove_old(&self.0.root, MOST_ENDED);
        if let Some(live) = live {
            live.tell_end();
        }
    }

    /// Every process of every session, the newest first. Reads the disk.
    pub fn list(&self) -> Vec<Record> {
        let mut known: Vec<Record> = self.lock().values().map(|live| live.record()).collect();
        let running: HashSet<String> = known.iter().map(|record| record.process_id.clone()).collect();
        known
            .extend(record::all(&self.0.root).into_iter().filter(|kept| !running.contains(&kept.process_id)));
        known.sort_by(|a, b| (b.started_at, &b.process_id).cmp(&(a.started_at, &a.process_id)));
        known
    }

    /// The process of that name, if this session started it.
    pub fn find(&self, session_id: &str, id: &str) -> ToolResult<Found> {
        let live = self.lock().get(id).map(Arc::clone);
        let found = match live {
            Some(live) => Some(Found::Here(live)),
            None => record::load(&self.0.root, id).map(|record| Found::Kept(Box::new(record))),
        };
        found
            .filter(|found| found.record().session_id == session_id)
            .ok_or_else(|| self.unknown(session_id, id))
    }

    /// Ends whatever a session has left running here, as `bash_kill` does.
    pub fn end_session(&self, session_id: &str) {
        for live in self.lock().values().filter(|live| live.record().session_id == session_id) {
            live.kill();
        }
    }

    /// What a process has printed after a cursor: stdout, then stderr.
    pub fn pages(&self, found: &Found, since: [u64; 2]) -> [Page; 2] {
        match found {
            Found::Here(live) => live.pages(since),
            Found::Kept(record) => record.pages(&self.0.root, since),
        }
    }

    fn unknown(&self, session_id: &str, id: &str) -> ToolError {
        let shown = super::command_line::short(id, 60);
        let error = ToolError::new("no_such_process", format!("This session has no process «{shown}»."));
        let known = self.list().into_iter().filter(|record| record.session_id == session_id);
        let names: Vec<String> = known.map(|record| record.process_id).take(5).collect();
        if names.is_empty() {
            error.hint("bash with background: true starts one.")
        } else {
            error.hint(format!("There is: {}.", names.join(", ")))
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Live>>> {
        self.0.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        for live in self.live.get_mut().unwrap_or_else(PoisonError::into_inner).values() {
            live.abandon();
        }
    }
}

/// Short enough to be typed.
fn new_id() -> String {
    let id = deskhand_core::id::new_id();
    format!("p-{}", &id[id.len() - 8..])
}

/// Whether a text can be the name of a process: it is also the name of its folder.
fn is_id(text: &str) -> bool {
    text.strip_prefix("p-")
        .is_some_and(|rest| rest.len() == 8 && rest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')))
}
