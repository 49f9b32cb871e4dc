//! A server on loopback that says exactly what a test tells it to, byte by byte.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use deskhand_agent::provider::{
    ConnectOptions, Delta, Key, ModelName, ModelRequest, Provider, ProviderError, Reply, RetryPolicy,
    TimeLimits, connect,
};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};
use tokio_util::sync::CancellationToken;

/// What the server does with one request.
#[derive(Clone, Debug, Default)]
pub struct Answer(Vec<Step>);

#[derive(Clone, Debug)]
enum Step {
    Send(Vec<u8>),
    Wait(Duration),
    /// The connection stays open and nothing comes.
    Hang,
    /// The connection is torn down, not closed.
    Reset,
    /// The same bytes again and again.
    Repeat(Vec<u8>),
    /// The next request may come on the same connection, which is closed otherwise.
    Keep,
}

impl Answer {
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self(vec![Step::Send(bytes.into())])
    }

    pub fn status(status: u16, headers: &str, body: &str) -> Self {
        let length = body.len();
        Self::raw(format!(
            "HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
        ))
    }

    /// The beginning of a stream; what follows is its body.
    pub fn stream() -> Self {
        Self::raw("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
    }

    pub fn send(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.0.push(Step::Send(bytes.into()));
        self
    }

    pub fn wait(mut self, ms: u64) -> Self {
        self.0.push(Step::Wait(Duration::from_millis(ms)));
        self
    }

    pub fn hang(mut self) -> Self {
        self.0.push(Step::Hang);
        self
    }

    pub fn reset(mut self) -> Self {
        self.0.push(Step::Reset);
        self
    }

    pub fn keep(mut self) -> Self {
        self.0.push(Step::Keep);
        self
    }

    pub fn repeat(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.0.push(Step::Repeat(bytes.into()));
        self
    }
}

/// One request, as it came.
#[derive(Clone, Debug)]
pub struct Seen {
    /// `POST /v1/chat/completions`
    pub line: String,
    /// In small letters.
    pub headers: String,
    pub body: Value,
}

pub struct Mock {
    pub url: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    answers: Mutex<VecDeque<Answer>>,
    seen: Mutex<Vec<Seen>>,
    connections: AtomicUsize,
}

impl Drop for Mock {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Mock {
    /// Each request gets the next answer; the last one is given again and again.
    pub async fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let shared = Arc::new(Shared { answers: Mutex::new(answers.into()), ..Shared::default() });
        let task = tokio::spawn(serve(listener, shared.clone()));
        Self { url, shared, task }
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap().clone()
    }

    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }

    pub fn options(&self) -> ConnectOptions {
        ConnectOptions {
            base_url: Some(self.url.clone()),
            keys: vec![Key::new("test-key")],
            retry: RetryPolicy {
                tries: 3,
                first_wait: Duration::from_millis(2),
                longest_wait: Duration::from_millis(4),
                limit: Duration::from_secs(20),
            },
            limits: TimeLimits {
                connect: Duration::from_secs(5),
                first_byte: Duration::from_secs(20),
                between: Duration::from_secs(20),
                whole: Duration::from_mins(1),
            },
            ..ConnectOptions::default()
        }
    }
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let mut open = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        shared.connections.fetch_add(1, Ordering::Relaxed);
        open.spawn(talk(stream, shared.clone()));
    }
}

async fn talk(mut stream: TcpStream, shared: Arc<Shared>) {
    while let Some(request) = read_request(&mut stream).await {
        shared.seen.lock().unwrap().push(request);
        let answer = {
            let mut answers = shared.answers.lock().unwrap();
            if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() }
        };
        let mut is_kept = false;
        for step in answer.unwrap_or_default().0 {
            match step {
                Step::Send(bytes) => {
                    if stream.write_all(&bytes).await.is_err() {
                        return;
                    }
                    stream.flush().await.ok();
                }
                Step::Wait(time) => tokio::time::sleep(time).await,
                Step::Hang => {
                    // Until the other side goes away.
                    while stream.read(&mut [0; 16]).await.is_ok_and(|read| read > 0) {}
                    return;
                }
                Step::Reset => {
                    stream.set_zero_linger().unwrap();
                    return;
                }
                Step::Repeat(bytes) => while stream.write_all(&bytes).await.is_ok() {},
                Step::Keep => is_kept = true,
            }
        }
        if !is_kept {
            stream.shutdown().await.ok();
            return;
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        let mut chunk = [0; 8192];
        match stream.read(&mut chunk).await.ok()? {
            0 => return None,
            read => bytes.extend_from_slice(&chunk[..read]),
        }
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let (line, headers) = head.split_once("\r\n")?;
    let headers = headers.to_ascii_lowercase();
    let length = headers.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
    let end = head_end + length.unwrap_or(0usize);
    while bytes.len() < end {
        let mut chunk = vec![0; 65536];
        match stream.read(&mut chunk).await.ok()? {
            0 => return None,
            read => bytes.extend_from_slice(&chunk[..read]),
        }
    }
    let body = serde_json::from_slice(&bytes[head_end..end]).unwrap_or(Value::Null);
    Some(Seen { line: line.trim_end_matches(" HTTP/1.1").to_owned(), headers, body })
}

/// What came of asking.
pub struct Asked {
    pub reply: Result<Reply, ProviderError>,
    pub deltas: Vec<Delta>,
}

impl Asked {
    /// What was passed on of the text.
    pub fn text(&self) -> String {
        self.deltas
            .iter()
            .filter_map(|delta| if let Delta::Text(text) = delta { Some(text.as_str()) } else { None })
            .collect()
    }

    pub fn notices(&self) -> Vec<&str> {
        self.deltas
            .iter()
            .filter_map(|delta| if let Delta::Notice(text) = delta { Some(text.as_str()) } else { None })
            .collect()
    }
}

/// Asks, and fails if that takes half a minute: nothing here may hang.
pub async fn ask(provider: &dyn Provider, cancel: &CancellationToken) -> Asked {
    let mut deltas = Vec::new();
    let request = ModelRequest {
        messages: vec![deskhand_agent::provider::ChatMessage::User { text: "hi".into(), images: Vec::new() }],
        ..ModelRequest::default()
    };
    let answer = {
        let mut on = |delta| deltas.push(delta);
        let asking = provider.complete(&request, &mut on, cancel);
        tokio::time::timeout(Duration::from_secs(30), asking).await.expect("it hangs")
    };
    Asked { reply: answer, deltas }
}

pub async fn ask_with(model: &str, options: &ConnectOptions) -> Asked {
    let provider = connect(&ModelName::parse(model).unwrap(), options).unwrap();
    ask(&*provider, &CancellationToken::new()).await
}
