//! What a test needs of the machine that it runs on.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Says that the rest of a test cannot run here. Where `CI` is set that is a failure: what a test needs is installed
/// by `make test`.
///
/// # Panics
/// Where `CI` is set.
pub fn skip(why: &str) {
    assert!(
        std::env::var_os("CI").is_none_or(|value| value.is_empty()),
        "this test may not be skipped in CI: {why}"
    );
    eprintln!("skipped: {why}");
}

/// Gives up root's rights for the rest of this process, which would hide what is tested. nextest gives each test a
/// process of its own.
#[cfg(target_os = "linux")]
pub fn become_ordinary_user() {
    use nix::unistd::{Gid, Uid};
    let (user, group) = (Uid::from_raw(65_534), Gid::from_raw(65_534));
    if Uid::effective().is_root() {
        nix::unistd::setresgid(group, group, group).expect("root can become anybody");
        nix::unistd::setresuid(user, user, user).expect("root can become anybody");
        // A process that changed its user may not look at its own /proc, unless it says so.
        nix::sys::prctl::set_dumpable(true).expect("it is one's own process");
    }
}

/// A folder that commands in the sandbox can see: they get a /tmp and a /var/tmp of their own.
///
/// # Panics
/// Where none can be made.
pub fn folder_in_sight(target: &str) -> TempDir {
    let hidden = ["/tmp", "/var/tmp"].iter().any(|place| Path::new(target).starts_with(place));
    let home = std::env::var_os("HOME").filter(|home| Path::new(home).is_absolute());
    let others = FOR_EVERYONE.iter().map(PathBuf::from).chain(home.map(PathBuf::from));
    if hidden { folder_in(others) } else { folder_in([target.into()]) }
}

/// A folder that commands in the sandbox can see, whichever user runs them.
///
/// # Panics
/// Where none can be made.
pub fn folder_for_everyone() -> TempDir {
    folder_in(FOR_EVERYONE.iter().map(PathBuf::from))
}

/// System folders that every user may enter and that are no temporary ones.
const FOR_EVERYONE: [&str; 4] = ["/srv", "/opt", "/var/lib", "/mnt"];

fn folder_in(places: impl IntoIterator<Item = PathBuf>) -> TempDir {
    let places: Vec<PathBuf> = places.into_iter().collect();
    let made = places.iter().find_map(|place| tempfile::tempdir_in(place).ok());
    made.unwrap_or_else(|| panic!("no folder can be made in any of {places:?}"))
}
