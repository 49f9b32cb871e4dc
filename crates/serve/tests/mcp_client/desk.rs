//! A gate with the servers that a test wants, and a person who answers.

use std::{ops::Deref, sync::Arc, time::Duration};

use deskhand_core::{
    Answer, Approver, EventSink, Gate, GateSettings, Outcome, Registry, Remember, Request, Services,
    SessionCx, Shape,
    approval::{AnyAnswer, RememberScope},
};
use deskhand_guard::SecretScreener;
use deskhand_serve::mcp::client::{Limits, Places, ServerState, ServerStatus, Servers, parse_servers};
use deskhand_testkit::{Events, Fixture, plan_of};
pub use deskhand_testkit::{PATIENCE, Person, until};
use serde_json::{Value, json};

pub struct Desk {
    fixture: Fixture,
    pub gate: Gate,
    pub places: Places,
    pub session: SessionCx,
    pub person: Arc<Person>,
    pub events: Arc<Events>,
    servers: Option<Servers>,
}

impl Deref for Desk {
    type Target = Fixture;

    fn deref(&self) -> &Fixture {
        &self.fixture
    }
}

impl Desk {
    pub fn new() -> Self {
        let fixture = Fixture::new();
        let services = Services::default();
        let gate = fixture.gate(Registry::new(), &services, GateSettings::default());
        let (person, events) = (Person::agreeable(), Arc::new(Events::default()));
        let session = fixture
            .session(services)
            .asking(vec![Arc::clone(&person) as Arc<dyn Approver>], false)
            .watched_by(Arc::clone(&events) as Arc<dyn EventSink>);
        let mut places = Places::here(vec![fixture.workspace.clone()], Arc::new(SecretScreener));
        places.limits = Limits {
            first_wait: Duration::from_millis(50),
            longest_wait: Duration::from_millis(400),
            debounce: Duration::from_millis(20),
            ..Limits::default()
        };
        Self { fixture, gate, places, session, person, events, servers: None }
    }

    /// Another person is asked from here on.
    pub fn ask(&mut self, person: Arc<Person>) {
        self.session.approvers = vec![Arc::clone(&person) as Arc<dyn Approver>];
        self.person = person;
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

/// The notes of the plans that were shown.
pub fn notes(person: &Person) -> Vec<Vec<String>> {
    person.asked().iter().map(|request| plan_of(request).notes.clone()).collect()
}

/// Says yes, and remembers it in the shape that is chosen of those on offer.
pub fn remembering(choose: fn(&[Shape]) -> Shape) -> Arc<Person> {
    Person::deciding(move |request| {
        let shape = choose(&plan_of(request).shapes);
        let remember = Some(Remember { scope: RememberScope::Session, shape, until: None });
        Some(AnyAnswer::Execution(Answer::Yes { remember }))
    })
}
