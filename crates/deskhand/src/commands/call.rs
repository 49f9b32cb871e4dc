//! `deskhand call`: one call along the one path.

use std::sync::Arc;

use anyhow::Result;
use deskhand_core::{Approver, Caller, ErrorBody, Outcome, Request, SessionCx, Status};
use tokio_util::sync::CancellationToken;

use crate::{
    assemble::{App, Surfaces},
    language::Language,
    terminal::{
        ChangesView, Printer, ProgressLine, Style, TerminalApprover, YesApprover, can_ask, count_of,
        parse_arguments, safe,
    },
};

pub struct Wanted {
    pub tool: String,
    pub arguments: Vec<String>,
    pub yes: bool,
    pub wait: bool,
    pub dialect: Option<String>,
}

pub async fn run(app: &App, printer: Printer, wanted: &Wanted) -> Result<u8> {
    tokio::select! {
        () = app.servers_for(&wanted.tool) => {}
        () = interrupted() => return Ok(Status::Cancelled.exit_code()),
    }
    let schema = app.schema_of(&wanted.tool, wanted.dialect.as_deref());
    let arguments = parse_arguments(&wanted.arguments, &schema)?;
    let request = Request::new(&wanted.tool, arguments).in_dialect(wanted.dialect.clone());
    let session = app.session(Caller::COMMAND_LINE, surfaces(app, printer, wanted.yes, wanted.wait));
    let outcome = call(app, request, &session).await;
    print(app, printer, &outcome, Some(wanted))?;
    if outcome.tool == "bash" && outcome.data.get("process_id").is_some() {
        // One call is one program: what it leaves in the background cannot outlive it.
        tracing::warn!(
            "the process ends with this command; start it in the console (`deskhand`), which stays"
        );
    }
    Ok(outcome.status.exit_code())
}

/// Whom a call from the command line can ask.
pub fn surfaces(app: &App, printer: Printer, yes: bool, wait_for_others: bool) -> Surfaces {
    let mut approvers: Vec<Arc<dyn Approver>> = Vec::new();
    if yes {
        approvers.push(Arc::new(YesApprover::FLAG));
    } else if can_ask() {
        approvers.push(Arc::new(TerminalApprover { language: app.language, data_dir: app.data_dir.clone() }));
    }
    Surfaces { approvers, wait_for_others, events: Arc::new(ProgressLine::new(printer.json)) }
}

/// Makes the call; Ctrl-C cancels it.
pub async fn call(app: &App, request: Request, session: &SessionCx) -> Outcome {
    let cancel = request.cancel.clone();
    let watching = tokio::spawn(cancel_on_interrupt(cancel));
    let outcome = app.gate.call(request, session).await;
    watching.abort();
    outcome
}

async fn cancel_on_interrupt(cancel: CancellationToken) {
    interrupted().await;
    cancel.cancel();
}

/// Returns when the program is told to end: Ctrl-C, or a signal that asks for it.
#[cfg(unix)]
pub async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut hang_up)) =
        (signal(SignalKind::terminate()), signal(SignalKind::hangup()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
        _ = hang_up.recv() => {}
    }
}

#[cfg(not(unix))]
pub async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

/// Prints an outcome: as a whole, in a dialect's shape, or for a person.
pub fn print(app: &App, printer: Printer, outcome: &Outcome, wanted: Option<&Wanted>) -> Result<()> {
    let asked = wanted.and_then(|wanted| Some((wanted, wanted.dialect.as_deref()?)));
    let in_dialect = asked.and_then(|(wanted, name)| Some((wanted, app.gate.registry.dialect(name)?)));
    if let Some((wanted, dialect)) = in_dialect {
        let shaped = dialect.shaped(&wanted.tool, outcome);
        return match shaped.as_str().filter(|_| !printer.json) {
            Some(text) => printer.line(&safe(text)),
            None => printer.print(&shaped, |_| serde_json::to_string_pretty(&shaped).unwrap_or_default()),
        };
    }
    if printer.json {
        return printer.print(outcome, |_| String::new());
    }
    // What a call had produced when it failed is what a person wants to see; its text ends in why it failed.
    let is_in_text = outcome.error.is_none() || !outcome.data.is_null();
    if is_in_text {
        printer.line(safe(&outcome.text).trim_end_matches('\n'))?;
    }
    match &outcome.error {
        Some(error) if is_in_text => {
            printer.note(&format!("{} {}", Style::for_stderr().red(outcome.status.as_str()), error.code));
        }
        Some(error) => print_error(printer, outcome.status, error),
        None => {}
    }
    print_after(app, printer, outcome);
    Ok(())
}

/// Why a call failed.
pub fn print_error(printer: Printer, status: Status, error: &ErrorBody) {
    let style = Style::for_stderr();
    printer.note(&format!("{} {}", style.red(status.as_str()), safe(&error.message)));
    if let Some(hint) = &error.hint {
        printer.note(&style.dim(&safe(hint)));
    }
}

/// What became of the changes, and how to undo them.
pub fn print_after(app: &App, printer: Printer, outcome: &Outcome) {
    if let Some(words) = after(app.language, outcome) {
        printer.note(&Style::for_stderr().dim(&words));
    }
}

fn after(language: Language, outcome: &Outcome) -> Option<String> {
    let view = ChangesView { style: Style::PLAIN, language };
    let kept = outcome.kept.map(|is_kept| view.short(count_of(&outcome.changes), is_kept));
    let undo =
        outcome.undo.map(|call| format!("{} deskhand undo {call}", language.say("Undo:", "撤销命令：")));
    let parts: Vec<_> = kept.into_iter().chain(undo).collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

#[cfg(test)]
mod tests {
    use deskhand_core::{
        CallId,
        changed::{ChangeKind, ChangedEntry},
    };

    use super::*;

    #[test]
    fn after_a_command_its_changes_are_summed_up_with_their_undo() {
        let call = CallId::new();
        let mut outcome = Outcome::without_gate(call, "bash", Status::Success, "", "");
        outcome.error = None;
        assert_eq!(after(Language::English, &outcome), None);
        outcome.undo = Some(call);
        assert_eq!(after(Language::English, &outcome), Some(format!("Undo: deskhand undo {call}")));
        outcome.kept = Some(true);
        outcome.changes = ["a", "b"].map(|path| ChangedEntry::new(path, ChangeKind::Created)).to_vec();
        let english = format!("2 files changed, kept · Undo: deskhand undo {call}");
        assert_eq!(after(Language::English, &outcome), Some(english));
        (outcome.kept, outcome.undo) = (Some(false), None);
        assert_eq!(after(Language::Chinese, &outcome).as_deref(), Some("2 个文件的更改已丢弃"));
    }
}
