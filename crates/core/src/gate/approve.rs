//! Approve: mode, remembered answers, and the person, who sees the plan.

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    Gate, SessionCx, ask,
    record::{self, Draft},
};
use crate::{
    approval::{Answer, AnyAnswer, ApprovalRequest, Remember, RememberScope, Subject},
    error::{ToolError, ToolResult},
    grant::{Grant, GrantEffect, Scope},
    id::new_id,
    outcome::Status,
    plan::Plan,
    policy::{Decision, Verdict},
    registry::ToolEntry,
    time::Time,
};

pub(super) struct Question<'a> {
    pub entry: &'a ToolEntry,
    pub arguments: &'a Value,
    pub plan: &'a Plan,
}

pub(super) enum Approved {
    /// At once: nothing had time to change.
    AsPlanned,
    /// A person took their time: the plan must still hold.
    AfterWaiting,
    /// With other arguments, which are planned and asked anew.
    Edited(Value),
}

pub(super) async fn approve(
    gate: &Gate,
    question: &Question<'_>,
    decision: &Decision,
    session: &SessionCx,
    draft: &mut Draft,
    cancel: &CancellationToken,
) -> ToolResult<Approved> {
    let status = match decision.verdict {
        Verdict::Allow => return Ok(Approved::AsPlanned),
        Verdict::Ask => return ask_person(gate, question, decision, session, draft, cancel).await,
        Verdict::Block => Status::Blocked,
        Verdict::Reject => Status::ExecutionRejected,
        Verdict::NobodyToAsk => Status::NobodyToAsk,
    };
    let code = match status {
        Status::Blocked => "blocked",
        Status::NobodyToAsk => "nobody_to_ask",
        _ => "execution_rejected",
    };
    let message =
        format!("{} was refused: {} (rule {})", question.entry.spec().name, decision.why, decision.rule);
    let error = ToolError { status, ..ToolError::new(code, message) };
    Err(match &decision.hint {
        Some(hint) => error.hint(hint.clone()),
        None => error,
    })
}

async fn ask_person(
    gate: &Gate,
    question: &Question<'_>,
    decision: &Decision,
    session: &SessionCx,
    draft: &mut Draft,
    cancel: &CancellationToken,
) -> ToolResult<Approved> {
    let subject = Subject::Execution { plan: Box::new(record::masked_plan(gate, question.plan)) };
    let tool = question.entry.spec().name;
    let request = ApprovalRequest {
        may_remember: decision.may_remember(),
        ..ask::question(gate, session, draft.call_id, tool, question.arguments, subject)
    };
    let answered = ask::ask(gate, request, session, cancel).await?;
    draft.decided_by(&answered.by);
    match answered.answer {
        AnyAnswer::Execution(Answer::Yes { remember }) => {
            if decision.may_remember() {
                keep(gate, question, session, remember, GrantEffect::Allow, &answered.by, None)?;
            }
            Ok(Approved::AfterWaiting)
        }
        AnyAnswer::Execution(Answer::No { reason, remember }) => {
            let kept = reason.clone();
            keep(gate, question, session, remember, GrantEffect::Deny, &answered.by, kept)?;
            let why = reason.map_or_else(|| "no reason was given".to_owned(), |r| format!("«{r}»"));
            let message = format!("{} was refused by {}: {why}.", question.entry.spec().name, answered.by);
            Err(ToolError {
                status: Status::ExecutionRejected,
                ..ToolError::new("execution_rejected", message)
            })
        }
        AnyAnswer::Execution(Answer::Edit { arguments }) => Ok(Approved::Edited(arguments)),
        AnyAnswer::Result(_) => Err(ToolError::new(
            "wrong_answer",
            "The answer was about a result, and the question about running; nothing was done.",
        )),
    }
}

/// Remembers an answer, if it is to be, and only in a shape that the plan offered.
fn keep(
    gate: &Gate,
    question: &Question<'_>,
    session: &SessionCx,
    remember: Option<Remember>,
    effect: GrantEffect,
    by: &str,
    reason: Option<String>,
) -> ToolResult<()> {
    let Some(remember) = remember else { return Ok(()) };
    if !question.plan.shapes.contains(&remember.shape) {
        tracing::warn!(
            tool = question.entry.spec().name,
            "an answer in a shape that was not offered is not remembered"
        );
        return Ok(());
    }
    let scope = match remember.scope {
        RememberScope::Session => Scope::Session { id: session.id.clone() },
        RememberScope::Workspace => Scope::Workspace { path: session.workspace.clone() },
        RememberScope::Always => Scope::Always,
    };
    gate.grants.add(&Grant {
        id: new_id(),
        owner: session.owner.clone(),
        effect,
        tool: remember.shape.tool(question.entry.spec().name),
        shape: remember.shape,
        scope,
        until: remember.until,
        created_at: Time::now(),
        created_by: by.to_owned(),
        reason,
    })?;
    Ok(())
}
