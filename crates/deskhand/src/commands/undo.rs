//! `deskhand undo`: takes back the last change, or the change of one call. Goes through the gate as every call.

use std::{fmt::Write, sync::Arc};

use anyhow::Result;
use deskhand_core::{CallId, Request, UndoJournal};
use serde_json::json;

use super::{call, pick};
use crate::{
    assemble::{App, Surfaces},
    terminal::{Printer, ProgressLine, YesApprover, safe},
};

const MOST_LISTED: usize = 50;

pub async fn run(app: &App, printer: Printer, wanted: Option<String>, list_them: bool) -> Result<u8> {
    if list_them {
        return list(app, printer);
    }
    let arguments = match wanted {
        None => json!({}),
        Some(text) => {
            let id = if CallId::parse(&text).is_some() {
                text
            } else {
                let recent = app.store.undo().recent(MOST_LISTED)?;
                let ids: Vec<String> = recent.iter().map(|entry| entry.call.to_string()).collect();
                pick(ids.iter().map(String::as_str), &text, "change that can be taken back")?
            };
            json!({"call_id": id})
        }
    };
    // Typing the command is the person's yes.
    let surfaces = Surfaces {
        approvers: vec![Arc::new(YesApprover::COMMAND)],
        wait_for_others: false,
        events: Arc::new(ProgressLine::new(printer.json)),
    };
    let session = app.session("cli", surfaces);
    let outcome = call::call(app, Request::new("undo", arguments), &session).await;
    call::print(app, printer, &outcome, None)?;
    Ok(outcome.status.exit_code())
}

fn list(app: &App, printer: Printer) -> Result<u8> {
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
            return app.language.say("There is nothing to take back.", "没有可以撤销的改动。").to_owned();
        }
        let mut text = String::new();
        for entry in &entries {
            let done = if entry.undone_by.is_some() { " (taken back)" } else { "" };
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
