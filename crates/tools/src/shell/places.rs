//! Where commands keep things: a private folder for temporary files, output that is too long, processes.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use deskhand_core::{ToolError, ToolResult, arguments};

use super::folder;

/// The folders that commands work with. Put into [`Services`](deskhand_core::Services).
#[derive(Clone, Debug)]
pub struct ShellPlaces {
    data: PathBuf,
    home: Option<PathBuf>,
}

/// Nobody looks for temporary files after this long.
const KEPT: Duration = Duration::from_hours(30 * 24);

impl ShellPlaces {
    pub fn new(data_dir: &Path, home: Option<PathBuf>) -> Self {
        Self { data: data_dir.to_path_buf(), home }
    }

    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    pub(super) fn outputs(&self) -> PathBuf {
        self.data.join("outputs")
    }

    /// The folder that is `/tmp` for the commands of a session: the same for all of them.
    pub(super) fn temporary(&self, session_id: &str) -> ToolResult<PathBuf> {
        let all = self.data.join("tmp");
        let path = all.join(folder_name(session_id));
        if !path.is_dir() {
            folder::make(&path).map_err(|error| ToolError::io("create the folder", &path, &error))?;
            clear_old(&all);
        }
        Ok(path)
    }
}

/// A session's id is what somebody chose; only a plain one is a name of a folder.
fn folder_name(session_id: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !session_id.is_empty() && session_id.len() <= 64 && session_id.chars().all(plain) {
        session_id.to_owned()
    } else {
        arguments::sha256_hex(session_id.as_bytes())
    }
}

/// Removes what sessions of long ago left. What cannot be removed is left.
fn clear_old(all: &Path) {
    let Ok(entries) = fs::read_dir(all) else { return };
    for entry in entries.flatten() {
        let modified = entry.metadata().and_then(|meta| meta.modified());
        let age = modified.and_then(|time| time.elapsed().map_err(io::Error::other));
        if age.is_ok_and(|age| age > KEPT) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_session_has_one_private_folder_whatever_its_name() {
        let data = tempfile::tempdir().unwrap();
        let places = ShellPlaces::new(data.path(), None);
        let long = "x".repeat(300);
        for id in ["session-1", "../../etc", "", "/", "a/b", long.as_str()] {
            let path = places.temporary(id).unwrap();
            assert_eq!(path.parent(), Some(data.path().join("tmp").as_path()), "{id}");
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
            assert_eq!(places.temporary(id).unwrap(), path);
        }
        assert_eq!(fs::read_dir(data.path().join("tmp")).unwrap().count(), 6);
    }

    #[test]
    fn what_is_old_goes() {
        let data = tempfile::tempdir().unwrap();
        let places = ShellPlaces::new(data.path(), None);
        let old = places.temporary("old").unwrap();
        fs::write(old.join("f"), "x").unwrap();
        let then = std::time::SystemTime::now() - 2 * KEPT;
        fs::File::open(&old).unwrap().set_modified(then).unwrap();
        places.temporary("new").unwrap();
        assert!(!old.exists());
    }
}
