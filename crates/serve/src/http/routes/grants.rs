//! Remembered answers: which there are, and taking them back.

use std::sync::Arc;

use aide::axum::{
    ApiRouter,
    routing::{delete_with, get_with},
};
use axum::{Json, extract::State};
use deskhand_core::{Grant, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sessions::Success;
use crate::http::{app::App, error::ApiError, extract::At, person::Person};

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/v1/grants",
            get_with(list, |op| {
                op.id("listGrants").summary("Remembered answers, newest first").tag("approvals")
            }),
        )
        .api_route(
            "/api/v1/grants/{grant_id}",
            delete_with(revoke, |op| {
                op.id("revokeGrant").summary("Forget a remembered answer").tag("approvals")
            }),
        )
}

/// A remembered answer, with what it means.
#[derive(Serialize, JsonSchema)]
struct GrantItem {
    #[serde(flatten)]
    grant: Grant,
    /// What it covers, where, until when.
    words: String,
    expired: bool,
}

#[derive(Serialize, JsonSchema)]
struct GrantList {
    grants: Vec<GrantItem>,
}

async fn of(app: &App, person: &Person) -> Result<Vec<Grant>, ApiError> {
    let book = Arc::clone(&app.gate().grants);
    let all = app.blocking(move || Ok(book.list()?)).await?;
    Ok(all.into_iter().filter(|grant| grant.owner == person.user).collect())
}

async fn list(State(app): State<App>, person: Person) -> Result<Json<GrantList>, ApiError> {
    let now = Time::now();
    let shown = |grant: Grant| GrantItem {
        words: grant.words(),
        expired: grant.until.is_some_and(|until| until <= now),
        grant,
    };
    Ok(Json(GrantList { grants: of(&app, &person).await?.into_iter().map(shown).collect() }))
}

#[derive(Deserialize, JsonSchema)]
struct GrantPath {
    grant_id: String,
}

async fn revoke(
    State(app): State<App>,
    person: Person,
    At(path): At<GrantPath>,
) -> Result<Json<Success>, ApiError> {
    let no_such = || ApiError::not_found(format!("there is no grant {:?}", path.grant_id));
    let grant = of(&app, &person).await?.into_iter().find(|grant| grant.id == path.grant_id);
    let (book, grant) = (Arc::clone(&app.gate().grants), grant.ok_or_else(no_such)?);
    if !app.blocking(move || Ok(book.revoke(&grant.id)?)).await? {
        return Err(no_such());
    }
    Ok(Json(Success::YES))
}
