//! Explain: the plan and the decision for a call, without making it.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Gate, Request, SessionCx, approve_result, panicked, prepare::Prepared, record, record::Draft};
use crate::{error::ToolError, plan::Plan, policy::Mode, spec::Permission};

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
                        plan: None,
                    });
                }
                Err(error) => return Err(error),
            };
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
}
