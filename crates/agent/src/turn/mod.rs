//! One turn: ask the model, make the calls it wants, tell it the results, until it answers or a guard ends it.
//!
//! | file | what happens there |
//! |---|---|
//! | `mod.rs` | the loop over rounds, and its one end |
//! | `ask.rs` | one request to the model, with what arrives passed on |
//! | `calls.rs` | the calls of a round, side by side where they do not conflict |
//! | `room.rs` | keeping the request within what the model takes |
//! | `control.rs` | cancel, pause, go on |
//!
//! Everything that happens is a [`Step`] in the store before the next thing happens, so that a turn that is cut off can be
//! closed truthfully.

mod ask;
mod calls;
mod control;
mod room;
mod spoken;

pub use control::TurnHandle;

use std::{panic::AssertUnwindSafe, sync::Arc};

use deskhand_core::{
    EventBody, SessionCx,
    event::TurnOutcome,
    session::{Message, OpenTurn, Session, SessionResult, SessionStore, Step, TurnEnd, Upload, Usage},
};
use futures_util::FutureExt;

use crate::{
    AgentError,
    agent::{AgentOptions, Inner},
    chain::{
        Language,
        guards::{Guard, Guards, Round, Stop, ToolChainOptions},
    },
    context::history,
    desk::TurnDesk,
    provider::{Finish, ModelCall, Provider, ProviderError},
    uploads,
};

use self::{ask::Asked, control::Cancelled};

/// How calls are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    /// The model calls tools by itself.
    Native,
    /// `TOOL:` and `ARGS:` in the text.
    Text,
}

/// One turn while it runs.
pub(crate) struct Turn {
    agent: Arc<Inner>,
    /// What was set when it began.
    set: Arc<AgentOptions>,
    turn: OpenTurn,
    /// What the program wishes through which the user talks.
    client_wish: Option<String>,
    provider: Arc<dyn Provider>,
    protocol: Protocol,
    /// Where its calls work and whom they can ask.
    surroundings: SessionCx,
    desk: TurnDesk,
    handle: TurnHandle,
    options: ToolChainOptions,
    guards: Guards,
    /// All messages of the session; the answer of this turn, with its steps so far, is among them.
    messages: Vec<Message>,
    /// The place of the answer in `messages`.
    answer: usize,
    /// What goes along with the messages of the user.
    attached: history::AttachedTo,
    usage: Usage,
    room: room::Room,
    round: u32,
    /// A call that is made before the model is asked.
    first_call: Option<ModelCall>,
}

/// How a turn ends, with the last words of the model.
#[derive(Debug)]
struct End {
    outcome: TurnOutcome,
    reason: Option<String>,
    content: String,
    /// Why the last words end where they do.
    finish: Finish,
    /// They broke off.
    incomplete: bool,
}

impl End {
    fn completed(content: String) -> Self {
        Self {
            outcome: TurnOutcome::Completed,
            reason: None,
            content,
            finish: Finish::Stop,
            incomplete: false,
        }
    }

    fn cancelled(content: String) -> Self {
        let reason = Some("cancelled by the user".to_owned());
        Self { outcome: TurnOutcome::Cancelled, reason, ..Self::completed(content) }.broken_off()
    }

    fn stopped(stop: &Stop, language: Language, content: String) -> Self {
        let reason = format!("{}: {}", stop.guard, stop.words(language));
        Self { outcome: TurnOutcome::Stopped, reason: Some(reason), ..Self::completed(content) }
    }

    fn failed(reason: impl Into<String>, content: String) -> Self {
        Self { outcome: TurnOutcome::Failed, reason: Some(reason.into()), ..Self::completed(content) }
    }

    fn by_provider(error: &ProviderError, content: String) -> Self {
        Self::failed(format!("{}: {error}", error.class.as_str()), content).broken_off()
    }

    /// What was said, if anything was, is not all of it.
    fn broken_off(self) -> Self {
        Self { incomplete: !self.content.trim().is_empty(), ..self }
    }
}

/// Why the rounds came to an end before the model had answered.
enum Broken {
    Off(Cancelled),
    Agent(AgentError),
}

impl From<AgentError> for Broken {
    fn from(error: AgentError) -> Self {
        Self::Agent(error)
    }
}

impl From<Cancelled> for Broken {
    fn from(cancelled: Cancelled) -> Self {
        Self::Off(cancelled)
    }
}

