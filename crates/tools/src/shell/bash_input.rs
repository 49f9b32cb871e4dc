//! `bash_input`: types into a process in the background.

use std::sync::Arc;

use deskhand_core::{
    Cx, Effects, Permission, Plan, Preview, Runs, Spec, Tool, ToolError, ToolResult, Undoable, tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    bash::{analyse, with_places},
    command_line::short,
    lists::ShellLists,
    processes::{Found, Live, ProcessTable},
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The name that `bash` gave it.
    process_id: String,
    /// What to type.
    #[serde(default)]
    text: String,
    /// End the text with the enter key.
    #[serde(default = "yes")]
    enter: bool,
    /// End the input after it: the process reads no more.
    #[serde(default)]
    eof: bool,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    process_id: String,
    /// How many bytes were typed.
    bytes: u64,
    eof: bool,
}

pub struct BashInput;

const MOST_BYTES: usize = 64 * 1024;

impl Input {
    /// With only the end of the input, no empty line is typed before it.
    fn bytes(&self) -> Vec<u8> {
        let enter = self.enter && !(self.text.is_empty() && self.eof);
        let mut bytes = self.text.clone().into_bytes();
        bytes.extend_from_slice(if enter { b"\n" } else { b"" });
        bytes
    }

    fn check(&self) -> ToolResult<()> {
        if self.text.len() > MOST_BYTES {
            let message = format!("/text has {} bytes; {MOST_BYTES} is the most.", self.text.len());
            return Err(ToolError::invalid("invalid_arguments", message).hint("Type it in several parts."));
        }
        if self.text.contains('\0') {
            return Err(ToolError::invalid("invalid_arguments", "/text has a NUL character in it."));
        }
        Ok(())
    }
}

impl Tool for BashInput {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "bash_input",
        "Types text into a process in the background: answers a prompt, or goes on in an interactive program.",
    )
    .zh("向后台进程输入文本：回答提示，或在交互式程序中继续。")
    .permission(Permission::Moderate)
    .effects(Effects::EXECUTES)
    .toolsets(&["core", "shell"])
    .keywords(&["input", "type", "stdin", "prompt", "answer", "interactive", "输入", "回答", "交互", "标准输入"])
    .example(r#"{"process_id": "p-3fa556ef", "text": "y"}"#);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        input.check()?;
        let live = running(input, cx)?;
        let record = live.record();
        let mut plan = Plan::new(format!("Type into {}: {}", record.process_id, short(&input.text, 200)))
            .effects(Effects::EXECUTES)
            .at_least(Permission::Moderate, "shell:input", "It drives a program that runs.");
        if record.reads_commands && !input.text.trim().is_empty() {
            // What is typed into a shell is a command like any other, together with what was typed before on its line.
            let line = live.begun_line() + &input.text;
            if line.len() > MOST_BYTES {
                let message =
                    format!("The line that was begun has {} bytes; {MOST_BYTES} is the most.", line.len());
                return Err(ToolError::new("line_too_long", message).hint("End it with the enter key first."));
            }
            let analysis = analyse(&line, &record.cwd, cx)?;
            cx.service::<ShellLists>()?.check(&analysis)?;
            plan = with_places(plan, &analysis.places, cx)?;
            plan = plan.at_least(analysis.permission, analysis.rule, analysis.why).effects(analysis.effects);
            plan.programs = analysis.programs;
            plan.hosts = analysis.hosts;
            plan.commands = analysis.commands;
        }
        let programs = analyse(&record.command, &record.cwd, cx)?.programs;
        let reads_code = programs.iter().any(|program| deskhand_guard::shell::runs_code(program));
        if !record.reads_commands && reads_code {
            let why = "It types code into a program that runs it, and what that does is not read here.";
            plan = plan.at_least(Permission::Sensitive, "shell:input-code", why);
        }
        plan = plan.preview(Preview::Text(format!("{}\n→ {}", record.command, input.text)));
        plan.cwd = Some(record.cwd);
        plan.undo = Undoable::No("a command that runs directly is not journaled".to_owned());
        plan.runs = (record.reads_commands || reads_code).then_some(Runs::Direct);
        Ok(plan)
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        let live = running(&input, cx)?;
        if let Some(source) = cx.plan().and_then(deskhand_core::outside::source) {
            live.reads_from(source);
        }
        let bytes = input.bytes();
        tokio::select! {
            written = live.write(&bytes, input.eof) => written?,
            () = cx.cancel_token().cancelled() => return Err(ToolError::cancelled()),
        }
        Ok(Output { process_id: input.process_id, bytes: bytes.len() as u64, eof: input.eof })
    }

    fn render(output: &Output) -> Rendered {
        let eof = if output.eof { ", and ended its input" } else { "" };
        Rendered::text(format!("Typed {} bytes into {}{eof}.", output.bytes, output.process_id))
    }
}

fn running(input: &Input, cx: &Cx) -> ToolResult<Arc<Live>> {
    match cx.service::<ProcessTable>()?.find(cx.session_id(), &input.process_id)? {
        Found::Here(live) => Ok(live),
        Found::Kept(record) => {
            let message = format!("{} does not run here: {}.", record.process_id, record.status.as_str());
            Err(ToolError::new("not_running", message).hint("bash_output tells what it printed."))
        }
    }
}
