//! `POST /api/v1/tools/execute`: one call along the one path, in two steps where a person has to be asked.
//!
//! The first request shows the plan and runs nothing; the second, with the plan's id (or, as callers of the omni
//! system do it, with the same arguments and `require_confirmation: true`), is the yes. What runs is what was shown:
//! if the plan has changed since, the new one is shown instead. Where a person has to decide about the changes of a
//! command, or to look at the result, the call has run: the answer carries that question, and one more request is the
//! yes to it. Nothing runs again.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use aide::axum::{ApiRouter, routing::post_with};
use axum::{Json, extract::State};
use deskhand_core::{
    Answer, ApprovalRequest, Approver, ErrorBody, Explanation, Outcome, Plan, Request, ResultAnswer,
    SessionCx, Settled, Time,
    approval::{AnyAnswer, Subject},
    arguments,
    event::NoEvents,
};
use futures_util::{FutureExt, future::BoxFuture};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::{sync::mpsc, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::http::{
    app::App,
    confirmations::{CallKey, Calling, Confirmed},
    error::ApiError,
    extract::Body,
    person::Person,
};

/// The system whose API this is: its names and result shapes are used here without being asked for.
const DIALECT: &str = "omni";
/// Our own names and result shapes, for callers who ask for them: omni has some of the names, too.
pub const OURS: &str = "deskhand";
/// How often a plan that changed between showing and running is shown anew before the last outcome is told.
const MOST_TRIES: usize = 3;

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new().api_route(
        "/api/v1/tools/execute",
        post_with(execute, |op| {
            op.id("executeTool")
                .summary("Call a tool")
                .description(
                    "Every outcome of a tool is a 200. `need_confirmation` means that a person has to agree: send the \
                     same again with `plan_id` to say yes to the plan that was shown (nothing has run yet), or with \
                     `approval_id` to say yes to `question`: to keep the changes, or to get the result, that it shows \
                     (the call has run, and waits).",
                )
                .tag("tools")
        }),
    )
}

#[derive(Deserialize, JsonSchema)]
pub struct ExecuteBody {
    tool_name: String,
    #[serde(default)]
    parameters: serde_json::Map<String, Value>,
    /// Yes to what was shown last for these very parameters: the plan, the changes, or the result.
    #[serde(default)]
    require_confirmation: bool,
    /// Yes to this plan.
    plan_id: Option<String>,
    /// Yes to the changes or the result that this question shows. To say no, or to edit the result, answer `/api/v1/approvals/{id}` first.
    approval_id: Option<String>,
    /// Where a person has to look at changes or a result: wait until they have, instead of answering with the question.
    #[serde(default)]
    wait: bool,
    /// The session that the call belongs to. Left out: none of the conversations.
    session_id: Option<String>,
    /// Whose names and result shapes these are; `deskhand` for ours. Left out: omni's where it has the name, else ours.
    dialect: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct ExecuteAnswer {
    pub success: bool,
    /// Where on its path the call ended; `need_confirmation` where it has not begun, `need_changes_approval` and
    /// `need_result_approval` where it has run and a person has to look at its changes or its result.
    status: String,
    /// What the tool returned, in the shape of the dialect where one was asked for.
    result: Value,
    /// For people.
    message: String,
    need_confirmation: bool,
    confirmation_message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan_expires_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<Box<Plan>>,
    /// What `approval_id` says yes to, with the changes or the result to look at.
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<Box<ApprovalRequest>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approval_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Box<Outcome>>,
}

async fn execute(
    State(app): State<App>,
    person: Person,
    Body(body): Body<ExecuteBody>,
) -> Result<Json<ExecuteAnswer>, ApiError> {
    let session = match &body.session_id {
        Some(id) => Some(app.session_of(&person, id).await?),
        None => None,
    };
    let cx = app.surround(&person, session.as_ref(), None, Arc::new(NoEvents)).await?;
    let answers_question = body.approval_id.is_some();
    let call = Call::new(&app, &person, &cx, body);
    let mut confirmed = match call.confirmed(&app) {
        Some(Confirmed::Question { question, calling }) => {
            say_yes(&app, &person, &question).await?;
            let run = call.wait(calling).await?;
            return Ok(Json(call.shown(&app, run)));
        }
        // A yes to changes or to a result is none to another call.
        Some(Confirmed::Plan(_)) | None if answers_question => {
            return Err(ApiError::conflict("no_such_question", "this question is no longer waiting")
                .hint("The call was not made again. Make it without approval_id if that is what you want."));
        }
        Some(Confirmed::Plan(plan)) => Some(*plan),
        None => None,
    };
    for _ in 0..MOST_TRIES {
        if confirmed.is_none()
            && let Ok(explanation) = app.gate().explain(call.request(), &cx).await
            && explanation.decision == "ask"
        {
            return Ok(Json(call.show(&app, explanation)));
        }
        if let Some(run) = run(&app, &call, &cx, &person, confirmed.take()).await? {
            return Ok(Json(call.shown(&app, run)));
        }
    }
    Err(ApiError::conflict("plan_keeps_changing", "what the call would touch keeps changing")
        .hint("Something else is changing these files. Try again when it has finished."))
}

struct Call {
    tool: String,
    arguments: Value,
    dialect: Option<String>,
    key: CallKey,
    /// What it says yes to, by its id.
    confirms_id: Option<String>,
    confirms: bool,
    waits: bool,
}

impl Call {
    fn new(app: &App, person: &Person, cx: &SessionCx, body: ExecuteBody) -> Self {
        let registry = &app.gate().registry;
        let omni = registry.dialect(DIALECT).and_then(|dialect| dialect.entry(&body.tool_name));
        let dialect = body.dialect.or_else(|| omni.map(|_| DIALECT.to_owned()));
        let dialect = dialect.filter(|name| name != OURS);
        let arguments = Value::Object(body.parameters);
        let found = registry.find(&body.tool_name, dialect.as_deref()).ok();
        let canonical =
            found.as_ref().map_or_else(|| arguments.clone(), |found| found.to_canonical(arguments.clone()));
        let key = CallKey {
            caller: person.caller(),
            session_id: cx.id.clone(),
            tool: found.map_or_else(|| body.tool_name.clone(), |found| found.entry.spec().name.to_owned()),
            arguments: arguments::sha256(&canonical),
        };
        let confirms_id = body.approval_id.or(body.plan_id);
        let confirms = body.require_confirmation || confirms_id.is_some();
        Self { tool: body.tool_name, arguments, dialect, key, confirms_id, confirms, waits: body.wait }
    }

