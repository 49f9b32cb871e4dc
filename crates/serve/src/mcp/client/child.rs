//! A server as a child process: what it is given, what is kept of its stderr, and how it ends with all that it started.

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    pin::Pin,
    process::{ExitStatus, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::{
    io::{AsyncRead, AsyncReadExt, ReadBuf},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    task::JoinSet,
};

use super::{config::Hidden, state::Server};

/// The longest message that a server may send.
pub(super) const LONGEST_MESSAGE: usize = 16 * 1024 * 1024;

/// What a server gets of our environment. Keys of models, tokens and the like are not among it.
const PASSED_ON: [&str; 22] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "LANG",
    "LANGUAGE",
    "TMPDIR",
    "TZ",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "SYSTEMROOT",
    "NO_PROXY",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
];

/// The environment of a server.
fn environment<'a>(
    ours: &'a HashMap<String, String>,
    configured: &'a BTreeMap<String, Hidden>,
) -> BTreeMap<&'a str, &'a str> {
    let passed_on = |name: &str, value: &str| {
        let upper = name.to_uppercase();
        // A proxy with a password in it is a secret.
        let has_password = upper.ends_with("_PROXY") && value.contains('@');
        (PASSED_ON.contains(&upper.as_str()) || name.starts_with("LC_")) && !has_password
    };
    let ours = ours.iter().filter(|(name, value)| passed_on(name, value));
    let ours = ours.map(|(name, value)| (name.as_str(), value.as_str()));
    ours.chain(configured.iter().map(|(name, value)| (name.as_str(), value.reveal()))).collect()
}

/// What is started.
pub(super) struct Start<'a> {
    pub command: &'a str,
    pub args: &'a [String],
    pub env: &'a BTreeMap<String, Hidden>,
    pub cwd: Option<&'a str>,
}

/// A running server, and everything that it starts: a process group of its own. Dropped, all of it is killed.
pub(super) struct Running {
    child: Child,
    group: Option<Pid>,
    /// Reads its stderr; ends with it, or with this.
    reading: JoinSet<()>,
    too_long: Arc<AtomicBool>,
}

/// Its ends of the pipes.
pub(super) type Pipes = (Bounded<ChildStdout>, ChildStdin);

impl Running {
    pub fn start(start: &Start<'_>, server: &Arc<Server>) -> Result<(Self, Pipes), String> {
        let folder = folder(start.cwd, &server.places.workspaces);
        let mut command = Command::new(start.command);
        command
            .args(start.args)
            .env_clear()
            .envs(environment(&server.places.environment, start.env))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        if let Some(folder) = &folder {
            command.current_dir(folder);
        }
        let mut child =
            command.spawn().map_err(|error| cannot_start(start.command, folder.as_deref(), &error))?;
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let pipes = (child.stdout.take(), child.stdin.take(), child.stderr.take());
        let too_long = Arc::new(AtomicBool::new(false));
        let mut running = Self { child, group, reading: JoinSet::new(), too_long: Arc::clone(&too_long) };
        let (Some(stdout), Some(stdin), Some(stderr)) = pipes else {
            return Err("its pipes could not be opened".to_owned());
        };
        running.reading.spawn(keep_lines(stderr, Arc::clone(server)));
        Ok((running, (Bounded { inner: stdout, line: 0, too_long }, stdin)))
    }

    /// When it ends by itself.
    pub async fn ended(&mut self) -> String {
        match self.child.wait().await {
            Ok(status) => ended_how(status),
            Err(error) => format!("it was lost: {error}"),
        }
    }

    pub fn sent_too_much(&self) -> bool {
        self.too_long.load(Ordering::Acquire)
    }

