//! What all routes stand on.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use deskhand_agent::Agent;
use deskhand_core::{
    ApprovalQueue, AuditTrail, EventSink, Gate, Mode, Outside, SessionCx, UndoJournal,
    event::NoEvents,
    session::{Session, SessionError, SessionStore},
};
use tokio_util::sync::CancellationToken;

use super::{
    confirmations::Confirmations,
    door::Door,
    error::ApiError,
    links::Links,
    metrics::Metrics,
    modes::{ModeInForce, tightened},
    person::Person,
    program::Program,
    pulse::Pulse,
    routes::openai::Remembered,
    token::Users,
};

/// What a server is made of.
pub struct Parts {
    pub gate: Gate,
    pub agent: Agent,
    pub store: Arc<dyn SessionStore>,
    pub undo: Arc<dyn UndoJournal>,
    pub audit: Arc<dyn AuditTrail>,
    pub program: Arc<dyn Program>,
    pub users: Users,
    pub requests_per_second: u32,
}

/// The state of the server. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Inner>);

struct Inner {
    parts: Parts,
    door: Door,
    /// Whether browsers come over TLS.
    secure: bool,
    confirmations: Confirmations,
    client_talks: Mutex<Remembered>,
    /// By session: what was read from pages through the browser's routes, which no conversation has.
    read_in_browser: Mutex<HashMap<String, Arc<Outside>>>,
    /// The turns after which queued messages are sent.
    watched_turns: Mutex<HashSet<String>>,
    links: Links,
    metrics: Metrics,
    pulse: Pulse,
    ending: CancellationToken,
}

impl App {
    pub fn new(parts: Parts, door: Door, secure: bool) -> Self {
        let confirmations = Confirmations::new(parts.gate.settings.approval_timeout);
        Self(Arc::new(Inner {
            parts,
            door,
            secure,
            confirmations,
            client_talks: Mutex::default(),
            read_in_browser: Mutex::default(),
            watched_turns: Mutex::default(),
            links: Links::default(),
            metrics: Metrics::default(),
            pulse: Pulse::default(),
            ending: CancellationToken::new(),
        }))
    }

    pub fn door(&self) -> &Door {
        &self.0.door
    }

    pub fn requests_per_second(&self) -> u32 {
        self.0.parts.requests_per_second
    }

    pub fn is_secure(&self) -> bool {
        self.0.secure
    }

    pub fn gate(&self) -> &Gate {
        &self.0.parts.gate
    }

    pub fn agent(&self) -> &Agent {
        &self.0.parts.agent
    }

    pub fn undo(&self) -> &Arc<dyn UndoJournal> {
        &self.0.parts.undo
    }

    pub fn approvals(&self) -> &Arc<dyn ApprovalQueue> {
        &self.0.parts.gate.approvals
    }

    pub fn program(&self) -> &dyn Program {
        self.0.parts.program.as_ref()
    }

    pub fn confirmations(&self) -> &Confirmations {
        &self.0.confirmations
    }

    pub fn audit(&self) -> &Arc<dyn AuditTrail> {
        &self.0.parts.audit
    }

    pub fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    pub fn pulse(&self) -> &Pulse {
        &self.0.pulse
    }

    pub fn links(&self) -> &Links {
        &self.0.links
    }

    /// Whose conversation with a program is in which session.
    pub fn client_talks(&self) -> MutexGuard<'_, Remembered> {
        self.0.client_talks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the callers of the browser's routes in this session have read from outside.
    pub fn read_in_browser(&self, session: &str) -> Arc<Outside> {
        let mut read = self.0.read_in_browser.lock().unwrap_or_else(PoisonError::into_inner);
        // Only what has been read need be known.
        read.retain(|_, outside| outside.is_tainted() || Arc::strong_count(outside) > 1);
        Arc::clone(read.entry(session.to_owned()).or_default())
    }

    /// Notes that the end of this turn is waited for. `false`: it is already.
    pub fn watches_turn(&self, turn_id: &str) -> bool {
        let mut watched = self.0.watched_turns.lock().unwrap_or_else(PoisonError::into_inner);
        watched.insert(turn_id.to_owned())
    }

    /// Notes that the turn has ended.
    pub fn watched_turn(&self, turn_id: &str) {
        self.0.watched_turns.lock().unwrap_or_else(PoisonError::into_inner).remove(turn_id);
    }

    /// Fires when the server ends: what streams without end stops then.
    pub fn ending(&self) -> &CancellationToken {
        &self.0.ending
    }

