//! `deskhand undo`: undoes the last change, the change of one call, or those of a turn. Goes through the gate as every call.

use std::{fmt::Write, sync::Arc};

use anyhow::{Context, Result};
use deskhand_core::{
    CallId, Caller, Request, SessionCx, UndoJournal,
    session::{Owner, SessionStore, WhichTurn, changes_of_turn},
};
use serde_json::json;

use super::{call, pick};
use crate::{
    assemble::{App, Surfaces},
    terminal::{Printer, ProgressLine, YesApprover, safe},
};

const MOST_LISTED: usize = 50;

pub async fn run(app: &App, printer: Printer, wanted: Option<String>) -> Result<u8> {
    let arguments = match wanted {
        None => json!({}),
        Some(text) => json!({"call_id": call_id(app, text)?}),
    };
    let outcome = call::call(app, Request::new("undo", arguments), &session(app, printer)).await;
    call::print(app, printer, &outcome, None)?;
    Ok(outcome.status.exit_code())
}

/// Undoes what a turn changed, the last change first. It stops at the first change that cannot be undone.
pub async fn turn(app: &App, printer: Printer, wanted: Option<&str>, in_session: Option<&str>) -> Result<u8> {
    let calls = changes(app, wanted, in_session)?;
    let session = session(app, printer);
    let mut outcomes = Vec::new();
    for call in calls {
        let request = Request::new("undo", json!({"call_id": call}));
        let outcome = call::call(app, request, &session).await;
        let is_done = outcome.is_success();
        outcomes.push(outcome);
        if !is_done {
            break;
        }
    }
    printer.print(&json!({"undone": outcomes}), |_| {
        let texts: Vec<_> = outcomes.iter().map(|outcome| safe(outcome.text.trim_end())).collect();
        texts.join("\n")
    })?;
    Ok(outcomes.last().map_or(0, |outcome| outcome.status.exit_code()))
}

/// The calls of a turn that changed something that is not undone yet, the last one first.
fn changes(app: &App, wanted: Option<&str>, in_session: Option<&str>) -> Result<Vec<CallId>> {
    let store = app.store.sessions();
    let session_id = in_session.map(|id| store.find_session(id)).transpose()?.map(|session| session.id);
    let named = wanted.map(|text| call_id(app, text.to_owned())).transpose()?;
    let which = named.as_deref().and_then(CallId::parse).map_or(WhichTurn::Newest, WhichTurn::OfCall);
    let whose = (&Owner::Everyone, session_id.as_deref());
    changes_of_turn(store.as_ref(), app.store.undo().as_ref(), whose, which)?
        .context("there is no turn whose changes could be undone")
}

/// The whole id of a call that is named whole or by its end.
fn call_id(app: &App, text: String) -> Result<String> {
    if CallId::parse(&text).is_some() {
        return Ok(text);
    }
    let recent = app.store.undo().recent(MOST_LISTED)?;
    let ids: Vec<String> = recent.iter().map(|entry| entry.call.to_string()).collect();
    pick(ids.iter().map(String::as_str), &text, "change that can be undone")
}

/// Typing the command is the person's yes.
fn session(app: &App, printer: Printer) -> SessionCx {
    let surfaces = Surfaces {
        approvers: vec![Arc::new(YesApprover::COMMAND)],
        wait_for_others: false,
        events: Arc::new(ProgressLine::new(printer.json)),
    };
    app.session(Caller::COMMAND_LINE, surfaces)
}

pub fn list(app: &App, printer: Printer) -> Result<u8> {
    let entries = app.store.undo().recent(MOST_LISTED)?;
    let rows: Vec<_> = entries
        .iter()
        .map(|entry| {
            json!({
                "call_id": entry.call, "tool": entry.tool, "summary": entry.summary, "at": entry.at,
                "changes": entry.steps.len(), "undone_by": entry.undone_by,
            })
        })
        .collect();
    printer.print(&json!({"changes": rows}), |style| {
        if entries.is_empty() {
            return app.language.say("There is nothing to undo.", "没有可以撤销的改动。").to_owned();
        }
        let mut text = String::new();
        for entry in &entries {
            let done = if entry.undone_by.is_some() { " (undone)" } else { "" };
            let _ = writeln!(
                text,
                "{}  {}  {}{done}",
                style.bold(&entry.call.to_string()),
                entry.at,
                safe(&entry.summary)
            );
        }
        text
    })?;
    Ok(0)
}
