//! The lock that every append takes: the file `.lock` in the folder of the log. In it stands the name of the
//! newest file, so that one who holds the lock sees at once when another process has begun a new one.

use std::{
    fs::File,
    io::{self, Seek, Write},
    path::PathBuf,
    sync::Arc,
};

use deskhand_core::StoreResult;

use crate::{error::Doing, folder};

pub(super) struct Lock {
    path: PathBuf,
    file: Option<Arc<File>>,
}

impl Lock {
    pub fn new(path: PathBuf) -> Self {
        Self { path, file: None }
    }

    /// Takes the lock, which is held for as long as what is returned is.
    pub fn take(&mut self) -> StoreResult<Locked> {
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
            file.lock().doing(action)?;
            let locked = Locked(file.clone());
            if is_linked(file).doing(action)? {
                return Ok(locked);
            }
            // Somebody removed the file: others lock a new one.
            self.file = None;
        }
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
        let held = one.take().unwrap();
        assert!(File::open(&path).unwrap().try_lock().is_err());
        drop(held);
        drop(other.take().unwrap());
        std::fs::remove_file(&path).unwrap();
        let held = one.take().unwrap();
        assert!(File::open(&path).unwrap().try_lock().is_err(), "the new file is the one that is locked");
        held.set_newest_file("a").unwrap();
        assert!(held.newest_file_is("a") && !held.newest_file_is("b"));
        drop(held);
        assert!(other.take().unwrap().newest_file_is("a"));
    }
}
