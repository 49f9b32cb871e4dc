//! A process that runs here.

use std::{
    fs::File,
    future::Future,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use deskhand_core::{EventBody, EventSink, Time, ToolError, ToolResult};
use tokio::{
    io::AsyncWriteExt,
    sync::{Notify, watch},
    task::JoinHandle,
};

use super::{
    super::{
        command_line::short,
        folder,
        spawn::{Started, Writer},
        supervise::{self, Ended, How, Sink, Stop, Stream},
    },
    ProcessStatus, Record,
    record::{self, LOGS},
    ring::{Page, Ring},
};

/// How much of each stream goes into its log.
const MOST_LOGGED: u64 = 1 << 30;
/// How long a process may take to read what is typed.
const TYPING: Duration = Duration::from_secs(5);
const MOST_COMMAND: usize = 200;

/// Where a process is kept, and where its logs can be read.
#[derive(Clone, Copy)]
pub struct LogPlaces<'a> {
    pub folder: &'a Path,
    pub outputs: &'a Path,
}

pub struct Live {
    record: Mutex<Record>,
    rings: Mutex<[Ring; 2]>,
    input: tokio::sync::Mutex<Option<Writer>>,
    /// The line that was begun, and not ended yet by the enter key.
    begun_line: Mutex<String>,
    kill: Notify,
    ended: watch::Sender<bool>,
    task: Mutex<Option<JoinHandle<()>>>,
    events: Arc<dyn EventSink>,
}

impl Live {
    /// The process, and the work of watching over it.
    pub fn begin(
        mut started: Started,
        mut record: Record,
        places: LogPlaces<'_>,
        limit: Option<Duration>,
        events: Arc<dyn EventSink>,
    ) -> io::Result<(Arc<Self>, impl Future<Output = ()> + Send + use<>)> {
        let LogPlaces { folder, outputs } = places;
        let lock = record::make_folder(folder)?;
        let logs = Logs::begin(folder)?;
        record.handles = LOGS.map(|log| record::publish(&folder.join(log), outputs));
        record.save(folder)?;
        let live = Arc::new(Self {
            record: Mutex::new(record),
            rings: Mutex::default(),
            input: tokio::sync::Mutex::new(started.input.take()),
            begun_line: Mutex::default(),
            kill: Notify::new(),
            ended: watch::Sender::new(false),
            task: Mutex::default(),
            events,
        });
        let (watched, folder) = (Arc::clone(&live), folder.to_path_buf());
        let work = async move {
            let mut sink = Kept { live: &watched, logs };
            let stop = async {
                watched.kill.notified().await;
                Stop::Gently
            };
            let ended = supervise::supervise(started, &mut sink, limit, stop).await;
            watched.close(ended, folder).await;
            drop(lock);
        };
        Ok((live, work))
    }

    /// Who ends the work when nobody needs it any more.
    pub fn owned_by(&self, task: JoinHandle<()>) {
        *lock(&self.task) = Some(task);
    }

    /// Lets go of the process, which ends it.
    pub fn abandon(&self) {
        if let Some(task) = lock(&self.task).take() {
            task.abort();
        }
    }

    /// What it prints from now on comes from outside.
    pub fn reads_from(&self, source: String) {
        lock(&self.record).outside.get_or_insert(source);
    }

    pub fn record(&self) -> Record {
        lock(&self.record).clone()
    }

    pub fn pages(&self, since: [u64; 2]) -> [Page; 2] {
        let rings = lock(&self.rings);
        [rings[0].since(since[0]), rings[1].since(since[1])]
    }

    /// Asks it to end; what does not is ended.
    pub fn kill(&self) {
        self.kill.notify_one();
    }

    /// Returns when it has ended, and its end is kept.
    pub async fn wait(&self) {
        let mut ended = self.ended.subscribe();
        // The sender lives as long as this.
        let _ = ended.wait_for(|ended| *ended).await;
    }

