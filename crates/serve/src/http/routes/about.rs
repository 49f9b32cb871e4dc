//! What this server is, and who the asker is to it.

use std::path::PathBuf;

use aide::axum::{ApiRouter, routing::get_with};
use axum::{Json, extract::State};
use deskhand_core::Mode;
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::{app::App, error::ApiError, modes::ModeInForce, person::Person, program::About};

/// Bytes; the limit of seeds and store.
pub const MOST_UPLOAD_BYTES: u64 = 100 << 20;
/// The most bytes of a JSON body, and so of a message.
pub const MOST_JSON_BYTES: usize = 2 << 20;

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new().api_route(
        "/api/v1/about",
        get_with(about, |op| {
            op.id("about")
                .summary("What this server is, and who you are to it")
                .tag("server")
                .default_response::<ApiError>()
        }),
    )
}

#[derive(Serialize, JsonSchema)]
struct AboutAnswer {
    #[serde(flatten)]
    about: About,
    user: User,
    /// The modes that you may choose for a new session.
    modes: Vec<Mode>,
    /// Whether you sit at the machine that the server runs on. From elsewhere the desktop can only be looked at.
    here: bool,
    limits: LimitsAnswer,
    /// Tools that this machine lacks something for.
    unavailable: Vec<Unavailable>,
}

#[derive(Serialize, JsonSchema)]
struct User {
    name: String,
    /// Whether this is the owner of the installation.
    owner: bool,
}

#[derive(Serialize, JsonSchema)]
struct LimitsAnswer {
    upload_bytes: u64,
    message_bytes: usize,
    requests_per_second: u32,
}

#[derive(Serialize, JsonSchema)]
struct Unavailable {
    tool: String,
    reason: String,
    remedy: String,
}

async fn about(State(app): State<App>, person: Person) -> Json<AboutAnswer> {
    let absent = app.gate().registry.absent().map(|(entry, absent)| Unavailable {
        tool: entry.spec().name.to_owned(),
        reason: absent.why.clone(),
        remedy: absent.remedy.clone(),
    });
    let mut about = app.program().about();
    let first = about.workspaces.first().map(PathBuf::from);
    let in_force = app.mode_in(first).await.unwrap_or(ModeInForce { mode: about.mode, is_fixed: true });
    about.workspaces = app.folders_of(&person);
    about.model = about.model.map(|model| person.shown_model(model));
    Json(AboutAnswer {
        about,
        modes: in_force.choices(&person),
        user: User {
            name: person.user.clone().unwrap_or_else(|| "owner".to_owned()),
            owner: person.is_owner(),
        },
        here: person.here,
        limits: LimitsAnswer {
            upload_bytes: MOST_UPLOAD_BYTES,
            message_bytes: MOST_JSON_BYTES,
            requests_per_second: app.requests_per_second(),
        },
        unavailable: absent.collect(),
    })
}
