//! `kill_process`: ends one process, after a person has seen which.

mod protected;
mod target;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use deskhand_core::{
    Cx, Effects, Permission, Plan, Preview, Spec, Time, Tool, ToolError, ToolResult,
    tool::{Rendered, Reply},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sysinfo::Process;

use self::{
    protected::{Candidate, Ourselves, Refusal},
    target::{Stop, Target},
};
use super::process_table::{ProcessTable, command_of, name_of, started};

/// Of the command line that the person is shown.
const COMMAND: usize = 500;
/// How long after SIGKILL it may take to be gone.
const AFTER_THE_END: Duration = Duration::from_secs(5);
/// How soon a cancelled wait ends.
const SLICE: Duration = Duration::from_millis(50);

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The number of the process.
    pid: u32,
    /// End it at once (SIGKILL), without a chance to save anything.
    #[serde(default)]
    force: bool,
    /// Milliseconds that it has to end by itself after SIGTERM, before SIGKILL ends it.
    #[serde(default = "a_while")]
    #[schemars(range(max = 60000))]
    grace_ms: u64,
}

fn a_while() -> u64 {
    3000
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    pid: u32,
    name: String,
    /// What ended it: `SIGTERM` or `SIGKILL`.
    signal: &'static str,
    /// Milliseconds from the first signal to its end.
    took_ms: u64,
}

pub struct KillProcess;

impl Tool for KillProcess {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "kill_process",
        "Ends one process: SIGTERM, then SIGKILL if it is still there after the grace; with force SIGKILL at \
         once. The person is asked each time. Never the first process, Deskhand and what started it, kernel threads \
         and what the system or the session needs.",
    )
    .zh("结束一个进程：先发送 SIGTERM，宽限期后仍在则发送 SIGKILL；force 为真时立即 SIGKILL。每次都会询问。绝不结束 1 号进程、Deskhand 自身及其上级、内核线程和系统关键进程。")
    .permission(Permission::Sensitive)
    .effects(Effects::EXECUTES)
    .toolsets(&["system", "ops"])
    .keywords(&["kill", "stop", "end", "terminate", "process", "pid", "结束进程", "终止", "杀进程"])
    .example(r#"{"pid": 4242}"#);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let input = input.clone();
        cx.blocking(move |cx| Ok(Victim::look(input.pid, cx)?.plan(&input))).await
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| end(&input, cx)).await
    }

    fn render(output: &Output) -> Rendered {
        let Output { pid, name, signal, took_ms } = output;
        Rendered::text(format!("{name} (pid {pid}) was ended by {signal} after {took_ms} ms."))
    }
}

/// The process that is to be ended, as the person is shown it.
struct Victim {
    pid: u32,
    name: String,
    user: Option<String>,
    is_someone_elses: bool,
    command: String,
    started_at: Time,
    /// With the number, this is one process and no other.
    mark: u64,
}

impl Victim {
    /// Looks at it; an error where it must not be ended, is not there, or cannot be ended.
    fn look(pid: u32, cx: &Cx) -> ToolResult<Self> {
        let table = ProcessTable::at_once()?;
        let ourselves = ourselves(&table);
        if let Some(refusal) = ourselves.protect_number(pid) {
            return Err(refused(pid, None, refusal));
        }
        let process = table.find(pid)?;
        let state = state_of(process)?;
        let name = name_of(process);
        let program = process.exe().and_then(|path| path.file_name()).map(|name| name.to_string_lossy());
        let command = command_of(process, COMMAND, cx);
        let candidate = Candidate {
            pid,
            parent: process.parent().map(sysinfo::Pid::as_u32),
            name: &name,
            program: program.as_deref(),
            command: &command,
            is_kernel_thread: state.is_kernel_thread,
        };
        if let Some(refusal) = ourselves.protect(&candidate) {
            return Err(refused(pid, Some(&name), refusal));
        }
        if state.has_ended {
            let parent = candidate.parent.map_or_else(String::new, |parent| format!(" {parent}"));
            let message =
                format!("{name} (pid {pid}) has ended already; its parent{parent} has yet to notice.");
            return Err(ToolError::new("already_ended", message));
        }
        target::may_be_ended(pid)?;
        let own_user = table.find(ourselves.pid).ok().and_then(Process::effective_user_id);
        Ok(Self {
            pid,
            user: table.user_of(process),
            is_someone_elses: own_user.is_some() && process.effective_user_id() != own_user,
            started_at: started(process),
            mark: state.mark,
            command,
            name,
        })
    }

