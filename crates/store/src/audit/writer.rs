//! Appending to the chain.
//!
//! Every append holds the lock of the log. What this process knows of the end of the chain is trusted only
//! if the newest file is, under the lock, still the one it wrote to, at the length it left it at; otherwise
//! the end is read again, repaired where the last writer was killed, and compared with what the database
//! and this process know should be there.

use std::{
    fs::{self, File},
    io::Write,
    path::PathBuf,
    sync::Arc,
    time::Instant,
};

use deskhand_core::{AuditRecord, StoreResult, Time};

use super::{
    files,
    head::{Head, Heads},
    line::{self, Body, Position},
    lock::{Lock, Locked},
    notice,
};
use crate::{error::Doing, folder};

/// Tells the time; another one in tests.
pub(super) type Clock = Arc<dyn Fn() -> Time + Send + Sync>;

pub(super) struct Writer {
    folder: PathBuf,
    heads: Arc<Heads>,
    clock: Clock,
    lock: Lock,
    tail: Option<Tail>,
}

/// The end of the chain, as this process left it.
struct Tail {
    path: PathBuf,
    file: Arc<File>,
    identity: Identity,
    /// The first record in the file; 0 while there is none.
    first_seq: u64,
    end: Head,
}

/// Which file it is, whatever its name.
type Identity = (u64, u64);

fn identity(metadata: &fs::Metadata) -> Identity {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (metadata.dev(), metadata.ino())
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        (0, 0)
    }
}

/// All that is needed to bring what has been appended to disk.
pub(super) struct Appended {
    pub file: Arc<File>,
    pub head: Head,
    pub first_seq: u64,
}

impl Writer {
    pub fn new(folder: PathBuf, heads: Arc<Heads>, clock: Clock) -> Self {
        let lock = Lock::new(folder.join(".lock"));
        Self { folder, heads, clock, lock, tail: None }
    }

    pub fn now(&self) -> Time {
        (self.clock)()
    }

    /// Appends one record, and before it whatever there is to say about the state of the log. The caller has
    /// waited `since`.
    pub fn append(&mut self, body: &Body, since: Instant) -> StoreResult<()> {
        let locked = self.lock.take(since)?;
        let today = files::name_of_day(&self.now().day());
        if !self.is_current(&locked, &today)? {
            self.find_end(&locked, &today)?;
        }
        self.write(body)
    }

    /// Takes the lock, and repairs what a killed writer left behind, where one did.
    pub fn repair(&mut self, since: Instant) -> StoreResult<Locked> {
        let locked = self.lock.take(since)?;
        if let Some(newest) = self.list()?.pop() {
            let durable = self.written_whole(&newest, self.heads.load()?.as_ref());
            let end = files::read_end(&self.folder, &newest, durable)
                .doing(|| format!("read the end of {newest}"))?;
            if end.torn.is_some() {
                self.find_end(&locked, &files::name_of_day(&self.now().day()))?;
            }
        }
        Ok(locked)
    }

    /// What has been appended by this process; `None` if nothing has.
    pub fn appended(&self) -> Option<Appended> {
        let tail = self.tail.as_ref().filter(|tail| tail.first_seq > 0)?;
        Some(Appended { file: tail.file.clone(), head: tail.end.clone(), first_seq: tail.first_seq })
    }

    /// Whether `tail` is the end of the chain, in the file of today.
    fn is_current(&mut self, locked: &Locked, today: &str) -> StoreResult<bool> {
        let Some(tail) = &self.tail else { return Ok(false) };
        if *tail.end.file < *today || !locked.newest_file_is(&tail.end.file) {
            return Ok(false);
        }
        let now = fs::metadata(&tail.path).ok().filter(|now| identity(now) == tail.identity);
        match now.map(|now| now.len()) {
            Some(length) if length == tail.end.length => Ok(true),
            Some(length) if length > tail.end.length => self.follow(),
            _ => Ok(false),
        }
    }