impl Turn {
    pub fn new(
        agent: Arc<Inner>,
        set: Arc<AgentOptions>,
        turn: OpenTurn,
        session: &Session,
        provider: Arc<dyn Provider>,
        surroundings: SessionCx,
        handle: TurnHandle,
    ) -> Self {
        let options = set.chain.clone();
        let toolset = session.metadata.toolset.as_deref().unwrap_or(&set.toolset);
        let language = set.language;
        let desk = TurnDesk::new(Arc::clone(&agent.parts.gate.registry), toolset, language);
        let services = surroundings.services.clone().with(desk.clone());
        let events =
            Arc::new(control::Clocked { events: surroundings.events.clone(), handle: handle.clone() });
        let protocol = if provider.capabilities().native_tools { Protocol::Native } else { Protocol::Text };
        Self {
            turn,
            protocol,
            surroundings: surroundings
                .with_services(services)
                .watched_by(events)
                .checking_results(options.check_results),
            desk,
            handle,
            guards: Guards::new(options.clone(), language),
            options,
            messages: Vec::new(),
            answer: 0,
            attached: history::AttachedTo::new(),
            usage: Usage::default(),
            room: room::Room::default(),
            round: 0,
            first_call: None,
            client_wish: session.metadata.client.as_ref().and_then(|client| client.instructions.clone()),
            provider,
            set,
            agent,
        }
    }

    #[must_use]
    pub fn beginning_with(self, first_call: Option<ModelCall>) -> Self {
        Self { first_call, ..self }
    }

    /// Runs the turn to its one end, whatever happens on the way.
    pub async fn run(mut self) -> TurnOutcome {
        let (handle, limit) = (self.handle.clone(), self.options.max_time_s);
        let mut is_late = false;
        let walked = {
            let mut walk = std::pin::pin!(AssertUnwindSafe(self.walk()).catch_unwind());
            tokio::select! {
                biased;
                walked = &mut walk => walked,
                () = handle.has_run_for(limit) => {
                    is_late = true;
                    handle.cancel();
                    walk.await
                }
            }
        };
        let end = match walked {
            Ok(Err(Broken::Off(Cancelled))) if is_late => self.late(String::new()),
            Ok(Ok(End { outcome: TurnOutcome::Cancelled, content, .. })) if is_late => self.late(content),
            Ok(Ok(end)) => end,
            Ok(Err(Broken::Off(Cancelled))) => End::cancelled(String::new()),
            Ok(Err(Broken::Agent(error))) => End::failed(error.to_string(), String::new()),
            Err(_) => End::failed("Deskhand broke down over this turn; this is a bug.", String::new()),
        };
        self.finish(end).await
    }

    async fn finish(&self, mut end: End) -> TurnOutcome {
        if let Err(error) = self.agent.hub.flush(&self.turn.session_id).await
            && end.outcome == TurnOutcome::Completed
        {
            end = End::failed(format!("what happened could not be stored: {error}"), end.content);
        }
        let outcome = end.outcome;
        let stored = TurnEnd {
            outcome,
            reason: end.reason.map(|reason| self.mask(&reason)),
            content: end.content,
            incomplete: end.incomplete,
            usage: (self.usage != Usage::default()).then_some(self.usage),
            metadata: finish_of(end.finish),
        };
        let (id, end) = (self.turn.id.clone(), stored.clone());
        match self.kept(move |store| store.end_turn(&id, &end)).await {
            Ok(Some(done)) => self.agent.hub.show_stored(done),
            Ok(None) => tracing::warn!(turn = self.turn.id, "the turn had ended before"),
            Err(error) => {
                tracing::error!(%error, "the end of a turn could not be stored");
                self.agent.try_again_later(&self.turn.id, stored);
            }
        }
        outcome
    }

    /// The rounds.
    async fn walk(&mut self) -> Result<End, Broken> {
        self.load().await?;
        if let Some(call) = self.first_call.take() {
            self.round += 1;
            self.guards.before_round();
            if let Some(stop) = self.make_calls(Vec::new(), vec![call]).await? {
                return Ok(self.sum_up(stop).await);
            }
        }
        loop {
            self.handle.go_on().await?;
            if let Some(stop) = self.guards.over_limit(self.handle.has_run(), &self.usage) {
                return Ok(self.sum_up(stop).await);
            }
            self.round += 1;
            self.guards.before_round();
            self.make_room().await?;
            let reply = match self.ask().await? {
                Asked::Reply(reply) => reply,
                Asked::Cancelled { said } => return Ok(End::cancelled(said)),
                Asked::Failed { error, said } => return Ok(End::by_provider(&error, said)),
            };
            let round = self.round;
            let thoughts = reply
                .thoughts
                .into_iter()
                .filter(|thought| !thought.text.is_empty() || thought.signature.is_some());
            let mut steps: Vec<Step> = thoughts
                .map(|thought| Step::Thought { round, text: thought.text, signature: thought.signature })
                .collect();
            if reply.calls.is_empty() {
                match self.guards.after_round(reply.text.trim().is_empty()) {
                    Round::Fine => {
                        self.add_steps(steps).await?;
                        return Ok(self.completed(reply.text, reply.finish));
                    }
                    Round::Stop(stop) => {
                        self.add_steps(steps).await?;
                        return Ok(self.sum_up(stop).await);
                    }
                    Round::Nudge { text } => steps.push(Step::Nudge { round, text }),
                }
                self.add_steps(steps).await?;
                continue;
            }
            self.guards.after_round(false);
            if !reply.text.trim().is_empty() {
                steps.push(Step::Text { round, text: reply.text });
            }
            if let Some(stop) = self.make_calls(steps, reply.calls).await? {
                return Ok(self.sum_up(stop).await);
            }
        }
    }