    /// What the process will read as one with what is typed next.
    pub fn begun_line(&self) -> String {
        lock(&self.begun_line).clone()
    }

    /// Types into it; `last` closes its input.
    pub async fn write(&self, text: &[u8], last: bool) -> ToolResult<()> {
        self.note_line(text);
        let typing = async {
            let mut input = self.input.lock().await;
            let Some(writer) = input.as_mut() else { return Err(io::ErrorKind::BrokenPipe.into()) };
            writer.write_all(text).await?;
            writer.flush().await?;
            if last {
                let end_of_text: &[u8] = if self.record().pty { b"\x04" } else { b"" };
                writer.write_all(end_of_text).await?;
                writer.flush().await?;
                if end_of_text.is_empty() {
                    *input = None;
                }
            }
            io::Result::Ok(())
        };
        match tokio::time::timeout(TYPING, typing).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(ToolError::new("input_closed", "The process takes no more input.")
                .hint("bash_output says whether it still runs.")),
            Err(_) => Err(ToolError::new("input_not_read", "The process does not read its input.")
                .hint("Part of it may be waiting to be read. bash_kill ends the process.")),
        }
    }

    fn note_line(&self, text: &[u8]) {
        let mut line = lock(&self.begun_line);
        line.push_str(&String::from_utf8_lossy(text));
        // A line that ends in a backslash goes on with the next one.
        if let Some(at) = line.rfind('\n')
            && !line[..at].ends_with('\\')
        {
            line.drain(..=at);
        }
    }

    async fn close(&self, ended: Ended, folder: PathBuf) {
        *self.input.lock().await = None;
        let record = {
            let rings = lock(&self.rings);
            let mut record = lock(&self.record);
            record.status = match ended.how {
                How::ByItself => ProcessStatus::Exited,
                How::TimedOut => ProcessStatus::TimedOut,
                How::Stopped => ProcessStatus::Killed,
            };
            record.exit_code = ended.exit_code;
            record.signal = ended.signal;
            record.ended_at = Some(Time::now());
            record.lines = [rings[0].total(), rings[1].total()];
            record.clone()
        };
        if let Err(error) = record.save(&folder) {
            tracing::warn!(%error, id = record.process_id, "the end of a process could not be kept");
        }
    }

    /// Tells everybody that it has ended. By now its folder tells the same.
    pub fn tell_end(&self) {
        let record = self.record();
        self.ended.send_replace(true);
        self.events.emit(EventBody::ProcessEnded {
            process_id: record.process_id,
            command: short(&record.command, MOST_COMMAND),
            exit_code: record.exit_code,
            signal: record.signal,
            status: record.status.as_str().to_owned(),
        });
    }
}

/// Takes what the process prints: the newest lines into memory, all of it into files.
struct Kept<'a> {
    live: &'a Live,
    logs: Logs,
}

impl Sink for Kept<'_> {
    fn take(&mut self, from: Stream, bytes: &[u8]) {
        let n = usize::from(from == Stream::Errors);
        self.logs.take(n, bytes);
        lock(&self.live.rings)[n].take(bytes);
    }
}

struct Logs([Option<(File, u64)>; 2]);

impl Logs {
    fn begin(folder: &Path) -> io::Result<Self> {
        let log = |name: &str| folder::new_file(&folder.join(name)).map(|file| Some((file, MOST_LOGGED)));
        Ok(Self([log(LOGS[0])?, log(LOGS[1])?]))
    }

    /// A log that is full, or cannot be written, is left as it is; the process goes on.
    fn take(&mut self, n: usize, bytes: &[u8]) {
        let Some((file, room)) = &mut self.0[n] else { return };
        let fits = bytes.len().min(usize::try_from(*room).unwrap_or(usize::MAX));
        *room -= fits as u64;
        let written = file.write_all(&bytes[..fits]);
        if written.is_err() || fits < bytes.len() {
            self.0[n] = None;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
