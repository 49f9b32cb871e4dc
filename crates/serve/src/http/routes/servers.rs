//! Other MCP servers whose tools are used here: for the owner alone.

use std::{cell::Cell, future::Future, sync::Arc};

use aide::axum::{
    ApiRouter,
    routing::{get_with, patch_with, post_with},
};
use axum::{Json, extract::State};
use deskhand_core::{AuditRecord, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::sessions::Success;
use crate::{
    http::{
        app::App,
        error::ApiError,
        extract::{At, Body},
        person::Person,
        program::servers::{
            Agree, NewServers, ProposedServer, ServerChange, ServerDesk, ServerLink, ServerList,
            ServerProposal,
        },
    },
    mcp::client::LogLine,
};

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/v1/servers",
            get_with(list, |op| {
                op.id("listServers").summary("Other MCP servers, their state and their tools").tag("servers")
            })
            .post_with(add, |op| {
                op.id("addServer")
                    .summary("Add a server")
                    .description(
                        "A server with a `command` is a program that runs as the owner, unconfined. So the first \
                         request only answers with what would run and a `confirm`; the same request with it adds the \
                         server. Programs are added at the machine itself.",
                    )
                    .tag("servers")
            }),
        )
        .api_route(
            "/api/v1/servers/import",
            post_with(import, |op| {
                op.id("importServers")
                    .summary("Add the servers of another client's JSON file, confirmed like a single one")
                    .tag("servers")
            }),
        )
        .api_route(
            "/api/v1/servers/{name}",
            patch_with(change, |op| {
                op.id("changeServer")
                    .summary("Switch a server on or off, and set what its tools need")
                    .tag("servers")
            })
            .delete_with(remove, |op| {
                op.id("removeServer").summary("End a server and remove it").tag("servers")
            }),
        )
        .api_route(
            "/api/v1/servers/{name}/log",
            get_with(log, |op| {
                op.id("getServerLog")
                    .summary("The end of what a server printed to stderr, and of what happened to its connection")
                    .tag("servers")
            }),
        )
        .api_route(
            "/api/v1/servers/{name}/restart",
            post_with(restart, |op| {
                op.id("restartServer").summary("End a server and start it again").tag("servers")
            }),
        )
        .api_route(
            "/api/v1/servers/{name}/sign-in",
            post_with(sign_in, |op| {
                op.id("signInToServer")
                    .summary("Begin a sign-in; answers with the address to open in a browser on the same machine")
                    .description("How far it is, `listServers` shows in `sign_in`.")
                    .tag("servers")
            })
            .delete_with(sign_out, |op| {
                op.id("signOutOfServer").summary("Forget the tokens for a server").tag("servers")
            }),
        )
}

/// Commands and addresses of servers are the owner's own business, so this is also for looking.
fn desk(app: &App, person: &Person) -> Result<Arc<dyn ServerDesk>, ApiError> {
    person.must_be_owner("managing MCP servers")?;
    app.program().servers().ok_or_else(|| ApiError::not_found("this program has no MCP servers to show"))
}

/// Work that is carried through even if the client hangs up.
async fn carried_through<T: Send + 'static>(
    work: impl Future<Output = Result<T, ApiError>> + Send + 'static,
) -> Result<T, ApiError> {
    match tokio::spawn(work).await {
        Ok(done) => done,
        Err(error) => Err(ApiError::broken(format!("the work broke down: {error}"))),
    }
}

/// Makes a change, and has the servers run by it. It is written down in the audit once it is known to be possible; one
/// that cannot be recorded is not made, and one that fails after that is recorded as failed.
async fn recorded<T: Send + 'static>(
    app: &App,
    person: &Person,
    what: Value,
    change: impl FnOnce(&dyn ServerDesk, Agree<'_>) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let (desk, app, record) = (desk(app, person)?, app.clone(), record(app, person, &what));
    carried_through(async move {
        let (audit, changing) = (Arc::clone(&app.gate().audit), Arc::clone(&desk));
        let changed = app
            .blocking(move || {
                let is_recorded = Cell::new(false);
                let changed = change(changing.as_ref(), &|| {
                    audit.append(&record)?;
                    is_recorded.set(true);
                    Ok(())
                });
                if changed.is_err() && is_recorded.get() {
                    audit.append(&AuditRecord {
                        status: "failed".to_owned(),
                        timestamp: Time::now(),
                        ..record
                    })?;
                }
                changed
            })
            .await?;
        desk.apply().await?;
        Ok(changed)
    })
    .await
}

fn record(app: &App, person: &Person, what: &Value) -> AuditRecord {
    let what = app.gate().screener.mask_value(what);
    AuditRecord {
        tool_name: "servers".to_owned(),
        session_id: person.console(),
        owner: person.user.clone(),
        decided_by: Some(person.surface()),
        ..AuditRecord::notice(person.caller(), "changed", what, Time::now())
    }
}

async fn list(State(app): State<App>, person: Person) -> Result<Json<ServerList>, ApiError> {
    let desk = desk(&app, &person)?;
    Ok(Json(app.blocking(move || desk.list()).await?))
}

#[derive(Serialize, JsonSchema)]
struct Log {
    lines: Vec<LogLine>,
}

#[derive(Deserialize, JsonSchema)]
struct ServerPath {
    name: String,
}

