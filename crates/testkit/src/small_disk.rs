//! A file system of a given size.
#![cfg(target_os = "linux")]

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use crate::skip;

/// A file system of its own, where this user may mount one.
pub struct SmallDisk {
    path: PathBuf,
    _folder: Option<TempDir>,
}

impl SmallDisk {
    /// `None`, with the reason printed, where it cannot be mounted.
    pub fn mount(options: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        Self::mounted(folder.path().to_owned(), options, Some(folder))
    }

    /// The same on a folder that is there.
    pub fn mount_at(path: &Path, options: &str) -> Option<Self> {
        Self::mounted(path.to_owned(), options, None)
    }

    fn mounted(path: PathBuf, options: &str, folder: Option<TempDir>) -> Option<Self> {
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", options, "deskhand-test"]).arg(&path).output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self { path, _folder: folder }),
            other => {
                let why = other.map(|output| String::from_utf8_lossy(&output.stderr).into_owned());
                skip(&format!("no file system can be mounted here: {why:?}"));
                None
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn make_read_only(&self) {
        let done = Command::new("mount").args(["-o", "remount,ro"]).arg(self.path()).status();
        assert!(done.unwrap().success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").args(["-l"]).arg(self.path()).status();
    }
}
