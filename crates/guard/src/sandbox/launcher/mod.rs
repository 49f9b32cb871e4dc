//! The launcher: this program, started again to shut itself in and then run a job.
//!
//! It has two stages, both this very program, each single-threaded. The one *outside* makes the namespaces, starts
//! the one inside and stays to watch the life line. The one *inside* puts up the walls (mounts, limits, privileges,
//! Landlock, seccomp) and starts the job.

#[cfg(target_os = "linux")]
mod inside;
#[cfg(target_os = "linux")]
mod landlock;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod loopback;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod outside;
#[cfg(target_os = "linux")]
mod privileges;
#[cfg(target_os = "linux")]
mod root;
#[cfg(target_os = "linux")]
mod seccomp;

use std::{ffi::OsString, process::ExitCode};

/// The private first arguments.
pub(super) const RUN: &str = "--confined-launcher";
pub(super) const PROBE: &str = "--confined-launcher-probe";
#[cfg(target_os = "linux")]
const RUN_INSIDE: &str = "--confined-launcher-inside";
#[cfg(target_os = "linux")]
const PROBE_INSIDE: &str = "--confined-launcher-inside-probe";

/// For tests: features to do without, separated by commas. It only ever takes something away.
pub(super) const WITHOUT: &str = "DESKHAND_TEST_WITHOUT";

/// Begins what a launcher that gives up says.
pub(super) const COMPLAINT: &str = "deskhand: the confinement cannot be set up: ";
/// The exit status of a launcher that gave up before the job began.
pub const GAVE_UP: u8 = 125;
/// From this ABI of Landlock on, signals and abstract sockets do not leave the job.
pub(super) const ABI_WITH_SCOPES: i32 = 6;

/// Something that the confinement needs and that did not work.
#[cfg(target_os = "linux")]
type Step<T> = Result<T, String>;

/// Says what was tried when it fails: `did("unshare", …)?`.
#[cfg(target_os = "linux")]
fn did<T, E: std::fmt::Display>(what: impl std::fmt::Display, result: Result<T, E>) -> Step<T> {
    result.map_err(|error| format!("{what}: {error}"))
}

#[cfg(target_os = "linux")]
fn pretends_to_lack(feature: &str) -> bool {
    std::env::var(WITHOUT).is_ok_and(|all| all.split(',').any(|one| one == feature))
}

/// Runs as the launcher where the first argument says so. To be called before any thread is started.
#[cfg(target_os = "linux")]
pub fn run_if_asked(args: &[OsString]) -> Option<ExitCode> {
    let (task, argv) = args.get(1..)?.split_first()?;
    let ended = match task.to_str()? {
        RUN => outside::run(RUN_INSIDE, argv),
        PROBE => outside::run(PROBE_INSIDE, argv),
        RUN_INSIDE => inside::run(argv),
        PROBE_INSIDE => inside::probe(),
        _ => return None,
    };
    Some(ended.map_or_else(|why| give_up(&why), ExitCode::from))
}

#[cfg(not(target_os = "linux"))]
pub fn run_if_asked(args: &[OsString]) -> Option<ExitCode> {
    let task = args.get(1)?.to_str()?;
    (task == RUN || task == PROBE).then(|| give_up("there is no confinement on this system yet"))
}

fn give_up(why: &str) -> ExitCode {
    use std::io::Write;
    // Where even this cannot be said, the exit status says it.
    let _ = writeln!(std::io::stderr(), "{COMPLAINT}{why}.");
    ExitCode::from(GAVE_UP)
}
