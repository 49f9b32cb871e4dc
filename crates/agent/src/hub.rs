//! Events on their way: stored first, then shown.
//!
//! One thread takes what all turns of this process emit, stores what has gathered in one go, and hands it, numbered, to
//! whoever watches. So an event that somebody has seen is in the store, whatever happens next; and a watcher that comes
//! late, or was too slow, reads on from the store by the last number it has.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::Duration,
};

use deskhand_core::{
    Event, EventBody, EventSink, Time,
    session::{NewEvent, SessionStore},
};
use tokio::sync::{mpsc as live, oneshot};

use crate::AgentError;

/// The most events that are stored in one go.
const MOST_AT_ONCE: usize = 512;
/// How many events a watcher may be behind before it is sent to the store for them.
const MOST_WAITING: usize = 1_024;
/// How often a watcher looks into the store for what another process wrote.
const LOOKS_EVERY: Duration = Duration::from_millis(500);
/// How many events are read from the store at a time.
const READ_AT_ONCE: usize = 500;

/// Takes events, stores them, shows them. Cheap to clone.
#[derive(Clone)]
pub struct EventHub {
    way_in: Sender<Item>,
    store: Arc<dyn SessionStore>,
    watchers: Arc<Watchers>,
}

enum Item {
    New(NewEvent),
    /// Stored already, together with what it tells of.
    Stored(Event),
    /// Answered when everything before it is stored.
    Flush {
        session_id: String,
        answer: oneshot::Sender<Result<(), String>>,
    },
}

#[derive(Default)]
struct Watchers(Mutex<HashMap<String, Vec<live::Sender<Event>>>>);

impl Watchers {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Vec<live::Sender<Event>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, event: &Event) {
        let mut all = self.all();
        let Some(watching) = all.get_mut(&event.session_id) else { return };
        // One that is too far behind, or gone, is let go: it finds what it missed in the store.
        watching.retain(|watcher| watcher.try_send(event.clone()).is_ok());
        if watching.is_empty() {
            all.remove(&event.session_id);
        }
    }
}

impl EventHub {
    pub fn start(store: Arc<dyn SessionStore>) -> Result<Self, AgentError> {
        let (way_in, items) = mpsc::channel();
        let watchers = Arc::new(Watchers::default());
        let (kept, shown) = (Arc::clone(&store), Arc::clone(&watchers));
        // It ends by itself when the last hub is dropped, which closes the way in.
        thread::Builder::new()
            .name("events".into())
            .spawn(move || keep_and_show(&items, kept.as_ref(), &shown))
            .map_err(|error| AgentError::Broken(format!("no thread for the events: {error}")))?;
        Ok(Self { way_in, store, watchers })
    }

    /// Where the events of one turn go.
    pub fn sink(&self, session_id: &str, turn_id: Option<&str>) -> TurnEvents {
        TurnEvents {
            hub: self.clone(),
            session_id: session_id.to_owned(),
            turn_id: turn_id.map(str::to_owned),
            observer: None,
        }
    }

    /// Shows an event that was stored together with what it tells of.
    pub fn show_stored(&self, event: Event) {
        let _ = self.way_in.send(Item::Stored(event));
    }

    /// Returns when everything that was emitted before is stored; an error if some of this session could not be.
    pub async fn flush(&self, session_id: &str) -> Result<(), AgentError> {
        let (answer, answered) = oneshot::channel();
        let _ = self.way_in.send(Item::Flush { session_id: session_id.to_owned(), answer });
        match answered.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(why)) => Err(AgentError::Broken(why)),
            Err(_) => Err(AgentError::Broken("the thread that stores events is gone".to_owned())),
        }
    }

    /// The events of a session after the number `after`: those in the store, then what comes.
    pub fn subscribe(&self, session_id: &str, after: u64) -> EventStream {
        EventStream {
            hub: self.clone(),
            session_id: session_id.to_owned(),
            last: after,
            read: VecDeque::new(),
            live: None,
            behind: true,
        }
    }

    fn watch(&self, session_id: &str) -> live::Receiver<Event> {
        let (sender, receiver) = live::channel(MOST_WAITING);
        let mut all = self.watchers.all();
        let watching = all.entry(session_id.to_owned()).or_default();
        // Where nothing happens, nobody else would notice that a watcher is gone.
        watching.retain(|watcher| !watcher.is_closed());
        watching.push(sender);
        receiver
    }
}

