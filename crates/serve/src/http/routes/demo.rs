//! A demo: a session whose turns are scripted and whose tools, plans and questions are real.

use std::{cmp::Reverse, path::Path, sync::Arc};

use aide::axum::{ApiRouter, routing::post_with};
use axum::{Json, extract::State};
use deskhand_core::session::{NewSession, Owner, PageAsk, Session, SessionError, SessionMeta, SessionQuery};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::{
    app::App,
    error::ApiError,
    extract::Body,
    person::Person,
    program::demo::{DemoDesk, DemoLanguage},
};

/// How many demos of one person have a folder at once.
const MOST_FOLDERS: usize = 5;
/// How many of a person's newest sessions are looked at for demos.
const LOOKED_AT: u64 = 1_000;

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new().api_route(
        "/api/v1/demo",
        post_with(begin, |op| {
            op.id("beginDemo")
                .summary("A scripted conversation with real tools, which begins with its first message")
                .description(
                    "Each message of `suggested` plays its turn; any other is answered without a tool.",
                )
                .tag("models")
        }),
    )
}

#[derive(Deserialize, JsonSchema)]
struct DemoBody {
    language: DemoLanguage,
}

#[derive(Serialize, JsonSchema)]
struct DemoBegun {
    session_id: String,
    /// What can be said in it, in this order. It also stands in the session's metadata.
    suggested: Vec<String>,
}

async fn begin(
    State(app): State<App>,
    person: Person,
    Body(body): Body<DemoBody>,
) -> Result<Json<DemoBegun>, ApiError> {
    let desk = app.program().demos().ok_or_else(|| ApiError::not_found("this program has no demo"))?;
    make_room(&app, &person, Arc::clone(&desk)).await?;
    let scene = app.blocking(move || desk.set_up(body.language)).await?;
    let new = NewSession {
        id: None,
        title: Some(scene.title),
        metadata: SessionMeta {
            workspace: Some(scene.workspace),
            model: Some(scene.model),
            demo: true,
            suggested: scene.suggested.clone(),
            ..SessionMeta::default()
        },
        owner: person.user.clone(),
    };
    let session = app.store(move |store| store.create(&new)).await?;
    Ok(Json(DemoBegun { session_id: session.id, suggested: scene.suggested }))
}

/// Clears the folders of a person's oldest demos away, so that there is room for one more.
async fn make_room(app: &App, person: &Person, desk: Arc<dyn DemoDesk>) -> Result<(), ApiError> {
    let owner = person.user.clone();
    let old = app
        .store(move |store| {
            let mut demos: Vec<Session> = Vec::new();
            for deleted in [false, true] {
                let query = SessionQuery {
                    page: PageAsk { page: 1, size: LOOKED_AT },
                    owner: Owner::Only(owner.clone()),
                    archived: None,
                    deleted,
                };
                demos.extend(store.sessions(&query)?.items.into_iter().filter(has_a_folder));
            }
            // The newest first.
            demos.sort_by_key(|demo| Reverse(demo.created_at));
            Ok::<_, SessionError>(demos.split_off(demos.len().min(MOST_FOLDERS - 1)))
        })
        .await?;
    app.blocking(move || {
        for session in &old {
            desk.clear_away(session);
        }
        Ok(())
    })
    .await
}

/// Whether it is a demo that plays in a folder of its own, which is still there.
fn has_a_folder(session: &Session) -> bool {
    let metadata = &session.metadata;
    let folder = metadata.workspace.as_deref();
    metadata.demo && metadata.forked_from.is_none() && folder.is_some_and(Path::is_dir)
}
