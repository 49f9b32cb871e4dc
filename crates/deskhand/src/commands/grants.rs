//! `deskhand grants`: remembered answers, and taking them back.

use std::fmt::Write;

use anyhow::{Result, bail};
use deskhand_core::{GrantBook, Time};
use serde_json::json;

use super::pick;
use crate::{
    assemble::App,
    cli::GrantAction,
    terminal::{Printer, safe_line},
};

pub fn run(app: &App, printer: Printer, action: Option<GrantAction>) -> Result<u8> {
    let book = app.store.grants();
    let grants = book.list()?;
    let Some(GrantAction::Revoke { id }) = action else {
        let now = Time::now();
        let rows: Vec<_> = grants
            .iter()
            .map(|grant| {
                let expired = grant.until.is_some_and(|until| until <= now);
                json!({"grant": grant, "words": grant.words(), "expired": expired})
            })
            .collect();
        printer.print(&json!({"grants": rows}), |style| {
            if grants.is_empty() {
                return app.language.say("No answers are remembered.", "没有记住的授权。").to_owned();
            }
            let mut text = String::new();
            for grant in &grants {
                let expired = if grant.until.is_some_and(|until| until <= now) { " (expired)" } else { "" };
                let _ = writeln!(text, "{}  {}{expired}", style.bold(&grant.id), safe_line(&grant.words()));
            }
            text
        })?;
        return Ok(0);
    };
    let id = pick(grants.iter().map(|grant| grant.id.as_str()), &id, "grant")?;
    if !book.revoke(&id)? {
        bail!("the grant {id} was revoked a moment ago");
    }
    printer.print(&json!({"revoked": id}), |_| format!("Revoked {id}."))?;
    Ok(0)
}
