//! The one path. Every tool call, whoever makes it, goes through [`Gate::call`]; nothing else runs a tool.
//!
//! | step | file | status if the call ends there |
//! |---|---|---|
//! | find | `find.rs` | `not_found` |
//! | validate | `validate.rs` | `invalid_arguments` |
//! | plan | `plan.rs` | `blocked` |
//! | approve | `approve.rs` | `execution_rejected`, `expired`, `nobody_to_ask` |
//! | run | `run.rs` | `error`, `timed_out`, `cancelled` |
//! | keep | `keep.rs` | `execution_rejected`, `expired`, `nobody_to_ask` |
//! | screen | `screen.rs` | |
//! | approve result | `approve_result.rs` | `result_rejected` |
//! | record | `record.rs` | |

mod approve;
mod approve_result;
mod ask;
mod conceal;
mod explain;
mod find;
mod keep;
mod plan;
mod prepare;
mod record;
mod run;
mod screen;
mod session;
mod validate;
mod withhold;

use std::{collections::HashMap, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{
    approval::ApprovalQueue,
    audit::AuditLog,
    error::ToolError,
    event::EventBody,
    grant::GrantBook,
    id::CallId,
    outcome::Outcome,
    output::{self, OutputKeeper},
    plan::Plan,
    policy::Policy,
    registry::Registry,
    screener::Screener,
};

pub use self::{
    explain::{Explanation, Keep},
    session::{Caller, SessionCx},
};
use self::{
    prepare::Prepared,
    record::{Draft, OpenCall},
};

/// How often a plan that no longer holds is made and asked anew before the gate gives up.
const MOST_REPLANS: usize = 5;

/// The gate, and what it stands on. A clone is the same gate.
#[derive(Clone)]
pub struct Gate {
    pub registry: Arc<Registry>,
    pub policy: Arc<dyn Policy>,
    pub screener: Arc<dyn Screener>,
    pub audit: Arc<dyn AuditLog>,
    pub approvals: Arc<dyn ApprovalQueue>,
    pub grants: Arc<dyn GrantBook>,
    pub outputs: Arc<dyn OutputKeeper>,
    pub settings: GateSettings,
}

/// What can be configured about the gate.
#[derive(Clone, Debug)]
pub struct GateSettings {
    /// How long a question waits for its answer.
    pub approval_timeout: Duration,
    /// How much text a caller gets of one call; the rest is kept under a handle.
    pub max_output_chars: usize,
    /// By canonical name.
    pub tools: HashMap<String, ToolSettings>,
}

impl Default for GateSettings {
    fn default() -> Self {
        Self { approval_timeout: Duration::from_mins(5), max_output_chars: 30_000, tools: HashMap::new() }
    }
}

/// What a person configured for one tool. `None`: as the tool itself says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolSettings {
    pub requires_execution_approval: Option<bool>,
    pub requires_result_approval: Option<bool>,
}

/// One call, as it is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The id that the call is to have, where its caller wrote one down beforehand.
    pub id: Option<CallId>,
    pub tool: String,
    pub arguments: Value,
    /// Whose words name and arguments are in; `None`: ours, or any that is unique.
    pub dialect: Option<String>,
    pub cancel: CancellationToken,
}

impl Request {
    pub fn new(tool: impl Into<String>, arguments: Value) -> Self {
        Self { id: None, tool: tool.into(), arguments, dialect: None, cancel: CancellationToken::new() }
    }

    #[must_use]
    pub fn in_dialect(mut self, dialect: Option<String>) -> Self {
        self.dialect = dialect;
        self
    }
}

impl Gate {
    /// Runs one call along the one path. Always returns an outcome: a bug in a tool is one failed call.
    pub async fn call(&self, request: Request, session: &SessionCx) -> Outcome {
        // A tool that breaks down is caught further in, and recorded. This is for the gate's own parts.
        let called = AssertUnwindSafe(self.recorded_call(request, session)).catch_unwind().await;
        called.unwrap_or_else(|_| record::broken_down())
    }

    async fn recorded_call(&self, request: Request, session: &SessionCx) -> Outcome {
        let mut call = match OpenCall::arrive(self, &request, session) {
            Ok(call) => call,
            Err(outcome) => return *outcome,
        };
        let walked = AssertUnwindSafe(self.walk(request, session, &mut call.draft)).catch_unwind().await;
        let walked = walked.unwrap_or_else(|panic| Err(panicked(panic.as_ref())));
        if walked.is_err() {
            call.draft.failed(session);
        }
        let outcome = call.end(walked);
        if session.events.is_watched() {
            session.events.emit(EventBody::CallEnded { outcome: Box::new(outcome.clone()) });
        }
        outcome
    }

