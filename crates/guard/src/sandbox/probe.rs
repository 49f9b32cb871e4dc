//! Which confinement this machine has, found out by trying it.

use std::{
    io::Read,
    process::{Command, Stdio},
};

use deskhand_core::ToolError;
use serde::{Deserialize, Serialize};

use super::{
    InForce, Kind, Sandbox, Wanted, launcher,
    policy::{Policy, Text},
};

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
    let config = &sandbox.0.config;
    let workspace = config.paths.workspace();
    let policy = |life| Policy {
        kind,
        whole_machine: true,
        shown: Vec::new(),
        hidden: Vec::new(),
        temporary: Text::of(workspace),
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
    let (mut said, mut complaint) = (String::new(), String::new());
    let _ = child.stdout.take().map(|mut out| out.read_to_string(&mut said));
    let _ = child.stderr.take().map(|mut out| out.read_to_string(&mut complaint));
    let status = child.wait().map_err(failed)?;
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