    fn request(&self) -> Request {
        Request::new(&self.tool, self.arguments.clone()).in_dialect(self.dialect.clone())
    }

    /// The plan or the result that this request says yes to.
    fn confirmed(&self, app: &App) -> Option<Confirmed> {
        self.confirms.then(|| app.confirmations().confirm(self.confirms_id.as_deref(), &self.key)).flatten()
    }

    fn show(&self, app: &App, explanation: Explanation) -> ExecuteAnswer {
        let plan = explanation.plan.unwrap_or_else(|| Plan::new(explanation.why.clone()));
        let expires = Time::now().plus(app.confirmations().limit());
        let plan_id = app.confirmations().show(self.key.clone(), plan.clone());
        let message = confirmation_message(&plan, &explanation.why);
        ExecuteAnswer {
            success: false,
            status: "need_confirmation".to_owned(),
            result: Value::Null,
            message: message.clone(),
            need_confirmation: true,
            confirmation_message: message,
            error: None,
            plan_id: Some(plan_id),
            plan_expires_at: Some(expires),
            plan: Some(Box::new(plan)),
            question: None,
            approval_id: None,
            outcome: None,
        }
    }

    /// Waits until a call that has begun ends, or asks.
    async fn wait(&self, mut calling: Calling) -> Result<Run, ApiError> {
        let cancelled_when_dropped = calling.cancel.clone().drop_guard();
        let waits = self.waits;
        tokio::select! {
            outcome = &mut calling.call => {
                let outcome = outcome.map_err(|error| broken_down(&error))?;
                Ok(Run::Ended(Box::new(outcome)))
            }
            Some(question) = calling.questions.recv(), if !waits => {
                // It waits for the next request, as long as its question is open.
                cancelled_when_dropped.disarm();
                Ok(Run::Asks { question: Box::new(question), calling })
            }
        }
    }

    fn shown(&self, app: &App, run: Run) -> ExecuteAnswer {
        match run {
            Run::Ended(outcome) => ended(app, &self.tool, self.dialect.as_deref(), *outcome),
            Run::Asks { question, calling } => self.asks(app, question, calling),
        }
    }

