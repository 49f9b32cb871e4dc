//! `deskhand doctor`: what works on this machine, and what to do about what does not.

use std::{fmt::Write, time::Duration};

use anyhow::Result;
use deskhand_agent::Models;
use deskhand_browser::launch;
use deskhand_core::{
    AuditTrail, GrantBook, UndoJournal,
    session::{Owner, PageAsk, SessionQuery, SessionStore},
};
#[cfg(unix)]
use deskhand_guard::sandbox::{ALLOW_LANDLOCK, ALLOW_NAMESPACES};
use deskhand_serve::mcp::client::{ServerState, ServerStatus};
use serde::Serialize;
use serde_json::json;

use crate::{
    assemble::App,
    models::{Chosen, ConfiguredModels},
    terminal::{Printer, Style, can_ask},
};

#[derive(Serialize)]
struct Check {
    name: &'static str,
    ok: bool,
    /// What was found.
    found: String,
    /// What to do about it.
    remedy: Option<String>,
}

impl Check {
    fn good(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, ok: true, found: found.into(), remedy: None }
    }

    fn bad(name: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name, ok: false, found: found.into(), remedy: Some(remedy.into()) }
    }
}

pub async fn run(app: &App, printer: Printer) -> Result<u8> {
    let mut checks = vec![
        data_folder(app),
        database(app),
        sessions(app),
        model(app).await,
        keys(app),
        web_page(),
        audit(app),
        undo(app),
        workspace(app),
        config(app),
        tools(app),
        display(app),
        servers(app).await,
        browser(app).await,
        person(),
    ];
    checks.extend(confinement(app));
    let absent: Vec<_> = app
        .gate
        .registry
        .absent()
        .map(|(entry, absent)| json!({"name": entry.spec().name, "why": absent.why, "remedy": absent.remedy}))
        .collect();
    let all_good = checks.iter().all(|check| check.ok);
    let value = json!({"ok": all_good, "version": env!("CARGO_PKG_VERSION"), "checks": checks, "absent_tools": absent});
    printer.print(&value, |style| text(&checks, style))?;
    Ok(u8::from(!all_good))
}

fn text(checks: &[Check], style: Style) -> String {
    let mut text = String::new();
    for check in checks {
        let mark = if check.ok { style.green("ok ") } else { style.red("BAD") };
        let _ = writeln!(text, "{mark} {:<12} {}", check.name, check.found);
        if let Some(remedy) = &check.remedy {
            let _ = writeln!(text, "    {:<12} {}", "", style.yellow(remedy));
        }
    }
    text
}

/// A file can be made, written and removed in it, and nobody else can look into it.
fn data_folder(app: &App) -> Check {
    const NAME: &str = "data folder";
    let shown = app.data_dir.display();
    let probe = app.data_dir.join(format!(".doctor-{}", std::process::id()));
    let wrote = std::fs::write(&probe, b"x").and_then(|()| std::fs::remove_file(&probe));
    match wrote {
        Err(error) => Check::bad(
            NAME,
            format!("{shown}: {error}"),
            "Make it writable, or name another with --data-dir.",
        ),
        Ok(()) if open_to_others(&app.data_dir) => {
            Check::bad(NAME, format!("{shown} can be read by other users"), format!("chmod 700 {shown}"))
        }
        Ok(()) => Check::good(NAME, shown.to_string()),
    }
}

