//! Turns: begun, cancelled, paused, gone on with; and a summary of what was said.

use std::sync::Arc;

use aide::axum::{ApiRouter, routing::post_with};
use axum::{Json, extract::State, http::StatusCode};
use deskhand_agent::{RetryRequest, TurnHandle, TurnRequest};
use deskhand_core::{Mode, event::NoEvents};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sessions::{SessionPath, Success};
use crate::http::{
    app::App,
    error::ApiError,
    extract::{At, Body},
    person::Person,
};

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/v1/sessions/{session_id}/cancel",
            post_with(cancel, |op| {
                op.id("cancelTurn").summary("End the turn that is under way").tag("turns")
            }),
        )
        .api_route(
            "/api/v1/sessions/{session_id}/pause",
            post_with(pause, |op| {
                op.id("pauseTurn").summary("Hold the turn before its next step").tag("turns")
            }),
        )
        .api_route(
            "/api/v1/sessions/{session_id}/resume",
            post_with(resume, |op| {
                op.id("resumeTurn").summary("Go on with a turn that was paused").tag("turns")
            }),
        )
        .api_route(
            "/api/v1/sessions/{session_id}/retry",
            post_with(retry, |op| {
                op.id("retryTurn")
                    .summary("Run the message of the last turn again, where that did not complete")
                    .description(
                        "A new turn answers the same message; no second message is stored. What the broken turn did is \
                         told to the model, what it said last is not.",
                    )
                    .tag("turns")
            }),
        )
        .api_route(
            "/api/v1/sessions/{session_id}/compact",
            post_with(compact, |op| {
                op.id("compactSession").summary("Replace what was said so far by a summary").tag("turns")
            }),
        )
}

#[derive(Deserialize, JsonSchema)]
pub struct MessageBody {
    content: String,
    /// Uploads of this session, by id.
    #[serde(default)]
    uploads: Vec<String>,
    /// `PROVIDER/NAME`, for this turn.
    model: Option<String>,
    /// A tighter mode than the one in force, for this turn.
    mode: Option<Mode>,
}

#[derive(Serialize, JsonSchema)]
pub struct TurnBegun {
    session_id: String,
    turn_id: String,
    /// The number of its event `turn_started`: watch from the one before it.
    first_event: u64,
    /// The user's message, as `GET …/messages` lists it.
    message_id: i64,
}

/// `POST /api/v1/sessions/{session_id}/messages`
pub async fn say(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
    Body(body): Body<MessageBody>,
) -> Result<(StatusCode, Json<TurnBegun>), ApiError> {
    let session = app.session_of(&person, &path.session_id).await?;
    let surroundings = app.surround(&person, Some(&session), body.mode, Arc::new(NoEvents)).await?;
    let request = TurnRequest {
        session_id: session.id,
        message: body.content,
        uploads: body.uploads,
        model: person.may_name(body.model)?,
        surroundings,
        options: None,
        observer: None,
    };
    let agent = app.agent().clone();
    let handle = app.blocking(move || Ok(agent.start(request)?)).await?;
    super::queue::send_after(&app, &person, handle.clone());
    Ok((StatusCode::ACCEPTED, Json(begun(&handle))))
}

#[derive(Deserialize, JsonSchema)]
struct RetryBody {
    /// `PROVIDER/NAME`, for this turn.
    model: Option<String>,
    /// A tighter mode than the one in force, for this turn.
    mode: Option<Mode>,
}

async fn retry(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
    Body(body): Body<RetryBody>,
) -> Result<(StatusCode, Json<TurnBegun>), ApiError> {
    let session = app.session_of(&person, &path.session_id).await?;
    let surroundings = app.surround(&person, Some(&session), body.mode, Arc::new(NoEvents)).await?;
    let model = person.may_name(body.model)?;
    let request = RetryRequest { session_id: session.id, model, surroundings };
    let agent = app.agent().clone();
    let handle = app.blocking(move || Ok(agent.retry(request)?)).await?;
    super::queue::send_after(&app, &person, handle.clone());
    Ok((StatusCode::ACCEPTED, Json(begun(&handle))))
}

pub fn begun(handle: &TurnHandle) -> TurnBegun {
    TurnBegun {
        session_id: handle.session_id().to_owned(),
        turn_id: handle.turn_id().to_owned(),
        first_event: handle.first_event(),
        message_id: handle.user_message(),
    }
}

/// The turn that runs here in a session of this person.
pub async fn running(app: &App, person: &Person, session_id: &str) -> Result<TurnHandle, ApiError> {
    let open = app.with_session(person, session_id, |store, session| store.open_turn(&session.id)).await?;
    if let Some(handle) = app.agent().running(session_id) {
        return Ok(handle);
    }
    if open.is_some() {
        return Err(ApiError::conflict("elsewhere", "the turn runs in another process of Deskhand")
            .hint("End it where it was started."));
    }
    Err(ApiError::conflict("no_turn", "no turn is under way in this session"))
}

async fn cancel(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
) -> Result<Json<Success>, ApiError> {
    running(&app, &person, &path.session_id).await?.cancel();
    Ok(Json(Success::YES))
}

async fn pause(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
) -> Result<Json<Success>, ApiError> {
    running(&app, &person, &path.session_id).await?.pause();
    Ok(Json(Success::YES))
}

async fn resume(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
) -> Result<Json<Success>, ApiError> {
    running(&app, &person, &path.session_id).await?.resume();
    Ok(Json(Success::YES))
}

#[derive(Deserialize, JsonSchema)]
struct CompactBody {
    /// What to keep in mind above all.
    focus: Option<String>,
}

async fn compact(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
    Body(body): Body<CompactBody>,
) -> Result<Json<Success>, ApiError> {
    let session = app.session_of(&person, &path.session_id).await?;
    app.agent().compact(&session.id, body.focus.as_deref(), app.ending()).await?;
    Ok(Json(Success::YES))
}
