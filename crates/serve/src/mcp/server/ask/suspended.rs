//! Calls that wait for a client to come back with an answer.
//!
//! The stateless protocol lets no server ask while a call runs: the question is the call's result, and the client makes
//! the call again with the answer. Meanwhile the call itself goes on waiting here, so that an answer from elsewhere
//! counts, too, and what runs in the end is what was shown. The client gets a handle that cannot be guessed, works
//! once, and only for the client that it was given to.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use deskhand_core::{ApprovalRequest, Approver, Time, approval::AnyAnswer};
use futures_util::{FutureExt, future::BoxFuture};
use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ErrorData, InputRequest, InputRequiredResult, InputResponses,
};
use tokio::sync::{mpsc, oneshot};

use super::form;
use crate::mcp::server::{call::Going, client::Client};

/// Under which the question stands.
const KEY: &str = "approval";
/// The most calls that wait for one owner's clients.
const MOST: usize = 32;
/// How long the end of a call is kept for a client that has not come back by then.
const KEPT_S: u64 = 120;

/// A question on its way to a client.
pub struct Question {
    pub request: ApprovalRequest,
    pub reply: oneshot::Sender<AnyAnswer>,
}

/// Hands questions to whoever attends to the call.
pub struct Handing {
    pub surface: String,
    pub questions: mpsc::UnboundedSender<Question>,
}

impl Approver for Handing {
    fn name(&self) -> &str {
        &self.surface
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Option<AnyAnswer>> {
        async move {
            // Without a session nobody could say how long a yes for the session holds.
            let request = ApprovalRequest { may_remember: false, ..request.clone() };
            form::of(&request).ok()?;
            let (reply, answered) = oneshot::channel();
            self.questions.send(Question { request, reply }).ok()?;
            answered.await.ok()
        }
        .boxed()
    }
}

/// The calls that wait, by their handles.
#[derive(Default)]
pub struct Suspended(Mutex<HashMap<String, Waiting>>);

struct Waiting {
    going: Going,
    question: Question,
    client: Arc<Client>,
    asked_at: Instant,
    until: Time,
}

/// A call that its client has come back to.
pub enum Redeemed {
    /// With an answer, or too late for one: it goes on.
    GoesOn(Going),
    /// Without an answer: it is asked again.
    Unanswered(Going, Box<Question>),
}

impl Suspended {
    fn waiting(&self) -> MutexGuard<'_, HashMap<String, Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a call aside, and says what its client gets. A call for which there is no room is dropped, which cancels
    /// it.
    pub fn put(
        &self,
        client: &Arc<Client>,
        going: Going,
        question: Question,
    ) -> Result<InputRequiredResult, ErrorData> {
        let form = form::of(&question.request)?;
        let handle = handle()?;
        let until = question.request.expires_at.plus(std::time::Duration::from_secs(KEPT_S));
        self.tidy();
        {
            let mut waiting = self.waiting();
            let of_owner = waiting.values().filter(|one| one.client.owner() == client.owner()).count();
            if of_owner >= MOST {
                let message = format!("{MOST} calls wait for an answer already; answer those first");
                return Err(ErrorData::invalid_request(message, None));
            }
            waiting.insert(
                handle.clone(),
                Waiting { going, question, client: Arc::clone(client), asked_at: Instant::now(), until },
            );
        }
        let requests = [(KEY.to_owned(), InputRequest::Elicitation(ElicitRequest::new(form)))];
        Ok(InputRequiredResult::new(Some(requests.into_iter().collect()), Some(handle)))
    }

    /// Takes a call up again. The handle works once, for the client that got it, and for the same call.
    pub fn redeem(
        &self,
        client: &Arc<Client>,
        handle: &str,
        params: &CallToolRequestParams,
    ) -> Result<Redeemed, ErrorData> {
        self.tidy();
        let taken = {
            let mut waiting = self.waiting();
            let is_theirs = waiting.get(handle).is_some_and(|one| {
                Arc::ptr_eq(&one.client, client) && one.going.is_of(params) && one.until >= Time::now()
            });
            if is_theirs { waiting.remove(handle) } else { None }
        };
        let Some(Waiting { going, question, asked_at, .. }) = taken else {
            let message =
                "requestState is of no call that waits: it was used, has expired, or belongs to another call";
            return Err(ErrorData::invalid_params(message, None));
        };
        let responses: Option<&InputResponses> = params.input_responses.as_ref();
        // Settled elsewhere: whatever comes now comes too late.
        if question.reply.is_closed() {
            return Ok(Redeemed::GoesOn(going));
        }
        match responses.and_then(|all| all.get(KEY)).and_then(form::read) {
            None => Ok(Redeemed::Unanswered(going, Box::new(question))),
            // The question stays open for the others; it is dropped only here.
            Some(result) if form::is_unread(&result, asked_at.elapsed()) => Ok(Redeemed::GoesOn(going)),
            Some(result) => {
                let answer = form::answer(&question.request, &result);
                // It may have been settled elsewhere this very moment.
                let _ = question.reply.send(answer);
                Ok(Redeemed::GoesOn(going))
            }
        }
    }

    /// Lets go of what can no longer be taken up.
    pub fn tidy(&self) {
        let now = Time::now();
        let over: Vec<Waiting> = {
            let mut waiting = self.waiting();
            let handles: Vec<String> =
                waiting.iter().filter(|(_, one)| one.until < now).map(|(handle, _)| handle.clone()).collect();
            handles.iter().filter_map(|handle| waiting.remove(handle)).collect()
        };
        drop(over);
    }
}

/// 256 random bits.
fn handle() -> Result<String, ErrorData> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        ErrorData::internal_error(format!("the system gives no random numbers: {error}"), None)
    })?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}
