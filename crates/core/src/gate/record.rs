//! Record: what is written down of a call as it arrives and as it ends, and the outcome that is handed over.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use serde_json::{Value, json};

use super::{
    Gate, Request, SessionCx,
    screen::{self, Screened},
};
use crate::{
    approval::{Answer, AnyAnswer, Settled},
    arguments,
    audit::{AuditRecord, Phase},
    changed::{ChangeSummary, ChangedEntry},
    error::{StoreResult, ToolError},
    event::EventBody,
    grant::Shape,
    id::CallId,
    outcome::{ErrorBody, Outcome, Status},
    plan::{Plan, Preview},
    policy::{Decision, Verdict},
    registry::ToolEntry,
    spec::Permission,
    time::Time,
};

/// How much of one string, of all arguments, and of a result goes into the audit log.
const MOST_PER_STRING: usize = 1_000;
const MOST_ARGUMENTS: usize = 8_000;
const MOST_RESULT: usize = 2_000;
const MOST_NAME: usize = 200;
/// How much of an error is said.
const MOST_MESSAGE: usize = 4_000;
/// How much of the arguments is shown in a grant.
const MOST_SHOWN: usize = 160;

/// What is known of a call so far.
pub(super) struct Draft {
    pub call_id: CallId,
    pub output_sha256: Option<String>,
    /// Where text of the result comes from, if it is from outside.
    pub outside: Option<String>,
    /// Who says what is said of the tool, where it is another server's.
    said_by: Option<String>,
    pub plan_wants_result_approval: bool,
    edited: bool,
    session_id: String,
    owner: Option<String>,
    caller: String,
    tool: String,
    /// Masked and bounded.
    arguments: Value,
    input_sha256: String,
    started: Instant,
    permission: Option<Permission>,
    decision: Option<&'static str>,
    rule: Option<String>,
    decided_by: Option<String>,
    undo: Option<CallId>,
    changes: Vec<ChangedEntry>,
    more_changes: u64,
    kept: Option<bool>,
    paths: Vec<PathBuf>,
    confinement: Option<String>,
}

/// What was decided about running a call.
pub(super) struct DecisionToRun {
    permission: Option<Permission>,
    decision: Option<&'static str>,
    decided_by: Option<String>,
}

impl Draft {
    pub fn new(gate: &Gate, request: &Request, session: &SessionCx) -> Self {
        let shown = gate.shown(&request.tool, request.dialect.as_deref(), &request.arguments);
        let input_sha256 =
            hashed(gate, &request.tool, request.dialect.as_deref(), &request.arguments, &shown);
        Self {
            call_id: request.id.unwrap_or_else(CallId::new),
            outside: None,
            said_by: None,
            output_sha256: None,
            plan_wants_result_approval: false,
            edited: false,
            session_id: session.id.clone(),
            owner: session.owner.clone(),
            caller: session.caller.0.clone(),
            tool: request.tool.chars().take(MOST_NAME).collect(),
            arguments: bounded(shown),
            input_sha256,
            started: Instant::now(),
            permission: None,
            decision: None,
            rule: None,
            decided_by: None,
            undo: None,
            changes: Vec::new(),
            more_changes: 0,
            kept: None,
            paths: Vec::new(),
            confinement: None,
        }
    }

    pub fn found(&mut self, entry: &ToolEntry) {
        entry.spec().name.clone_into(&mut self.tool);
        self.said_by = entry.said_by().map(|source| crate::outside::label(&source));
    }

    /// A call of another server's tool failed: why may be told in words of that server's schema.
    pub fn failed(&mut self, session: &SessionCx) {
        if self.outside.is_none()
            && let Some(source) = &self.said_by
        {
            session.outside.mark(source);
            self.outside = Some(source.clone());
        }
    }

    pub fn planned(&mut self, plan: &Plan) {
        self.permission = Some(plan.permission);
        self.plan_wants_result_approval = plan.result_approval;
        self.confinement.clone_from(&plan.confinement);
        self.paths = plan.touches.iter().map(|touch| touch.path.clone()).collect();
    }

