//! What a server may ask of us: a few things now and then. Each question is answered, and answers that nobody takes
//! pile up here.

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use rmcp::{
    RoleClient,
    model::JsonRpcMessage,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::time::{Duration, Instant};

use super::state::Server;

/// So many questions may wait for their answers to be taken.
const MOST_WAITING: usize = 32;
/// So many may come within [`WHILE`].
const MOST_IN_A_WHILE: usize = 200;
const WHILE: Duration = Duration::from_secs(10);

/// A connection that ends where a server asks too much.
pub(super) struct Metered<T> {
    inner: T,
    server: Arc<Server>,
    waiting: Arc<AtomicUsize>,
    since: Instant,
    asked: usize,
}

impl<T> Metered<T> {
    pub fn new(inner: T, server: &Arc<Server>) -> Self {
        let waiting = Arc::default();
        Self { inner, server: Arc::clone(server), waiting, since: Instant::now(), asked: 0 }
    }

    fn is_too_much(&mut self) -> bool {
        if self.since.elapsed() >= WHILE {
            (self.since, self.asked) = (Instant::now(), 0);
        }
        self.asked += 1;
        self.waiting.fetch_add(1, Ordering::AcqRel) >= MOST_WAITING || self.asked > MOST_IN_A_WHILE
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Metered<T> {
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answers = matches!(item, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
        let taken = Taken(answers.then(|| Arc::clone(&self.waiting)));
        let sending = self.inner.send(item);
        async move {
            let sent = sending.await;
            drop(taken);
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.inner.receive().await?;
        if matches!(message, JsonRpcMessage::Request(_)) && self.is_too_much() {
            self.server.asks_too_much();
            return None;
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// An answer on its way; dropped, nobody waits for it.
struct Taken(Option<Arc<AtomicUsize>>);

impl Drop for Taken {
    fn drop(&mut self) {
        if let Some(waiting) = &self.0 {
            // A server's cancelled question has no answer, and an error of its own making no question.
            let _ = waiting.fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| count.checked_sub(1));
        }
    }
}
