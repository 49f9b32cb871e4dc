//! One file for each command.

mod approvals;
mod audit;
mod call;
mod chat;
mod config;
mod connect;
mod console;
mod demo;
mod doctor;
mod explain;
mod grants;
mod mcp;
mod serve;
mod servers;
mod sessions;
mod setup;
mod start;
mod tools;
mod try_out;
mod undo;

use anyhow::Result;
use clap::CommandFactory;

use self::start::Otherwise;
use crate::{
    assemble::App,
    cli::{ChatArgs, Cli, Command, ConfigAction, Shared},
    reference,
    terminal::{Printer, safe_line},
};

/// Does what the command line says. The number is the exit code.
pub async fn dispatch(cli: Cli, printer: Printer) -> Result<u8> {
    let Cli { shared, command, go_on } = cli;
    let Some(command) = command else {
        let app = open_for_people(&shared, printer)?;
        app.servers();
        let chat = ChatArgs { go_on, ..ChatArgs::default() };
        let ended = start::run(&app, &shared, printer, chat, Otherwise::Demo).await;
        app.close().await;
        return ended;
    };
    match command {
        Command::Chat(wanted) => {
            let app = open_for_people(&shared, printer)?;
            app.servers();
            let ended = start::run(&app, &shared, printer, wanted, Otherwise::Error).await;
            app.close().await;
            ended
        }
        Command::Serve(args) => serve::run(open_for_people(&shared, printer)?, &shared, printer, &args).await,
        Command::Mcp(args) => mcp::run(open(&shared, printer)?, printer, &args).await,
        Command::Demo => demo::run(&shared, printer).await,
        // Before the program is put together, which a wrong value in the file would prevent.
        Command::Config { action: Some(ConfigAction::Set { key, value }) } => {
            config::change(&shared, printer, &key, Some(&value))
        }
        Command::Config { action: Some(ConfigAction::Unset { key }) } => {
            config::change(&shared, printer, &key, None)
        }
        Command::Setup(args) => {
            let app = open(&shared, printer)?;
            let ended = unless_interrupted(Box::pin(setup::run(&app, &shared, printer, &args))).await;
            app.close().await;
            ended
        }
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "deskhand", &mut text);
            printer.line(String::from_utf8_lossy(&text).trim_end())?;
            Ok(0)
        }
        Command::Man => {
            printer.line(reference::man_page()?.trim_end())?;
            Ok(0)
        }
        other => {
            let app = open(&shared, printer)?;
            let ended = with_app(other, &app, printer).await;
            app.close().await;
            ended
        }
    }
}

/// Work that waits for other servers. Ctrl-C still returns here, so that they are shut down.
async fn unless_interrupted(work: impl Future<Output = Result<u8>>) -> Result<u8> {
    tokio::select! {
        ended = work => ended,
        () = call::interrupted() => Ok(deskhand_core::Status::Cancelled.exit_code()),
    }
}

async fn with_app(command: Command, app: &App, printer: Printer) -> Result<u8> {
    match command {
        Command::Call { tool, arguments, yes, wait, dialect } => {
            call::run(app, printer, &call::Wanted { tool, arguments, yes, wait, dialect }).await
        }
        Command::Explain { tool: Some(tool), arguments, dialect, jsonl: false } => {
            unless_interrupted(explain::one(app, printer, &tool, &arguments, dialect)).await
        }
        Command::Explain { dialect, .. } => explain::lines(app, printer, dialect).await,
        Command::Tools { name, toolset, dialect, format } => {
            let wanted = tools::Wanted { name, toolset, dialect, format };
            unless_interrupted(async {
                app.servers_for(wanted.name.as_deref().unwrap_or_default()).await;
                tools::run(app, &wanted, printer)
            })
            .await
        }
        Command::Approvals { action } => approvals::run(app, printer, action),
        Command::Grants { action } => {
            show_dropped_grants(app, printer)?;
            grants::run(app, printer, action)
        }
        Command::Audit { action, filter } => audit::run(app, printer, action.as_ref(), &filter),
        Command::Try { command, keep, discard } => {
            let said = match (keep, discard) {
                (true, _) => Some(try_out::Said::Keep),
                (false, true) => Some(try_out::Said::Discard),
                (false, false) => None,
            };
            try_out::run(app, printer, &command, said).await
        }
        Command::Undo { list: true, .. } => undo::list(app, printer),
        Command::Undo { call, turn: true, .. } => {
            undo::turn(app, printer, call.as_deref(), app.named_session.as_deref()).await
        }
        Command::Undo { call, .. } => undo::run(app, printer, call).await,
        Command::Users { action } => serve::users::run(app, printer, action),
        Command::Servers { action } => unless_interrupted(Box::pin(servers::run(app, printer, action))).await,
        Command::Doctor => unless_interrupted(doctor::run(app, printer)).await,
        Command::Config { action } => config::run(app, printer, action.as_ref()),
        Command::Console => Box::pin(console::run(app, printer)).await,
        Command::Sessions { action } => {
            let store = app.store.sessions();
            let session = app.named_session.as_deref();
            let desk = sessions::Desk { store: store.as_ref(), printer, language: app.language, session };
            sessions::run(&desk, action)
        }
        // These were done before, or make an app of their own.
        Command::Chat(_)
        | Command::Demo
        | Command::Setup(_)
        | Command::Serve(_)
        | Command::Mcp(_)
        | Command::Completions { .. }
        | Command::Man => Ok(0),
    }
}

fn open(shared: &Shared, printer: Printer) -> Result<App> {
    let app = App::open(shared)?;
    for warning in &app.settings.warnings {
        printer.note(&format!("deskhand: {}", safe_line(warning)));
    }
    Ok(app)
}

/// For a conversation or a server.
fn open_for_people(shared: &Shared, printer: Printer) -> Result<App> {
    let app = open(shared, printer)?;
    show_dropped_grants(&app, printer)?;
    Ok(app)
}

/// Shows, once, which remembered answers are not needed any more.
fn show_dropped_grants(app: &App, printer: Printer) -> Result<()> {
    for grant in app.store.grants().take_dropped()? {
        let words = safe_line(&grant.words());
        let why = app.language.say(
            "A remembered answer is no longer needed and was dropped, since commands run on a layer now:",
            "命令现在先在副本层上运行，以下已记住的授权不再需要，已移除：",
        );
        printer.note(&format!("deskhand: {why} {words}"));
    }
    Ok(())
}

/// The one id that `wanted` names: whole, or by a beginning or end that no other has.
fn pick<'a>(ids: impl Iterator<Item = &'a str>, wanted: &str, what: &str) -> Result<String> {
    // A short part, or an empty variable in a script, must not pick anything.
    const SHORTEST: usize = 6;
    let is_part = |id: &str| id.starts_with(wanted) || id.ends_with(wanted);
    let names = |id: &str| id == wanted || (wanted.len() >= SHORTEST && is_part(id));
    let ids: Vec<&str> = ids.filter(|id| names(id)).collect();
    match ids.as_slice() {
        [] => anyhow::bail!("there is no {what} {wanted}"),
        [id] => Ok((*id).to_owned()),
        several if several.contains(&wanted) => Ok(wanted.to_owned()),
        several => anyhow::bail!("{wanted} could be any of {}", several.join(", ")),
    }
}
