//! The one path. Every tool call, whoever makes it, goes through [`Gate::call`]; nothing else runs a tool.
//!
//! | step | file | status if the call ends there |
//! |---|---|---|
//! | find | `find.rs` | `not_found` |
//! | validate | `validate.rs` | `invalid_arguments` |
//! | plan | `plan.rs` | `blocked` |
//! | approve | `approve.rs` | `execution_rejected`, `expired`, `nobody_to_ask` |
//! | run | `run.rs` | `error`, `timed_out`, `cancelled` |
//! | screen | `screen.rs` | |
//! | approve result | `approve_result.rs` | `result_rejected` |
//! | record | `record.rs` | |

mod approve;
mod approve_result;
mod ask;
mod conceal;
mod find;
mod plan;
mod record;
mod run;
mod screen;
mod validate;
mod withhold;

use std::{collections::HashMap, panic::AssertUnwindSafe, path::PathBuf, sync::Arc, time::Duration};

use futures_util::FutureExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{
    approval::{ApprovalQueue, Approver},
    audit::AuditLog,
    cx::{Cx, CxParts, Services},
    error::ToolError,
    event::{EventBody, EventSink},
    grant::GrantBook,
    id::CallId,
    outcome::Outcome,
    output::{self, OutputKeeper},
    outside::Outside,
    plan::Plan,
    policy::{Decision, Desktop, Mode, Policy},
    registry::{Registry, ToolEntry},
    screener::Screener,
    spec::Permission,
};

use self::record::{Draft, OpenCall};

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

/// Who makes a call: `cli`, `console`, `model:NAME`, `mcp:CLIENT`, …
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller(pub String);

/// The session a call belongs to: where it works and whom it can ask.
#[derive(Clone)]
pub struct SessionCx {
    pub id: String,
    /// For whom calls are made, and whose remembered answers count. `None`: the owner of this installation.
    pub owner: Option<String>,
    /// Whether they sit at the desktop that calls would act on.
    pub desktop: Desktop,
    pub caller: Caller,
    pub workspace: PathBuf,
    pub mode: Mode,
    pub services: Services,
    /// The surfaces that this process has. Others answer through the queue.
    pub approvers: Vec<Arc<dyn Approver>>,
    /// Whether to wait for other processes to answer when no surface here can.
    pub wait_for_others: bool,
    pub events: Arc<dyn EventSink>,
    /// What of the session's text comes from outside.
    pub outside: Arc<Outside>,
    /// Whether a person sees every result before the caller does.
    pub check_results: bool,
}

/// A service of sessions that read, of kept outputs, only those of their own calls.
pub struct OwnCallsOnly;

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

