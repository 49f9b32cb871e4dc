//! Errors as programs understand them that speak OpenAI's chat completions.

use aide::{
    OperationOutput,
    generate::GenContext,
    openapi::{Operation, Response as ApiResponse, StatusCode as ApiStatus},
};
use axum::{
    Json,
    body::Body,
    http::{StatusCode, header::CONTENT_LENGTH},
    response::{IntoResponse, Response},
};
use deskhand_agent::AgentError;
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::error::ApiError;

/// An answer of 4xx or 5xx.
#[derive(Debug)]
pub struct Refusal(pub ApiError);

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Self {
        Self(error)
    }
}

#[derive(Serialize, JsonSchema)]
pub struct RefusalBody {
    error: RefusalDetail,
}

#[derive(Serialize, JsonSchema)]
struct RefusalDetail {
    message: String,
    r#type: &'static str,
    param: Option<String>,
    code: String,
}

impl RefusalBody {
    pub fn of(error: &ApiError) -> Self {
        let kind = match error.status {
            StatusCode::UNAUTHORIZED => "authentication_error",
            StatusCode::FORBIDDEN => "permission_error",
            StatusCode::CONFLICT => "conflict_error",
            StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
            StatusCode::FAILED_DEPENDENCY => "model_error",
            status if status.is_server_error() => "server_error",
            _ => "invalid_request_error",
        };
        let message = match &error.body.hint {
            None => error.body.message.clone(),
            Some(hint) => format!("{} {hint}", error.body.message),
        };
        Self { error: RefusalDetail { message, r#type: kind, param: None, code: error.body.code.clone() } }
    }
}

/// The same answer in the other form.
pub fn respond(error: ApiError) -> Response {
    let body = serde_json::to_string(&RefusalBody::of(&error)).unwrap_or_default();
    let mut response = error.into_response();
    response.headers_mut().remove(CONTENT_LENGTH);
    *response.body_mut() = Body::from(body);
    response
}

/// A model that does not answer: 424, since such programs repeat what is answered with 409 or 5xx, and a turn is not to
/// be made twice.
pub fn of_the_model(error: AgentError) -> ApiError {
    let is_the_models = matches!(error, AgentError::Provider(_));
    let mut answer = ApiError::from(error);
    if is_the_models {
        answer.status = StatusCode::FAILED_DEPENDENCY;
    }
    answer
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        respond(self.0)
    }
}

impl OperationOutput for Refusal {
    type Inner = RefusalBody;

    fn operation_response(ctx: &mut GenContext, operation: &mut Operation) -> Option<ApiResponse> {
        let mut response = Json::<RefusalBody>::operation_response(ctx, operation)?;
        "What is wrong with the request, in OpenAI's form.".clone_into(&mut response.description);
        Some(response)
    }

    fn inferred_responses(
        ctx: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<ApiStatus>, ApiResponse)> {
        Self::operation_response(ctx, operation).map(|response| (None, response)).into_iter().collect()
    }
}
