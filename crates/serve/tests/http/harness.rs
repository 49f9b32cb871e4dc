//! A server on a temporary data folder and workspace, with an owner and two users, and whoever asks it.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    thread::ThreadId,
    time::Duration,
};

use deskhand_agent::{
    Agent, AgentOptions, AgentParts, Models,
    provider::{
        Provider, ProviderError,
        scripted::{Script, Scripted, ScriptedReply},
    },
};
use deskhand_browser::{Browsers, Config};
use deskhand_core::{GateSettings, Mode, SessionEnd, arguments::sha256_hex};
use deskhand_guard::Outbound;
use deskhand_serve::http::{Listen, Parts, Server, Token, Users};
use deskhand_store::{Store, StoreOptions};
use deskhand_testkit::{Fixture, in_gate};
use futures_util::StreamExt;
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::{sync::oneshot, task::JoinHandle};

use crate::small_program::SmallProgram;

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    Owner,
    Bob,
    Nobody,
}

/// A data folder, a workspace, and the server on them.
pub struct House {
    fixture: Fixture,
    pub workspace: PathBuf,
    pub data: PathBuf,
    /// Another one after a restart.
    pub store: Arc<Store>,
    /// The browsers of the sessions, once it is served.
    pub browsers: Option<Browsers>,
    pub client: Client,
    pub base: String,
    /// Where the browser's routes are, too.
    pub browser_base: String,
    script: Script,
    tokens: [Token; 2],
    /// The threads on which the program was asked for surroundings.
    pub surrounded_on: Arc<Mutex<Vec<ThreadId>>>,
    stop: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<()>>,
}

/// One model for everything.
struct OneModel(Arc<Scripted>);

impl Models for OneModel {
    fn connect(&self, _: Option<&str>) -> Result<Arc<dyn Provider>, ProviderError> {
        Ok(Arc::clone(&self.0) as Arc<dyn Provider>)
    }
}

impl House {
    pub async fn start() -> Self {
        Self::with_model(Vec::new()).await
    }