    pub fn decided(&mut self, decision: &Decision) {
        self.permission = Some(decision.permission);
        self.decision = Some(decision.verdict.word());
        self.rule = Some(decision.rule.clone());
        self.decided_by = (decision.verdict != Verdict::Ask).then(|| {
            if decision.rule.starts_with("grant:") { decision.rule.clone() } else { "policy".to_owned() }
        });
    }

    /// What was decided about running, before the changes are decided on.
    pub fn decision_to_run(&self) -> DecisionToRun {
        DecisionToRun {
            permission: self.permission,
            decision: self.decision,
            decided_by: self.decided_by.clone().filter(|by| by != "policy"),
        }
    }

    /// The changes were decided on, too. The stricter permission counts, and the audit keeps both names.
    pub fn also_decided(&mut self, ran: DecisionToRun) {
        self.permission = self.permission.max(ran.permission);
        if ran.decision == Some(Verdict::Ask.word()) {
            self.decision = ran.decision;
        }
        if let Some(by) = ran.decided_by {
            let changes = self.decided_by.take().unwrap_or_else(|| "policy".to_owned());
            self.decided_by = Some(if changes == by { by } else { format!("{by}; changes: {changes}") });
        }
    }

    pub fn decided_by(&mut self, by: &str) {
        self.decided_by = Some(by.to_owned());
    }

    /// The result was decided on, too; the audit keeps both names.
    pub fn result_decided_by(&mut self, by: &str) {
        let running = self.decided_by.take().unwrap_or_else(|| "policy".to_owned());
        self.decided_by = Some(format!("{running}; result: {by}"));
    }

    pub fn can_be_undone(&mut self) {
        self.undo = Some(self.call_id);
    }

    /// A command changed this on its layer. It is not kept yet.
    pub fn changed(&mut self, changes: &ChangeSummary) {
        self.changes.clone_from(&changes.entries);
        self.more_changes = changes.more;
        self.kept = Some(false);
    }

    /// These paths are different now.
    pub fn kept(&mut self, paths: Vec<PathBuf>) {
        self.kept = Some(true);
        self.paths.extend(paths);
    }

    /// A person changed the arguments: these are the ones that count.
    pub fn edited(&mut self, gate: &Gate, arguments: &Value) {
        let shown = gate.shown(&self.tool, None, arguments);
        self.input_sha256 = hashed(gate, &self.tool, None, arguments, &shown);
        self.arguments = bounded(shown);
        self.edited = true;
    }

    /// The outcome of a call that ended like this.
    fn end(&self, gate: &Gate, end: Result<Screened, ToolError>) -> Outcome {
        let (status, error, screened) = match end {
            Ok(screened) => (Status::Success, None, screened),
            Err(error) => {
                let status = error.status;
                let (body, screened) = failure(gate, self, error);
                (status, Some(body), screened)
            }
        };
        Outcome {
            call_id: self.call_id,
            tool: gate.screener.mask_text(&self.tool).into_string(),
            status,
            text: screened.text.into_string(),
            data: screened.data,
            error,
            truncated: screened.truncated,
            full_output: screened.full_output,
            undo: self.undo,
            changes: self.changes.iter().map(|change| masked_change(gate, change)).collect(),
            more_changes: self.more_changes,
            kept: self.kept,
            duration_ms: u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            permission: self.permission,
            decision: self.decision.map(str::to_owned),
            rule: self.rule.clone(),
            decided_by: self.decided_by.clone(),
            edited: self.edited.then(|| self.arguments.clone()),
            outside: self.outside.clone(),
            images: screened.images,
            paths: self.paths.iter().map(|path| masked_path(gate, path)).collect(),
        }
    }

    fn record(&self, gate: &Gate, phase: Phase, status: &str) -> AuditRecord {
        AuditRecord {
            phase,
            call_id: Some(self.call_id),
            tool_name: gate.screener.mask_text(&self.tool).into_string(),
            arguments: self.arguments.clone(),
            session_id: self.session_id.clone(),
            owner: self.owner.clone(),
            timestamp: Time::now(),
            status: status.to_owned(),
            duration_ms: None,
            result: None,
            caller: self.caller.clone(),
            decision: None,
            decided_by: None,
            rule: None,
            input_sha256: Some(self.input_sha256.clone()),
            output_sha256: None,
            confinement: None,
        }
    }
}

