//! Sessions: made, listed, searched, renamed, archived, forked, exported, deleted.

use std::{path::PathBuf, sync::Arc};

use aide::axum::{
    ApiRouter,
    routing::{get_with, post_with},
};
use axum::{Json, extract::State};
use deskhand_core::{
    Mode, SessionEnd,
    event::NoEvents,
    session::{
        Deletion, Hits, NewSession, Owner, QueuedMessage, SearchQuery, Session, SessionError, SessionMeta,
        SessionQuery, TitledBy, TurnSteps,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::paging::PageParams;
use crate::http::{
    app::App,
    attachment::Attachment,
    error::ApiError,
    extract::{At, Body, Params},
    modes::ModeInForce,
    person::Person,
};

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/v1/sessions",
            get_with(list, |op| {
                op.id("listSessions").summary("Sessions, the one that changed last first").tag("sessions")
            })
            .post_with(create, |op| op.id("createSession").summary("A new session").tag("sessions")),
        )
        .api_route(
            "/api/v1/sessions/search",
            get_with(search, |op| {
                op.id("searchSessions").summary("Search in titles and messages, newest first").tag("sessions")
            }),
        )
        .api_route(
            "/api/v1/sessions/{session_id}",
            get_with(get, |op| {
                op.id("getSession").summary("One session, and the turn that is under way").tag("sessions")
            })
            .put_with(change, |op| {
                op.id("updateSession").summary("Change title, model, mode or workspace").tag("sessions")
            })
            .delete_with(delete, |op| {
                op.id("deleteSession").summary("Delete with all messages; softly if asked").tag("sessions")
            }),
        )
        .api_route(
            "/api/v1/sessions/{session_id}/restore",
            post_with(restore, |op| {
                op.id("restoreSession").summary("Bring a softly deleted session back").tag("sessions")
            }),
        )
        .api_route(
            "/api/v1/sessions/{session_id}/archive",
            post_with(archive, |op| {
                op.id("archiveSession").summary("Archive, or take out of the archive").tag("sessions")
            }),
        )
        .api_route(
            "/api/v1/sessions/{session_id}/fork",
            post_with(fork, |op| {
                op.id("forkSession").summary("A new session with the messages up to one").tag("sessions")
            }),
        )
        .api_route(
            "/api/v1/sessions/{session_id}/export",
            get_with(export, |op| {
                op.id("exportSession").summary("The whole session as a file").tag("sessions")
            }),
        )
}

/// Which session.
#[derive(Deserialize, JsonSchema)]
pub struct SessionPath {
    pub session_id: String,
}

/// A session in an answer.
#[derive(Serialize, JsonSchema)]
pub struct SessionItem {
    #[serde(flatten)]
    session: Session,
    /// The same as `id`.
    session_id: String,
}

impl From<Session> for SessionItem {
    fn from(session: Session) -> Self {
        Self { session_id: session.id.clone(), session }
    }
}

#[derive(Serialize, JsonSchema)]
pub struct Success {
    pub success: bool,
}

impl Success {
    pub const YES: Self = Self { success: true };
}

#[derive(Deserialize, JsonSchema)]
struct ListParams {
    #[serde(flatten)]
    page: PageParams,
    /// Only those in the archive, or only the others. Left out: both.
    archived: Option<bool>,
    /// Those that were deleted softly, instead of the others.
    #[serde(default)]
    deleted: bool,
}

#[derive(Serialize, JsonSchema)]
struct SessionList {
    total: u64,
    page: u64,
    page_size: u64,
    sessions: Vec<SessionItem>,
}

async fn list(
    State(app): State<App>,
    person: Person,
    Params(params): Params<ListParams>,
) -> Result<Json<SessionList>, ApiError> {
    let page = params.page.ask();
    let query = SessionQuery {
        page,
        archived: params.archived,
        deleted: params.deleted,
        owner: Owner::Only(person.user),
    };
    let found = app.store(move |store| store.sessions(&query)).await?;
    Ok(Json(SessionList {
        total: found.total,
        page: page.page,
        page_size: page.size,
        sessions: found.items.into_iter().map(SessionItem::from).collect(),
    }))
}

#[derive(Deserialize, JsonSchema)]
struct NewSessionBody {
    /// 新会话, where there is none.
    title: Option<String>,
    /// `PROVIDER/NAME`
    model: Option<String>,
    /// One of the server's workspaces. Left out: the first.
    workspace: Option<PathBuf>,
    /// Left out: the mode in force.
    mode: Option<Mode>,
}

