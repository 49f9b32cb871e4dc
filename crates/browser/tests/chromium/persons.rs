//! A browser that somebody runs for themselves, with its debugger open.

use std::{path::Path, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    process::{Child, Command},
};

use crate::fixture::chromium;

pub struct Persons {
    process: Child,
    port: u16,
    profile: tempfile::TempDir,
}

impl Persons {
    /// With a tab for each of these, all of them loaded.
    pub async fn start(urls: &[&str]) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut process = Command::new(chromium().path)
            .args(["--headless=new", "--no-sandbox", "--remote-debugging-port=0", "--no-first-run"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg(urls[0])
            .env("HOME", profile.path())
            .stderr(std::process::Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let file = profile.path().join("DevToolsActivePort");
        let port = loop {
            match std::fs::read_to_string(&file) {
                Ok(text) if text.lines().count() > 1 => break text.lines().next().unwrap().parse().unwrap(),
                _ => tokio::time::sleep(Duration::from_millis(50)).await,
            }
            assert!(process.try_wait().unwrap().is_none(), "it ended by itself");
        };
        let persons = Self { process, port, profile };
        // It takes one address at its start.
        for url in &urls[1..] {
            persons.asked("PUT", &format!("/json/new?{url}")).await;
        }
        for _ in 0..400 {
            if persons.has_all(urls).await {
                return persons;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("it does not open {urls:?}, but {:?}", persons.tabs().await)
    }

    async fn has_all(&self, urls: &[&str]) -> bool {
        let tabs = self.tabs().await;
        // Until a page has its own title, its address stands for it, without its scheme.
        let named = |tab: &Value, url: &str| !url.ends_with(tab["title"].as_str().unwrap_or_default());
        let loaded = |url: &&str| {
            tabs.iter().any(|tab| tab["url"] == **url && (named(tab, url) || *url == "about:blank"))
        };
        urls.iter().all(loaded)
    }

    /// The home of its person.
    pub fn home(&self) -> &Path {
        self.profile.path()
    }

    /// The address of its debugger.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The same, as it tells it itself.
    pub async fn web_socket(&self) -> String {
        let told = self.asked("GET", "/json/version").await;
        told["webSocketDebuggerUrl"].as_str().unwrap().to_owned()
    }

    /// What it says itself that is open.
    pub async fn tabs(&self) -> Vec<Value> {
        let Value::Array(list) = self.asked("GET", "/json/list").await else {
            panic!("it does not say what is open")
        };
        list.into_iter().filter(|target| target["type"] == "page").collect()
    }

    async fn asked(&self, method: &str, path: &str) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let host = format!("127.0.0.1:{}", self.port);
        let request = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let (mut answer, mut piece) = (Vec::new(), [0; 4096]);
        loop {
            let body = answer.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4);
            if let Some(said) = body.and_then(|body| serde_json::from_slice(&answer[body..]).ok()) {
                return said;
            }
            let read = stream.read(&mut piece).await.unwrap();
            assert!(read > 0, "{path}: {}", String::from_utf8_lossy(&answer));
            answer.extend_from_slice(&piece[..read]);
        }
    }

    pub async fn urls(&self) -> Vec<String> {
        let tabs = self.tabs().await;
        let mut urls: Vec<_> = tabs.iter().map(|tab| tab["url"].as_str().unwrap().to_owned()).collect();
        urls.sort();
        urls
    }

    pub fn runs(&mut self) -> bool {
        self.process.try_wait().unwrap().is_none()
    }

    pub async fn end(mut self) {
        self.process.kill().await.unwrap();
    }
}
