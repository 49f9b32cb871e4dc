//! How the machine fares: once, or as it goes on.

use aide::axum::{ApiRouter, routing::get_with};
use axum::{Json, extract::State};
use deskhand_tools::system::vitals::Vitals;
use futures_util::stream;

use crate::http::{
    app::App,
    error::ApiError,
    person::Person,
    pulse::Watcher,
    sse::{self, EventsAnswer},
};

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/v1/vitals",
            get_with(once, |op| op.id("vitals").summary("How the machine fares now").tag("server")),
        )
        .api_route(
            "/api/v1/vitals/events",
            get_with(events, |op| {
                op.id("vitalsEvents")
                    .summary("How the machine fares, every two seconds, as server-sent events")
                    .description("Each is an event `vitals`.")
                    .tag("server")
            }),
        )
}

async fn once(State(app): State<App>, _: Person) -> Result<Json<Vitals>, ApiError> {
    let sample = app.pulse().watch().next().await;
    sample.map(Json).ok_or_else(|| ApiError::broken("the system does not tell how it fares"))
}

async fn events(State(app): State<App>, _: Person) -> Result<EventsAnswer, ApiError> {
    let samples = stream::unfold(app.pulse().watch(), |mut watcher: Watcher| async move {
        let sample = watcher.next().await?;
        Some((sse::event("vitals", &sample), watcher))
    });
    Ok(EventsAnswer::new(samples, &app))
}