async fn create(
    State(app): State<App>,
    person: Person,
    Body(body): Body<NewSessionBody>,
) -> Result<Json<SessionItem>, ApiError> {
    let workspace = app.one_of_its_folders(&person, body.workspace)?;
    let mode = checked_mode(&app, &person, Some(workspace.clone()), body.mode).await?;
    let metadata = SessionMeta {
        workspace: Some(workspace),
        mode,
        model: person.may_name(body.model)?,
        ..SessionMeta::default()
    };
    let title = body.title.filter(|title| !title.trim().is_empty());
    let new = NewSession { id: None, title, metadata, owner: person.user };
    Ok(Json(app.store(move |store| store.create(&new)).await?.into()))
}

/// The mode that this person wants for a session in this folder, if any.
async fn checked_mode(
    app: &App,
    person: &Person,
    workspace: Option<PathBuf>,
    wanted: Option<Mode>,
) -> Result<Option<Mode>, ApiError> {
    let Some(wanted) = wanted else { return Ok(None) };
    app.mode_in(workspace).await?.checked(person, wanted).map(Some)
}

#[derive(Deserialize, JsonSchema)]
struct SearchParams {
    /// Words, all of which must occur; Chinese needs no blanks.
    q: String,
    #[serde(flatten)]
    page: PageParams,
    /// Only in this session.
    session_id: Option<String>,
    archived: Option<bool>,
}

async fn search(
    State(app): State<App>,
    person: Person,
    Params(params): Params<SearchParams>,
) -> Result<Json<Hits>, ApiError> {
    let query = SearchQuery {
        text: params.q,
        page: params.page.ask(),
        session_id: params.session_id,
        archived: params.archived,
        owner: Owner::Only(person.user),
    };
    Ok(Json(app.store(move |store| store.search(&query)).await?))
}

#[derive(Serialize, JsonSchema)]
struct SessionDetail {
    #[serde(flatten)]
    item: SessionItem,
    /// The number of the newest event.
    last_event: u64,
    /// The turn that is under way.
    turn: Option<RunningTurn>,
    /// Messages that wait for the end of the turn.
    queued: Vec<QueuedMessage>,
    /// In which the next turn runs.
    mode: Mode,
    /// Those that you may choose for it.
    modes: Vec<Mode>,
}

