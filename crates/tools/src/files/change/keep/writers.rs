//! Which files other processes have open for writing.
//!
//! Looked up in `/proc`: a lease would tell as well, but takes a call that has no safe form. It sees the processes of
//! the same user, and those of all users for the administrator.

use std::{
    collections::HashSet,
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
};

/// The bit of a link in `/proc/PID/fd` that says that the file is open for writing.
const WRITES: u32 = 0o200;

/// Those of these files, by device and inode, that some process has open for writing.
pub fn open_for_writing(files: &HashSet<(u64, u64)>) -> HashSet<(u64, u64)> {
    let mut open = HashSet::new();
    if files.is_empty() {
        return open;
    }
    for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
        if process.file_name().to_str().is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit())) {
            look_into(&process.path().join("fd"), files, &mut open);
        }
    }
    open
}

fn look_into(descriptors: &Path, files: &HashSet<(u64, u64)>, open: &mut HashSet<(u64, u64)>) {
    // A process of somebody else, or one that has just ended.
    for descriptor in fs::read_dir(descriptors).into_iter().flatten().flatten() {
        let path = descriptor.path();
        let writes = path.symlink_metadata().is_ok_and(|meta| meta.permissions().mode() & WRITES != 0);
        // What is no path (a pipe, a socket) has no file.
        if !writes || !fs::read_link(&path).is_ok_and(|target| target.is_absolute()) {
            continue;
        }
        if let Ok(meta) = path.metadata() {
            let identity = (meta.dev(), meta.ino());
            if files.contains(&identity) {
                open.insert(identity);
            }
        }
    }
}
