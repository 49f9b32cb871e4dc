//! Confinement: what a program that a call starts can reach.
//!
//! [`Sandbox`] turns a [`Job`] into a [`Launch`]: this very program, started as its own launcher, which shuts
//! itself in before it starts what was asked for. Nothing is started here, and nothing is started bare: where the
//! configured confinement cannot be had, there is no [`Launch`].

use std::{
    ffi::OsString,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

use deskhand_core::ToolResult;

/// How much of the machine a job sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// For what runs unasked: the roots and the system's public files, all of it read-only; nothing else is there.
    Look,
    /// For what a person said yes to: the workspace is writable, the rest of the machine is read-only, secrets
    /// are not there.
    Work,
}

/// Something to run.
#[derive(Clone, Debug)]
pub struct Job {
    pub argv: Vec<OsString>,
    /// Absolute and real, inside a root.
    pub cwd: PathBuf,
    pub view: View,
    pub network: bool,
    /// Secret places that the plan named and a person said yes to: they are there, read-only.
    pub revealed: Vec<PathBuf>,
    /// The folder that is its `/tmp`.
    pub temporary: PathBuf,
    /// Its whole environment is a clean one, and these.
    pub env: Vec<(OsString, OsString)>,
}

/// What to start for a job. Dropping `life` ends everything that the job started.
#[derive(Debug)]
pub struct Launch {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// The job lives as long as this is open; the system closes it when this process ends, however it ends.
    pub life: OwnedFd,
    /// The launcher's side of it: inherited by the launcher, to be dropped once that has started.
    pub inherited: OwnedFd,
}

/// Which confinement is in force, for plans, `doctor` and the audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InForce {
    /// `namespaces` or `landlock`.
    pub kind: &'static str,
    /// In words: all that holds.
    pub words: String,
    /// Why not a stronger one, where there is one.
    pub weaker_because: Option<String>,
}

/// Puts jobs into confinement. Put into [`Services`](deskhand_core::Services).
#[derive(Clone, Debug)]
pub struct Sandbox {
    launcher: PathBuf,
}

impl Sandbox {
    /// `launcher` is the program that calls [`launcher::run_if_asked`] first thing: Deskhand itself.
    pub fn new(launcher: &Path) -> Self {
        Self { launcher: launcher.to_path_buf() }
    }
}

/// Starts things bare, with the life line honoured: only until the real one is here.
const BARE: &str = r#"fd=$1; cd "$2" || exit 126; shift 2
{ cat <&"$fd"; kill -KILL 0; } >/dev/null 2>&1 </dev/null &
eval "exec $fd<&-"
exec "$@""#;

impl Sandbox {
    /// What is in force here, or the refusal with its remedy. Found out once, by trying.
    pub fn in_force(&self) -> ToolResult<&InForce> {
        static NONE: std::sync::LazyLock<InForce> = std::sync::LazyLock::new(|| InForce {
            kind: "none",
            words: "nothing is confined: this is a stand-in".into(),
            weaker_because: None,
        });
        if self.launcher.as_os_str() == "/no/launcher" {
            return Err(deskhand_core::ToolError::blocked("no_sandbox", "There is no confinement here.")
                .hint("Install it."));
        }
        Ok(&NONE)
    }

    /// What to start for `job`.
    pub fn launch(&self, job: &Job) -> ToolResult<Launch> {
        use std::os::fd::AsRawFd;
        let failed = |error: rustix::io::Errno| {
            deskhand_core::ToolError::new("no_sandbox", error.to_string())
        };
        let (inherited, life) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).map_err(failed)?;
        rustix::io::fcntl_setfd(&inherited, rustix::io::FdFlags::empty()).map_err(failed)?;
        let mut args: Vec<OsString> = vec!["-c".into(), BARE.into(), "launcher".into()];
        args.push(inherited.as_raw_fd().to_string().into());
        args.push(job.cwd.clone().into());
        args.extend(job.argv.iter().cloned());
        let mut env: Vec<(OsString, OsString)> = vec![("PATH".into(), "/usr/bin:/bin".into())];
        env.extend(job.env.iter().cloned());
        Ok(Launch { program: "/bin/bash".into(), args, env, life, inherited })
    }
}