/// What a call would do and what would be decided about it. Made without doing it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Explanation {
    pub tool: String,
    /// `allow`, `ask` or `forbid`.
    pub decision: &'static str,
    pub permission: Permission,
    pub rule: String,
    pub why: String,
    pub hint: Option<String>,
    pub mode: Mode,
    pub arguments: Value,
    /// What the person would be asked, where one would be.
    pub question: Option<String>,
    pub result_approval: bool,
    pub plan: Option<Plan>,
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
        let (entry, mut arguments) = find::find(&self.registry, &request)?;
        draft.found(&entry);
        validate::validate(&entry, &mut arguments)?;
        let cx = self.cx(draft, &entry, session, &request.cancel);

        let mut replans = 0;
        while replans < MOST_REPLANS {
            let mut plan = self.plan(&entry, &arguments, &cx).await?;
            self.outputs_are_their_own(&plan, session)?;
            draft.planned(&plan);
            let decision = self.decide(&entry, &arguments, &plan, session)?;
            draft.decided(&decision);
            self.offer_shapes(&entry, &mut plan, &arguments, &decision);
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
            let (reply, failed) = match running.await {
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

    /// The plan of a call. Where a person is to be asked about this tool whatever it does, a plan that fails says
    /// only that it does: its words could tell what the person would have kept.
    async fn plan(&self, entry: &ToolEntry, arguments: &Value, cx: &Cx) -> Result<Plan, ToolError> {
        // A tool that asks by itself knows what its plans tell.
        let settings = self.settings.tools.get(entry.spec().name).copied().unwrap_or_default();
        let asked_anyway =
            [settings.requires_execution_approval, settings.requires_result_approval].contains(&Some(true));
        plan::plan(entry, arguments, cx).await.map_err(|error| {
            if asked_anyway && error.status == crate::Status::Error {
                let message = format!("{} cannot do this ({}).", entry.spec().name, error.code);
                ToolError::new(error.code, message).hint("Its settings keep the details back.")
            } else {
                error
            }
        })
    }

    /// What a call has kept by itself, and tells of. The text may name any number of others.
    fn kept_by(&self, call: CallId, result: &screen::Screened) -> Vec<CallId> {
        const MOST_LOOKED_AT: usize = 1_000;
        let told = format!("{} {}", &*result.text, result.data);
        let made_by_it = |id: &CallId| id.made_at() >= call.made_at();
        let told_of = output::handles_in(&told).filter(made_by_it).take(MOST_LOOKED_AT);
        told_of.filter(|id| self.outputs.path(*id).is_some()).collect()
    }

    /// A kept output is read for whom its call was made; to others there is none. What belongs to no call that is on
    /// record is the installation's own.
    fn outputs_are_their_own(&self, plan: &Plan, session: &SessionCx) -> Result<(), ToolError> {
        for call in plan.touches.iter().filter_map(|touch| self.outputs.call_of(&touch.path)) {
            let record = self.audit.last_record(call)?;
            let is_of_another = session.services.get::<OwnCallsOnly>().is_some()
                && record.as_ref().is_some_and(|record| record.session_id != session.id);
            if is_of_another || record.and_then(|record| record.owner) != session.owner {
                return Err(ToolError::new("no_such_file", format!("There is no kept output out:{call}.")));
            }
        }
        Ok(())
    }

    /// Where text in the result comes from: a kept output has the source of the call that it is of.
    fn outside_source(&self, plan: &Plan) -> Option<String> {
        let kept = || plan.touches.iter().find_map(|touch| self.outputs.source_of(&touch.path));
        crate::outside::source(plan).or_else(kept)
    }

    /// These very arguments are the narrowest shape that an answer can be remembered for, the tool the widest.
    /// The tool is not offered where programs run or hosts are reached: one yes to one of them is not a yes to all.
    fn offer_shapes(&self, entry: &ToolEntry, plan: &mut Plan, arguments: &Value, decision: &Decision) {
        if decision.wants_host_named {
            plan.shapes.retain(|shape| matches!(shape, crate::Shape::Host { .. }));
        } else if decision.verdict == crate::Verdict::Ask {
            // A hash of what may be a password is not kept.
            if !conceal::conceals_some(entry, arguments) {
                let shown = record::shown_arguments(self, arguments);
                plan.shapes.insert(0, crate::Shape::exact(arguments, plan, shown));
            }
            if plan.programs.is_empty() && plan.hosts.is_empty() && plan.cwd.is_none() {
                plan.shapes.push(crate::Shape::AnyArguments);
            }
        }
    }

    /// The plan and the decision for a call, without making it.
    pub async fn explain(&self, request: Request, session: &SessionCx) -> Result<Explanation, ToolError> {
        let walked = AssertUnwindSafe(self.explain_steps(&request, session)).catch_unwind().await;
        let explained = walked.unwrap_or_else(|panic| Err(panicked(panic.as_ref())));
        explained.map_err(|error| record::masked_error(self, error))
    }

    async fn explain_steps(&self, request: &Request, session: &SessionCx) -> Result<Explanation, ToolError> {
        let (entry, mut arguments) = find::find(&self.registry, request)?;
        validate::validate(&entry, &mut arguments)?;
        let mut draft = Draft::new(self, request, session);
        draft.found(&entry);
        let cx = self.cx(&draft, &entry, session, &request.cancel);
        let masked = self.shown(entry.spec().name, None, &arguments);
        let tool = entry.spec().name.to_owned();
        let mut plan = match self.plan(&entry, &arguments, &cx).await {
            Ok(plan) => plan,
            Err(error) if error.status == crate::Status::Blocked => {
                let error = record::masked_error(self, error);
                return Ok(Explanation {
                    tool,
                    decision: "forbid",
                    permission: Permission::Forbidden,
                    rule: error.code.to_owned(),
                    why: error.message,
                    hint: error.hint,
                    mode: session.mode,
                    arguments: masked,
                    question: None,
                    result_approval: false,
                    plan: None,
                });
            }
            Err(error) => return Err(error),
        };
        self.outputs_are_their_own(&plan, session)?;
        let decision = self.decide(&entry, &arguments, &plan, session)?;
        self.offer_shapes(&entry, &mut plan, &arguments, &decision);
        let mut plan = record::masked_plan(self, &plan);
        if decision.verdict.word() == "forbid" {
            // Nobody will be asked, so nobody needs to see what the call would have read for its preview.
            plan.preview = None;
        }
        Ok(Explanation {
            tool,
            decision: decision.verdict.word(),
            permission: decision.permission,
            question: (decision.verdict == crate::Verdict::Ask).then(|| plan.summary.clone()),
            result_approval: approve_result::is_wanted(self, &entry, plan.result_approval, session),
            rule: decision.rule,
            why: decision.why,
            hint: decision.hint,
            mode: session.mode,
            arguments: masked,
            plan: Some(plan),
        })
    }

    fn decide(
        &self,
        entry: &ToolEntry,
        arguments: &Value,
        plan: &Plan,
        session: &SessionCx,
    ) -> Result<Decision, ToolError> {
        let question = crate::policy::Question {
            tool: entry.spec().name,
            arguments,
            plan,
            mode: session.mode,
            session_id: &session.id,
            owner: session.owner.as_deref(),
            desktop: &session.desktop,
            workspace: &session.workspace,
            settings: self.tool_settings(entry),
            outside: &session.outside,
        };
        Ok(self.policy.decide(&question)?)
    }

    /// What is configured for a tool, over what it says itself.
    fn tool_settings(&self, entry: &ToolEntry) -> ToolSettings {
        let configured = self.settings.tools.get(entry.spec().name).copied().unwrap_or_default();
        ToolSettings {
            requires_execution_approval: configured
                .requires_execution_approval
                .or(entry.spec().requires_execution_approval.then_some(true)),
            requires_result_approval: configured
                .requires_result_approval
                .or(entry.spec().requires_result_approval.then_some(true)),
        }
    }

    fn cx(&self, draft: &Draft, entry: &ToolEntry, session: &SessionCx, cancel: &CancellationToken) -> Cx {
        let mut events = Arc::clone(&session.events);
        if approve_result::is_wanted(self, entry, draft.plan_wants_result_approval, session) {
            events = Arc::new(withhold::Withheld(events));
        }
        Cx::new(CxParts {
            call: draft.call_id,
            tool: entry.spec().name.to_owned(),
            session_id: session.id.clone(),
            owner: session.owner.clone(),
            services: session.services.clone(),
            cancel: cancel.clone(),
            events,
            screener: Arc::clone(&self.screener),
        })
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
