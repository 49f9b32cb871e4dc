//! Messages that wait for the end of the turn that is under way, and are sent then, one after the other.
//!
//! They are sent after a turn that was completed or stopped by a limit. After one that failed or was cancelled they are
//! held: only the person sends them, or edits them, and so it is after a restart of the server.

use std::sync::Arc;

use aide::axum::{
    ApiRouter,
    routing::{post_with, put_with},
};
use axum::{Json, extract::State, http::StatusCode};
use deskhand_agent::{TurnHandle, TurnRequest};
use deskhand_core::{
    event::{NoEvents, TurnOutcome},
    session::{QueuedMessage, SessionError},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    chat::{self, TurnBegun},
    sessions::{SessionPath, Success},
};
use crate::http::{
    app::App,
    error::ApiError,
    extract::{At, Body},
    person::Person,
};

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/v1/sessions/{session_id}/queue",
            post_with(add, |op| {
                op.id("queueMessage")
                    .summary("Say something when the turn that is under way has ended")
                    .description(
                        "`GET /sessions/ID` lists what waits. Without a turn under way it is sent at once.",
                    )
                    .tag("messages")
            }),
        )
        .api_route(
            "/api/v1/sessions/{session_id}/queue/{queued_id}",
            put_with(edit, |op| {
                op.id("editQueued")
                    .summary("Change a message that waits; it is not held any more")
                    .tag("messages")
            })
            .delete_with(remove, |op| {
                op.id("removeQueued").summary("Remove a message that waits").tag("messages")
            }),
        )
        .api_route(
            "/api/v1/sessions/{session_id}/queue/{queued_id}/send",
            post_with(send_now, |op| {
                op.id("sendQueued")
                    .summary("Send a message that waits, where no turn is under way")
                    .tag("messages")
                    .response::<202, Json<TurnBegun>>()
            }),
        )
}

#[derive(Deserialize, JsonSchema)]
struct QueueBody {
    content: String,
    /// Uploads of this session, by id.
    #[serde(default)]
    uploads: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
struct QueuedPath {
    session_id: String,
    queued_id: i64,
}

async fn add(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
    Body(body): Body<QueueBody>,
) -> Result<Json<QueuedMessage>, ApiError> {
    let content = masked(&app, &body.content);
    let queued = app
        .with_session(&person, &path.session_id, move |store, session| {
            store.queue_message(&session.id, &content, &body.uploads)
        })
        .await?;
    match app.agent().running(&path.session_id) {
        Some(turn) => send_after(&app, &person, turn),
        None => match send_first(&app, &person, &path.session_id).await {
            Ok(Some(turn)) => send_after(&app, &person, turn),
            Ok(None) => {}
            Err(_) => hold(&app, &person, &path.session_id).await,
        },
    }
    Ok(Json(queued))
}

#[derive(Deserialize, JsonSchema)]
struct EditBody {
    content: String,
}

async fn edit(
    State(app): State<App>,
    person: Person,
    At(path): At<QueuedPath>,
    Body(body): Body<EditBody>,
) -> Result<Json<QueuedMessage>, ApiError> {
    let content = masked(&app, &body.content);
    let edited = app
        .with_session(&person, &path.session_id, move |store, session| {
            store.edit_queued(&session.id, path.queued_id, &content)
        })
        .await?;
    Ok(Json(edited))
}

async fn remove(
    State(app): State<App>,
    person: Person,
    At(path): At<QueuedPath>,
) -> Result<Json<Success>, ApiError> {
    app.with_session(&person, &path.session_id, move |store, session| {
        store.unqueue(&session.id, path.queued_id)
    })
    .await?;
    Ok(Json(Success::YES))
}

async fn send_now(
    State(app): State<App>,
    person: Person,
    At(path): At<QueuedPath>,
) -> Result<(StatusCode, Json<TurnBegun>), ApiError> {
    let waiting = queued(&app, &person, &path.session_id).await?;
    let message = waiting
        .into_iter()
        .find(|message| message.id == path.queued_id)
        .ok_or_else(|| SessionError::NoSuchMessage(path.session_id.clone(), path.queued_id))?;
    let turn = send(&app, &person, &path.session_id, message).await?;
    let begun = chat::begun(&turn);
    send_after(&app, &person, turn);
    Ok((StatusCode::ACCEPTED, Json(begun)))
}

fn masked(app: &App, content: &str) -> String {
    app.gate().screener.mask_text(content).into_string()
}

async fn queued(app: &App, person: &Person, session_id: &str) -> Result<Vec<QueuedMessage>, ApiError> {
    app.with_session(person, session_id, |store, session| store.queued(&session.id)).await
}

/// Sends what waits in the session of this turn when the turn has ended. The task ends with the last turn, or with the server.
pub fn send_after(app: &App, person: &Person, turn: TurnHandle) {
    if !app.watches_turn(turn.turn_id()) {
        return;
    }
    let (app, person) = (app.clone(), person.clone());
    tokio::spawn(async move {
        let session_id = turn.session_id().to_owned();
        let mut turn = turn;
        loop {
            let outcome = tokio::select! {
                outcome = turn.ended() => outcome,
                () = app.ending().cancelled() => return,
            };
            app.watched_turn(turn.turn_id());
            if !matches!(outcome, TurnOutcome::Completed | TurnOutcome::Stopped) {
                // Those that came while it ended, too.
                return hold(&app, &person, &session_id).await;
            }
            match send_first(&app, &person, &session_id).await {
                Ok(Some(next)) if app.watches_turn(next.turn_id()) => turn = next,
                Ok(_) => return,
                Err(error) => {
                    tracing::warn!(message = error.body.message, "a queued message was not sent; it waits");
                    return hold(&app, &person, &session_id).await;
                }
            }
        }
    });
}

/// From now on they wait for the person, unless a turn has begun again, which they wait for.
async fn hold(app: &App, person: &Person, session_id: &str) {
    if app.agent().running(session_id).is_some() {
        return;
    }
    let held = app.with_session(person, session_id, |store, session| store.hold_queued(&session.id)).await;
    if let Err(error) = held {
        tracing::warn!(message = error.body.message, "queued messages could not be held");
    }
}

/// Sends the first message that waits for its turn alone, if one does.
async fn send_first(app: &App, person: &Person, session_id: &str) -> Result<Option<TurnHandle>, ApiError> {
    match queued(app, person, session_id).await?.into_iter().find(|message| !message.held) {
        Some(message) => send(app, person, session_id, message).await.map(Some),
        None => Ok(None),
    }
}

/// It leaves the queue when its turn has begun: what cannot be sent is not lost.
async fn send(
    app: &App,
    person: &Person,
    session_id: &str,
    message: QueuedMessage,
) -> Result<TurnHandle, ApiError> {
    let session = app.session_of(person, session_id).await?;
    let surroundings = app.surround(person, Some(&session), None, Arc::new(NoEvents)).await?;
    let request = TurnRequest {
        session_id: session.id,
        message: message.content,
        uploads: message.uploads,
        model: None,
        surroundings,
        options: None,
        observer: None,
    };
    let (agent, id) = (app.agent().clone(), message.id);
    app.blocking(move || Ok(agent.start_queued(request, id)?)).await
}
