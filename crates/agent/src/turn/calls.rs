//! The calls of one round: written down, then made through the gate, side by side where they do not conflict.

use std::collections::HashSet;

use deskhand_core::{
    CallId, EventBody, Outcome, Permission, Request, Status, Time,
    session::{CallEnd, CallStep, Step},
};
use futures_util::{StreamExt, stream::FuturesUnordered};
use serde_json::Value;

use super::{Broken, Turn};
use crate::{
    AgentError,
    chain::{
        groups::{Footprint, schedule},
        guards::{Changed, Guard, Repeat, Stop},
    },
    provider::{Arguments, ModelCall},
};

/// A call that was written down and waits for its turn.
struct Waiting {
    /// Its place among the steps.
    at: usize,
    step: CallStep,
    arguments: Arguments,
    /// What the model is told beside the result.
    warning: Option<String>,
}

impl Waiting {
    /// Its arguments. What is broken has been sorted out before anything runs.
    fn given(&self) -> &Value {
        match &self.arguments {
            Arguments::Given(value) => value,
            Arguments::Broken { .. } => &Value::Null,
        }
    }
}

impl Turn {
    /// Makes the calls of a round. `Some` if a guard ends the turn; every call has a result then, too.
    pub(super) async fn make_calls(
        &mut self,
        mut said: Vec<Step>,
        calls: Vec<ModelCall>,
    ) -> Result<Option<Stop>, Broken> {
        let first = self.steps().len() + said.len();
        let waiting: Vec<Waiting> =
            calls.into_iter().enumerate().map(|(n, call)| self.written_down(first + n, call)).collect();
        said.extend(waiting.iter().map(|call| Step::Call(Box::new(call.step.clone()))));
        self.add_steps(said).await?;

        let (run, mut stop) = self.guarded(waiting).await?;
        self.run_in_groups(run, &mut stop).await?;
        Ok(stop)
    }

    /// The step of a call as it is stored before anything is done about it.
    fn written_down(&self, at: usize, call: ModelCall) -> Waiting {
        let shown = match &call.arguments {
            Arguments::Given(value) => value.clone(),
            Arguments::Broken { text, .. } => Value::String(text.clone()),
        };
        let step = CallStep {
            round: self.round,
            call_id: CallId::new(),
            model_call_id: call.id,
            arguments: self.agent.parts.gate.shown(&call.name, None, &shown),
            tool: call.name,
            started_at: Time::now(),
            end: None,
        };
        Waiting { at, step, arguments: call.arguments, warning: None }
    }

    /// Ends what must not run: broken arguments, a call that comes again and again, more calls than there may be.
    async fn guarded(&mut self, waiting: Vec<Waiting>) -> Result<(Vec<Waiting>, Option<Stop>), AgentError> {
        let mut run = Vec::new();
        let mut stop: Option<Stop> = None;
        for mut call in waiting {
            if let Arguments::Broken { why, .. } = &call.arguments {
                let text = format!(
                    "The arguments of {} cannot be read, so nothing was done: {why}. Send the call again with the arguments \
                     as one whole JSON object.",
                    call.step.tool
                );
                self.end_without_gate(&call, Status::InvalidArguments, "broken_arguments", &text).await?;
                continue;
            }
            if stop.is_none() && self.guards.calls_left() == 0 {
                let about = self.options.max_calls.to_string();
                stop = Some(Stop { guard: Guard::MaxCalls, about });
            }
            if stop.is_none() {
                match self.guards.before_call(&self.canonical(&call.step.tool), call.given()) {
                    Repeat::Fine => {}
                    Repeat::Warn { text } => call.warning = Some(text),
                    Repeat::Stop(why) => stop = Some(why),
                }
            }
            match &stop {
                None => run.push(call),
                Some(stop) => {
                    let (code, text) =
                        (stop.guard.as_str(), format!("Not run: {}", stop.words(self.language())));
                    self.end_without_gate(&call, Status::Cancelled, code, &text).await?;
                }
            }
        }
        Ok((run, stop))
    }

    fn canonical(&self, name: &str) -> String {
        let found = self.agent.parts.gate.registry.find(name, None);
        found.map_or_else(|_| name.to_owned(), |found| found.entry.spec().name.to_owned())
    }