    /// Moves on to what another process has appended to the same file. Whether that was all there was to do.
    fn follow(&mut self) -> StoreResult<bool> {
        let Some(tail) = &mut self.tail else { return Ok(false) };
        let end = files::read_end(&self.folder, &tail.end.file, tail.end.length)
            .doing(|| format!("read the end of {}", tail.path.display()))?;
        match end.at {
            Some(at) if end.torn.is_none() && at.seq > tail.end.at.seq => {
                (tail.end.at, tail.end.length) = (at, end.length);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Finds the end of the chain from the files and the database, and says in the log what is wrong with it.
    fn find_end(&mut self, locked: &Locked, today: &str) -> StoreResult<()> {
        let now = self.now();
        let names = self.list()?;
        let head = self.heads.load()?;
        let mut notices: Vec<AuditRecord> = Vec::new();
        let mut found = Head::START;
        let mut glue = false;
        for (age, name) in names.iter().rev().enumerate() {
            let is_newest = age == 0;
            // A file that was gone on from was written whole.
            let durable = if is_newest { self.written_whole(name, head.as_ref()) } else { u64::MAX };
            let end =
                files::read_end(&self.folder, name, durable).doing(|| format!("read the end of {name}"))?;
            if let Some(torn) = &end.torn {
                self.cut(name, end.length)?;
                notices.push(notice::torn(torn, now));
            }
            glue |= is_newest && !end.ended;
            if let Some(at) = end.at {
                found = Head { at, file: name.clone(), length: end.length };
                break;
            }
        }
        let (at, lost) = go_on_from(found.at, self.known(head.as_ref()));
        if lost {
            notices.push(notice::lost(found.at, at, now));
        }
        if head.is_none() {
            // The head is there before the first file is.
            if !names.is_empty() {
                notices.push(notice::no_head(found.at, now));
            }
            self.heads.begin()?;
        }
        let newest = names.last().map_or("", String::as_str);
        let last_known = head.as_ref().map_or("", |head| head.file.as_str());
        let name = today.max(newest).max(last_known);
        if name != newest && !lost && found != Head::START {
            self.close(&found)?;
        }
        self.tail = Some(self.open(locked, name, at, glue && name == newest)?);
        notices.iter().try_for_each(|notice| self.write(&body(notice)?))
    }

    /// The length of a file that is known to have been written, whatever is in it now.
    fn written_whole(&self, name: &str, head: Option<&Head>) -> u64 {
        let known = |end: &Head| match name.cmp(&end.file) {
            std::cmp::Ordering::Less => u64::MAX,
            std::cmp::Ordering::Equal => end.length,
            std::cmp::Ordering::Greater => 0,
        };
        let own = self.tail.as_ref().map(|tail| &tail.end);
        head.into_iter().chain(own).map(known).max().unwrap_or(0)
    }

    /// The furthest place in the chain that the database or this process knows of.
    fn known(&self, head: Option<&Head>) -> Position {
        let own = self.tail.as_ref().map(|tail| tail.end.at);
        own.into_iter().chain(head.map(|head| head.at)).max_by_key(|at| at.seq).unwrap_or(Position::START)
    }

    /// Before a new file is begun, the one before it is brought to disk, since only the newest is later.
    fn close(&self, end: &Head) -> StoreResult<()> {
        let path = self.folder.join(&end.file);
        let action = || format!("bring {} to disk", path.display());
        File::open(&path).and_then(|file| file.sync_data()).doing(action)?;
        let first_seq = files::first_seq(&path).doing(action)?.unwrap_or(end.at.seq);
        self.heads.advance(end, first_seq)
    }

    /// Opens the file that is appended to, from now on the newest.
    fn open(&self, locked: &Locked, name: &str, at: Position, glue: bool) -> StoreResult<Tail> {
        let path = self.folder.join(name);
        let action = || format!("open the audit log {}", path.display());
        // Others must look for the new file before it has anything in it.
        locked.set_newest_file(name).doing(action)?;
        let is_new = !path.exists();
        let mut file = folder::private_file().create(true).append(true).open(&path).doing(action)?;
        if is_new {
            folder::sync(&self.folder).doing(action)?;
        }
        if glue {
            // Somebody took the end of the last line away; the next record must not become a part of it.
            file.write_all(b"\n").doing(action)?;
        }
        let metadata = file.metadata().doing(action)?;
        let (identity, length) = (identity(&metadata), metadata.len());
        let first_seq = if length > 0 { files::first_seq(&path).doing(action)?.unwrap_or(at.seq) } else { 0 };
        let end = Head { at, file: name.to_owned(), length };
        Ok(Tail { path, file: Arc::new(file), identity, first_seq, end })
    }

    fn write(&mut self, body: &Body) -> StoreResult<()> {
        let Some(tail) = &mut self.tail else { return Ok(()) };
        let (bytes, at) = line::encode(body, tail.end.at);
        if let Err(error) = (&*tail.file).write_all(&bytes) {
            // Half a line would be repaired by the next append; but the disk may be full, and stay so.
            let _ = tail.file.set_len(tail.end.length);
            return Err(error).doing(|| format!("append to the audit log {}", tail.path.display()));
        }
        tail.end.length += bytes.len() as u64;
        tail.end.at = at;
        if tail.first_seq == 0 {
            tail.first_seq = at.seq;
        }
        Ok(())
    }

    fn cut(&self, name: &str, length: u64) -> StoreResult<()> {
        let path = self.folder.join(name);
        File::options()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_len(length))
            .doing(|| format!("repair the audit log {}", path.display()))
    }

    fn list(&self) -> StoreResult<Vec<String>> {
        files::list(&self.folder).doing(|| format!("list the audit log {}", self.folder.display()))
    }
}

/// Where the chain goes on, and whether that leaves a hole. What is known to have been written counts, not
/// what is left of it: so a hole shows for ever.
fn go_on_from(found: Position, known: Position) -> (Position, bool) {
    let lost = known.seq > found.seq || (known.seq == found.seq && known.hash != found.hash);
    (if lost { known } else { found }, lost)
}

/// The record's fields, written out.
pub(super) fn body(record: &AuditRecord) -> StoreResult<Body> {
    let action = || "write an audit record".to_owned();
    let body = Body::of(record).doing(action)?;
    // The number and the hashes take less than the rest.
    if body.len() > line::MAX_LINE - 1024 {
        return Err(format!("it has {} bytes, more than a record may have", body.len())).doing(action);
    }
    Ok(body)
}
