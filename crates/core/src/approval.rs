//! Asking a person: the request, the answers, the surfaces, the queue.

use std::{path::PathBuf, time::Duration};

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{error::StoreResult, grant::Shape, id::CallId, outcome::Image, plan::Plan, time::Time};

/// What a person is asked. Everything in it is masked: it is stored, and seen by other processes. Of a result that is asked
/// about, and of a private preview, nothing is kept once the question is settled.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalRequest {
    pub id: String,
    pub call_id: CallId,
    pub session_id: String,
    /// On whose behalf the call is made, and who may answer; `None`: the owner of this installation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Who makes the call: `chat`, `mcp:NAME`, …
    #[serde(default)]
    pub caller: String,
    #[serde(with = "crate::path_json")]
    #[schemars(with = "String")]
    pub workspace: PathBuf,
    pub tool: String,
    pub arguments: Value,
    pub wanted_at: Time,
    pub expires_at: Time,
    pub subject: Subject,
    /// Whether a yes may be remembered (never for a sensitive call).
    pub may_remember: bool,
}

/// What the question is about.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "about")]
pub enum Subject {
    /// May this run?
    Execution { plan: Box<Plan> },
    /// May the caller see this?
    Result {
        text: String,
        data: Value,
        /// The pictures that go with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
    },
}

/// How long an answer is kept, and for what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Remember {
    pub scope: RememberScope,
    pub shape: Shape,
    pub until: Option<Time>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RememberScope {
    Session,
    Workspace,
    Always,
}

/// The answer to «may this run?».
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "answer")]
pub enum Answer {
    Yes {
        remember: Option<Remember>,
    },
    No {
        reason: Option<String>,
        remember: Option<Remember>,
    },
    /// Not so, but so: planned anew, and asked anew.
    Edit {
        arguments: Value,
    },
}

/// The answer to «may the caller see this?».
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "answer")]
pub enum ResultAnswer {
    Pass,
    /// The caller sees this text instead; the data is dropped, since it would tell what the text hides.
    Edit {
        text: String,
    },
    Withhold {
        reason: Option<String>,
    },
}

/// An answer of either kind, as the queue keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "to")]
pub enum AnyAnswer {
    Execution(Answer),
    Result(ResultAnswer),
}

/// How a question ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "settled")]
pub enum Settled {
    Answered {
        answer: AnyAnswer,
        by: String,
    },
    Expired,
    /// The call was cancelled, or its process went away.
    Withdrawn,
}

/// A surface where a person can be asked: the terminal, the web page, an MCP client, …
///
/// `ask` shows the question and waits. `None` means that this surface cannot answer (any more); the others
/// are still waited for. The future is dropped when the question is settled elsewhere: a surface takes its
/// prompt away then.
pub trait Approver: Send + Sync {
    /// `person:terminal`, `flag:--yes`, …: stands in the audit as who decided.
    fn name(&self) -> &str;
    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Option<AnyAnswer>>;
}

/// The one queue of pending questions, shared by every process on one data folder. The first answer wins.
pub trait ApprovalQueue: Send + Sync {
    fn post(&self, request: &ApprovalRequest) -> StoreResult<()>;
    /// Settles the question, unless it is settled already. Returns how it stands now, and whether it was
    /// this answer that settled it.
    fn settle(&self, id: &str, settled: &Settled) -> StoreResult<SettleResult>;
    /// Waits until the question is settled by whoever, or `limit` has passed (then it is `None`), or
    /// `cancel` fires (`None` as well).
    fn wait<'a>(
        &'a self,
        id: &'a str,
        limit: Duration,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, StoreResult<Option<Settled>>>;
    /// The open questions, oldest first. Those whose time has passed, or whose process is gone, are not
    /// among them.
    fn pending(&self) -> StoreResult<Vec<ApprovalRequest>>;
    fn get(&self, id: &str) -> StoreResult<Option<(ApprovalRequest, Option<Settled>)>>;
}

/// See [`ApprovalQueue::settle`].
#[derive(Clone, Debug, PartialEq)]
pub enum SettleResult {
    /// This answer settled it.
    First,
    /// It had been settled before, like so.
    Already(Settled),
    Unknown,
}