    /// All of it is compared again before anything is done: nothing in it may change by itself.
    fn plan(&self, input: &Input) -> Plan {
        let Self { pid, name, command, started_at, mark, .. } = self;
        let user = self.user.as_deref().unwrap_or("an unknown user");
        let how = if input.force {
            "at once, by SIGKILL".to_owned()
        } else {
            format!("by SIGTERM, then SIGKILL after {} ms", input.grace_ms)
        };
        let shown = format!(
            "process: {name}\npid: {pid}\nuser: {user}\nstarted: {started_at} (mark {mark})\ncommand: {command}"
        );
        let plan = Plan::new(format!("End {name} (pid {pid}, of {user}) {how}"))
            .effects(Effects::EXECUTES)
            .at_least(Permission::Sensitive, "process:end", "What it has not saved is lost.")
            .preview(Preview::Text(shown))
            .not_undoable("A process that has ended cannot be brought back.");
        if self.is_someone_elses {
            plan.note(format!("It belongs to {user}, not to the user that Deskhand runs as."))
        } else {
            plan
        }
    }
}

fn refused(pid: u32, name: Option<&str>, (rule, why): Refusal) -> ToolError {
    let which = name.map_or_else(|| format!("process {pid}"), |name| format!("{name} (pid {pid})"));
    ToolError::blocked(rule, format!("Ending {which} is not possible: {why}."))
        .hint("Deskhand never does that. If it has to be, do it outside of Deskhand.")
}

fn ourselves(table: &ProcessTable) -> Ourselves {
    let pid = std::process::id();
    Ourselves { pid, ancestors: table.ancestors(pid), session_leader: table.session_leader(pid) }
}

/// What the process list does not tell.
struct State {
    is_kernel_thread: bool,
    has_ended: bool,
    mark: u64,
}

#[cfg(target_os = "linux")]
fn state_of(process: &Process) -> ToolResult<State> {
    use super::{linux::stat, process_table::no_such_process};
    let pid = process.pid().as_u32();
    if stat::thread_group(pid).is_some_and(|leader| leader != pid) {
        return Err(no_such_process(pid));
    }
    let stat = stat::read(pid).map_err(|_| no_such_process(pid))?;
    Ok(State { is_kernel_thread: stat.is_kernel_thread, has_ended: stat.is_zombie, mark: stat.started_ticks })
}

#[cfg(not(target_os = "linux"))]
#[allow(clippy::unnecessary_wraps)] // on Linux it can end meanwhile
fn state_of(process: &Process) -> ToolResult<State> {
    Ok(State {
        is_kernel_thread: false,
        has_ended: process.status() == sysinfo::ProcessStatus::Zombie,
        mark: process.start_time(),
    })
}

fn end(input: &Input, cx: &Cx) -> ToolResult<Output> {
    // Held first, looked at then: what is seen from here on is what is held.
    let target = Target::hold(input.pid)?;
    let victim = Victim::look(input.pid, cx)?;
    let again = victim.plan(input);
    let holds = cx.plan().is_some_and(|plan| {
        plan.summary == again.summary && plan.preview == again.preview && plan.notes == again.notes
    });
    if !holds {
        let message = format!("The process {} is not the one that was shown.", input.pid);
        return Err(ToolError::plan_changed(message));
    }
    let begun = Instant::now();
    let grace = Duration::from_millis(input.grace_ms);
    let steps: &[(Stop, Duration)] = if input.force {
        &[(Stop::End, AFTER_THE_END)]
    } else {
        &[(Stop::Ask, grace), (Stop::End, AFTER_THE_END)]
    };
    for (stop, patience) in steps {
        cx.check()?;
        target.send(*stop)?;
        if wait(&target, *patience, cx).map_err(|error| error.partial(sent(&victim, *stop)))? {
            return Ok(Output {
                pid: victim.pid,
                name: victim.name,
                signal: stop.name(),
                took_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            });
        }
    }
    let message = format!("{} (pid {}) is still there after SIGKILL.", victim.name, victim.pid);
    Err(ToolError::new("still_there", message)
        .hint("It waits for a device or a network disk, and ends when that answers."))
}

/// Whether it ends in time. Cancelled, it leaves the process as it is.
fn wait(target: &Target, patience: Duration, cx: &Cx) -> ToolResult<bool> {
    let end = Instant::now() + patience;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if target.has_ended(left.min(SLICE)) {
            return Ok(true);
        }
        if left.is_zero() {
            return Ok(false);
        }
        cx.check()?;
    }
}

/// What a call that was stopped in the middle had done.
fn sent(victim: &Victim, stop: Stop) -> Reply {
    let text =
        format!("{} was sent to {} (pid {}), which had not ended yet.", stop.name(), victim.name, victim.pid);
    Reply { text, ..Reply::default() }
}
