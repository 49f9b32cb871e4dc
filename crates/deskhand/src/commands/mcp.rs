//! `deskhand mcp`: the tools for an MCP client.

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use anyhow::{Context, Result};
use deskhand_core::{SessionCx, event::NoEvents};
use deskhand_serve::{
    http::{Listen, Users},
    mcp::server::{self, House, McpServer, Offer, Parts},
};
use serde_json::json;

use super::{
    call::interrupted,
    serve::{token_file, users},
};
use crate::{
    assemble::{App, Surfaces},
    cli::McpArgs,
    page_address,
    terminal::Printer,
};

pub async fn run(app: App, printer: Printer, args: &McpArgs) -> Result<u8> {
    let app = Arc::new(app);
    app.servers();
    let server = McpServer::new(parts(&app, offer(args)));
    let served = match args.listen {
        None => server.serve_stdio(interrupted()).await.context("the MCP client cannot be served"),
        Some(address) => over_http(&app, server, address, printer).await,
    };
    app.close().await;
    served?;
    Ok(0)
}

/// A port for MCP clients alone, with the token of the web page.
async fn over_http(app: &App, server: McpServer, address: SocketAddr, printer: Printer) -> Result<()> {
    let token = token_file::load(&app.data_dir, false)?;
    let users = users::load(&app.data_dir)?;
    let users = users.iter().fold(Users::new(&token), |all, (name, hash)| all.with(name, hash));
    let listen = Listen { address, hosts: app.settings.serve_hosts(), tls: None };
    let listener = server::listen(server, &listen, users, app.settings.serve_requests_per_second())
        .await
        .context("the server cannot start")?;
    let ready = json!({"mcp_url": listener.url(), "token": token.reveal(), "pid": std::process::id()});
    printer.print(&ready, |style| {
        format!("{}\nAuthorization: Bearer {}", style.bold(&listener.url()), token.reveal())
    })?;
    listener.run(interrupted()).await.context("the server broke down")
}

fn offer(args: &McpArgs) -> Offer {
    Offer { toolsets: args.toolset.clone(), dialect: args.dialect.clone(), full_schemas: args.full_schemas }
}

pub fn parts(app: &Arc<App>, offer: Offer) -> Parts {
    Parts {
        gate: app.gate.clone(),
        store: app.store.sessions(),
        audit: app.store.audit(),
        house: Arc::new(ServedApp(Arc::clone(app))),
        offer,
    }
}

/// The program, as the MCP server sees it.
struct ServedApp(Arc<App>);

impl House for ServedApp {
    fn surroundings(&self, session_id: &str) -> Result<SessionCx, String> {
        let surfaces = Surfaces { approvers: Vec::new(), wait_for_others: true, events: Arc::new(NoEvents) };
        let services = self.0.services_of(session_id).map_err(|error| format!("{error:#}"))?;
        Ok(SessionCx { services, ..self.0.session("mcp", surfaces) })
    }

    fn where_to_answer(&self) -> String {
        // A question goes to the page of the same data folder, where one is served.
        let in_terminal = "`deskhand approvals` in a terminal";
        match page_address::find(&self.0.data_dir) {
            Some(url) => format!("{url} or {in_terminal}"),
            None => in_terminal.to_owned(),
        }
    }

    fn skills(&self) -> PathBuf {
        self.0.data_dir.join("skills")
    }
}
