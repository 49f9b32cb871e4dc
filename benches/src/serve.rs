//! The server as programs and pages meet it: lists and pages at a steady rate, and many watchers at once.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use deskhand_core::session::{NewSession, SessionStore};
use deskhand_store::{Store, StoreOptions};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader as AsyncReader},
    net::TcpStream,
    sync::Mutex,
};

use crate::{
    report::{Report, millis, percentile},
    sessions::transcript,
};

const SESSIONS: usize = 1_000;
const MESSAGES: usize = 1_000;
const PER_SECOND: u32 = 500;
const SECONDS: u32 = 10;
/// Requests go out by the clock, whatever became of those before; so many may be under way.
const CONNECTIONS: usize = 32;
const WATCHERS: usize = 500;

pub fn measure(report: &mut Report) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let large = {
        let store = Store::open(&data, &StoreOptions::default())?;
        for n in 0..SESSIONS {
            store
                .sessions()
                .create(&NewSession { title: Some(format!("会话 {n}")), ..NewSession::default() })?;
        }
        store.sessions().import(&transcript(MESSAGES)?, None)?.id
    };
    let script = folder.path().join("script.toml");
    std::fs::write(&script, "[[replies]]\ntext = \"Good morning.\"\n")?;
    let started = Instant::now();
    let server = Server::start(folder.path(), &data, &script)?;
    report.fact(
        "deskhand serve, process start to the line that it is ready",
        format!("{:.0} ms", millis(started.elapsed())),
    );
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        for (what, path) in [
            ("session list, 20 of 1,000", "/api/v1/sessions?page=1&page_size=20".to_owned()),
            ("message page, 20 of 1,000", format!("/api/v1/sessions/{large}/messages?page=3&page_size=20")),
        ] {
            let times = steady(&server, &path).await?;
            let p99 = millis(percentile(times.clone(), 99));
            let measured =
                format!("99th percentile {p99:.1} ms, median {:.2} ms", millis(percentile(times, 50)));
            report.row(
                &format!("{what}, {PER_SECOND} requests a second"),
                measured,
                "under 20 ms",
                p99 < 20.0,
            );
        }
        watchers(report, &server).await
    })
}

struct Server {
    child: Child,
    port: u16,
    token: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start(folder: &Path, data: &Path, script: &Path) -> anyhow::Result<Self> {
        let binary = std::env::current_exe()?.with_file_name("deskhand");
        ensure!(binary.exists(), "{} is not built: use `make bench`", binary.display());
        let mut child = Command::new(binary)
            .args(["serve", "--json", "--listen", "127.0.0.1:0", "--model"])
            .arg(format!("scripted/{}", script.display()))
            .arg("--data-dir")
            .arg(data)
            .current_dir(folder)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("it has an output")?).read_line(&mut line)?;
        let ready: serde_json::Value = serde_json::from_str(&line).context("it says where it is")?;
        let url = ready["url"].as_str().context("it has an address")?;
        let port = url.rsplit(':').next().context("with a port")?.parse()?;
        Ok(Self { child, port, token: ready["token"].as_str().context("a token")?.to_owned() })
    }

    fn request(&self, method: &str, path: &str, body: &str) -> String {
        format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            self.token,
            body.len()
        )
    }

    async fn connect(&self) -> anyhow::Result<AsyncReader<TcpStream>> {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).await?;
        stream.set_nodelay(true)?;
        Ok(AsyncReader::new(stream))
    }

    fn resident_mb(&self) -> anyhow::Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("it has a size")?;
        let kib: f64 = line.split_whitespace().nth(1).context("a number")?.parse()?;
        Ok(kib * 1_024.0 / 1e6)
    }

    /// The processor time it has used.
    fn cpu(&self) -> anyhow::Result<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields: Vec<&str> =
            stat.rsplit(')').next().context("its name ends")?.split_whitespace().collect();
        let ticks: u64 = fields[11].parse::<u64>()? + fields[12].parse::<u64>()?;
        Ok(Duration::from_millis(ticks * 10))
    }
}