    async fn run_in_groups(&mut self, calls: Vec<Waiting>, stop: &mut Option<Stop>) -> Result<(), Broken> {
        let waits_for = self.conflicts(&calls).await;
        let mut done: HashSet<usize> = HashSet::new();
        let mut started: HashSet<usize> = HashSet::new();
        let mut running = FuturesUnordered::new();
        // Once something is broken nothing more begins; what runs is waited for all the same: its outcome is the truth.
        let mut broken: Option<Broken> = None;
        while done.len() < calls.len() {
            for (n, call) in calls.iter().enumerate() {
                let is_free = waits_for[n].iter().all(|earlier| done.contains(earlier));
                let may_begin = broken.is_none() && stop.is_none() && !started.contains(&n);
                if !is_free || !may_begin || running.len() >= self.options.max_parallel.max(1) {
                    continue;
                }
                // Held here while the turn is paused; what runs goes on meanwhile.
                if running.is_empty() {
                    if let Err(cancelled) = self.handle.go_on().await {
                        broken = Some(cancelled.into());
                        break;
                    }
                } else if self.handle.is_paused() {
                    break;
                }
                started.insert(n);
                let gate = std::sync::Arc::clone(&self.agent.parts.gate);
                let surroundings = self.surroundings.clone();
                let request = Request {
                    id: Some(call.step.call_id),
                    cancel: self.handle.token().clone(),
                    ..Request::new(call.step.tool.clone(), call.given().clone())
                };
                running.push(async move { (n, gate.call(request, &surroundings).await) });
            }
            let Some((n, outcome)) = running.next().await else { break };
            done.insert(n);
            if let Err(error) = self.ended(&calls[n], &outcome, stop).await {
                broken.get_or_insert(error.into());
            }
        }
        if stop.is_some() || broken.is_some() {
            self.close_open_calls().await?;
        }
        match broken {
            Some(broken) => Err(broken),
            None if self.handle.token().is_cancelled() => Err(super::Cancelled.into()),
            None => Ok(()),
        }
    }

    /// For each call, the earlier ones that it must wait for.
    async fn conflicts(&self, calls: &[Waiting]) -> Vec<Vec<usize>> {
        if calls.len() < 2 {
            return vec![Vec::new(); calls.len()];
        }
        let mut footprints = Vec::new();
        for call in calls {
            let request = Request::new(call.step.tool.clone(), call.given().clone());
            let explained = self.agent.parts.gate.explain(request, &self.surroundings).await;
            // One that cannot be planned now may be possible once the calls before it are done.
            let plan = explained.ok().and_then(|explained| explained.plan);
            let workspace = std::slice::from_ref(&self.surroundings.workspace);
            let footprint = plan.map_or_else(Footprint::unknown, |plan| Footprint::of(&plan, workspace));
            footprints.push(footprint.with_arguments(call.given()));
        }
        schedule(&footprints)
    }

    /// A call went through the gate: its result is stored, and the guards hear of it.
    async fn ended(
        &mut self,
        call: &Waiting,
        outcome: &Outcome,
        stop: &mut Option<Stop>,
    ) -> Result<(), AgentError> {
        let mut end = CallEnd::of(outcome);
        let changed =
            if outcome.permission > Some(Permission::Public) { Changed::Something } else { Changed::Nothing };
        self.guards.after_call(&self.canonical(&call.step.tool), call.given(), &end.result, changed);
        if let Some(warning) = &call.warning {
            end.result = format!("{}\n[{warning}]", end.result);
        }
        if matches!(
            outcome.status,
            Status::ExecutionRejected | Status::Expired | Status::NobodyToAsk | Status::Blocked
        ) {
            let rule = outcome.rule.as_deref().unwrap_or("no rule");
            if let Some(why) = self.guards.denied(&format!("{} {rule}", outcome.tool)) {
                stop.get_or_insert(why);
            }
        }
        self.end_call(call.at, &call.step, end).await
    }

    async fn end_call(&mut self, at: usize, step: &CallStep, end: CallEnd) -> Result<(), AgentError> {
        let ended = CallStep { end: Some(end), ..step.clone() };
        let (id, kept) = (self.turn.id.clone(), ended.clone());
        // What is known stays known here even where it cannot be stored.
        self.steps_mut()[at] = Step::Call(Box::new(ended));
        self.kept(move |store| store.end_call(&id, &kept)).await
    }

    /// Ends a call that does not get to the gate, for everybody to see.
    async fn end_without_gate(
        &mut self,
        call: &Waiting,
        status: Status,
        code: &str,
        text: &str,
    ) -> Result<(), AgentError> {
        let text = self.mask(text);
        let outcome = Outcome::without_gate(call.step.call_id, &call.step.tool, status, code, &text);
        let end = CallEnd::of(&outcome);
        self.emit(EventBody::CallEnded { outcome: Box::new(outcome) });
        self.end_call(call.at, &call.step, end).await
    }

    /// Gives every call of the turn that has no result one that says why.
    async fn close_open_calls(&mut self) -> Result<(), AgentError> {
        let open: Vec<(usize, CallStep)> = self
            .steps()
            .iter()
            .enumerate()
            .filter_map(|(at, step)| match step {
                Step::Call(call) if call.end.is_none() => Some((at, call.as_ref().clone())),
                _ => None,
            })
            .collect();
        for (at, step) in open {
            let waiting = Waiting { at, arguments: Arguments::Given(Value::Null), step, warning: None };
            let text = "The turn ended before this call began. Nothing was done.";
            self.end_without_gate(&waiting, Status::Cancelled, "turn_ended", text).await?;
        }
        Ok(())
    }
}
