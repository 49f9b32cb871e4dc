//! `bash`: runs a command, confined.

mod foreground;
mod held;
mod input;
mod layered;
mod planning;
mod unlayered;

use deskhand_core::{
    Cx, Effects, Permission, Plan, Spec, Time, Tool, ToolError, ToolResult,
    cut::{self, Cut},
    tool::Rendered,
};
use schemars::JsonSchema;
use serde::Serialize;

use self::planning::{Planned, Way};
pub use self::{
    input::Input,
    planning::{analyse, with_places},
};
use super::{
    capture::Captured,
    processes::{Beginning, ProcessTable},
    spawn::{self, Streams},
};

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// The command line.
    command: String,
    stdout: String,
    /// Empty where the command has a terminal, which has one stream for both.
    stderr: String,
    /// How the command ended; absent where a signal ended it, or where it still runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// The signal that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    duration_ms: u64,
    timed_out: bool,
    /// How many bytes it printed.
    stdout_bytes: u64,
    stderr_bytes: u64,
    /// Whether anything of that is left out here.
    truncated: bool,
    /// How many characters of each stream are here at most, where the call said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_chars: Option<usize>,
    /// The handle under which `read_file` reads the whole, where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout_file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr_file: Option<String>,
    /// The name of a process in the background, for `bash_output`, `bash_input` and `bash_kill`.
    #[serde(skip_serializing_if = "Option::is_none")]
    process_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<Time>,
}

pub struct Bash;

impl Tool for Bash {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "bash",
        "Runs a command in a shell, confined, on a copy-on-write layer over the workspace: its changes are shown, then \
         kept or discarded. /tmp is private; there is no network unless asked for. Waits for its end, or with \
         `background` leaves it running until it ends or Deskhand does; then its changes take effect at once.",
    )
    .zh("在受限环境中运行 shell 命令，写入工作区上的副本层：先展示更改，再保留或丢弃。/tmp 为私有，默认没有网络。等待其结束；设置 background 则在后台运行，更改立即生效，随 Deskhand 结束。")
    .permission(Permission::Moderate)
    .effects(Effects::READS.and(Effects::WRITES).and(Effects::EXECUTES).and(Effects::NETWORK))
    .toolsets(&["chat", "core", "shell"])
    .keywords(&[
        "shell", "command", "run", "execute", "terminal", "script", "program", "sh", "background",
        "命令", "执行", "运行", "终端", "脚本", "后台",
    ])
    .example(r#"{"command": "git status --short"}"#)
    .timeout_s(120);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let input = input.clone();
        cx.blocking(move |cx| planning::plan(&input, cx)).await
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        let line = input.line()?;
        let given = input.clone();
        let planned = cx.blocking(move |cx| planning::job(&given, cx)).await?;
        let streams = match (input.pty, input.background) {
            (true, _) => Streams::Terminal,
            (false, true) => Streams::Pipes,
            (false, false) => Streams::NoInput,
        };
        if !input.background {
            return match planned.way {
                Way::Layer => layered::run(planned, &input, line, streams, cx).await,
                Way::ReadOnly => unlayered::read_only(planned, &input, line, streams, cx).await,
                Way::Direct => unlayered::direct(planned, &input, line, streams, cx).await,
            };
        }
        let Planned { sandbox, job, shells, .. } = planned;
        let cwd = job.cwd.clone();
        let started = spawn::start(&sandbox, job, streams)?;
        let beginning = Beginning {
            command: line.clone(),
            cwd,
            pty: input.pty,
            reads_commands: shells,
            limit: input.time_limit(),
        };
        let record = cx.service::<ProcessTable>()?.begin(started, beginning, cx)?;
        Ok(Output {
            process_id: Some(record.process_id),
            pid: Some(record.pid),
            started_at: Some(record.started_at),
            ..Output::of(line)
        })
    }

    fn render(output: &Output) -> Rendered {
        if let Some(id) = &output.process_id {
            return Rendered::text(format!(
                "Running in the background as {id}. bash_output with process_id \"{id}\" reads what it prints."
            ));
        }
        Rendered::text(output.text())
    }
}

impl Output {
    fn of(command: String) -> Self {
        Self {
            command,
            stdout: String::new(),
            stderr: String::new(),
            exit_code: None,
            signal: None,
            duration_ms: 0,
            timed_out: false,
            stdout_bytes: 0,
            stderr_bytes: 0,
            truncated: false,
            max_output_chars: None,
            stdout_file: None,
            stderr_file: None,
            process_id: None,
            pid: None,
            started_at: None,
        }
    }

    fn with(mut self, stdout: Captured, stderr: Captured, most: Option<usize>) -> Self {
        self.stdout_bytes = stdout.total_bytes;
        self.stderr_bytes = stderr.total_bytes;
        self.truncated = stdout.truncated || stderr.truncated;
        self.max_output_chars = most;
        for (captured, text, file) in [
            (stdout, &mut self.stdout, &mut self.stdout_file),
            (stderr, &mut self.stderr, &mut self.stderr_file),
        ] {
            *text = match most.and_then(|most| shortened(&captured, most)) {
                Some(short) => {
                    self.truncated = true;
                    short
                }
                None => captured.text,
            };
            *file = captured.file;
        }
        self
    }

    /// What a model reads: what was printed, the two streams told apart where both were used.
    fn text(&self) -> String {
        match (self.stdout.is_empty(), self.stderr.is_empty()) {
            (true, true) => "The command printed nothing.".to_owned(),
            (false, true) => self.stdout.clone(),
            (true, false) => format!("[stderr]\n{}", self.stderr),
            (false, false) => {
                let end = if self.stdout.ends_with('\n') { "" } else { "\n" };
                format!("{}{end}[stderr]\n{}", self.stdout, self.stderr)
            }
        }
    }

    /// The error of a command that did not end well, with all that it printed.
    fn failed(self, error: ToolError) -> ToolError {
        let text = if self.stdout.is_empty() && self.stderr.is_empty() { String::new() } else { self.text() };
        let data = serde_json::to_value(&self).unwrap_or_default();
        error.partial(deskhand_core::Reply { text, data, images: Vec::new() })
    }
}

/// The text without its middle, where it is longer than that.
fn shortened(captured: &Captured, most: usize) -> Option<String> {
    if let Some(handle) = &captured.file {
        return match cut::middle(&captured.text, most, handle) {
            Cut::Shortened(short) => Some(short),
            Cut::Whole => None,
        };
    }
    let mut value = serde_json::Value::String(captured.text.clone());
    let cut = cut::strings(&mut value, most);
    value.as_str().filter(|_| cut).map(str::to_owned)
}
