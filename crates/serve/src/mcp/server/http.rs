//! The door over HTTP: `/mcp` of a server that has more, or on a port of its own.
//!
//! Host, origin, token and rate are checked by the door that all of HTTP goes through ([`crate::http`]); what comes
//! here has a [`Person`]. Each person has sessions of their own: the id of another's leads nowhere.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, PoisonError},
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
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};

use super::{
    McpServer,
    connection::{Connection, Door},
};
use crate::http::{ApiError, Listen, Person, Users, door, server::Listener};

/// Sessions that one person has at once.
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
        Sessions { service: StreamableHttpService::new(connect, Arc::clone(&manager), config), manager }
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

async fn answer(State(doors): State<Doors>, person: Person, request: Request) -> Response {
    let sessions = doors.of(&person);
    let begins = *request.method() == Method::POST && !request.headers().contains_key(SESSION_ID);
    if begins && sessions.manager.sessions.read().await.len() >= MOST_SESSIONS {
        let message = format!("you have {MOST_SESSIONS} MCP sessions open already");
        return ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_sessions", message)
            .hint("End some of them (DELETE /mcp), or wait until they are closed for want of use.")
            .into_response();
    }
    let ends = *request.method() == Method::DELETE;
    let mut response = sessions.service.handle(request).await.map(Body::new);
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
