//! Connects the terminal to the agent: models, sessions and questions are put together here.

use std::sync::Arc;

use anyhow::Result;
use deskhand_agent::{Agent, AgentOptions, AgentParts, EventStream, Models, TurnHandle, TurnRequest, chain};
use deskhand_core::{Approver, Event, SessionCx, event::NoEvents, session::SessionStore};
use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::chat::Backing;
use crate::{
    assemble::{App, Surfaces},
    language::Language,
    models::ConfiguredModels,
    settings::Settings,
    terminal::chat::{Conversation, EventSource, Questions, RunningTurn, Turn},
};

/// The agent on an app's gate and store.
pub fn agent(app: &App, models: Arc<dyn Models>) -> Result<Agent> {
    let store: Arc<dyn SessionStore> = app.store.sessions();
    let options = options(&app.settings);
    Ok(Agent::new(AgentParts { gate: Arc::new(app.gate.clone()), store, models, options })?)
}

/// What the settings say about conversations.
pub fn options(settings: &Settings) -> AgentOptions {
    let language = match Language::choose(settings.language()) {
        Language::English => chain::Language::English,
        Language::Chinese => chain::Language::Chinese,
    };
    AgentOptions {
        chain: settings.chain(),
        instructions: settings.instructions(),
        language,
        ..AgentOptions::default()
    }
}

/// A conversation of this terminal with the models of the settings.
pub fn backing(app: &App, models: Arc<ConfiguredModels>, usual: Option<String>) -> Result<Backing> {
    let (approver, questions) = Questions::new();
    let can_ask = crate::terminal::can_ask();
    let approvers: Vec<Arc<dyn Approver>> = if can_ask { vec![Arc::new(approver)] } else { Vec::new() };
    with_approvers(app, models.clone(), Some(models), usual, approvers, questions)
}

/// The same with other models and somebody else to ask.
pub fn with_approvers(
    app: &App,
    models: Arc<dyn Models>,
    listed: Option<Arc<ConfiguredModels>>,
    usual: Option<String>,
    approvers: Vec<Arc<dyn Approver>>,
    questions: Questions,
) -> Result<Backing> {
    let agent = agent(app, models)?;
    let surfaces = Surfaces { approvers, wait_for_others: false, events: Arc::new(NoEvents) };
    let surroundings = app.session("chat", surfaces);
    Ok(Backing {
        sessions: app.store.sessions(),
        agent: Arc::new(Connected { agent, listed, usual, surroundings }),
        questions,
    })
}

struct Connected {
    agent: Agent,
    listed: Option<Arc<ConfiguredModels>>,
    usual: Option<String>,
    surroundings: SessionCx,
}

impl Conversation for Connected {
    fn start(&self, turn: Turn) -> Result<Box<dyn RunningTurn>> {
        let handle = self.agent.start(TurnRequest {
            session_id: turn.session_id,
            message: turn.message,
            uploads: turn.uploads,
            model: turn.model,
            surroundings: self.surroundings.clone().in_mode(turn.mode),
            options: None,
            observer: None,
        })?;
        Ok(Box::new(Running(handle)))
    }

    fn subscribe(&self, session_id: &str, after: u64) -> Box<dyn EventSource> {
        Box::new(Stream(self.agent.subscribe(session_id, after)))
    }

    fn compact<'a>(&'a self, session_id: &'a str, focus: Option<&'a str>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { Ok(self.agent.compact(session_id, focus, &CancellationToken::new()).await?) })
    }

    fn usual_model(&self) -> Option<String> {
        self.usual.clone()
    }

    fn models(&self) -> BoxFuture<'_, Vec<String>> {
        Box::pin(async move {
            match &self.listed {
                Some(models) => models.all().await,
                None => Vec::new(),
            }
        })
    }
}

struct Running(TurnHandle);

impl RunningTurn for Running {
    fn cancel(&self) {
        self.0.cancel();
    }

    fn first_event(&self) -> u64 {
        self.0.first_event()
    }

    fn ended(&self) -> BoxFuture<'_, deskhand_core::event::TurnOutcome> {
        Box::pin(self.0.ended())
    }
}

struct Stream(EventStream);

impl EventSource for Stream {
    fn next(&mut self) -> BoxFuture<'_, Option<Event>> {
        Box::pin(self.0.next())
    }
}
