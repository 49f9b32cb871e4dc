//! What happens, as it happens. One stream; every surface renders it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    approval::{ApprovalRequest, Settled},
    cx::Progress,
    id::CallId,
    outcome::Outcome,
    plan::Plan,
    session::Usage,
    time::Time,
};

/// One event. `seq` grows by one within a session.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    pub seq: u64,
    pub at: Time,
    pub session_id: String,
    pub turn_id: Option<String>,
    #[serde(flatten)]
    pub body: EventBody,
}

/// What happened. Texts are masked.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum EventBody {
    TurnStarted {
        message: String,
        /// The user's message.
        message_id: i64,
        /// `PROVIDER/NAME`
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// The answer that is tried again; the message was said before it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_of: Option<i64>,
    },
    /// A piece of what the model thinks.
    Thought {
        text: String,
    },
    /// A piece of what the model says.
    Text {
        text: String,
    },
    /// The gate knows what a call would do.
    CallPlanned {
        call_id: CallId,
        tool: String,
        arguments: Value,
        plan: Box<Plan>,
        decision: String,
    },
    ApprovalWanted {
        request: Box<ApprovalRequest>,
    },
    ApprovalSettled {
        approval_id: String,
        call_id: CallId,
        settled: Settled,
    },
    /// Progress or live output of a call that runs.
    CallOutput {
        call_id: CallId,
        progress: Progress,
    },
    CallEnded {
        outcome: Box<Outcome>,
    },
    /// A process that a call left running in the background has ended.
    ProcessEnded {
        process_id: String,
        /// Masked and short.
        command: String,
        exit_code: Option<i32>,
        signal: Option<i32>,
        /// `exited`, `killed` or `timed_out`.
        status: String,
    },
    /// What one request to the model used.
    Usage(Usage),
    /// Older parts of the conversation were replaced by a summary.
    Compacted {
        /// How many messages it covers.
        messages: u64,
        tokens_before: u64,
        tokens_after: u64,
        /// The file with all that was covered.
        transcript: String,
    },
    /// Something worth knowing that is neither said by the model nor done by a tool.
    Notice {
        text: String,
    },
    /// The one last event of a turn.
    Done {
        outcome: TurnOutcome,
        reason: Option<String>,
        /// The answer broke off: what there is of it is kept.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        incomplete: bool,
    },
}

impl EventBody {
    /// Its `type` on every wire.
    pub fn name(&self) -> &'static str {
        match self {
            Self::TurnStarted { .. } => "turn_started",
            Self::Thought { .. } => "thought",
            Self::Text { .. } => "text",
            Self::CallPlanned { .. } => "call_planned",
            Self::ApprovalWanted { .. } => "approval_wanted",
            Self::ApprovalSettled { .. } => "approval_settled",
            Self::CallOutput { .. } => "call_output",
            Self::CallEnded { .. } => "call_ended",
            Self::ProcessEnded { .. } => "process_ended",
            Self::Usage(_) => "usage",
            Self::Compacted { .. } => "compacted",
            Self::Notice { .. } => "notice",
            Self::Done { .. } => "done",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TurnOutcome {
    Completed,
    Failed,
    Cancelled,
    /// A guard ended it.
    Stopped,
}

/// Where events go. Whoever keeps the session gives them their number and time.
pub trait EventSink: Send + Sync {
    fn emit(&self, body: EventBody);

    /// Whether anyone looks: what is costly to say is said only then.
    fn is_watched(&self) -> bool {
        true
    }
}

/// For callers that render nothing.
pub struct NoEvents;

impl EventSink for NoEvents {
    fn emit(&self, _: EventBody) {}

    fn is_watched(&self) -> bool {
        false
    }
}
