//! `deskhand mcp`: the tools for an MCP client.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result, bail};
use deskhand_core::{SessionCx, event::NoEvents};
use deskhand_serve::{
    http::{About, ApiError, Listen, Program},
    mcp::server::{self, McpServer, Offer, Parts},
};
use serde_json::json;

use super::{
    call::interrupted,
    serve::{
        session_services::SessionServices,
        token_file::{Kept, Tokens},
    },
};
use crate::{
    assemble::{App, Surfaces},
    cli::McpArgs,
    page_address::PageLookout,
    servers,
    terminal::Printer,
};

pub async fn run(app: App, printer: Printer, args: &McpArgs) -> Result<u8> {
    is_fit(&app, args)?;
    let app = Arc::new(app);
    app.servers();
    let data_dir = app.data_dir.clone();
    let page = tokio::task::spawn_blocking(move || PageLookout::new(data_dir))
        .await
        .context("the page could not be looked for")?;
    let program = ServedApp { app: Arc::clone(&app), services: SessionServices::default(), page };
    let server = McpServer::new(parts(&app, Arc::new(program), offer(args)));
    let served = match args.listen {
        None => server.serve_stdio(interrupted()).await.context("the MCP client cannot be served"),
        Some(address) => over_http(&app, server, address, printer).await,
    };
    app.close().await;
    served?;
    Ok(0)
}

/// What cannot be meant is told before a client is kept waiting for it.
fn is_fit(app: &App, args: &McpArgs) -> Result<()> {
    if app.named_session.is_some() {
        bail!("each MCP client has a session of its own: leave out --session and DESKHAND_SESSION");
    }
    let registry = &app.gate.registry;
    if let Some(name) = &args.dialect
        && registry.dialect(name).is_none()
    {
        let names: Vec<&str> = registry.dialects().iter().map(|dialect| dialect.name).collect();
        bail!("there is no dialect «{name}»; there are: {}", names.join(", "));
    }
    // The tools of another server come later; its name is known now.
    let mut names = registry.toolset_names();
    names.extend(servers::configured(&app.settings, app.config_dir.as_deref()).servers.into_keys());
    match args.toolset.iter().find(|name| !names.contains(name)) {
        Some(name) => bail!("there is no toolset «{name}»; there are: {}", names.join(", ")),
        None => Ok(()),
    }
}

/// A port for MCP clients alone, with the tokens of the server that has a page.
async fn over_http(app: &App, server: McpServer, address: SocketAddr, printer: Printer) -> Result<()> {
    let tokens = Tokens::load(&app.data_dir, Kept::Counts)?;
    let users = tokens.users(&app.data_dir)?;
    let listen = Listen { address, hosts: app.settings.serve_hosts(), tls: None };
    let listener = server::listen(server, &listen, users, app.settings.serve_requests_per_second())
        .await
        .context("the server cannot start")?;
    let (url, token) = (listener.url(), tokens.mcp.reveal());
    // `token` is what it was called when there was but one.
    let ready = json!({"mcp_url": url, "mcp_token": token, "token": token, "pid": std::process::id()});
    printer.print(&ready, |style| format!("{}\nAuthorization: Bearer {token}", style.bold(&url)))?;
    listener.run(interrupted()).await.context("the server broke down")
}

fn offer(args: &McpArgs) -> Offer {
    Offer {
        toolsets: args.toolset.clone(),
        dialect: args.dialect.clone(),
        full_schemas: args.full_schemas,
        ..Offer::default()
    }
}

pub fn parts(app: &App, program: Arc<dyn Program>, offer: Offer) -> Parts {
    let offer = Offer {
        asks_elsewhere: !app.settings.mcp_ask_in_client(),
        structured: app.settings.mcp_structured_content(),
        ..offer
    };
    Parts { gate: app.gate.clone(), store: app.store.sessions(), audit: app.store.audit(), program, offer }
}

/// Where a person answers beside the page.
const IN_TERMINAL: &str = "`deskhand approvals` in a terminal";

/// Where questions are answered, beside the page where one runs.
pub fn where_to_answer(page: Option<&str>) -> String {
    match page {
        Some(url) => format!("{url} or {IN_TERMINAL}"),
        None => IN_TERMINAL.to_owned(),
    }
}

/// The program by itself, as the MCP server sees it.
struct ServedApp {
    app: Arc<App>,
    services: SessionServices,
    page: PageLookout,
}

impl Program for ServedApp {
    fn about(&self) -> About {
        self.app.about(&self.app.settings, None)
    }

    fn surroundings(
        &self,
        session_id: &str,
        owner: Option<&str>,
        _: Option<&Path>,
    ) -> Result<SessionCx, ApiError> {
        let surfaces = Surfaces { approvers: Vec::new(), wait_for_others: true, events: Arc::new(NoEvents) };
        let services = self.services.of(&self.app, session_id, owner, self.app.paths.workspace())?;
        Ok(self.app.session("mcp", surfaces).with_id(session_id).with_services(services))
    }

    fn where_to_answer(&self) -> String {
        // A question goes to the page of the same data folder, where one is served.
        where_to_answer(self.page.now().as_deref())
    }

    fn skills(&self) -> PathBuf {
        self.app.skills()
    }
}
