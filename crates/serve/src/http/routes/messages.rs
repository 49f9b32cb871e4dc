//! What was said in a session, and the calls that were made in it.

use aide::axum::{ApiRouter, routing::get_with};
use axum::{Json, extract::State};
use deskhand_core::{
    Event,
    session::{IMPORTED, Message, MessageQuery, Owner, Step, ToolCallQuery, ToolCallRow},
};
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
    /// Also what the events tell of the calls in them: plans, questions and answers, data, who decided.
    #[serde(default)]
    call_events: bool,
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
    /// With `call_events`: the events about the calls of the turns that have ended, turn by turn. Images stand in the steps alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    call_events: Vec<Event>,
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
    let (last_event, found, call_events) = app
        .with_session(&person, &path.session_id, move |store, session| {
            // In this order: an event that comes between the two is told of again, and none is missed.
            let (last_event, found) = (store.last_event(&session.id)?, store.messages(&session.id, &query)?);
            let turns = if params.call_events { turns_with_calls(&found.items) } else { Vec::new() };
            let call_events = store.call_events(&session.id, &turns)?;
            Ok((last_event, found, call_events))
        })
        .await?;
    Ok(Json(MessageList {
        session_id: path.session_id,
        total: found.total,
        last_event,
        messages: found.items,
        call_events,
    }))
}

/// The turns of these answers that have ended and made calls. What came with a file says nothing about what happened here.
fn turns_with_calls(messages: &[Message]) -> Vec<String> {
    let has_calls = |message: &&Message| {
        let steps = message.execution_steps.as_deref().unwrap_or_default();
        steps.iter().any(|step| matches!(step, Step::Call(_)))
            && message.metadata.outcome.is_some()
            && !message.metadata.other.contains_key(IMPORTED)
    };
    messages.iter().filter(has_calls).filter_map(|message| message.metadata.turn_id.clone()).collect()
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
