//! Plan: the tool says what this very call would do. Under a time limit, like the run.

use std::time::Duration;

use serde_json::Value;

use super::run;
use crate::{cx::Cx, error::ToolResult, plan::Plan, registry::ToolEntry};

pub(super) async fn plan(entry: &ToolEntry, arguments: &Value, cx: &Cx) -> ToolResult<Plan> {
    let limit = Duration::from_secs(entry.spec().timeout_s);
    let stop = cx.cancel_token().child_token();
    let cx = cx.stopped_by(stop.clone());
    let mut plan = run::in_time(entry.tool.plan(arguments, &cx), limit, &stop).await?;
    plan.settle(entry.spec());
    Ok(plan)
}
