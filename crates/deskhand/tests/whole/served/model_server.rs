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
    manner: Arc<Mutex<Manner>>,
}

/// How it answers.
#[derive(Clone, Default)]
enum Manner {
    #[default]
    Ok,
    /// Everybody is refused with these words.
    Refuses(String),
    /// It says this, and the connection is cut.
    BreaksOff(String),
}

impl ModelServer {
    /// Answers everything with OK, and has two models to list. The thread ends with the test.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (heard, manner): (Arc<Mutex<Vec<Heard>>>, Arc<Mutex<Manner>>) = Default::default();
        let (kept, set) = (Arc::clone(&heard), Arc::clone(&manner));
        let heads: Arc<Mutex<String>> = Arc::default();
        let all = Arc::clone(&heads);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let manner = set.lock().unwrap().clone();
                let _ = serve(stream, &kept, &all, &manner);
            }
        });
        Self { url, heard, heads, manner }
    }

    pub fn refuse(&self, words: &str) {
        *self.manner.lock().unwrap() = Manner::Refuses(words.to_owned());
    }

    /// Every answer from now on ends in the middle, with its connection.
    pub fn break_off_after(&self, words: &str) {
        *self.manner.lock().unwrap() = Manner::BreaksOff(words.to_owned());
    }

    pub fn answer_well(&self) {
        *self.manner.lock().unwrap() = Manner::Ok;
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
    manner: &Manner,
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
    let piece = |words: &str| {
        let delta = serde_json::json!({"choices": [{"index": 0, "delta": {"content": words}, "finish_reason": null}]});
        format!("data: {delta}\n\n")
    };
    let end = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":2}}"#;
    let (status, kind, answer, missing) = match manner {
        Manner::Ok | Manner::BreaksOff(_) if is_list => {
            let list = r#"{"object":"list","data":[{"id":"small-1"},{"id":"large-1"}]}"#;
            ("200 OK", "application/json", list.to_owned(), 0)
        }
        Manner::Ok => {
            let answer = format!("{}data: {end}\n\ndata: [DONE]\n\n", piece("OK"));
            ("200 OK", "text/event-stream", answer, 0)
        }
        Manner::BreaksOff(words) => ("200 OK", "text/event-stream", piece(words), 100),
        Manner::Refuses(words) => {
            let body = serde_json::json!({"error": {"message": words, "code": "invalid_api_key"}});
            ("401 Unauthorized", "application/json", body.to_string(), 0)
        }
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{answer}",
        answer.len() + missing
    )
}
