//! `deskhand audit`: what was done, and whether the record is whole.

use std::fmt::Write;

use anyhow::{Context, Result};
use deskhand_core::{AuditTrail, CallId, audit::AuditQuery};
use serde_json::json;

use crate::{
    assemble::App,
    cli::{AuditAction, AuditFilter},
    terminal::{Printer, parse_ago, safe},
};

pub fn run(app: &App, printer: Printer, action: Option<&AuditAction>, filter: &AuditFilter) -> Result<u8> {
    match action {
        Some(AuditAction::Verify) => verify(app, printer),
        None => list(app, printer, filter),
    }
}

fn verify(app: &App, printer: Printer) -> Result<u8> {
    let report = app.store.audit().verify()?;
    let whole = report.is_intact();
    let mut value = serde_json::to_value(&report)?;
    value["ok"] = json!(whole);
    printer.print(&value, |style| {
        let mut text = String::new();
        for finding in &report.findings {
            let _ = writeln!(text, "{} {}", style.red("!"), safe(&finding.message));
        }
        let files = if report.files == 1 { "1 file".to_owned() } else { format!("{} files", report.files) };
        let counted = format!("{} records in {files}", report.records);
        let verdict = if whole {
            style.green(app.language.say("The chain is whole", "审计链完整"))
        } else {
            style.red(app.language.say("The chain is NOT whole", "审计链不完整"))
        };
        let _ = writeln!(text, "{verdict}: {counted}.");
        text
    })?;
    Ok(u8::from(!whole))
}

fn list(app: &App, printer: Printer, filter: &AuditFilter) -> Result<u8> {
    let call = filter.call.as_deref();
    let query = AuditQuery {
        limit: filter.limit,
        before: filter.before,
        tool: filter.tool.clone(),
        status: filter.status.clone(),
        call_id: call
            .map(|id| CallId::parse(id).with_context(|| format!("{id} is no id of a call")))
            .transpose()?,
        since: filter.since.as_deref().map(parse_ago).transpose()?,
        ..AuditQuery::default()
    };
    let page = app.store.audit().query(&query)?;
    printer.print(&page, |style| {
        let mut text = String::new();
        for entry in &page.records {
            let record = &entry.record;
            let took = record.duration_ms.map_or_else(String::new, |ms| format!(" {ms} ms"));
            let by = record.decided_by.as_deref().map_or_else(String::new, |by| format!(" [{by}]"));
            let _ = writeln!(
                text,
                "{} {} {} {}{took}{by} {}",
                record.timestamp,
                style.dim(&record.call_id.map_or_else(|| "-".to_owned(), |id| id.to_string())),
                style.bold(&safe(&record.tool_name)),
                record.status,
                style.dim(&safe(&record.arguments.to_string()).chars().take(120).collect::<String>()),
            );
        }
        if page.records.is_empty() {
            text.push_str(app.language.say("No such records.", "没有符合的记录。"));
        }
        if let Some(next) = page.next {
            let _ = writeln!(text, "{}", style.dim(&format!("There are older ones: --before {next}")));
        }
        text
    })?;
    Ok(0)
}
