//! A second model that is asked when the first one cannot answer.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::{Capabilities, Constrains, Delta, ErrorClass, ModelRequest, Provider, ProviderError, Reply};

/// How long the first is left alone after it has failed: its own tries and waits need not be gone through every time.
const REST: Duration = Duration::from_mins(5);

/// Two models as one. Both must be able to do what is asked, so it can do what both can.
pub struct Fallback {
    first: Arc<dyn Provider>,
    second: Arc<dyn Provider>,
    rests_until: Mutex<Option<Instant>>,
}

impl Fallback {
    pub fn new(first: Arc<dyn Provider>, second: Arc<dyn Provider>) -> Self {
        Self { first, second, rests_until: Mutex::new(None) }
    }

    fn first_rests(&self) -> bool {
        let until = *self.rests_until.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| until > Instant::now())
    }

    fn let_first_rest(&self) {
        *self.rests_until.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now().checked_add(REST);
    }
}

/// Whether another model may do better. A request that is wrong or too long is so for both; whoever cancelled is done.
fn is_the_models(class: ErrorClass) -> bool {
    match class {
        ErrorClass::Auth
        | ErrorClass::NoCredit
        | ErrorClass::NoSuchModel
        | ErrorClass::RateLimited
        | ErrorClass::Server
        | ErrorClass::Network
        | ErrorClass::Silent
        | ErrorClass::Malformed => true,
        ErrorClass::BadRequest | ErrorClass::TooLong | ErrorClass::NoTools | ErrorClass::Cancelled => false,
    }
}

impl Provider for Fallback {
    fn name(&self) -> &str {
        if self.first_rests() { self.second.name() } else { self.first.name() }
    }

    fn capabilities(&self) -> Capabilities {
        let (a, b) = (self.first.capabilities(), self.second.capabilities());
        Capabilities {
            native_tools: a.native_tools && b.native_tools,
            constrains: if a.constrains == b.constrains { a.constrains } else { Constrains::No },
            images: a.images && b.images,
            context_tokens: a.context_tokens.min(b.context_tokens),
        }
    }

    fn complete<'a>(
        &'a self,
        request: &'a ModelRequest,
        on: &'a mut (dyn FnMut(Delta) + Send),
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        Box::pin(async move {
            if !self.first_rests() {
                let error = match self.first.complete(request, on, cancel).await {
                    Ok(reply) => return Ok(reply),
                    Err(error) => error,
                };
                if error.partly_answered || !is_the_models(error.class) {
                    return Err(error);
                }
                self.let_first_rest();
                on(Delta::Notice(format!(
                    "{} does not answer: {} {} is asked instead.",
                    self.first.name(),
                    error.message,
                    self.second.name()
                )));
            }
            self.second.complete(request, on, cancel).await
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::scripted::{Script, Scripted, ScriptedError, ScriptedReply};

    fn failing(class: ErrorClass, text: &str) -> ScriptedReply {
        ScriptedReply {
            text: text.into(),
            error: Some(ScriptedError {
                class: class.as_str().into(),
                message: "no.".into(),
                ..ScriptedError::default()
            }),
            ..ScriptedReply::default()
        }
    }

    fn model(name: &str, replies: Vec<ScriptedReply>) -> Arc<Scripted> {
        Arc::new(Scripted::new(name, Script { replies, ..Script::default() }))
    }

    async fn ask(model: &dyn Provider) -> (Result<Reply, ProviderError>, Vec<Delta>) {
        let mut deltas = Vec::new();
        let reply = model
            .complete(&ModelRequest::default(), &mut |delta| deltas.push(delta), &CancellationToken::new())
            .await;
        (reply, deltas)
    }

    #[tokio::test]
    async fn the_second_answers_where_the_first_cannot() {
        for class in ErrorClass::ALL {
            let second = model("b", vec![ScriptedReply::text("from b")]);
            let both = Fallback::new(model("a", vec![failing(class, "")]), second);
            let (reply, deltas) = ask(&both).await;
            if is_the_models(class) {
                assert_eq!(reply.unwrap().text, "from b", "{class:?}");
                let notice =
                    Delta::Notice("scripted/a does not answer: no. scripted/b is asked instead.".into());
                assert_eq!(deltas[0], notice);
            } else {
                assert_eq!(reply.unwrap_err().class, class);
            }
        }
    }

    #[tokio::test]
    async fn what_was_begun_is_not_begun_anew() {
        let second = model("b", vec![ScriptedReply::text("from b")]);
        let both = Fallback::new(model("a", vec![failing(ErrorClass::Network, "half")]), second);
        assert!(ask(&both).await.0.unwrap_err().partly_answered);
    }

    #[tokio::test]
    async fn the_first_rests_after_a_failure() {
        let replies = vec![failing(ErrorClass::Auth, ""), ScriptedReply::text("from a")];
        let second = model("b", vec![ScriptedReply::text("1"), ScriptedReply::text("2")]);
        let both = Fallback::new(model("a", replies), second);
        assert_eq!(both.name(), "scripted/a");
        assert_eq!(ask(&both).await.0.unwrap().text, "1");
        assert_eq!(ask(&both).await.0.unwrap().text, "2");
        assert_eq!(both.name(), "scripted/b");
    }
}