    /// The steps between the two records.
    async fn walk(
        &self,
        request: Request,
        session: &SessionCx,
        draft: &mut Draft,
    ) -> Result<screen::Screened, ToolError> {
        let (entry, mut arguments) = self.understand(&request, draft)?;
        let cx = self.cx(draft, &entry, session, &request.cancel);

        let mut replans = 0;
        while replans < MOST_REPLANS {
            let Prepared { plan, decision } = self.prepare(&entry, &arguments, &cx, session, draft).await?;
            record::planned(self, draft, &arguments, &plan, &decision, session);
            if plan.effects.change_state() && decision.verdict == crate::Verdict::Ask {
                // The disk takes its time while the person takes theirs.
                self.audit.hasten();
            }

            let question = approve::Question { entry: &entry, arguments: &arguments, plan: &plan };
            match approve::approve(self, &question, &decision, session, draft, &request.cancel).await? {
                approve::Approved::AsPlanned => {}
                approve::Approved::AfterWaiting => {
                    if !plan.still_holds(&self.plan(&entry, &arguments, &cx).await?) {
                        replans += 1;
                        continue;
                    }
                }
                approve::Approved::Edited(mut edited) => {
                    validate::validate(&entry, &mut edited)?;
                    draft.edited(self, &edited);
                    arguments = edited;
                    continue;
                }
            }
            let source = self.outside_source(&plan);
            // Anew: only now it is known what the plan wants kept back.
            let cx = self.cx(draft, &entry, session, &request.cancel);
            let plan = Arc::new(plan);
            let running = run::run(self, &entry, &arguments, Arc::clone(&plan), &cx, draft);
            let (mut reply, mut failed) = match running.await {
                Ok(reply) => (reply, None),
                Err(error) if error.code == ToolError::PLAN_CHANGED => {
                    replans += 1;
                    continue;
                }
                Err(mut error) => {
                    // What a call had produced when it failed is a result, too.
                    let Some(partial) = error.partial.take() else {
                        // What went wrong may be told in words of what was read.
                        if let Some(source) = &source {
                            session.outside.mark(source);
                            draft.outside = Some(source.clone());
                        }
                        return Err(error);
                    };
                    (*partial, Some(error))
                }
            };
            let changes = keep::Question { entry: &entry, arguments: &arguments };
            if let Err(mut error) =
                keep::keep(self, &changes, &cx, &mut reply, session, draft, &request.cancel).await
            {
                reply = error.partial.take().map(|partial| *partial).unwrap_or_default();
                failed = Some(error);
            }
            draft.output_sha256 = Some(screen::hash(&reply));
            let screened = screen::mask(self, reply);
            let result = approve_result::Question { entry: &entry, arguments: &arguments };
            let (passed, shown) =
                approve_result::approve(self, &result, screened, session, draft, &request.cancel).await?;
            if failed.is_none() && shown == approve_result::Shown::Whole {
                run::afterwards(&entry, plan, &cx, draft).await?;
            }
            if let Some(source) = source {
                session.outside.mark(&source);
                for kept in self.kept_by(draft.call_id, &passed) {
                    self.outputs.mark_outside(kept, &source)?;
                }
                draft.outside = Some(source);
            }
            return match failed {
                None => screen::cut(self, draft, passed),
                Some(error) => Err(error.partial(passed.into())),
            };
        }
        Err(ToolError::new(
            "plan_keeps_changing",
            format!("What {} would touch kept changing while it was planned and asked.", entry.spec().name),
        )
        .hint("Something else is changing these files. Try again when it has finished."))
    }

    /// What a call has kept by itself, and tells of. The text may name any number of others.
    fn kept_by(&self, call: CallId, result: &screen::Screened) -> Vec<CallId> {
        const MOST_LOOKED_AT: usize = 1_000;
        let told = format!("{} {}", &*result.text, result.data);
        let made_by_it = |id: &CallId| id.made_at() >= call.made_at();
        let told_of = output::handles_in(&told).filter(made_by_it).take(MOST_LOOKED_AT);
        told_of.filter(|id| self.outputs.path(*id).is_some()).collect()
    }

    /// Where text in the result comes from: a kept output has the source of the call that it is of.
    fn outside_source(&self, plan: &Plan) -> Option<String> {
        let kept = || plan.touches.iter().find_map(|touch| self.outputs.source_of(&touch.path));
        crate::outside::source(plan).or_else(kept)
    }
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> ToolError {
    let what = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    ToolError::new("tool_panicked", format!("The tool broke down: {what}."))
        .hint("This is a bug in the tool; other calls are not affected.")
}