/// One request and its whole answer.
async fn ask(connection: &mut AsyncReader<TcpStream>, request: &str) -> anyhow::Result<String> {
    connection.get_mut().write_all(request.as_bytes()).await?;
    let (mut length, mut status) = (0, String::new());
    loop {
        let mut line = String::new();
        ensure!(connection.read_line(&mut line).await? > 0, "the server hung up");
        if status.is_empty() {
            status.clone_from(&line);
        }
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body).await?;
    let body = String::from_utf8(body)?;
    ensure!(status.starts_with("HTTP/1.1 20"), "{status}{body}");
    Ok(body)
}

/// Asks at a steady rate. Each time counts from when the request was due, so that a server that falls behind shows.
async fn steady(server: &Server, path: &str) -> anyhow::Result<Vec<Duration>> {
    let request: Arc<str> = server.request("GET", path, "").into();
    let mut free = Vec::new();
    for _ in 0..CONNECTIONS {
        free.push(server.connect().await?);
    }
    let free = Arc::new(Mutex::new(free));
    let begun = Instant::now() + Duration::from_millis(50);
    let mut asked = Vec::new();
    for n in 0..PER_SECOND * SECONDS {
        let due = begun + Duration::from_secs(1) * n / PER_SECOND;
        tokio::time::sleep_until(due.into()).await;
        let (free, request) = (Arc::clone(&free), Arc::clone(&request));
        asked.push(tokio::spawn(async move {
            let mut connection = loop {
                if let Some(connection) = free.lock().await.pop() {
                    break connection;
                }
                tokio::time::sleep(Duration::from_micros(200)).await;
            };
            let answer = ask(&mut connection, &request).await;
            let took = due.elapsed();
            free.lock().await.push(connection);
            answer.map(|_| took)
        }));
    }
    let mut times = Vec::new();
    for one in asked {
        times.push(one.await??);
    }
    Ok(times)
}

/// Many watch one session; a turn is begun, and each sees its end.
async fn watchers(report: &mut Report, server: &Server) -> anyhow::Result<()> {
    let before = server.resident_mb()?;
    let mut connection = server.connect().await?;
    let made = ask(&mut connection, &server.request("POST", "/api/v1/sessions", "{}")).await?;
    let made: serde_json::Value = serde_json::from_str(&made)?;
    let id = made["id"].as_str().context("a session has an id")?;
    let mut watching = Vec::new();
    for _ in 0..WATCHERS {
        let mut watcher = server.connect().await?;
        let request = server.request("GET", &format!("/api/v1/sessions/{id}/events"), "");
        watcher.get_mut().write_all(request.as_bytes()).await?;
        let mut line = String::new();
        watcher.read_line(&mut line).await?;
        ensure!(line.starts_with("HTTP/1.1 200"), "{line}");
        watching.push(watcher);
    }
    let (idle, since) = (server.cpu()?, Instant::now());
    tokio::time::sleep(Duration::from_secs(5)).await;
    let share = server.cpu()?.saturating_sub(idle).as_secs_f64() / since.elapsed().as_secs_f64() * 100.0;
    let each = (server.resident_mb()? - before) * 1_000.0 / WATCHERS as f64;
    report.fact(
        &format!("{WATCHERS} open event streams, nothing happening"),
        format!("{share:.1} % of one processor, {each:.0} KB each"),
    );
    let started = Instant::now();
    let said = server.request("POST", &format!("/api/v1/sessions/{id}/messages"), r#"{"content":"Hello"}"#);
    ask(&mut connection, &said).await?;
    let ends: Vec<_> = watching
        .into_iter()
        .map(|mut watcher| {
            tokio::spawn(async move {
                let mut line = String::new();
                while !line.starts_with("event: done") {
                    line.clear();
                    ensure!(watcher.read_line(&mut line).await? > 0, "a stream ended");
                }
                Ok(started.elapsed())
            })
        })
        .collect();
    let mut times = Vec::new();
    for end in ends {
        times.push(tokio::time::timeout(Duration::from_secs(30), end).await???);
    }
    let last = millis(percentile(times, 100));
    report.row(
        &format!("a turn from its message to its end as the last of {WATCHERS} watchers sees it"),
        format!("{last:.0} ms, all saw it"),
        "every one of 500 streams",
        true,
    );
    Ok(())
}
