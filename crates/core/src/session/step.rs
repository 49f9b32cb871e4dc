//! The steps of a turn: what `execution_steps` of an assistant message holds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    id::CallId,
    outcome::{Image, Outcome, Status},
    time::Time,
};

/// One thing that happened in a turn. `round` counts the requests to the model, from 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum Step {
    /// What the model thought.
    Thought {
        round: u32,
        text: String,
        /// What some providers want back together with the thought.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
    },
    /// What the model said before it called tools, or before it was asked to go on.
    Text {
        round: u32,
        text: String,
    },
    Call(Box<CallStep>),
    /// What Deskhand told the model in between, in the user's place.
    Nudge {
        round: u32,
        text: String,
    },
}

/// A call and, once it has ended, its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallStep {
    pub round: u32,
    pub call_id: CallId,
    /// The id by which the model knows it.
    pub model_call_id: String,
    /// The name as the model wrote it.
    pub tool: String,
    /// Masked. Where the model wrote no JSON, the text it wrote.
    pub arguments: Value,
    pub started_at: Time,
    /// `None` while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<CallEnd>,
}

/// How a call ended, as the model sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallEnd {
    pub status: Status,
    /// What the model reads.
    pub result: String,
    pub ended_at: Time,
    pub duration_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// Where text in the result comes from that nobody here vouches for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<String>,
    /// The handle of the whole output, where the result is less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_output: Option<String>,
    /// The call to hand to `undo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<CallId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// The files that it was about, so that a summary can name those that changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

impl CallEnd {
    /// The end of a call that went through the gate.
    pub fn of(outcome: &Outcome) -> Self {
        Self {
            status: outcome.status,
            result: match &outcome.edited {
                None => outcome.text.clone(),
                Some(arguments) => {
                    format!("[The user changed the arguments before it ran: {arguments}]\n{}", outcome.text)
                }
            },
            ended_at: Time::now(),
            duration_ms: outcome.duration_ms,
            error_code: outcome.error.as_ref().map(|error| error.code.clone()),
            outside: outcome.outside.clone(),
            full_output: outcome.full_output.clone(),
            undo: outcome.undo,
            decision: outcome.decision.clone(),
            images: outcome.images.clone(),
            paths: outcome.paths.iter().map(|path| path.display().to_string()).collect(),
        }
    }

    /// The end of a call that did not get there, or of which nobody knows how it ended.
    pub fn without_outcome(status: Status, error_code: &str, result: impl Into<String>) -> Self {
        Self {
            status,
            result: result.into(),
            ended_at: Time::now(),
            duration_ms: 0,
            error_code: Some(error_code.to_owned()),
            outside: None,
            full_output: None,
            undo: None,
            decision: None,
            images: Vec::new(),
            paths: Vec::new(),
        }
    }
}