    /// Reads what was said before, and what came with it.
    async fn load(&mut self) -> Result<(), AgentError> {
        let session = self.turn.session_id.clone();
        let (messages, uploads) =
            self.kept(move |store| Ok((store.context(&session)?, store.uploads(&session)?))).await?;
        self.messages = messages;
        self.answer = match self.messages.iter().position(|message| message.id == self.turn.assistant_message)
        {
            Some(at) => at,
            None => return Err(AgentError::Broken("the turn's own message is not in the store".to_owned())),
        };
        self.messages[self.answer].execution_steps = Some(Vec::new());
        self.attach(uploads).await?;
        history::mark_outside(&self.messages, &self.surroundings.outside);
        for source in self.desk.said_by() {
            self.surroundings.outside.mark(&source);
        }
        Ok(())
    }

    fn steps(&self) -> &[Step] {
        self.messages[self.answer].execution_steps.as_deref().unwrap_or_default()
    }

    fn steps_mut(&mut self) -> &mut Vec<Step> {
        self.messages[self.answer].execution_steps.get_or_insert_default()
    }

    /// Adds steps to the turn, in the store first.
    async fn add_steps(&mut self, steps: Vec<Step>) -> Result<(), AgentError> {
        if steps.is_empty() {
            return Ok(());
        }
        let (id, kept) = (self.turn.id.clone(), steps.clone());
        self.kept(move |store| store.add_steps(&id, &kept)).await?;
        self.steps_mut().extend(steps);
        Ok(())
    }

    /// A guard ended the turn: one last request sums up what was done and what is missing, unless it is for the want of
    /// tokens, time or money.
    async fn sum_up(&mut self, stop: Stop) -> End {
        let words = stop.words(self.language());
        self.notice(&words);
        let said = match stop.guard {
            Guard::MaxTokens | Guard::MaxTime | Guard::MaxCost => String::new(),
            _ => self.last_words(&words).await,
        };
        End::stopped(&stop, self.language(), said)
    }

    fn late(&self, content: String) -> End {
        let about = self.options.max_time_s.unwrap_or_default().to_string();
        End::stopped(&Stop { guard: Guard::MaxTime, about }, self.language(), content).broken_off()
    }

    fn completed(&self, text: String, finish: Finish) -> End {
        match finish {
            Finish::Stop => {}
            Finish::Length => self.notice("The answer was cut off: it is longer than the model may answer."),
            Finish::Filtered => self.notice("The model's server withheld a part of the answer."),
        }
        End { finish, ..End::completed(text) }
    }

    fn language(&self) -> Language {
        self.set.language
    }

    fn notice(&self, text: &str) {
        self.emit(EventBody::Notice { text: self.mask(text) });
    }

    fn emit(&self, body: EventBody) {
        self.surroundings.events.emit(body);
    }

    fn mask(&self, text: &str) -> String {
        self.agent.parts.gate.screener.mask_text(text).into_string()
    }

    /// Reads the files that came with what is told, and says of which the model gets no more than the name.
    async fn attach(&mut self, uploads: Vec<Upload>) -> Result<(), AgentError> {
        if uploads.is_empty() {
            return Ok(());
        }
        let (messages, model) = (self.messages.clone(), self.provider.capabilities());
        let screener = Arc::clone(&self.agent.parts.gate.screener);
        let read = move || uploads::attached(&messages, &uploads, model, screener.as_ref());
        let read = tokio::task::spawn_blocking(read).await;
        self.attached =
            read.map_err(|error| AgentError::Broken(format!("reading the files broke down: {error}")))?;
        if let Some(attached) = self.attached.get(&self.turn.user_message) {
            for (name, reason) in &attached.unseen {
                self.notice(&reason.notice(name, self.language()));
            }
        }
        Ok(())
    }

    /// Does something with the store where it holds nobody up.
    async fn kept<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn SessionStore) -> SessionResult<T> + Send + 'static,
    ) -> Result<T, AgentError> {
        let store = Arc::clone(&self.agent.parts.store);
        match tokio::task::spawn_blocking(move || work(store.as_ref())).await {
            Ok(result) => Ok(result?),
            Err(error) => Err(AgentError::Broken(format!("the store broke down: {error}"))),
        }
    }
}

/// How the metadata of the answer tells that it is not whole.
fn finish_of(finish: Finish) -> serde_json::Map<String, serde_json::Value> {
    let mut metadata = serde_json::Map::new();
    match finish {
        Finish::Stop => {}
        Finish::Length => drop(metadata.insert("finish".to_owned(), "length".into())),
        Finish::Filtered => drop(metadata.insert("finish".to_owned(), "filtered".into())),
    }
    metadata
}
