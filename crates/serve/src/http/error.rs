//! What a request that cannot be served is answered with. What a tool comes to is never one of these.

use std::io;

use aide::{
    OperationOutput,
    generate::GenContext,
    openapi::{Operation, Response as ApiResponse, StatusCode as ApiStatus},
};
use axum::{
    Json,
    http::{HeaderValue, StatusCode, header::RETRY_AFTER},
    response::{IntoResponse, Response},
};
use deskhand_agent::AgentError;
use deskhand_core::{ErrorBody, StoreError, session::SessionError};
use schemars::JsonSchema;
use serde::Serialize;

/// An answer of 4xx or 5xx.
#[derive(Debug)]
pub struct ApiError {
    pub status: StatusCode,
    pub body: ErrorBody,
    retry_after_s: Option<u64>,
}

/// The body of every such answer.
#[derive(Serialize, JsonSchema)]
pub struct ErrorAnswer {
    pub error: ErrorBody,
}

impl ApiError {
    pub fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Self {
        let body = ErrorBody { code: code.to_owned(), message: message.into(), hint: None };
        Self { status, body, retry_after_s: None }
    }

    /// The request makes no sense.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid", message)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    pub fn forbidden(code: &str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, message)
    }

    pub fn conflict(code: &str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, message)
    }

    /// Something here is broken. What exactly stands in the log, and in the message where it helps the person.
    pub fn broken(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "broken", message)
    }

    /// More than there may be.
    pub fn too_large(message: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
    }

    /// The disk did not do what it should. A full one is told from a broken one: there the person can do something.
    pub fn disk(doing: &str, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::StorageFull || error.kind() == io::ErrorKind::QuotaExceeded {
            return Self::new(
                StatusCode::INSUFFICIENT_STORAGE,
                "disk_full",
                format!("cannot {doing}: the disk is full"),
            )
            .hint("Make room on the disk that holds Deskhand's data, then go on.");
        }
        Self::broken(format!("cannot {doing}: {error}"))
    }

    pub fn no_session(id: &str) -> Self {
        Self::not_found(format!("there is no session {id:?}"))
    }

    #[must_use]
    pub fn code(mut self, code: &str) -> Self {
        code.clone_into(&mut self.body.code);
        self
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.body.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after_s = Some(seconds);
        self
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        if self.status.is_server_error() {
            tracing::warn!(code = self.body.code, message = self.body.message, "a request failed");
        }
        let mut response = (self.status, Json(ErrorAnswer { error: self.body })).into_response();
        if let Some(seconds) = self.retry_after_s {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl OperationOutput for ApiError {
    type Inner = ErrorAnswer;

    fn operation_response(ctx: &mut GenContext, operation: &mut Operation) -> Option<ApiResponse> {
        let mut response = Json::<ErrorAnswer>::operation_response(ctx, operation)?;
        "What is wrong with the request, and what to do about it.".clone_into(&mut response.description);
        Some(response)
    }

    fn inferred_responses(
        ctx: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<ApiStatus>, ApiResponse)> {
        Self::operation_response(ctx, operation).map(|response| (None, response)).into_iter().collect()
    }
}

impl From<SessionError> for ApiError {
    fn from(error: SessionError) -> Self {
        let message = error.to_string();
        match error {
            SessionError::NoSuchSession(_)
            | SessionError::NoSuchMessage(..)
            | SessionError::NoSuchUpload(_) => Self::not_found(message),
            SessionError::Busy(_) => Self::conflict("busy", message),
            SessionError::Invalid(_) => Self::invalid(message),
            SessionError::Store(error) => error.into(),
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        Self::broken(error.to_string())
    }
}

impl From<AgentError> for ApiError {
    fn from(error: AgentError) -> Self {
        match error {
            AgentError::Session(error) => error.into(),
            AgentError::Invalid(message) => Self::invalid(message),
            AgentError::Provider(error) => {
                let code = format!("model_{}", error.class.as_str());
                let answer = Self::conflict(&code, error.message.clone());
                match &error.hint {
                    Some(hint) => answer.hint(hint.clone()),
                    None => answer,
                }
            }
            AgentError::Broken(message) => Self::broken(message),
        }
    }
}
