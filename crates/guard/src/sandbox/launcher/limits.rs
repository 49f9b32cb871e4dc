//! Limits on what one job uses. Hard ones: without privileges nobody in the job can raise them.

use std::fs;

use rustix::process::{Resource, Rlimit, getrlimit, getuid, setrlimit};

use super::{Step, did};
use crate::sandbox::policy::{Kind, Policy};

/// Whether the number of processes is limited by this; for root, it is not.
pub fn set(policy: &Policy) -> Step<bool> {
    let limits = &policy.limits;
    // A user's processes are counted in their namespace; without one, all of that user's on the machine.
    let processes = match policy.kind {
        Kind::Namespaces => limits.processes,
        Kind::Landlock => limits.processes.saturating_add(tasks_on_this_machine()),
    };
    let all = [
        (Resource::Data, limits.memory_bytes),
        (Resource::Nproc, processes),
        (Resource::Fsize, limits.file_bytes),
        (Resource::Cpu, limits.cpu_seconds),
        (Resource::Core, 0),
    ];
    for (resource, wanted) in all {
        // What is tighter already stays.
        let value = getrlimit(resource).maximum.map_or(wanted, |hard| hard.min(wanted));
        let limit = Rlimit { current: Some(value), maximum: Some(value) };
        did(format_args!("limit {resource:?} to {value}"), setrlimit(resource, limit))?;
    }
    Ok(!getuid().is_root())
}

/// The fourth word of loadavg is `running/all`.
fn tasks_on_this_machine() -> u64 {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let all = load.split_ascii_whitespace().nth(3).and_then(|counts| counts.rsplit_once('/'));
    all.and_then(|(_, all)| all.parse().ok()).unwrap_or(0)
}