/// The hash of the arguments; of what is shown of them where the rest may be a password, which a hash could be tried for.
fn hashed(gate: &Gate, tool: &str, dialect: Option<&str>, arguments: &Value, shown: &Value) -> String {
    arguments::sha256(if gate.conceals(tool, dialect, arguments) { shown } else { arguments })
}

/// The outcome where the gate itself broke down: it says nothing of the call, since nothing could be screened.
pub(super) fn broken_down() -> Outcome {
    let text = "The gate broke down over this call. This is a bug in Deskhand; other calls are not affected.";
    Outcome::without_gate(CallId::new(), "", Status::Error, "gate_panicked", text)
}

/// A call whose arrival is recorded. Its end will be, too, whatever becomes of it: a caller that goes away in the
/// middle leaves a cancelled call, not half a record.
pub(super) struct OpenCall<'g> {
    pub draft: Draft,
    gate: &'g Gate,
    open: bool,
}

impl<'g> OpenCall<'g> {
    /// Writes the first record. A call that cannot be recorded is not made; its outcome says so.
    pub fn arrive(gate: &'g Gate, request: &Request, session: &SessionCx) -> Result<Self, Box<Outcome>> {
        let draft = Draft::new(gate, request, session);
        match gate.audit.append(&draft.record(gate, Phase::Arrival, "started")) {
            Ok(()) => Ok(Self { draft, gate, open: true }),
            Err(error) => {
                let message = format!("The call could not be written into the audit log: {error}.");
                let error = ToolError::new("audit_unavailable", message)
                    .hint("No call runs unrecorded. `deskhand doctor` checks the data folder.");
                Err(Box::new(draft.end(gate, Err(error))))
            }
        }
    }

    /// Writes the second record and gives the outcome.
    pub fn end(mut self, end: Result<Screened, ToolError>) -> Outcome {
        self.open = false;
        let outcome = self.draft.end(self.gate, end);
        let Err(error) = record_end(self.gate, &self.draft, &outcome) else { return outcome };
        let message =
            format!("The call ended ({}), but its end could not be recorded: {error}.", outcome.status);
        let error = ToolError::new("audit_unavailable", message)
            .hint("What it changed stays changed; its arrival is in the log. `deskhand doctor` checks the data folder.");
        self.draft.end(self.gate, Err(error))
    }
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        if self.open {
            let outcome = self.draft.end(self.gate, Err(ToolError::cancelled()));
            if let Err(error) = record_end(self.gate, &self.draft, &outcome) {
                tracing::warn!(%error, "the end of a call that was dropped could not be recorded");
            }
        }
    }
}

fn record_end(gate: &Gate, draft: &Draft, outcome: &Outcome) -> StoreResult<()> {
    let mut record = draft.record(gate, Phase::End, outcome.status.as_str());
    record.duration_ms = Some(outcome.duration_ms);
    record.result = Some(short(&outcome.text, MOST_RESULT));
    record.decision.clone_from(&outcome.decision);
    record.decided_by.clone_from(&outcome.decided_by);
    record.rule.clone_from(&outcome.rule);
    record.output_sha256.clone_from(&draft.output_sha256);
    record.confinement.clone_from(&draft.confinement);
    gate.audit.append(&record)
}

/// Error and text of a call that failed, with what it had produced by then, screened like any output.
fn failure(gate: &Gate, draft: &Draft, error: ToolError) -> (ErrorBody, Screened) {
    let message = gate.screener.mask_text(&error.message);
    let hint = error.hint.map(|hint| gate.screener.mask_text(&hint).into_string());
    let mut reply = error.partial.map(|partial| *partial).unwrap_or_default();
    if !reply.text.is_empty() && !reply.text.ends_with('\n') {
        reply.text.push('\n');
    }
    reply.text.push_str(&message);
    if let Some(hint) = &hint {
        reply.text.push(' ');
        reply.text.push_str(hint);
    }
    let body = ErrorBody {
        code: error.code.to_owned(),
        message: short(&message, MOST_MESSAGE),
        hint: hint.map(|hint| short(&hint, MOST_MESSAGE)),
    };
    // If the whole cannot be kept, the message is what matters.
    let screened = screen::cut(gate, draft, screen::mask(gate, reply)).unwrap_or_else(|_| Screened {
        text: message,
        truncated: true,
        ..Screened::default()
    });
    (body, screened)
}

