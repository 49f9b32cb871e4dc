//! A browser, and a server for the pages.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use deskhand_browser::{
    Browser, Browsers, Config, Options,
    launch::{Found, find},
    page::{Page, WaitUntil},
};
use deskhand_guard::Outbound;
use serde_json::{Map, Value};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

pub const LIMIT: Duration = Duration::from_secs(30);

/// Everything for one test. All of it ends with it.
pub struct Desk {
    pub folder: tempfile::TempDir,
    pub browsers: Browsers,
    pub server: Server,
}

impl Desk {
    pub async fn new() -> Self {
        Self::with(options()).await
    }

    pub async fn with(options: Options) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = Config { options, ..config(folder.path().join("browser")) };
        let browsers = Browsers::new(config);
        Self { folder, browsers, server: Server::start().await }
    }

    pub async fn browser(&self) -> Arc<Browser> {
        self.browsers.open("test").await.unwrap().browser
    }

    /// The current tab, as it is.
    pub async fn page(&self) -> Page {
        Page::take(self.browser().await, CancellationToken::new()).await.unwrap()
    }

    /// The current tab, on a page of ours.
    pub async fn page_at(&self, name: &str) -> Page {
        let page = self.page().await;
        page.navigate(&self.server.url(name), WaitUntil::Load, LIMIT).await.unwrap();
        page
    }

    pub async fn end(self) {
        self.browsers.close_all().await;
    }
}

/// With the pages of this machine let through, as if they were anybody's.
pub fn config(folder: PathBuf) -> Config {
    let mut config = Config::new(folder);
    let here = ["127.0.0.1", "localhost"].map(|host| host.parse().unwrap());
    config.outbound = Outbound::new(here.to_vec(), Vec::new());
    config
}

pub fn chromium() -> Found {
    find(None).expect("these tests need Chromium")
}

pub fn options() -> Options {
    Options::default()
}

/// Serves `tests/pages/` on two names of this machine, and some addresses that misbehave.
pub struct Server {
    port: u16,
    held: Held,
    serving: JoinHandle<()>,
}

/// What `/held` waits for: that it is let go. Who asks for it is counted.
#[derive(Clone, Default)]
struct Held {
    asked: watch::Sender<usize>,
    let_go: watch::Sender<bool>,
}

/// Pages that need `/held`: before their document is read, before they count as loaded, and after that.
fn slow(name: &str) -> Option<&'static str> {
    match name {
        "slow/script" => Some("<title>Slow script</title><p>here<script src=/held></script>"),
        "slow/image" => Some("<title>Slow image</title><p>here<img src=/held>"),
        "slow/fetch" => Some(
            "<title>Slow fetch</title><p>here<script>fetch('/held').then(() => \
             document.body.insertAdjacentHTML('beforeend', '<p id=came>came</p>'))</script>",
        ),
        _ => None,
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Server {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let held = Held::default();
        let holds = held.clone();
        let serving = tokio::spawn(async move {
            let heard = Heard::default();
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, heard.clone(), holds.clone()));
            }
        });
        Self { port, held, serving }
    }

    pub fn url(&self, name: &str) -> String {
        format!("http://127.0.0.1:{}/{name}", self.port)
    }

    /// Waits until somebody asks for what is held.
    pub async fn asked(&self) {
        self.held.asked.subscribe().wait_for(|asked| *asked > 0).await.unwrap();
    }

    /// Lets go what is held, as soon as somebody has asked for it.
    pub async fn let_go(&self) {
        self.asked().await;
        self.held.let_go.send_replace(true);
    }

    /// Holds what is asked for from here on.
    pub fn hold(&self) {
        self.held.let_go.send_replace(false);
        self.held.asked.send_replace(0);
    }

    /// The same page on another site, so that it gets another process.
    pub fn elsewhere(&self, name: &str) -> String {
        format!("http://localhost:{}/{name}", self.port)
    }
}

/// With which headers each file was last asked for.
type Heard = Arc<Mutex<HashMap<String, Value>>>;

