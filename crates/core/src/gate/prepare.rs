//! Prepare: from a request to a plan and a decision about it. Calls and explanations share these steps.

use std::sync::Arc;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    Gate, Request, SessionCx, ToolSettings, approve_result, conceal, find, plan, record, record::Draft,
    validate, withhold,
};
use crate::{
    cx::{Cx, CxParts},
    error::ToolError,
    plan::Plan,
    policy::Decision,
    registry::ToolEntry,
};

/// What a call would do, and what is decided about it.
pub(super) struct Prepared {
    pub plan: Plan,
    pub decision: Decision,
}

impl Gate {
    /// Finds the tool and checks its arguments. Both are canonical from here on.
    pub(super) fn understand(
        &self,
        request: &Request,
        draft: &mut Draft,
    ) -> Result<(Arc<ToolEntry>, Value), ToolError> {
        let (entry, mut arguments) = find::find(&self.registry, request)?;
        draft.found(&entry);
        validate::validate(&entry, &mut arguments)?;
        Ok((entry, arguments))
    }

    /// Plans a call and decides about it.
    pub(super) async fn prepare(
        &self,
        entry: &ToolEntry,
        arguments: &Value,
        cx: &Cx,
        session: &SessionCx,
        draft: &mut Draft,
    ) -> Result<Prepared, ToolError> {
        let mut plan = self.plan(entry, arguments, cx).await?;
        self.outputs_are_their_own(&plan, session)?;
        draft.planned(&plan);
        let decision = self.decide(entry, arguments, &plan, session)?;
        draft.decided(&decision);
        self.offer_shapes(entry, &mut plan, arguments, &decision, session);
        Ok(Prepared { plan, decision })
    }

    /// The plan of a call. Where a person is to be asked about this tool whatever it does, a plan that fails says
    /// only that it does: its words could tell what the person would have kept.
    pub(super) async fn plan(
        &self,
        entry: &ToolEntry,
        arguments: &Value,
        cx: &Cx,
    ) -> Result<Plan, ToolError> {
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

    /// A kept output is read for whom its call was made; to others there is none. What belongs to no call that is on
    /// record is the installation's own.
    fn outputs_are_their_own(&self, plan: &Plan, session: &SessionCx) -> Result<(), ToolError> {
        for call in plan.touches.iter().filter_map(|touch| self.outputs.call_of(&touch.path)) {
            let record = self.audit.last_record(call)?;
            let is_of_another = session.own_calls_only
                && record.as_ref().is_some_and(|record| record.session_id != session.id);
            if is_of_another || record.and_then(|record| record.owner) != session.owner {
                return Err(ToolError::new("no_such_file", format!("There is no kept output out:{call}.")));
            }
        }
        Ok(())
    }

    /// These very arguments are the narrowest shape that an answer can be remembered for, the tool the widest.
    /// The tool is not offered where programs run or hosts are reached: one yes to one of them is not a yes to all.
    fn offer_shapes(
        &self,
        entry: &ToolEntry,
        plan: &mut Plan,
        arguments: &Value,
        decision: &Decision,
        session: &SessionCx,
    ) {
        if decision.wants_host_named {
            plan.shapes.retain(|shape| matches!(shape, crate::Shape::Host { .. }));
        } else if decision.verdict == crate::Verdict::Ask {
            // A hash of what may be a password is not kept.
            if !conceal::conceals_some(entry, arguments) {
                let shown = record::shown_arguments(self, arguments);
                plan.shapes.insert(0, crate::Shape::exact(arguments, plan, shown));
            }
            let changes = crate::Shape::Changes { workspace: session.workspace.clone() };
            if decision.may_remember() && changes.covers(arguments, plan) {
                plan.shapes.push(changes);
            }
            if plan.programs.is_empty() && plan.hosts.is_empty() && plan.cwd.is_none() {
                plan.shapes.push(crate::Shape::AnyArguments);
            }
        }
    }

    fn decide(
        &self,
        entry: &ToolEntry,
        arguments: &Value,
        plan: &Plan,
        session: &SessionCx,
    ) -> Result<Decision, ToolError> {
        self.decide_by(entry, arguments, plan, session, self.tool_settings(entry))
    }

    fn decide_by(
        &self,
        entry: &ToolEntry,
        arguments: &Value,
        plan: &Plan,
        session: &SessionCx,
        settings: ToolSettings,
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
            settings,
            outside: &session.outside,
        };
        Ok(self.policy.decide(&question)?)
    }

    /// Decides about changes that wait to be kept. A setting that wants a question before a run had it.
    pub(super) fn decide_keep(
        &self,
        entry: &ToolEntry,
        arguments: &Value,
        plan: &mut Plan,
        session: &SessionCx,
    ) -> Result<Decision, ToolError> {
        let changes = crate::Shape::Changes { workspace: session.workspace.clone() };
        let may_cover = plan.permission < crate::Permission::Sensitive && changes.covers(arguments, plan);
        plan.shapes = if may_cover { vec![changes] } else { Vec::new() };
        let settings = self.tool_settings(entry);
        let unasked = settings.requires_execution_approval.filter(|wanted| !wanted);
        let settings = ToolSettings { requires_execution_approval: unasked, ..settings };
        self.decide_by(entry, arguments, plan, session, settings)
    }

    /// What is configured for a tool, over what it says itself.
    pub(super) fn tool_settings(&self, entry: &ToolEntry) -> ToolSettings {
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

    pub(super) fn cx(
        &self,
        draft: &Draft,
        entry: &ToolEntry,
        session: &SessionCx,
        cancel: &CancellationToken,
    ) -> Cx {
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