#[derive(Serialize, JsonSchema)]
struct RunningTurn {
    turn_id: String,
    /// The number of its event `turn_started`.
    first_event: u64,
    user_message: i64,
    /// Empty until the turn ends.
    assistant_message: i64,
    state: TurnState,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum TurnState {
    Running,
    Paused,
    /// Another process runs it: a terminal, or another server on this data.
    Elsewhere,
}

fn running_turn(app: &App, open: TurnSteps) -> RunningTurn {
    let turn = open.turn;
    let handle = app.agent().running(&turn.session_id).filter(|handle| handle.turn_id() == turn.id);
    let state = match handle {
        Some(handle) if handle.is_paused() => TurnState::Paused,
        Some(_) => TurnState::Running,
        None => TurnState::Elsewhere,
    };
    RunningTurn {
        turn_id: turn.id,
        first_event: turn.first_event,
        user_message: turn.user_message,
        assistant_message: turn.assistant_message,
        state,
    }
}

async fn get(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
) -> Result<Json<SessionDetail>, ApiError> {
    let (session, last_event, open, queued) = app
        .with_session(&person, &path.session_id, |store, session| {
            let (last, open) = (store.last_event(&session.id)?, store.open_turn(&session.id)?);
            let queued = store.queued(&session.id)?;
            Ok((session, last, open, queued))
        })
        .await?;
    let turn = open.map(|open| running_turn(&app, open));
    // A session whose folder is gone can still be looked at.
    let gone = ModeInForce { mode: app.program().about().mode, is_fixed: true };
    let in_force = app.mode_in(session.metadata.workspace.clone()).await.unwrap_or(gone);
    let (mode, modes) = (in_force.chosen(&person, session.metadata.mode), in_force.choices(&person));
    Ok(Json(SessionDetail { item: session.into(), last_event, turn, queued, mode, modes }))
}

#[derive(Deserialize, JsonSchema)]
struct ChangeBody {
    title: Option<String>,
    /// `PROVIDER/NAME`; empty: the usual one.
    model: Option<String>,
    /// How much runs unasked, from the next turn on. A user cannot choose a looser one than the server's.
    mode: Option<Mode>,
    /// Another of the server's workspaces, from the next turn on.
    workspace: Option<PathBuf>,
}

async fn change(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
    Body(body): Body<ChangeBody>,
) -> Result<Json<SessionItem>, ApiError> {
    let is_empty = body.title.is_none() && body.model.is_none();
    if is_empty && body.mode.is_none() && body.workspace.is_none() {
        return Err(ApiError::invalid(
            "there is nothing to change: give a title, a model, a mode or a workspace",
        ));
    }
    let model = body.model.map(|name| person.may_name(Some(name))).transpose()?;
    let now = app.session_of(&person, &path.session_id).await?.metadata;
    if now.demo && body.workspace.is_some() {
        return Err(ApiError::conflict("demo", "a demo works in a folder of its own"));
    }
    let workspace = body.workspace.map(|folder| app.one_of_its_folders(&person, Some(folder))).transpose()?;
    let mode = checked_mode(&app, &person, workspace.clone().or(now.workspace), body.mode).await?;
    let changed = app
        .with_session(&person, &path.session_id, move |store, mut session| {
            if let Some(title) = body.title {
                session = store.rename(&session.id, &title, TitledBy::Person)?;
            }
            let mut metadata = session.metadata.clone();
            if let Some(model) = model {
                metadata.model = model;
            }
            metadata.mode = mode.or(metadata.mode);
            metadata.workspace = workspace.or(metadata.workspace);
            if metadata != session.metadata {
                session = store.set_metadata(&session.id, &metadata)?;
            }
            Ok(session)
        })
        .await?;
    Ok(Json(changed.into()))
}

#[derive(Deserialize, JsonSchema)]
struct DeleteParams {
    /// Out of sight only; it can be restored.
    #[serde(default)]
    soft: bool,
}

async fn delete(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
    Params(params): Params<DeleteParams>,
) -> Result<Json<Success>, ApiError> {
    let how = if params.soft { Deletion::Soft } else { Deletion::Hard };
    let (id, asker) = (path.session_id, person.clone());
    let deleted = app
        .store(move |store| {
            let session = match store.session(&id) {
                // From the bin, for good: taken out first, so that it goes as any other does.
                Err(_) if how == Deletion::Hard && store.owner_of_deleted(&id)? == person.user => {
                    store.restore(&id)?
                }
                found => found?,
            };
            if session.owner != person.user {
                return Err(SessionError::NoSuchSession(id));
            }
            store.delete(&id, how)?;
            Ok(session)
        })
        .await?;
    // What it had open goes with it, also where it may come back.
    if let Ok(cx) = app.surround(&asker, Some(&deleted), None, Arc::new(NoEvents)).await
        && let Some(open) = cx.services.get::<Arc<dyn SessionEnd>>()
    {
        open.session_ended(&deleted.id).await;
    }
    if deleted.metadata.demo
        && !params.soft
        && let Some(demos) = app.program().demos()
    {
        app.blocking(move || {
            demos.clear_away(&deleted);
            Ok(())
        })
        .await?;
    }
    Ok(Json(Success::YES))
}

async fn restore(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
) -> Result<Json<SessionItem>, ApiError> {
    let id = path.session_id;
    let restored = app
        .store(move |store| {
            // What was deleted is found by nothing but this: whose it is must be known before it comes back.
            // One that is not deleted has an owner, too, and others are not told that it is there.
            let owner = match store.session(&id) {
                Ok(session) => session.owner,
                Err(_) => store.owner_of_deleted(&id)?,
            };
            if owner != person.user {
                return Err(SessionError::NoSuchSession(id));
            }
            store.restore(&id)
        })
        .await?;
    Ok(Json(restored.into()))
}

#[derive(Deserialize, JsonSchema)]
struct ArchiveBody {
    archived: bool,
}

async fn archive(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
    Body(body): Body<ArchiveBody>,
) -> Result<Json<SessionItem>, ApiError> {
    let archived = app
        .with_session(&person, &path.session_id, move |store, session| {
            store.archive(&session.id, body.archived)
        })
        .await?;
    Ok(Json(archived.into()))
}

#[derive(Deserialize, JsonSchema)]
struct ForkBody {
    /// The last message that the fork shares; 0: none. Left out: all of them.
    at_message: Option<i64>,
    title: Option<String>,
}

async fn fork(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
    Body(body): Body<ForkBody>,
) -> Result<Json<SessionItem>, ApiError> {
    let fork = app
        .with_session(&person, &path.session_id, move |store, session| {
            store.fork(&session.id, body.at_message, body.title.as_deref())
        })
        .await?;
    Ok(Json(fork.into()))
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ExportFormat {
    #[default]
    Json,
    Markdown,
}

#[derive(Deserialize, JsonSchema)]
struct ExportParams {
    #[serde(default)]
    format: ExportFormat,
}

async fn export(
    State(app): State<App>,
    person: Person,
    At(path): At<SessionPath>,
    Params(params): Params<ExportParams>,
) -> Result<Attachment, ApiError> {
    let transcript =
        app.with_session(&person, &path.session_id, |store, session| store.export(&session.id)).await?;
    let (mime, ending, text) = match params.format {
        ExportFormat::Json => {
            let text = serde_json::to_string_pretty(&transcript)
                .map_err(|error| ApiError::broken(error.to_string()))?;
            ("application/json", "json", text)
        }
        ExportFormat::Markdown => ("text/markdown; charset=utf-8", "md", transcript.to_markdown()),
    };
    let name = format!("{}.{ending}", transcript.session.title);
    Ok(Attachment { name, mime: mime.to_owned(), body: text.into() })
}
