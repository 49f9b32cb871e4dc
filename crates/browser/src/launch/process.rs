//! The process of a browser, and its end.
//!
//! It is driven over two pipes, its file descriptors 3 and 4. There is no port that another program on this machine
//! could connect to; and when Deskhand is gone, however it went, the pipes are closed and the browser ends by itself.

use std::{
    collections::VecDeque,
    ffi::OsString,
    process::Stdio,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    io::AsyncReadExt,
    process::{Child, ChildStderr, Command},
    sync::watch,
};
use tokio_util::sync::CancellationToken;

use super::{Found, LaunchError, Profile};
use crate::cdp::{Transport, over_pipes};

/// How much is kept of what the browser prints.
const MOST_PRINTED: usize = 4096;
/// How long an ended group may take to be gone.
const ENDING: Duration = Duration::from_secs(3);
/// How long what it printed is still read after its end.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Moves the pipes to where the browser expects them, without `unsafe`: a shell does it, and becomes the browser.
const MOVES_PIPES: &str = r#"exec "$@" 3<&0 4>&1 0</dev/null 1>&2"#;

/// What of the environment a browser needs. Keys of model servers and the like are not for it.
const ENVIRONMENT: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "DISPLAY",
    "XAUTHORITY",
    "WAYLAND_DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "FONTCONFIG_PATH",
    "FONTCONFIG_FILE",
    "LD_LIBRARY_PATH",
    "PULSE_SERVER",
];

/// A running browser. It ends when this is dropped, with all of its processes, and takes its profile with it.
pub struct Process {
    pid: u32,
    stop: CancellationToken,
    ended: watch::Receiver<bool>,
    printed: Arc<Mutex<Tail>>,
}

/// A browser that was started, and the way to it.
pub struct Started {
    pub transport: Transport,
    pub process: Process,
}

/// Starts a browser, with `changes` to its environment (an empty value: without it). That it runs is known only when it
/// answers.
#[cfg(unix)]
pub fn start(
    found: &Found,
    arguments: &[String],
    changes: Vec<(&str, &str)>,
    profile: Profile,
) -> Result<Started, LaunchError> {
    let failed = |error| LaunchError::NotStarted { path: found.path.clone(), error };
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(MOVES_PIPES).arg("sh").arg(&found.path).args(arguments);
    command.env_clear().envs(environment());
    for (name, value) in changes {
        if value.is_empty() {
            command.env_remove(name)
        } else {
            command.env(name, value)
        };
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.current_dir(profile.path()).process_group(0).kill_on_drop(true);
    let mut child = command.spawn().map_err(failed)?;
    let gone = || std::io::Error::other("its pipes are not there");
    let (Some(to), Some(from), Some(errors)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(failed(gone()));
    };
    let pid = child.id().ok_or_else(|| failed(gone()))?;
    let stop = CancellationToken::new();
    let (has_ended, ended) = watch::channel(false);
    let printed = Arc::new(Mutex::new(Tail::default()));
    // Owned by the `Process`, whose drop ends it.
    tokio::spawn(watch_over(child, pid, errors, Arc::clone(&printed), profile, stop.clone(), has_ended));
    Ok(Started { transport: over_pipes(from, to), process: Process { pid, stop, ended, printed } })
}

/// Moving pipes into another process needs more than the standard library elsewhere.
#[cfg(not(unix))]
pub fn start(found: &Found, _: &[String], _: Vec<(&str, &str)>, _: Profile) -> Result<Started, LaunchError> {
    let error =
        std::io::Error::other("starting a browser is not built for this system; attach to one instead");
    Err(LaunchError::NotStarted { path: found.path.clone(), error })
}

/// What a browser gets of our environment.
pub(super) fn environment() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| is_for_it(&name.to_string_lossy()))
}

fn is_for_it(name: &str) -> bool {
    ENVIRONMENT.contains(&name) || name.starts_with("LC_") || name.starts_with("XDG_")
}

impl Process {
    pub fn pid(&self) -> u32 {
        self.pid
    }

    pub fn has_ended(&self) -> bool {
        *self.ended.borrow()
    }

    /// Waits until it is gone, and its profile with it, where that does not stay.
    pub async fn until_ended(&self) {
        let _ = self.ended.clone().wait_for(|ended| *ended).await;
    }

    /// Ends it at once, with everything that it started.
    pub fn end(&self) {
        self.stop.cancel();
    }

    /// The last of what it printed, for an error; empty where it printed nothing.
    pub fn printed(&self) -> String {
        let words = lock(&self.printed).text();
        if words.is_empty() { words } else { format!("; it printed: {words}") }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn watch_over(
    mut child: Child,
    pid: u32,
    errors: ChildStderr,
    printed: Arc<Mutex<Tail>>,
    profile: Profile,
    stop: CancellationToken,
    has_ended: watch::Sender<bool>,
) {
    // A runtime that ends drops this in the middle; what is left then goes with the group.
    let group = Group(pid);
    let reading = read_errors(errors, &printed);
    tokio::pin!(reading);
    let mut is_read = false;
    loop {
        tokio::select! {
            _ = child.wait() => break,
            () = stop.cancelled() => break,
            () = &mut reading, if !is_read => is_read = true,
        }
    }
    drop(group);
    if !is_read {
        // Its last words say why it ended, and may still be in the pipe.
        let _ = tokio::time::timeout(LAST_WORDS, reading).await;
    }
    let _ = tokio::time::timeout(ENDING, child.wait()).await;
    let _ = tokio::task::spawn_blocking(move || drop(profile)).await;
    has_ended.send_replace(true);
}

async fn read_errors(mut from: ChildStderr, printed: &Mutex<Tail>) {
    let mut piece = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut piece).await {
        lock(printed).take(&piece[..read]);
    }
}

fn lock(tail: &Mutex<Tail>) -> MutexGuard<'_, Tail> {
    tail.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The processes of a browser; ended when it is dropped.
struct Group(u32);

impl Drop for Group {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(group) = i32::try_from(self.0).ok().and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

/// The last of what was printed.
#[derive(Default)]
struct Tail(VecDeque<u8>);

impl Tail {
    fn take(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
        let over = self.0.len().saturating_sub(MOST_PRINTED);
        self.0.drain(..over);
    }

    fn text(&self) -> String {
        let bytes: Vec<u8> = self.0.iter().copied().collect();
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_bounded() {
        let mut tail = Tail::default();
        for _ in 0..100 {
            tail.take(&[b'x'; 1000]);
        }
        tail.take("the end 中".as_bytes());
        assert!(tail.text().ends_with("the end 中") && tail.0.len() == MOST_PRINTED);
    }

    #[test]
    fn no_key_gets_into_a_browser() {
        for name in [
            "OPENAI_API_KEY",
            "DESKHAND_TOKEN",
            "DESKHAND_BROWSER_PATH",
            "SSH_AUTH_SOCK",
            "LD_PRELOAD",
            "PATHS",
            "GH_TOKEN",
        ] {
            assert!(!is_for_it(name), "{name}");
        }
        for name in ["PATH", "HOME", "DISPLAY", "LC_ALL", "XDG_RUNTIME_DIR"] {
            assert!(is_for_it(name), "{name}");
        }
    }
}
