//! The door for programs that speak OpenAI's chat completions: what they send is a turn of the agent, made here with
//! our tools, plans and questions.
//!
//! | file | what lives there |
//! |---|---|
//! | `body.rs` | what such a program sends |
//! | `conversation.rs` | which session it means: it sends the whole conversation each time |
//! | `speaking.rs` | a turn as it is told to the program |
//! | `answer.rs` | the answer, in one piece or as a stream |
//! | `refusal.rs` | errors in the form that it understands |

mod answer;
mod body;
mod conversation;
mod refusal;
mod speaking;

pub use conversation::SESSION_HEADER;

use std::sync::Arc;

use aide::{
    axum::{
        ApiRouter,
        routing::{get_with, post_with},
    },
    openapi::MediaType,
};
use axum::{
    Json,
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, header},
    response::Response,
};
use deskhand_agent::TurnRequest;
use deskhand_core::{Time, event::NoEvents};
use schemars::JsonSchema;
use serde::Serialize;

use self::{
    answer::About,
    body::{ChatBody, Sent},
    refusal::Refusal,
    speaking::{Begun, Speaking},
};
use crate::http::{app::App, error::ApiError, person::Person};

pub use self::{conversation::Remembered, refusal::respond as refuse};

/// The name of the usual model, and what stands before that of another.
const OURS: &str = "deskhand";
/// Pictures come in the message.
const MOST_BYTES: usize = 32 << 20;

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/v1/models",
            get_with(models, |op| {
                op.id("openaiModels").summary("The models, as OpenAI's clients ask for them").tag("openai")
            }),
        )
        .api_route(
            "/v1/chat/completions",
            post_with(complete, |op| {
                op.id("openaiChat")
                    .summary("A turn of the agent, as OpenAI's clients ask for an answer")
                    .description(
                        "The last message of the user is what is said. Tools are those of Deskhand; `tools` of the \
                         client, and its sampling parameters, are not used. When the connection closes, the turn is \
                         cancelled.",
                    )
                    .response_with::<200, Json<serde_json::Value>, _>(|mut response| {
                        let streamed = ("text/event-stream".to_owned(), MediaType::default());
                        response.inner().content.extend([streamed]);
                        response.description("An answer in one piece, or as a stream where that is asked for.")
                    })
                    .tag("openai")
            })
            .layer(DefaultBodyLimit::max(MOST_BYTES)),
        )
}

#[derive(Serialize, JsonSchema)]
struct ModelObjects {
    object: &'static str,
    data: Vec<ModelObject>,
}

#[derive(Serialize, JsonSchema)]
struct ModelObject {
    id: String,
    object: &'static str,
    created: u64,
    owned_by: &'static str,
}

async fn models(State(app): State<App>, _: Person) -> Result<Json<ModelObjects>, Refusal> {
    let named = match app.program().models() {
        Some(desk) => {
            desk.look().await;
            app.blocking(move || Ok(desk.list().models)).await?
        }
        None => Vec::new(),
    };
    let names =
        std::iter::once(OURS.to_owned()).chain(named.into_iter().map(|name| format!("{OURS}/{name}")));
    let data = names.map(|id| ModelObject { id, object: "model", created: 0, owned_by: OURS }).collect();
    Ok(Json(ModelObjects { object: "list", data }))
}

async fn complete(
    State(app): State<App>,
    person: Person,
    headers: HeaderMap,
    Sent(body): Sent<ChatBody>,
) -> Result<Response, Refusal> {
    let said = body.last_said()?;
    let model = model(&app, &person, body.model.as_deref()).await?;
    if conversation::named(&headers, &body).is_none() {
        check(&app, &person, model.clone()).await?;
    }
    let session = conversation::find_or_begin(&app, &person, &headers, &body).await?;
    let uploads = conversation::keep_files(&app, &session.id, said.files).await?;
    // After the files: their folder is one that its calls may read.
    let surroundings = app.surround(&person, Some(&session), None, Arc::new(NoEvents)).await?;
    let request = TurnRequest {
        session_id: session.id.clone(),
        message: said.text,
        uploads,
        model,
        surroundings,
        options: None,
        observer: None,
    };
    let agent = app.agent().clone();
    // Whoever goes away while the turn begins leaves it to the guard, which cancels it.
    let begun =
        app.blocking(move || Ok(Begun::new(agent.start(request).map_err(refusal::of_the_model)?))).await?;
    let about = About {
        id: format!("chatcmpl-{}", begun.turn_id()),
        created: Time::now().timestamp().as_second(),
        model: body.model.clone().filter(|name| !name.is_empty()).unwrap_or_else(|| OURS.to_owned()),
        session_id: session.id.clone(),
        with_usage: body.wants_usage(),
    };
    let page = page_of(&app, &headers, &session.id);
    let digest = conversation::Told::all_but_the_answer(&body);
    let speaking = Speaking::new(app, person, begun, page, digest);
    if body.stream.unwrap_or(false) {
        Ok(answer::streamed(speaking, about))
    } else {
        answer::whole(speaking, about).await
    }
}

/// The model that is meant; `None` for the usual one.
async fn model(app: &App, person: &Person, named: Option<&str>) -> Result<Option<String>, ApiError> {
    let named = named.unwrap_or_default().trim();
    let rest = named.strip_prefix(OURS).map_or(named, |rest| rest.strip_prefix('/').unwrap_or(rest));
    let Some(name) = person.may_name(Some(rest.to_owned()))? else { return Ok(None) };
    let found = match app.program().models() {
        Some(desk) => app.blocking(move || Ok(desk.named(&name))).await?,
        None => Some(name),
    };
    found.map(Some).ok_or_else(|| {
        ApiError::not_found(format!("there is no model {named:?}"))
            .code("model_not_found")
            .hint("Name \"deskhand\" for the usual one, or one that GET /v1/models lists.")
    })
}

/// A model that cannot be had is told before a session is made for it.
async fn check(app: &App, person: &Person, model: Option<String>) -> Result<(), ApiError> {
    let is_owner = person.is_owner();
    let models = Arc::clone(app.agent().models());
    app.blocking(move || match models.connect(model.as_deref()) {
        Ok(_) => Ok(()),
        Err(error) => {
            let error = if is_owner { error } else { error.for_others() };
            Err(refusal::of_the_model(error.into()))
        }
    })
    .await
}

/// Where a person sees the session, and answers questions.
fn page_of(app: &App, headers: &HeaderMap, session_id: &str) -> String {
    let scheme = if app.is_secure() { "https" } else { "http" };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    format!("{scheme}://{host}/s/{session_id}")
}
