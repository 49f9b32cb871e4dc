//! The folder of a browser's profile: one browser at a time, and gone afterwards unless it was asked to stay.

use std::{
    fs::{self, DirBuilder, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use deskhand_core::arguments::sha256;
use serde_json::json;

use super::LaunchError;

/// A profile that stays: whose it is, and what they call it. Each has its own, whatever others call theirs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// `None`: the owner of this installation.
    pub owner: Option<String>,
    pub name: String,
}

impl Kept {
    /// The name of its folder. What people read of it may be alike for two; the rest is not.
    fn folder(&self) -> String {
        let readable = self.name.chars().filter(char::is_ascii_alphanumeric).take(24);
        let of_both = sha256(&json!([self.owner, self.name]));
        format!("kept-{}-{}", readable.collect::<String>().to_lowercase(), &of_both[..32])
    }
}

/// A profile that nobody else uses while this lives.
pub struct Profile {
    path: PathBuf,
    stays: bool,
    /// Locked as long as it is open. Beside the folder, since a browser may clear its folder.
    lock: Option<File>,
    lock_path: PathBuf,
}

impl Profile {
    /// A new one for this time only, in `folder`.
    pub fn fresh(folder: &Path) -> Result<Self, LaunchError> {
        let name = format!("once-{}", deskhand_core::id::new_id());
        Self::open(folder, &name, &name, false)
    }

    /// One that stays.
    pub fn kept(folder: &Path, kept: &Kept) -> Result<Self, LaunchError> {
        Self::open(folder, &kept.folder(), &kept.name, true)
    }

    fn open(folder: &Path, name: &str, called: &str, stays: bool) -> Result<Self, LaunchError> {
        let path = folder.join(name);
        let failed = |error| LaunchError::Profile { path: path.clone(), error };
        private_folder(folder).map_err(failed)?;
        let lock_path = folder.join(format!("{name}.lock"));
        let lock = File::create(&lock_path).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LaunchError::InUse { name: called.to_owned() }),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        private_folder(&path).map_err(failed)?;
        Ok(Self { path, stays, lock: Some(lock), lock_path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes what processes that are gone have left in `folder`.
    pub fn clear_stale(folder: &Path) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with("once-") && path.extension().is_none() {
                let lock_path = folder.join(format!("{name}.lock"));
                // Whoever has it locked still uses it. One without a lock file lost it to a half-done removal.
                let free = match File::open(&lock_path) {
                    Ok(lock) => lock.try_lock().is_ok(),
                    Err(error) => error.kind() == io::ErrorKind::NotFound,
                };
                if free {
                    remove(&path, &lock_path);
                }
            }
        }
    }
}

impl Drop for Profile {
    /// Files only; a few hundred. Whoever drops it does so off the async threads.
    fn drop(&mut self) {
        if !self.stays {
            remove(&self.path, &self.lock_path);
        }
        drop(self.lock.take());
    }
}

/// The folder first: what is left of it without its lock is known to be nobody's.
fn remove(path: &Path, lock_path: &Path) {
    // A process of the browser that is just ending may still write; a second try finds what it wrote.
    for _ in 0..3 {
        match fs::remove_dir_all(path) {
            Ok(()) => break,
            Err(error) if error.kind() == io::ErrorKind::NotFound => break,
            Err(_) => std::thread::sleep(std::time::Duration::from_millis(50)),
        }
    }
    let _ = fs::remove_file(lock_path);
}

#[cfg(unix)]
fn private_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(not(unix))]
fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(owner: Option<&str>, name: &str) -> Kept {
        Kept { owner: owner.map(str::to_owned), name: name.to_owned() }
    }

    #[test]
    fn each_owner_and_each_name_has_its_own_folder() {
        let mut folders: Vec<String> = Vec::new();
        for owner in [None, Some(""), Some("ann"), Some("Ann"), Some("ann\",\"a.b")] {
            for name in [
                "a.b",
                "a/b",
                "a_b",
                "A.b",
                "ab",
                "",
                "../../etc/passwd",
                "名字",
                &"x".repeat(64),
                &"x".repeat(63),
            ] {
                folders.push(kept(owner, name).folder());
            }
        }
        assert!(
            folders.iter().all(|f| f.len() < 100 && f.chars().all(|c| c == '-' || c.is_ascii_alphanumeric()))
        );
        let all = folders.len();
        folders.sort();
        folders.dedup();
        assert_eq!(folders.len(), all, "{folders:?}");
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_gets_in() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let odd = kept(None, "../../etc/passwd");
        let profile = Profile::kept(&folder.path().join("a"), &odd).unwrap();
        assert_eq!(profile.path().parent(), Some(folder.path().join("a").as_path()));
        assert_eq!(profile.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
        let second = Profile::kept(&folder.path().join("a"), &odd);
        assert!(matches!(second, Err(LaunchError::InUse { .. })));
        let path = profile.path().to_path_buf();
        drop(profile);
        assert!(path.exists(), "it was to stay");
        Profile::kept(&folder.path().join("a"), &odd).unwrap();
    }

    #[test]
    fn what_was_for_once_goes_and_what_the_dead_left_too() {
        let folder = tempfile::tempdir().unwrap();
        let profile = Profile::fresh(folder.path()).unwrap();
        fs::write(profile.path().join("Cookies"), "x").unwrap();
        for (name, lock) in [("once-dead", true), ("once-half", false)] {
            fs::create_dir(folder.path().join(name)).unwrap();
            if lock {
                fs::write(folder.path().join("once-dead.lock"), "").unwrap();
            }
        }
        let stays = Profile::kept(folder.path(), &kept(None, "mine")).unwrap().path().to_path_buf();
        Profile::clear_stale(folder.path());
        assert!(profile.path().join("Cookies").exists() && stays.exists());
        assert!(!folder.path().join("once-dead").exists() && !folder.path().join("once-half").exists());
        let path = profile.path().to_path_buf();
        drop(profile);
        assert!(!path.exists());
        let left: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "{left:?}: the kept one and its lock");
    }
}
