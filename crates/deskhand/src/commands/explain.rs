//! `deskhand explain`: the plan, the decision and the rule. Runs nothing.

use std::io::BufRead;

use anyhow::{Result, anyhow};
use deskhand_core::{Caller, Request, ToolError, event::NoEvents};
use serde_json::{Value, json};

use crate::{
    assemble::{App, Surfaces},
    terminal::{PlanView, Printer, Style, explanation, parse_arguments, safe},
};

pub async fn one(
    app: &App,
    printer: Printer,
    tool: &str,
    arguments: &[String],
    dialect: Option<String>,
) -> Result<u8> {
    app.servers_for(tool).await;
    let arguments = parse_arguments(arguments, &app.schema_of(tool, dialect.as_deref()))?;
    let request = Request::new(tool, arguments).in_dialect(dialect);
    match app.gate.explain(request, &session(app)).await {
        Ok(explained) => {
            let view = PlanView { style: printer.style, language: app.language };
            printer.print(&explained, |_| explanation(view, &explained))?;
            Ok(0)
        }
        Err(error) => {
            let value = json!({
                "tool": tool,
                "status": error.status,
                "error": {"code": error.code, "message": error.message, "hint": error.hint},
            });
            if printer.json {
                printer.print(&value, |_| String::new())?;
            } else {
                let style = Style::for_stderr();
                printer.note(&format!("{} {}", style.red(error.status.as_str()), safe(&error.message)));
                printer.note(&style.dim(&safe(error.hint.as_deref().unwrap_or_default())));
            }
            Ok(error.status.exit_code())
        }
    }
}

/// Answers lines from stdin, one for each, in their order, as they come.
pub async fn lines(app: &App, printer: Printer, dialect: Option<String>) -> Result<u8> {
    let session = session(app);
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = match serde_json::from_str::<Value>(&line) {
            Err(error) => refused(&Value::Null, "invalid_json", &format!("The line is not JSON: {error}.")),
            Ok(asked) => {
                let id = asked.get("id").cloned().unwrap_or(Value::Null);
                match request(&asked, dialect.clone()) {
                    Err(error) => refused(&id, "invalid_line", &format!("{error:#}.")),
                    Ok(request) => answer(app, &id, app.gate.explain(request, &session).await),
                }
            }
        };
        printer.line(&answer.to_string())?;
    }
    Ok(0)
}

fn request(asked: &Value, dialect: Option<String>) -> Result<Request> {
    let tool =
        asked.get("tool").and_then(Value::as_str).ok_or_else(|| anyhow!("the line has no text \"tool\""))?;
    let arguments = asked.get("arguments").cloned().unwrap_or_else(|| json!({}));
    Ok(Request::new(tool, arguments).in_dialect(dialect))
}

fn answer(app: &App, id: &Value, explained: Result<deskhand_core::Explanation, ToolError>) -> Value {
    match explained {
        Ok(it) => json!({
            "id": id,
            "decision": it.decision,
            "permission": it.permission,
            "rule": it.rule,
            "why": it.why,
            "runs": it.runs,
            "keep": it.keep,
        }),
        Err(error) => refused(id, error.code, &app.gate.screener.mask_text(&error.message)),
    }
}

/// A call that cannot be made at all is not allowed either.
fn refused(id: &Value, rule: &str, why: &str) -> Value {
    json!({"id": id, "decision": "forbid", "permission": null, "rule": rule, "why": why})
}

fn session(app: &App) -> deskhand_core::SessionCx {
    let nobody =
        Surfaces { approvers: Vec::new(), wait_for_others: false, events: std::sync::Arc::new(NoEvents) };
    app.session(Caller::COMMAND_LINE, nobody)
}
