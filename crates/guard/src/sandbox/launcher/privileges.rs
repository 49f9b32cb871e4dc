//! Privileges: what the stage inside needs to build its walls, and that nothing is left of it afterwards.

use rustix::{
    io::{self, Errno},
    thread::{
        CapabilitySet, CapabilitySets, capabilities, capability_is_in_bounding_set,
        clear_ambient_capability_set, configure_capability_in_ambient_set,
        remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
    },
};

use super::{Step, did};

/// For mounts, and for taking privileges away. They hold in the job's own user namespace only.
///
/// A layer does its own work with the rights of its mounter: its work folder has mode 000, and what is copied up
/// keeps owner, mode and times. All of it is about entries of this user alone, and the job gets none of these rights.
const NEEDED: &[CapabilitySet] = &[
    CapabilitySet::SYS_ADMIN,
    CapabilitySet::SETPCAP,
    CapabilitySet::DAC_OVERRIDE,
    CapabilitySet::CHOWN,
    CapabilitySet::FOWNER,
    CapabilitySet::FSETID,
];

/// Privileges are lost when a program is started by anyone but root, unless they are ambient.
pub fn keep_for_the_inside() -> io::Result<()> {
    let now = capabilities(None)?;
    set_capabilities(None, CapabilitySets { inheritable: now.permitted, ..now })?;
    NEEDED.iter().try_for_each(|needed| configure_capability_in_ambient_set(*needed, true))
}

pub fn drop_all() -> Step<()> {
    did("no new privileges", set_no_new_privs(true))?;
    did("ambient privileges", clear_ambient_capability_set())?;
    for number in 0..64 {
        let one = CapabilitySet::from_bits_retain(1 << number);
        match capability_is_in_bounding_set(one) {
            Ok(false) => {}
            Ok(true) => match remove_capability_from_bounding_set(one) {
                // Who has no privilege at all cannot give them up, and cannot get any: see above.
                Ok(()) | Err(Errno::PERM) => {}
                Err(error) => return Err(format!("bounding set: {error}")),
            },
            // The kernel knows no more.
            Err(_) => break,
        }
    }
    let none = CapabilitySet::empty();
    let none = CapabilitySets { effective: none, permitted: none, inheritable: none };
    did("drop privileges", set_capabilities(None, none))
}
