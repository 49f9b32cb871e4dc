//! Models: which there are, their keys, and whether they answer.

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use aide::axum::{
    ApiRouter,
    routing::{delete_with, get_with, post_with},
};
use axum::{Json, extract::State};
use deskhand_agent::provider::{
    ErrorClass, Key, KeyPlace, KeySource, Problem, ProviderError,
    trial::{self, Draft, StoredKey},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::sessions::Success;
use crate::http::{
    app::App,
    error::ApiError,
    extract::{At, Body},
    person::Person,
    program::models::{ModelDesk, ModelList},
};

/// No key is longer.
const LONGEST_KEY: usize = 4096;

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
            "/api/v1/models/available",
            post_with(available, |op| {
                op.id("listAvailableModels")
                    .summary("The models that a provider itself lists, with an address and a key that need not be saved")
                    .tag("models")
            }),
        )
        .api_route(
            "/api/v1/models/setup",
            post_with(set_up, |op| {
                op.id("setUpModel")
                    .summary("Save the address, the key and the default model of a provider")
                    .description(
                        "A stored key stays bound to the address that it was entered for, unless `use_stored_key` is set.",
                    )
                    .tag("models")
            }),
        )
        .api_route(
            "/api/v1/models/test",
            post_with(try_out, |op| {
                op.id("testModel").summary("Ask a model for one word, for at most a minute").tag("models")
            }),
        )
}

fn desk(app: &App) -> Result<Arc<dyn ModelDesk>, ApiError> {
    app.program().models().ok_or_else(|| ApiError::not_found("this program has no models to show"))
}

async fn list(State(app): State<App>, person: Person) -> Result<Json<ModelList>, ApiError> {
    let desk = desk(&app)?;
    desk.look().await;
    let list = app.blocking(move || Ok(desk.list())).await?;
    Ok(Json(if person.is_owner() { list } else { for_others(&person, list) }))
}

/// Without the owner's addresses and files.
fn for_others(person: &Person, mut list: ModelList) -> ModelList {
    list.usual = list.usual.map(|model| person.shown_model(model));
    list.keyring.why = None;
    for provider in &mut list.providers {
        provider.base_url = None;
    }
    list
}

#[derive(Deserialize, JsonSchema)]
struct KeyBody {
    provider: String,
    /// It is kept, used, and never shown again.
    key: String,
    /// Left out: the keyring where there is one, else the file.
    r#where: Option<KeyPlace>,
}

