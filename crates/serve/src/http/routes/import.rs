//! A session that was exported, brought in again.

use aide::{
    OperationInput,
    axum::{ApiRouter, routing::post_with},
    generate::GenContext,
    openapi::Operation,
};
use axum::{
    Json,
    extract::{DefaultBodyLimit, FromRequest, Request, State},
    http::StatusCode,
};
use deskhand_core::session::Transcript;

use super::sessions::SessionItem;
use crate::http::{app::App, error::ApiError, extract::Body, person::Person};

/// Bytes: far more than a message, since it is a whole conversation.
const MOST_BYTES: usize = 64 << 20;

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new().api_route(
        "/api/v1/sessions/import",
        post_with(import, |op| {
            op.id("importSession")
                .summary("A new session from an exported one")
                .description("At most 64 MiB.")
                .tag("sessions")
        })
        .layer(DefaultBodyLimit::max(MOST_BYTES)),
    )
}

/// An exported session, as the body.
struct Exported(Transcript);

impl<S: Send + Sync> FromRequest<S> for Exported {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        match Body::from_request(request, state).await {
            Ok(Body(transcript)) => Ok(Self(transcript)),
            Err(error) if error.status == StatusCode::PAYLOAD_TOO_LARGE => {
                let most = MOST_BYTES >> 20;
                Err(ApiError::too_large(format!("an exported session of more than {most} MiB is not taken"))
                    .hint("Export a fork with fewer messages, and import that."))
            }
            Err(error) => Err(error),
        }
    }
}

impl OperationInput for Exported {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        Body::<Transcript>::operation_input(ctx, operation);
    }
}

async fn import(
    State(app): State<App>,
    person: Person,
    Exported(transcript): Exported,
) -> Result<Json<SessionItem>, ApiError> {
    Ok(Json(app.store(move |store| store.import(&transcript, person.user.as_deref())).await?.into()))
}
