//! Conversations with a scripted model and real tools: the loop from the message to its one end.

mod after_a_crash;
mod context;
mod guards;
mod laundering;
mod local_model;
mod outside;
mod protocols;
mod stream;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use deskhand_agent::{
    Agent, AgentOptions, AgentParts, Models, TurnHandle, TurnRequest,
    chain::guards::ToolChainOptions,
    provider::{
        Capabilities, ChatMessage, Delta, ModelRequest, Provider, ProviderError, Reply,
        scripted::{Script, Scripted, ScriptedReply},
    },
};
use deskhand_core::{
    Event, EventBody, Status,
    event::TurnOutcome,
    session::{CallEnd, CallStep, Message, MessageQuery, NewSession, Role, SessionStore, Step},
};
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::support::Desk;

/// A desk and a conversation at it.
pub struct Talk {
    pub desk: Desk,
    pub agent: Agent,
    pub heard: Arc<Heard>,
    pub session: String,
}

impl Talk {
    pub fn new(replies: impl IntoIterator<Item = ScriptedReply>) -> Self {
        Self::at(Desk::new(), Script { replies: replies.into_iter().collect(), ..Script::default() })
    }

    pub fn at(desk: Desk, script: Script) -> Self {
        Self::with(desk, script, ToolChainOptions::default())
    }

    pub fn with(desk: Desk, script: Script, chain: ToolChainOptions) -> Self {
        let heard = Arc::new(Heard { provider: Scripted::new("test", script), requests: Mutex::default() });
        let store: Arc<dyn SessionStore> = desk.store.sessions();
        let session = store.create(&NewSession::default()).unwrap().id;
        let agent = Agent::new(AgentParts {
            gate: Arc::new(desk.gate.clone()),
            store,
            models: Arc::new(Only(heard.clone())),
            options: AgentOptions { chain, ..AgentOptions::default() },
        })
        .unwrap();
        Self { desk, agent, heard, session }
    }

    pub fn request(&self, message: &str) -> TurnRequest {
        TurnRequest {
            session_id: self.session.clone(),
            message: message.to_owned(),
            uploads: Vec::new(),
            model: None,
            surroundings: self.desk.session.clone(),
            options: None,
            observer: None,
        }
    }

    pub fn start(&self, message: &str) -> TurnHandle {
        self.agent.start(self.request(message)).unwrap()
    }

    /// One whole turn: its events.
    pub async fn say(&self, message: &str) -> Vec<Event> {
        let handle = self.start(message);
        self.events_of(&handle).await
    }

    pub async fn events_of(&self, handle: &TurnHandle) -> Vec<Event> {
        let mut stream = self.agent.subscribe(handle.session_id(), 0);
        let mut events = Vec::new();
        let all = async {
            while let Some(event) = stream.next().await {
                let is_ours = event.turn_id.as_deref() == Some(handle.turn_id());
                let is_done = is_ours && matches!(event.body, EventBody::Done { .. });
                if is_ours {
                    events.push(event);
                }
                if is_done {
                    return;
                }
            }
        };
        tokio::time::timeout(Duration::from_mins(1), all).await.expect("the turn ends");
        events
    }

    pub fn messages(&self) -> Vec<Message> {
        let store = self.agent.store();
        store.messages(&self.session, &MessageQuery::default()).unwrap().items
    }

    /// The answer of the last turn.
    pub fn answer(&self) -> Message {
        self.messages().into_iter().rfind(|message| message.role == Role::Assistant).unwrap()
    }

    pub fn requests(&self) -> Vec<ModelRequest> {
        self.heard.requests.lock().unwrap().clone()
    }
}

/// A model that remembers what it was asked.
pub struct Heard {
    provider: Scripted,
    requests: Mutex<Vec<ModelRequest>>,
}

impl Provider for Heard {
    fn name(&self) -> &str {
        self.provider.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.provider.capabilities()
    }

    fn complete<'a>(
        &'a self,
        request: &'a ModelRequest,
        on: &'a mut (dyn FnMut(Delta) + Send),
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        self.requests.lock().unwrap().push(request.clone());
        self.provider.complete(request, on, cancel)
    }
}

struct Only(Arc<Heard>);

impl Models for Only {
    fn connect(&self, _: Option<&str>) -> Result<Arc<dyn Provider>, ProviderError> {
        Ok(self.0.clone())
    }
}

pub fn says(text: &str) -> ScriptedReply {
    ScriptedReply::text(text)
}

pub fn calls(tool: &str, arguments: Value) -> ScriptedReply {
    ScriptedReply::call(tool, arguments)
}

/// Both in one reply.
pub fn together(replies: impl IntoIterator<Item = ScriptedReply>) -> ScriptedReply {
    let mut one = ScriptedReply::default();
    for reply in replies {
        one.text.push_str(&reply.text);
        one.calls.extend(reply.calls);
    }
    one
}

/// How a turn ended: its one `done`, which comes last.
pub fn done(events: &[Event]) -> (TurnOutcome, Option<String>) {
    let dones: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Done { outcome, reason, .. } => Some((*outcome, reason.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(dones.len(), 1, "exactly one end: {events:#?}");
    assert!(matches!(events.last().unwrap().body, EventBody::Done { .. }), "it is the last event");
    dones.into_iter().next().unwrap()
}

pub fn notices(events: &[Event]) -> Vec<String> {
    let notice = |event: &Event| match &event.body {
        EventBody::Notice { text } => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(notice).collect()
}

/// The text that was streamed.
pub fn streamed(events: &[Event]) -> String {
    let text = |event: &Event| match &event.body {
        EventBody::Text { text } => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}

pub fn call_steps(message: &Message) -> Vec<CallStep> {
    let call = |step: &Step| match step {
        Step::Call(call) => Some(call.as_ref().clone()),
        _ => None,
    };
    message.execution_steps.iter().flatten().filter_map(call).collect()
}

/// The ends of the calls of a turn; every call has one.
pub fn ends(message: &Message) -> Vec<CallEnd> {
    call_steps(message).into_iter().map(|call| call.end.expect("no call is left open")).collect()
}

pub fn statuses(message: &Message) -> Vec<Status> {
    ends(message).into_iter().map(|end| end.status).collect()
}

/// The results that the model was told last.
pub fn last_results(request: &ModelRequest) -> Vec<String> {
    let results = request.messages.iter().rev().find_map(|message| match message {
        ChatMessage::Results { results } => Some(results),
        _ => None,
    });
    results.into_iter().flatten().map(|result| result.text.clone()).collect()
}
