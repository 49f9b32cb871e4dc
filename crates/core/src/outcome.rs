//! How a call ended.

use std::{fmt, path::PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{changed::ChangedEntry, id::CallId, spec::Permission};

/// Where on the one path a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Success,
    /// No tool of that name, or none that can work here.
    NotFound,
    InvalidArguments,
    /// Forbidden whatever anyone says, or by the mode in force.
    Blocked,
    /// A person, or an answer they gave earlier, said no.
    ExecutionRejected,
    /// Nobody answered in time.
    Expired,
    NobodyToAsk,
    Error,
    TimedOut,
    Cancelled,
    /// It ran; a person kept its result from the caller.
    ResultRejected,
}

impl Status {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::NotFound => "not_found",
            Self::InvalidArguments => "invalid_arguments",
            Self::Blocked => "blocked",
            Self::ExecutionRejected => "execution_rejected",
            Self::Expired => "expired",
            Self::NobodyToAsk => "nobody_to_ask",
            Self::Error => "error",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
            Self::ResultRejected => "result_rejected",
        }
    }

    /// The exit code of a program that made this one call.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Error => 1,
            Self::NotFound | Self::InvalidArguments => 2,
            Self::Blocked
            | Self::ExecutionRejected
            | Self::Expired
            | Self::NobodyToAsk
            | Self::ResultRejected => 3,
            Self::TimedOut | Self::Cancelled => 4,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What went wrong, for programs and for people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorBody {
    pub code: String,
    pub message: String,
    pub hint: Option<String>,
}

/// A picture in a reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Image {
    /// `image/png`, `image/jpeg`, …
    pub mime: String,
    pub base64: String,
}

/// The end of every call, whatever happened. This is what `deskhand call --json` prints.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    pub call_id: CallId,
    /// The canonical name, where one was found; else the name as it was asked for.
    pub tool: String,
    pub status: Status,
    /// For the model, and for a person to read.
    pub text: String,
    /// For programs.
    pub data: Value,
    pub error: Option<ErrorBody>,
    /// Whether `text` or `data` is less than the tool produced.
    pub truncated: bool,
    /// The handle (`out:CALL_ID`) under which `read_file` reads the whole output.
    pub full_output: Option<String>,
    /// The call to hand to `undo`, where this one changed something that can be taken back.
    pub undo: Option<CallId>,
    /// What a command changed on its layer.
    #[serde(default)]
    pub changes: Vec<ChangedEntry>,
    /// How many further changed entries `changes` leaves out.
    #[serde(default)]
    pub more_changes: u64,
    /// Whether those changes were kept or discarded; `None` where there were none.
    #[serde(default)]
    pub kept: Option<bool>,
    pub duration_ms: u64,
    /// What the plan settled on.
    pub permission: Option<Permission>,
    /// `allow`, `ask` or `forbid`.
    pub decision: Option<String>,
    /// The rule that decided.
    pub rule: Option<String>,
    /// Who said yes or no: `policy`, `grant:ID`, `person:terminal`, `flag:--yes`, …
    pub decided_by: Option<String>,
    /// The arguments with which it ran, masked, where a person changed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Value>,
    /// Where text in it comes from that nobody here vouches for: a host, a file outside the roots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// What was read, written or removed, as far as the plan named it.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "crate::path_json::list")]
    #[schemars(with = "Vec<String>")]
    pub paths: Vec<PathBuf>,
}

impl Outcome {
    /// The outcome of a call that never got to the gate: its caller ended it.
    pub fn without_gate(call_id: CallId, tool: &str, status: Status, code: &str, text: &str) -> Self {
        Self {
            call_id,
            tool: tool.to_owned(),
            status,
            text: text.to_owned(),
            data: Value::Null,
            error: Some(ErrorBody { code: code.to_owned(), message: text.to_owned(), hint: None }),
            truncated: false,
            full_output: None,
            undo: None,
            changes: Vec::new(),
            more_changes: 0,
            kept: None,
            duration_ms: 0,
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

    pub fn is_success(&self) -> bool {
        self.status == Status::Success
    }
}
