//! Streams of events for browsers: numbered, with a sign of life, ended with the server.

use std::{convert::Infallible, time::Duration};

use aide::{
    OperationOutput,
    generate::GenContext,
    openapi::{MediaType, Operation, Response as ApiResponse, StatusCode as ApiStatus},
};
use axum::{
    http::HeaderValue,
    response::{
        IntoResponse, Response,
        sse::{Event as SseEvent, KeepAlive, Sse},
    },
};
use futures_util::{Stream, StreamExt, stream::BoxStream};

use super::app::App;

/// How often a stream shows that it is alive: proxies and browsers give up on silence.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// An answer that goes on.
pub struct EventsAnswer(BoxStream<'static, SseEvent>);

impl EventsAnswer {
    /// Ends by itself when the server does.
    pub fn new(events: impl Stream<Item = SseEvent> + Send + 'static, app: &App) -> Self {
        let ending = app.ending().clone();
        let open = app.metrics().stream_opened();
        let events = events.take_until(async move { ending.cancelled().await });
        Self(
            events
                .inspect(move |_| {
                    // Counted for as long as the stream is there.
                    let _ = &open;
                })
                .boxed(),
        )
    }
}

impl IntoResponse for EventsAnswer {
    fn into_response(self) -> Response {
        let events = self.0.map(Ok::<_, Infallible>);
        let mut response = Sse::new(events)
            .keep_alive(KeepAlive::new().interval(SIGN_OF_LIFE).text("alive"))
            .into_response();
        // Some proxies gather what they pass on, which would hold events back.
        response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
        response
    }
}

impl OperationOutput for EventsAnswer {
    type Inner = Self;

    fn operation_response(_: &mut GenContext, _: &mut Operation) -> Option<ApiResponse> {
        let content = [("text/event-stream".to_owned(), MediaType::default())].into_iter().collect();
        Some(ApiResponse {
            description: "Server-sent events, without end.".to_owned(),
            content,
            ..ApiResponse::default()
        })
    }

    fn inferred_responses(
        ctx: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<ApiStatus>, ApiResponse)> {
        Self::operation_response(ctx, operation)
            .map(|response| (Some(ApiStatus::Code(200)), response))
            .into_iter()
            .collect()
    }
}

/// One event with a JSON value.
pub fn event(name: &str, data: &impl serde::Serialize) -> SseEvent {
    // What is sent here is ours, and always can be written as JSON.
    let text = serde_json::to_string(data).unwrap_or_else(|_| "null".to_owned());
    SseEvent::default().event(name).data(text)
}
