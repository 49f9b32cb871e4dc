//! A model behind HTTP, of either wire: keys, tries and waits around single exchanges.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use futures_util::future::BoxFuture;
use reqwest::Client;
use tokio_util::sync::CancellationToken;

use super::{
    Capabilities, Delta, ErrorClass, ModelRequest, Provider, ProviderError, Reply,
    exchange::Exchange,
    failure::About,
    keys::KeyRing,
    retry::{Next, RetryPolicy, TimeLimits, in_words},
    wire::Wire,
};

pub(crate) struct Served {
    pub about: About,
    pub capabilities: Capabilities,
    pub client: Client,
    pub wire: Box<dyn Wire>,
    pub keys: KeyRing,
    pub retry: RetryPolicy,
    pub limits: TimeLimits,
}

impl Provider for Served {
    fn name(&self) -> &str {
        &self.about.model
    }

    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    fn complete<'a>(
        &'a self,
        request: &'a ModelRequest,
        on: &'a mut (dyn FnMut(Delta) + Send),
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        Box::pin(async move {
            let passed_on = AtomicBool::new(false);
            let mut on = |delta: Delta| {
                if !matches!(delta, Delta::Notice(_)) {
                    passed_on.store(true, Ordering::Relaxed);
                }
                on(delta);
            };
            let asked = self.ask(request, &mut on, &passed_on);
            tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    let mut error = ProviderError::new(ErrorClass::Cancelled, "The request was cancelled.");
                    error.partly_answered = passed_on.load(Ordering::Relaxed);
                    Err(error)
                }
                reply = asked => reply,
            }
        })
    }
}

impl Served {
    async fn ask(
        &self,
        request: &ModelRequest,
        on: &mut (dyn FnMut(Delta) + Send),
        passed_on: &AtomicBool,
    ) -> Result<Reply, ProviderError> {
        let body = self.wire.body(request).to_string().into_bytes();
        let exchange = Exchange {
            client: &self.client,
            wire: &*self.wire,
            about: &self.about,
            limits: &self.limits,
            was_reached: AtomicBool::new(true),
        };
        let began = Instant::now();
        let mut tried = 0;
        let mut key = self.keys.pick(began);
        // Since the last wait: the keys that were used, and a failure of one of them that will pass.
        let mut used = vec![key];
        let mut passing: Option<ProviderError> = None;
        loop {
            let mut error = match exchange.run(self.keys.get(key), &body, on).await {
                Ok(reply) => {
                    self.keys.worked(key);
                    return Ok(reply);
                }
                Err(error) => error,
            };
            error.partly_answered = passed_on.load(Ordering::Relaxed);
            tracing::debug!(model = %self.about.model, class = error.class.as_str(), tried, "a request failed");
            let other_key = self.keys.failed(key, &used, &error, Instant::now());
            if let Some(other) = other_key.filter(|_| !error.partly_answered) {
                // The same was not asked again with the same key, so this is no further try.
                on(Delta::Notice(format!("{} Another key is used.", error.message)));
                key = other;
                used.push(other);
                if error.class == ErrorClass::RateLimited {
                    passing = Some(error);
                }
                continue;
            }
            if !error.class.is_retried() && !error.partly_answered {
                error = passing.take().unwrap_or(error);
            }
            tried += 1;
            let elapsed = began.elapsed();
            let was_reached = exchange.was_reached.load(Ordering::Relaxed);
            match self.policy(was_reached).next(&error, tried, elapsed) {
                Next::GiveUp(why) => {
                    if let Some(why) = why {
                        error.message = format!("{} {why}", error.message);
                    }
                    return Err(error);
                }
                Next::Wait(wait) => {
                    on(Delta::Notice(format!("{} Asked again in {}.", error.message, in_words(wait))));
                    tokio::time::sleep(wait).await;
                    key = self.keys.pick(Instant::now());
                    used = vec![key];
                    passing = None;
                }
            }
        }
    }

    /// A server on this machine that does not listen will not by itself: once more is enough.
    fn policy(&self, was_reached: bool) -> RetryPolicy {
        let is_absent = self.about.is_local && !was_reached;
        RetryPolicy {
            tries: if is_absent { self.retry.tries.min(2) } else { self.retry.tries },
            ..self.retry
        }
    }
}
