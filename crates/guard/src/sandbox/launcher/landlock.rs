//! Landlock: which files a job may read and write, held by the kernel whatever is mounted where. The second wall in
//! namespaces, the first one without.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use landlock::{
    ABI, Access, AccessFs, BitFlags, LandlockStatus, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope, make_bitflags,
};

use super::{Step, did, pretends_to_lack};
use crate::sandbox::{
    hidden::SYSTEM_PRIVATE,
    policy::{Kind, Policy, Text},
};

/// The newest that we know; of it, what the kernel has is used.
const NEWEST: ABI = ABI::V9;
/// Before this one, files outside could be emptied.
const LEAST_ALONE: i32 = 3;
/// Everybody's, and so nobody's.
const SHARED: &[&str] = &["/tmp", "/var/tmp", "/dev", "/run"];
/// Devices that hold nothing.
const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx"];

fn reading() -> BitFlags<AccessFs> {
    make_bitflags!(AccessFs::{Execute | ReadFile | ReadDir})
}

/// Everything but devices: no job makes one.
fn writing() -> BitFlags<AccessFs> {
    AccessFs::from_all(NEWEST) & !make_bitflags!(AccessFs::{MakeChar | MakeBlock | IoctlDev})
}

fn using_devices() -> BitFlags<AccessFs> {
    make_bitflags!(AccessFs::{ReadFile | WriteFile | ReadDir | IoctlDev | Truncate})
}

/// Shuts this process in; the ABI that does it, 0 where there is none.
pub fn restrict(policy: &Policy) -> Step<i32> {
    let abi = if pretends_to_lack("landlock") { 0 } else { did("Landlock", put_in_force(policy))? };
    match (policy.kind, abi) {
        (Kind::Landlock, 0) => Err("this kernel has no Landlock, or it is switched off".to_owned()),
        (Kind::Landlock, abi) if abi < LEAST_ALONE => {
            Err(format!("this kernel's Landlock has ABI {abi}, and {LEAST_ALONE} is needed"))
        }
        (_, abi) => Ok(abi),
    }
}

fn put_in_force(policy: &Policy) -> Result<i32, RulesetError> {
    let ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        .scope(Scope::AbstractUnixSocket | Scope::Signal)?
        .create()?;
    let writable = policy.shown.iter().filter(|shown| shown.writable).map(|shown| shown.path.path());
    let writable = writable.map(Path::to_path_buf);
    let ruleset = match policy.kind {
        Kind::Namespaces => {
            let private = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
            let ruleset = allow(ruleset, reading(), ["/"])?;
            let ruleset = allow(ruleset, writing(), writable.chain(private))?;
            allow(ruleset, using_devices(), ["/dev"])?
        }
        Kind::Landlock => {
            let ruleset = allow(ruleset, reading(), readable(policy))?;
            let ruleset = allow(ruleset, AccessFs::ReadDir.into(), listed(policy))?;
            let ruleset = allow(ruleset, writing(), writable.chain([policy.temporary()]))?;
            let ruleset = allow(ruleset, using_devices(), DEVICES)?;
            allow(ruleset, using_devices(), own_terminals())?
        }
    };
    Ok(match ruleset.restrict_self()?.landlock {
        LandlockStatus::Available { effective_abi, kernel_abi } => kernel_abi.unwrap_or(effective_abi as i32),
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => 0,
    })
}

/// The terminals that the job was given; those of others are none of its business.
fn own_terminals() -> impl Iterator<Item = PathBuf> {
    let streams = (0..3).filter_map(|number| fs::read_link(format!("/proc/self/fd/{number}")).ok());
    streams.filter(|path| path.starts_with("/dev/pts"))
}

fn allow<P: AsRef<Path>>(
    mut ruleset: RulesetCreated,
    access: BitFlags<AccessFs>,
    places: impl IntoIterator<Item = P>,
) -> Result<RulesetCreated, RulesetError> {
    for place in places {
        // What is not there needs no rule.
        let Ok(opened) = PathFd::new(place.as_ref()) else { continue };
        let is_file = !place.as_ref().is_dir();
        let access = if is_file { access & AccessFs::from_file(NEWEST) } else { access };
        ruleset = ruleset.add_rule(PathBeneath::new(opened, access))?;
    }
    Ok(ruleset)
}

/// What may be read where no mount hides anything: a rule opens a whole tree, so a tree that holds something hidden
/// is opened entry by entry.
fn readable(policy: &Policy) -> BTreeSet<PathBuf> {
    let mut hidden: BTreeSet<&Path> = policy.hidden.iter().map(Text::path).collect();
    hidden.extend(SHARED.iter().map(Path::new));
    let mut open = BTreeSet::new();
    if policy.whole_machine {
        open_around(Path::new("/"), &hidden, &mut open);
    }
    for shown in &policy.shown {
        open_around(
            shown.path.path(),
            &hidden.iter().copied().filter(|h| *h != shown.path.path()).collect(),
            &mut open,
        );
    }
    open
}

fn open_around(place: &Path, hidden: &BTreeSet<&Path>, open: &mut BTreeSet<PathBuf>) {
    if hidden.contains(place) {
        return;
    }
    if !hidden.iter().any(|hidden| hidden.starts_with(place)) {
        open.insert(place.to_path_buf());
        return;
    }
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        // A link opens nothing: what it leads to has its own rule.
        if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            open_around(&entry.path(), hidden, open);
        }
    }
}

/// Folders whose names may be listed though not all in them may be read: a rule for that opens the whole tree.
fn listed(policy: &Policy) -> impl Iterator<Item = PathBuf> {
    let shown = policy.shown.iter().map(|shown| shown.path.path());
    shown.chain(SYSTEM_PRIVATE.iter().map(Path::new)).filter(|place| place.is_dir()).map(Path::to_path_buf)
}
