//! `find_tools`: looks up tools by need, in both languages, and has them for the rest of the turn.

use std::sync::Arc;

use deskhand_core::{
    Cx, Effects, Permission, Plan, Spec, Tool, ToolEntry, ToolError, ToolResult, tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::compact::in_a_turn;
use crate::{chain::offer, desk::TurnDesk, provider::ToolDefinition};

/// How many are found where nothing is said.
const USUALLY: usize = 5;
const MOST: usize = 20;

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What you need to do, in a few words of any language.
    query: String,
    /// How many tools at most (5).
    #[schemars(range(min = 1, max = 20))]
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// The best first. They can be called from now on.
    tools: Vec<FoundTool>,
}

#[derive(Serialize, JsonSchema)]
pub struct FoundTool {
    name: String,
    description: String,
    /// JSON Schema of its arguments.
    parameters: serde_json::Value,
}

fn found(desk: &TurnDesk, input: &Input, cx: &Cx) -> Vec<Arc<ToolEntry>> {
    let limit = input.limit.unwrap_or(USUALLY).min(MOST);
    offer::search(desk.registry(), cx.owner(), &input.query, limit).into_iter().map(|hit| hit.entry).collect()
}

pub struct FindTools;

impl Tool for FindTools {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "find_tools",
        "Find more tools by what you need to do; those found can be called from then on.",
    )
    .zh("按需要查找更多工具；找到的工具随后即可调用。")
    .permission(Permission::Public)
    .effects(Effects::NONE)
    .toolsets(&["chat"])
    .keywords(&["tools", "search", "capability", "what can you do", "工具", "查找工具", "能力"])
    .example(r#"{"query": "end a process"}"#);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let desk = in_a_turn(cx)?;
        let query: String = input.query.chars().take(80).collect();
        let mut plan = Plan::new(format!("Look up tools for «{query}»."));
        // What another server says of its tools is nobody's word here.
        let found = found(desk, input, cx);
        plan.outside = found.iter().find_map(|entry| entry.said_by());
        Ok(plan)
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        let desk = in_a_turn(cx)?;
        let found = found(desk, &input, cx);
        let says_more = found.iter().any(|entry| entry.said_by().is_some());
        if says_more && cx.plan().is_some_and(|plan| plan.outside.is_none()) {
            // A server came up in between: what it says would pass for ours.
            return Err(ToolError::plan_changed("There are other tools than a moment ago."));
        }
        let mut tools = Vec::new();
        for entry in found {
            let ToolDefinition { name, description, parameters } = desk.offer(&entry);
            tools.push(FoundTool { name, description, parameters });
        }
        Ok(Output { tools })
    }

    fn render(output: &Output) -> Rendered {
        if output.tools.is_empty() {
            return Rendered::text("No tool fits. Try other words, or do it with the tools that you have.");
        }
        let lines: Vec<String> = output
            .tools
            .iter()
            .map(|tool| format!("{}: {}\n  arguments: {}", tool.name, tool.description, tool.parameters))
            .collect();
        Rendered::text(format!("These can be called now:\n{}", lines.join("\n")))
    }
}
