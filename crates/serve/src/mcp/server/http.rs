//! The door over HTTP: `/mcp` of a server that has more, or on a port of its own.
//!
//! Host, origin, token and rate are checked by the door that all of HTTP goes through ([`crate::http`]); what comes
//! here has a [`Person`]. Each person has sessions of their own: the id of another's leads nowhere.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderName, Method, StatusCode},
    middleware,
    response::{IntoResponse, Response},
    routing::any,
};
use deskhand_core::Time;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService,
    session::{SessionManager, local::LocalSessionManager},
};
use tokio_util::sync::CancellationToken;

use super::{
    McpServer,
    client::Client,
    connection::{Connection, Door},
};
use crate::http::{ApiError, Listen, Person, Users, door, server::Listener};

/// Sessions that one person has at once; beyond that the one that was not used for longest ends.
const MOST_SESSIONS: usize = 100;
/// How long a session is kept that nobody uses.
const IDLE: Duration = Duration::from_hours(1);
/// A message with an image in it is long; nothing that is longer is meant well.
const MOST_BODY: usize = 16 << 20;
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// The sessions of one person.
#[derive(Clone)]
struct Sessions {
    service: StreamableHttpService<Connection, LocalSessionManager>,
    manager: Arc<LocalSessionManager>,
    open: Arc<Mutex<HashMap<String, Session>>>,
}

/// A session that is open, as far as this door knows.
struct Session {
    /// Ends what runs for its client.
    ending: CancellationToken,
    used_at: Time,
}

/// Goes with a request, and learns whether a client began a session with it.
#[derive(Clone, Default)]
pub struct Begun(Arc<OnceLock<CancellationToken>>);

impl Begun {
    pub fn by(&self, client: &Client) {
        let _ = self.0.set(client.ending().clone());
    }
}

impl Sessions {
    fn open(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_used(&self, id: &str) {
        if let Some(session) = self.open().get_mut(id) {
            session.used_at = Time::now();
        }
    }

    /// Takes a session in. Where there are too many, those that were not used for longest end.
    async fn begins(&self, id: String, ending: CancellationToken) {
        let ended: Vec<(String, Session)> = {
            let mut open = self.open();
            open.retain(|_, session| !session.ending.is_cancelled());
            open.insert(id, Session { ending, used_at: Time::now() });
            let mut by_use: Vec<(Time, String)> =
                open.iter().map(|(id, session)| (session.used_at, id.clone())).collect();
            by_use.sort();
            let too_many = by_use.len().saturating_sub(MOST_SESSIONS);
            by_use.iter().take(too_many).filter_map(|(_, id)| open.remove_entry(id)).collect()
        };
        for (id, session) in ended {
            session.ending.cancel();
            if let Err(error) = self.manager.close_session(&id.into()).await {
                tracing::debug!(%error, "a session could not be closed");
            }
        }
    }
}

/// The sessions of everybody who has come.
#[derive(Clone)]
struct Doors {
    server: McpServer,
    by_owner: Arc<Mutex<HashMap<Option<String>, Sessions>>>,
}

impl Doors {
    fn of(&self, person: &Person) -> Sessions {
        let mut doors = self.by_owner.lock().unwrap_or_else(PoisonError::into_inner);
        doors.entry(person.user.clone()).or_insert_with(|| self.opened(person.user.clone())).clone()
    }

    fn opened(&self, owner: Option<String>) -> Sessions {
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(IDLE);
        let manager = Arc::new(manager);
        let config = StreamableHttpServerConfig::default()
            // The door has looked at both.
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_json_response(true)
            .with_max_request_body_bytes(MOST_BODY)
            .with_cancellation_token(self.server.0.ending.child_token());
        let server = self.server.clone();
        let connect = move || Ok(Connection::new(server.clone(), Door::Http { owner: owner.clone() }));
        let service = StreamableHttpService::new(connect, Arc::clone(&manager), config);
        Sessions { service, manager, open: Arc::default() }
    }
}

impl McpServer {
    /// The route `/mcp`, for a router whose door puts a [`Person`] into every request.
    pub fn http<S: Clone + Send + Sync + 'static>(&self) -> Router<S> {
        let doors = Doors { server: self.clone(), by_owner: Arc::default() };
        Router::new().route("/mcp", any(answer)).with_state(doors)
    }

    /// Ends everything that runs for any client.
    pub fn end(&self) {
        self.0.ending.cancel();
    }
}

async fn answer(State(doors): State<Doors>, person: Person, mut request: Request) -> Response {
    let sessions = doors.of(&person);
    let named = request.headers().get(SESSION_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
    let ends = *request.method() == Method::DELETE;
    if let (true, Some(id)) = (ends, &named) {
        let taken = sessions.open().remove(id);
        let Some(session) = taken else {
            return ApiError::new(StatusCode::NOT_FOUND, "no_session", "there is no such MCP session")
                .into_response();
        };
        // The session itself waits for what runs in it.
        session.ending.cancel();
    }
    if let Some(id) = &named {
        sessions.is_used(id);
    }
    let begun = Begun::default();
    request.extensions_mut().insert(begun.clone());
    let mut response = sessions.service.handle(request).await.map(Body::new);
    let new = response.headers().get(SESSION_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
    if let (Some(id), Some(ending)) = (new, begun.0.get()) {
        sessions.begins(id, ending.clone()).await;
    }
    // Some clients take only this for the end of a session.
    if ends && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

/// A server for MCP clients alone, on a port of its own.
pub struct McpListener {
    listener: Listener,
    server: McpServer,
    users: Users,
    requests_per_second: u32,
}

/// Listens for MCP clients. Who may come in shows one of these tokens.
pub async fn listen(
    server: McpServer,
    listen: &Listen,
    users: Users,
    requests_per_second: u32,
) -> io::Result<McpListener> {
    Ok(McpListener { listener: Listener::bind(listen).await?, server, users, requests_per_second })
}

impl McpListener {
    /// The address that clients are given.
    pub fn url(&self) -> String {
        format!("{}/mcp", self.listener.url())
    }

    /// Answers until `until` is ready; then lets what runs come to its end.
    pub async fn run(self, until: impl Future<Output = ()>) -> io::Result<()> {
        let Self { listener, server, users, requests_per_second } = self;
        let checks = listener.door(users, requests_per_second);
        let router = server.http().layer(middleware::from_fn_with_state(checks.clone(), door::pass));
        listener.run(router, &checks, until, || server.end()).await
    }
}