#[cfg(unix)]
fn open_to_others(path: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn open_to_others(_: &std::path::Path) -> bool {
    false
}

fn database(app: &App) -> Check {
    match app.store.grants().list() {
        Ok(grants) => Check::good("database", format!("opens; {} remembered answers", grants.len())),
        Err(error) => {
            Check::bad("database", error.to_string(), "Move deskhand.db away to start with a new one.")
        }
    }
}

/// Whether the other MCP servers come up: each is begun and asked for its tools.
async fn servers(app: &App) -> Check {
    const NAME: &str = "MCP servers";
    const WAITS: Duration = Duration::from_secs(15);
    let problems = crate::servers::configured(&app.settings, app.config_dir.as_deref()).problems;
    if let Some(problem) = problems.first() {
        return Check::bad(NAME, problem.clone(), "Mend the file; `deskhand servers` lists what it has.");
    }
    let servers = app.servers();
    servers.settled(WAITS).await;
    let states = servers.states();
    let is_good = |state: &&ServerState| matches!(state.status, ServerStatus::Ready | ServerStatus::Disabled);
    match states.iter().find(|state| !is_good(state)) {
        None if states.is_empty() => Check::good(NAME, "none set up"),
        None => Check::good(NAME, format!("{} set up, all answer", states.len())),
        Some(bad) => Check::bad(
            NAME,
            format!("{} does not work: {}", bad.name, bad.error.as_deref().unwrap_or("it does not answer")),
            format!("`deskhand servers show {}` says more.", bad.name),
        ),
    }
}

fn sessions(app: &App) -> Check {
    let page = PageAsk { page: 1, size: 1 };
    let store = app.store.sessions();
    let counted =
        store.sessions(&SessionQuery { page, owner: Owner::Everyone, archived: None, deleted: false });
    match counted.and_then(|found| Ok((found.total, store.broken_turns()?.len()))) {
        Ok((total, 0)) => Check::good("sessions", format!("{total} kept")),
        Ok((total, broken)) => Check::good(
            "sessions",
            format!("{total} kept; {broken} turns were cut off and will be closed when one is next begun"),
        ),
        Err(error) => Check::bad("sessions", error.to_string(), "Check deskhand.db in the data folder."),
    }
}

/// Which model would answer, and whether it can be connected. Nothing is asked of a provider: that could cost.
async fn model(app: &App) -> Check {
    let models = ConfiguredModels::new(&app.settings, app.config_dir.clone());
    let Some(chosen) = models.usual().await else {
        return Check::good("model", "none yet: `deskhand` says how to get one; tools work without");
    };
    let why = match &chosen {
        Chosen::BySetting(_) => "by setting",
        Chosen::ByKey(_) => "its key is there",
        Chosen::OnThisMachine(_) => "found on this machine",
    };
    match models.connect(Some(chosen.name())) {
        Ok(provider) => {
            let can = provider.capabilities();
            let calls = if can.native_tools { "calls tools by itself" } else { "writes its calls as text" };
            let found = format!("{} ({why}); {} tokens, {calls}", provider.name(), can.context_tokens);
            Check::good("model", found)
        }
        Err(error) => Check::bad("model", error.message, error.hint.unwrap_or_default()),
    }
}

/// Which sources of keys there are. A missing keyring is no fault: there is the file.
fn keys(app: &App) -> Check {
    let models = ConfiguredModels::new(&app.settings, app.config_dir.clone());
    let keyring = match models.keys().check_keyring() {
        Ok(()) => "the system's keyring".to_owned(),
        Err(why) => format!("no keyring ({why})"),
    };
    let Some(file) = models.keys().file().filter(|file| file.exists()) else {
        return Check::good("keys", format!("from the environment; {keyring}; there is no keys.toml"));
    };
    if open_to_others(file) {
        let shown = file.display();
        return Check::bad(
            "keys",
            format!("{shown} can be read by other users"),
            format!("chmod 600 {shown}"),
        );
    }
    Check::good("keys", format!("from the environment; {keyring}; {}", file.display()))
}

fn web_page() -> Check {
    if deskhand_serve::http::page_is_built_in() {
        return Check::good("web page", "built in; `deskhand serve --open` opens it");
    }
    Check::bad("web page", "not built into this program", "build the program with `make build`")
}

fn audit(app: &App) -> Check {
    if !app.settings.store().audit_enabled {
        let remedy = "Remove audit.enabled = false from the config.";
        return Check::bad("audit", "switched off by a setting: calls are not recorded", remedy);
    }
    match app.store.audit().verify() {
        Ok(report) if report.is_intact() => {
            Check::good("audit", format!("{} records, all whole", report.records))
        }
        Ok(report) => {
            let found = format!("{} findings: {}", report.findings.len(), report.findings[0].message);
            Check::bad("audit", found, "`deskhand audit verify` lists them all.")
        }
        Err(error) => Check::bad("audit", error.to_string(), "Check the folder audit/ in the data folder."),
    }
}

fn undo(app: &App) -> Check {
    match app.store.undo().recent(1) {
        Ok(_) => {
            let mib = app.store.undo().limit() / (1 << 20);
            Check::good("undo", format!("changes of up to {mib} MiB each can be taken back"))
        }
        Err(error) => Check::bad("undo", error.to_string(), "Check the folder undo/ in the data folder."),
    }
}

fn workspace(app: &App) -> Check {
    let further: Vec<_> = app.paths.further().map(|root| root.display().to_string()).collect();
    let further = match further.as_slice() {
        [] => String::new(),
        folders => format!("; also read without a question: {}", folders.join(", ")),
    };
    let links = if deskhand_guard::paths::opens_without_links() {
        "paths are opened by openat2, which follows no link"
    } else {
        "paths are opened step by step, following no link (openat2 is not to be had here)"
    };
    Check::good("workspace", format!("{}{further}; {links}", app.paths.workspace().display()))
}

fn config(app: &App) -> Check {
    let settings = &app.settings;
    match settings.warnings.first() {
        Some(warning) => Check::bad("config", warning.clone(), "Mend the file."),
        None if settings.ignored.is_empty() => Check::good("config", format!("mode {}", app.mode)),
        None => {
            let keys: Vec<_> = settings.ignored.iter().map(|ignored| ignored.key.as_str()).collect();
            Check::good(
                "config",
                format!(
                    "mode {}; the workspace's {} ignored (see `deskhand config`)",
                    app.mode,
                    keys.join(", ")
                ),
            )
        }
    }
}

fn tools(app: &App) -> Check {
    let offered = app.gate.registry.offered().count();
    // Most are missing for one and the same reason, which is said once.
    let mut absent: Vec<(&str, Vec<&str>)> = Vec::new();
    for (entry, why) in app.gate.registry.absent().map(|(entry, absent)| (entry, absent.why.as_str())) {
        match absent.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(entry.spec().name),
            None => absent.push((why, vec![entry.spec().name])),
        }
    }
    let absent: Vec<String> =
        absent.iter().map(|(why, names)| format!("; not offered: {} ({why})", names.join(", "))).collect();
    Check::good("tools", format!("{offered} offered{}", absent.concat()))
}

