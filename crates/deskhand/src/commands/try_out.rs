//! `deskhand try`: runs a command on a layer, shows what it changed, and keeps or discards it.

use std::sync::{Arc, Mutex};

use anyhow::Result;
use deskhand_core::{
    Answer, ApprovalRequest, Approver, Caller, ErrorBody, EventBody, EventSink, Mode, Outcome, Plan, Request,
    Status,
    approval::{AnyAnswer, Subject},
};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::call;
use crate::{
    assemble::{App, Surfaces},
    terminal::{PlanView, Printer, ProgressLine, TerminalApprover, can_ask, safe},
};

/// How much is shown of the change list, and of the diff.
const MOST_CHANGES: usize = 200;
const MOST_LINES: usize = 2_000;

/// What becomes of the changes, if the command line says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    Keep,
    Discard,
}

pub async fn run(app: &App, printer: Printer, command: &str, said: Option<Said>) -> Result<u8> {
    let nobody_decides = said.is_none() && !can_ask();
    let seen = Arc::new(SeenChanges { progress: ProgressLine::new(printer.json), plan: Mutex::default() });
    let surfaces = Surfaces {
        approvers: approvers(app, said),
        wait_for_others: false,
        events: Arc::clone(&seen) as Arc<dyn EventSink>,
    };
    // Read-only keeps nothing. In every other mode it is up to the person who typed the command.
    let mode = if app.mode == Mode::ReadOnly { Mode::ReadOnly } else { Mode::Ask };
    let session = app.session(Caller::COMMAND_LINE, surfaces).in_mode(mode).reviewing_changes();
    let mut outcome = call::call(app, Request::new("bash", json!({"command": command})), &session).await;
    settle(&mut outcome, said);
    match seen.take() {
        Some(plan) if !printer.json && outcome.kept.is_some() => print(app, printer, &outcome, &plan)?,
        _ => call::print(app, printer, &outcome, None)?,
    }
    let language = app.language;
    if outcome.is_success() && outcome.kept.is_none() {
        printer.note(language.say("It changed nothing.", "没有更改任何文件。"));
    } else if outcome.kept == Some(false) && mode == Mode::ReadOnly && said.is_none() {
        printer.note(
            language.say("The mode is read-only: nothing is kept.", "当前为只读模式，不保留任何更改。"),
        );
    } else if outcome.kept == Some(false) && nobody_decides {
        printer.note(
            language.say("To keep the changes, run it with --keep.", "要保留更改，请加上 --keep 运行。"),
        );
    }
    Ok(outcome.status.exit_code())
}

fn approvers(app: &App, said: Option<Said>) -> Vec<Arc<dyn Approver>> {
    let terminal =
        can_ask().then(|| TerminalApprover { language: app.language, data_dir: app.data_dir.clone() });
    match (said, terminal) {
        (None, Some(terminal)) => vec![Arc::new(terminal)],
        (Some(said), Some(terminal)) => vec![Arc::new(SaidBefore(said)), Arc::new(OtherQuestions(terminal))],
        // Nobody can decide: what it would change is shown all the same.
        (said, None) => vec![Arc::new(SaidBefore(said.unwrap_or(Said::Discard)))],
    }
}

/// Discarding is no failure here: then the outcome is that of the command itself. Not keeping what was to be kept is one.
fn settle(outcome: &mut Outcome, said: Option<Said>) {
    if outcome.kept != Some(false) {
        return;
    }
    if outcome.status == Status::ExecutionRejected {
        if let Some(refusal) = outcome.error.take()
            && let Some(text) = outcome.text.strip_suffix(&refusal.message)
        {
            outcome.text.truncate(text.len());
        }
        (outcome.status, outcome.error) = match failure(&outcome.data) {
            None => (Status::Success, None),
            Some((status, code, message)) => {
                (status, Some(ErrorBody { code: code.to_owned(), message, hint: None }))
            }
        };
    } else if said == Some(Said::Keep) && outcome.is_success() {
        outcome.status = Status::Blocked;
        outcome.error = Some(ErrorBody {
            code: "read_only".to_owned(),
            message: "The mode is read-only: the changes cannot be kept.".to_owned(),
            hint: Some("Run it again with --mode ask.".to_owned()),
        });
    }
}

/// How the command itself failed, if it did.
fn failure(data: &Value) -> Option<(Status, &'static str, String)> {
    if data["timed_out"] == true {
        return Some((Status::TimedOut, "timed_out", "The command took too long.".to_owned()));
    }
    if let Some(signal) = data["signal"].as_i64() {
        return Some((
            Status::Error,
            "ended_by_signal",
            format!("The command was ended by signal {signal}."),
        ));
    }
    let code = data["exit_code"].as_i64().filter(|code| *code != 0)?;
    Some((Status::Error, "exit_nonzero", format!("The command ended with exit code {code}.")))
}

