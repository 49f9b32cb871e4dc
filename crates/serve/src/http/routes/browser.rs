//! `POST /api/browser/…`: the fifteen browser tools as SkillMint's callers reach them, on the server's own address and,
//! where that is set, on a port of their own.
//!
//! Each is one call along the one path, in the dialect `skillmint`. Where a person has to be asked, the answer waits for
//! them like any other call: on the page, in a terminal, wherever the question is answered first.

use std::sync::Arc;

use aide::{
    OperationInput,
    axum::{ApiRouter, routing::post_with},
    generate::GenContext,
    openapi::{Operation, ReferenceOr},
};
use axum::{
    Json,
    body::HttpBody,
    extract::{FromRequest, Request as HttpRequest, State},
    http::{HeaderMap, StatusCode},
};
use deskhand_core::{ErrorBody, Image, Outcome, Request, Status, event::NoEvents, id::CallId};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{execute::call_to_its_end, openai::SESSION_HEADER};
use crate::http::{app::App, error::ApiError, extract::Body, person::Person};

/// The system whose API this is.
const DIALECT: &str = "skillmint";

/// What can be done, the tool that does it, what it takes, and in a few words what it is.
const ACTIONS: &[(&str, &str, &str, &str)] = &[
    ("launch", "browser_launch", "`headless?`, `viewport?`", "Start a browser"),
    ("navigate", "browser_navigate", "`url`", "Go to an address"),
    ("click", "browser_click", "`selector?`, `x?`, `y?`", "Click an element or a point"),
    ("type", "browser_type", "`selector`, `text`, `delay?`", "Type into a field"),
    ("scroll", "browser_scroll", "`direction`, `amount?`", "Scroll"),
    ("hover", "browser_hover", "`selector?`, `x?`, `y?`", "Move the mouse over an element or a point"),
    ("press_key", "browser_press_key", "`key`, `modifiers?`", "Press a key"),
    ("screenshot", "browser_screenshot", "`selector?`, `full_page?`", "A picture of the page, in base64"),
    ("get_dom", "browser_get_dom", "`selector?`, `max_depth?`", "The page in short"),
    ("evaluate", "browser_evaluate", "`script`", "Run JavaScript in the page"),
    (
        "wait_for",
        "browser_wait_for",
        "`selector?`, `condition?`, `timeout?`",
        "Wait for an element or a condition",
    ),
    ("go_back", "browser_go_back", "nothing", "Go back"),
    ("go_forward", "browser_go_forward", "nothing", "Go forward"),
    ("reload", "browser_reload", "nothing", "Load the page again"),
    ("get_state", "browser_get_state", "nothing", "Address, title, loading state and history"),
];

pub fn routes() -> ApiRouter<App> {
    ACTIONS.iter().fold(ApiRouter::new(), |router, &(action, tool, takes, does)| {
        let handler = move |State(app): State<App>, person: Person, headers: HeaderMap, taken: Parameters| {
            act(app, person, headers, tool, taken)
        };
        router.api_route(
            &format!("/api/browser/{action}"),
            post_with(handler, move |op| {
                op.id(&operation_id(tool))
                    .summary(does)
                    .description(&format!(
                        "`{tool}` of SkillMint. The body has its parameters: {takes}. The answer comes when the call \
                         has ended, a person's answer included where one is needed; its status is that of the outcome. \
                         The header `X-Deskhand-Session` names another session than the one that this token has for \
                         such calls; each session has a browser of its own."
                    ))
                    .response::<200, Json<Acted>>()
                    .tag("browser")
            }),
        )
    })
}

/// `browser_get_dom` → `browserGetDom`.
fn operation_id(tool: &str) -> String {
    let mut id = String::new();
    for (n, word) in tool.split('_').enumerate() {
        let (first, rest) = word.split_at(word.len().min(1));
        id.push_str(&if n == 0 { first.to_owned() } else { first.to_ascii_uppercase() });
        id.push_str(rest);
    }
    id
}

/// What a tool is called with. No body at all is the same as an empty one: most of these tools take nothing.
struct Parameters(Map<String, Value>);

impl<S: Send + Sync> FromRequest<S> for Parameters {
    type Rejection = ApiError;

    async fn from_request(request: HttpRequest, state: &S) -> Result<Self, ApiError> {
        if request.body().is_end_stream() {
            return Ok(Self(Map::new()));
        }
        Body::from_request(request, state).await.map(|Body(parameters)| Self(parameters))
    }
}

