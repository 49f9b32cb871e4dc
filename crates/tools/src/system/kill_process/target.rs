//! A hold on one process, so that no signal can reach another one that got its number.

use std::time::Duration;

use deskhand_core::{ToolError, ToolResult};

#[cfg(unix)]
use super::super::process_table::no_such_process;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Asks it to end: SIGTERM.
    Ask,
    /// Ends it: SIGKILL.
    End,
}

impl Stop {
    pub fn name(self) -> &'static str {
        match self {
            Self::Ask => "SIGTERM",
            Self::End => "SIGKILL",
        }
    }
}

fn not_permitted(pid: u32) -> ToolError {
    ToolError::new("not_permitted", format!("The system does not permit to end the process {pid}."))
        .hint("It belongs to another user, or is protected. Its owner or an administrator can end it.")
}

/// On Linux a file descriptor of the process, which stays with it when its number is given to another.
#[cfg(target_os = "linux")]
pub(super) struct Target {
    pid: u32,
    handle: std::os::fd::OwnedFd,
}

#[cfg(target_os = "linux")]
impl Target {
    pub fn hold(pid: u32) -> ToolResult<Self> {
        use rustix::{
            io::Errno,
            process::{PidfdFlags, pidfd_open},
        };
        match pidfd_open(number(pid)?, PidfdFlags::empty()) {
            Ok(handle) => Ok(Self { pid, handle }),
            // A thread is an argument that is not valid, or by newer kernels not there.
            Err(Errno::SRCH | Errno::INVAL | Errno::NOENT) => Err(no_such_process(pid)),
            Err(Errno::PERM | Errno::ACCESS) => Err(not_permitted(pid)),
            Err(error) => {
                let message = format!("Cannot hold on to the process {pid}: {error}. Nothing was done.");
                Err(ToolError::new("process_not_held", message).hint("This takes Linux 5.3 or newer."))
            }
        }
    }

    pub fn send(&self, stop: Stop) -> ToolResult<()> {
        use rustix::{
            io::Errno,
            process::{Signal, pidfd_send_signal},
        };
        let signal = match stop {
            Stop::Ask => Signal::TERM,
            Stop::End => Signal::KILL,
        };
        match pidfd_send_signal(&self.handle, signal) {
            // It has just ended by itself: that is what was wanted.
            Ok(()) | Err(Errno::SRCH) => Ok(()),
            Err(Errno::PERM) => Err(not_permitted(self.pid)),
            Err(error) => {
                let message = format!("Cannot send {} to the process {}: {error}.", stop.name(), self.pid);
                Err(ToolError::new("signal_not_sent", message))
            }
        }
    }

    /// Whether it has ended, waiting for that at most so long.
    pub fn has_ended(&self, within: Duration) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let mut watched = [PollFd::new(&self.handle, PollFlags::IN)];
        let timeout = Timespec::try_from(within).ok();
        poll(&mut watched, timeout.as_ref()).is_ok_and(|ready| ready > 0)
    }
}

/// An error where the system would not let us end it, so that nobody is asked in vain.
#[cfg(unix)]
pub(super) fn may_be_ended(pid: u32) -> ToolResult<()> {
    match rustix::process::test_kill_process(number(pid)?) {
        Err(rustix::io::Errno::PERM) => Err(not_permitted(pid)),
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)] // elsewhere it is found out when it is tried
pub(super) fn may_be_ended(_: u32) -> ToolResult<()> {
    Ok(())
}

#[cfg(unix)]
fn number(pid: u32) -> ToolResult<rustix::process::Pid> {
    let pid_of_the_system = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    pid_of_the_system.ok_or_else(|| no_such_process(pid))
}

/// Elsewhere the number together with the time it was started.
#[cfg(not(target_os = "linux"))]
pub(super) struct Target {
    pid: u32,
    started: u64,
}

#[cfg(not(target_os = "linux"))]
impl Target {
    pub fn hold(pid: u32) -> ToolResult<Self> {
        let table = super::super::process_table::ProcessTable::at_once()?;
        let started = table.find(pid)?.start_time();
        Ok(Self { pid, started })
    }

    pub fn send(&self, stop: Stop) -> ToolResult<()> {
        let table = super::super::process_table::ProcessTable::at_once()?;
        let Ok(process) = table.find(self.pid) else { return Ok(()) };
        if process.start_time() != self.started {
            return Ok(());
        }
        let sent = match stop {
            // Where there is no way to ask (Windows), it is ended.
            Stop::Ask => process.kill_with(sysinfo::Signal::Term).unwrap_or_else(|| process.kill()),
            Stop::End => process.kill(),
        };
        if sent { Ok(()) } else { Err(not_permitted(self.pid)) }
    }

    pub fn has_ended(&self, within: Duration) -> bool {
        std::thread::sleep(within);
        let Ok(table) = super::super::process_table::ProcessTable::at_once() else { return false };
        !table.find(self.pid).is_ok_and(|process| {
            process.start_time() == self.started && process.status() != sysinfo::ProcessStatus::Zombie
        })
    }
}
