//! Questions in a conversation: asked by whoever shows the events, once it has shown all that came before them.

use std::{
    collections::{HashSet, VecDeque},
    time::{Duration, Instant},
};

use deskhand_core::{ApprovalRequest, Approver, approval::AnyAnswer};
use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};

use super::SURFACE;

/// How many questions may wait to be shown.
const MOST_WAITING: usize = 64;
/// A question whose event does not come is shown after this long all the same.
const PATIENCE: Duration = Duration::from_secs(1);

/// Hands questions to the conversation on this terminal.
pub struct ChatApprover {
    to_screen: mpsc::Sender<Question>,
}

impl Approver for ChatApprover {
    fn name(&self) -> &'static str {
        SURFACE
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Option<AnyAnswer>> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let question = Question { request: request.clone(), answer, since: Instant::now() };
            self.to_screen.send(question).await.ok()?;
            answered.await.ok()
        })
    }
}

/// One question, and where its answer goes. Whoever asked may lose interest: the answer came from elsewhere.
pub struct Question {
    pub request: ApprovalRequest,
    answer: oneshot::Sender<AnyAnswer>,
    since: Instant,
}

impl Question {
    pub fn answer(self, answer: AnyAnswer) {
        // Too late is no fault of the person who answers.
        let _ = self.answer.send(answer);
    }

    /// Returns when nobody waits for the answer any more.
    pub async fn gone(&mut self) {
        self.answer.closed().await;
    }
}

/// The questions that wait to be shown.
pub struct Questions {
    from_gate: mpsc::Receiver<Question>,
    waiting: VecDeque<Question>,
    seen: HashSet<String>,
}

impl Questions {
    /// The two ends: one goes into the session's approvers, the other to the screen.
    pub fn new() -> (ChatApprover, Self) {
        let (to_screen, from_gate) = mpsc::channel(MOST_WAITING);
        (ChatApprover { to_screen }, Self { from_gate, waiting: VecDeque::new(), seen: HashSet::new() })
    }

    /// Waits for the next question to arrive. It is not shown before its turn.
    pub async fn arrive(&mut self) {
        match self.from_gate.recv().await {
            Some(question) => self.waiting.push_back(question),
            // Nobody can ask any more.
            None => std::future::pending().await,
        }
    }

    /// The event of this question was shown.
    pub fn shown(&mut self, approval_id: &str) {
        self.seen.insert(approval_id.to_owned());
    }

    /// The question whose turn it is.
    pub fn take(&mut self) -> Option<Question> {
        self.waiting.retain(|question| !question.answer.is_closed());
        let due = |question: &Question| {
            self.seen.contains(&question.request.id) || question.since.elapsed() >= PATIENCE
        };
        let at = self.waiting.iter().position(due)?;
        let question = self.waiting.remove(at)?;
        self.seen.remove(&question.request.id);
        Some(question)
    }
}