    /// Work on the store, where it holds nobody up.
    pub async fn store<T: Send + 'static, E: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn SessionStore) -> Result<T, E> + Send + 'static,
    ) -> Result<T, ApiError>
    where
        ApiError: From<E>,
    {
        let store = Arc::clone(&self.0.parts.store);
        self.blocking(move || work(store.as_ref()).map_err(ApiError::from)).await
    }

    /// Any work that waits for the disk.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        match tokio::task::spawn_blocking(work).await {
            Ok(done) => done,
            Err(error) => Err(ApiError::broken(format!("the work broke down: {error}"))),
        }
    }

    /// A session of this person. To others it does not exist.
    pub async fn session_of(&self, person: &Person, id: &str) -> Result<Session, ApiError> {
        let (wanted, owner) = (id.to_owned(), person.user.clone());
        self.store(move |store| own_session(store, owner.as_deref(), &wanted)).await
    }

    /// Work on the store with a session of this person. To others it does not exist.
    pub async fn with_session<T: Send + 'static>(
        &self,
        person: &Person,
        id: &str,
        work: impl FnOnce(&dyn SessionStore, Session) -> Result<T, SessionError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let (wanted, owner) = (id.to_owned(), person.user.clone());
        self.store(move |store| work(store, own_session(store, owner.as_deref(), &wanted)?)).await
    }

    /// Where the calls of this person in this session work. The program's part waits for the disk.
    pub async fn surround(
        &self,
        person: &Person,
        session: Option<&Session>,
        mode: Option<Mode>,
        events: Arc<dyn EventSink>,
    ) -> Result<SessionCx, ApiError> {
        let (app, person, session) = (self.clone(), person.clone(), session.cloned());
        self.blocking(move || app.surroundings(&person, session.as_ref(), mode, events)).await
    }

    /// The same for whoever may wait for the disk.
    fn surroundings(
        &self,
        person: &Person,
        session: Option<&Session>,
        mode: Option<Mode>,
        events: Arc<dyn EventSink>,
    ) -> Result<SessionCx, ApiError> {
        let id = session.map_or_else(|| person.console(), |session| session.id.clone());
        let workspace = session.and_then(|session| session.metadata.workspace.as_deref());
        let usual = self.program().surroundings(&id, person.user.as_deref(), workspace)?;
        let chosen = session.and_then(|session| session.metadata.mode);
        let of_session = self.program().mode_in(workspace)?.chosen(person, chosen);
        let mode = tightened(of_session, mode)?;
        let usual = usual.made_for(person.user.clone(), person.desktop()).called_by(person.caller());
        Ok(usual.in_mode(mode).asking(Vec::new(), true).watched_by(events))
    }

    /// The folders that this person may work in.
    pub fn folders_of(&self, person: &Person) -> Vec<String> {
        let mut folders = self.program().about().workspaces;
        if person.is_owner() {
            let added = self.program().added_workspaces();
            folders.extend(added.iter().map(|folder| folder.display().to_string()));
        }
        folders
    }

    /// The folder that a session works in: the first of the program's, unless another of them is wanted.
    pub fn one_of_its_folders(&self, person: &Person, wanted: Option<PathBuf>) -> Result<PathBuf, ApiError> {
        let folders = self.folders_of(person);
        match wanted.or_else(|| folders.first().cloned().map(PathBuf::from)) {
            None => Err(ApiError::broken("this server has no workspace")),
            Some(folder) if folders.iter().any(|one| Path::new(one) == folder) => Ok(folder),
            Some(folder) => Err(ApiError::invalid(format!(
                "{} is not a workspace of this server: {}",
                folder.display(),
                folders.join(", ")
            ))),
        }
    }

    /// The mode of sessions in this folder, where their person chooses none.
    pub async fn mode_in(&self, workspace: Option<PathBuf>) -> Result<ModeInForce, ApiError> {
        let app = self.clone();
        self.blocking(move || app.program().mode_in(workspace.as_deref())).await
    }

    /// The same for a call that nobody watches.
    pub async fn console(&self, person: &Person) -> Result<SessionCx, ApiError> {
        self.surround(person, None, None, Arc::new(NoEvents)).await
    }
}

fn own_session(store: &dyn SessionStore, owner: Option<&str>, id: &str) -> Result<Session, SessionError> {
    let session = store.session(id)?;
    if session.owner.as_deref() == owner {
        Ok(session)
    } else {
        Err(SessionError::NoSuchSession(id.to_owned()))
    }
}
