//! Whole streams of real events, as they are shown; and turns followed with a person at the keyboard.

mod following;
mod rendering;

use deskhand_core::{
    ApprovalRequest, CallId, ErrorBody, Event, EventBody, Outcome, Permission, Plan, Progress, Status, Time,
    approval::Subject, event::TurnOutcome,
};
use serde_json::{Value, json};

/// Events of one session, numbered, one second apart from each other where nothing else is said.
pub struct Stream {
    at: Time,
    pub events: Vec<Event>,
}

impl Stream {
    pub fn new() -> Self {
        Self { at: "2026-05-01T10:00:00Z".parse().unwrap(), events: Vec::new() }
    }

    pub fn add(mut self, body: EventBody) -> Self {
        self.at = self.at.plus(std::time::Duration::from_secs(1));
        self.events.push(event(u64::try_from(self.events.len()).unwrap() + 1, self.at, body));
        self
    }

    pub fn text(self, text: &str) -> Self {
        self.add(EventBody::Text { text: text.into() })
    }

    pub fn thought(self, text: &str) -> Self {
        self.add(EventBody::Thought { text: text.into() })
    }

    pub fn planned(self, n: u32, tool: &str, summary: &str, decision: &str) -> Self {
        let plan =
            Box::new(Plan::new(summary).at_least(Permission::Moderate, "test", "It is forbidden here."));
        self.add(EventBody::CallPlanned {
            call_id: call(n),
            tool: tool.into(),
            arguments: json!({}),
            plan,
            decision: decision.into(),
        })
    }

    pub fn progress(self, n: u32, text: &str) -> Self {
        let progress = Progress { text: text.into(), done: Some(1), total: Some(4), outside: None };
        self.add(EventBody::CallOutput { call_id: call(n), progress })
    }

    pub fn ended(self, outcome: Outcome) -> Self {
        self.add(EventBody::CallEnded { outcome: Box::new(outcome) })
    }

    pub fn done(self, outcome: TurnOutcome, reason: Option<&str>) -> Self {
        self.add(EventBody::Done { outcome, reason: reason.map(str::to_owned), incomplete: false })
    }
}

pub fn event(seq: u64, at: Time, body: EventBody) -> Event {
    Event { seq, at, session_id: "session-1".into(), turn_id: Some("turn-1".into()), body }
}

/// The same id for the same number.
pub fn call(n: u32) -> CallId {
    CallId::parse(&format!("01970000-0000-7000-8000-0000{n:08}")).unwrap()
}

pub fn outcome(n: u32, tool: &str, status: Status, text: &str) -> Outcome {
    let failed = status != Status::Success;
    let error = failed.then(|| ErrorBody {
        code: "exit_nonzero".into(),
        message: text.into(),
        hint: Some("Try again.".into()),
    });
    Outcome {
        call_id: call(n),
        tool: tool.into(),
        status,
        text: text.into(),
        data: Value::Null,
        error,
        truncated: false,
        full_output: None,
        undo: None,
        more_changes: 0,
        changes: Vec::new(),
        kept: None,
        duration_ms: 1_234,
        permission: None,
        decision: None,
        rule: None,
        decided_by: None,
        edited: None,
        outside: None,
        images: Vec::new(),
        paths: Vec::new(),
    }
}

pub fn question(id: &str, n: u32) -> ApprovalRequest {
    ApprovalRequest {
        id: id.into(),
        call_id: call(n),
        session_id: "session-1".into(),
        owner: None,
        caller: "cli".into(),
        workspace: "/w".into(),
        tool: "edit_file".into(),
        arguments: json!({}),
        wanted_at: Time::now(),
        expires_at: Time::now(),
        subject: Subject::Execution { plan: Box::new(Plan::new("Change a file")) },
        may_remember: true,
    }
}
