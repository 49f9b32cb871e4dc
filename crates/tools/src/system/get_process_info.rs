//! `get_process_info`: everything about one process but its environment, which holds other programs' secrets.

use deskhand_core::{Cx, Effects, Permission, Plan, Spec, Tool, ToolResult, tool::Rendered};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sysinfo::{Pid, Process};

use super::{
    human::Size,
    process_table::{ProcessTable, Row, command_of, name_of, no_such_process},
};

/// Of the whole command line.
const COMMAND: usize = 4000;

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The number of the process.
    pid: u32,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    #[serde(flatten)]
    process: Row,
    /// The command line up to 4000 characters; secrets in it are masked.
    full_command: String,
    /// The program's file. Absent where the system does not let us see it, as for other users' processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    exe: Option<String>,
    /// The folder it works in.
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<usize>,
    /// How many files, sockets and the like it has open.
    #[serde(skip_serializing_if = "Option::is_none")]
    open_files: Option<usize>,
    virtual_memory: Size,
    /// Seconds since it was started.
    running_s: u64,
    /// Milliseconds of processor time that it has used.
    cpu_time_ms: u64,
    /// The process that leads its session.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<u32>,
    /// The processes that it started and that still run.
    children: Vec<Child>,
}

#[derive(Serialize, JsonSchema)]
struct Child {
    pid: u32,
    name: String,
}

pub struct GetProcessInfo;

impl Tool for GetProcessInfo {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "get_process_info",
        "Everything about one process: program, command line, user, state, memory, threads, open files, children. \
         Its environment is not included, since secrets are kept there.",
    )
    .zh("查看单个进程的详细信息：程序、命令行、用户、状态、内存、线程、打开的文件、子进程。不含环境变量，因为其中常有密钥。")
    .permission(Permission::Public)
    .effects(Effects::READS)
    .toolsets(&["system", "ops"])
    .keywords(&["process", "pid", "details", "threads", "children", "进程", "进程详情", "线程", "子进程"])
    .structured()
    .example(r#"{"pid": 1}"#);

    async fn plan(&self, input: &Input, _: &Cx) -> ToolResult<Plan> {
        Ok(Plan::new(format!("Look at the process {}", input.pid)).effects(Effects::READS))
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| {
            let table = ProcessTable::sampled(cx)?;
            let process = table.find(input.pid)?;
            if matches!(process.thread_kind(), Some(sysinfo::ThreadKind::Userland)) {
                return Err(no_such_process(input.pid));
            }
            Ok(describe(&table, process, cx))
        })
        .await
    }

    fn render(output: &Output) -> Rendered {
        let row = &output.process;
        let mut lines = vec![
            format!(
                "{} (pid {}), {}, of {}",
                row.name,
                row.pid,
                row.state,
                row.user.as_deref().unwrap_or("?")
            ),
            format!(
                "started {}, {}% of a core, {} of memory",
                row.started_at, row.cpu_percent, row.memory.text
            ),
        ];
        let mut say = |what: &str, value: Option<String>| {
            lines.extend(value.filter(|value| !value.is_empty()).map(|value| format!("{what}: {value}")));
        };
        say("command", Some(output.full_command.clone()));
        say("program", output.exe.clone());
        say("folder", output.cwd.clone());
        say("parent", row.ppid.map(|pid| pid.to_string()));
        say("threads", output.threads.map(|count| count.to_string()));
        say("open files", output.open_files.map(|count| count.to_string()));
        let children: Vec<String> =
            output.children.iter().take(50).map(|child| format!("{} ({})", child.name, child.pid)).collect();
        say("children", Some(children.join(", ")));
        Rendered::text(lines.join("\n"))
    }
}

fn describe(table: &ProcessTable, process: &Process, cx: &Cx) -> Output {
    let pid = process.pid().as_u32();
    let children = table.children(pid).into_iter();
    let shown = |path: Option<&std::path::Path>| path.map(|path| path.display().to_string());
    Output {
        process: table.row(process, cx),
        full_command: command_of(process, COMMAND, cx),
        exe: shown(process.exe()),
        cwd: shown(process.cwd()),
        threads: threads(process),
        open_files: process.open_files(),
        virtual_memory: Size::of(process.virtual_memory()),
        running_s: process.run_time(),
        cpu_time_ms: process.accumulated_cpu_time(),
        session: process.session_id().map(Pid::as_u32),
        children: children.map(|child| Child { pid: child.pid().as_u32(), name: name_of(child) }).collect(),
    }
}

#[cfg(target_os = "linux")]
fn threads(process: &Process) -> Option<usize> {
    let stat = super::linux::stat::read(process.pid().as_u32()).ok()?;
    usize::try_from(stat.threads).ok()
}

#[cfg(not(target_os = "linux"))]
fn threads(process: &Process) -> Option<usize> {
    process.tasks().map(std::collections::HashSet::len)
}
