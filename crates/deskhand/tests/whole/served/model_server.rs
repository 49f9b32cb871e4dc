//! A server of models that remembers what it was asked.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use serde_json::Value;

/// What came with one request.
#[derive(Clone, Debug)]
pub struct Heard {
    pub head: String,
    pub body: Value,
}

pub struct ModelServer {
    pub url: String,
    heard: Arc<Mutex<Vec<Heard>>>,
    /// The heads of all requests, those for the list of models included.
    heads: Arc<Mutex<String>>,
    /// Where it is not empty, everybody is refused with these words.
    refusal: Arc<Mutex<String>>,
}

impl ModelServer {
    /// Answers everything with OK, and has two models to list. The thread ends with the test.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (heard, refusal): (Arc<Mutex<Vec<Heard>>>, Arc<Mutex<String>>) = Default::default();
        let (kept, refused) = (Arc::clone(&heard), Arc::clone(&refusal));
        let heads: Arc<Mutex<String>> = Arc::default();
        let all = Arc::clone(&heads);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = serve(stream, &kept, &all, &refused.lock().unwrap().clone());
            }
        });
        Self { url, heard, heads, refusal }
    }

    pub fn refuse(&self, words: &str) {
        words.clone_into(&mut self.refusal.lock().unwrap());
    }

    /// Whether any request so far had this in its head.
    pub fn saw(&self, text: &str) -> bool {
        self.heads.lock().unwrap().contains(text)
    }

    /// The last request for an answer.
    pub fn last(&self) -> Heard {
        self.heard.lock().unwrap().last().expect("it was asked").clone()
    }
}

fn serve(
    mut stream: TcpStream,
    heard: &Mutex<Vec<Heard>>,
    heads: &Mutex<String>,
    refusal: &str,
) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
    let (head, body) = loop {
        let n = stream.read(&mut chunk)?;
        if n == 0 {
            return Ok(());
        }
        bytes.extend_from_slice(&chunk[..n]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            line.to_ascii_lowercase()
                .strip_prefix("content-length:")
                .map(|n| n.trim().parse::<usize>().unwrap())
        });
        if body.len() >= length.unwrap_or(0) {
            break (head.to_owned(), body.to_owned());
        }
    };
    heads.lock().unwrap().push_str(&head);
    let is_list = head.starts_with("GET");
    if head.starts_with("POST") {
        let body = serde_json::from_str(&body).unwrap_or_default();
        heard.lock().unwrap().push(Heard { head, body });
    }
    let (status, kind, answer) = if refusal.is_empty() && is_list {
        let list = r#"{"object":"list","data":[{"id":"small-1"},{"id":"large-1"}]}"#;
        ("200 OK", "application/json", list.to_owned())
    } else if refusal.is_empty() {
        let piece = r#"{"choices":[{"index":0,"delta":{"content":"OK"},"finish_reason":null}]}"#;
        let end = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":2}}"#;
        ("200 OK", "text/event-stream", format!("data: {piece}\n\ndata: {end}\n\ndata: [DONE]\n\n"))
    } else {
        let body = serde_json::json!({"error": {"message": refusal, "code": "invalid_api_key"}});
        ("401 Unauthorized", "application/json", body.to_string())
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{answer}",
        answer.len()
    )
}
