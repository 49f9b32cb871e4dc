//! Approve result: where it is asked for, a person may pass, edit or withhold what the caller gets to see.

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{Caller, Gate, SessionCx, ask, record::Draft, screen::Screened};
use crate::{
    approval::{AnyAnswer, ResultAnswer, Subject},
    error::{ToolError, ToolResult},
    outcome::Status,
    registry::ToolEntry,
};

pub(super) struct Question<'a> {
    pub entry: &'a ToolEntry,
    pub arguments: &'a Value,
}

/// Whether the session, the config, the tool or the plan asks for it.
pub(super) fn is_wanted(gate: &Gate, entry: &ToolEntry, by_plan: bool, session: &SessionCx) -> bool {
    session.check_results || gate.tool_settings(entry).requires_result_approval.unwrap_or(by_plan)
}

pub(super) async fn approve(
    gate: &Gate,
    question: &Question<'_>,
    screened: Screened,
    session: &SessionCx,
    draft: &mut Draft,
    cancel: &CancellationToken,
) -> ToolResult<(Screened, Shown)> {
    if !is_wanted(gate, question.entry, draft.plan_wants_result_approval, session) {
        return Ok((screened, Shown::Whole));
    }
    answer(gate, question, screened, session, draft, cancel).await
}

/// How much of a result its caller gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Whole,
    /// Other words in place of it.
    Edited,
}

async fn answer(
    gate: &Gate,
    question: &Question<'_>,
    screened: Screened,
    session: &SessionCx,
    draft: &mut Draft,
    cancel: &CancellationToken,
) -> ToolResult<(Screened, Shown)> {
    let subject = Subject::Result {
        text: shown(&screened.text),
        data: screened.data.clone(),
        images: screened.images.clone(),
    };
    let tool = question.entry.spec().name;
    let request = ask::question(gate, session, draft.call_id, tool, question.arguments, subject);
    // Fail closed: without an answer the result stays here.
    let answered = ask::ask(gate, request, session, cancel).await.map_err(|error| {
        let message = format!("It ran, but nobody approved its result: {}", error.message);
        let options = if session.caller.0 == Caller::COMMAND_LINE {
            ", with --yes, or with --wait and `deskhand approvals`"
        } else {
            ""
        };
        let hint = format!(
            "Run it in a terminal{options}; the setting tools.{}.requires_result_approval says whether its \
             result needs approval.",
            question.entry.spec().name
        );
        rejected(error.code, message).hint(hint)
    })?;
    draft.result_decided_by(&answered.by);
    match answered.answer {
        AnyAnswer::Result(ResultAnswer::Pass) => Ok((screened, Shown::Whole)),
        AnyAnswer::Result(ResultAnswer::Edit { text }) => {
            let text = gate.screener.mask_text(&text);
            Ok((Screened { text, ..Screened::default() }, Shown::Edited))
        }
        AnyAnswer::Result(ResultAnswer::Withhold { reason }) => {
            let why = reason.map_or_else(|| "no reason was given".to_owned(), |r| format!("«{r}»"));
            Err(rejected("result_rejected", format!("It ran; {} keeps its result: {why}.", answered.by)))
        }
        AnyAnswer::Execution(_) => Err(rejected(
            "wrong_answer",
            "The answer was about running, and the question about the result, which stays withheld."
                .to_owned(),
        )),
    }
}

/// The question is stored: as much of the text as a person would read.
fn shown(text: &str) -> String {
    const MOST: usize = 100_000;
    let mut shown = Value::String(text.to_owned());
    crate::cut::strings(&mut shown, MOST);
    shown.as_str().unwrap_or_default().to_owned()
}

fn rejected(code: &'static str, message: String) -> ToolError {
    ToolError { status: Status::ResultRejected, ..ToolError::new(code, message) }
}
