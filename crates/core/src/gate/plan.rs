//! Plan: the tool says what this very call would do.

use serde_json::Value;

use super::{Gate, record};
use crate::{arguments, cx::Cx, error::ToolResult, grant::Shape, plan::Plan, registry::ToolEntry};

pub(super) async fn plan(gate: &Gate, entry: &ToolEntry, arguments: &Value, cx: &Cx) -> ToolResult<Plan> {
    let mut plan = entry.tool.plan(arguments, cx).await?;
    // These very arguments are the narrowest shape that an answer can be remembered for.
    let exact = Shape::Exact {
        sha256: arguments::sha256(arguments),
        shown: record::shown_arguments(gate, arguments),
        paths: plan.touches.iter().map(|touch| touch.path.clone()).collect(),
    };
    plan.shapes.insert(0, exact);
    Ok(plan)
}
