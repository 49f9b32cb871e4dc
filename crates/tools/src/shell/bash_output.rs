//! `bash_output`: what a process in the background has printed, and how it is.

use std::time::Duration;

use deskhand_core::{Cx, Effects, Permission, Plan, Spec, Time, Tool, ToolError, ToolResult, tool::Rendered};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::processes::{Found, ProcessStatus, ProcessTable};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The name that `bash` gave it.
    process_id: String,
    /// Wait until it has ended.
    #[serde(default)]
    block: bool,
    /// How many milliseconds to wait at most; left out, as long as the setting shell.wait_s allows.
    #[serde(default)]
    #[schemars(range(min = 1, max = 3_600_000))]
    timeout_ms: Option<u64>,
    /// The `cursor` of an earlier answer: only what was printed since then is returned.
    #[serde(default)]
    since: Option<String>,
}

impl Input {
    /// How long a wait may take: what the call says, and never more than the setting.
    fn wait(&self, table: &ProcessTable) -> Duration {
        let longest = table.longest_wait();
        self.timeout_ms.map_or(longest, |ms| Duration::from_millis(ms).min(longest))
    }
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    process_id: String,
    status: ProcessStatus,
    /// The newest lines, at most 5000 of each stream.
    stdout: String,
    stderr: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    pid: u32,
    command: String,
    started_at: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<Time>,
    /// For `since`. A line that has not ended yet is not counted, and comes again when it has.
    cursor: String,
    /// How many lines between `since` and the first one here are only in the files.
    dropped_lines: u64,
    /// The handles under which `read_file` reads everything that it printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout_file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr_file: Option<String>,
}

pub struct BashOutput;

/// For ending, beyond the wait that was asked for.
const MARGIN: Duration = Duration::from_secs(5);
/// How often a process that runs in another Deskhand is looked at.
const LOOKS_EVERY: Duration = Duration::from_millis(200);

impl Tool for BashOutput {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "bash_output",
        "What a process in the background has printed, its status and exit code. `block` waits for its end; `since` \
         gives only what is new.",
    )
    .zh("读取后台进程的输出、状态和退出码。block 等待其结束；since 只取新的内容。")
    .permission(Permission::Public)
    .effects(Effects::READS)
    .toolsets(&["chat", "core", "shell"])
    .keywords(&["background", "process", "output", "log", "wait", "status", "后台", "进程", "输出", "日志", "等待"])
    .example(r#"{"process_id": "p-3fa556ef", "block": true}"#);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        cursor(input.since.as_deref())?;
        let table = cx.service::<ProcessTable>()?;
        let found = table.find(cx.session_id(), &input.process_id)?;
        let summary = format!("Read the output of {}", found.record().process_id);
        let why = "It is a process of this session.";
        let mut plan =
            Plan::new(summary).effects(Effects::READS).at_least(Permission::Public, "shell:own-process", why);
        plan.timeout = Some(input.wait(table) + MARGIN);
        plan.outside = found.record().outside;
        Ok(plan)
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        let since = cursor(input.since.as_deref())?;
        let table = cx.service::<ProcessTable>()?.clone();
        let mut found = table.find(cx.session_id(), &input.process_id)?;
        if input.block {
            let limit = input.wait(&table);
            tokio::select! {
                // One that still runs then is no error: the answer says so.
                waited = tokio::time::timeout(limit, end_of(&found, &table, cx, &input.process_id)) => {
                    waited.unwrap_or(Ok(()))?;
                }
                () = cx.cancel_token().cancelled() => return Err(ToolError::cancelled()),
            }
            found = table.find(cx.session_id(), &input.process_id)?;
        }
        cx.blocking(move |_| Ok(read(&table, &found, since))).await
    }

    fn render(output: &Output) -> Rendered {
        let code = output.exit_code.map_or_else(String::new, |code| format!(", exit code {code}"));
        let signal = output.signal.map_or_else(String::new, |signal| format!(", signal {signal}"));
        let mut text = format!(
            "{}: {}{code}{signal}; cursor {}\n",
            output.process_id,
            output.status.as_str(),
            output.cursor
        );
        if output.dropped_lines > 0 {
            text.push_str(&format!("[… {} earlier lines are only in the files …]\n", output.dropped_lines));
        }
        text.push_str(&output.stdout);
        if !output.stderr.is_empty() {
            let end = if text.ends_with('\n') { "" } else { "\n" };
            text.push_str(&format!("{end}[stderr]\n{}", output.stderr));
        }
        Rendered::text(text)
    }
}

async fn end_of(found: &Found, table: &ProcessTable, cx: &Cx, id: &str) -> ToolResult<()> {
    if let Found::Here(live) = found {
        live.wait().await;
        return Ok(());
    }
    while table.find(cx.session_id(), id)?.record().status == ProcessStatus::Running {
        tokio::time::sleep(LOOKS_EVERY).await;
    }
    Ok(())
}

fn read(table: &ProcessTable, found: &Found, since: [u64; 2]) -> Output {
    let [stdout, stderr] = table.pages(found, since);
    let record = found.record();
    let [stdout_file, stderr_file] = record.handles;
    Output {
        status: record.status,
        cursor: format!("{}:{}", stdout.next, stderr.next),
        dropped_lines: stdout.dropped + stderr.dropped,
        stdout: stdout.text,
        stderr: stderr.text,
        exit_code: record.exit_code,
        signal: record.signal,
        pid: record.pid,
        command: record.command,
        started_at: record.started_at,
        ended_at: record.ended_at,
        stdout_file,
        stderr_file,
        process_id: record.process_id,
    }
}

/// Lines of stdout and of stderr that were seen.
fn cursor(text: Option<&str>) -> ToolResult<[u64; 2]> {
    let Some(text) = text else { return Ok([0, 0]) };
    let parsed = text.split_once(':').and_then(|(out, err)| Some([out.parse().ok()?, err.parse().ok()?]));
    parsed.ok_or_else(|| {
        let shown = super::command_line::short(text, 60);
        ToolError::invalid("invalid_arguments", format!("/since: «{shown}» is no cursor."))
            .hint("Give the `cursor` of an earlier answer, such as \"12:0\".")
    })
}
