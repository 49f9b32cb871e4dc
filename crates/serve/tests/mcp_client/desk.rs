//! A gate on a temporary data folder, the servers that a test wants, and a person who answers.

use std::{
    fs,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use deskhand_core::{
    Answer, ApprovalRequest, Approver, Caller, Desktop, EventBody, EventSink, Gate, GateSettings, Mode,
    Outcome, Registry, Remember, Request, Services, SessionCx, Shape,
    approval::{AnyAnswer, RememberScope, Subject},
};
use deskhand_guard::{Rules, SecretScreener};
use deskhand_serve::mcp::client::{Limits, Places, ServerState, ServerStatus, Servers, parse_servers};
use deskhand_store::{Store, StoreOptions};
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};
use tempfile::TempDir;

/// No wait in these tests is longer.
pub const PATIENCE: Duration = Duration::from_mins(1);

pub struct Desk {
    _folder: TempDir,
    pub workspace: PathBuf,
    pub gate: Gate,
    pub places: Places,
    pub session: SessionCx,
    pub person: Arc<Person>,
    pub events: Arc<Events>,
    servers: Option<Servers>,
}

impl Desk {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let workspace = root.join("workspace");
        fs::create_dir(&workspace).unwrap();
        let store = Store::open(&root.join("data"), &StoreOptions::default()).unwrap();
        let gate = Gate {
            registry: Arc::new(Registry::new()),
            policy: Arc::new(Rules::new(store.grants())),
            screener: Arc::new(SecretScreener),
            audit: store.audit(),
            approvals: store.approvals(),
            grants: store.grants(),
            outputs: store.outputs(),
            settings: GateSettings::default(),
        };
        let (person, events) = (Arc::new(Person::default()), Arc::new(Events::default()));
        let session = SessionCx::new("a session", "test", workspace.clone(), Services::default())
            .asking(vec![Arc::clone(&person) as Arc<dyn Approver>], false)
            .watched_by(Arc::clone(&events) as Arc<dyn EventSink>);
        let mut places = Places::here(vec![workspace.clone()], Arc::new(SecretScreener));
        places.limits = Limits {
            first_wait: Duration::from_millis(50),
            longest_wait: Duration::from_millis(400),
            debounce: Duration::from_millis(20),
            ..Limits::default()
        };
        Self { _folder: folder, workspace, gate, places, session, person, events, servers: None }
    }

    /// With these servers, each ready or failed.
    pub async fn with(servers: Value) -> Self {
        let mut desk = Self::new();
        desk.start(&servers);
        assert!(desk.servers().settled(PATIENCE).await, "{:?}", desk.servers().states());
        desk
    }

    pub fn start(&mut self, servers: &Value) {
        let configs = parse_servers(&json!({"mcpServers": servers}).to_string()).unwrap();
        self.servers = Some(Servers::start(&self.gate.registry, configs, &self.places));
    }

    pub fn servers(&self) -> &Servers {
        self.servers.as_ref().unwrap()
    }

    pub fn drop_servers(&mut self) {
        self.servers = None;
    }

    pub fn state(&self, name: &str) -> ServerState {
        self.servers().states().into_iter().find(|state| state.name == name).unwrap()
    }

    /// Waits until a server is as wanted.
    pub async fn until(&self, name: &str, wanted: impl Fn(&ServerState) -> bool) -> ServerState {
        let mut changes = self.servers().changes();
        let waiting = async {
            loop {
                let state = self.state(name);
                if wanted(&state) {
                    return state;
                }
                changes.changed().await.unwrap();
            }
        };
        let waited = tokio::time::timeout(PATIENCE, waiting).await;
        waited.unwrap_or_else(|_| panic!("{:?}", self.state(name)))
    }

    pub async fn until_ready(&self, name: &str) -> ServerState {
        self.until(name, |state| state.status == ServerStatus::Ready).await
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        self.gate.call(Request::new(tool, arguments), &self.session).await
    }
}

/// How an entry for the server that is written by hand looks.
pub fn by_hand(mode: &str) -> Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp_client/hostile.py");
    json!({"command": "python3", "args": [script, mode]})
}

/// An entry with more in it.
pub fn and(mut entry: Value, more: &Value) -> Value {
    entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    entry
}

/// Which of the shapes that are offered.
pub type Choose = fn(&[Shape]) -> Shape;
type Meanwhile = Box<dyn Fn(usize) -> BoxFuture<'static, ()> + Send + Sync>;

/// Says yes to everything, and remembers what was asked.
#[derive(Default)]
pub struct Person {
    pub asked: Mutex<Vec<ApprovalRequest>>,
    /// How a yes is to be remembered.
    pub remember: Mutex<Option<Choose>>,
    /// What happens while the person thinks, by how many questions there were before.
    pub meanwhile: Mutex<Option<Arc<Meanwhile>>>,
}

impl Person {
    pub fn was_asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    /// The notes of the plans that were shown.
    pub fn notes(&self) -> Vec<Vec<String>> {
        let asked = self.asked.lock().unwrap();
        asked
            .iter()
            .filter_map(|request| match &request.subject {
                Subject::Execution { plan } => Some(plan.notes.clone()),
                Subject::Result { .. } => None,
            })
            .collect()
    }
}

impl Approver for Person {
    fn name(&self) -> &'static str {
        "person:test"
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Option<AnyAnswer>> {
        async move {
            let before = self.was_asked();
            self.asked.lock().unwrap().push(request.clone());
            let meanwhile = self.meanwhile.lock().unwrap().clone();
            if let Some(meanwhile) = meanwhile {
                meanwhile(before).await;
            }
            let Subject::Execution { plan } = &request.subject else { panic!("{request:?}") };
            let remember = self.remember.lock().unwrap().map(|choose| Remember {
                scope: RememberScope::Session,
                shape: choose(&plan.shapes),
                until: None,
            });
            Some(AnyAnswer::Execution(Answer::Yes { remember }))
        }
        .boxed()
    }
}

#[derive(Default)]
pub struct Events(pub Mutex<Vec<EventBody>>);

impl EventSink for Events {
    fn emit(&self, body: EventBody) {
        self.0.lock().unwrap().push(body);
    }
}
