//! Questions to people: what waits for an answer, and answering it. The first answer wins; the others are told.

use aide::axum::{
    ApiRouter,
    routing::{get_with, post_with},
};
use axum::{Json, extract::State};
use deskhand_core::{
    Answer, ApprovalRequest, Remember, ResultAnswer, Settled,
    approval::{AnyAnswer, SettleResult, Subject},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

use crate::http::{
    app::App,
    error::ApiError,
    extract::{At, Body, Params},
    person::Person,
};

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/v1/approvals",
            get_with(list, |op| op.id("listApprovals").summary("What waits for an answer").tag("approvals")),
        )
        .api_route(
            "/api/v1/approvals/{approval_id}",
            get_with(get, |op| {
                op.id("getApproval").summary("One question, and how it was settled").tag("approvals")
            })
            .merge(post_with(answer, |op| {
                op.id("answerApproval").summary("Answer a question").tag("approvals")
            })),
        )
}

#[derive(Deserialize, JsonSchema)]
struct ListParams {
    session_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ApprovalList {
    approvals: Vec<ApprovalRequest>,
}

/// The open questions of this person, oldest first.
pub async fn pending(app: &App, person: &Person) -> Result<Vec<ApprovalRequest>, ApiError> {
    let queue = Arc::clone(app.approvals());
    let all = app.blocking(move || Ok(queue.pending()?)).await?;
    Ok(all.into_iter().filter(|request| request.owner == person.user).collect())
}

async fn list(
    State(app): State<App>,
    person: Person,
    Params(params): Params<ListParams>,
) -> Result<Json<ApprovalList>, ApiError> {
    let mut approvals = pending(&app, &person).await?;
    if let Some(id) = params.session_id {
        approvals.retain(|request| request.session_id == id);
    }
    Ok(Json(ApprovalList { approvals }))
}

#[derive(Deserialize, JsonSchema)]
struct ApprovalPath {
    approval_id: String,
}

#[derive(Serialize, JsonSchema)]
struct ApprovalDetail {
    #[serde(flatten)]
    request: ApprovalRequest,
    settled: Option<Settled>,
}

async fn find(app: &App, person: &Person, id: &str) -> Result<(ApprovalRequest, Option<Settled>), ApiError> {
    let (queue, wanted) = (Arc::clone(app.approvals()), id.to_owned());
    let found = app.blocking(move || Ok(queue.get(&wanted)?)).await?;
    found
        .filter(|(request, _)| request.owner == person.user)
        .ok_or_else(|| ApiError::not_found(format!("there is no question {id:?}")))
}

async fn get(
    State(app): State<App>,
    person: Person,
    At(path): At<ApprovalPath>,
) -> Result<Json<ApprovalDetail>, ApiError> {
    let (request, settled) = find(&app, &person, &path.approval_id).await?;
    Ok(Json(ApprovalDetail { request, settled }))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Word {
    Yes,
    No,
    Edit,
    Pass,
    Withhold,
}

/// About running: `yes`, `no`, `edit` with `arguments`. About a result: `pass`, `withhold`, `edit` with `text`.
#[derive(Deserialize, JsonSchema)]
struct AnswerBody {
    answer: Word,
    reason: Option<String>,
    /// Keeps a yes or a no, in one of the shapes that the plan offers.
    remember: Option<Remember>,
    arguments: Option<serde_json::Map<String, Value>>,
    text: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Answered {
    /// Whether it was this answer that settled the question.
    accepted: bool,
    /// How it stands.
    settled: Settled,
}

async fn answer(
    State(app): State<App>,
    person: Person,
    At(path): At<ApprovalPath>,
    Body(body): Body<AnswerBody>,
) -> Result<Json<Answered>, ApiError> {
    let (request, settled) = find(&app, &person, &path.approval_id).await?;
    if let Some(settled) = settled {
        return Ok(Json(Answered { accepted: false, settled }));
    }
    let settled = Settled::Answered { answer: worded(&request, body)?, by: person.surface() };
    let (queue, wanted) = (Arc::clone(app.approvals()), settled.clone());
    let result = app.blocking(move || Ok(queue.settle(&request.id, &wanted)?)).await?;
    Ok(Json(match result {
        SettleResult::First => Answered { accepted: true, settled },
        SettleResult::Already(settled) => Answered { accepted: false, settled },
        SettleResult::Unknown => return Err(ApiError::not_found("the question is gone")),
    }))
}

fn worded(request: &ApprovalRequest, body: AnswerBody) -> Result<AnyAnswer, ApiError> {
    let AnswerBody { answer, reason, remember, arguments, text } = body;
    match (&request.subject, answer) {
        (Subject::Execution { plan }, Word::Yes | Word::No) => {
            if answer == Word::Yes && remember.is_some() && !request.may_remember {
                return Err(ApiError::invalid(
                    "a yes to a sensitive call is not remembered: leave out `remember`",
                ));
            }
            if remember.as_ref().is_some_and(|remember| !plan.shapes.contains(&remember.shape)) {
                return Err(ApiError::invalid("`remember.shape` is none of those that the plan offers"));
            }
            Ok(AnyAnswer::Execution(match answer {
                Word::Yes => Answer::Yes { remember },
                _ => Answer::No { reason, remember },
            }))
        }
        (Subject::Execution { .. }, Word::Edit) => {
            let arguments = arguments.ok_or_else(|| ApiError::invalid("an edit needs `arguments`"))?;
            Ok(AnyAnswer::Execution(Answer::Edit { arguments: Value::Object(arguments) }))
        }
        (Subject::Result { .. }, Word::Pass) => Ok(AnyAnswer::Result(ResultAnswer::Pass)),
        (Subject::Result { .. }, Word::Withhold) => Ok(AnyAnswer::Result(ResultAnswer::Withhold { reason })),
        (Subject::Result { .. }, Word::Edit) => {
            let text = text.ok_or_else(|| ApiError::invalid("an edit of a result needs `text`"))?;
            Ok(AnyAnswer::Result(ResultAnswer::Edit { text }))
        }
        (Subject::Execution { .. }, _) => {
            Err(ApiError::invalid("this question is whether the call may run: answer yes, no or edit"))
        }
        (Subject::Result { .. }, _) => {
            Err(ApiError::invalid("this question is about a result: answer pass, edit or withhold"))
        }
    }
}
