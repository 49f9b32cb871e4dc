//! The events of a session, as they happen: numbered, from wherever the watcher was, over SSE or a WebSocket.

use std::{pin::pin, time::Duration};

use aide::axum::{ApiRouter, routing::get_with};
use axum::{
    body::Bytes,
    extract::{
        State,
        ws::{Message, WebSocket, WebSocketUpgrade},
    },
    http::HeaderMap,
    response::{Response, sse::Event as SseEvent},
};
use deskhand_agent::EventStream;
use deskhand_core::Event;
use futures_util::{Sink, SinkExt, Stream, StreamExt, stream};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::{Instant, MissedTickBehavior, timeout};

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
        .on_upgrade(move |socket| talk(app, session.id, watched, socket)))
}

const MOST_COMMAND_BYTES: usize = 4096;

struct Pace {
    /// A peer that vanished is noticed by these when nothing else is sent.
    ping_every: Duration,
    /// How long a message may take to send. A peer that reads nothing is disconnected then.
    longest_send: Duration,
}

const PACE: Pace = Pace { ping_every: Duration::from_secs(15), longest_send: Duration::from_secs(20) };

async fn talk(app: App, session_id: String, watched: EventStream, socket: WebSocket) {
    let _open = app.metrics().stream_opened();
    let events = stream::unfold(watched, |mut watched: EventStream| async move {
        let event = watched.next().await?;
        Some((serde_json::to_string(&event).ok()?, watched))
    });
    let (say, hear) = socket.split();
    let talking = converse(&PACE, events, say, hear, |command| obey(&app, &session_id, command).to_string());
    tokio::select! {
        () = app.ending().cancelled() => {}
        () = talking => {}
    }
}

/// Sends events and obeys commands until one side ends or the peer stops reading.
async fn converse(
    pace: &Pace,
    events: impl Stream<Item = String>,
    say: impl Sink<Message>,
    hear: impl Stream<Item = Result<Message, axum::Error>>,
    obey: impl Fn(&str) -> String,
) {
    let (mut events, mut say, mut hear) = (pin!(events), pin!(say), pin!(hear));
    let mut pings = tokio::time::interval_at(Instant::now() + pace.ping_every, pace.ping_every);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let message = tokio::select! {
            _ = pings.tick() => Message::Ping(Bytes::new()),
            event = events.next() => match event {
                Some(event) => Message::Text(event.into()),
                None => return,
            },
            heard = hear.next() => match heard {
                Some(Ok(Message::Text(text))) => Message::Text(obey(&text).into()),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => continue,
            },
        };
        match timeout(pace.longest_send, say.send(message)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => return,
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::{future, sink};
    use tokio::sync::mpsc;

    use super::*;

    const QUICK: Pace = Pace { ping_every: Duration::from_millis(5), longest_send: Duration::from_millis(5) };
    /// Far more than anything here takes.
    const LIMIT: Duration = Duration::from_mins(1);

    #[tokio::test]
    async fn an_idle_socket_is_pinged() {
        let (sender, mut sent) = mpsc::unbounded_channel();
        let say = sink::unfold(sender, |sender, message| async move {
            let _ = sender.send(message);
            Ok::<_, Infallible>(sender)
        });
        let pace = Pace { longest_send: LIMIT, ..QUICK };
        let talking = converse(&pace, stream::pending(), say, stream::pending(), str::to_owned);
        let three_pings = async {
            for _ in 0..3 {
                let message = sent.recv().await.unwrap();
                assert!(matches!(message, Message::Ping(_)), "{message:?}");
            }
        };
        tokio::select! {
            () = talking => panic!("the conversation ended"),
            pinged = timeout(LIMIT, three_pings) => pinged.unwrap(),
        }
    }

    #[tokio::test]
    async fn a_peer_that_reads_nothing_is_disconnected() {
        let say = sink::unfold((), |(), _: Message| future::pending::<Result<(), Infallible>>());
        let events = stream::iter(["one".to_owned()]).chain(stream::pending());
        let talking = converse(&QUICK, events, say, stream::pending(), str::to_owned);
        timeout(LIMIT, talking).await.unwrap();
    }
}
