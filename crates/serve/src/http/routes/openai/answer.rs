//! The answer to such a program: in one piece, or piece by piece as it comes.

use axum::{
    Json,
    http::{HeaderName, HeaderValue},
    response::{IntoResponse, Response, sse::Event as SseEvent},
};
use deskhand_core::session::Usage;
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

use super::{
    conversation::SESSION_HEADER,
    refusal::{Refusal, RefusalBody},
    speaking::{End, Piece, Speaking},
};
use crate::http::{error::ApiError, sse::EventsAnswer};

/// What stands in every piece.
pub struct About {
    pub id: String,
    pub created: i64,
    /// As the program named it.
    pub model: String,
    pub session_id: String,
    /// Whether a stream ends with what was used.
    pub with_usage: bool,
}

impl About {
    fn chunk(&self, delta: &Value, finish: Option<&str>) -> SseEvent {
        let choices = json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}]);
        self.event(&choices, None)
    }

    fn event(&self, choices: &Value, usage: Option<Usage>) -> SseEvent {
        let mut chunk = json!({
            "id": self.id, "object": "chat.completion.chunk", "created": self.created, "model": self.model,
            "choices": choices,
        });
        if self.with_usage {
            chunk["usage"] = usage.map_or(Value::Null, counted);
        }
        data(&chunk)
    }
}

/// The program may name it the next time.
fn in_session(session_id: &str, mut response: Response) -> Response {
    if let Ok(id) = HeaderValue::from_str(session_id) {
        response.headers_mut().insert(HeaderName::from_static(SESSION_HEADER), id);
    }
    response
}

fn data(value: &impl serde::Serialize) -> SseEvent {
    // What is sent here is ours, and always can be written as JSON.
    SseEvent::default().data(serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned()))
}

fn counted(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
    })
}

/// Waits for the end, and answers then.
pub async fn whole(mut speaking: Speaking, about: About) -> Result<Response, Refusal> {
    let (mut content, mut reasoning) = (String::new(), String::new());
    let ending = speaking.app.ending().clone();
    loop {
        let piece = tokio::select! {
            piece = speaking.next() => piece,
            () = ending.cancelled() => None,
        };
        match piece {
            Some(Piece::Content(text)) => content.push_str(&text),
            Some(Piece::Reasoning(text)) => reasoning.push_str(&text),
            Some(Piece::End(end)) => {
                let End { finish, usage, failed } = *end;
                if let Some(failed) = failed {
                    return Err(failed.into());
                }
                let answer = json!({
                    "id": about.id, "object": "chat.completion", "created": about.created, "model": about.model,
                    "choices": [{
                        "index": 0,
                        "message": {"role": "assistant", "content": content, "reasoning_content": reasoning, "refusal": null},
                        "logprobs": null,
                        "finish_reason": finish,
                    }],
                    "usage": counted(usage),
                });
                return Ok(in_session(&about.session_id, Json(answer).into_response()));
            }
            None => {
                let status = axum::http::StatusCode::SERVICE_UNAVAILABLE;
                return Err(ApiError::new(status, "ending", "the server ends").into());
            }
        }
    }
}

/// Answers as it comes.
pub fn streamed(speaking: Speaking, about: About) -> Response {
    let app = speaking.app.clone();
    let role = about.chunk(&json!({"role": "assistant", "content": ""}), None);
    let session_id = about.session_id.clone();
    let pieces = stream::unfold((speaking, about), |(mut speaking, about)| async move {
        let events = match speaking.next().await? {
            Piece::Content(text) => vec![about.chunk(&json!({"content": text}), None)],
            Piece::Reasoning(text) => vec![about.chunk(&json!({"reasoning_content": text}), None)],
            Piece::End(end) => last(&about, &end),
        };
        Some((stream::iter(events), (speaking, about)))
    });
    let events = stream::once(async move { role }).chain(pieces.flatten());
    in_session(&session_id, EventsAnswer::new(events, &app).into_response())
}

fn last(about: &About, end: &End) -> Vec<SseEvent> {
    let mut events = Vec::new();
    if let Some(failed) = &end.failed {
        events.push(data(&RefusalBody::of(failed)));
    } else {
        events.push(about.chunk(&json!({}), Some(end.finish)));
        if about.with_usage {
            events.push(about.event(&json!([]), Some(end.usage)));
        }
    }
    events.push(SseEvent::default().data("[DONE]"));
    events
}