async fn log(
    State(app): State<App>,
    person: Person,
    At(ServerPath { name }): At<ServerPath>,
) -> Result<Json<Log>, ApiError> {
    let desk = desk(&app, &person)?;
    Ok(Json(Log { lines: app.blocking(move || desk.log(&name)).await? }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AddBody {
    name: String,
    /// As in `mcpServers`: `command`, `args`, `env`, `cwd`, or `url`, `headers`, `oauth`.
    entry: Value,
    /// What the first answer gave.
    confirm: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ImportBody {
    /// The text of the file; it has `mcpServers` in it.
    json: String,
    /// What the first answer gave.
    confirm: Option<String>,
}

async fn add(
    State(app): State<App>,
    person: Person,
    Body(AddBody { name, entry, confirm }): Body<AddBody>,
) -> Result<Json<ServerProposal>, ApiError> {
    take_over(&app, &person, NewServers::One { name, entry }, confirm).await
}

async fn import(
    State(app): State<App>,
    person: Person,
    Body(ImportBody { json, confirm }): Body<ImportBody>,
) -> Result<Json<ServerProposal>, ApiError> {
    take_over(&app, &person, NewServers::Imported(json), confirm).await
}

async fn take_over(
    app: &App,
    person: &Person,
    given: NewServers,
    confirm: Option<String>,
) -> Result<Json<ServerProposal>, ApiError> {
    let (given, proposing) = (Arc::new(given), desk(app, person)?);
    let proposed = Arc::clone(&given);
    let proposal = app.blocking(move || proposing.propose(&proposed)).await?;
    if !person.here {
        proposal.servers.iter().try_for_each(from_elsewhere)?;
    }
    let Some(confirm) = confirm else { return Ok(Json(proposal)) };
    let added =
        proposal.servers.into_iter().map(|one| ProposedServer { link: one.link.without_values(), ..one });
    let what = json!({"added": added.collect::<Vec<_>>()});
    Ok(Json(recorded(app, person, what, move |desk, agree| desk.add(&given, &confirm, agree)).await?))
}

/// Somebody with a stolen link must not get past the sandbox, get at keys in the environment, or put a server of their
/// own in the place of one that is trusted.
fn from_elsewhere(server: &ProposedServer) -> Result<(), ApiError> {
    let problem = match &server.link {
        ServerLink::Stdio { .. } => "a server that starts a program is added at the machine itself",
        ServerLink::Http { variables, .. } if !variables.is_empty() => {
            "a server that is sent environment variables (`${…}`) is added at the machine itself"
        }
        ServerLink::Http { .. } if server.replaces => "a server is replaced at the machine itself",
        ServerLink::Http { .. } => return Ok(()),
    };
    Err(ApiError::forbidden("not_from_elsewhere", format!("{}: {problem}", server.name)).hint(
        "Open this page there, or run `deskhand servers import FILE`. New servers with a URL and without `${…}` can \
         be added here.",
    ))
}

async fn change(
    State(app): State<App>,
    person: Person,
    At(ServerPath { name }): At<ServerPath>,
    Body(change): Body<ServerChange>,
) -> Result<Json<Success>, ApiError> {
    let (what, changed_by) = (json!({"server": name, "change": change}), person.clone());
    recorded(&app, &person, what, move |desk, agree| {
        desk.change(&name, &change, &|before, after| {
            if after.is_looser_than(before) {
                changed_by.must_be_here(
                    "a server is turned on, and its tools are allowed more,",
                    "Open this page there, or change mcp.json.",
                )?;
            }
            agree()
        })
    })
    .await?;
    Ok(Json(Success::YES))
}

async fn remove(
    State(app): State<App>,
    person: Person,
    At(ServerPath { name }): At<ServerPath>,
) -> Result<Json<Success>, ApiError> {
    let what = json!({"removed": name});
    recorded(&app, &person, what, move |desk, agree| desk.remove(&name, agree)).await?;
    Ok(Json(Success::YES))
}

async fn restart(
    State(app): State<App>,
    person: Person,
    At(ServerPath { name }): At<ServerPath>,
) -> Result<Json<Success>, ApiError> {
    let desk = desk(&app, &person)?;
    carried_through(async move { desk.restart(&name).await }).await?;
    Ok(Json(Success::YES))
}

/// A sign-in that has begun.
#[derive(Serialize, JsonSchema)]
struct SignIn {
    /// To be opened in a browser on the machine of the server, which it comes back to.
    address: String,
}

async fn sign_in(
    State(app): State<App>,
    person: Person,
    At(ServerPath { name }): At<ServerPath>,
) -> Result<Json<SignIn>, ApiError> {
    let desk = desk(&app, &person)?;
    if !person.here {
        return Err(ApiError::forbidden(
            "not_from_elsewhere",
            "the browser comes back to the machine of the server: sign in there",
        )
        .hint("Open this page there, or run `deskhand servers login NAME`."));
    }
    let address = carried_through(async move { desk.sign_in(&name).await }).await?;
    Ok(Json(SignIn { address }))
}

#[derive(Serialize, JsonSchema)]
struct SignedOut {
    /// Whether there were tokens.
    signed_out: bool,
}

async fn sign_out(
    State(app): State<App>,
    person: Person,
    At(ServerPath { name }): At<ServerPath>,
) -> Result<Json<SignedOut>, ApiError> {
    let (desk, app) = (desk(&app, &person)?, app.clone());
    carried_through(async move {
        let (clearing, server) = (Arc::clone(&desk), name.clone());
        let signed_out = app.blocking(move || clearing.sign_out(&server)).await?;
        desk.restart(&name).await?;
        Ok(Json(SignedOut { signed_out }))
    })
    .await
}
