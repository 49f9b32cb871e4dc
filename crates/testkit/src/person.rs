//! A person who answers questions as a test says.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use deskhand_core::{
    Answer, ApprovalRequest, Approver, Plan, ResultAnswer,
    approval::{AnyAnswer, Subject},
};
use futures_util::future::BoxFuture;

type Decide = dyn Fn(ApprovalRequest) -> BoxFuture<'static, Option<AnyAnswer>> + Send + Sync;

/// Answers, and remembers what was asked.
pub struct Person {
    asked: Mutex<Vec<ApprovalRequest>>,
    decide: Box<Decide>,
}

impl Person {
    /// Decides about each question; `None` is nobody there.
    pub fn deciding(
        decide: impl Fn(&ApprovalRequest) -> Option<AnyAnswer> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Self::taking_time(move |request| {
            let answer = decide(&request);
            Box::pin(async move { answer })
        })
    }

    /// The same, with something that happens before the answer.
    pub fn taking_time(
        decide: impl Fn(ApprovalRequest) -> BoxFuture<'static, Option<AnyAnswer>> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self { asked: Mutex::default(), decide: Box::new(decide) })
    }

    /// Says yes to everything, and shares every result.
    pub fn agreeable() -> Arc<Self> {
        Self::deciding(|request| Some(agree(request)))
    }

    /// Gives these answers in this order; then nobody is there.
    pub fn answering(answers: impl IntoIterator<Item = AnyAnswer>) -> Arc<Self> {
        let answers: Mutex<VecDeque<_>> = Mutex::new(answers.into_iter().collect());
        Self::deciding(move |_| answers.lock().unwrap().pop_front())
    }

    /// The questions so far.
    pub fn asked(&self) -> Vec<ApprovalRequest> {
        self.asked.lock().unwrap().clone()
    }
}

impl Approver for Person {
    fn name(&self) -> &'static str {
        "person:test"
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Option<AnyAnswer>> {
        self.asked.lock().unwrap().push(request.clone());
        (self.decide)(request.clone())
    }
}

/// Yes, whatever the question is about.
pub fn agree(request: &ApprovalRequest) -> AnyAnswer {
    match request.subject {
        Subject::Execution { .. } => yes(),
        Subject::Result { .. } => pass(),
    }
}

pub fn yes() -> AnyAnswer {
    AnyAnswer::Execution(Answer::Yes { remember: None })
}

pub fn no(reason: &str) -> AnyAnswer {
    AnyAnswer::Execution(Answer::No { reason: Some(reason.into()), remember: None })
}

pub fn pass() -> AnyAnswer {
    AnyAnswer::Result(ResultAnswer::Pass)
}

/// The plan that a question was about.
///
/// # Panics
/// Where it was about a result.
pub fn plan_of(request: &ApprovalRequest) -> &Plan {
    match &request.subject {
        Subject::Execution { plan } => plan,
        Subject::Result { .. } => panic!("the question was about a result"),
    }
}
