//! `bash_kill`: ends a process in the background.

use deskhand_core::{Cx, Effects, Permission, Plan, Spec, Tool, ToolError, ToolResult, tool::Rendered};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::processes::{Found, ProcessStatus, ProcessTable};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The name that `bash` gave it.
    process_id: String,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    process_id: String,
    status: ProcessStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    /// Whether it had ended before.
    already_ended: bool,
}

pub struct BashKill;

impl Tool for BashKill {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "bash_kill",
        "Ends a process in the background, with all that it has started: asks it to end, and after two seconds ends \
         it by force.",
    )
    .zh("结束后台进程及其启动的所有进程：先请求其退出，两秒后强制结束。")
    .permission(Permission::Public)
    .effects(Effects::EXECUTES)
    .toolsets(&["core", "shell"])
    .keywords(&["kill", "stop", "end", "terminate", "background", "process", "结束", "终止", "停止", "后台", "进程"])
    .example(r#"{"process_id": "p-3fa556ef"}"#);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let record = cx.service::<ProcessTable>()?.find(cx.session_id(), &input.process_id)?.record();
        let command = super::command_line::short(&record.command, 200);
        // No effect is named: what ends is only what this session started, also where nothing may be changed.
        Ok(Plan::new(format!("End {}: {command}", record.process_id))
            .at_least(Permission::Public, "shell:own-process", "It is a process of this session.")
            .not_undoable("a process that was ended does not go on"))
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        let table = cx.service::<ProcessTable>()?;
        let record = match table.find(cx.session_id(), &input.process_id)? {
            Found::Kept(record) if record.status == ProcessStatus::Running => {
                let message =
                    format!("{} runs in another Deskhand, which alone can end it.", record.process_id);
                return Err(ToolError::new("not_running_here", message));
            }
            Found::Kept(record) => return Ok(Output::of(*record, true)),
            Found::Here(live) => {
                live.kill();
                tokio::select! {
                    () = live.wait() => {}
                    () = cx.cancel_token().cancelled() => return Err(ToolError::cancelled()),
                }
                live.record()
            }
        };
        Ok(Output::of(record, false))
    }

    fn render(output: &Output) -> Rendered {
        let before = if output.already_ended { "had already ended" } else { "has ended" };
        Rendered::text(format!("{} {before}: {}.", output.process_id, output.status.as_str()))
    }
}

impl Output {
    fn of(record: super::processes::Record, already_ended: bool) -> Self {
        Self {
            process_id: record.process_id,
            status: record.status,
            exit_code: record.exit_code,
            signal: record.signal,
            already_ended,
        }
    }
}
