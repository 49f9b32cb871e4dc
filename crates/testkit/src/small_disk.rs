//! A file system of a given size.
#![cfg(target_os = "linux")]

use std::{path::Path, process::Command};

use crate::skip;

/// A file system of its own, where this user may mount one.
pub struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// `None`, with the reason printed, where it cannot be mounted.
    pub fn mount(options: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "deskhand-test"])
            .arg(folder.path())
            .output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self(folder)),
            other => {
                let why = other.map(|output| String::from_utf8_lossy(&output.stderr).into_owned());
                skip(&format!("no file system can be mounted here: {why:?}"));
                None
            }
        }
    }

    pub fn path(&self) -> &Path {
        self.0.path()
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
