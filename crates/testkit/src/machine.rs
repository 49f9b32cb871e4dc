//! What a test needs of the machine that it runs on.

use std::path::Path;

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
pub fn folder_in_sight(target: &str) -> tempfile::TempDir {
    let hidden = ["/tmp", "/var/tmp"].iter().any(|place| Path::new(target).starts_with(place));
    let home = std::env::var("HOME").unwrap_or_default();
    let places = if hidden { vec!["/srv", &home] } else { vec![target] };
    let made = places.iter().find_map(|place| tempfile::tempdir_in(place).ok());
    made.unwrap_or_else(|| panic!("no folder can be made in any of {places:?}"))
}