    /// Ends it, once its stdin is closed: it may end by itself, is asked to, and is then made to.
    pub async fn end(mut self, patience: Duration) {
        if tokio::time::timeout(patience, self.child.wait()).await.is_err() {
            self.signal(Signal::TERM);
            let _ = tokio::time::timeout(patience, self.child.wait()).await;
        }
        // Whatever it started and left behind goes with it. (The number of a group that has members is not given to another.)
        self.signal(Signal::KILL);
        let _ = tokio::time::timeout(patience, self.child.wait()).await;
        self.group = None;
        // What it wrote last is still in the pipe.
        let _ = tokio::time::timeout(patience, self.reading.join_next()).await;
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            // An error means that nothing is left of it.
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}

fn folder(cwd: Option<&str>, workspaces: &[PathBuf]) -> Option<PathBuf> {
    let workspace = workspaces.first();
    match (cwd, workspace) {
        (Some(cwd), Some(workspace)) => Some(workspace.join(cwd)),
        (Some(cwd), None) => Some(PathBuf::from(cwd)),
        (None, workspace) => workspace.cloned(),
    }
}

fn cannot_start(command: &str, folder: Option<&Path>, error: &std::io::Error) -> String {
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return format!("the folder {} in which it is to start does not exist", folder.display());
    }
    match error.kind() {
        std::io::ErrorKind::NotFound => {
            format!("there is no program `{command}`: install it, or give its whole path as `command`")
        }
        _ => format!("`{command}` cannot be started: {error}"),
    }
}

fn ended_how(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(0), _) => "it ended by itself".to_owned(),
        (Some(code), _) => format!("it ended with exit code {code}"),
        (None, Some(signal)) => format!("it was ended by signal {signal}"),
        (None, None) => "it ended".to_owned(),
    }
}

/// Reads all that comes, and keeps the last lines of it.
async fn keep_lines(mut stderr: ChildStderr, server: Arc<Server>) {
    /// More of one line is left out.
    const LONGEST: usize = 4_096;
    let mut piece = vec![0; 8_192];
    let mut line = Vec::new();
    while let Ok(read @ 1..) = stderr.read(&mut piece).await {
        for &byte in &piece[..read] {
            if byte == b'\n' {
                server.wrote(&String::from_utf8_lossy(&line));
                line.clear();
            } else if line.len() < LONGEST {
                line.push(byte);
            }
        }
    }
    if !line.is_empty() {
        server.wrote(&String::from_utf8_lossy(&line));
    }
}

/// A stream of lines that ends with an error where a line is too long: nobody waits for the rest of it, and nothing is kept.
pub(super) struct Bounded<R> {
    inner: R,
    line: usize,
    too_long: Arc<AtomicBool>,
}

impl<R: AsyncRead + Unpin> AsyncRead for Bounded<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        std::task::ready!(Pin::new(&mut self.inner).poll_read(cx, buffer))?;
        let new = &buffer.filled()[before..];
        self.line = match new.iter().rposition(|&byte| byte == b'\n') {
            Some(at) => new.len() - at - 1,
            None => self.line + new.len(),
        };
        if self.line > LONGEST_MESSAGE {
            self.too_long.store(true, Ordering::Release);
            return Poll::Ready(Err(std::io::Error::other("a message is too long")));
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_few_harmless_variables_are_passed_on() {
        let ours = [
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("OPENAI_API_KEY", "sk-1"),
            ("DESKHAND_TOKEN", "t"),
            ("https_proxy", "http://proxy:1"),
            ("HTTP_PROXY", "http://user:pw@proxy:1"),
        ];
        let ours: HashMap<String, String> = ours.map(|(k, v)| (k.into(), v.into())).into();
        let configured: BTreeMap<String, Hidden> =
            [("PATH".into(), Hidden::new("/mine")), ("TOKEN".into(), Hidden::new("x"))].into();
        let expected: BTreeMap<&str, &str> =
            [("PATH", "/mine"), ("LC_ALL", "C"), ("TOKEN", "x"), ("https_proxy", "http://proxy:1")].into();
        assert_eq!(environment(&ours, &configured), expected);
    }
}
