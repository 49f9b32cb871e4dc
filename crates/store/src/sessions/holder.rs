//! Whether the process that runs a turn is still there.
//!
//! Who begins turns holds a lock on a file of its own, `turns/ID.lock`, and the row of each turn names that file. A
//! lock goes with its process, however that ends, and means the same after a reboot and in another container, where
//! the id of a process would not.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use deskhand_core::StoreResult;
use uuid::Uuid;

use crate::{error::Doing, folder, process};

/// How often a file is made anew that somebody else took for one left behind.
const TRIES: usize = 16;

/// The locks of those who run turns in one data folder, ours among them.
pub struct Holders {
    folder: PathBuf,
    ours: Mutex<Option<Held>>,
}

struct Held {
    name: String,
    path: PathBuf,
    /// The lock is held for as long as this is open.
    _file: File,
}

impl Drop for Held {
    fn drop(&mut self) {
        // One that is left behind is removed by others.
        let _ = fs::remove_file(&self.path);
    }
}

impl Holders {
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, ours: Mutex::default() }
    }

    /// What is written into the rows of our turns. The first time it makes the file, and clears away what others left.
    pub fn our_mark(&self) -> StoreResult<String> {
        let mut ours = self.ours.lock().unwrap_or_else(PoisonError::into_inner);
        // One that somebody removed says of a turn that lives that it is broken.
        if let Some(held) = ours.as_ref().filter(|held| held.path.exists()) {
            return Ok(held.name.clone());
        }
        let held = self.hold().doing(|| format!("hold a lock in {}", self.folder.display()))?;
        let name = held.name.clone();
        *ours = Some(held);
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if let Some(mark) = entry.file_name().to_str().and_then(|name| name.strip_suffix(".lock")) {
                self.is_gone(mark);
            }
        }
        Ok(name)
    }

    fn hold(&self) -> io::Result<Held> {
        folder::create_private(&self.folder)?;
        for _ in 0..TRIES {
            let name = Uuid::now_v7().to_string();
            let path = self.folder.join(format!("{name}.lock"));
            let mut file = folder::private_file().read(true).write(true).create_new(true).open(&path)?;
            // Until it is locked it looks like one left behind, and may be removed.
            match file.try_lock() {
                Ok(()) if path.exists() => {
                    file.write_all(process::this().as_bytes())?;
                    return Ok(Held { name, path, _file: file });
                }
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => {
                    let _ = fs::remove_file(&path);
                    return Err(error);
                }
            }
        }
        Err(io::Error::other("others removed the file before it was locked"))
    }

    /// Whether nobody holds the lock that `mark` names, who then runs no turn any more. The file goes, too. What
    /// cannot be known counts as held.
    pub fn is_gone(&self, mark: &str) -> bool {
        // What is no id names no file that was ever there.
        let Ok(id) = Uuid::try_parse(mark) else { return true };
        let path = self.folder.join(format!("{id}.lock"));
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) => return error.kind() == io::ErrorKind::NotFound,
        };
        // Shared: two who look at the same time do not take each other for the holder.
        let gone = file.try_lock_shared().is_ok() || holder_has_ended(&path);
        if gone {
            let _ = fs::remove_file(&path);
        }
        gone
    }
}

/// A program that was just being started has the lock of its parent for a moment longer than the parent lives. Where the
/// holder can be told by its id, that counts; elsewhere only the lock does.
fn holder_has_ended(lock: &Path) -> bool {
    fs::read_to_string(lock).is_ok_and(|holder| process::is_gone(&holder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_lock_that_outlives_its_holder_for_a_moment_is_no_holder() {
        let data = tempfile::tempdir().unwrap();
        let holders = Holders::new(data.path().to_owned());
        let place = process::this().splitn(3, ' ').nth(2).unwrap().to_owned();
        for (holder, is_gone) in [
            (format!("4194304 1 {place}"), true),
            (process::this().to_owned(), false),
            ("4194304 1 elsewhere".to_owned(), false),
            (String::new(), false),
        ] {
            let id = Uuid::now_v7();
            let path = data.path().join(format!("{id}.lock"));
            fs::write(&path, &holder).unwrap();
            let held = File::open(&path).unwrap();
            held.lock().unwrap();
            assert_eq!(holders.is_gone(&id.to_string()), is_gone, "{holder}");
        }
    }

    fn names(holders: &Holders) -> Vec<String> {
        let entries = fs::read_dir(&holders.folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn who_holds_a_lock_is_there_and_leaves_nothing() {
        let data = tempfile::tempdir().unwrap();
        let [one, other] = [(); 2].map(|()| Holders::new(data.path().join("turns")));
        assert!(names(&one).is_empty());
        let mark = one.our_mark().unwrap();
        assert_eq!(one.our_mark().unwrap(), mark, "one file for all turns");
        assert_ne!(other.our_mark().unwrap(), mark);
        assert!(!one.is_gone(&mark) && !other.is_gone(&mark));
        assert_eq!(names(&one).len(), 2);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(one.folder.clone()), 0o700);
            assert_eq!(mode(one.folder.join(format!("{mark}.lock"))), 0o600);
        }
        fs::remove_file(one.folder.join(format!("{mark}.lock"))).unwrap();
        let mark = one.our_mark().unwrap();
        assert!(!other.is_gone(&mark), "one that was removed is made anew");
        drop(one);
        assert!(other.is_gone(&mark));
        assert_eq!(names(&other).len(), 1);
    }

    #[test]
    fn what_is_left_behind_is_gone_and_cleared_away() {
        let data = tempfile::tempdir().unwrap();
        let holders = Holders::new(data.path().join("turns"));
        let left = |name: &str| {
            folder::create_private(&holders.folder).unwrap();
            fs::write(holders.folder.join(format!("{name}.lock")), "").unwrap();
        };
        let mark = Uuid::now_v7().to_string();
        left(&mark);
        assert!(holders.is_gone(&mark), "nobody holds it");
        assert!(names(&holders).is_empty());
        left(&mark);
        let ours = holders.our_mark().unwrap();
        assert_eq!(names(&holders), [format!("{ours}.lock")]);
        fs::write(data.path().join("x.lock"), "").unwrap();
        for mark in [mark.as_str(), "", "../x", "77 1234 boot/pid:[4026531836]"] {
            assert!(holders.is_gone(mark), "{mark}");
        }
        assert!(data.path().join("x.lock").exists());
    }

    #[test]
    fn two_who_look_at_once_see_the_same() {
        let data = tempfile::tempdir().unwrap();
        let holders = Holders::new(data.path().to_owned());
        let mark = Uuid::now_v7().to_string();
        let path = data.path().join(format!("{mark}.lock"));
        fs::write(&path, "").unwrap();
        let looks = File::open(&path).unwrap();
        looks.try_lock_shared().unwrap();
        assert!(holders.is_gone(&mark));
    }
}
