//! `deskhand servers`: the other MCP servers, whether they work, and what they print.

use std::{fmt::Write, path::PathBuf, sync::Arc, time::Duration};

use anyhow::{Context, Result, bail};
use deskhand_serve::mcp::client::{
    ServerState, ServerStatus,
    sign_in::{self, Keeper, Login},
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::call::interrupted;
use crate::{
    assemble::App,
    cli::ServerAction,
    servers,
    terminal::{Printer, Style, safe, safe_line},
};

/// How long one waits for a server to say what it has.
const WAITS: Duration = Duration::from_secs(30);

pub async fn run(app: &App, printer: Printer, action: Option<ServerAction>) -> Result<u8> {
    match action {
        None => list(app, printer).await,
        Some(ServerAction::Show { name }) => show(app, printer, &name).await,
        Some(ServerAction::Import { file }) => import(app, printer, &file),
        Some(ServerAction::Login { name }) => login(app, printer, &name).await,
        Some(ServerAction::Logout { name }) => {
            let (server, keeper) = to_sign_in(app, &name)?;
            let had = tokio::task::spawn_blocking(move || sign_in::login::logout(&server, keeper.as_ref()));
            let had = had.await.context("the tokens could not be looked for")??;
            printer.print(&json!({"signed_out": had}), |_| {
                let there_were =
                    if had { "The tokens for it are forgotten." } else { "There were no tokens for it." };
                format!("{name}: {there_were}")
            })?;
            Ok(0)
        }
        Some(ServerAction::Remove { name }) => {
            servers::remove(&config_dir(app)?, &name, app.gate.grants.as_ref())?;
            printer.print(&json!({"removed": name}), |_| format!("{name} is not a server here any more."))?;
            Ok(0)
        }
    }
}

fn config_dir(app: &App) -> Result<PathBuf> {
    app.config_dir.clone().context("there is no config folder: name one with --config")
}

async fn states(app: &App) -> Vec<ServerState> {
    let servers = app.servers();
    servers.settled(WAITS).await;
    servers.states()
}

async fn list(app: &App, printer: Printer) -> Result<u8> {
    let problems = servers::configured(&app.settings, app.config_dir.as_deref()).problems;
    let states = states(app).await;
    let all_good = problems.is_empty() && states.iter().all(is_good);
    printer.print(&json!({"servers": states, "problems": problems}), |style| {
        if states.is_empty() && problems.is_empty() {
            return "No other MCP servers are set up. `deskhand servers import FILE` takes those of another client \
                    over."
                .to_owned();
        }
        let wrong = problems.iter().map(|problem| format!("{} {}\n", style.red("wrong"), safe_line(problem)));
        states.iter().map(|state| row(state, style)).chain(wrong).collect::<String>()
    })?;
    Ok(u8::from(!all_good))
}

fn is_good(state: &ServerState) -> bool {
    matches!(state.status, ServerStatus::Ready | ServerStatus::Disabled)
}

fn row(state: &ServerState, style: Style) -> String {
    let status = state.status.as_str();
    let status = if is_good(state) { style.green(status) } else { style.red(status) };
    let name = format!("{:<16}", safe_line(&state.name));
    let mut text = format!("{} {:<6} {status}, {} tools\n", style.bold(&name), state.kind, state.tools.len());
    if let Some(error) = &state.error {
        let _ = writeln!(text, "  {}", safe_line(error));
    }
    for note in &state.notes {
        let _ = writeln!(text, "  {}", style.dim(&safe_line(note)));
    }
    text
}

async fn show(app: &App, printer: Printer, name: &str) -> Result<u8> {
    let states = states(app).await;
    let Some(state) = states.iter().find(|state| state.name == name) else {
        let names: Vec<&str> = states.iter().map(|state| state.name.as_str()).collect();
        bail!("there is no server {name}; there are: {}", names.join(", "));
    };
    printer.print(state, |style| {
        let mut text = row(state, style);
        for tool in &state.tools {
            let _ = writeln!(text, "  {}", safe_line(tool));
        }
        for refused in &state.refused {
            let _ = writeln!(
                text,
                "  {} {}: {}",
                style.yellow("refused"),
                safe_line(&refused.name),
                safe_line(&refused.why)
            );
        }
        if !state.stderr.is_empty() {
            let _ = writeln!(text, "what it printed to standard error:\n{}", safe(&state.stderr.join("\n")));
        }
        text
    })?;
    Ok(u8::from(!is_good(state)))
}

fn import(app: &App, printer: Printer, file: &std::path::Path) -> Result<u8> {
    let config_dir = config_dir(app)?;
    let imported = servers::import(&config_dir, file, app.gate.grants.as_ref())?;
    let into = servers::file(&config_dir);
    // An argument may be a key.
    let masked = |line: &str| app.gate.screener.mask_text(line).into_string();
    let starts: Vec<String> = imported.servers.iter().map(|one| masked(&one.starts())).collect();
    let (added, replaced) = (imported.added(), imported.replaced());
    let value = json!({
        "added": added, "replaced": replaced, "file": into, "starts": starts,
        "left_out": imported.left_out,
    });
    printer.print(&value, |_| {
        let mut text = String::new();
        for (what, names) in [("added", &added), ("replaced", &replaced)] {
            if !names.is_empty() {
                let _ = writeln!(text, "{what}: {}", safe_line(&names.join(", ")));
            }
        }
        for line in &starts {
            let _ = writeln!(text, "  {}", safe_line(line));
        }
        for line in &imported.left_out {
            let _ = writeln!(text, "left out: {}", safe_line(line));
        }
        let _ = writeln!(text, "They are written down in {}.", into.display());
        text.push_str(
            "From the next command on their programs are started, as you and unconfined: take out with `deskhand \
             servers remove NAME` what you do not know. Their tools are asked about before they run; `deskhand \
             servers` says whether they work.",
        );
        text
    })?;
    Ok(0)
}

fn to_sign_in(app: &App, name: &str) -> Result<(sign_in::Server, Arc<dyn Keeper>)> {
    let configured = servers::configured(&app.settings, app.config_dir.as_deref());
    let config = configured.servers.get(name).with_context(|| format!("there is no server {name}"))?;
    app.to_sign_in(name, config)
}

async fn login(app: &App, printer: Printer, name: &str) -> Result<u8> {
    let (server, keeper) = to_sign_in(app, name)?;
    let cancel = CancellationToken::new();
    let show = |address: &str| {
        let words = app.language.say("Sign in at this address:", "请在此地址登录：");
        printer.note(&format!("{words}\n\n  {}\n", safe_line(address)));
        // On a machine without a browser the person takes the address to another one.
        let _ = opener::open_browser(address);
    };
    let signed_in = tokio::select! {
        signed_in = Login::new(server, keeper).run(show, &cancel) => signed_in?,
        () = interrupted() => bail!("nobody has signed in"),
    };
    let value = json!({"signed_in": name, "scopes": signed_in.scopes});
    printer.print(&value, |_| {
        format!("{}: {}", safe_line(name), app.language.say("you are signed in.", "已登录。"))
    })?;
    Ok(0)
}
