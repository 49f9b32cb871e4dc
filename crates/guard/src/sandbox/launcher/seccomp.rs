//! Seccomp: system calls that no job needs, and that lead around the other walls.

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};

use super::{ABI_WITH_SCOPES, Step, did, pretends_to_lack};
use crate::sandbox::policy::{Kind, Policy};

/// Refused whatever their arguments are.
const REFUSED: &[i64] = &[
    // Other file systems and roots.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_by_handle_at,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    // Other namespaces and processes.
    libc::SYS_setns,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // The kernel itself.
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_reboot,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    // Keys of the user's session.
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
    // Calls that pass by this very filter.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // The clock.
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
];

#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[i64] = &[libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_modify_ldt, libc::SYS_uselib];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[i64] = &[];

/// With this bit, a 64-bit machine takes calls of the x32 kind: the same numbers, and these of its own. They are
/// refused with all others of that kind that are refused here.
#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;
/// ioctl, ptrace, kexec_load, process_vm_readv, process_vm_writev, and those that send and receive.
#[cfg(target_arch = "x86_64")]
const X32_OWN: &[i64] = &[514, 521, 528, 539, 540];

/// Each new namespace brings privileges inside it.
const NAMESPACES: &[u64] =
    &[0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000];
const NEW_TIME_NAMESPACE: u64 = 0x80;

/// They type into the terminal that the job was started from.
const REFUSED_IOCTLS: &[u64] = &[0x5412 /* TIOCSTI */, 0x541C /* TIOCLINUX */];

const UNIX: u64 = 1;
const INET: u64 = 2;
const INET6: u64 = 10;
const NETLINK: u64 = 16;

/// Shared memory, queues and semaphores that others made: an IPC namespace of its own has none of them.
const SHARED_WITH_OTHERS: &[i64] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// What Landlock has no rights for: owners, modes, times and attributes of files.
const CHANGES_BESIDE_CONTENT: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
];
#[cfg(target_arch = "x86_64")]
const CHANGES_BESIDE_CONTENT_HERE: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const CHANGES_BESIDE_CONTENT_HERE: &[i64] = &[];
/// The same numbers everywhere, and too new to have names.
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

pub fn restrict(policy: &Policy, landlock_abi: i32) -> Step<()> {
    if pretends_to_lack("seccomp") {
        return Err("seccomp: not permitted".to_owned());
    }
    let mut refused = did("seccomp rules", refused(sockets_for(policy, landlock_abi)))?;
    if policy.kind == Kind::Landlock && !policy.shown.iter().any(|shown| shown.writable) {
        let all = CHANGES_BESIDE_CONTENT.iter().chain(CHANGES_BESIDE_CONTENT_HERE);
        refused.extend(all.map(|call| (*call, Vec::new())));
    }
    if policy.kind == Kind::Landlock {
        refused.extend(SHARED_WITH_OTHERS.iter().map(|call| (*call, Vec::new())));
    }
    with_x32(&mut refused);
    install(refused, libc::EPERM)?;
    // Its flags lie in memory, where no filter can look: programs take the older call when there is none.
    let mut newer = Rules::from([(libc::SYS_clone3, Vec::new())]);
    with_x32(&mut newer);
    install(newer, libc::ENOSYS)
}

/// Which families of sockets a job may have.
fn sockets_for(policy: &Policy, landlock_abi: i32) -> &'static [u64] {
    match (policy.kind, policy.network) {
        (Kind::Landlock, false) => &[],
        (Kind::Landlock, true) => &[INET, INET6, NETLINK],
        // The machine's network has its abstract sockets too: without Landlock's scopes nothing else stops them.
        (Kind::Namespaces, true) if landlock_abi < ABI_WITH_SCOPES => &[INET, INET6, NETLINK],
        (Kind::Namespaces, _) => &[UNIX, INET, INET6, NETLINK],
    }
}

fn refused(sockets: &[u64]) -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules = REFUSED.iter().chain(REFUSED_HERE).map(|call| (*call, Vec::new())).collect();
    let namespaces = NAMESPACES.iter().map(|bit| rule(&[(0, SeccompCmpOp::MaskedEq(*bit), *bit)]));
    let clone = namespaces.collect::<Result<Vec<_>, _>>()?;
    let mut unshare = clone.clone();
    unshare.push(rule(&[(0, SeccompCmpOp::MaskedEq(NEW_TIME_NAMESPACE), NEW_TIME_NAMESPACE)])?);
    rules.insert(libc::SYS_clone, clone);
    rules.insert(libc::SYS_unshare, unshare);
    let ioctls = REFUSED_IOCTLS.iter().map(|request| rule(&[(1, SeccompCmpOp::Eq, *request)]));
    rules.insert(libc::SYS_ioctl, ioctls.collect::<Result<_, _>>()?);
    // Its own limits, not those of other processes: the stage outside is one of them.
    rules.insert(libc::SYS_prlimit64, vec![rule(&[(0, SeccompCmpOp::Ne, 0)])?]);
    let others: Vec<_> = sockets.iter().map(|family| (0, SeccompCmpOp::Ne, *family)).collect();
    rules.insert(libc::SYS_socket, if others.is_empty() { Vec::new() } else { vec![rule(&others)?] });
    Ok(rules)
}

/// A rule that holds when all its conditions do: argument, comparison, value.
fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, seccompiler::BackendError> {
    let conditions = conditions.iter().map(|(argument, compare, value)| {
        // All that are looked at here are 32 bits wide; what is above them the kernel ignores as well.
        SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, compare.clone(), *value)
    });
    SeccompRule::new(conditions.collect::<Result<_, _>>()?)
}

#[cfg(target_arch = "x86_64")]
fn with_x32(rules: &mut Rules) {
    let same: Vec<_> = rules.iter().map(|(call, rule)| (call | X32, rule.clone())).collect();
    rules.extend(same);
    rules.extend(X32_OWN.iter().map(|call| (call | X32, Vec::new())));
}

#[cfg(not(target_arch = "x86_64"))]
fn with_x32(_: &mut Rules) {}

fn install(rules: Rules, errno: i32) -> Step<()> {
    #[cfg(target_arch = "x86_64")]
    let architecture = TargetArch::x86_64;
    #[cfg(target_arch = "aarch64")]
    let architecture = TargetArch::aarch64;
    let answer = SeccompAction::Errno(errno.unsigned_abs());
    let filter = did("seccomp", SeccompFilter::new(rules, SeccompAction::Allow, answer, architecture))?;
    let program: BpfProgram = did("seccomp", filter.try_into())?;
    did("seccomp", apply_filter(&program))
}