/// What the command printed, what it changed, and what became of that.
fn print(app: &App, printer: Printer, outcome: &Outcome, plan: &Plan) -> Result<()> {
    let stream = |name: &str| outcome.data[name].as_str().unwrap_or_default();
    for text in [stream("stdout"), stream("stderr")].iter().filter(|text| !text.is_empty()) {
        printer.line(safe(text).trim_end_matches('\n'))?;
    }
    // A person who was asked in the terminal has seen them.
    if outcome.decided_by.as_deref() != Some("person:terminal") {
        let view = PlanView { style: printer.style, language: app.language };
        printer.line(view.changes(plan, MOST_CHANGES, MOST_LINES).trim_end_matches('\n'))?;
    }
    if let Some(error) = &outcome.error {
        call::print_error(printer, outcome.status, error);
    }
    call::print_after(app, printer, outcome);
    Ok(())
}

/// Answers about changes as the command line says, and nothing else.
struct SaidBefore(Said);

impl Approver for SaidBefore {
    fn name(&self) -> &str {
        match self.0 {
            Said::Keep => "flag:--keep",
            Said::Discard => "flag:--discard",
        }
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Option<AnyAnswer>> {
        let answer = is_about_changes(request).then_some(match self.0 {
            Said::Keep => Answer::Yes { remember: None },
            Said::Discard => Answer::No { reason: None, remember: None },
        });
        Box::pin(async { answer.map(AnyAnswer::Execution) })
    }
}

/// Asks in the terminal about everything but changes.
struct OtherQuestions(TerminalApprover);

impl Approver for OtherQuestions {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Option<AnyAnswer>> {
        if is_about_changes(request) { Box::pin(async { None }) } else { self.0.ask(request) }
    }
}

fn is_about_changes(request: &ApprovalRequest) -> bool {
    matches!(&request.subject, Subject::Execution { plan } if plan.changes.is_some())
}

/// Shows progress, and remembers what there is to show of the changes: an outcome has no diff.
struct SeenChanges {
    progress: ProgressLine,
    plan: Mutex<Option<Plan>>,
}

impl SeenChanges {
    fn take(&self) -> Option<Plan> {
        self.plan.lock().ok()?.take()
    }
}

impl EventSink for SeenChanges {
    fn emit(&self, body: EventBody) {
        if let EventBody::CallPlanned { plan, .. } = &body
            && plan.changes.is_some()
            && let Ok(mut seen) = self.plan.lock()
        {
            *seen = Some(Plan::clone(plan));
        }
        self.progress.emit(body);
    }

    fn is_watched(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use deskhand_core::CallId;

    use super::*;

    fn discarded(data: Value) -> Outcome {
        let refusal = "bash was refused by flag:--discard: no reason was given.";
        let mut outcome = Outcome::without_gate(
            CallId::new(),
            "bash",
            Status::ExecutionRejected,
            "execution_rejected",
            refusal,
        );
        outcome.text = format!("hello\nThe changes are discarded.\n{refusal}");
        outcome.kept = Some(false);
        outcome.data = data;
        outcome
    }

    #[test]
    fn discarded_changes_leave_the_outcome_of_the_command() {
        let rows = [
            (json!({"exit_code": 0}), Status::Success, None),
            (json!({"exit_code": 3}), Status::Error, Some("exit_nonzero")),
            (json!({"signal": 9}), Status::Error, Some("ended_by_signal")),
            (json!({"timed_out": true, "signal": 9}), Status::TimedOut, Some("timed_out")),
            (Value::Null, Status::Success, None),
        ];
        for (data, status, code) in rows {
            let mut outcome = discarded(data);
            settle(&mut outcome, Some(Said::Discard));
            assert_eq!(outcome.status, status);
            assert_eq!(outcome.error.as_ref().map(|error| error.code.as_str()), code);
            assert_eq!(outcome.text, "hello\nThe changes are discarded.\n");
        }
    }

    #[test]
    fn keep_fails_where_the_mode_keeps_nothing() {
        let read_only = || {
            let mut outcome = discarded(json!({"exit_code": 0}));
            (outcome.status, outcome.error) = (Status::Success, None);
            outcome
        };
        let mut outcome = read_only();
        settle(&mut outcome, Some(Said::Keep));
        assert_eq!((outcome.status, outcome.status.exit_code()), (Status::Blocked, 3));
        let mut outcome = read_only();
        settle(&mut outcome, None);
        assert_eq!(outcome.status, Status::Success);
    }
}
