//! `compact`: has older parts of the conversation summarised before the next step.

use deskhand_core::{Cx, Effects, Permission, Plan, Spec, Tool, ToolError, ToolResult, tool::Rendered};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::desk::TurnDesk;

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What the summary should pay special attention to.
    focus: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    requested: bool,
}

pub struct Compact;

impl Tool for Compact {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "compact",
        "Summarise the older part of this conversation before the next step, to make room. The whole stays readable.",
    )
    .zh("在下一步之前把较早的对话压缩成摘要，以腾出空间；原文仍可读取。")
    .permission(Permission::Public)
    .effects(Effects::NONE)
    .toolsets(&["chat"])
    .keywords(&["context", "summary", "summarise", "shorten", "memory full", "压缩", "摘要", "上下文", "总结"])
    .example(r#"{"focus": "the database migration"}"#);

    async fn plan(&self, _: &Input, cx: &Cx) -> ToolResult<Plan> {
        in_a_turn(cx)?;
        Ok(Plan::new("Summarise the older part of the conversation."))
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        in_a_turn(cx)?.wish_for_compaction(input.focus.filter(|focus| !focus.trim().is_empty()));
        Ok(Output { requested: true })
    }

    fn render(_: &Output) -> Rendered {
        Rendered::text("The conversation will be summarised before the next step.")
    }
}

/// The desk of the turn that makes this call.
pub(super) fn in_a_turn(cx: &Cx) -> ToolResult<&TurnDesk> {
    cx.service().map_err(|_| {
        ToolError::new("not_in_a_conversation", format!("{} works only within a conversation.", cx.tool()))
            .hint("Start one with `deskhand chat`.")
    })
}
