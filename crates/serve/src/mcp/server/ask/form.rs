//! A question as a form, and the answer in it.

use std::time::Duration;

use deskhand_core::{
    Answer, ApprovalRequest, Plan, Remember, ResultAnswer, Shape,
    approval::{AnyAnswer, RememberScope, Subject},
};
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, ErrorData};
use serde_json::{Value, json};

use crate::mcp::harmless::{seen, seen_lines};

/// Characters of a preview that are shown: half of them are its beginning, half its end.
const MOST_SHOWN: usize = 2_000;
/// The same of a line.
const MOST_OF_A_LINE: usize = 1_000;
/// Paths, commands and hosts that are named.
const MOST_NAMED: usize = 10;
const MOST_REASON: usize = 500;
/// What the model reads when a person closed the question.
const CLOSED: &str = "the question was closed in the client, which counts as a no; a grant or another --mode allows \
    such calls without a question";
/// No person reads a question and closes it in less time than this.
const READING_TIME: Duration = Duration::from_millis(500);

/// Whether a client closed the question before a person could have read it. Clients without a person in front of them
/// offer forms all the same and close each at once: that is no answer, and the others may still give one.
pub fn is_unread(result: &ElicitResult, after: Duration) -> bool {
    let is_closed = !matches!(result.action, ElicitationAction::Accept | ElicitationAction::Decline);
    is_closed && after < READING_TIME
}

/// What the person is shown and may answer.
pub fn of(request: &ApprovalRequest) -> Result<ElicitRequestParams, ErrorData> {
    let (message, choices) = match &request.subject {
        Subject::Execution { plan } => execution(request, plan),
        // The question would hold the very result that the client may not have.
        Subject::Result { .. } => {
            let message = "whether a client may have a result is asked elsewhere";
            return Err(ErrorData::internal_error(message, None));
        }
    };
    let schema = json!({
        "type": "object",
        "properties": {
            "decision": {"type": "string", "title": "Decision", "enum": choices},
            "reason": {"type": "string", "title": "Reason", "description": "Why not; the model reads it."},
        },
        "required": ["decision"],
    });
    let requested_schema: ElicitationSchema = serde_json::from_value(schema)
        .map_err(|error| ErrorData::internal_error(format!("the form cannot be made: {error}"), None))?;
    Ok(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
}

fn execution(request: &ApprovalRequest, plan: &Plan) -> (String, Vec<&'static str>) {
    let mut lines = vec![
        format!("{}: {}", request.tool, line(&plan.summary)),
        format!("Permission: {} ({})", plan.permission, line(&plan.why)),
    ];
    if let Some(changes) = &plan.changes {
        lines.insert(0, "The command has run. Keep its changes?".to_owned());
        lines.push(seen_lines(&changes.text(MOST_SHOWN)));
    }
    // The list of changes says more than the paths.
    let touches = plan.touches.iter().filter(|_| plan.changes.is_none());
    let touches = touches.map(|touch| format!("{} {}", touch.access, touch.path.display()));
    let named = |what: &str, all: Vec<String>| {
        let more = all.len().saturating_sub(MOST_NAMED);
        let mut shown: Vec<String> = all.iter().take(MOST_NAMED).map(|one| line(one)).collect();
        if more > 0 {
            shown.push(format!("and {more} more"));
        }
        (!shown.is_empty()).then(|| format!("{what}: {}", shown.join("; ")))
    };
    lines.extend(named("Paths", touches.collect()));
    lines.extend(named("Commands", plan.commands.iter().map(|words| command(words)).collect()));
    lines.extend(named("Hosts", plan.hosts.clone()));
    lines.extend(plan.notes.iter().take(MOST_NAMED).map(|note| format!("Note: {}", line(note))));
    if let Some(preview) = &plan.preview {
        lines.push(format!("\n{}", both_ends(&seen_lines(preview.text()), MOST_SHOWN)));
    }
    let mut choices = vec!["once"];
    if let Some(shape) = remembered(request, plan) {
        lines.push(format!(
            "\n`session` also says yes, for the rest of this session, to {}.",
            line(&shape.words(&request.tool))
        ));
        choices.push("session");
    }
    choices.push("no");
    (lines.join("\n"), choices)
}

/// Text on one line.
fn line(text: &str) -> String {
    both_ends(&seen(text), MOST_OF_A_LINE)
}

/// A command whose words can be told apart.
fn command(words: &[String]) -> String {
    let quoted = words.iter().map(|word| {
        let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
        if !word.is_empty() && word.chars().all(is_plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// The beginning and the end of a text that is longer than can be shown: the end of a command matters no less.
fn both_ends(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let half = most / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(count - half).collect();
    format!("{head}[… {} characters that are not shown …]{tail}", count - 2 * half)
}

/// What a yes for the session covers: what is like this call, where the plan knows that, or this very call.
fn remembered<'a>(request: &ApprovalRequest, plan: &'a Plan) -> Option<&'a Shape> {
    if !request.may_remember {
        return None;
    }
    let like_it = plan.shapes.get(1).filter(|shape| **shape != Shape::AnyArguments);
    like_it.or(plan.shapes.first())
}

/// What the person said. Nothing but a clear yes is one.
pub fn answer(request: &ApprovalRequest, result: &ElicitResult) -> AnyAnswer {
    let field = |name: &str| result.content.as_ref().and_then(|content| content[name].as_str());
    let reason = field("reason").map(str::trim).filter(|reason| !reason.is_empty());
    let reason = reason.map(|reason| reason.chars().take(MOST_REASON).collect::<String>());
    let decision = match &result.action {
        ElicitationAction::Accept => field("decision").unwrap_or("nothing"),
        ElicitationAction::Decline => "no",
        _ => "dismissed",
    };
    let why_not = || {
        reason.clone().or_else(|| match decision {
            "no" | "withhold" => None,
            "dismissed" => Some(CLOSED.to_owned()),
            other => Some(format!("no decision was given, but {}", shortened(other, 40))),
        })
    };
    match &request.subject {
        Subject::Execution { plan } => AnyAnswer::Execution(match decision {
            "once" => Answer::Yes { remember: None },
            "session" => match remembered(request, plan) {
                Some(shape) => Answer::Yes {
                    remember: Some(Remember {
                        scope: RememberScope::Session,
                        shape: shape.clone(),
                        until: None,
                    }),
                },
                None => Answer::No {
                    reason: Some("this cannot be allowed for a session".to_owned()),
                    remember: None,
                },
            },
            _ => Answer::No { reason: why_not(), remember: None },
        }),
        // It was not asked here.
        Subject::Result { .. } => AnyAnswer::Result(ResultAnswer::Withhold { reason: why_not() }),
    }
}

/// An answer as a client of the stateless protocol sends it; `None` if it is none.
pub fn read(value: &Value) -> Option<ElicitResult> {
    serde_json::from_value(value.clone()).ok()
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}\n[… {} more characters]", &text[..end], text[end..].chars().count()),
    }
}

#[cfg(test)]
mod tests;
