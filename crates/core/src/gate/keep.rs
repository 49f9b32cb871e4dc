//! Keep: what a command changed on its layer is shown, and kept or discarded.

use std::{path::PathBuf, sync::Arc};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    Gate, SessionCx, approve,
    record::{self, Draft},
    run,
};
use crate::{
    cx::Cx,
    error::{ToolError, ToolResult},
    held::Held,
    outcome::Status,
    policy::{Mode, Verdict},
    registry::ToolEntry,
    tool::Reply,
};

/// How much of a change list a caller reads.
const MOST_CHARS: usize = 4_000;

pub(super) struct Question<'a> {
    pub entry: &'a ToolEntry,
    pub arguments: &'a Value,
}

/// Decides about the changes of a call that ran, asks where that is needed, and keeps or discards them. The reply says
/// which. An error has the whole reply with it: nothing that was printed is lost.
pub(super) async fn keep(
    gate: &Gate,
    question: &Question<'_>,
    cx: &Cx,
    reply: &mut Reply,
    session: &SessionCx,
    draft: &mut Draft,
    cancel: &CancellationToken,
) -> ToolResult<()> {
    let Some(mut held) = cx.take_held() else { return Ok(()) };
    draft.changed(&held.changes);
    let words = held.changes.text(MOST_CHARS);
    let decided = decide(gate, question, &mut held, session, draft, cancel).await;
    let paths: Vec<PathBuf> = held.plan.touches.iter().map(|touch| touch.path.clone()).collect();
    let kept = match decided {
        Ok(Fate::Keep) => bring_into_place(gate, held, cx, draft).await,
        Ok(Fate::Discard(why)) => {
            add(reply, &format!("{why}\n{words}"));
            return Ok(());
        }
        Err(error) => Err(error),
    };
    match kept {
        Ok(notes) => {
            draft.kept(paths);
            add(reply, &format!("The changes are kept.\n{words}"));
            for note in notes {
                add(reply, &note);
            }
            Ok(())
        }
        Err(error) => {
            add(reply, &format!("The changes are discarded; the workspace is as it was.\n{words}"));
            Err(error.partial(std::mem::take(reply)))
        }
    }
}

enum Fate {
    Keep,
    /// By the mode, and that is no failure.
    Discard(String),
}

async fn decide(
    gate: &Gate,
    question: &Question<'_>,
    held: &mut Held,
    session: &SessionCx,
    draft: &mut Draft,
    cancel: &CancellationToken,
) -> ToolResult<Fate> {
    let Question { entry, arguments } = *question;
    let mut decision = gate.decide_keep(entry, arguments, &mut held.plan, session)?;
    if session.review_changes && decision.verdict == Verdict::Allow {
        decision.verdict = Verdict::Ask;
    }
    let ran = draft.decision_to_run();
    draft.decided(&decision);
    record::planned(gate, draft, arguments, &held.plan, &decision, session);
    if decision.verdict == Verdict::Block && session.mode == Mode::ReadOnly {
        draft.also_decided(ran);
        return Ok(Fate::Discard("The mode is read-only: the changes are discarded.".to_owned()));
    }
    let asked = approve::Question { entry, arguments, plan: &held.plan };
    let approved = approve::approve(gate, &asked, &decision, session, draft, cancel).await;
    draft.also_decided(ran);
    match approved? {
        approve::Approved::AsPlanned | approve::Approved::AfterWaiting => Ok(Fate::Keep),
        approve::Approved::Edited(_) => {
            let message = "The command has run: its changes can be kept or discarded, not edited.";
            Err(ToolError { status: Status::ExecutionRejected, ..ToolError::new("wrong_answer", message) })
        }
    }
}

async fn bring_into_place(gate: &Gate, held: Held, cx: &Cx, draft: &mut Draft) -> ToolResult<Vec<String>> {
    run::make_arrival_durable(gate).await?;
    let cx = cx.approved(Arc::new(held.plan.clone()), cx.cancel_token().child_token());
    // It is waited for, however long it takes: it looks for a cancel itself, until there is no way back.
    let kept = cx.blocking(move |cx| held.keep(cx)).await;
    if cx.has_undo() {
        draft.can_be_undone();
    }
    kept
}

/// Adds a line to what the caller reads.
fn add(reply: &mut Reply, line: &str) {
    if !reply.text.is_empty() && !reply.text.ends_with('\n') {
        reply.text.push('\n');
    }
    reply.text.push_str(line);
}