fn keep_and_show(items: &Receiver<Item>, store: &dyn SessionStore, watchers: &Watchers) {
    let mut failed = HashMap::new();
    while let Ok(first) = items.recv() {
        let mut fresh = Vec::new();
        let mut next = Some(first);
        while let Some(item) = next {
            match item {
                Item::New(event) => fresh.push(event),
                Item::Stored(event) => {
                    keep(store, watchers, &mut fresh, &mut failed);
                    watchers.show(&event);
                }
                Item::Flush { session_id, answer } => {
                    keep(store, watchers, &mut fresh, &mut failed);
                    let _ = answer.send(failed.remove(&session_id).map_or(Ok(()), Err));
                }
            }
            next = if fresh.len() < MOST_AT_ONCE { items.try_recv().ok() } else { None };
        }
        keep(store, watchers, &mut fresh, &mut failed);
    }
}

fn keep(
    store: &dyn SessionStore,
    watchers: &Watchers,
    fresh: &mut Vec<NewEvent>,
    failed: &mut HashMap<String, String>,
) {
    if fresh.is_empty() {
        return;
    }
    let sessions: HashSet<String> = fresh.iter().map(|event| event.session_id.clone()).collect();
    match store.append_events(std::mem::take(fresh)) {
        Ok(stored) => stored.iter().for_each(|event| watchers.show(event)),
        Err(error) => {
            tracing::warn!(%error, "events could not be stored");
            failed.extend(sessions.into_iter().map(|session| (session, error.to_string())));
        }
    }
}

/// The events of one turn, or of one session outside of any.
#[derive(Clone)]
pub struct TurnEvents {
    hub: EventHub,
    session_id: String,
    turn_id: Option<String>,
    /// Sees everything as it is emitted, before it is stored.
    observer: Option<Arc<dyn EventSink>>,
}

impl TurnEvents {
    #[must_use]
    pub fn observed_by(mut self, observer: Option<Arc<dyn EventSink>>) -> Self {
        self.observer = observer;
        self
    }
}

impl EventSink for TurnEvents {
    fn emit(&self, body: EventBody) {
        if let Some(observer) = &self.observer {
            observer.emit(body.clone());
        }
        let event = NewEvent {
            session_id: self.session_id.clone(),
            turn_id: self.turn_id.clone(),
            at: Time::now(),
            body,
        };
        let _ = self.hub.way_in.send(Item::New(event));
    }
}

/// A watcher's view of one session. Nothing is lost and nothing comes twice.
pub struct EventStream {
    hub: EventHub,
    session_id: String,
    last: u64,
    read: VecDeque<Event>,
    live: Option<live::Receiver<Event>>,
    /// Whether the store may have more than was read.
    behind: bool,
}

impl EventStream {
    /// The next event. `None` when the store cannot be read any more.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.read.pop_front() {
                if event.seq > self.last {
                    self.last = event.seq;
                    return Some(event);
                }
                continue;
            }
            if self.behind {
                // Watching begins before reading: what comes in between is seen twice rather than never.
                if self.live.is_none() {
                    self.live = Some(self.hub.watch(&self.session_id));
                }
                self.read_on().await?;
                continue;
            }
            let Some(live) = &mut self.live else {
                self.behind = true;
                continue;
            };
            match tokio::time::timeout(LOOKS_EVERY, live.recv()).await {
                Ok(Some(event)) if event.seq == self.last + 1 => {
                    self.last = event.seq;
                    return Some(event);
                }
                // Another process wrote in between.
                Ok(Some(event)) if event.seq > self.last => self.behind = true,
                Ok(Some(_)) => {}
                Ok(None) => {
                    self.live = None;
                    self.behind = true;
                }
                Err(_) => self.behind = true,
            }
        }
    }

    async fn read_on(&mut self) -> Option<()> {
        let (store, session, after) = (Arc::clone(&self.hub.store), self.session_id.clone(), self.last);
        let read =
            tokio::task::spawn_blocking(move || store.events(&session, after, READ_AT_ONCE)).await.ok()?;
        let read = read.inspect_err(|error| tracing::warn!(%error, "events cannot be read")).ok()?;
        self.behind = read.len() == READ_AT_ONCE;
        self.read = read.into();
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use deskhand_store::{Store, StoreOptions};

    use super::*;

    #[test]
    fn watchers_that_are_gone_do_not_pile_up_where_nothing_happens() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), &StoreOptions::default()).unwrap();
        let hub = EventHub::start(store.sessions()).unwrap();
        let stays = hub.watch("s");
        for _ in 0..10 {
            drop(hub.watch("s"));
        }
        let last = hub.watch("s");
        assert_eq!(hub.watchers.all().get("s").map(Vec::len), Some(2));
        drop((stays, last));
    }
}
