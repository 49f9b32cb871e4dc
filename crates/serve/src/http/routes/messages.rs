//! What was said in a session, and the calls that were made in it.

use aide::axum::{ApiRouter, routing::get_with};
use axum::{Json, extract::State};
use deskhand_core::session::{Message, MessageQuery, Owner, ToolCallQuery, ToolCallRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{chat, paging::PageParams, sessions::SessionPath};
use crate::http::{
    app::App,
    error::ApiError,
    extract::{At, Params},
    person::Person,
};

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/v1/sessions/{session_id}/messages",
            get_with(list, |op| {
                op.id("listMessages")
                    .summary("The messages of a session: all, a page, or the newest")
                    .tag("messages")
            })
            .post_with(chat::say, |op| {
                op.id("sendMessage")
                    .summary("Say something: starts a turn")
                    .tag("messages")
                    .response::<202, Json<chat::TurnBegun>>()
            }),
        )
        .api_route(
            "/api/v1/sessions/{session_id}/calls",
            get_with(calls, |op| {
                op.id("listCalls").summary("The calls of tools in a session, newest first").tag("messages")
            }),
        )
}

#[derive(Deserialize, JsonSchema)]
struct MessageParams {
    #[serde(flatten)]
    page: PageParams,
    /// Only the newest so many, oldest first.
    #[schemars(range(min = 1, max = 1000))]
    last: Option<u64>,
    /// With `last`: of those before this one.
    before: Option<i64>,
    /// Only those after this one.
    after: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
struct MessageList {
    session_id: String,
    /// How many there are in all.
    total: u64,
    /// The newest event when these were read: what later ones tell of may not be in here, nor is the answer of a turn that
    /// is under way.
    last_event: u64,
    messages: Vec<Message>,
}

async fn list(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
    Params(params): Params<MessageParams>,
) -> Result<Json<MessageList>, ApiError> {
    let query = MessageQuery {
        page: params.page.ask_if_any(),
        after: params.after,
        last: params.last,
        before: params.before,
    };
    let (last_event, found) = app
        .with_session(&person, &path.session_id, move |store, session| {
            // In this order: an event that comes between the two is told of again, and none is missed.
            Ok((store.last_event(&session.id)?, store.messages(&session.id, &query)?))
        })
        .await?;
    Ok(Json(MessageList {
        session_id: path.session_id,
        total: found.total,
        last_event,
        messages: found.items,
    }))
}

#[derive(Serialize, JsonSchema)]
struct CallList {
    total: u64,
    calls: Vec<ToolCallRow>,
}

async fn calls(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
    Params(params): Params<PageParams>,
) -> Result<Json<CallList>, ApiError> {
    let owner = Owner::Only(person.user.clone());
    let found = app
        .with_session(&person, &path.session_id, move |store, session| {
            store.tool_calls(&ToolCallQuery {
                page: params.ask(),
                session_id: Some(session.id),
                turn_id: None,
                tool: None,
                owner,
            })
        })
        .await?;
    Ok(Json(CallList { total: found.total, calls: found.items }))
}
