//! An authorization server and the MCP server that it guards, both real and small, on this machine.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard},
};

use axum::{
    Json, Router,
    body::{Body, to_bytes},
    extract::{Query, Request, State},
    http::{HeaderMap, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Redirect, Response},
    routing::{get, post},
};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use rmcp::{
    ServerHandler,
    transport::{
        StreamableHttpServerConfig, StreamableHttpService,
        streamable_http_server::session::local::LocalSessionManager,
    },
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::{net::TcpListener, task::JoinHandle};

type Fields = BTreeMap<String, String>;

/// How the two behave, and what they have seen.
pub struct Book {
    pub url: String,
    /// What the metadata says beside the usual.
    pub metadata: Value,
    /// The `iss` of an answer, where there is one.
    pub issuer_sent: Option<String>,
    pub refuses_person: bool,
    pub refuses_renewal: bool,
    pub lives_s: u64,
    /// Whether anybody may come in.
    pub open: bool,
    /// What a call of a tool needs.
    pub call_scope: Option<&'static str>,
    pub authorizations: Vec<Fields>,
    pub token_requests: Vec<Fields>,
    pub calls: u32,
    /// Everything that nobody else should ever see.
    pub secrets: BTreeSet<String>,
    codes: BTreeMap<String, Fields>,
    tokens: BTreeMap<String, String>,
    renewals: BTreeMap<String, String>,
    count: u32,
}

impl Book {
    fn secret(&mut self, kind: &str) -> String {
        self.count += 1;
        let secret = format!("{kind}-s3cr3t-{}-{}", self.count, uuid_like(self.count));
        self.secrets.insert(secret.clone());
        secret
    }

    fn give(&mut self, scope: &str) -> Value {
        let (access, renewal, identity) =
            (self.secret("access"), self.secret("renewal"), self.secret("identity"));
        self.tokens.insert(access.clone(), scope.to_owned());
        self.renewals.insert(renewal.clone(), scope.to_owned());
        json!({
            "access_token": access, "refresh_token": renewal, "id_token": identity,
            "token_type": "Bearer", "expires_in": self.lives_s, "scope": scope,
        })
    }

    pub fn forget_tokens(&mut self) {
        self.tokens.clear();
    }
}

fn uuid_like(seed: u32) -> String {
    STANDARD.encode(Sha256::digest(seed.to_be_bytes())).replace(['+', '/', '='], "x")[..24].to_owned()
}

#[derive(Clone)]
pub struct Authority {
    book: Arc<Mutex<Book>>,
    task: Arc<Task>,
}

struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

type Books = Arc<Mutex<Book>>;

struct Tools;

impl ServerHandler for Tools {}

impl Authority {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let book = Arc::new(Mutex::new(Book {
            issuer_sent: Some(url.clone()),
            url,
            metadata: json!({"authorization_response_iss_parameter_supported": true}),
            refuses_person: false,
            refuses_renewal: false,
            lives_s: 3_600,
            open: false,
            call_scope: None,
            authorizations: Vec::new(),
            token_requests: Vec::new(),
            calls: 0,
            secrets: BTreeSet::new(),
            codes: BTreeMap::new(),
            tokens: BTreeMap::new(),
            renewals: BTreeMap::new(),
            count: 0,
        }));
        let mcp = StreamableHttpService::new(
            || Ok(Tools),
            Arc::new(LocalSessionManager::default()),
            StreamableHttpServerConfig::default(),
        );
        let guarded = Router::new()
            .route_service("/mcp", mcp)
            .layer(middleware::from_fn_with_state(Arc::clone(&book), guard));
        let app = Router::new()
            .route("/.well-known/oauth-protected-resource/mcp", get(resource))
            .route("/.well-known/oauth-authorization-server", get(metadata))
            .route("/register", post(register))
            .route("/authorize", get(authorize))
            .route("/token", post(token))
            .with_state(Arc::clone(&book))
            .merge(guarded);
        let task = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { book, task: Arc::new(Task(task)) }
    }

    pub fn book(&self) -> MutexGuard<'_, Book> {
        assert!(!self.task.0.is_finished(), "the authorization server has died");
        self.book.lock().unwrap()
    }

    pub fn mcp(&self) -> String {
        format!("{}/mcp", self.book().url)
    }
}

