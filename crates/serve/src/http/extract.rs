//! What a request carries, read with our own errors.

use aide::{OperationInput, generate::GenContext, openapi::Operation};
use axum::{
    Json,
    extract::{FromRequest, FromRequestParts, Path, Query, Request, rejection::JsonRejection},
    http::{StatusCode, request::Parts},
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::error::ApiError;

/// The body, as JSON.
pub struct Body<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        match Json::<T>::from_request(request, state).await {
            Ok(Json(value)) => Ok(Self(value)),
            Err(rejection) => Err(body_error(&rejection)),
        }
    }
}

fn body_error(rejection: &JsonRejection) -> ApiError {
    let message = rejection.body_text();
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
            .hint("Files go through /api/v1/sessions/{session_id}/uploads."),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", message)
                .hint("Send JSON, with the header Content-Type: application/json.")
        }
        _ => ApiError::invalid(message),
    }
}

impl<T: JsonSchema> OperationInput for Body<T> {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        Json::<T>::operation_input(ctx, operation);
    }
}

/// What stands in the query.
pub struct Params<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(value)) => Ok(Self(value)),
            Err(rejection) => Err(ApiError::invalid(rejection.body_text())),
        }
    }
}

impl<T: JsonSchema> OperationInput for Params<T> {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        Query::<T>::operation_input(ctx, operation);
    }
}

/// What stands in the path.
pub struct At<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for At<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(value)) => Ok(Self(value)),
            Err(rejection) => Err(ApiError::invalid(rejection.body_text())),
        }
    }
}

impl<T: JsonSchema> OperationInput for At<T> {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        Path::<T>::operation_input(ctx, operation);
    }
}
