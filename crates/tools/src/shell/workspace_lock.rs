//! One command at a time in a workspace: across calls, sessions and processes.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use deskhand_core::{Cx, ToolError, ToolResult, arguments};
use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};

use super::folder;

/// Held while a command runs on its layer, and while its changes are kept.
#[derive(Debug)]
pub struct WorkspaceLock {
    _held: Vec<File>,
}

/// How often a lock that somebody else holds is tried.
const PAUSE: Duration = Duration::from_millis(10);
/// After this long, the caller sees why nothing happens.
const NOTICED: Duration = Duration::from_millis(500);

impl WorkspaceLock {
    /// Waits until no other command runs in these folders. It blocks; cancelling the call ends it.
    pub fn wait<'p>(
        locks: &Path,
        roots: impl Iterator<Item = &'p Path>,
        most: Duration,
        cx: &Cx,
    ) -> ToolResult<Self> {
        // Everyone takes them in the same order.
        let mut roots: Vec<&Path> = roots.collect();
        roots.sort_unstable();
        let held = roots.into_iter().map(|root| lock(locks, root, most, cx)).collect::<ToolResult<_>>()?;
        Ok(Self { _held: held })
    }
}

fn lock(locks: &Path, root: &Path, most: Duration, cx: &Cx) -> ToolResult<File> {
    let path = locks.join(arguments::sha256_hex(root.as_os_str().as_encoded_bytes()));
    let failed = |error: io::Error| ToolError::io("lock the workspace by", &path, &error);
    folder::make(locks).map_err(failed)?;
    let file = open(&path).map_err(failed)?;
    let begun = Instant::now();
    let mut is_noticed = false;
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(Errno::WOULDBLOCK) => {}
            Err(error) => return Err(failed(error.into())),
        }
        cx.check()?;
        if begun.elapsed() > most {
            let message = format!("Another command still runs in {}.", root.display());
            return Err(ToolError::new("workspace_busy", message)
                .hint("Try again when it has ended, or run long commands in the background."));
        }
        if !is_noticed && begun.elapsed() > NOTICED {
            is_noticed = true;
            cx.progress("Waiting for another command in this workspace", None, None);
        }
        thread::sleep(PAUSE);
    }
}

fn open(path: &PathBuf) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)
}