fn as_key(text: &str) -> Result<String, ApiError> {
    let key = text.trim().to_owned();
    if key.is_empty() || key.len() > LONGEST_KEY || !key.chars().all(|c| c.is_ascii_graphic()) {
        return Err(ApiError::invalid(format!(
            "a key has 1 to {LONGEST_KEY} letters, digits and signs, and no blanks; was it copied whole?"
        )));
    }
    Ok(key)
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
    let key = as_key(&body.key)?;
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

/// What was typed to set a provider up. For the owner alone: it says where this machine connects to.
#[derive(Default, Deserialize, JsonSchema)]
struct Typed {
    /// Left out: the address in force.
    base_url: Option<String>,
    /// Left out: the stored key, if it was entered for this address.
    key: Option<String>,
    /// Whether the stored key may go to another address than the one it was entered for. Only at the machine itself.
    #[serde(default)]
    use_stored_key: bool,
}

impl Typed {
    fn draft(self, person: &Person, provider: &str) -> Result<Draft, ApiError> {
        person.must_be_owner("setting up models")?;
        if self.use_stored_key {
            person.must_be_here(
                "a stored key is sent to another address",
                "Enter the key again, or allow this on the machine that runs Deskhand.",
            )?;
        }
        let text =
            |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        Ok(Draft {
            provider: provider.to_owned(),
            address: text(self.base_url),
            key: text(self.key).map(|key| as_key(&key)).transpose()?.map(Key::new),
            stored_key: if self.use_stored_key { StoredKey::GoesAlong } else { StoredKey::default() },
        })
    }

    fn is_empty(&self) -> bool {
        self.base_url.is_none() && self.key.is_none() && !self.use_stored_key
    }
}

#[derive(Deserialize, JsonSchema)]
struct ListBody {
    provider: String,
    #[serde(flatten)]
    typed: Typed,
}

#[derive(Serialize, JsonSchema)]
struct Available {
    /// As the provider names them, sorted. Empty where the list cannot be read.
    models: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<TrialError>,
}

async fn available(
    State(app): State<App>,
    person: Person,
    Body(body): Body<ListBody>,
) -> Result<Json<Available>, ApiError> {
    let draft = body.typed.draft(&person, &body.provider)?;
    let desk = desk(&app)?;
    let listed = tokio::time::timeout(trial::LIMIT, desk.available(draft)).await.unwrap_or_else(|_| {
        let message = format!("The server sent no list of models within {} seconds.", trial::LIMIT.as_secs());
        Err(ProviderError::new(ErrorClass::Silent, message))
    });
    Ok(Json(match listed {
        Ok(models) => Available { models, error: None },
        Err(error) => Available { models: Vec::new(), error: Some(error.into()) },
    }))
}

#[derive(Deserialize, JsonSchema)]
struct TrialBody {
    /// `PROVIDER/NAME`
    model: String,
    #[serde(flatten)]
    typed: Typed,
}

#[derive(Serialize, JsonSchema)]
struct Trial {
    ok: bool,
    latency_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<TrialError>,
}

/// Why the model did not answer.
#[derive(Serialize, JsonSchema)]
struct TrialError {
    class: String,
    /// What to fix.
    problem: Problem,
    /// In our words.
    message: String,
    /// In the words of its server, where it said anything.
    said: Option<String>,
    hint: Option<String>,
}

impl From<ProviderError> for TrialError {
    fn from(error: ProviderError) -> Self {
        Self {
            class: error.class.as_str().to_owned(),
            problem: error.problem(),
            message: error.message,
            said: error.said,
            hint: error.hint,
        }
    }
}

async fn try_out(
    State(app): State<App>,
    person: Person,
    Body(body): Body<TrialBody>,
) -> Result<Json<Trial>, ApiError> {
    let model = person.may_name(Some(body.model))?.ok_or_else(|| ApiError::invalid("name a model"))?;
    let provider = model.split('/').next().unwrap_or_default();
    let draft = if body.typed.is_empty() { None } else { Some(body.typed.draft(&person, provider)?) };
    let desk = desk(&app)?;
    let connected = app
        .blocking(move || {
            Ok(match draft {
                Some(draft) => desk.connect_draft(&draft, &model),
                None => desk.connect(&model),
            })
        })
        .await?;
    let begun = Instant::now();
    let tried = match connected {
        Ok(model) => trial::try_out(model.as_ref(), trial::LIMIT).await,
        Err(error) => Err(error),
    };
    let latency_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let error = tried.err().map(|error| if person.is_owner() { error } else { error.for_others() });
    Ok(Json(Trial { ok: error.is_none(), latency_ms, error: error.map(TrialError::from) }))
}

#[derive(Deserialize, JsonSchema)]
struct SetupBody {
    provider: String,
    /// As the provider names it; it becomes the default model. Left out: that stays as it is.
    model: Option<String>,
    /// Where a key is kept; left out: the keyring where there is one, else the file.
    r#where: Option<KeyPlace>,
    #[serde(flatten)]
    typed: Typed,
}

#[derive(Serialize, JsonSchema)]
struct SetUp {
    /// `PROVIDER/NAME`, if it is the default model from now on.
    model: Option<String>,
    /// Where the key was kept, if one was given.
    kept: Option<KeySource>,
    warnings: Vec<String>,
}

async fn set_up(
    State(app): State<App>,
    person: Person,
    Body(body): Body<SetupBody>,
) -> Result<Json<SetUp>, ApiError> {
    let (place, draft) = (body.r#where, body.typed.draft(&person, &body.provider)?);
    let name = body.model.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let model = name.map(|name| format!("{}/{name}", body.provider));
    let desk = desk(&app)?;
    let (asked, wanted) = (Arc::clone(&desk), draft.clone());
    let address = app.blocking(move || asked.new_address(&wanted)).await?;
    let mut changes = BTreeMap::new();
    if let Some(model) = &model {
        changes.insert("model".to_owned(), Value::from(model.as_str()));
    }
    if let Some(setting) = &address.setting {
        changes.insert(format!("providers.{}.base_url", draft.provider), setting.clone());
    }
    // The key comes last: one that is bound to an address which was not saved would go nowhere.
    let warnings = if changes.is_empty() {
        Vec::new()
    } else {
        super::settings::make(&app, &person, changes).await?.warnings
    };
    let kept = app.blocking(move || desk.settle_key(&draft, place, &address)).await?;
    Ok(Json(SetUp { model, kept, warnings }))
}
