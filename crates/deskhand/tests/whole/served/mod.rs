//! `deskhand serve` as programs meet it: a real process on a real port, asked by hand.

mod again;
mod attachments;
mod background;
mod broken_streams;
mod browser_port;
mod demo;
mod door;
mod kept;
mod mcp;
pub mod model_server;
#[cfg(unix)]
mod model_setup;
mod openai;
mod openai_package;
mod openai_sessions;
mod reach;
mod secrets;
mod seed;
mod servers;
mod setup;
mod turns;
mod web_socket;

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long anything here may take.
const LIMIT: Duration = Duration::from_mins(1);

/// What else there is around a server.
#[derive(Default)]
pub struct Around {
    /// No model is named: what is set, or a key, says which.
    pub without_model: bool,
    /// The person's config file.
    pub config: &'static str,
    /// The names of users beside the owner.
    pub users: &'static [&'static str],
    pub environment: Vec<(&'static str, String)>,
    pub arguments: &'static [&'static str],
}

/// A server with its own data and workspace, and a model that follows a script.
pub struct Served {
    folder: TempDir,
    around: Around,
    /// The tokens of the users, in their order.
    pub users: Vec<String>,
    child: Child,
    pub port: u16,
    pub token: String,
    /// The tokens for MCP clients: the owner's, then those of the users.
    pub mcp_tokens: Vec<String>,
}

/// An answer, whole.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

impl Served {
    pub fn new() -> Self {
        Self::scripted("")
    }

    /// With a model that answers by this script.
    pub fn scripted(script: &str) -> Self {
        Self::with(script, &[])
    }