    /// With a model that gives these replies.
    pub async fn with_model(replies: Vec<ScriptedReply>) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let fixture = Fixture::new();
        let mut house = Self {
            workspace: fixture.workspace.clone(),
            data: fixture.data.clone(),
            store: Arc::clone(&fixture.store),
            fixture,
            client: Client::builder().no_proxy().timeout(Duration::from_mins(1)).build().unwrap(),
            base: String::new(),
            browser_base: String::new(),
            script: Script { replies, ..Script::default() },
            tokens: [Token::random().unwrap(), Token::random().unwrap()],
            browsers: None,
            surrounded_on: Arc::default(),
            stop: None,
            serving: None,
        };
        house.serve().await;
        house
    }

    async fn serve(&mut self) {
        let browsers = Browsers::new(browser_config(&self.data));
        let session_end: Arc<dyn SessionEnd> = Arc::new(browsers.clone());
        self.browsers = Some(browsers.clone());
        let services = self
            .fixture
            .services
            .clone()
            .with(browsers)
            .with(session_end)
            .with(deskhand_tools::shell::ProcessTable::new(&self.data));
        let mut registry = deskhand_tools::registry();
        deskhand_agent::tools::register(&mut registry);
        deskhand_browser::tools::register(&mut registry);
        super::desktop::register(&mut registry);
        registry.probe(&services).unwrap();
        let gate = in_gate(registry, &self.store, GateSettings::default());
        let agent = Agent::new(AgentParts {
            gate: Arc::new(gate.clone()),
            store: self.store.sessions(),
            models: Arc::new(OneModel(Arc::new(Scripted::new("test", self.script.clone())))),
            options: AgentOptions::default(),
        })
        .unwrap();
        let [owner, bob] = &self.tokens;
        let parts = Parts {
            gate,
            agent,
            store: self.store.sessions(),
            undo: self.store.undo(),
            audit: self.store.audit(),
            program: Arc::new(SmallProgram {
                workspace: self.workspace.clone(),
                skills: self.workspace.join("skills"),
                services,
                mode: Arc::new(Mutex::new(Mode::Ask)),
                surrounded_on: Arc::clone(&self.surrounded_on),
            }),
            users: Users::new(owner).with("bob", &sha256_hex(bob.reveal().as_bytes())),
            requests_per_second: 10_000,
        };
        let listen = Listen { address: "127.0.0.1:0".parse().unwrap(), hosts: Vec::new(), tls: None };
        let server = Server::bind(parts, &listen).await.unwrap().with_browser_api(0).await.unwrap();
        self.base = server.url();
        self.browser_base = server.browser_api_url().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        self.stop = Some(stop);
        self.serving = Some(tokio::spawn(async move {
            let until = async {
                let _ = stopped.await;
            };
            server.run(until).await.unwrap();
        }));
    }

    /// Ends the server, and starts another one on the same data.
    pub async fn restart(&mut self) {
        drop(self.stop.take());
        self.serving.take().unwrap().await.unwrap();
        self.store = Arc::new(Store::open(&self.data, &StoreOptions::default()).unwrap());
        self.serve().await;
    }

    pub fn ask(&self, who: Who, method: Method, path: &str) -> RequestBuilder {
        self.ask_at(who, method, &format!("{}{path}", self.base))
    }

    pub fn ask_at(&self, who: Who, method: Method, url: &str) -> RequestBuilder {
        let request = self.client.request(method, url);
        match who {
            Who::Owner => request.bearer_auth(self.tokens[0].reveal()),
            Who::Bob => request.bearer_auth(self.tokens[1].reveal()),
            Who::Nobody => request,
        }
    }

    pub async fn get(&self, who: Who, path: &str) -> (u16, Value) {
        answer(self.ask(who, Method::GET, path)).await
    }

    pub async fn post(&self, who: Who, path: &str, body: Value) -> (u16, Value) {
        answer(json_body(self.ask(who, Method::POST, path), &body)).await
    }

    pub async fn delete(&self, who: Who, path: &str) -> (u16, Value) {
        answer(self.ask(who, Method::DELETE, path)).await
    }

    /// A new session; returns its id.
    pub async fn session(&self, who: Who, title: &str) -> String {
        let (status, session) = self.post(who, "/api/v1/sessions", json!({"title": title})).await;
        assert_eq!(status, 200, "{session}");
        text(&session["id"])
    }

    /// Makes a call, with the yes that it needs.
    pub async fn call(&self, who: Who, session: Option<&str>, tool: &str, parameters: Value) -> Value {
        let mut body = json!({"tool_name": tool, "parameters": parameters, "session_id": session});
        let (status, mut outcome) = self.post(who, "/api/v1/tools/execute", body.clone()).await;
        assert_eq!(status, 200, "{outcome}");
        if outcome["need_confirmation"] == true {
            body["plan_id"] = outcome["plan_id"].clone();
            (_, outcome) = self.post(who, "/api/v1/tools/execute", body).await;
        }
        assert_eq!(outcome["success"], true, "{outcome}");
        outcome
    }

    /// Says something in a session, answers every question with yes, and returns the id of the turn when it has ended.
    pub async fn turn(&self, who: Who, session: &str, message: &str) -> String {
        let path = format!("/api/v1/sessions/{session}/messages");
        let (status, begun) = self.post(who, &path, json!({"content": message})).await;
        assert_eq!(status, 202, "{begun}");
        for _ in 0..600 {
            let (_, waiting) = self.get(who, "/api/v1/approvals").await;
            for request in waiting["approvals"].as_array().unwrap() {
                let path = format!("/api/v1/approvals/{}", text(&request["id"]));
                self.post(who, &path, json!({"answer": "yes"})).await;
            }
            let (_, detail) = self.get(who, &format!("/api/v1/sessions/{session}")).await;
            if detail["turn"].is_null() {
                return text(&begun["turn_id"]);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the turn does not end");
    }

    /// What a stream says until something in it satisfies, or for a while.
    pub async fn stream_until(&self, who: Who, path: &str, enough: impl Fn(&str) -> bool) -> String {
        let response = self.ask(who, Method::GET, path).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        read_until(response, Duration::from_secs(20), enough).await
    }
}

impl Drop for House {
    fn drop(&mut self) {
        if let Some(serving) = self.serving.take() {
            serving.abort();
        }
    }
}

pub async fn read_until(
    response: reqwest::Response,
    limit: Duration,
    enough: impl Fn(&str) -> bool,
) -> String {
    let mut seen = String::new();
    let mut pieces = response.bytes_stream();
    let reading = async {
        while let Some(Ok(piece)) = pieces.next().await {
            seen.push_str(&String::from_utf8_lossy(&piece));
            if enough(&seen) {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(limit, reading).await;
    seen
}

pub fn json_body(request: RequestBuilder, body: &Value) -> RequestBuilder {
    request.header("content-type", "application/json").body(body.to_string())
}

pub async fn answer(request: RequestBuilder) -> (u16, Value) {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let bytes = response.bytes().await.unwrap();
    (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

/// The pages of these tests are on this machine, and stand for the world outside.
fn browser_config(data: &Path) -> Config {
    let mut config = Config::new(data.join("browser"));
    let here = ["127.0.0.1", "localhost"].map(|host| host.parse().unwrap());
    config.outbound = Outbound::new(here.to_vec(), Vec::new());
    config
}
