//! The agent: starts turns, lets them be watched, cancelled and gone on with.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
};

use deskhand_core::{
    EventBody, EventSink, Gate, SessionCx,
    id::new_id,
    session::{Begun, NewTurn, Role, Session, SessionError, SessionStore, TitledBy, TurnEnd, UNTITLED},
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{
    AgentError,
    chain::{Language, guards::ToolChainOptions},
    compaction::{Compacting, Covered, WantedBy},
    context::{
        compact, history,
        tokens::{Calibrated, Encoding},
    },
    hub::{EventHub, EventStream},
    provider::{Arguments, ModelCall, Provider, ProviderError},
    recovery, title,
    turn::{Turn, TurnHandle},
    uploads,
};

/// Where models come from.
pub trait Models: Send + Sync {
    /// The model of that name (`PROVIDER/NAME`), or the usual one.
    fn connect(&self, name: Option<&str>) -> Result<Arc<dyn Provider>, ProviderError>;

    /// The model that the next turn of a session is had with. A session may be of a kind that has its own.
    fn connect_for(
        &self,
        _session: &Session,
        name: Option<&str>,
    ) -> Result<Arc<dyn Provider>, ProviderError> {
        self.connect(name)
    }
}

/// What the agent stands on.
pub struct AgentParts {
    pub gate: Arc<Gate>,
    pub store: Arc<dyn SessionStore>,
    pub models: Arc<dyn Models>,
    pub options: AgentOptions,
}

/// What can be set about conversations.
#[derive(Clone, Debug)]
pub struct AgentOptions {
    pub chain: ToolChainOptions,
    /// The toolset that a conversation starts with.
    pub toolset: String,
    /// What the user wants said to the model at the start of every conversation.
    pub instructions: Option<String>,
    /// In which notices and nudges are written.
    pub language: Language,
}

impl Default for AgentOptions {
    fn default() -> Self {
        Self {
            chain: ToolChainOptions::default(),
            toolset: crate::tools::CHAT.to_owned(),
            instructions: None,
            language: Language::default(),
        }
    }
}

/// What a turn is begun with.
pub struct TurnRequest {
    pub session_id: String,
    pub message: String,
    /// Uploads of the session that come with the message, by id.
    pub uploads: Vec<String>,
    /// `None`: the model of the session, or the usual one.
    pub model: Option<String>,
    /// Where its calls work and whom they can ask. Its id, caller, events and outside text are set by the agent.
    pub surroundings: SessionCx,
    /// Limits for this turn, in the place of the usual ones.
    pub options: Option<ToolChainOptions>,
    /// Sees every event as it is emitted, before it is stored: the callback of a program that embeds the agent.
    pub observer: Option<Arc<dyn EventSink>>,
}

/// What a turn is tried again with.
pub struct RetryRequest {
    pub session_id: String,
    /// `None`: the model of the session, or the usual one.
    pub model: Option<String>,
    /// As of [`TurnRequest`].
    pub surroundings: SessionCx,
}

/// Starts turns. Cheap to clone.
#[derive(Clone)]
pub struct Agent(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub parts: AgentParts,
    /// As they are now; a turn keeps those that it began with.
    options: RwLock<Arc<AgentOptions>>,
    pub hub: EventHub,
    /// The turns that this process runs, by session.
    running: Mutex<HashMap<String, TurnHandle>>,
    /// Turns that have ended, and whose end could not be stored yet.
    unended: Mutex<Vec<(String, TurnEnd)>>,
    /// How each model counts tokens, as its server has said so far.
    calibrated: Mutex<HashMap<String, Calibrated>>,
}

/// Of so many models it is known how they count; anybody may name any.
const MOST_CALIBRATED: usize = 100;

impl Inner {
    /// How a model counts.
    pub fn calibrated(&self, model: &str) -> Calibrated {
        let all = self.calibrated.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(model).copied().unwrap_or_default()
    }

    /// The server of a model counted `theirs` tokens where we counted `ours`.
    pub fn calibrate(&self, model: &str, ours: u64, theirs: u64) {
        let mut all = self.calibrated.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_CALIBRATED && !all.contains_key(model) {
            all.clear();
        }
        all.entry(model.to_owned()).or_default().observe(ours, theirs);
    }

    pub fn try_again_later(&self, turn_id: &str, end: TurnEnd) {
        self.unended.lock().unwrap_or_else(PoisonError::into_inner).push((turn_id.to_owned(), end));
    }

    /// Stores the ends that could not be stored when they came.
    fn end_the_unended(&self) {
        let unended = std::mem::take(&mut *self.unended.lock().unwrap_or_else(PoisonError::into_inner));
        for (turn_id, end) in unended {
            match self.parts.store.end_turn(&turn_id, &end) {
                Ok(done) => done.into_iter().for_each(|event| self.hub.show_stored(event)),
                Err(error) => {
                    tracing::warn!(%error, "the end of a turn can still not be stored");
                    self.try_again_later(&turn_id, end);
                }
            }
        }
    }

    fn options(&self) -> Arc<AgentOptions> {
        Arc::clone(&self.options.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn running(&self) -> MutexGuard<'_, HashMap<String, TurnHandle>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a turn is run with.
struct Around {
    surroundings: SessionCx,
    options: Option<ToolChainOptions>,
    observer: Option<Arc<dyn EventSink>>,
    /// What it begins with, before the model is asked.
    first_call: Option<ModelCall>,
}

impl Agent {
    pub fn new(parts: AgentParts) -> Result<Self, AgentError> {
        let hub = EventHub::start(Arc::clone(&parts.store))?;
        let options = RwLock::new(Arc::new(parts.options.clone()));
        let (running, unended, calibrated) = (Mutex::default(), Mutex::default(), Mutex::default());
        Ok(Self(Arc::new(Inner { parts, options, hub, running, unended, calibrated })))
    }

    /// Sets what holds for the turns that begin from now on.
    pub fn set_options(&self, options: AgentOptions) {
        *self.0.options.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(options);
    }

    /// Closes turns that a process left behind when it was ended. Returns how many there were.
    pub fn recover(&self) -> Result<usize, AgentError> {
        let parts = &self.0.parts;
        recovery::close_broken_turns(parts.store.as_ref(), parts.gate.audit.as_ref(), &self.0.hub)
    }

    /// Starts a turn in a task of its own. The user's message is stored when this returns.
    pub fn start(&self, request: TurnRequest) -> Result<TurnHandle, AgentError> {
        self.begin(request, None, None)
    }

    /// Starts a turn with a message that waited for it, by its id in the queue.
    pub fn start_queued(&self, request: TurnRequest, queued: i64) -> Result<TurnHandle, AgentError> {
        self.begin(request, None, Some(queued))
    }

    /// Starts a turn whose first step is this call, which takes the one path like any other: it is planned, and asked where it
    /// must be. The model reads its result and continues from there.
    pub fn start_with_call(
        &self,
        request: TurnRequest,
        tool: &str,
        arguments: Value,
    ) -> Result<TurnHandle, AgentError> {
        let call = ModelCall { id: new_id(), name: tool.to_owned(), arguments: Arguments::Given(arguments) };
        self.begin(request, Some(call), None)
    }

    fn begin(
        &self,
        request: TurnRequest,
        first_call: Option<ModelCall>,
        queued: Option<i64>,
    ) -> Result<TurnHandle, AgentError> {
        let parts = &self.0.parts;
        if request.message.trim().is_empty() && request.uploads.is_empty() {
            return Err(AgentError::Invalid("the message is empty".to_owned()));
        }
        self.close_what_is_over();
        let session = parts.store.session(&request.session_id)?;
        let (message, uploads) = self.resolve_files(&session.id, &request.message, &request.uploads)?;
        let model = request.model.as_deref().or(session.metadata.model.as_deref());
        let provider = parts.models.connect_for(&session, model)?;
        let message = parts.gate.screener.mask_text(&message).into_string();
        let begun = parts.store.begin_turn(&NewTurn {
            session_id: session.id.clone(),
            content: message.clone(),
            uploads,
            model: Some(provider.name().to_owned()),
            queued,
        })?;
        if session.title == UNTITLED && !session.title_locked {
            // A title is not worth a turn that has begun.
            let title = title::from_message(&message);
            if let Err(error) = parts.store.rename(&session.id, &title, TitledBy::Machine) {
                tracing::warn!(%error, "the session got no title");
            }
        }
        let TurnRequest { surroundings, options, observer, .. } = request;
        Ok(self.run(begun, &session, provider, Around { surroundings, options, observer, first_call }))
    }

    /// Runs the message of the last turn, which did not complete, again. The message stays the one that it is; what the
    /// broken turn did is told to the model, what it said last is not.
    pub fn retry(&self, request: RetryRequest) -> Result<TurnHandle, AgentError> {
        let parts = &self.0.parts;
        self.close_what_is_over();
        let session = parts.store.session(&request.session_id)?;
        let model = request.model.as_deref().or(session.metadata.model.as_deref());
        let provider = parts.models.connect_for(&session, model)?;
        let begun = parts.store.retry_turn(&session.id, Some(provider.name()))?;
        let around =
            Around { surroundings: request.surroundings, options: None, observer: None, first_call: None };
        Ok(self.run(begun, &session, provider, around))
    }

    /// Turns whose end could not be stored, and those of processes that are gone.
    fn close_what_is_over(&self) {
        self.0.end_the_unended();
        // What another session left behind must not keep this one from beginning.
        if let Err(error) = self.recover() {
            tracing::warn!(%error, "a turn that was cut off could not be closed");
        }
    }

    /// Runs a turn that has begun, in a task of its own.
    fn run(
        &self,
        begun: Begun,
        session: &Session,
        provider: Arc<dyn Provider>,
        around: Around,
    ) -> TurnHandle {
        let Around { surroundings, options, observer, first_call } = around;
        let handle = TurnHandle::new(&begun.turn);
        self.0.hub.show_stored(begun.event.clone());
        if let Some(observer) = &observer {
            observer.emit(begun.event.body);
        }
        let events = self.0.hub.sink(&session.id, Some(&begun.turn.id)).observed_by(observer);
        let desktop = surroundings.desktop.clone();
        // Whatever the caller says: what is done in a session is done for its owner.
        let surroundings = surroundings
            .with_id(&*session.id)
            .made_for(session.owner.clone(), desktop)
            .called_by(format!("model:{}", provider.name()))
            .watched_by(Arc::new(events))
            .tainted_by(Arc::default());
        let mut set = self.0.options();
        if let Some(chain) = options {
            set = Arc::new(AgentOptions { chain, ..(*set).clone() });
        }
        let turn =
            Turn::new(Arc::clone(&self.0), set, begun.turn, session, provider, surroundings, handle.clone())
                .beginning_with(first_call);
        self.0.running().insert(handle.session_id().to_owned(), handle.clone());
        let (inner, kept) = (Arc::clone(&self.0), handle.clone());
        tokio::spawn(async move {
            let outcome = turn.run().await;
            inner.running().retain(|_, running| running.turn_id() != kept.turn_id());
            kept.set_ended(outcome);
        });
        handle
    }

    /// The message without its references to files, and all files that come with it. A file that is not there is an
    /// error before a model is connected, which takes longer.
    fn resolve_files(
        &self,
        session_id: &str,
        message: &str,
        wanted: &[String],
    ) -> Result<(String, Vec<String>), AgentError> {
        let missing =
            |id: &str| AgentError::Invalid(format!("there is no upload {id:?} in the session {session_id}"));
        if wanted.is_empty() && !message.contains(uploads::REF) {
            return Ok((message.to_owned(), Vec::new()));
        }
        let kept = self.0.parts.store.uploads(session_id)?;
        if let Some(id) = wanted.iter().find(|id| !kept.iter().any(|upload| upload.id == **id)) {
            return Err(missing(id));
        }
        let resolved = uploads::without_refs(message, &kept).map_err(|id| missing(&id))?;
        let mut seen = HashSet::new();
        let all =
            wanted.iter().cloned().chain(resolved.uploads).filter(|id| seen.insert(id.clone())).collect();
        Ok((resolved.text, all))
    }

    /// Summarises everything that was said so far, between turns.
    pub async fn compact(
        &self,
        session_id: &str,
        focus: Option<&str>,
        cancel: &CancellationToken,
    ) -> Result<(), AgentError> {
        let parts = &self.0.parts;
        let session = parts.store.session(session_id)?;
        if parts.store.open_turn(session_id)?.is_some() {
            return Err(SessionError::Busy(session_id.to_owned()).into());
        }
        let provider = parts.models.connect_for(&session, session.metadata.model.as_deref())?;
        let messages = compact::uncovered(&parts.store.context(session_id)?);
        let last = messages.iter().rfind(|message| message.role != Role::System);
        let made = messages.iter().find_map(|message| message.metadata.compaction.as_ref());
        let until_message = match (last, made) {
            (Some(last), _) => last.id,
            // Nothing is new, but a person may want its taint away.
            (None, Some(made)) if !made.outside.is_empty() => made.until_message,
            _ => return Err(AgentError::Invalid("there is nothing to summarise yet".to_owned())),
        };
        let count = messages.len() as u64;
        let told = history::told(&messages, &history::AttachedTo::new());
        let encoding = Encoding::of_model(provider.name());
        let tokens_before = encoding.count_request("", &told, &[]);
        let events = self.0.hub.sink(session_id, None);
        let compacting = Compacting {
            agent: &self.0,
            provider: provider.as_ref(),
            session_id,
            turn_id: None,
            events: &events,
            cancel,
        };
        let covered = Covered { messages, until_message, until_step: None, by: WantedBy::Person };
        let Some((message, _)) = compacting.compact(covered, focus).await? else {
            return Err(AgentError::Invalid("the compaction was cancelled; nothing has changed".to_owned()));
        };
        events.emit(EventBody::Compacted {
            messages: count,
            tokens_before,
            tokens_after: encoding.count(&message.content),
            transcript: message.metadata.compaction.map(|made| made.transcript).unwrap_or_default(),
        });
        self.0.hub.flush(session_id).await
    }

    /// The turn that this process runs in a session.
    pub fn running(&self, session_id: &str) -> Option<TurnHandle> {
        self.0.running().get(session_id).cloned()
    }

    /// How many turns run here.
    pub fn running_turns(&self) -> usize {
        self.0.running().len()
    }

    /// The events of a session after the number `after`: those in the store, then what comes.
    pub fn subscribe(&self, session_id: &str, after: u64) -> EventStream {
        self.0.hub.subscribe(session_id, after)
    }

    pub fn store(&self) -> &Arc<dyn SessionStore> {
        &self.0.parts.store
    }

    pub fn models(&self) -> &Arc<dyn Models> {
        &self.0.parts.models
    }
}
