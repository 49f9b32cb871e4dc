//! Changes that calls made to files, and taking them back: one call's, or a whole turn's. A click here is the yes.

use std::sync::Arc;

use aide::axum::{
    ApiRouter,
    routing::{get_with, post_with},
};
use axum::{Json, extract::State};
use deskhand_core::{
    CallId, Outcome, Request, Time,
    event::NoEvents,
    session::{Owner, PageAsk, ToolCallQuery, WhichTurn, changes_of_turn},
    undo::UndoEntry,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    execute::{self, ExecuteAnswer},
    sessions::SessionPath,
};
use crate::http::{app::App, error::ApiError, extract::At, person::Person};

/// How many of the newest entries are looked through, those of others included.
const MOST_READ: usize = 500;
const MOST_SHOWN: usize = 100;
/// How many of a session's newest calls are looked through.
const MOST_CALLS: u64 = 1_000;
const TOOL: &str = "undo";

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/v1/undo",
            get_with(list, |op| op.id("listChanges").summary("Changes to files, newest first").tag("undo")),
        )
        .api_route(
            "/api/v1/sessions/{session_id}/changes",
            get_with(of_session, |op| {
                op.id("listChangesOfSession")
                    .summary("What the calls of a session changed, and whether that was undone, newest first")
                    .tag("undo")
            }),
        )
        .api_route(
            "/api/v1/undo/{call_id}",
            post_with(undo, |op| {
                op.id("undoCall")
                    .summary("Take back what a call changed")
                    .description("Nothing is changed where a file is not as the call left it.")
                    .tag("undo")
            }),
        )
        .api_route(
            "/api/v1/undo/turns/{turn_id}",
            post_with(undo_turn, |op| {
                op.id("undoTurn")
                    .summary("Take back what a turn changed, the last change first")
                    .description("What cannot be taken back stops it there; the last outcome says why.")
                    .tag("undo")
            }),
        )
}

#[derive(Serialize, JsonSchema)]
struct Change {
    call_id: CallId,
    tool: String,
    summary: String,
    at: Time,
    session_id: String,
    /// How many things it changed.
    changes: usize,
    /// The call that took it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    undone_by: Option<CallId>,
}

impl From<UndoEntry> for Change {
    fn from(entry: UndoEntry) -> Self {
        Self {
            call_id: entry.call,
            tool: entry.tool,
            summary: entry.summary,
            at: entry.at,
            session_id: entry.session_id,
            changes: entry.steps.len(),
            undone_by: entry.undone_by,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct ChangeList {
    changes: Vec<Change>,
}

async fn list(State(app): State<App>, person: Person) -> Result<Json<ChangeList>, ApiError> {
    let journal = Arc::clone(app.undo());
    let entries = app.blocking(move || Ok(journal.recent(MOST_READ)?)).await?;
    let own = entries.into_iter().filter(|entry| entry.owner == person.user);
    Ok(Json(ChangeList { changes: own.take(MOST_SHOWN).map(Change::from).collect() }))
}

/// What one call of a session changed.
#[derive(Serialize, JsonSchema)]
struct SessionChange {
    call_id: CallId,
    turn_id: String,
    tool: String,
    summary: String,
    /// What it changed, created, moved or removed.
    paths: Vec<String>,
    /// Whether it is undone now.
    undone: bool,
    /// The call that undid it, also where that was undone again.
    #[serde(skip_serializing_if = "Option::is_none")]
    undone_by: Option<CallId>,
}

#[derive(Serialize, JsonSchema)]
struct SessionChanges {
    changes: Vec<SessionChange>,
}

async fn of_session(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
) -> Result<Json<SessionChanges>, ApiError> {
    let (journal, owner) = (Arc::clone(app.undo()), person.user.clone());
    let changes = app
        .with_session(&person, &path.session_id, move |store, session| {
            let calls = store.tool_calls(&ToolCallQuery {
                page: PageAsk { page: 1, size: MOST_CALLS },
                owner: Owner::Only(owner),
                session_id: Some(session.id),
                turn_id: None,
                tool: None,
            })?;
            let mut changes = Vec::new();
            for call in calls.items {
                let Some(id) = call.undo else { continue };
                // What is too old to be kept cannot be undone.
                let Some(entry) = journal.load(id)? else { continue };
                changes.push(SessionChange {
                    call_id: id,
                    turn_id: call.turn_id,
                    paths: entry.paths().iter().map(|path| path.display().to_string()).collect(),
                    undone: entry.is_undone(journal.as_ref())?,
                    undone_by: entry.undone_by,
                    tool: entry.tool,
                    summary: entry.summary,
                });
            }
            Ok(changes)
        })
        .await?;
    Ok(Json(SessionChanges { changes }))
}

#[derive(Deserialize, JsonSchema)]
struct CallPath {
    call_id: String,
}

async fn undo(
    State(app): State<App>,
    person: Person,
    At(path): At<CallPath>,
) -> Result<Json<ExecuteAnswer>, ApiError> {
    let no_such = || ApiError::not_found(format!("the undo journal has nothing of call {:?}", path.call_id));
    let call = CallId::parse(&path.call_id).ok_or_else(no_such)?;
    let outcome = take_back(&app, &person, call).await?.ok_or_else(no_such)?;
    Ok(Json(execute::ended(&app, TOOL, None, outcome)))
}

/// Takes back what a call of this person changed. `None`: there is no such change of theirs.
async fn take_back(app: &App, person: &Person, call: CallId) -> Result<Option<Outcome>, ApiError> {
    let journal = Arc::clone(app.undo());
    let entry = app.blocking(move || Ok(journal.load(call)?)).await?;
    let Some(entry) = entry.filter(|entry| entry.owner == person.user) else { return Ok(None) };
    // A change of the console, or of a session that is gone, is taken back from the console.
    let session = app.session_of(person, &entry.session_id).await.ok();
    let cx = app.surround(person, session.as_ref(), None, Arc::new(NoEvents)).await?;
    let request = Request::new(TOOL, json!({"call_id": call}));
    execute::clicked(app, person, request, cx).await.map(Some)
}

#[derive(Deserialize, JsonSchema)]
struct TurnPath {
    turn_id: String,
}

#[derive(Serialize, JsonSchema)]
struct Undone {
    undone: Vec<Outcome>,
}

async fn undo_turn(
    State(app): State<App>,
    person: Person,
    At(path): At<TurnPath>,
) -> Result<Json<Undone>, ApiError> {
    let (journal, owner, turn) =
        (Arc::clone(app.undo()), Owner::Only(person.user.clone()), path.turn_id.clone());
    let calls = app
        .store(move |store| changes_of_turn(store, journal.as_ref(), (&owner, None), WhichTurn::Named(&turn)))
        .await?
        .ok_or_else(|| ApiError::not_found(format!("there is no turn {:?} that made calls", path.turn_id)))?;
    let mut undone = Vec::new();
    for call in calls {
        let Some(outcome) = take_back(&app, &person, call).await? else { continue };
        let is_done = outcome.is_success();
        undone.push(outcome);
        if !is_done {
            break;
        }
    }
    Ok(Json(Undone { undone }))
}
