//! A question that nobody answered in time, asked again: the same call begins a new turn.

use std::sync::Arc;

use aide::axum::{ApiRouter, routing::post_with};
use axum::{Json, extract::State, http::StatusCode};
use deskhand_agent::TurnRequest;
use deskhand_core::{
    CallId, Status,
    event::NoEvents,
    screener::MASK_OPEN,
    session::{Session, ToolCallRow},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::chat::{self, TurnBegun};
use crate::http::{
    app::App,
    error::ApiError,
    extract::{At, Body},
    person::Person,
};

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new().api_route(
        "/api/v1/sessions/{session_id}/calls/{call_id}/again",
        post_with(again, |op| {
            op.id("askAgain")
                .summary("Make a call again whose question expired")
                .description(
                    "Starts a turn whose first step is the same call, as a new one: it is planned and asked again, and runs \
                     only on the answer to that question. The model reads the result and continues.",
                )
                .tag("turns")
                .response::<202, Json<TurnBegun>>()
        }),
    )
}

#[derive(Deserialize, JsonSchema)]
struct CallPath {
    session_id: String,
    call_id: String,
}

#[derive(Deserialize, JsonSchema)]
struct AgainBody {
    /// What stands in the conversation as the person's message.
    content: Option<String>,
}

async fn again(
    State(app): State<App>,
    person: Person,
    At(path): At<CallPath>,
    Body(body): Body<AgainBody>,
) -> Result<(StatusCode, Json<TurnBegun>), ApiError> {
    let session = app.session_of(&person, &path.session_id).await?;
    let call = expired(&app, &session, &path.call_id).await?;
    let surroundings = app.surround(&person, Some(&session), None, Arc::new(NoEvents)).await?;
    let request = TurnRequest {
        session_id: session.id,
        message: body.content.unwrap_or_else(|| format!("Ask me again: {}", call.tool)),
        uploads: Vec::new(),
        model: None,
        surroundings,
        options: None,
        observer: None,
    };
    let agent = app.agent().clone();
    let handle =
        app.blocking(move || Ok(agent.start_with_call(request, &call.tool, call.arguments)?)).await?;
    super::queue::send_after(&app, &person, handle.clone());
    Ok((StatusCode::ACCEPTED, Json(chat::begun(&handle))))
}

/// The call, if its question expired.
async fn expired(app: &App, session: &Session, call_id: &str) -> Result<ToolCallRow, ApiError> {
    let no_such = || ApiError::not_found(format!("there is no call {call_id:?} in this session"));
    let (id, session_id) = (CallId::parse(call_id).ok_or_else(no_such)?, session.id.clone());
    let found = app.store(move |store| store.tool_call(&session_id, id)).await?;
    let call = found.ok_or_else(no_such)?;
    if call.arguments.to_string().contains(MASK_OPEN) {
        return Err(ApiError::conflict("masked", "parts of this call were masked, and are not kept")
            .hint("Ask the model to make it again."));
    }
    if call.status == Some(Status::Expired) {
        Ok(call)
    } else {
        Err(ApiError::conflict("not_expired", "the question about this call did not expire")
            .hint("Only a call that nobody answered in time can be asked again."))
    }
}
