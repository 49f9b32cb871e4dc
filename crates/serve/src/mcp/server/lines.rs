//! Messages over a pair of pipes, one to a line.
//!
//! A client that sends and does not read is not read from any more once so many of its requests wait for their answers
//! to be written: what it sends then stays on its own side of the pipe. A line that is no message is answered, too, and
//! the next one counts again.

use std::{
    collections::HashSet,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::future::BoxFuture;
use rmcp::{
    RoleServer,
    model::{ClientNotification, ErrorCode, JsonRpcMessage, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{
        Transport,
        async_rw::{DEFAULT_MAX_LINE_LENGTH, JsonRpcMessageCodec, JsonRpcMessageCodecError},
    },
};
use serde_json::json;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    sync::{Mutex as Turns, Notify},
};
use tokio_util::{bytes::BytesMut, codec::Decoder, sync::CancellationToken};

/// Requests that wait for their answers to be written. More than may wait for a person (calls, and subscriptions), or
/// nobody could answer those any more.
const MOST_OPEN: usize = 64;
/// What is read of a client that does not read, so that its end is seen: more than a pipe holds.
const READ_AHEAD: usize = 128 << 10;
/// How long a client that has closed its end may take to read the next of its answers.
const PATIENCE: Duration = Duration::from_secs(5);
const AT_ONCE: usize = 8 << 10;

type Received = RxJsonRpcMessage<RoleServer>;

pub struct Lines<R, W> {
    input: R,
    /// What was read and is not taken yet.
    ahead: BytesMut,
    /// How far into that there is no end of a line.
    searched: usize,
    /// The rest of a line that is too long is on its way.
    skips: bool,
    is_over: bool,
    /// Fires at the end of the input: nobody is left to read an answer.
    gone: CancellationToken,
    output: Arc<Turns<W>>,
    /// An answer of this door itself, which is written before anything else is read. Kept here, since whoever waits for
    /// a message may stop in the middle.
    answering: Option<BoxFuture<'static, io::Result<()>>>,
    open: Arc<Open>,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub fn new(input: R, output: W, gone: CancellationToken) -> Self {
        Self {
            input,
            ahead: BytesMut::new(),
            searched: 0,
            skips: false,
            is_over: false,
            gone,
            output: Arc::new(Turns::new(output)),
            answering: None,
            open: Arc::default(),
        }
    }

    /// Reads on. What was read stays, whenever this is dropped.
    async fn fill(&mut self) {
        self.ahead.reserve(AT_ONCE);
        let read = self.input.read_buf(&mut self.ahead).await;
        if let Err(error) = &read {
            tracing::error!(%error, "the client cannot be read from");
        }
        self.is_over = matches!(read, Ok(0) | Err(_));
    }

    /// Waits until there is room for one more request. `false`: the client is gone.
    async fn has_room(&mut self) -> bool {
        let open = Arc::clone(&self.open);
        loop {
            let may_fill = !self.is_over && self.ahead.len() < READ_AHEAD;
            let is_over = self.is_over;
            tokio::select! {
                biased;
                () = open.room() => return true,
                () = self.fill(), if may_fill => {}
                () = tokio::time::sleep(PATIENCE), if is_over => return false,
            }
        }
    }

    /// The next line that has something in it; `None` where the client has sent no more.
    async fn line(&mut self) -> Option<BytesMut> {
        loop {
            match self.ahead[self.searched..].iter().position(|byte| *byte == b'\n') {
                Some(at) => {
                    let line = self.ahead.split_to(self.searched + at + 1);
                    self.searched = 0;
                    let is_meant = !std::mem::take(&mut self.skips) && !line.trim_ascii().is_empty();
                    if is_meant {
                        return Some(line);
                    }
                }
                None if self.is_over => return None,
                None => {
                    self.searched = self.ahead.len();
                    if self.searched > DEFAULT_MAX_LINE_LENGTH {
                        (self.ahead, self.searched) = (BytesMut::new(), 0);
                        if !std::mem::replace(&mut self.skips, true) {
                            self.refuse(ErrorCode::INVALID_REQUEST, "a message has at most 16 MiB");
                            return Some(BytesMut::new());
                        }
                    }
                    self.fill().await;
                }
            }
        }
    }

    /// What a line says, if it is for us.
    fn understood(&mut self, mut line: BytesMut) -> Option<Received> {
        match JsonRpcMessageCodec::<Received>::new().decode(&mut line) {
            Ok(message) => message,
            Err(JsonRpcMessageCodecError::Serde(error)) if error.is_syntax() || error.is_eof() => {
                self.refuse(ErrorCode::PARSE_ERROR, &format!("the line is not JSON: {error}"));
                None
            }
            Err(error) => {
                self.refuse(ErrorCode::INVALID_REQUEST, &format!("this is no message of MCP: {error}"));
                None
            }
        }
    }

    /// An error that belongs to no request, since nobody knows which it was.
    fn refuse(&mut self, code: ErrorCode, why: &str) {
        let error = json!({"code": code.0, "message": why});
        let answer = json!({"jsonrpc": "2.0", "id": null, "error": error});
        let output = Arc::clone(&self.output);
        self.answering = Some(Box::pin(async move { write(&output, answer.to_string().into_bytes()).await }));
    }

    async fn next(&mut self) -> Option<Received> {
        loop {
            if let Some(answering) = &mut self.answering {
                let answered = answering.await;
                self.answering = None;
                answered.ok()?;
            }
            if !self.has_room().await {
                return None;
            }
            let line = self.line().await?;
            if self.answering.is_some() {
                continue;
            }
            if let Some(message) = self.understood(line) {
                return Some(message);
            }
        }
    }
}

async fn write<W: AsyncWrite + Unpin>(output: &Turns<W>, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let answer = Answer::in_message(&self.open, &item);
        let output = Arc::clone(&self.output);
        async move {
            let _until_it_is_written = answer;
            write(&output, serde_json::to_vec(&item)?).await
        }
    }

    async fn receive(&mut self) -> Option<Received> {
        let message = self.next().await;
        match &message {
            Some(message) => self.open.notes(message),
            None => self.gone.cancel(),
        }
        message
    }

    /// What is still being written may never be read; so nothing is waited for.
    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The requests that are not answered yet.
#[derive(Default)]
struct Open {
    state: Mutex<State>,
    one_less: Notify,
}

#[derive(Default)]
struct State {
    asked: HashSet<RequestId>,
    /// Answers that are not written yet.
    writing: usize,
}

impl Open {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn room(&self) {
        while {
            let state = self.state();
            state.asked.len() + state.writing >= MOST_OPEN
        } {
            self.one_less.notified().await;
        }
    }

    fn notes(&self, message: &Received) {
        match message {
            JsonRpcMessage::Request(request) => {
                self.state().asked.insert(request.id.clone());
            }
            // What was cancelled is not answered, unless its answer is on its way.
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.state().asked.remove(id);
                    self.one_less.notify_one();
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }
}

/// An answer on its way. It takes up room until it is written or given up.
struct Answer(Arc<Open>);

impl Answer {
    /// `None` where the message is none.
    fn in_message(open: &Arc<Open>, message: &TxJsonRpcMessage<RoleServer>) -> Option<Self> {
        let id = match message {
            JsonRpcMessage::Response(response) => &response.id,
            JsonRpcMessage::Error(error) => error.id.as_ref()?,
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => return None,
        };
        let mut state = open.state();
        state.asked.remove(id);
        state.writing += 1;
        Some(Self(Arc::clone(open)))
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.0.state().writing -= 1;
        self.0.one_less.notify_one();
    }
}