impl OperationInput for Parameters {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        Body::<Map<String, Value>>::operation_input(ctx, operation);
        if let Some(ReferenceOr::Item(body)) = &mut operation.request_body {
            body.required = false;
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct Acted {
    success: bool,
    /// Where on its path the call ended.
    status: String,
    /// What the tool says, as text; of a screenshot the picture, in base64.
    result: Value,
    /// The same for programs, where the tool has more to say than text.
    data: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorBody>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    images: Vec<Image>,
    /// Where text in it comes from that nobody here vouches for.
    #[serde(skip_serializing_if = "Option::is_none")]
    outside: Option<String>,
    call_id: CallId,
    /// Whose browser it was.
    session_id: String,
    duration_ms: u64,
}

async fn act(
    app: App,
    person: Person,
    headers: HeaderMap,
    tool: &'static str,
    Parameters(parameters): Parameters,
) -> Result<(StatusCode, Json<Acted>), ApiError> {
    let named = headers.get(SESSION_HEADER).map(|id| id.to_str().unwrap_or_default());
    let session = match named.filter(|id| !id.is_empty()) {
        Some(id) => Some(app.session_of(&person, id).await?),
        None => None,
    };
    let usual = app.surround(&person, session.as_ref(), None, Arc::new(NoEvents)).await?;
    // What one of these calls read from a page is known to the ones after it.
    let outside = app.read_in_browser(&usual.id);
    let cx = usual.tainted_by(outside);
    let session_id = cx.id.clone();
    let request = Request::new(tool, Value::Object(parameters)).in_dialect(Some(DIALECT.to_owned()));
    let request = Request { cancel: app.ending().child_token(), ..request };
    let outcome = call_to_its_end(&app, request, cx).await?;
    Ok((status_of(outcome.status), Json(told(&app, tool, session_id, outcome))))
}

fn told(app: &App, tool: &str, session_id: String, outcome: Outcome) -> Acted {
    let said = || Value::from(outcome.text.clone());
    let shaped = app.gate().registry.dialect(DIALECT).map(|dialect| dialect.shaped(tool, &outcome));
    let picture = outcome.images.first().map(|image| Value::from(image.base64.clone()));
    Acted {
        success: outcome.is_success(),
        status: outcome.status.as_str().to_owned(),
        result: picture.or(shaped).unwrap_or_else(said),
        data: outcome.data,
        error: outcome.error,
        images: outcome.images,
        outside: outcome.outside,
        call_id: outcome.call_id,
        session_id,
        duration_ms: outcome.duration_ms,
    }
}

/// Callers of that system look at the status first: whatever did not succeed is no 200.
fn status_of(status: Status) -> StatusCode {
    match status {
        Status::Success => StatusCode::OK,
        Status::InvalidArguments => StatusCode::BAD_REQUEST,
        Status::Blocked
        | Status::ExecutionRejected
        | Status::ResultRejected
        | Status::Expired
        | Status::NobodyToAsk => StatusCode::FORBIDDEN,
        // The tools are always there; what is not found is a browser to use.
        Status::NotFound | Status::Cancelled => StatusCode::SERVICE_UNAVAILABLE,
        Status::Error => StatusCode::UNPROCESSABLE_ENTITY,
        Status::TimedOut => StatusCode::GATEWAY_TIMEOUT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_is_a_name_of_that_system() {
        let registry = deskhand_tools::registry();
        let dialect = registry.dialect(DIALECT).unwrap();
        let named = dialect.entries.iter().filter(|entry| entry.name.starts_with("browser_"));
        let named: Vec<_> = named.map(|entry| entry.name).collect();
        let actions: Vec<_> = ACTIONS.iter().map(|(_, tool, ..)| *tool).collect();
        assert_eq!(actions, named);
        for (action, tool, takes, _) in ACTIONS {
            assert_eq!(*tool, format!("browser_{action}"));
            let entry = dialect.entry(tool).unwrap();
            let parameters: Vec<_> = entry.parameters.iter().map(|parameter| parameter.name).collect();
            let told: Vec<_> = takes.split(", ").map(|word| word.trim_matches(['`', '?'])).collect();
            assert_eq!(told, if parameters.is_empty() { vec!["nothing"] } else { parameters }, "{tool}");
        }
        assert_eq!(operation_id("browser_get_dom"), "browserGetDom");
    }
}
