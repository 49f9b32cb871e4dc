//! The questions that were asked through this queue, and what was answered to them.
//!
//! What a person types into an answer (other arguments, another text, a reason) may be a secret. It is kept
//! in memory here, for the one who asked, while what is stored tells only how the person decided.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use deskhand_core::{Answer, ResultAnswer, Settled, approval::AnyAnswer};
use serde_json::Value;

/// How long an answer is held for the one who asked, who takes it within a moment.
const HELD: Duration = Duration::from_mins(10);

#[derive(Default)]
pub(super) struct Asked(HashMap<String, Option<Held>>);

struct Held {
    settled: Settled,
    since: Instant,
}

impl Asked {
    /// A question is asked here.
    pub fn open(&mut self, id: &str) {
        self.0.retain(|_, held| held.as_ref().is_none_or(|held| held.since.elapsed() < HELD));
        self.0.insert(id.to_owned(), None);
    }

    pub fn forget(&mut self, id: &str) {
        self.0.remove(id);
    }

    /// Whether it was asked here, and the answer is not known yet.
    pub fn is_open(&self, id: &str) -> bool {
        matches!(self.0.get(id), Some(None))
    }

    /// The answer to a question that is open here is known. One that is stored as it is need not be held.
    pub fn close(&mut self, id: &str, settled: &Settled) {
        if *settled == stored_form(settled) {
            self.0.remove(id);
        } else {
            self.0.insert(id.to_owned(), Some(Held { settled: settled.clone(), since: Instant::now() }));
        }
    }

    pub fn answer(&self, id: &str) -> Option<&Settled> {
        self.0.get(id)?.as_ref().map(|held| &held.settled)
    }
}

/// How a question ended without anything that was typed: the kind of the answer, who gave it, and whether it
/// is remembered (in one of the shapes that the question offered).
pub(super) fn stored_form(settled: &Settled) -> Settled {
    let Settled::Answered { answer, by } = settled else { return settled.clone() };
    let answer = match answer {
        AnyAnswer::Execution(Answer::Yes { remember }) => {
            AnyAnswer::Execution(Answer::Yes { remember: remember.clone() })
        }
        AnyAnswer::Execution(Answer::No { reason: _, remember }) => {
            AnyAnswer::Execution(Answer::No { reason: None, remember: remember.clone() })
        }
        AnyAnswer::Execution(Answer::Edit { arguments: _ }) => {
            AnyAnswer::Execution(Answer::Edit { arguments: Value::Null })
        }
        AnyAnswer::Result(ResultAnswer::Pass) => AnyAnswer::Result(ResultAnswer::Pass),
        AnyAnswer::Result(ResultAnswer::Edit { text: _ }) => {
            AnyAnswer::Result(ResultAnswer::Edit { text: String::new() })
        }
        AnyAnswer::Result(ResultAnswer::Withhold { reason: _ }) => {
            AnyAnswer::Result(ResultAnswer::Withhold { reason: None })
        }
    };
    Settled::Answered { answer, by: by.clone() }
}
