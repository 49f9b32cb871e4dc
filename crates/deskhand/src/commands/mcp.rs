//! `deskhand mcp`: the tools for an MCP client.

use std::{path::PathBuf, sync::Arc};

use anyhow::{Context, Result, bail};
use deskhand_core::{SessionCx, event::NoEvents};
use deskhand_serve::mcp::server::{House, McpServer, Offer, Parts};

use super::call::interrupted;
use crate::{
    assemble::{App, Surfaces},
    cli::McpArgs,
    page_address,
    terminal::Printer,
};

pub async fn run(app: App, _printer: Printer, args: &McpArgs) -> Result<u8> {
    let app = Arc::new(app);
    app.servers();
    let server = McpServer::new(parts(&app, offer(args)?));
    let served = server.serve_stdio(interrupted()).await;
    app.close().await;
    served.context("the MCP client cannot be served")?;
    Ok(0)
}

fn offer(args: &McpArgs) -> Result<Offer> {
    if args.listen.is_some() {
        bail!("--listen is not there yet");
    }
    Ok(Offer {
        toolsets: args.toolset.clone(),
        dialect: args.dialect.clone(),
        full_schemas: args.full_schemas,
    })
}

fn parts(app: &Arc<App>, offer: Offer) -> Parts {
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
    fn surroundings(&self, _session_id: &str) -> Result<SessionCx, String> {
        let surfaces = Surfaces { approvers: Vec::new(), wait_for_others: true, events: Arc::new(NoEvents) };
        Ok(self.0.session("mcp", surfaces))
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