/// Tells whoever watches what the call would do, and keeps it.
pub(super) fn planned(
    gate: &Gate,
    draft: &Draft,
    arguments: &Value,
    plan: &Plan,
    decision: &Decision,
    session: &SessionCx,
) {
    if !session.events.is_watched() {
        return;
    }
    session.events.emit(EventBody::CallPlanned {
        call_id: draft.call_id,
        tool: draft.tool.clone(),
        arguments: gate.shown(&draft.tool, None, arguments),
        plan: Box::new(masked_plan(gate, plan).without_private()),
        decision: decision.verdict.word().to_owned(),
    });
}

/// A path as it may be shown and stored.
fn masked_path(gate: &Gate, path: &Path) -> PathBuf {
    match path.to_str() {
        Some(text) => gate.screener.mask_text(text).into_string().into(),
        None => path.to_path_buf(),
    }
}

fn masked_change(gate: &Gate, change: &ChangedEntry) -> ChangedEntry {
    ChangedEntry {
        path: masked_path(gate, &change.path),
        from: change.from.as_ref().map(|from| masked_path(gate, from)),
        ..change.clone()
    }
}

/// How a question ended, as it may be shown: without what a person typed, if that holds a secret or may be one.
pub(super) fn masked_settled(gate: &Gate, tool: &str, settled: &Settled) -> Settled {
    let mut settled = settled.clone();
    if let Settled::Answered { answer: AnyAnswer::Execution(Answer::Edit { arguments }), .. } = &mut settled {
        *arguments = gate.shown(tool, None, arguments);
    }
    let value = serde_json::to_value(settled).map(|value| gate.screener.mask_value(&value));
    value.and_then(serde_json::from_value).unwrap_or(Settled::Withdrawn)
}

/// An error as it may be shown.
pub(super) fn masked_error(gate: &Gate, error: ToolError) -> ToolError {
    ToolError {
        message: short(&gate.screener.mask_text(&error.message), MOST_MESSAGE),
        hint: error.hint.map(|hint| short(&gate.screener.mask_text(&hint), MOST_MESSAGE)),
        ..error
    }
}

/// The plan as it may be shown and stored.
pub(super) fn masked_plan(gate: &Gate, plan: &Plan) -> Plan {
    let mask = |text: &String| gate.screener.mask_text(text).into_string();
    let mut plan = plan.clone();
    plan.summary = mask(&plan.summary);
    plan.why = mask(&plan.why);
    plan.notes = plan.notes.iter().map(mask).collect();
    plan.programs = plan.programs.iter().map(mask).collect();
    plan.hosts = plan.hosts.iter().map(mask).collect();
    for command in &mut plan.commands {
        *command = command.iter().map(mask).collect();
    }
    plan.cwd = plan.cwd.map(|cwd| masked_path(gate, &cwd));
    for touch in &mut plan.touches {
        touch.path = masked_path(gate, &touch.path);
    }
    if let Some(changes) = &mut plan.changes {
        changes.entries = changes.entries.iter().map(|change| masked_change(gate, change)).collect();
    }
    for shape in &mut plan.shapes {
        match shape {
            Shape::Folder { path } | Shape::Changes { workspace: path } => *path = masked_path(gate, path),
            Shape::Host { host } => *host = mask(host),
            _ => {}
        }
    }
    plan.preview = plan.preview.map(|preview| match preview {
        Preview::Diff(text) => Preview::Diff(mask(&text)),
        Preview::Text(text) => Preview::Text(mask(&text)),
    });
    plan
}

/// The arguments in one short, masked line.
pub(super) fn shown_arguments(gate: &Gate, arguments: &Value) -> String {
    short(&bounded(gate.screener.mask_value(arguments)).to_string(), MOST_SHOWN)
}

/// Arguments that fit into a record.
fn bounded(mut arguments: Value) -> Value {
    crate::cut::strings(&mut arguments, MOST_PER_STRING);
    let size = arguments.to_string().len();
    if size > MOST_ARGUMENTS { json!({"left_out": format!("{size} bytes of arguments")}) } else { arguments }
}

fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}
