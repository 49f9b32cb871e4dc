//! `deskhand config`: every setting, its value and where it comes from; trusting a workspace's own config.

use std::fmt::Write;

use anyhow::{Context, Result};
use serde_json::json;

use crate::{
    assemble::App,
    cli::ConfigAction,
    terminal::{Printer, safe_line},
};

pub fn run(app: &App, printer: Printer, action: Option<&ConfigAction>) -> Result<u8> {
    let Some(action) = action else { return show(app, printer) };
    let file = app.settings.workspace_file.as_ref().context("this workspace has no .deskhand/config.toml")?;
    let path = file.path.display();
    match action {
        ConfigAction::Trust => {
            app.store.trust().trust(&file.path, &file.sha256)?;
            printer.print(&json!({"trusted": file.path}), |_| {
                format!("{path} is trusted as it is now; when its content changes, it is not any more.")
            })?;
        }
        ConfigAction::Untrust => {
            app.store.trust().revoke(&file.path)?;
            printer
                .print(&json!({"untrusted": file.path}), |_| format!("{path} may only tighten settings."))?;
        }
    }
    Ok(0)
}

fn show(app: &App, printer: Printer) -> Result<u8> {
    let settings = &app.settings.without_secrets();
    let value = json!({
        "settings": settings.all(),
        "ignored": settings.ignored,
        "workspace_config": settings.workspace_file,
        "data_dir": app.data_dir,
        "workspaces": app.paths.workspaces().collect::<Vec<_>>(),
        "read_only_roots": app.paths.further().collect::<Vec<_>>(),
    });
    printer.print(&value, |style| {
        let mut text = String::new();
        for (key, setting) in settings.all() {
            let source = style.dim(&format!("({})", setting.source));
            let (key, value) = (safe_line(key), safe_line(&setting.value.to_string()));
            let _ = writeln!(text, "{} = {value}  {source}", style.bold(&key));
        }
        for ignored in &settings.ignored {
            let (key, value) = (safe_line(&ignored.key), safe_line(&ignored.value.to_string()));
            let _ =
                writeln!(text, "{} {key} = {value}: {}", style.yellow("ignored"), safe_line(&ignored.why));
        }
        let _ = writeln!(text, "data: {}", app.data_dir.display());
        let _ = writeln!(text, "workspace: {}", app.paths.workspace().display());
        text
    })?;
    Ok(0)
}
