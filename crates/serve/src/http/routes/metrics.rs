//! What the server counts of itself, for Prometheus. For the owner alone: it tells what others do.

use std::sync::Arc;

use aide::{
    OperationOutput,
    axum::{ApiRouter, routing::get_with},
    generate::GenContext,
    openapi::{Operation, Response as ApiResponse, StatusCode as ApiStatus},
};
use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use deskhand_tools::system::vitals;

use crate::http::{app::App, error::ApiError, metrics::Moment, person::Person};

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new().api_route(
        "/metrics",
        get_with(metrics, |op| {
            op.id("metrics").summary("Counters in the text form of Prometheus, for the owner").tag("server")
        }),
    )
}

async fn metrics(State(app): State<App>, person: Person) -> Result<Exposition, ApiError> {
    person.must_be_owner("/metrics")?;
    let queue = Arc::clone(app.approvals());
    let (pending_approvals, memory_bytes) =
        app.blocking(move || Ok((queue.pending()?.len(), vitals::own_memory()))).await?;
    let moment = Moment { running_turns: app.agent().running_turns(), pending_approvals, memory_bytes };
    Ok(Exposition(app.metrics().text(&moment)))
}

/// The text form, with its type.
struct Exposition(String);

impl IntoResponse for Exposition {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], self.0).into_response()
    }
}

impl OperationOutput for Exposition {
    type Inner = String;

    fn operation_response(ctx: &mut GenContext, operation: &mut Operation) -> Option<ApiResponse> {
        String::operation_response(ctx, operation)
    }

    fn inferred_responses(
        ctx: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<ApiStatus>, ApiResponse)> {
        let response = Self::operation_response(ctx, operation);
        response.map(|response| (Some(ApiStatus::Code(200)), response)).into_iter().collect()
    }
}
