//! The stage outside: makes the namespaces, starts the stage inside, and ends everything when the life line breaks.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs::{self, File},
    io,
    os::{fd::AsRawFd, unix::process::CommandExt},
    process::Command,
};

use nix::{
    sched::{CloneFlags, unshare},
    sys::{
        signal::{SigSet, Signal as NixSignal},
        signalfd::{SfdFlags, SignalFd},
    },
};
use rustix::{
    event::{PollFd, PollFlags, poll},
    io::Errno,
    process::{
        Pid, Signal, WaitOptions, WaitStatus, getegid, geteuid, getpid, kill_process, set_child_subreaper,
        setsid, wait, waitpid,
    },
};

use super::{Step, did, loopback, pretends_to_lack, privileges};
use crate::sandbox::policy::{Kind, Policy};

/// How a job ends whose life line broke.
const KILLED: u8 = 128 + 9;

pub fn run(task: &str, argv: &[OsString]) -> Step<u8> {
    // A session of its own: the person's terminal is not the job's.
    did("a session of its own", setsid())?;
    let policy = did("its orders", Policy::from_environment(|name| env::var_os(name)))?;
    let life = did("the life line", File::open(format!("/proc/self/fd/{}", policy.life)))?;
    did("close what was inherited", close_all_but(&life))?;
    // A key pressed in the job's terminal is for the job.
    did("block signals", SigSet::all().thread_block())?;
    match policy.kind {
        Kind::Namespaces => enter_namespaces(&policy)?,
        // Whoever loses its parent becomes our child, and so is found at the end.
        Kind::Landlock => did("become the subreaper", set_child_subreaper(Some(getpid())))?,
    }
    let children = {
        let mut set = SigSet::empty();
        set.add(NixSignal::SIGCHLD);
        did("watch children", SignalFd::with_flags(&set, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK))?
    };
    let mut inside = Command::new("/proc/self/exe");
    inside.arg0("deskhand").arg(task).args(argv);
    let inside = did("start the stage inside", inside.spawn())?;
    let inside = Pid::from_child(&inside);
    let code = watch(inside, &life, &children);
    if policy.kind == Kind::Landlock {
        kill_descendants();
    }
    Ok(code)
}

/// Descriptors that Deskhand, or who started it, left open lead to places that the job is not to reach. The life
/// line's own number is among them: who holds it could open the writing side anew.
fn close_all_but(life: &File) -> io::Result<()> {
    let open: Vec<i32> = fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    for number in open.into_iter().filter(|number| *number > 2 && *number != life.as_raw_fd()) {
        // The one that listed the folder is closed already.
        let _ = nix::unistd::close(number);
    }
    Ok(())
}

fn enter_namespaces(policy: &Policy) -> Step<()> {
    if pretends_to_lack("namespaces") {
        return Err("user namespaces: not permitted".to_owned());
    }
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let mut flags = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS;
    if !policy.network {
        flags |= CloneFlags::CLONE_NEWNET;
    }
    // Not every kernel has the one for cgroups, and nothing rests on it.
    if unshare(flags | CloneFlags::CLONE_NEWCGROUP).is_err() {
        did("user namespaces", unshare(flags))?;
    }
    did("map the user: setgroups", fs::write("/proc/self/setgroups", "deny"))?;
    did("map the user: uid_map", fs::write("/proc/self/uid_map", format!("{user} {user} 1")))?;
    did("map the user: gid_map", fs::write("/proc/self/gid_map", format!("{group} {group} 1")))?;
    if !policy.network {
        did("loopback", loopback::bring_up())?;
    }
    did("hand privileges on", privileges::keep_for_the_inside())
}

/// Waits for the stage inside to end, or for the life line to break; the exit status of the job.
fn watch(inside: Pid, life: &File, children: &SignalFd) -> u8 {
    loop {
        let mut both = [PollFd::new(children, PollFlags::IN), PollFd::new(life, PollFlags::IN)];
        let broken = match poll(&mut both, None) {
            Ok(_) => !both[1].revents().is_empty(),
            Err(error) => error != Errno::INTR,
        };
        if broken {
            let _ = kill_process(inside, Signal::KILL);
        }
        while let Ok(Some(_)) = children.read_signal() {}
        // Any child: one may have left the process group.
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            if pid == inside {
                return code_of(status);
            }
        }
        if broken {
            let _ = waitpid(Some(inside), WaitOptions::empty());
            return KILLED;
        }
    }
}

/// As a shell says it: the exit status, or 128 and the signal.
pub fn code_of(status: WaitStatus) -> u8 {
    let code = status.exit_status().or_else(|| status.terminating_signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

/// Kills children until there are none: those of a killed child become ours, so that everyone's turn comes.
fn kill_descendants() {
    let own = format!("/proc/self/task/{}/children", getpid().as_raw_nonzero());
    loop {
        let listed = fs::read_to_string(&own).unwrap_or_else(|_| children_by_search());
        for child in
            listed.split_ascii_whitespace().filter_map(|pid| pid.parse().ok().and_then(Pid::from_raw))
        {
            let _ = kill_process(child, Signal::KILL);
        }
        match wait(WaitOptions::empty()) {
            Err(Errno::INTR) | Ok(_) => {}
            Err(_) => return,
        }
    }
}

/// For kernels that do not list children.
fn children_by_search() -> String {
    let own = getpid().as_raw_nonzero().to_string();
    let all = fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.file_name());
    let ours = all.filter(|pid| {
        let stat =
            fs::read_to_string(std::path::Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
        // The name may hold anything, brackets and blanks too; the parent is the second word after it.
        stat.rsplit_once(')').and_then(|(_, rest)| rest.split_ascii_whitespace().nth(1)) == Some(own.as_str())
    });
    ours.collect::<Vec<_>>().join(OsStr::new(" ")).to_string_lossy().into_owned()
}
