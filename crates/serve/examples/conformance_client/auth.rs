//! The scenarios `auth/…` of the official suite: the servers want somebody to sign in. What is driven is our own
//! `sign_in`; only the browser is not there: its page sends it back at once, so following that by hand is enough.

use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use deskhand_serve::mcp::client::sign_in::{
    FileKeeper, Keeper, Login, OauthConfig, Server, Wanted, authorise,
};
use reqwest::{Client, header::LOCATION, redirect};
use rmcp::{
    ClientLifecycleMode, ClientServiceExt as _, RoleClient,
    model::{CallToolRequestParams, ProtocolVersion},
    service::{RunningService, ServiceError},
    transport::{StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig},
};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// The document that the suite knows us by, where the server takes one.
const CLIENT_METADATA: &str = "https://conformance-test.local/client-metadata.json";

/// How often a person would put up with being asked.
const MOST_SIGN_INS: usize = 3;

/// Signs in to the server as often as it is wanted, and uses its tools. `context` is what the suite tells beside that.
pub async fn run(url: &str, context: &Value) -> Result<()> {
    let version = std::env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").unwrap_or_default();
    // An error means that one is installed: any is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir()?;
    let keeper: Arc<dyn Keeper> = Arc::new(FileKeeper::new(folder.path()));
    let text = |name: &str| context[name].as_str().map(str::to_owned);
    let oauth = OauthConfig {
        client_id: text("client_id"),
        client_secret: text("client_secret"),
        client_metadata_url: Some(CLIENT_METADATA.to_owned()),
        ..OauthConfig::default()
    };
    let server = Server::new("conformance", url, oauth)?;
    for asked in 0..=MOST_SIGN_INS {
        let Some(wanted) = use_tools(url, &version, &server, &keeper).await? else { return Ok(()) };
        if asked == MOST_SIGN_INS {
            break;
        }
        wanted.remember(&server, Arc::clone(&keeper)).await?;
        sign_in(&server, &keeper, &wanted).await?;
    }
    bail!("the server wants more however often one signs in")
}

/// Lists the tools and calls them. `Some` where somebody must sign in first.
async fn use_tools(
    url: &str,
    version: &str,
    server: &Server,
    keeper: &Arc<dyn Keeper>,
) -> Result<Option<Wanted>> {
    let client = Client::builder().no_proxy().build()?;
    let client = authorise(client, server, Arc::clone(keeper)).await?;
    let config = StreamableHttpClientTransportConfig::with_uri(url);
    let transport = StreamableHttpClientTransport::with_client(client, config);
    let lifecycle = if version < "2026" {
        ClientLifecycleMode::Initialize
    } else {
        ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
    };
    let session = match ().serve_with_lifecycle(transport, lifecycle).await {
        Ok(session) => session,
        Err(error) => {
            return Wanted::by_start(&error).map(Some).ok_or(error).context("the connection was not made");
        }
    };
    let used = call_all(&session).await;
    session.cancel().await?;
    match used {
        Ok(()) => Ok(None),
        Err(error) => Wanted::by_request(&error).map(Some).ok_or(error).context("the tools were not used"),
    }
}

async fn call_all(session: &RunningService<RoleClient, ()>) -> Result<(), ServiceError> {
    for tool in session.list_all_tools().await? {
        session.call_tool(CallToolRequestParams::new(tool.name)).await?;
    }
    Ok(())
}

async fn sign_in(server: &Server, keeper: &Arc<dyn Keeper>, wanted: &Wanted) -> Result<()> {
    let (shown, address) = oneshot::channel::<String>();
    let never = CancellationToken::new();
    let login = Login::new(server.clone(), Arc::clone(keeper)).with_challenge(wanted.challenge());
    let run = login.run(move |address| drop(shown.send(address.to_owned())), &never);
    let browser = async {
        match address.await {
            Ok(address) => browse(&address).await,
            Err(_) => Ok(()),
        }
    };
    tokio::pin!(browser);
    tokio::pin!(run);
    // A browser that got nowhere ends it; one that came back does not.
    tokio::select! {
        done = &mut run => { done?; }
        browsed = &mut browser => { browsed?; run.await?; }
    }
    Ok(())
}

/// Opens the page, which sends the browser back to us.
async fn browse(address: &str) -> Result<()> {
    let client = Client::builder().no_proxy().redirect(redirect::Policy::none()).build()?;
    let page = client.get(address).send().await?;
    let back = page.headers().get(LOCATION).context("the page for signing in sends nobody back")?;
    client.get(back.to_str()?).send().await?;
    Ok(())
}
