//! Beginning the process that holds what was copied.

use std::{
    io::{Read, Write},
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use deskhand_core::{ToolError, ToolResult};
use rustix::process::{Pid, Signal, kill_process_group};

use super::hold::BEGIN;
use crate::desktop::backend::{Selection, Wait};

/// How long it may take until others can paste.
const PATIENCE: Duration = Duration::from_secs(5);
/// What a process needs to be let in by the display; nothing else of our environment is handed on.
const HANDED_ON: [&str; 3] = ["HOME", "XAUTHORITY", "PATH"];

/// Hands the content over to a process of its own, and returns when it holds.
pub(in crate::desktop::x11) fn hold(
    program: &Path,
    display: &str,
    selection: Selection,
    form: &str,
    content: &[u8],
    wait: &Wait,
) -> ToolResult<()> {
    let failed = |why: &str| {
        ToolError::new("clipboard_not_held", format!("The clipboard could not be written: {why}."))
            .hint("`deskhand doctor` tells whether the display can be reached.")
    };
    let environment = HANDED_ON.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)));
    let mut child = Command::new(program)
        .args([BEGIN, display, selection.name(), form])
        .env_clear()
        .envs(environment)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .current_dir("/")
        .process_group(0)
        .spawn()
        .map_err(|error| failed(&error.to_string()))?;
    let pipe = child.stdin.take();
    std::thread::scope(|scope| {
        // It reads all of it before anything else, and a reader that is gone shows below.
        scope.spawn(|| pipe.is_some_and(|mut pipe| pipe.write_all(content).is_ok()));
        let ended = wait.within(PATIENCE).until(|| Ok(child.try_wait().ok().flatten().is_some()));
        match ended {
            Ok(true) if child.wait().is_ok_and(|status| status.success()) => Ok(()),
            Ok(true) => {
                let why = complaint(&mut child);
                end(&mut child);
                Err(failed(&why))
            }
            Ok(false) => {
                end(&mut child);
                Err(failed("the display does not answer"))
            }
            Err(error) => {
                end(&mut child);
                Err(error)
            }
        }
    })
}

/// Both of them: the one that was begun here, and the one that it has begun in turn.
fn end(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let _ = group.map(|group| kill_process_group(group, Signal::KILL));
    let _ = child.wait();
}

/// The first line of what it said.
fn complaint(child: &mut Child) -> String {
    const MOST: u64 = 500;
    let mut said = String::new();
    if let Some(pipe) = child.stderr.take() {
        let _ = pipe.take(MOST).read_to_string(&mut said);
    }
    said.lines().next().map_or_else(|| "the process that holds it ended at once".to_owned(), str::to_owned)
}