/// The desktop, and where there is none why. That is no fault: servers have none.
fn display(app: &App) -> Check {
    match app.seat.about() {
        Ok(found) => Check::good("display", found),
        Err(absent) => {
            Check { remedy: Some(absent.remedy), ..Check::good("display", format!("none: {}", absent.why)) }
        }
    }
}

/// Each wall by itself, found out by trying, and what is in force.
#[cfg(unix)]
fn confinement(app: &App) -> Vec<Check> {
    let programs = match app.shell.why_broken() {
        Some(why) => {
            Check::bad("programs", format!("no command runs: {why}"), "Mend the file, or move it away.")
        }
        None => Check::good("programs", "the rules for programs can be read"),
    };
    let findings = app.sandbox.findings();
    let in_force = match app.sandbox.in_force() {
        Ok(found) => {
            let weaker = found.weaker_because.as_ref().map(|why| format!(" (not stronger: {why})"));
            Check::good("sandbox", format!("{}: {}{}", found.kind, found.words, weaker.unwrap_or_default()))
        }
        Err(error) => Check::bad("sandbox", error.message, error.hint.unwrap_or_default()),
    };
    let namespaces = match &findings.namespaces {
        Ok(_) => Check::good("namespaces", "user, mount, PID, network and IPC namespaces work"),
        Err(why) => Check::bad("namespaces", why.clone(), format!("{ALLOW_NAMESPACES}.")),
    };
    let abi =
        [&findings.namespaces, &findings.landlock].into_iter().flatten().map(|found| found.landlock_abi);
    let landlock = match (abi.max().unwrap_or(0), &findings.landlock) {
        (0, Ok(_)) => Check::bad("landlock", "not there", ALLOW_LANDLOCK),
        (0, Err(why)) => Check::bad("landlock", why.clone(), ALLOW_LANDLOCK),
        (abi, _) => Check::good("landlock", format!("ABI {abi}")),
    };
    let seccomp = match (&findings.namespaces, &findings.landlock) {
        (Err(one), Err(other)) if one.contains("seccomp") || other.contains("seccomp") => {
            Check::bad("seccomp", "filters cannot be installed", "Use a kernel with CONFIG_SECCOMP_FILTER.")
        }
        (Err(_), Err(_)) => Check::bad("seccomp", "not tried: no other wall stands", "See above."),
        _ => Check::good("seccomp", "filters work"),
    };
    let layer = match app.sandbox.no_layer() {
        None => Check::good(
            "layer",
            "commands run on a copy-on-write layer: changes are shown, then kept or discarded",
        ),
        Some(why) => Check::bad(
            "layer",
            format!("commands run read-only first, and directly only after a yes: {why}"),
            "Use a workspace on an ordinary file system with nothing mounted in it, and allow user namespaces.",
        ),
    };
    vec![programs, in_force, layer, namespaces, landlock, seccomp]
}

#[cfg(not(unix))]
fn confinement(_: &App) -> Vec<Check> {
    vec![Check::bad("sandbox", "there is none for this system yet", "Programs are not started here.")]
}

/// A browser that is missing is no fault: everything else works without it.
async fn browser(app: &App) -> Check {
    const NAME: &str = "browser";
    if let Some(address) = &app.browsers.config().attach {
        return Check::good(NAME, format!("the one that runs at {address}"));
    }
    match app.browsers.found() {
        Ok(found) => {
            let version = launch::version(&found).await.unwrap_or_else(|| found.name.clone());
            let sandbox = if launch::without_sandbox() {
                "; started without its own sandbox, since Deskhand runs as root"
            } else {
                ""
            };
            Check::good(NAME, format!("{version} ({}){sandbox}", found.path.display()))
        }
        Err(error) => {
            let check = Check::good(NAME, format!("{error}: the browser tools are not offered"));
            Check { remedy: Some(error.remedy()), ..check }
        }
    }
}

fn person() -> Check {
    let found = if can_ask() {
        "questions are asked here"
    } else {
        "no terminal here: calls that need a person are refused, unless --yes, --wait or a grant answers"
    };
    Check::good("approval", found)
}