    /// The answer for a call that has run and waits for a person.
    fn asks(&self, app: &App, question: Box<ApprovalRequest>, calling: Calling) -> ExecuteAnswer {
        app.confirmations().wait_for_answer(self.key.clone(), question.clone(), calling);
        let (status, message, plan) = match &question.subject {
            Subject::Execution { plan } => {
                let message = format!(
                    "{} has run. Keep its changes?\n{}",
                    question.tool,
                    confirmation_message(plan, &plan.why)
                );
                ("need_changes_approval", message, Some(plan.clone()))
            }
            Subject::Result { .. } => {
                ("need_result_approval", format!("{} has run. Share its result?", question.tool), None)
            }
        };
        ExecuteAnswer {
            success: false,
            status: status.to_owned(),
            result: Value::Null,
            message: message.clone(),
            need_confirmation: true,
            confirmation_message: message,
            error: None,
            plan_id: None,
            plan_expires_at: None,
            plan,
            approval_id: Some(question.id.clone()),
            question: Some(question),
            outcome: None,
        }
    }
}

/// What is told of a call that has ended.
pub fn ended(app: &App, tool: &str, dialect: Option<&str>, outcome: Outcome) -> ExecuteAnswer {
    let shaped = dialect.and_then(|name| Some(app.gate().registry.dialect(name)?.shaped(tool, &outcome)));
    let result = shaped.unwrap_or_else(|| match &outcome.data {
        Value::Null if outcome.error.is_none() => json!({"text": outcome.text}),
        data => data.clone(),
    });
    ExecuteAnswer {
        success: outcome.is_success(),
        status: outcome.status.as_str().to_owned(),
        result,
        message: outcome.text.clone(),
        need_confirmation: false,
        confirmation_message: String::new(),
        error: outcome.error.clone(),
        plan_id: None,
        plan_expires_at: None,
        plan: None,
        question: None,
        approval_id: None,
        outcome: Some(Box::new(outcome)),
    }
}

fn confirmation_message(plan: &Plan, why: &str) -> String {
    let mut message = plan.summary.clone();
    for line in plan.notes.iter().map(String::as_str).chain([why]).filter(|line| !line.is_empty()) {
        message.push('\n');
        message.push_str(line);
    }
    message
}

/// What came of a call.
enum Run {
    Ended(Box<Outcome>),
    /// It has run; a person has to look at its changes or its result.
    Asks {
        question: Box<ApprovalRequest>,
        calling: Calling,
    },
}

/// Makes a call. `None`: it would do something else than was shown, and nothing has run.
async fn run(
    app: &App,
    call: &Call,
    cx: &SessionCx,
    person: &Person,
    confirmed: Option<Plan>,
) -> Result<Option<Run>, ApiError> {
    let cancel = app.ending().child_token();
    let plan_changed = Arc::new(AtomicBool::new(false));
    let (asks, questions) = mpsc::unbounded_channel();
    let approver = Shown {
        surface: person.surface(),
        plan: confirmed,
        plan_changed: Arc::clone(&plan_changed),
        asks,
        cancel: cancel.clone(),
    };
    let cx = cx.clone().asking(vec![Arc::new(approver)], cx.wait_for_others);
    let request = Request { cancel: cancel.clone(), ..call.request() };
    let run = call.wait(Calling { call: begin(app, request, cx), questions, cancel }).await?;
    Ok((!plan_changed.load(Ordering::Acquire)).then_some(run))
}

/// Says yes to a question, unless somebody has answered it already.
async fn say_yes(app: &App, person: &Person, question: &ApprovalRequest) -> Result<(), ApiError> {
    let said = Settled::Answered { answer: yes_to(question), by: person.surface() };
    let (queue, id) = (Arc::clone(app.approvals()), question.id.clone());
    app.blocking(move || Ok(queue.settle(&id, &said)?)).await?;
    Ok(())
}

fn yes_to(question: &ApprovalRequest) -> AnyAnswer {
    match question.subject {
        Subject::Execution { .. } => AnyAnswer::Execution(Answer::Yes { remember: None }),
        Subject::Result { .. } => AnyAnswer::Result(ResultAnswer::Pass),
    }
}

fn begin(app: &App, request: Request, cx: SessionCx) -> JoinHandle<Outcome> {
    let gate = app.gate().clone();
    tokio::spawn(async move { gate.call(request, &cx).await })
}

fn broken_down(error: &tokio::task::JoinError) -> ApiError {
    ApiError::broken(format!("the call broke down: {error}"))
}

/// Makes a call. Where the asker goes away meanwhile it is cancelled, and comes to its recorded end all the same.
pub async fn call_to_its_end(app: &App, request: Request, cx: SessionCx) -> Result<Outcome, ApiError> {
    let _cancelled_when_dropped = request.cancel.clone().drop_guard();
    begin(app, request, cx).await.map_err(|error| broken_down(&error))
}

/// Makes a call that a person clicked for: the click is the yes to it.
pub async fn clicked(
    app: &App,
    person: &Person,
    request: Request,
    cx: SessionCx,
) -> Result<Outcome, ApiError> {
    let request = Request { cancel: app.ending().child_token(), ..request };
    let waits = cx.wait_for_others;
    let cx = cx.asking(vec![Arc::new(Click { surface: person.surface() })], waits);
    call_to_its_end(app, request, cx).await
}

/// Says yes in the name of the person who clicked, who also sees the result.
struct Click {
    surface: String,
}

impl Approver for Click {
    fn name(&self) -> &str {
        &self.surface
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Option<AnyAnswer>> {
        let answer = yes_to(request);
        async move { Some(answer) }.boxed()
    }
}

/// Says yes to the one plan that was shown, and to nothing else. What is asked once the call has run goes to the caller,
/// who answers it with another request; the page may be quicker.
struct Shown {
    surface: String,
    plan: Option<Plan>,
    plan_changed: Arc<AtomicBool>,
    asks: mpsc::UnboundedSender<ApprovalRequest>,
    cancel: CancellationToken,
}

impl Approver for Shown {
    fn name(&self) -> &str {
        &self.surface
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Option<AnyAnswer>> {
        async move {
            let plan = match &request.subject {
                Subject::Execution { plan } if plan.changes.is_none() => plan,
                _ => {
                    // Where nobody hears it, the question still stands among the open ones.
                    let _ = self.asks.send(request.clone());
                    return None;
                }
            };
            if self.plan.as_ref().is_some_and(|shown| shown.still_holds(plan)) {
                return Some(AnyAnswer::Execution(Answer::Yes { remember: None }));
            }
            self.plan_changed.store(true, Ordering::Release);
            self.cancel.cancel();
            None
        }
        .boxed()
    }
}
