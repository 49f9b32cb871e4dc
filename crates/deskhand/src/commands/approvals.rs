//! `deskhand approvals`: what waits for an answer, and answering it from another shell.

use std::fmt::Write;

use anyhow::{Context, Result, bail};
use deskhand_core::{
    Answer, ApprovalQueue, ApprovalRequest, Remember, ResultAnswer, Settled,
    approval::{AnyAnswer, RememberScope, SettleResult, Subject},
};
use serde_json::json;

use super::pick;
use crate::{
    assemble::App,
    cli::{AnswerWord, ApprovalAction, RememberWhere},
    terminal::{Pictures, PlanView, Printer, forget_others, parse_arguments, parse_until, safe, safe_line},
};

/// Who the audit says has answered.
const SURFACE: &str = "person:approvals";

pub fn run(app: &App, printer: Printer, action: Option<ApprovalAction>) -> Result<u8> {
    let queue = app.store.approvals();
    let pending = queue.pending()?;
    forget_others(&app.data_dir, &pending.iter().map(|request| request.id.as_str()).collect::<Vec<_>>());
    let find = |id: &str| -> Result<ApprovalRequest> {
        let id = pick(pending.iter().map(|request| request.id.as_str()), id, "open question")?;
        pending.iter().find(|request| request.id == id).cloned().context("it was settled a moment ago")
    };
    match action {
        None => list(app, printer, &pending),
        Some(ApprovalAction::Show { id }) => show(app, printer, &find(&id)?),
        Some(ApprovalAction::Answer { id, answer, value, reason, remember, shape, until }) => {
            let request = find(&id)?;
            let details = Details { value, reason, remember, shape, until };
            let answer = make_answer(&request, answer, &details)?;
            settle(printer, &*queue, &request, answer)
        }
    }
}

fn list(app: &App, printer: Printer, pending: &[ApprovalRequest]) -> Result<u8> {
    printer.print(&json!({"approvals": pending}), |style| {
        if pending.is_empty() {
            return app.language.say("Nothing waits for an answer.", "没有等待批准的请求。").to_owned();
        }
        let mut text = String::new();
        for request in pending {
            let about = match &request.subject {
                Subject::Execution { plan } => plan.summary.clone(),
                Subject::Result { images, .. } if images.is_empty() => {
                    app.language.say("show its result", "查看结果").to_owned()
                }
                Subject::Result { images, .. } => {
                    let words = app.language.say("show its result, with pictures:", "查看结果，包含图片：");
                    format!("{words} {}", images.len())
                }
            };
            let (id, tool) = (style.bold(&request.id), &request.tool);
            let _ = writeln!(
                text,
                "{id}  {tool}: {}  {}",
                safe_line(&about),
                style.dim(&format!("for {}, until {}", safe_line(&request.caller), request.expires_at))
            );
        }
        text.push_str(app.language.say(
            "Answer with: deskhand approvals answer ID yes|no|edit|pass|withhold",
            "回答：deskhand approvals answer ID yes|no|edit|pass|withhold",
        ));
        text
    })?;
    Ok(0)
}

fn show(app: &App, printer: Printer, request: &ApprovalRequest) -> Result<u8> {
    printer.print(request, |style| match &request.subject {
        Subject::Execution { plan } => {
            let mut text = PlanView { style, language: app.language }.plan(plan);
            for (n, shape) in plan.shapes.iter().enumerate().filter(|_| request.may_remember) {
                let _ = writeln!(text, "  --shape {}: {}", n + 1, safe_line(&shape.words(&request.tool)));
            }
            text
        }
        Subject::Result { text, images, .. } => {
            let mut shown = safe(text).into_owned();
            match Pictures::put(&app.data_dir, &request.id, images) {
                // Whoever is asked has yet to look at them.
                Ok(pictures) => pictures.leave().iter().for_each(|file| {
                    let _ = write!(shown, "\n{} {}", app.language.say("picture:", "图片："), file.display());
                }),
                Err(error) => {
                    let _ = write!(shown, "\n{} {error}", app.language.say("picture:", "图片："));
                }
            }
            shown
        }
    })?;
    Ok(0)
}

