//! `deskhand serve`: the web page and the HTTP API.

mod opening;
mod program;
pub mod session_services;
pub mod token_file;
pub mod users;

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use deskhand_serve::{
    http::{Listen, Parts, Program, Server, Tls, Users},
    mcp::server::{McpServer, Offer},
};
use serde_json::json;

use self::{
    program::ServedProgram,
    token_file::{Kept, Tokens},
};
use super::{call::interrupted, connect, mcp};
use crate::{
    assemble::App,
    cli::{ServeArgs, Shared},
    demo::folder,
    models::ConfiguredModels,
    page_address,
    terminal::Printer,
};

/// Where it listens where nothing is said; the next ones where that is taken.
const USUAL_PORT: u16 = 8787;
const OTHER_PORTS: u16 = 10;
/// How often the folders of old demos are looked for.
const CLEARED_EVERY: Duration = Duration::from_hours(1);

pub async fn run(app: App, shared: &Shared, printer: Printer, args: &ServeArgs) -> Result<u8> {
    let app = Arc::new(app);
    tokio::task::spawn_blocking(folder::clear_away_old).await.context("old demos could not be looked for")?;
    let tokens = Tokens::load(&app.data_dir, if args.new_token { Kept::IsReplaced } else { Kept::Counts })?;
    let users = tokens.users(&app.data_dir)?;
    app.servers();
    let server = bind(&app, shared, args, &users).await?;

    let url = server.url();
    let _announced = page_address::announce(&app.data_dir, &url, server.address());
    let (token, mcp_token) = (tokens.page.reveal(), tokens.mcp.reveal());
    let (address, mcp_url) = (format!("{url}/?token={token}"), format!("{url}/mcp"));
    let ready = json!({
        "url": url, "token": token, "open_url": address, "api_url": format!("{url}/api/v1"),
        "mcp_url": mcp_url, "mcp_token": mcp_token, "openapi_url": format!("{url}/api/openapi.json"),
        "browser_api_url": server.browser_api_url(),
        "pid": std::process::id(),
    });
    printer.print(&ready, |style| {
        let words = app.language.say(
            "Deskhand is here. Open this address; who has it can use this machine through Deskhand:",
            "Deskhand 已启动。请打开下面的地址；拿到该地址的人可以通过 Deskhand 使用本机：",
        );
        let clients = app.language.say(
            "MCP clients get this one, with a token that opens nothing else:",
            "MCP 客户端使用下面的地址，其令牌只能用于 MCP：",
        );
        let stop = app.language.say("Ctrl-C ends it.", "按 Ctrl-C 结束。");
        let (address, stop) = (style.bold(&address), style.dim(stop));
        format!(
            "{words}\n\n  {address}\n\n{clients}\n\n  {mcp_url}\n  Authorization: Bearer {mcp_token}\n\n{stop}"
        )
    })?;
    if args.open
        && let Err(error) = opening::in_browser(&address)
    {
        printer.note(&format!("deskhand: {error:#}"));
    }
    tokio::select! {
        ended = server.run(interrupted()) => ended.context("the server broke down")?,
        never = folder::keep_clearing_away(CLEARED_EVERY) => match never {},
    }
    app.close().await;
    Ok(0)
}

async fn bind(app: &Arc<App>, shared: &Shared, args: &ServeArgs, users: &Users) -> Result<Server> {
    let tls = match (&args.tls_cert, &args.tls_key) {
        (Some(certificate), Some(key)) => Some(Tls { certificate: certificate.clone(), key: key.clone() }),
        (None, None) => None,
        _ => bail!("a certificate and its key go together: give both --tls-cert and --tls-key"),
    };
    let usual =
        (USUAL_PORT..USUAL_PORT + OTHER_PORTS).map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let addresses: Vec<SocketAddr> = args.listen.map_or_else(|| usual.collect(), |address| vec![address]);
    let mut hosts = app.settings.serve_hosts();
    hosts.extend(args.host.iter().cloned());
    for (n, address) in addresses.iter().enumerate() {
        let listen = Listen { address: *address, hosts: hosts.clone(), tls: tls.clone() };
        let (parts, program) = parts(app, shared, users.clone()).await?;
        match Server::bind(parts, &listen).await {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && n + 1 < addresses.len() => {}
            Err(error) => return Err(error).context("the server cannot start"),
            Ok(server) => {
                program.page_is_at(server.url());
                let mcp = McpServer::new(mcp::parts(app, program, Offer::default()));
                return with_browser_api(server.with_mcp(mcp), app).await;
            }
        }
    }
    bail!(
        "the ports {USUAL_PORT} to {} are all taken: name another with --listen",
        USUAL_PORT + OTHER_PORTS - 1
    )
}

/// The browser's routes on a port of their own, where that is set.
async fn with_browser_api(server: Server, app: &App) -> Result<Server> {
    match app.settings.browser_api_port() {
        None => Ok(server),
        Some(port) => server.with_browser_api(port).await.context("browser.api_port cannot be used"),
    }
}

async fn parts(app: &Arc<App>, shared: &Shared, users: Users) -> Result<(Parts, Arc<ServedProgram>)> {
    let models = Arc::new(ConfiguredModels::new(&app.settings, app.config_dir.clone()));
    // Where nothing is set, this looks for servers on this machine.
    models.usual().await;
    let agent = connect::agent(app, models.clone())?;
    if let Err(error) = agent.recover() {
        tracing::warn!(%error, "a turn that was cut off could not be closed");
    }
    let program = ServedProgram::new(Arc::clone(app), shared.clone(), models, agent.clone());
    let program = Arc::new(program);
    let parts = Parts {
        gate: app.gate.clone(),
        agent,
        store: app.store.sessions(),
        undo: app.store.undo(),
        audit: app.store.audit(),
        program: Arc::clone(&program) as Arc<dyn Program>,
        users,
        requests_per_second: app.settings.serve_requests_per_second(),
    };
    Ok((parts, program))
}