    pub fn with(script: &str, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("workspace")).unwrap();
        fs::create_dir(folder.path().join("config")).unwrap();
        fs::write(folder.path().join("script.toml"), script).unwrap();
        let around = Around::default();
        let (child, port, token, mcp_token) = start(&folder, &around, "127.0.0.1:0", arguments);
        Self { folder, around, users: Vec::new(), child, port, token, mcp_tokens: vec![mcp_token] }
    }

    pub fn around(script: &str, around: Around) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("workspace")).unwrap();
        fs::create_dir(folder.path().join("tmp")).unwrap();
        fs::create_dir_all(folder.path().join("config/deskhand")).unwrap();
        fs::write(folder.path().join("script.toml"), script).unwrap();
        if !around.config.is_empty() {
            fs::write(folder.path().join("config/deskhand/config.toml"), around.config).unwrap();
        }
        let add = |name: &&str| {
            let added = program(&folder).args(["--json", "users", "add", name]).output().unwrap();
            let added: Value = serde_json::from_slice(&added.stdout).unwrap();
            (text(&added, "token"), text(&added, "mcp_token"))
        };
        let (users, of_users): (Vec<_>, Vec<_>) = around.users.iter().map(add).unzip();
        let (child, port, token, mcp_token) = start(&folder, &around, "127.0.0.1:0", around.arguments);
        let mcp_tokens = [vec![mcp_token], of_users].concat();
        Self { folder, around, users, child, port, token, mcp_tokens }
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub fn config(&self) -> String {
        fs::read_to_string(self.root().join("config/deskhand/config.toml")).unwrap_or_default()
    }

    /// The name of the model that follows the script.
    pub fn script(&self) -> String {
        format!("scripted/{}", self.folder.path().join("script.toml").display())
    }

    pub fn workspace(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("workspace")
    }

    /// A command on the same data.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program(&self.folder);
        command.args(arguments);
        command
    }

    /// Kills the server, as a crash would, and starts it anew on the same port and data.
    pub fn kill_and_restart(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let address = format!("127.0.0.1:{}", self.port);
        (self.child, self.port, self.token, self.mcp_tokens[0]) =
            start(&self.folder, &self.around, &address, self.around.arguments);
    }

    /// A raw request; the answer is read to its end.
    pub fn raw(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) =
            text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer to {request}: {text:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream
    }

    /// HTTP/1.0, so that every answer comes in one piece and ends with the connection.
    pub fn ask(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        self.ask_as(&self.token, method, path, body)
    }

    pub fn ask_as(&self, token: &str, method: &str, path: &str, body: Option<Value>) -> Answer {
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        self.raw(&format!(
            "{method} {path} HTTP/1.0\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        ))
    }

    /// With the owner's token, passed on by a proxy: from another machine.
    pub fn ask_from_afar(&self, method: &str, path: &str, body: &Value) -> Answer {
        let body = body.to_string();
        self.raw(&format!(
            "{method} {path} HTTP/1.0\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\
             X-Forwarded-For: 192.0.2.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            self.token,
            body.len()
        ))
    }

    pub fn get(&self, path: &str) -> Value {
        good(&self.ask("GET", path, None))
    }

    pub fn post(&self, path: &str, body: Value) -> Value {
        good(&self.ask("POST", path, Some(body)))
    }

    pub fn new_session(&self) -> String {
        self.post("/api/v1/sessions", json!({}))["session_id"].as_str().unwrap().to_owned()
    }

    pub fn say(&self, session: &str, message: &str) -> Value {
        self.post(&format!("/api/v1/sessions/{session}/messages"), json!({"content": message}))
    }

    /// The events of a session, as they come.
    pub fn watch(&self, session: &str, after: u64) -> Watcher {
        self.watch_with(session, &format!("?after={after}"), "")
    }

    pub fn watch_with(&self, session: &str, query: &str, headers: &str) -> Watcher {
        Watcher(self.stream(&format!("/api/v1/sessions/{session}/events{query}"), headers))
    }

    /// Reads a stream until a line has these words.
    pub fn read_until(&self, path: &str, words: &str) {
        let found = self.stream(path, "").lines().any(|line| line.unwrap().contains(words));
        assert!(found, "{path} ended without {words:?}");
    }

    /// What an address sends, behind the headers.
    fn stream(&self, path: &str, headers: &str) -> BufReader<TcpStream> {
        let mut stream = self.connect();
        let request = format!(
            "GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n{headers}\r\n",
            self.port, self.token
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut lines = BufReader::new(stream);
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        assert!(line.contains(" 200 "), "{line}");
        while line != "\r\n" {
            line.clear();
            lines.read_line(&mut line).unwrap();
        }
        lines
    }

    /// Says something, and waits for the end of the turn. All its events.
    pub fn turn(&self, session: &str, message: &str) -> Vec<Value> {
        let begun = self.say(session, message);
        self.watch(session, begun["first_event"].as_u64().unwrap() - 1).until("done")
    }

    /// The first question that waits for an answer.
    pub fn question(&self) -> Value {
        let deadline = Instant::now() + LIMIT;
        while Instant::now() < deadline {
            if let Some(first) = self.get("/api/v1/approvals")["approvals"].as_array().unwrap().first() {
                return first.clone();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("nothing was asked");
    }
}

/// The JSON of an answer that must be a good one.
fn good(answer: &Answer) -> Value {
    assert!((200..300).contains(&answer.status), "{answer:?}");
    answer.json()
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program(folder: &TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_deskhand"));
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder.path())
        .env("DESKHAND_DATA", folder.path().join("data"))
        .env("XDG_CONFIG_HOME", folder.path().join("config"))
        .env("LANG", "C.UTF-8")
        // No test touches the keyring of whoever runs it.
        .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus")
        .current_dir(folder.path().join("workspace"));
    command
}

fn start(
    folder: &TempDir,
    around: &Around,
    listen: &str,
    arguments: &[&str],
) -> (Child, u16, String, String) {
    let mut command = program(folder);
    command.args(["serve", "--json", "--listen", listen]).args(arguments);
    command.envs(around.environment.iter().map(|(name, value)| (name, value)));
    if !around.without_model {
        let script = folder.path().join("script.toml");
        command.arg("--model").arg(format!("scripted/{}", script.display()));
    }
    let mut child = command.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let ready: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("it says {line:?}"));
    let port = ready["url"].as_str().unwrap().rsplit(':').next().unwrap().parse().unwrap();
    (child, port, text(&ready, "token"), text(&ready, "mcp_token"))
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_else(|| panic!("no {name} in {value}")).to_owned()
}

/// A stream of events.
pub struct Watcher(BufReader<TcpStream>);

impl Watcher {
    /// The next event: what stands behind `data:`. Its `id:` must be its number.
    pub fn next(&mut self) -> Value {
        let mut id = None;
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream ended");
            if let Some(number) = line.strip_prefix("id: ") {
                id = number.trim().parse::<u64>().ok();
            }
            if let Some(data) = line.strip_prefix("data: ") {
                let event: Value = serde_json::from_str(data).unwrap();
                // The number may stand behind the data; it is read with what ends the event.
                while !line.trim().is_empty() {
                    line.clear();
                    self.0.read_line(&mut line).unwrap();
                    id = line.strip_prefix("id: ").and_then(|number| number.trim().parse().ok()).or(id);
                }
                assert_eq!(id, event["seq"].as_u64(), "{event}");
                return event;
            }
        }
    }

    /// All events up to one of this type.
    pub fn until(&mut self, kind: &str) -> Vec<Value> {
        let mut events = Vec::new();
        while events.last().is_none_or(|event: &Value| event["type"] != kind) {
            events.push(self.next());
        }
        events
    }
}
