//! What is on a page, as an outline, with its frames where they stand.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Page, PageError, Target, element};
use crate::cdp::Connection;

/// How deep frames in frames are shown.
const DEEPEST: usize = 4;
/// How many frames are shown.
const MOST_FRAMES: usize = 20;
/// How long all frames that do not answer are waited for, and each of them at least.
const IN_ALL: Duration = Duration::from_secs(6);
const AT_LEAST: Duration = Duration::from_millis(200);

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct SnapshotAsk {
    /// Only what is in this element, by its ref.
    pub root: Option<String>,
    pub offset: u32,
    pub max_chars: u32,
    /// Only what is different from this snapshot.
    pub since: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Snapshot {
    /// By which a later one can be compared with it.
    pub id: u64,
    pub url: String,
    pub title: String,
    /// A line for each element, indented.
    pub outline: String,
    /// Whether there is more than is shown.
    pub truncated: bool,
}

impl Page {
    pub async fn snapshot(&self, ask: &SnapshotAsk) -> Result<Snapshot, PageError> {
        let mut more = json!({"max_chars": ask.max_chars, "offset": ask.offset});
        if let Some(since) = ask.since {
            more["since"] = since.into();
        }
        let target = Target { reference: ask.root.clone(), ..Target::default() };
        if let Some(root) = &ask.root {
            more["root_ref"] = root.as_str().into();
        }
        let found = self.ask_about(&target, "snapshot", &more, Connection::USUAL).await?;
        let told = found.answer;
        let text = |key: &str| told[key].as_str().unwrap_or_default().to_owned();
        let left = usize::try_from(ask.max_chars).unwrap_or(usize::MAX).saturating_sub(text("text").len());
        let mut room = Room { chars: left, frames: MOST_FRAMES, patience: IN_ALL };
        let outline = self.with_frames(&found.frame, &told, 1, &mut room).await?;
        Ok(Snapshot {
            id: told["id"].as_u64().unwrap_or_default(),
            url: text("url"),
            title: text("title"),
            outline,
            truncated: told["truncated"] == true,
        })
    }

    /// The outline of a frame, with those of its frames under the lines that stand for them.
    async fn with_frames(
        &self,
        frame: &str,
        told: &Value,
        depth: usize,
        room: &mut Room,
    ) -> Result<String, PageError> {
        let mut lines: Vec<String> =
            told["text"].as_str().unwrap_or_default().lines().map(str::to_owned).collect();
        // From the last to the first, so that the numbers of lines stay right.
        for inner in told["frames"].as_array().into_iter().flatten().rev() {
            if depth > DEEPEST || room.frames == 0 || room.chars < 200 {
                break;
            }
            room.frames -= 1;
            let Some(id) = self.frame_of(frame, &inner["ref"]).await else { continue };
            let Some(told) = self.told_by(&id, room).await? else { continue };
            room.chars = room.chars.saturating_sub(told["text"].as_str().map_or(0, str::len));
            let outline = Box::pin(self.with_frames(&id, &told, depth + 1, room)).await?;
            let number =
                |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or_default();
            let indent = "  ".repeat(number(&inner["depth"]) + 1);
            let under = outline.lines().map(|line| format!("{indent}{line}"));
            let at = (number(&inner["line"]) + 1).min(lines.len());
            lines.splice(at..at, under);
        }
        Ok(lines.join("\n"))
    }

    /// What a frame has in it; `None` where it is gone. One that is busy is waited for a moment, and said to be so.
    async fn told_by(&self, frame: &str, room: &mut Room) -> Result<Option<Value>, PageError> {
        let begun = Instant::now();
        let limit = element::OF_A_FRAME.min(room.patience).max(AT_LEAST);
        let more = json!({"max_chars": room.chars});
        match self.ask_within(limit, Some(frame), "snapshot", &more).await {
            Ok(told) => Ok(element::refusal(&told).is_none().then_some(told)),
            Err(PageError::Cancelled) => Err(PageError::Cancelled),
            Err(PageError::TimedOut { .. }) => {
                room.patience = room.patience.saturating_sub(begun.elapsed());
                Ok(Some(json!({"text": "- (this frame does not answer: what is in it is not shown)"})))
            }
            Err(_) => Ok(None),
        }
    }

    /// The frame that an iframe element of `frame` shows.
    async fn frame_of(&self, frame: &str, reference: &Value) -> Option<String> {
        self.child_of(frame, "element", &json!({"ref": reference})).await.ok()?
    }
}

struct Room {
    chars: usize,
    frames: usize,
    /// What is left for frames that do not answer.
    patience: Duration,
}
