//! The reins of a turn: cancel, pause, go on, and wait for its end.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use deskhand_core::{EventBody, EventSink, event::TurnOutcome, session::OpenTurn};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// How often the clock of a turn looks whether it is paused.
const LOOKS_EVERY: Duration = Duration::from_millis(200);
const LOOKS_AT_LEAST_AFTER: Duration = Duration::from_millis(5);

/// A turn that runs in a task of its own. Dropping the handle changes nothing about it.
#[derive(Clone)]
pub struct TurnHandle(Arc<Reins>);

struct Reins {
    turn_id: String,
    session_id: String,
    first_event: u64,
    user_message: i64,
    cancel: CancellationToken,
    paused: watch::Sender<bool>,
    ended: watch::Sender<Option<TurnOutcome>>,
    clock: Mutex<Clock>,
}

impl TurnHandle {
    pub(crate) fn new(turn: &OpenTurn) -> Self {
        Self(Arc::new(Reins {
            turn_id: turn.id.clone(),
            session_id: turn.session_id.clone(),
            first_event: turn.first_event,
            user_message: turn.user_message,
            cancel: CancellationToken::new(),
            paused: watch::Sender::new(false),
            ended: watch::Sender::new(None),
            clock: Mutex::new(Clock { counted: Duration::ZERO, since: Some(Instant::now()), held_by: 0 }),
        }))
    }

    pub fn turn_id(&self) -> &str {
        &self.0.turn_id
    }

    pub fn session_id(&self) -> &str {
        &self.0.session_id
    }

    /// The number of its event `turn_started`.
    pub fn first_event(&self) -> u64 {
        self.0.first_event
    }

    /// What the user said, by its id.
    pub fn user_message(&self) -> i64 {
        self.0.user_message
    }

    /// Ends the turn: calls that run are cancelled, a question is withdrawn, an answer that arrives is kept as far as it
    /// got.
    pub fn cancel(&self) {
        self.0.cancel.cancel();
    }

    /// Holds the turn before its next request and its next call; what runs is not held up.
    pub fn pause(&self) {
        if !self.0.paused.send_replace(true) {
            self.on_the_clock(Clock::hold);
        }
    }

    pub fn resume(&self) {
        if self.0.paused.send_replace(false) {
            self.on_the_clock(Clock::let_go);
        }
    }

    pub fn is_paused(&self) -> bool {
        *self.0.paused.borrow()
    }

    /// How it ended, once it has.
    pub async fn ended(&self) -> TurnOutcome {
        let mut ended = self.0.ended.subscribe();
        match ended.wait_for(Option::is_some).await {
            Ok(outcome) => (*outcome).unwrap_or(TurnOutcome::Failed),
            Err(_) => TurnOutcome::Failed,
        }
    }

    pub(crate) fn set_ended(&self, outcome: TurnOutcome) {
        self.0.ended.send_replace(Some(outcome));
    }

    pub(crate) fn token(&self) -> &CancellationToken {
        &self.0.cancel
    }

    /// Waits while the turn is paused. `Err` if it was cancelled.
    pub(crate) async fn go_on(&self) -> Result<(), Cancelled> {
        let mut paused = self.0.paused.subscribe();
        tokio::select! {
            biased;
            () = self.0.cancel.cancelled() => Err(Cancelled),
            _ = paused.wait_for(|paused| !paused) => Ok(()),
        }
    }
}

impl TurnHandle {
    /// How long it has run: without the time in which it was paused, or waited for a person.
    pub(crate) fn has_run(&self) -> Duration {
        self.0.clock.lock().unwrap_or_else(PoisonError::into_inner).has_run()
    }

    /// Returns when the turn has run for so many seconds. Never, where there is no limit.
    pub(crate) async fn has_run_for(&self, seconds: Option<u64>) {
        let Some(limit) = seconds.map(Duration::from_secs) else { return std::future::pending().await };
        while let Some(left) = limit.checked_sub(self.has_run()).filter(|left| !left.is_zero()) {
            tokio::time::sleep(left.clamp(LOOKS_AT_LEAST_AFTER, LOOKS_EVERY)).await;
        }
    }

    fn on_the_clock(&self, change: impl FnOnce(&mut Clock)) {
        change(&mut self.0.clock.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Counts the time of a turn. It stands while something holds it.
struct Clock {
    counted: Duration,
    /// Since when it runs; `None` while it stands.
    since: Option<Instant>,
    /// How many questions to a person, and pauses, hold it.
    held_by: u32,
}

impl Clock {
    fn has_run(&self) -> Duration {
        self.counted + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn hold(&mut self) {
        self.held_by += 1;
        if let Some(since) = self.since.take() {
            self.counted += since.elapsed();
        }
    }

    fn let_go(&mut self) {
        self.held_by = self.held_by.saturating_sub(1);
        if self.held_by == 0 && self.since.is_none() {
            self.since = Some(Instant::now());
        }
    }
}

/// The events of a turn; the clock stands while a person is asked.
pub(crate) struct Clocked {
    pub events: Arc<dyn EventSink>,
    pub handle: TurnHandle,
}

impl EventSink for Clocked {
    fn emit(&self, body: EventBody) {
        match &body {
            EventBody::ApprovalWanted { .. } => self.handle.on_the_clock(Clock::hold),
            EventBody::ApprovalSettled { .. } => self.handle.on_the_clock(Clock::let_go),
            _ => {}
        }
        self.events.emit(body);
    }
}

/// The turn was cancelled.
#[derive(Debug)]
pub(crate) struct Cancelled;
