//! The stage inside: puts up the walls, then starts the job. In namespaces it is process 1 and ends with the job,
//! and everything that is left ends with it; otherwise it becomes the job.

use std::{
    env,
    ffi::OsString,
    fs,
    io::{self, Write},
    os::unix::process::CommandExt,
    path::Path,
    process::Command,
};

use nix::sys::signal::SigSet;
use rustix::process::{
    DumpableBehavior, Pid, Signal, WaitOptions, set_dumpable_behavior, set_parent_process_death_signal, wait,
};

use super::{Step, did, landlock, limits, outside::code_of, privileges, root, seccomp};
use crate::sandbox::{
    policy::{Kind, Policy},
    probe::Found,
};

const NOT_FOUND: u8 = 127;
const NOT_EXECUTABLE: u8 = 126;

pub fn run(argv: &[OsString]) -> Step<u8> {
    let policy = policy()?;
    put_up_walls(&policy)?;
    let Some((program, args)) = argv.split_first() else {
        return Err("there is no program to run".to_owned());
    };
    let mut job = Command::new(program);
    job.args(args).env_clear().current_dir(policy.cwd.path());
    job.envs(policy.env.iter().map(|(name, value)| (&name.0, &value.0)));
    let error = match policy.kind {
        Kind::Landlock => job.exec(),
        Kind::Namespaces => match job.spawn() {
            Ok(started) => return Ok(wait_as_first_process(Pid::from_child(&started))),
            Err(error) => error,
        },
    };
    let missing_folder = !policy.cwd.path().is_dir();
    let what = if missing_folder { policy.cwd.path().display() } else { Path::new(program).display() };
    let _ = writeln!(io::stderr(), "deskhand: {what}: {error}");
    let not_found = error.kind() == io::ErrorKind::NotFound && !missing_folder;
    Ok(if not_found { NOT_FOUND } else { NOT_EXECUTABLE })
}

/// Puts up the walls and says which stand.
pub fn probe() -> Step<u8> {
    let policy = policy()?;
    let found = put_up_walls(&policy)?;
    for layered in policy.shown.iter().filter(|shown| shown.overlay.is_some()) {
        did("write on a layer", write_on_layer(layered.path.path()))?;
    }
    let said = did("say what was found", serde_json::to_string(&found))?;
    did("say what was found", writeln!(io::stdout(), "{said}"))?;
    Ok(0)
}

/// Makes, renames and removes what a file system that cannot carry a layer refuses, or loses.
fn write_on_layer(root: &Path) -> io::Result<()> {
    let (folder, other) = (root.join(".deskhand-probe"), root.join(".deskhand-probe-2"));
    fs::create_dir(&folder)?;
    fs::write(folder.join("file"), "1")?;
    fs::rename(&folder, &other)?;
    fs::remove_dir_all(&other)
}

fn policy() -> Step<Policy> {
    did("its orders", Policy::from_environment(|name| env::var_os(name)))
}

fn put_up_walls(policy: &Policy) -> Step<Found> {
    // The stage outside blocks them for itself, and what is started takes that over. Process 1 minds none anyway.
    did("signals", SigSet::all().thread_unblock())?;
    die_with_the_outside()?;
    let mut processes_limited = limits::set(policy)?;
    if policy.kind == Kind::Namespaces {
        processes_limited |= root::build(policy)?;
    }
    privileges::drop_all()?;
    // Giving up privileges may have taken this back.
    die_with_the_outside()?;
    let landlock_abi = landlock::restrict(policy)?;
    seccomp::restrict(policy, landlock_abi)?;
    // The job is not to read our orders, nor to steer us.
    did("close our own memory", set_dumpable_behavior(DumpableBehavior::NotDumpable))?;
    Ok(Found { landlock_abi, processes_limited })
}

fn die_with_the_outside() -> Step<()> {
    did("die with the stage outside", set_parent_process_death_signal(Some(Signal::KILL)))
}

/// Takes leave of whoever ends, as process 1 must, until the job itself ends.
fn wait_as_first_process(job: Pid) -> u8 {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == job => return code_of(status),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return u8::MAX,
        }
    }
}
