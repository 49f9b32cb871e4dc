//! A server on a temporary data folder and workspace.

use std::{
    ops::Deref,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use deskhand_core::{
    Gate, GateSettings, Mode, Services, SessionEnd, Settled,
    approval::{ApprovalQueue, ApprovalRequest},
    arguments::sha256_hex,
};
use deskhand_serve::{
    http::{Listen, Token, Users},
    mcp::server::{self, McpServer, Offer, Parts},
};
pub use deskhand_testkit::until;
use deskhand_testkit::{Fixture, yes};
use serde_json::{Value, json};
use tokio::{sync::oneshot, task::JoinHandle};

use super::{probe, small_program::SmallProgram};

pub struct Desk {
    fixture: Fixture,
    pub gate: Gate,
    pub running: Arc<AtomicUsize>,
    pub stops: probe::Stops,
    pub ended: probe::Ended,
    services: Services,
    /// As somebody may set it while the server runs.
    pub mode: Arc<Mutex<Mode>>,
}

impl Deref for Desk {
    type Target = Fixture;

    fn deref(&self) -> &Fixture {
        &self.fixture
    }
}

impl Desk {
    pub fn new() -> Self {
        Self::with(Mode::Ask, |_| {})
    }

    pub fn with(mode: Mode, set: impl FnOnce(&mut GateSettings)) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let fixture = Fixture::new();
        let (running, stops) = (probe::Running::default(), probe::Stops::default());
        let ended = probe::Ended::default();
        let session_end: Arc<dyn SessionEnd> = Arc::new(ended.clone());
        let services = fixture.services.clone().with(running.clone()).with(stops.clone()).with(session_end);
        let mut registry = deskhand_tools::registry();
        deskhand_agent::tools::register(&mut registry);
        registry.add(probe::Endless);
        registry.add(probe::PressKey);
        registry.add(probe::RunThing);
        registry.add(probe::Prints);
        registry.add(probe::Runs);
        let mut settings =
            GateSettings { approval_timeout: Duration::from_mins(1), ..GateSettings::default() };
        set(&mut settings);
        let gate = fixture.gate(registry, &services, settings);
        Self { fixture, gate, running: running.0, stops, ended, services, mode: Arc::new(Mutex::new(mode)) }
    }

    pub fn server(&self, offer: Offer) -> McpServer {
        McpServer::new(Parts {
            gate: self.gate.clone(),
            store: self.store.sessions(),
            audit: self.store.audit(),
            program: Arc::new(SmallProgram {
                workspace: self.workspace.clone(),
                skills: self.data.join("skills"),
                services: self.services.clone(),
                mode: Arc::clone(&self.mode),
                surrounded_on: Arc::default(),
            }),
            offer,
        })
    }

    /// The question that waits, once there is one.
    pub async fn question(&self) -> ApprovalRequest {
        until("a question", async || self.store.approvals().pending().unwrap().into_iter().next()).await
    }

    /// Answers like a person at the web page.
    pub fn say_yes(&self, question: &ApprovalRequest) {
        let settled = Settled::Answered { answer: yes(), by: "person:web".into() };
        self.store.approvals().settle(&question.id, &settled).unwrap();
    }

    /// Waits until so many calls of the endless tool run.
    pub async fn running_are(&self, wanted: usize) {
        until("the running calls", async || self.running.load(Ordering::SeqCst) == wanted).await;
    }
}

/// Who asks over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    Owner,
    Bob,
    Nobody,
}

/// The server on a port of its own.
pub struct Port {
    pub url: String,
    tokens: [Token; 2],
    client: reqwest::Client,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<()>,
}

impl Port {
    pub async fn open(desk: &Desk) -> Self {
        Self::with(desk, Offer::default()).await
    }

    pub async fn with(desk: &Desk, offer: Offer) -> Self {
        let tokens = [Token::random().unwrap(), Token::random().unwrap()];
        let users = Users::new(&tokens[0]).with("bob", &sha256_hex(tokens[1].reveal().as_bytes()));
        let listen = Listen { address: "127.0.0.1:0".parse().unwrap(), hosts: Vec::new(), tls: None };
        let listener = server::listen(desk.server(offer), &listen, users, 10_000).await.unwrap();
        let url = listener.url();
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(async move {
            let until = async {
                let _ = stopped.await;
            };
            listener.run(until).await.unwrap();
        });
        let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_mins(1)).build().unwrap();
        Self { url, tokens, client, stop: Some(stop), serving }
    }

    pub fn token(&self, who: Who) -> Option<&str> {
        match who {
            Who::Owner => Some(self.tokens[0].reveal()),
            Who::Bob => Some(self.tokens[1].reveal()),
            Who::Nobody => None,
        }
    }

    /// A message, on its way.
    pub fn post(&self, who: Who, message: &Value) -> reqwest::RequestBuilder {
        let request = self
            .client
            .post(&self.url)
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .body(message.to_string());
        match self.token(who) {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    /// A request of the protocol without sessions, of a client of this name that can show forms.
    pub fn stateless(&self, who: Who, name: &str, method: &str, params: Value) -> reqwest::RequestBuilder {
        let mut params = params;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
            "io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"},
        });
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let request = self
            .post(who, &message)
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method);
        let named = [&params["name"], &params["uri"]].into_iter().find_map(Value::as_str);
        match named {
            Some(named) => request.header("mcp-name", named),
            None => request,
        }
    }

    pub async fn ask(&self, who: Who, name: &str, method: &str, params: Value) -> Value {
        answer(self.stateless(who, name, method, params)).await.1
    }

    /// Ends the server, and waits until it has ended.
    pub async fn close(mut self) {
        drop(self.stop.take());
        (&mut self.serving).await.unwrap();
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// The status, and the last message of the answer.
pub async fn answer(request: reqwest::RequestBuilder) -> (u16, Value) {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    let last = text.lines().filter_map(|line| line.strip_prefix("data: ")).rfind(|data| !data.is_empty());
    (status, serde_json::from_str(last.unwrap_or(&text)).unwrap_or(Value::Null))
}
