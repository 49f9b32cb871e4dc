//! A transcript as somebody may have written it by hand: what can be guessed may be missing.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Message, MessageMeta, Role, Session, SessionMeta, Step, Transcript, UNTITLED};
use crate::time::Time;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Written {
    format: String,
    #[serde(default)]
    session: WrittenSession,
    messages: Vec<WrittenMessage>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct WrittenSession {
    id: String,
    owner: Option<String>,
    title: Option<String>,
    title_locked: bool,
    created_at: Option<Time>,
    updated_at: Option<Time>,
    is_archived: bool,
    deleted_at: Option<Time>,
    metadata: SessionMeta,
}

#[derive(Deserialize, JsonSchema)]
struct WrittenMessage {
    id: Option<i64>,
    #[serde(default)]
    session_id: String,
    role: Role,
    content: String,
    timestamp: Option<Time>,
    execution_steps: Option<Vec<Step>>,
    #[serde(default)]
    metadata: MessageMeta,
}

impl From<Written> for Transcript {
    fn from(written: Written) -> Self {
        let Written { format, session, messages } = written;
        let first = messages.iter().find_map(|message| message.timestamp);
        let created_at = session.created_at.or(first).unwrap_or_else(Time::now);
        let mut last = (0_i64, created_at);
        let messages: Vec<Message> = messages
            .into_iter()
            .map(|message| {
                // What has no id comes right after what stands before it, at the same time.
                last = (message.id.unwrap_or(last.0.saturating_add(1)), message.timestamp.unwrap_or(last.1));
                Message {
                    id: last.0,
                    session_id: message.session_id,
                    role: message.role,
                    content: message.content,
                    timestamp: last.1,
                    execution_steps: message.execution_steps,
                    metadata: message.metadata,
                }
            })
            .collect();
        let session = Session {
            id: session.id,
            owner: session.owner,
            title: session.title.unwrap_or_else(|| UNTITLED.to_owned()),
            title_locked: session.title_locked,
            created_at,
            updated_at: session.updated_at.unwrap_or(last.1),
            message_count: messages.len() as u64,
            is_archived: session.is_archived,
            deleted_at: session.deleted_at,
            metadata: session.metadata,
        };
        Self { format, session, messages }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_can_be_guessed_may_be_missing() {
        let value = json!({
            "format": "deskhand-session-1",
            "messages": [
                {"role": "user", "content": "a"},
                {"role": "assistant", "content": "b", "id": 7, "timestamp": "2026-01-02T03:04:05Z"},
                {"role": "user", "content": "c"},
            ],
        });
        let read: Transcript = serde_json::from_value(value).unwrap();
        let at: Time = "2026-01-02T03:04:05Z".parse().unwrap();
        assert_eq!(read.session.title, UNTITLED);
        assert_eq!(
            (read.session.created_at, read.session.updated_at, read.session.message_count),
            (at, at, 3)
        );
        let messages: Vec<_> =
            read.messages.iter().map(|m| (m.id, m.timestamp, m.content.as_str())).collect();
        assert_eq!(messages, [(1, at, "a"), (7, at, "b"), (8, at, "c")]);
    }

    #[test]
    fn what_is_written_is_read_back_as_it_was() {
        let value = json!({
            "format": "deskhand-session-1",
            "session": {
                "id": "s", "owner": "ann", "title": "t", "title_locked": true, "created_at": "2026-01-02T03:04:05.000Z",
                "updated_at": "2026-01-02T03:04:06.000Z", "message_count": 1, "is_archived": true,
                "metadata": {"model": "a/b", "own": [1]},
            },
            "messages": [{
                "id": 3, "session_id": "s", "role": "assistant", "content": "b",
                "timestamp": "2026-01-02T03:04:05.000Z",
                "execution_steps": [{"type": "nudge", "round": 1, "text": "go on"}],
                "metadata": {"outcome": "completed", "own": {"x": 1}},
            }],
        });
        let read: Transcript = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), value);
    }

    #[test]
    fn what_cannot_be_guessed_must_be_there() {
        for (value, names) in [
            (json!({"messages": []}), "format"),
            (json!({"format": "x"}), "messages"),
            (json!({"format": "x", "messages": [{"content": "a"}]}), "role"),
            (json!({"format": "x", "messages": [{"role": "tool", "content": "a"}]}), "tool"),
            (json!({"format": "x", "messages": [{"role": "user"}]}), "content"),
        ] {
            let error = serde_json::from_value::<Transcript>(value).unwrap_err().to_string();
            assert!(error.contains(names), "{error}");
        }
    }
}
