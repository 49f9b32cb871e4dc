//! A turn, as it is told to a program that only knows text: what the model says, what it thinks and does, and what
//! waits for a person.

use deskhand_agent::{EventStream, TurnHandle};
use deskhand_core::{
    ApprovalRequest, Event, EventBody, Outcome, Status,
    approval::Subject,
    event::TurnOutcome,
    session::{Message, MessageQuery, Usage},
};

use super::conversation::{self, Told};
use crate::http::{app::App, error::ApiError, person::Person};

/// The most characters of a line about a call.
const LONGEST_LINE: usize = 300;

/// A turn that has begun. It is cancelled when nobody waits for its end any more.
pub struct Begun {
    turn: TurnHandle,
    has_ended: bool,
}

impl Begun {
    pub fn new(turn: TurnHandle) -> Self {
        Self { turn, has_ended: false }
    }

    pub fn turn_id(&self) -> &str {
        self.turn.turn_id()
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if !self.has_ended {
            self.turn.cancel();
        }
    }
}

/// Something to tell.
pub enum Piece {
    /// What is said.
    Content(String),
    /// What is thought and done.
    Reasoning(String),
    End(Box<End>),
}

/// How it ended.
pub struct End {
    pub finish: &'static str,
    pub usage: Usage,
    /// Why it did not come to an answer.
    pub failed: Option<ApiError>,
}

/// A turn that is told.
pub struct Speaking {
    pub app: App,
    person: Person,
    begun: Begun,
    watched: EventStream,
    /// Where a person answers questions.
    page: String,
    told: Told,
    /// All that was said, as the program sees it.
    said: String,
    /// Whether something was done since it was said.
    did_something: bool,
    /// Whether its end was told.
    is_over: bool,
}

impl Speaking {
    pub fn new(app: App, person: Person, begun: Begun, page: String, told: Told) -> Self {
        let watched = app.agent().subscribe(begun.turn.session_id(), begun.turn.first_event());
        Self {
            app,
            person,
            begun,
            watched,
            page,
            told,
            said: String::new(),
            did_something: false,
            is_over: false,
        }
    }

    /// The next piece. After the end there is none.
    pub async fn next(&mut self) -> Option<Piece> {
        if self.is_over {
            return None;
        }
        loop {
            let Some(event) = self.watched.next().await else {
                self.is_over = true;
                let broken = ApiError::broken("what happens in this turn cannot be read any more");
                return Some(Piece::End(Box::new(End {
                    finish: "stop",
                    usage: Usage::default(),
                    failed: Some(broken),
                })));
            };
            if event.turn_id.as_deref() != Some(self.begun.turn_id()) {
                continue;
            }
            if let Some(piece) = self.piece(event).await {
                return Some(piece);
            }
        }
    }

    async fn piece(&mut self, event: Event) -> Option<Piece> {
        let piece = match event.body {
            EventBody::Text { text } => self.say(&text, self.did_something),
            EventBody::Thought { text } => Piece::Reasoning(text),
            EventBody::CallPlanned { tool, plan, .. } => {
                self.did_something = true;
                Piece::Reasoning(format!("\n→ {}\n", line(&format!("{tool}: {}", plan.summary))))
            }
            EventBody::CallEnded { outcome } if outcome.status != Status::Success => {
                self.did_something = true;
                Piece::Reasoning(format!("\n✗ {}\n", line(&went_wrong(&outcome))))
            }
            EventBody::Notice { text } => Piece::Reasoning(format!("\n[{}]\n", line(&text))),
            EventBody::ApprovalWanted { request } => {
                self.did_something = true;
                let waiting = waiting(&request, &self.page, &self.app.program().about().language);
                self.say(&waiting, true)
            }
            EventBody::Done { outcome, reason, .. } => Piece::End(Box::new(self.end(outcome, reason).await)),
            _ => return None,
        };
        Some(piece)
    }

    /// What was said in different steps does not run into each other.
    fn say(&mut self, text: &str, anew: bool) -> Piece {
        let apart = if anew && !self.said.is_empty() && !self.said.ends_with('\n') { "\n\n" } else { "" };
        self.did_something = false;
        let text = format!("{apart}{text}");
        self.said.push_str(&text);
        Piece::Content(text)
    }

    async fn end(&mut self, outcome: TurnOutcome, reason: Option<String>) -> End {
        (self.begun.has_ended, self.is_over) = (true, true);
        let session_id = self.begun.turn.session_id().to_owned();
        let query = MessageQuery { last: Some(1), ..MessageQuery::default() };
        let id = session_id.clone();
        let answers = self.app.store(move |store| store.messages(&id, &query)).await;
        let answer: Option<Message> = answers.ok().and_then(|page| page.items.into_iter().next());
        let usage = answer.as_ref().and_then(|answer| answer.metadata.usage).unwrap_or_default();
        let finish = match outcome {
            TurnOutcome::Stopped => "length",
            _ => match answer.as_ref().and_then(|answer| answer.metadata.other.get("finish")?.as_str()) {
                Some("length") => "length",
                Some("filtered") => "content_filter",
                _ => "stop",
            },
        };
        let failed = (outcome == TurnOutcome::Failed).then(|| {
            let reason = reason.unwrap_or_else(|| "the turn failed".to_owned());
            ApiError::new(axum::http::StatusCode::FAILED_DEPENDENCY, "turn_failed", reason)
        });
        if let Some(answer) = answer.filter(|_| failed.is_none()) {
            self.told.add("assistant", &self.said);
            let digest = self.told.digest();
            conversation::remember(&self.app, &self.person, &session_id, digest, answer.id).await;
        }
        End { finish, usage, failed }
    }
}

fn went_wrong(outcome: &Outcome) -> String {
    let why = outcome.error.as_ref().map_or("", |error| error.message.as_str());
    format!("{}: {}: {why}", outcome.tool, outcome.status)
}

fn line(text: &str) -> String {
    let one = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match one.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", &one[..end]),
        None => one,
    }
}

/// Says what waits, and where to answer. The answer cannot come through this program.
fn waiting(request: &ApprovalRequest, page: &str, language: &str) -> String {
    let what = match &request.subject {
        Subject::Execution { plan } => format!("{}: {}", request.tool, plan.summary),
        Subject::Result { .. } if language == "zh" => format!("{} 的结果", request.tool),
        Subject::Result { .. } => format!("the result of {}", request.tool),
    };
    let what = line(&what);
    if language == "zh" {
        format!("⏳ 等待你的确认（{what}）。请在这里回答：{page}\n\n")
    } else {
        format!("⏳ This waits for your answer ({what}). Give it here: {page}\n\n")
    }
}
