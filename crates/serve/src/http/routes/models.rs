//! Models: which there are, their keys, and whether they answer.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use aide::axum::{
    ApiRouter,
    routing::{delete_with, get_with, post_with},
};
use axum::{Json, extract::State};
use deskhand_agent::provider::{
    ChatMessage, ErrorClass, KeyPlace, KeySource, ModelRequest, Provider, ProviderError,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::sessions::Success;
use crate::http::{
    app::App,
    error::ApiError,
    extract::{At, Body},
    person::Person,
    program::models::{ModelDesk, ModelList},
};

/// How long a model has for one word.
const TRIAL_LIMIT: Duration = Duration::from_secs(20);
/// No key is longer.
const LONGEST_KEY: usize = 4096;
/// Enough for a word; some models think first.
const TRIAL_TOKENS: u64 = 256;

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/v1/models",
            get_with(list, |op| {
                op.id("listModels")
                    .summary("The models that can be talked to, and the providers")
                    .tag("models")
            }),
        )
        .api_route(
            "/api/v1/models/keys",
            post_with(keep, |op| {
                op.id("keepKey").summary("Keep the key of a provider; it counts at once").tag("models")
            }),
        )
        .api_route(
            "/api/v1/models/keys/{provider}",
            delete_with(forget, |op| {
                op.id("forgetKey").summary("Forget the key that is kept for a provider").tag("models")
            }),
        )
        .api_route(
            "/api/v1/models/test",
            post_with(try_out, |op| {
                op.id("testModel").summary("Ask a model for one word, for at most 20 seconds").tag("models")
            }),
        )
}

fn desk(app: &App) -> Result<Arc<dyn ModelDesk>, ApiError> {
    app.program().models().ok_or_else(|| ApiError::not_found("this program has no models to show"))
}

async fn list(State(app): State<App>, _: Person) -> Result<Json<ModelList>, ApiError> {
    let desk = desk(&app)?;
    desk.look().await;
    Ok(Json(app.blocking(move || Ok(desk.list())).await?))
}

#[derive(Deserialize, JsonSchema)]
struct KeyBody {
    provider: String,
    /// It is kept, used, and never shown again.
    key: String,
    /// Left out: the keyring where there is one, else the file.
    r#where: Option<KeyPlace>,
}

#[derive(Serialize, JsonSchema)]
struct Kept {
    kept: KeySource,
}

async fn keep(
    State(app): State<App>,
    person: Person,
    Body(body): Body<KeyBody>,
) -> Result<Json<Kept>, ApiError> {
    person.must_be_owner("keeping keys")?;
    let key = body.key.trim().to_owned();
    if key.is_empty() || key.len() > LONGEST_KEY || !key.chars().all(|c| c.is_ascii_graphic()) {
        return Err(ApiError::invalid(format!(
            "a key has 1 to {LONGEST_KEY} letters, digits and signs, and no blanks; was it copied whole?"
        )));
    }
    let desk = desk(&app)?;
    let kept = app.blocking(move || desk.keep_key(&body.provider, &key, body.r#where)).await?;
    Ok(Json(Kept { kept }))
}

#[derive(Deserialize, JsonSchema)]
struct ProviderPath {
    provider: String,
}

async fn forget(
    State(app): State<App>,
    person: Person,
    At(path): At<ProviderPath>,
) -> Result<Json<Success>, ApiError> {
    person.must_be_owner("forgetting keys")?;
    let desk = desk(&app)?;
    app.blocking(move || desk.forget_key(&path.provider)).await?;
    Ok(Json(Success::YES))
}

#[derive(Deserialize, JsonSchema)]
struct TrialBody {
    /// `PROVIDER/NAME`
    model: String,
}

#[derive(Serialize, JsonSchema)]
struct Trial {
    ok: bool,
    latency_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<TrialError>,
}

/// Why the model did not answer, in the words of its server.
#[derive(Serialize, JsonSchema)]
struct TrialError {
    class: String,
    message: String,
    hint: Option<String>,
}

async fn try_out(
    State(app): State<App>,
    person: Person,
    Body(body): Body<TrialBody>,
) -> Result<Json<Trial>, ApiError> {
    let model = person.may_name(Some(body.model))?.ok_or_else(|| ApiError::invalid("name a model"))?;
    let (desk, named) = (desk(&app)?, model.clone());
    let connected = app.blocking(move || Ok(desk.connect(&named))).await?;
    let begun = Instant::now();
    let trial = async { ask_for_a_word(connected?.as_ref()).await };
    let tried = tokio::time::timeout(TRIAL_LIMIT, trial).await.unwrap_or_else(|_| {
        let message = format!("{model} did not answer within {} seconds.", TRIAL_LIMIT.as_secs());
        Err(ProviderError::new(ErrorClass::Silent, message)
            .hint("A model that has to be loaded first may need longer: try again."))
    });
    let latency_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let error = tried.err().map(|error| TrialError {
        class: error.class.as_str().to_owned(),
        message: error.message,
        hint: error.hint,
    });
    Ok(Json(Trial { ok: error.is_none(), latency_ms, error }))
}

async fn ask_for_a_word(model: &dyn Provider) -> Result<(), ProviderError> {
    let text = "Answer with the one word OK.".to_owned();
    let request = ModelRequest {
        messages: vec![ChatMessage::User { text, images: Vec::new() }],
        max_tokens: Some(TRIAL_TOKENS),
        ..ModelRequest::default()
    };
    model.complete(&request, &mut |_| {}, &CancellationToken::new()).await.map(drop)
}
