//! The lock that every append takes: the file `.lock` in the folder of the log. In it stands the name of the
//! newest file, so that one who holds the lock sees at once when another process has begun a new one.
//!
//! It is waited for only so long: a call whose record cannot be written must be told so, not hang.

use std::{
    fs::{File, TryLockError},
    io::{self, Seek, Write},
    path::PathBuf,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use deskhand_core::StoreResult;

use crate::{error::Doing, folder};

/// How long one who wants to append waits. Everybody holds the lock for far less than a millisecond.
const LIMIT: Duration = Duration::from_secs(10);

/// How long to sleep between two tries: at first, and at most.
const PAUSE: Duration = Duration::from_micros(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

pub(super) struct Lock {
    path: PathBuf,
    file: Option<Arc<File>>,
    limit: Duration,
}

impl Lock {
    pub fn new(path: PathBuf) -> Self {
        Self::with_limit(path, LIMIT)
    }

    pub fn with_limit(path: PathBuf, limit: Duration) -> Self {
        Self { path, file: None, limit }
    }

    /// Takes the lock, which is held for as long as what is returned is. The time that the caller has waited
    /// `since` counts: of several threads that wait for each other, all give up at the same time.
    pub fn take(&mut self, since: Instant) -> StoreResult<Locked> {
        let action = || format!("lock the audit log with {}", self.path.display());
        loop {
            let file = match &self.file {
                Some(file) => file,
                None => self.file.insert(Arc::new(
                    folder::private_file()
                        .create(true)
                        .truncate(false)
                        .read(true)
                        .write(true)
                        .open(&self.path)
                        .doing(action)?,
                )),
            };
            lock_in_time(file, since, self.limit).doing(action)?;
            let locked = Locked(file.clone());
            if is_linked(file).doing(action)? {
                return Ok(locked);
            }
            // Somebody removed the file: others lock a new one.
            self.file = None;
        }
    }
}

/// Locks the file, at once where nobody holds it.
fn lock_in_time(file: &File, since: Instant, limit: Duration) -> io::Result<()> {
    let mut pause = PAUSE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) => {}
        }
        let waited = since.elapsed();
        if waited >= limit {
            let text = format!(
                "another process holds that file; gave up after waiting {:.1} s",
                waited.as_secs_f64()
            );
            return Err(io::Error::new(io::ErrorKind::TimedOut, text));
        }
        thread::sleep(pause.min(limit.saturating_sub(waited)));
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

fn is_linked(file: &File) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Ok(file.metadata()?.nlink() > 0)
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        Ok(true)
    }
}

/// The lock, held.
pub(super) struct Locked(Arc<File>);

impl Locked {
    /// Whether the newest file is still of this name, as far as those know who kept the lock.
    pub fn newest_file_is(&self, name: &str) -> bool {
        let mut found = [0; 64];
        read_start(&self.0, &mut found).is_ok_and(|n| found[..n] == *name.as_bytes())
    }

    pub fn set_newest_file(&self, name: &str) -> io::Result<()> {
        if self.newest_file_is(name) {
            return Ok(());
        }
        let mut file = &*self.0;
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(name.as_bytes())
    }
}

/// Reads the start of a file, in one call where the system has one.
fn read_start(file: &File, into: &mut [u8]) -> io::Result<usize> {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileExt::read_at(file, into, 0)
    }
    #[cfg(not(unix))]
    {
        let mut file = file;
        file.rewind()?;
        io::Read::read(&mut file, into)
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // Should it fail, closing the file unlocks it.
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_it_at_a_time_even_if_the_file_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".lock");
        let (mut one, mut other) = (Lock::new(path.clone()), Lock::new(path.clone()));
        let held = one.take(Instant::now()).unwrap();
        assert!(File::open(&path).unwrap().try_lock().is_err());
        drop(held);
        drop(other.take(Instant::now()).unwrap());
        std::fs::remove_file(&path).unwrap();
        let held = one.take(Instant::now()).unwrap();
        assert!(File::open(&path).unwrap().try_lock().is_err(), "the new file is the one that is locked");
        held.set_newest_file("a").unwrap();
        assert!(held.newest_file_is("a") && !held.newest_file_is("b"));
        drop(held);
        assert!(other.take(Instant::now()).unwrap().newest_file_is("a"));
    }

    #[test]
    fn one_that_is_not_let_go_of_is_waited_for_only_so_long() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".lock");
        let held = Lock::new(path.clone()).take(Instant::now()).unwrap();
        let mut waiting = Lock::with_limit(path.clone(), Duration::from_millis(300));
        let began = Instant::now();
        let error = waiting.take(began).err().unwrap().to_string();
        assert!(began.elapsed() >= Duration::from_millis(300), "{error}");
        assert!(error.contains(path.to_str().unwrap()) && error.contains("0.3 s"), "{error}");
        // One who has waited that long already, for another thread, does not wait again.
        let again = Instant::now();
        assert!(waiting.take(began).is_err());
        assert!(again.elapsed() < Duration::from_millis(200));
        drop(held);
        waiting.take(began).unwrap();
    }

    #[test]
    fn one_that_is_let_go_of_in_time_is_had() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".lock");
        let held = Lock::new(path.clone()).take(Instant::now()).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| Lock::new(path.clone()).take(Instant::now()).unwrap());
            thread::sleep(Duration::from_millis(50));
            drop(held);
        });
    }
}
