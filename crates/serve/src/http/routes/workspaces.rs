//! A further folder to work in, for the owner and for this run of the server.

use std::path::PathBuf;

use aide::axum::{ApiRouter, routing::post_with};
use axum::{Json, extract::State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::{app::App, error::ApiError, extract::Body, person::Person};

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new().api_route(
        "/api/v1/workspaces",
        post_with(add, |op| {
            op.id("addWorkspace")
                .summary("Add a folder to work in, until the server stops")
                .description(
                    "For the owner, at the machine itself. The owner's sessions can then be moved to it; nobody else's.",
                )
                .tag("server")
        }),
    )
}

#[derive(Deserialize, JsonSchema)]
struct NewWorkspace {
    /// An absolute path, or one below the home folder that begins with `~`.
    path: String,
}

#[derive(Serialize, JsonSchema)]
struct Added {
    /// With its links followed, as sessions name it.
    workspace: PathBuf,
}

async fn add(
    State(app): State<App>,
    person: Person,
    Body(body): Body<NewWorkspace>,
) -> Result<Json<Added>, ApiError> {
    person.must_be_owner("adding a folder")?;
    person.must_be_here(
        "a folder is added",
        "Open this page there, or start the server with --workspace DIR.",
    )?;
    let program = app.clone();
    let workspace = app.blocking(move || program.program().add_workspace(&body.path)).await?;
    Ok(Json(Added { workspace }))
}
