//! Explain: the plan and the decision for a call, without making it.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Gate, Request, SessionCx, approve_result, panicked, prepare::Prepared, record, record::Draft};
use crate::{
    error::ToolError,
    plan::{Access, Fingerprint, Plan, Runs, Touch},
    policy::{Mode, Verdict},
    registry::ToolEntry,
    spec::Permission,
};

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
    /// How a command reaches the workspace.
    pub runs: Option<Runs>,
    /// What becomes of a change that can be undone, in the workspace, of a command that runs on a layer.
    pub keep: Option<Keep>,
    pub plan: Option<Plan>,
}

/// What becomes of changes on a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    Allow,
    Ask,
    Discard,
}

impl Gate {
    /// The plan and the decision for a call, without making it.
    pub async fn explain(&self, request: Request, session: &SessionCx) -> Result<Explanation, ToolError> {
        let walked = AssertUnwindSafe(self.explain_steps(&request, session)).catch_unwind().await;
        let explained = walked.unwrap_or_else(|panic| Err(panicked(panic.as_ref())));
        explained.map_err(|error| record::masked_error(self, error))
    }

    async fn explain_steps(&self, request: &Request, session: &SessionCx) -> Result<Explanation, ToolError> {
        let mut draft = Draft::new(self, request, session);
        let (entry, arguments) = self.understand(request, &mut draft)?;
        let cx = self.cx(&draft, &entry, session, &request.cancel);
        let masked = self.shown(entry.spec().name, None, &arguments);
        let tool = entry.spec().name.to_owned();
        let Prepared { plan, decision } =
            match self.prepare(&entry, &arguments, &cx, session, &mut draft).await {
                Ok(prepared) => prepared,
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
                        runs: None,
                        keep: None,
                        plan: None,
                    });
                }
                Err(error) => return Err(error),
            };
        let (runs, keep) = (plan.runs, self.would_keep(&entry, &arguments, &plan, session)?);
        let mut plan = record::masked_plan(self, &plan);
        if decision.verdict.word() == "forbid" {
            // Nobody will be asked, so nobody needs to see what the call would have read for its preview.
            plan.preview = None;
        }
        Ok(Explanation {
            tool,
            decision: decision.verdict.word(),
            permission: decision.permission,
            question: (decision.verdict == Verdict::Ask).then(|| plan.summary.clone()),
            result_approval: approve_result::is_wanted(self, &entry, plan.result_approval, session),
            rule: decision.rule,
            why: decision.why,
            hint: decision.hint,
            mode: session.mode,
            arguments: masked,
            runs,
            keep,
            plan: Some(plan),
        })
    }

    /// What would become of an ordinary change, by the same decision that a real one gets.
    fn would_keep(
        &self,
        entry: &ToolEntry,
        arguments: &Value,
        plan: &Plan,
        session: &SessionCx,
    ) -> Result<Option<Keep>, ToolError> {
        if plan.runs != Some(Runs::Layer) {
            return Ok(None);
        }
        let touch = Touch {
            path: session.workspace.clone(),
            access: Access::Modify,
            recursive: true,
            permission: Permission::Moderate,
            rule: "effect:workspace-change".to_owned(),
            fingerprint: Fingerprint::Absent,
        };
        let mut change = Plan::new("").touching(touch, "");
        let decision = self.decide_keep(entry, arguments, &mut change, session)?;
        Ok(Some(match decision.verdict {
            Verdict::Allow => Keep::Allow,
            Verdict::Ask => Keep::Ask,
            Verdict::Block | Verdict::Reject | Verdict::NobodyToAsk => Keep::Discard,
        }))
    }
}