struct Details {
    value: Option<String>,
    reason: Option<String>,
    remember: Option<RememberWhere>,
    shape: usize,
    until: Option<String>,
}

fn make_answer(request: &ApprovalRequest, word: AnswerWord, details: &Details) -> Result<AnyAnswer> {
    let Details { value, reason, .. } = details;
    match (&request.subject, word) {
        (Subject::Execution { plan }, AnswerWord::Yes | AnswerWord::No) => {
            let remember = remember(request, &plan.shapes, word, details)?;
            Ok(AnyAnswer::Execution(match word {
                AnswerWord::Yes => Answer::Yes { remember },
                _ => Answer::No { reason: reason.clone(), remember },
            }))
        }
        (Subject::Execution { plan }, AnswerWord::Edit) if plan.changes.is_some() => {
            bail!("the command has run: answer yes to keep its changes, or no to discard them")
        }
        (Subject::Execution { .. }, AnswerWord::Edit) => {
            let text = value.clone().context("say the new arguments, as JSON")?;
            Ok(AnyAnswer::Execution(Answer::Edit {
                arguments: parse_arguments(&[text], &serde_json::Value::Null)?,
            }))
        }
        (Subject::Result { .. }, AnswerWord::Pass | AnswerWord::Yes) => {
            Ok(AnyAnswer::Result(ResultAnswer::Pass))
        }
        (Subject::Result { .. }, AnswerWord::Withhold | AnswerWord::No) => {
            Ok(AnyAnswer::Result(ResultAnswer::Withhold { reason: reason.clone() }))
        }
        (Subject::Result { .. }, AnswerWord::Edit) => {
            let text = value.clone().context("say what the caller sees instead")?;
            Ok(AnyAnswer::Result(ResultAnswer::Edit { text }))
        }
        (Subject::Execution { .. }, AnswerWord::Pass | AnswerWord::Withhold) => {
            bail!("this question is whether the call may run: answer yes, no or edit")
        }
    }
}

fn remember(
    request: &ApprovalRequest,
    shapes: &[deskhand_core::Shape],
    word: AnswerWord,
    details: &Details,
) -> Result<Option<Remember>> {
    let Some(place) = details.remember else { return Ok(None) };
    if word == AnswerWord::Yes && !request.may_remember {
        bail!("a yes to a sensitive call is not remembered: answer without --remember");
    }
    let shape = details.shape.checked_sub(1).and_then(|n| shapes.get(n));
    let shape = shape.with_context(|| format!("--shape is a number from 1 to {}", shapes.len()))?.clone();
    let scope = match place {
        RememberWhere::Session => RememberScope::Session,
        RememberWhere::Workspace => RememberScope::Workspace,
        RememberWhere::Always => RememberScope::Always,
    };
    let until = details.until.as_deref().map(parse_until).transpose()?;
    Ok(Some(Remember { scope, shape, until }))
}

fn settle(
    printer: Printer,
    queue: &dyn ApprovalQueue,
    request: &ApprovalRequest,
    answer: AnyAnswer,
) -> Result<u8> {
    let settled = Settled::Answered { answer, by: SURFACE.to_owned() };
    let (first, stands) = match queue.settle(&request.id, &settled)? {
        SettleResult::First => (true, settled),
        SettleResult::Already(other) => (false, other),
        SettleResult::Unknown => bail!("the question {} is gone", request.id),
    };
    let value = json!({"id": request.id, "accepted": first, "settled": stands});
    printer.print(&value, |_| match &stands {
        _ if first => "Answered.".to_owned(),
        Settled::Answered { by, .. } => format!("Too late: {by} answered first."),
        Settled::Expired => "Too late: the time for an answer is over.".to_owned(),
        Settled::Withdrawn => "Too late: the call is gone.".to_owned(),
    })?;
    Ok(u8::from(!first))
}
