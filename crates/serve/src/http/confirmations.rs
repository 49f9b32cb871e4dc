//! Plans, changes and results that were shown over HTTP and wait for their yes: the steps of `/api/v1/tools/execute`.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use deskhand_core::{ApprovalRequest, Outcome, Plan, id::new_id};
use tokio::{sync::mpsc, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// The most that wait at once, and the most of one caller; the oldest go first.
const MOST: usize = 1_000;
const MOST_OF_ONE: usize = 100;

/// Which call a plan is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallKey {
    /// Who asked.
    pub caller: String,
    pub session_id: String,
    /// The canonical name.
    pub tool: String,
    /// SHA-256 of the canonical arguments.
    pub arguments: String,
}

/// A call that has begun, and the questions it asks once it has run: about its changes, about its result.
pub struct Calling {
    /// It ends once its question is answered, or has expired.
    pub call: JoinHandle<Outcome>,
    pub questions: mpsc::UnboundedReceiver<ApprovalRequest>,
    pub cancel: CancellationToken,
}

/// What a request says yes to.
pub enum Confirmed {
    Plan(Box<Plan>),
    /// What a call asks that has run.
    Question {
        question: Box<ApprovalRequest>,
        calling: Calling,
    },
}

struct Waiting {
    key: CallKey,
    shown: Confirmed,
    until: Instant,
}

/// What was shown and waits for a yes, by the id of the plan or of the question about the result.
pub struct Confirmations {
    limit: Duration,
    waiting: Mutex<HashMap<String, Waiting>>,
}

impl Confirmations {
    pub fn new(limit: Duration) -> Self {
        Self { limit, waiting: Mutex::default() }
    }

    pub fn limit(&self) -> Duration {
        self.limit
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<String, Waiting>> {
        // Every single step leaves the map whole.
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        waiting.retain(|_, one| one.until > now);
        waiting
    }

    /// Keeps a plan that is about to be shown, and gives it its id.
    pub fn show(&self, key: CallKey, plan: Plan) -> String {
        let id = new_id();
        self.keep(id.clone(), key, Confirmed::Plan(Box::new(plan)));
        id
    }

    /// Keeps a call whose question is about to be shown.
    pub fn wait_for_answer(&self, key: CallKey, question: Box<ApprovalRequest>, calling: Calling) {
        self.keep(question.id.clone(), key, Confirmed::Question { question, calling });
    }

    fn keep(&self, id: String, key: CallKey, shown: Confirmed) {
        let mut waiting = self.waiting();
        // Shown anew: the earlier one is not confirmed by accident.
        waiting.retain(|_, one| one.key != key);
        let of_this_one = waiting.values().filter(|one| one.key.caller == key.caller).count();
        if of_this_one >= MOST_OF_ONE || waiting.len() >= MOST {
            // Whoever asks much pushes out their own, before those of others.
            let oldest = waiting.iter().min_by_key(|(_, one)| (one.key.caller != key.caller, one.until));
            if let Some(id) = oldest.map(|(id, _)| id.clone()) {
                waiting.remove(&id);
            }
        }
        waiting.insert(id, Waiting { key, shown, until: Instant::now() + self.limit });
    }

    /// Takes what was shown for this call, by its id or, where none is given, by the call. It is used once.
    pub fn confirm(&self, id: Option<&str>, key: &CallKey) -> Option<Confirmed> {
        let mut waiting = self.waiting();
        let id = match id {
            Some(id) => id.to_owned(),
            None => waiting.iter().find(|(_, one)| one.key == *key).map(|(id, _)| id.clone())?,
        };
        // Another call's plan says nothing about this one, and stays.
        waiting.get(&id).filter(|one| one.key == *key)?;
        waiting.remove(&id).map(|one| one.shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(caller: &str, arguments: &str) -> CallKey {
        let [caller, session_id, tool, arguments] = [caller, "s", "bash", arguments].map(str::to_owned);
        CallKey { caller, session_id, tool, arguments }
    }

    /// The plan that is confirmed, in words.
    fn plan(book: &Confirmations, id: Option<&str>, key: &CallKey) -> Option<String> {
        match book.confirm(id, key)? {
            Confirmed::Plan(plan) => Some(plan.summary),
            Confirmed::Question { .. } => panic!("it is a question"),
        }
    }

    #[test]
    fn a_plan_is_confirmed_once_for_its_own_call() {
        let book = Confirmations::new(Duration::from_mins(1));
        let id = book.show(key("a", "1"), Plan::new("one"));
        assert!(book.confirm(Some(&id), &key("a", "2")).is_none(), "other arguments");
        assert!(book.confirm(Some(&id), &key("b", "1")).is_none(), "another caller");
        assert_eq!(plan(&book, Some(&id), &key("a", "1")).unwrap(), "one");
        assert!(book.confirm(Some(&id), &key("a", "1")).is_none(), "a second time");
        book.show(key("a", "1"), Plan::new("two"));
        assert!(book.confirm(None, &key("a", "3")).is_none());
        assert_eq!(plan(&book, None, &key("a", "1")).unwrap(), "two");
    }

    #[test]
    fn what_is_too_old_or_shown_anew_is_gone() {
        let book = Confirmations::new(Duration::ZERO);
        let id = book.show(key("a", "1"), Plan::new("old"));
        assert!(book.confirm(Some(&id), &key("a", "1")).is_none());
        let book = Confirmations::new(Duration::from_mins(1));
        let first = book.show(key("a", "1"), Plan::new("first"));
        book.show(key("a", "1"), Plan::new("second"));
        assert!(book.confirm(Some(&first), &key("a", "1")).is_none());
        assert_eq!(plan(&book, None, &key("a", "1")).unwrap(), "second");
    }

    #[test]
    fn the_book_is_bounded() {
        let book = Confirmations::new(Duration::from_mins(1));
        let first = book.show(key("b", "1"), Plan::new("of another"));
        for n in 0..MOST + 10 {
            book.show(key("a", &n.to_string()), Plan::new("x"));
        }
        assert_eq!(book.waiting().len(), MOST_OF_ONE + 1);
        assert!(book.confirm(Some(&first), &key("b", "1")).is_some(), "nobody pushes out another's");
        let newest = (MOST + 9).to_string();
        assert!(book.confirm(None, &key("a", &newest)).is_some(), "one's own oldest go first");
        for n in 0..2 * MOST {
            book.show(key(&format!("caller-{}", n % 50), &n.to_string()), Plan::new("x"));
        }
        assert_eq!(book.waiting().len(), MOST);
    }
}
