//! Asking: one question on every surface, the first answer wins, and it ends in time.

use std::{sync::Arc, time::Duration};

use futures_util::{StreamExt, stream::FuturesUnordered};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{Caller, Gate, SessionCx, record};
use crate::{
    approval::{AnyAnswer, ApprovalQueue, ApprovalRequest, SettleResult, Settled, Subject},
    error::{ToolError, ToolResult},
    event::EventBody,
    id::{CallId, new_id},
    outcome::Status,
    time::Time,
};

/// A question about a call. What of it is stored is masked.
pub(super) fn question(
    gate: &Gate,
    session: &SessionCx,
    call: CallId,
    tool: &str,
    arguments: &Value,
    subject: Subject,
) -> ApprovalRequest {
    let now = Time::now();
    ApprovalRequest {
        id: new_id(),
        call_id: call,
        session_id: session.id.clone(),
        owner: session.owner.clone(),
        caller: session.caller.0.clone(),
        workspace: session.workspace.clone(),
        tool: tool.to_owned(),
        arguments: gate.shown(tool, None, arguments),
        wanted_at: now,
        expires_at: now.plus(gate.settings.approval_timeout),
        subject,
        may_remember: false,
    }
}

/// An answer, and who gave it.
pub(super) struct Answered {
    pub answer: AnyAnswer,
    pub by: String,
}

/// Asks, and waits for the first answer from any surface of any process.
pub(super) async fn ask(
    gate: &Gate,
    request: ApprovalRequest,
    session: &SessionCx,
    cancel: &CancellationToken,
) -> ToolResult<Answered> {
    if session.approvers.is_empty() && !session.wait_for_others {
        return Err(nobody(session));
    }
    gate.approvals.post(&request)?;
    session.events.emit(EventBody::ApprovalWanted { request: Box::new(request.clone()) });
    let mut pending = Pending { queue: Arc::clone(&gate.approvals), id: request.id.clone(), open: true };
    let ended = wait(gate, &request, session, cancel).await;
    let settled = match &ended {
        Ok(settled) => settled.clone(),
        Err(_) => Settled::Withdrawn,
    };
    // Whatever ended the wait, what the queue says is what counts: an answer may have come at that moment.
    let settled = pending.settle(&settled)?;
    session.events.emit(EventBody::ApprovalSettled {
        approval_id: request.id.clone(),
        call_id: request.call_id,
        settled: record::masked_settled(gate, &request.tool, &settled),
    });
    match (settled, ended) {
        (Settled::Answered { answer, by }, _) => Ok(Answered { answer, by }),
        (_, Err(error)) => Err(error),
        (Settled::Expired, _) => Err(expired(gate.settings.approval_timeout)),
        (Settled::Withdrawn, _) => Err(ToolError::cancelled()),
    }
}

async fn wait(
    gate: &Gate,
    request: &ApprovalRequest,
    session: &SessionCx,
    cancel: &CancellationToken,
) -> ToolResult<Settled> {
    let mut surfaces: FuturesUnordered<_> = session
        .approvers
        .iter()
        .map(|approver| async move { (approver.name().to_owned(), approver.ask(request).await) })
        .collect();
    let limit = gate.settings.approval_timeout;
    let mut elsewhere = gate.approvals.wait(&request.id, limit, cancel);
    let mut time_is_up = std::pin::pin!(tokio::time::sleep(limit));
    loop {
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ToolError::cancelled()),
            answered = surfaces.next(), if !surfaces.is_empty() => {
                if let Some((by, Some(answer))) = answered {
                    return Ok(Settled::Answered { answer, by });
                }
                if surfaces.is_empty() && !session.wait_for_others {
                    return Err(nobody(session));
                }
            }
            settled = &mut elsewhere => return match settled? {
                // It hears of a cancel, too, and may be the first to.
                None if cancel.is_cancelled() => Err(ToolError::cancelled()),
                settled => Ok(settled.unwrap_or(Settled::Expired)),
            },
            () = &mut time_is_up => return Ok(Settled::Expired),
        }
    }
}

/// A posted question. Withdrawn when it is dropped unsettled: the turn was aborted, the surface went away.
struct Pending {
    queue: Arc<dyn ApprovalQueue>,
    id: String,
    open: bool,
}

impl Pending {
    fn settle(&mut self, settled: &Settled) -> ToolResult<Settled> {
        self.open = false;
        Ok(match self.queue.settle(&self.id, settled)? {
            SettleResult::Already(other) => other,
            SettleResult::First | SettleResult::Unknown => settled.clone(),
        })
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if self.open
            && let Err(error) = self.queue.settle(&self.id, &Settled::Withdrawn)
        {
            tracing::warn!(%error, "a question that nobody waits for could not be withdrawn");
        }
    }
}

fn nobody(session: &SessionCx) -> ToolError {
    // Only `deskhand call` has options that answer beforehand or wait.
    let hint = if session.caller.0 == Caller::COMMAND_LINE {
        "Run it in a terminal, with --yes to answer yes beforehand, with --wait to let `deskhand approvals` in \
         another shell answer, or with a grant or --mode auto where it is not sensitive."
    } else {
        "Run it in a terminal, where the question can be answered, or with a grant or --mode auto where it is \
         not sensitive."
    };
    ToolError {
        status: Status::NobodyToAsk,
        ..ToolError::new("nobody_to_ask", "This call needs a person's yes, and nobody is here to ask.")
    }
    .hint(hint)
}

fn expired(limit: Duration) -> ToolError {
    ToolError {
        status: Status::Expired,
        ..ToolError::new("expired", format!("Nobody answered within {} seconds.", limit.as_secs()))
    }
    .hint("`approval_timeout_s` in the config sets how long a question waits.")
}
