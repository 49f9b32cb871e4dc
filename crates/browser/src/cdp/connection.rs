//! Commands and their answers. Whatever the other side does, every command ends: with its answer, with its deadline, or
//! with the connection.

use std::{
    collections::HashMap,
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::Value;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::{
    message::{self, Event, Incoming},
    transport::{Deliver, Frame, Receive, Transport},
};

/// How many commands may wait to be sent. More than that means that nobody reads on the other side.
const MOST_UNSENT: usize = 4096;

/// Why a command did not do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CdpError {
    /// The browser says no.
    #[error("{method}: {message}")]
    Refused { method: String, code: i64, message: String },
    #[error("{method} got no answer within {} ms", limit.as_millis())]
    TimedOut { method: String, limit: Duration },
    #[error("the answer to {method} has {size} bytes, which is too much")]
    TooLong { method: String, size: usize },
    /// There is no browser at the other end any more; in words, why.
    #[error("the connection to the browser has ended: {0}")]
    Closed(String),
}

/// Who takes events in. Called from the task that reads the connection: it must not wait for anything.
pub trait Ears: Send + Sync + 'static {
    fn hear(&self, event: &Event, connection: &Connection);
}

type Answer = Result<Value, CdpError>;

struct Waiting {
    method: String,
    answer: oneshot::Sender<Answer>,
}

struct Inner {
    next: AtomicU64,
    /// `None` once the connection has ended.
    waiting: Mutex<Option<HashMap<u64, Waiting>>>,
    unsent: mpsc::Sender<String>,
    ended: watch::Sender<Option<String>>,
    stop: CancellationToken,
}

/// A connection to a browser. Cheap to clone. The tasks behind it end when the other side does, on [`Self::close`],
/// and when the [`Guard`](tokio_util::sync::DropGuard) of whoever started it is dropped.
#[derive(Clone)]
pub struct Connection(Arc<Inner>);

impl Connection {
    /// How long an ordinary command may take.
    pub const USUAL: Duration = Duration::from_secs(30);

    /// Begins to read and to write. `stop` ends both.
    pub fn start(transport: Transport, ears: Arc<dyn Ears>, stop: CancellationToken) -> Self {
        let (unsent, to_send) = mpsc::channel(MOST_UNSENT);
        let inner = Arc::new(Inner {
            next: AtomicU64::new(1),
            waiting: Mutex::new(Some(HashMap::new())),
            unsent,
            ended: watch::Sender::new(None),
            stop,
        });
        let connection = Self(inner);
        tokio::spawn(write(transport.send, to_send, connection.clone()));
        tokio::spawn(read(transport.receive, ears, connection.clone()));
        connection
    }

    /// Sends a command and waits for its answer. Dropping the wait leaves nothing behind.
    pub async fn call(&self, session: Option<&str>, method: &str, params: Value, limit: Duration) -> Answer {
        let id = self.0.next.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        self.expect(id, Waiting { method: method.to_owned(), answer })?;
        let _forgets = Forgets { connection: Arc::downgrade(&self.0), id };
        let text = message::command(id, session, method, &params);
        let exchange = async {
            // A full queue, or a closed one, is told by how the connection ends, or by the deadline.
            let _ = self.0.unsent.send(text).await;
            answered.await.unwrap_or_else(|_| Err(self.why_closed()))
        };
        let timed_out = || CdpError::TimedOut { method: method.to_owned(), limit };
        tokio::time::timeout(limit, exchange).await.unwrap_or_else(|_| Err(timed_out()))
    }

    /// Sends a command whose answer nobody needs. Never waits: if too much is unsent, the other side has stopped
    /// reading, and the connection ends.
    pub fn post(&self, session: Option<&str>, method: &str, params: &Value) {
        let id = self.0.next.fetch_add(1, Ordering::Relaxed);
        let text = message::command(id, session, method, params);
        if let Err(mpsc::error::TrySendError::Full(_)) = self.0.unsent.try_send(text) {
            self.end("the browser does not take commands any more");
        }
    }

    /// Ends it from this side.
    pub fn close(&self) {
        self.end("it was closed");
    }

