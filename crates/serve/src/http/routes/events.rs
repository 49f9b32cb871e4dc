//! The events of a session, as they happen: numbered, from wherever the watcher was, over SSE or a WebSocket.

use aide::axum::{ApiRouter, routing::get_with};
use axum::{
    extract::{
        State,
        ws::{Message, WebSocket, WebSocketUpgrade},
    },
    http::HeaderMap,
    response::{Response, sse::Event as SseEvent},
};
use deskhand_agent::EventStream;
use deskhand_core::Event;
use futures_util::stream;
use schemars::JsonSchema;
use serde::Deserialize;

use super::sessions::SessionPath;
use crate::http::{
    app::App,
    error::ApiError,
    extract::{At, Params},
    person::Person,
    sse::EventsAnswer,
};

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/v1/sessions/{session_id}/events",
            get_with(events, |op| {
                op.id("sessionEvents")
                    .summary("The events of a session as server-sent events")
                    .description("Each has its number as `id`; come back with `Last-Event-ID` (or `after`), and nothing is lost or doubled.")
                    .tag("events")
            }),
        )
        .api_route(
            "/api/v1/sessions/{session_id}/ws",
            get_with(web_socket, |op| {
                op.id("sessionWebSocket")
                    .summary("The same over a WebSocket, with the reins of the turn")
                    .description("Send `{\"do\":\"cancel\"}`, `{\"do\":\"pause\"}` or `{\"do\":\"resume\"}`.")
                    .tag("events")
            }),
        )
}

#[derive(Deserialize, JsonSchema)]
struct EventParams {
    /// Only those with a larger number. A header `Last-Event-ID` counts before it.
    after: Option<u64>,
}

/// Where a watcher was when it last heard anything.
fn last_seen(params: &EventParams, headers: &HeaderMap) -> u64 {
    let header = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.trim().parse().ok());
    header.or(params.after).unwrap_or(0)
}

async fn events(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
    Params(params): Params<EventParams>,
    headers: HeaderMap,
) -> Result<EventsAnswer, ApiError> {
    let session = app.session_of(&person, &path.session_id).await?;
    let watched = app.agent().subscribe(&session.id, last_seen(&params, &headers));
    let events = stream::unfold(watched, |mut watched: EventStream| async move {
        let event = watched.next().await?;
        Some((numbered(&event), watched))
    });
    Ok(EventsAnswer::new(events, &app))
}

fn numbered(event: &Event) -> SseEvent {
    crate::http::sse::event(event.body.name(), event).id(event.seq.to_string())
}

#[derive(Deserialize)]
struct Command {
    r#do: Rein,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Rein {
    Cancel,
    Pause,
    Resume,
}

async fn web_socket(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
    Params(params): Params<EventParams>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Result<Response, ApiError> {
    let session = app.session_of(&person, &path.session_id).await?;
    let watched = app.agent().subscribe(&session.id, last_seen(&params, &headers));
    Ok(upgrade
        .max_message_size(MOST_COMMAND_BYTES)
        .on_upgrade(move |socket| converse(app, session.id, watched, socket)))
}

const MOST_COMMAND_BYTES: usize = 4096;

async fn converse(app: App, session_id: String, mut watched: EventStream, mut socket: WebSocket) {
    let _open = app.metrics().stream_opened();
    loop {
        tokio::select! {
            () = app.ending().cancelled() => return,
            event = watched.next() => {
                let Some(event) = event else { return };
                let Ok(text) = serde_json::to_string(&event) else { return };
                if socket.send(Message::Text(text.into())).await.is_err() {
                    return;
                }
            }
            heard = socket.recv() => match heard {
                Some(Ok(Message::Text(text))) => {
                    let answer = obey(&app, &session_id, &text);
                    if socket.send(Message::Text(answer.to_string().into())).await.is_err() {
                        return;
                    }
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {}
            },
        }
    }
}

fn obey(app: &App, session_id: &str, text: &str) -> serde_json::Value {
    let Ok(command) = serde_json::from_str::<Command>(text) else {
        return serde_json::json!({"error": {"code": "invalid", "message": "say {\"do\": \"cancel\" | \"pause\" | \"resume\"}"}});
    };
    let Some(turn) = app.agent().running(session_id) else {
        return serde_json::json!({"error": {"code": "no_turn", "message": "no turn is under way in this session"}});
    };
    match command.r#do {
        Rein::Cancel => turn.cancel(),
        Rein::Pause => turn.pause(),
        Rein::Resume => turn.resume(),
    }
    serde_json::json!({"success": true})
}
