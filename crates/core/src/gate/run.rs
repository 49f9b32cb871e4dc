//! Run: what was approved, under a time limit, cancellable, bound to its plan.

use std::{sync::Arc, time::Duration};

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{Gate, record::Draft};
use crate::{
    cx::Cx,
    error::{ToolError, ToolResult},
    outcome::Status,
    plan::Plan,
    registry::ToolEntry,
    tool::Reply,
};

/// How long work that was told to stop may take to do so before it is left alone.
const GRACE: Duration = Duration::from_secs(2);

pub(super) async fn run(
    gate: &Gate,
    entry: &ToolEntry,
    arguments: &Value,
    plan: Arc<Plan>,
    cx: &Cx,
    draft: &mut Draft,
) -> ToolResult<Reply> {
    cx.check()?;
    if plan.effects.change_state() {
        make_arrival_durable(gate).await?;
    }
    let limit = plan.timeout.unwrap_or(Duration::from_secs(entry.spec().timeout_s));
    let stop = cx.cancel_token().child_token();
    let cx = cx.approved(plan, stop.clone());
    let ended = in_time(entry.tool.run(arguments.clone(), &cx), limit, &stop).await;
    if cx.has_undo() {
        draft.can_be_undone();
    }
    ended
}

/// The arrival is on disk before the effect.
pub(super) async fn make_arrival_durable(gate: &Gate) -> ToolResult<()> {
    let audit = Arc::clone(&gate.audit);
    let durable = tokio::task::spawn_blocking(move || audit.make_durable()).await;
    Ok(durable.map_err(|error| ToolError::new("audit_unavailable", error.to_string()))??)
}

/// Does what the tool put off until its caller may have the result.
pub(super) async fn afterwards(
    entry: &ToolEntry,
    plan: Arc<Plan>,
    cx: &Cx,
    draft: &mut Draft,
) -> ToolResult<()> {
    let stop = cx.cancel_token().child_token();
    let cx = cx.approved(plan, stop.clone());
    let limit = Duration::from_secs(entry.spec().timeout_s);
    let ended = in_time(Box::pin(cx.is_passed_on()), limit, &stop).await;
    if cx.has_undo() {
        draft.can_be_undone();
    }
    ended
}

/// Waits for work that `stop` stops: when the caller cancels, when the time is up, and when nobody waits any more.
pub(super) async fn in_time<T>(
    mut work: BoxFuture<'_, ToolResult<T>>,
    limit: Duration,
    stop: &CancellationToken,
) -> ToolResult<T> {
    // A caller that goes away takes the work with it.
    let _stops = stop.clone().drop_guard();
    let timed_out = tokio::select! {
        // The work first: most of it ends without waiting, and then no timer is set.
        biased;
        ended = &mut work => return ended,
        () = stop.cancelled() => false,
        () = tokio::time::sleep(limit) => true,
    };
    stop.cancel();
    // Work that stops in time says what it had done by then; if it finished after all, it finished.
    let ended = tokio::time::timeout(GRACE, &mut work).await.unwrap_or_else(|_| Err(ToolError::cancelled()));
    ended.map_err(|error| if timed_out { out_of_time(error, limit) } else { error })
}

fn out_of_time(error: ToolError, limit: Duration) -> ToolError {
    if error.status != Status::Cancelled {
        return error;
    }
    let message = format!("It took longer than {} seconds and was stopped.", limit.as_secs());
    ToolError {
        status: Status::TimedOut,
        code: "timed_out",
        message,
        hint: Some("Ask for less at once, or for more time where the tool takes a timeout.".to_owned()),
        partial: error.partial,
    }
}
