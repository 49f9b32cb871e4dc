//! The processes of this machine, as `list_processes`, `get_process_info` and `kill_process` see them.

use std::time::{Duration, SystemTime};

use deskhand_core::{Cx, Time, ToolError, ToolResult};
use schemars::JsonSchema;
use serde::Serialize;
use sysinfo::{Pid, Process, ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind, Users};

use super::{
    human::{Size, shortened, tenths},
    sampling::{not_told, pause},
};

/// Use of the processor is measured over this time.
const SAMPLE: Duration = Duration::from_millis(250);

/// Of a command line in a list.
const COMMAND_IN_A_LIST: usize = 200;

/// One process in short.
#[derive(Serialize, JsonSchema)]
pub(super) struct Row {
    pub pid: u32,
    /// The process that started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ppid: Option<u32>,
    pub name: String,
    /// The name, or the number where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Over the last quarter of a second; 100 is one core.
    pub cpu_percent: f64,
    pub memory: Size,
    /// Such as `run`, `sleep`, `zombie`.
    pub state: String,
    pub started_at: Time,
    /// Its first 200 characters; secrets in it are masked.
    pub command: String,
}

/// A look at all processes.
pub(super) struct ProcessTable {
    system: System,
    users: Option<Users>,
}

impl ProcessTable {
    /// With the use of the processor, which takes a moment to measure.
    pub fn sampled(cx: &Cx) -> ToolResult<Self> {
        let mut table = Self::at_once()?;
        pause(cx, SAMPLE)?;
        table.refresh();
        Ok(table)
    }

    /// Without the use of the processor.
    pub fn at_once() -> ToolResult<Self> {
        let system = System::new().map_err(|error| not_told("processes", &error))?;
        let mut table = Self { system, users: Users::new_with_refreshed_list().ok() };
        table.refresh();
        Ok(table)
    }

    fn refresh(&mut self) {
        let what = ProcessRefreshKind::nothing()
            .without_tasks()
            .with_cpu()
            .with_memory()
            .with_user(UpdateKind::Always)
            .with_cmd(UpdateKind::Always)
            .with_exe(UpdateKind::Always)
            .with_cwd(UpdateKind::OnlyIfNotSet);
        self.system.refresh_processes_specifics(ProcessesToUpdate::All, true, what);
    }

    pub fn all(&self) -> impl Iterator<Item = &Process> {
        // A thread of a program is not a process.
        self.system
            .processes()
            .values()
            .filter(|process| !matches!(process.thread_kind(), Some(sysinfo::ThreadKind::Userland)))
    }

    /// None where it cannot be seen from here, as in a container that was started from outside.
    pub fn session_leader(&self, pid: u32) -> Option<u32> {
        let leader = self.system.process(Pid::from_u32(pid))?.session_id()?.as_u32();
        (leader > 0).then_some(leader)
    }

    /// The process of that number, or the error that there is none.
    pub fn find(&self, pid: u32) -> ToolResult<&Process> {
        let found = self.system.process(Pid::from_u32(pid));
        found.ok_or_else(|| no_such_process(pid))
    }

    pub fn children(&self, pid: u32) -> Vec<&Process> {
        let mut children: Vec<&Process> =
            self.all().filter(|process| process.parent() == Some(Pid::from_u32(pid))).collect();
        children.sort_by_key(|process| process.pid());
        children
    }

    /// Those that started `pid`, from its parent up.
    pub fn ancestors(&self, pid: u32) -> Vec<u32> {
        let mut found = Vec::new();
        let mut next = self.system.process(Pid::from_u32(pid)).and_then(Process::parent);
        while let Some(parent) = next.map(Pid::as_u32).filter(|parent| !found.contains(parent)) {
            found.push(parent);
            next = self.system.process(Pid::from_u32(parent)).and_then(Process::parent);
        }
        found
    }

    pub fn user_of(&self, process: &Process) -> Option<String> {
        let id = process.user_id()?;
        let user = self.users.as_ref().and_then(|users| users.get_user_by_id(id));
        Some(user.map_or_else(|| id.to_string(), |user| user.name().to_owned()))
    }

    pub fn row(&self, process: &Process, cx: &Cx) -> Row {
        Row {
            pid: process.pid().as_u32(),
            ppid: process.parent().map(Pid::as_u32),
            name: name_of(process),
            user: self.user_of(process),
            cpu_percent: tenths(f64::from(process.cpu_usage())),
            memory: Size::of(process.memory()),
            state: format!("{:?}", process.status()).to_lowercase(),
            started_at: started(process),
            command: command_of(process, COMMAND_IN_A_LIST, cx),
        }
    }
}

pub(super) fn no_such_process(pid: u32) -> ToolError {
    let error = ToolError::new("no_such_process", format!("There is no process {pid}."));
    match leader_of_thread(pid) {
        Some(leader) => error.hint(format!("{pid} is a thread of the process {leader}.")),
        None => error.hint("It may have ended. list_processes shows those that run."),
    }
}

#[cfg(target_os = "linux")]
fn leader_of_thread(pid: u32) -> Option<u32> {
    super::linux::stat::thread_group(pid).filter(|leader| *leader != pid)
}

#[cfg(not(target_os = "linux"))]
fn leader_of_thread(_: u32) -> Option<u32> {
    None
}

pub(super) fn name_of(process: &Process) -> String {
    process.name().to_string_lossy().into_owned()
}

pub(super) fn started(process: &Process) -> Time {
    (SystemTime::UNIX_EPOCH + Duration::from_secs(process.start_time())).into()
}

/// The command line, up to so many characters. Masked before it is cut: half a secret is no longer recognised as one.
pub(super) fn command_of(process: &Process, most: usize, cx: &Cx) -> String {
    let words: Vec<_> = process.cmd().iter().map(|word| word.to_string_lossy()).collect();
    // What would be cut anyway need not be masked; the rest has room for the longest secrets.
    let line = shortened(&words.join(" "), most.saturating_mul(4).max(8000));
    shortened(&cx.mask(&line), most)
}
