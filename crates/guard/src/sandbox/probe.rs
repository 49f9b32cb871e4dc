//! Which confinement this machine has, found out by trying it.

use std::{
    io::Read,
    path::Path,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use deskhand_core::ToolError;
use serde::{Deserialize, Serialize};

use super::{
    InForce, Kind, Sandbox, Wanted, launcher,
    policy::{Policy, Shown, Text},
};

/// How long a try may take.
const MOST_TIME: Duration = Duration::from_secs(10);

/// What a launcher says once its walls stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// 0 where there is no Landlock.
    pub landlock_abi: i32,
    /// Whether the number of processes is limited. The usual limit does not hold for root.
    pub processes_limited: bool,
}

/// What came of trying each kind: what holds, or why it cannot be had.
#[derive(Clone, Debug)]
pub struct Findings {
    pub namespaces: Result<Found, String>,
    pub landlock: Result<Found, String>,
}

/// Why there is no confinement, and what to do.
#[derive(Clone, Debug)]
pub struct Refusal {
    message: String,
    remedy: String,
}

impl Refusal {
    pub fn to_error(&self) -> ToolError {
        ToolError::new("no_sandbox", self.message.clone()).hint(self.remedy.clone())
    }
}

/// What to do where there are no namespaces.
pub const ALLOW_NAMESPACES: &str = "Allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, \
     kernel.apparmor_restrict_unprivileged_userns=0, user.max_user_namespaces above 0; in a container, also an \
     unmasked /proc)";
/// What to do where there is no Landlock.
pub const ALLOW_LANDLOCK: &str = "Use a kernel with Landlock (6.2 or later, `landlock` among lsm= at boot)";

/// The kind to use, or the refusal. Only what is needed is tried.
pub fn decide(wanted: Wanted, sandbox: &Sandbox) -> Result<(Kind, InForce), Refusal> {
    let words = |kind: Kind, found: &Found, weaker_because| {
        (kind, InForce { kind: kind.name(), words: describe(kind, found), weaker_because })
    };
    match wanted {
        Wanted::Only(kind) => match try_kind(sandbox, kind) {
            Ok(found) => Ok(words(kind, &found, None)),
            Err(why) => Err(Refusal {
                message: format!(
                    "The confinement sandbox.kind = \"{}\" cannot be had here: {why}.",
                    kind.name()
                ),
                remedy: match kind {
                    Kind::Namespaces => format!("{ALLOW_NAMESPACES}, or set sandbox.kind = \"landlock\"."),
                    Kind::Landlock => format!("Set sandbox.kind = \"namespaces\", or: {ALLOW_LANDLOCK}."),
                },
            }),
        },
        Wanted::Auto => match try_kind(sandbox, Kind::Namespaces) {
            Ok(found) => Ok(words(Kind::Namespaces, &found, None)),
            Err(stronger) => match try_kind(sandbox, Kind::Landlock) {
                Ok(found) => Ok(words(Kind::Landlock, &found, Some(format!("no namespaces: {stronger}")))),
                Err(weaker) => Err(Refusal {
                    message: format!(
                        "No confinement can be had here. Namespaces: {stronger}. Landlock: {weaker}."
                    ),
                    remedy: format!("{ALLOW_NAMESPACES}, or: {ALLOW_LANDLOCK}."),
                }),
            },
        },
    }
}

pub fn try_all(sandbox: &Sandbox) -> Findings {
    Findings { namespaces: try_kind(sandbox, Kind::Namespaces), landlock: try_kind(sandbox, Kind::Landlock) }
}

/// Starts a launcher that shuts itself in, and instead of running anything says what holds.
fn try_kind(sandbox: &Sandbox, kind: Kind) -> Result<Found, String> {
    run(sandbox, kind, Vec::new(), sandbox.0.config.paths.workspace())
}

/// Mounts a layer over the workspaces, and writes on it.
pub fn try_layer(sandbox: &Sandbox) -> Result<(), String> {
    match sandbox.decided() {
        Ok((Kind::Namespaces, _)) => {}
        Ok((Kind::Landlock, _)) => {
            return Err("only namespaces have layers, and Landlock is in force".to_owned());
        }
        Err(error) => return Err(error.message),
    }
    let name = format!("probe-{}", deskhand_core::CallId::new());
    let layer = sandbox.layer(&name).map_err(|error| error.message)?;
    // Places below /tmp are made in the temporary folder: not in the workspace.
    let shown = layer.roots().iter().map(Shown::on_layer).collect();
    run(sandbox, Kind::Namespaces, shown, layer.folder()).map(|_| ())
}

fn run(sandbox: &Sandbox, kind: Kind, shown: Vec<Shown>, temporary: &Path) -> Result<Found, String> {
    let config = &sandbox.0.config;
    let workspace = config.paths.workspace();
    let policy = |life| Policy {
        kind,
        whole_machine: true,
        shown,
        hidden: Vec::new(),
        temporary: Text::of(temporary),
        cwd: Text::of(workspace),
        network: false,
        limits: config.limits,
        env: Vec::new(),
        life,
    };
    let launch = sandbox.prepare(kind, launcher::PROBE, &[], policy).map_err(|error| error.message)?;
    let mut command = Command::new(&launch.program);
    command.args(&launch.args).env_clear().envs(launch.env).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let failed = |error: std::io::Error| format!("{} cannot be started: {error}", launch.program.display());
    let mut child = command.spawn().map_err(failed)?;
    drop(launch.inherited);
    // A file system that does not answer must not hold us up: without its life line the launcher ends.
    let (ended, life) = (mpsc::channel::<()>(), launch.life);
    let watch = thread::spawn(move || {
        let in_time = !matches!(ended.1.recv_timeout(MOST_TIME), Err(mpsc::RecvTimeoutError::Timeout));
        drop(life);
        in_time
    });
    let (mut said, mut complaint) = (String::new(), String::new());
    let _ = child.stdout.take().map(|mut out| out.read_to_string(&mut said));
    let _ = child.stderr.take().map(|mut out| out.read_to_string(&mut complaint));
    let status = child.wait().map_err(failed)?;
    drop(ended.0);
    if watch.join().is_ok_and(|in_time| !in_time) {
        return Err(format!("it did not answer within {} seconds", MOST_TIME.as_secs()));
    }
    if status.success()
        && let Ok(found) = serde_json::from_str(&said)
    {
        return Ok(found);
    }
    let complaint = complaint.trim().trim_start_matches(launcher::COMPLAINT).trim_end_matches('.');
    Err(if complaint.is_empty() { format!("the launcher ended with {status}") } else { complaint.to_owned() })
}

/// All that holds, in words.
fn describe(kind: Kind, found: &Found) -> String {
    let abi = found.landlock_abi;
    let mut words = match kind {
        Kind::Namespaces => {
            let landlock = if abi > 0 { format!("Landlock ABI {abi}") } else { "no Landlock".to_owned() };
            format!(
                "namespaces (user, mount, PID, network, IPC), {landlock}, seccomp, limits; writable: the \
                 workspace and a private /tmp; no network"
            )
        }
        Kind::Landlock => format!(
            "Landlock ABI {abi}, seccomp (no sockets), limits; writable: the workspace and a private temporary \
             folder; no network; secret files inside the workspace cannot be hidden from what may write there, \
             modes and times of the user's files outside it can be changed by such a program, and other \
             processes of the machine are listed"
        ),
    };
    if kind == Kind::Landlock && abi < launcher::ABI_WITH_SCOPES {
        words.push_str("; signals to the user's other processes are not stopped");
    }
    if !found.processes_limited {
        words.push_str("; the number of processes is not limited, since this runs as root");
    }
    words
}