    /// Why it has ended; `None` while it has not.
    pub fn ended(&self) -> Option<String> {
        self.0.ended.borrow().clone()
    }

    /// Waits until it has ended.
    pub async fn until_ended(&self) -> String {
        let mut ended = self.0.ended.subscribe();
        let why = ended.wait_for(Option::is_some).await.ok().and_then(|why| why.clone());
        why.unwrap_or_default()
    }

    fn why_closed(&self) -> CdpError {
        CdpError::Closed(self.ended().unwrap_or_else(|| "it was closed".to_owned()))
    }

    fn waiting(&self) -> MutexGuard<'_, Option<HashMap<u64, Waiting>>> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn unanswered(&self) -> usize {
        self.waiting().as_ref().map_or(0, HashMap::len)
    }

    fn expect(&self, id: u64, waiting: Waiting) -> Result<(), CdpError> {
        match self.waiting().as_mut() {
            Some(all) => {
                all.insert(id, waiting);
                Ok(())
            }
            None => Err(self.why_closed()),
        }
    }

    /// Gives an answer to whoever waits for it. An id that nobody waits for is a late answer, or none of ours.
    fn settle(&self, id: u64, answer: impl FnOnce(&str) -> Answer) {
        let waiting = self.waiting().as_mut().and_then(|all| all.remove(&id));
        if let Some(waiting) = waiting {
            let answer = answer(&waiting.method);
            let _ = waiting.answer.send(answer);
        }
    }

    /// The first reason counts. All who wait are told.
    fn end(&self, why: &str) {
        self.0.ended.send_if_modified(|ended| {
            let first = ended.is_none();
            if first {
                *ended = Some(why.to_owned());
            }
            first
        });
        let waiting = self.waiting().take();
        for (_, waiting) in waiting.into_iter().flatten() {
            let _ = waiting.answer.send(Err(self.why_closed()));
        }
        self.0.stop.cancel();
    }
}

/// Takes a command out of those that wait when its caller goes away.
struct Forgets {
    connection: Weak<Inner>,
    id: u64,
}

impl Drop for Forgets {
    fn drop(&mut self) {
        if let Some(inner) = self.connection.upgrade() {
            let mut waiting = inner.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.as_mut().and_then(|all| all.remove(&self.id));
        }
    }
}

async fn write(mut to: Box<dyn Deliver>, mut unsent: mpsc::Receiver<String>, connection: Connection) {
    let stop = connection.0.stop.clone();
    let work = async {
        while let Some(text) = unsent.recv().await {
            if let Err(error) = to.send(text).await {
                return error.to_string();
            }
        }
        "it was closed".to_owned()
    };
    tokio::select! {
        why = work => connection.end(&why),
        () = stop.cancelled() => connection.end("it was closed"),
    }
}

async fn read(mut from: Box<dyn Receive>, ears: Arc<dyn Ears>, connection: Connection) {
    let stop = connection.0.stop.clone();
    let work = async {
        loop {
            match from.next().await {
                Ok(Some(frame)) => take(frame, &*ears, &connection),
                Ok(None) => return "the browser closed it".to_owned(),
                Err(error) => return words(&error),
            }
        }
    };
    tokio::select! {
        why = work => connection.end(&why),
        () = stop.cancelled() => connection.end("it was closed"),
    }
}

fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => "the browser is gone".to_owned(),
        _ => error.to_string(),
    }
}

fn take(frame: Frame, ears: &dyn Ears, connection: &Connection) {
    match frame {
        Frame::Whole(bytes) => match message::read(&bytes) {
            Some(Incoming::Answer { id, result }) => connection.settle(id, |method| {
                result.map_err(|no| CdpError::Refused {
                    method: method.to_owned(),
                    code: no.code,
                    message: no.message,
                })
            }),
            Some(Incoming::Event(event)) => ears.hear(&event, connection),
            None => tracing::debug!(bytes = bytes.len(), "the browser sent what is no message"),
        },
        Frame::TooLong { head, size } => {
            if let Some(id) = message::id_at_the_head(&head) {
                connection.settle(id, |method| Err(CdpError::TooLong { method: method.to_owned(), size }));
            } else {
                tracing::debug!(size, "an event that is too long was let go");
            }
        }
    }
}