fn headers(request: &str) -> Value {
    let lines = request.lines().skip(1).filter_map(|line| line.split_once(": "));
    Value::Object(lines.map(|(name, value)| (name.to_lowercase(), value.into())).collect::<Map<_, _>>())
}

async fn answer(mut stream: TcpStream, heard: Heard, held: Held) {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read(&mut byte).await.unwrap_or(0) == 0 {
            return;
        }
        request.push(byte[0]);
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    let path = request.split(' ').nth(1).unwrap_or("/").to_owned();
    let (name, query) =
        path.trim_start_matches('/').split_once('?').unwrap_or((path.trim_start_matches('/'), ""));
    let asked_for = |name| heard.lock().unwrap().get(name).cloned().unwrap_or_default();
    let (status, kind, body) = match name {
        "headers" => ("200 OK", "text/plain", headers(&request).to_string().into_bytes()),
        name if name.starts_with("headers-of/") => {
            let name = name.trim_start_matches("headers-of/");
            ("200 OK", "text/plain", asked_for(name).to_string().into_bytes())
        }
        // Says that more comes, and never sends it.
        "never" => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 99999\r\n\r\n<title>half</title><p>half").await;
            std::future::pending::<()>().await;
            return;
        }
        "held" => {
            held.asked.send_modify(|asked| *asked += 1);
            held.let_go.subscribe().wait_for(|let_go| *let_go).await.unwrap();
            ("200 OK\r\nCache-Control: no-store", "text/javascript", Vec::new())
        }
        // Does not answer at all.
        "silence" => {
            std::future::pending::<()>().await;
            return;
        }
        // Wants a name and a password, for which a browser asks a person.
        "locked" => {
            ("401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"", "text/html", b"locked".to_vec())
        }
        "dialogs-for-ever" => {
            let page = "<title>Asks</title><p>before</p><script>for (;;) alert('again')</script><p>after</p>";
            ("200 OK", "text/html", page.as_bytes().to_vec())
        }
        // Loads, and then has no time for anything.
        "busy" => {
            let page = "<title>Busy</title><button>Busy</button><script>setTimeout(() => { for (;;); }, 500)</script>";
            ("200 OK", "text/html", page.as_bytes().to_vec())
        }
        "missing" => ("404 Not Found", "text/html", b"<title>Not here</title>".to_vec()),
        "redirect" => {
            let to = format!("HTTP/1.1 302 Found\r\nLocation: {query}\r\nContent-Length: 0\r\n\r\n");
            let _ = stream.write_all(to.as_bytes()).await;
            return;
        }
        // So many bytes, as a download.
        "bytes" => (
            "200 OK\r\nContent-Disposition: attachment",
            "text/plain",
            vec![b'x'; query.parse().unwrap_or(0)],
        ),
        // A download that does not end, and does not say how long it is.
        "endless" => {
            let head =
                b"HTTP/1.1 200 OK\r\nContent-Disposition: attachment\r\nContent-Type: text/plain\r\n\r\n";
            let _ = stream.write_all(head).await;
            while stream.write_all(&[b'x'; 8 << 10]).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            return;
        }
        "download" => (
            "200 OK\r\nContent-Disposition: attachment; filename=\"notes.txt\"",
            "text/plain",
            b"downloaded".to_vec(),
        ),
        // A page that shows another address in a frame.
        "framing" => (
            "200 OK",
            "text/html",
            format!("<title>Framing</title><iframe src=\"{query}\"></iframe>").into_bytes(),
        ),
        name if slow(name).is_some() => {
            ("200 OK", "text/html", slow(name).unwrap_or_default().as_bytes().to_vec())
        }
        name => {
            heard.lock().unwrap().insert(name.to_owned(), headers(&request));
            let script = std::path::Path::new(name).extension().is_some_and(|end| end == "js");
            let kind = if script { "text/javascript" } else { "text/html; charset=utf-8" };
            match tokio::fs::read(pages().join(name)).await {
                Ok(body) => ("200 OK", kind, body),
                Err(_) => ("404 Not Found", "text/html", Vec::new()),
            }
        }
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(head.as_bytes()).await;
    let _ = stream.write_all(&body).await;
}

fn pages() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/pages")
}