/// Lets in who has a token for what it asks.
async fn guard(State(book): State<Books>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, 1 << 20).await.unwrap();
    let method = serde_json::from_slice::<Value>(&body).unwrap_or_default()["method"].clone();
    let refused = {
        let mut book = book.lock().unwrap();
        let is_call = method == "tools/call";
        book.calls += u32::from(is_call);
        let bearer = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let scope = bearer.and_then(|value| value.strip_prefix("Bearer ")).and_then(|t| book.tokens.get(t));
        let needs = book.call_scope.filter(|_| is_call);
        let pointer = format!("resource_metadata=\"{}/.well-known/oauth-protected-resource/mcp\"", book.url);
        match (scope, needs) {
            _ if book.open => None,
            (None, _) => Some((StatusCode::UNAUTHORIZED, format!("Bearer scope=\"read\", {pointer}"))),
            (Some(scope), Some(needs)) if !scope.split(' ').any(|scope| scope == needs) => {
                let says = format!("Bearer error=\"insufficient_scope\", scope=\"{needs}\", {pointer}");
                Some((StatusCode::FORBIDDEN, says))
            }
            _ => None,
        }
    };
    match refused {
        Some((status, says)) => (status, [(header::WWW_AUTHENTICATE, says)]).into_response(),
        None => next.run(Request::from_parts(parts, Body::from(body))).await,
    }
}

async fn resource(State(book): State<Books>) -> Response {
    let book = book.lock().unwrap();
    if book.open {
        return StatusCode::NOT_FOUND.into_response();
    }
    let says = json!({"resource": format!("{}/mcp", book.url), "authorization_servers": [book.url]});
    Json(says).into_response()
}

async fn metadata(State(book): State<Books>) -> Response {
    let book = book.lock().unwrap();
    if book.open {
        return StatusCode::NOT_FOUND.into_response();
    }
    let url = &book.url;
    let mut says = json!({
        "issuer": url,
        "authorization_endpoint": format!("{url}/authorize"),
        "token_endpoint": format!("{url}/token"),
        "registration_endpoint": format!("{url}/register"),
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic"],
    });
    let more = book.metadata.as_object().unwrap().clone();
    says.as_object_mut().unwrap().extend(more);
    Json(says).into_response()
}

async fn register(State(book): State<Books>, Json(asked): Json<Value>) -> Response {
    assert_eq!(asked["application_type"], "native");
    let secret = book.lock().unwrap().secret("client");
    let says = json!({"client_id": "the-client", "client_secret": secret,
        "redirect_uris": asked["redirect_uris"]});
    (StatusCode::CREATED, Json(says)).into_response()
}

/// Everybody agrees at once, but for those who do not.
async fn authorize(State(book): State<Books>, Query(asked): Query<Fields>) -> Redirect {
    let mut book = book.lock().unwrap();
    book.authorizations.push(asked.clone());
    let mut back: reqwest::Url = asked["redirect_uri"].parse().unwrap();
    if book.refuses_person {
        back.query_pairs_mut()
            .append_pair("error", "access_denied")
            .append_pair("error_description", "not you");
    } else {
        let code = book.secret("code");
        back.query_pairs_mut().append_pair("code", &code);
        book.codes.insert(code, asked.clone());
    }
    back.query_pairs_mut().append_pair("state", &asked["state"]);
    if let Some(issuer) = &book.issuer_sent {
        back.query_pairs_mut().append_pair("iss", issuer);
    }
    Redirect::to(back.as_str())
}

async fn token(State(book): State<Books>, headers: HeaderMap, form: String) -> Response {
    let form: reqwest::Url = format!("http://form/?{form}").parse().unwrap();
    let asked: Fields = form.query_pairs().map(|(name, value)| (name.into(), value.into())).collect();
    let mut book = book.lock().unwrap();
    book.token_requests.push(asked.clone());
    let refuse = |error: &str| (StatusCode::BAD_REQUEST, Json(json!({"error": error}))).into_response();
    let who = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let who = STANDARD.decode(who.trim_start_matches("Basic ")).unwrap_or_default();
    let who = String::from_utf8(who).unwrap();
    let known = who.strip_prefix("the-client:").is_some_and(|secret| book.secrets.contains(secret));
    if !known {
        return refuse("invalid_client");
    }
    let scope = match asked["grant_type"].as_str() {
        "authorization_code" => {
            let Some(before) = book.codes.remove(&asked["code"]) else { return refuse("invalid_grant") };
            let verifier = &asked["code_verifier"];
            book.secrets.insert(verifier.clone());
            let sum = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier));
            let same = |name: &str| before.get(name) == asked.get(name);
            if before["code_challenge_method"] != "S256" || before["code_challenge"] != sum {
                return refuse("invalid_grant");
            }
            if !same("redirect_uri") || !same("resource") || asked["resource"] != format!("{}/mcp", book.url)
            {
                return refuse("invalid_target");
            }
            before.get("scope").cloned().unwrap_or_default()
        }
        "refresh_token" if !book.refuses_renewal => {
            let Some(scope) = book.renewals.remove(&asked["refresh_token"]) else {
                return refuse("invalid_grant");
            };
            scope
        }
        _ => return refuse("invalid_grant"),
    };
    Json(book.give(&scope)).into_response()
}
