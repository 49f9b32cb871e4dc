//! After a crash: turns that nobody runs any more are closed, and what became of their calls is said as far as it is known.
//!
//! Nothing is run again. A call that was under way is looked up: in the events, which have its whole outcome; then in the
//! audit, which says whether it ever arrived at the gate and how it ended.

use std::collections::HashMap;

use deskhand_core::{
    AuditLog, CallId, EventBody, Phase, Plan, Status,
    event::TurnOutcome,
    outside,
    session::{CallEnd, CallStep, SessionError, SessionStore, Step, TurnEnd, TurnSteps},
};

use crate::{AgentError, hub::EventHub};

/// Why a turn that was cut off ended.
pub const INTERRUPTED: &str = "interrupted: Deskhand was ended in the middle of this turn";

/// How many events are looked through at a time.
const AT_ONCE: usize = 500;

/// Closes every turn whose process is gone. Returns how many there were.
pub fn close_broken_turns(
    store: &dyn SessionStore,
    audit: &dyn AuditLog,
    hub: &EventHub,
) -> Result<usize, AgentError> {
    let mut closed = 0;
    for turn in &store.broken_turns()? {
        match close_turn(store, audit, hub, turn) {
            Ok(()) => closed += 1,
            // One that cannot be closed, or that another process has just closed, does not concern the others.
            Err(error) => tracing::warn!(%error, turn = turn.turn.id, "a broken turn could not be closed"),
        }
    }
    Ok(closed)
}

/// Closes one turn that nobody runs any more.
pub fn close_turn(
    store: &dyn SessionStore,
    audit: &dyn AuditLog,
    hub: &EventHub,
    broken: &TurnSteps,
) -> Result<(), AgentError> {
    let mut told = Told::read(store, broken)?;
    for step in &broken.steps {
        match step {
            Step::Call(call) if call.end.is_none() => {
                let end = if let Some(end) = told.ends.remove(&call.call_id) {
                    end
                } else {
                    // Nobody knows where its text comes from if its plan was not stored.
                    let unknown = || Some("a call that was cut off".to_owned());
                    let outside = told.planned.remove(&call.call_id).unwrap_or_else(unknown);
                    recorded_end(audit, call.call_id, outside)?
                };
                store.end_call(&broken.turn.id, &CallStep { end: Some(end), ..call.as_ref().clone() })?;
            }
            // What was said before calls is among the steps already.
            Step::Text { text, .. } if *text == told.unfinished => told.unfinished.clear(),
            _ => {}
        }
    }
    let end = TurnEnd {
        outcome: TurnOutcome::Failed,
        reason: Some(INTERRUPTED.to_owned()),
        incomplete: !told.unfinished.trim().is_empty(),
        content: told.unfinished,
        usage: None,
        metadata: serde_json::Map::new(),
    };
    // Another process may have closed it meanwhile.
    if let Some(done) = store.end_turn(&broken.turn.id, &end)? {
        hub.show_stored(done);
    }
    Ok(())
}

/// What the events of a turn tell beyond its steps.
#[derive(Default)]
struct Told {
    ends: HashMap<CallId, CallEnd>,
    /// Where the text of a call's result comes from, by its plan.
    planned: HashMap<CallId, Option<String>>,
    /// What the model had said since the last call: somebody may have read it.
    unfinished: String,
}

impl Told {
    fn read(store: &dyn SessionStore, broken: &TurnSteps) -> Result<Self, AgentError> {
        let mut told = Self::default();
        let mut after = 0;
        loop {
            let events = store.events(&broken.turn.session_id, after, AT_ONCE)?;
            let Some(last) = events.last() else { return Ok(told) };
            after = last.seq;
            for event in events {
                if event.turn_id.as_deref() == Some(&broken.turn.id) {
                    told.take(event.body);
                }
            }
        }
    }

    fn take(&mut self, body: EventBody) {
        match body {
            EventBody::Text { text } => self.unfinished.push_str(&text),
            EventBody::CallPlanned { call_id, plan, .. } => {
                self.unfinished.clear();
                self.planned.insert(call_id, source_of(&plan));
            }
            EventBody::CallEnded { outcome } => {
                self.unfinished.clear();
                self.ends.insert(outcome.call_id, CallEnd::of(&outcome));
            }
            _ => {}
        }
    }
}

/// What a kept output holds is not known any more.
fn source_of(plan: &Plan) -> Option<String> {
    let is_kept = plan.touches.iter().any(|touch| touch.rule == "path:session-files");
    outside::source(plan).or_else(|| is_kept.then(|| "a kept output".to_owned()))
}

/// What the audit says of a call that the events do not tell the end of.
fn recorded_end(audit: &dyn AuditLog, call: CallId, outside: Option<String>) -> Result<CallEnd, AgentError> {
    let record = audit.last_record(call).map_err(SessionError::from)?;
    Ok(match record {
        None => CallEnd::without_outcome(
            Status::Cancelled,
            "never_started",
            "Deskhand was ended before this call began. Nothing was done.",
        ),
        Some(record) if record.phase == Phase::End => {
            let status = serde_json::from_value(record.status.into()).unwrap_or(Status::Error);
            let result = record.result.as_deref().unwrap_or("nothing");
            let text = format!(
                "The call ended ({status}) just before Deskhand did. What was recorded of its result: {result}"
            );
            CallEnd {
                duration_ms: record.duration_ms.unwrap_or_default(),
                outside,
                ..CallEnd::without_outcome(status, "interrupted", text)
            }
        }
        Some(_) => CallEnd::without_outcome(
            Status::Error,
            "interrupted",
            "Deskhand was ended while this call was under way. It may have had its effect, in whole or in part, or none. \
             Look before you do it again.",
        ),
    })
}
