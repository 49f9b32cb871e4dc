//! Files that are not meant to be written: a plan that writes one all the same says so, and is asked each time.
//!
//! Writing goes by the folder (a new file takes the place of the old one), so the system would not object.

use cap_std::fs::Metadata;
use deskhand_core::{Permission, Plan};
use deskhand_guard::Place;

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// At its end: it stays the same file.
    InPlace,
    /// By a new one that takes its name.
    Anew,
}

/// Says so where there is a file that is marked read-only, or that is someone else's and closed to us.
pub(super) fn say(plan: Plan, place: &Place, written: Written) -> Plan {
    let Ok(meta) = place.metadata() else { return plan };
    if !meta.is_file() {
        return plan;
    }
    let Some(why) = here::look(place, &meta).why(written) else { return plan };
    plan.at_least(Permission::Sensitive, "write:read-only-file", &why).note(why)
}

/// What decides whether a file is meant to be written by us.
struct Look {
    /// Whether anyone at all has the right to write it.
    marked: bool,
    /// Whether the system would let us write it.
    open_to_us: bool,
    /// Its owner, where that is someone else and could not be kept.
    other_owner: Option<u32>,
}

impl Look {
    fn why(&self, written: Written) -> Option<String> {
        let why = match (self.marked, self.open_to_us) {
            (true, _) => "The file is there already, and it is marked read-only.",
            (false, false) => "The file is there already, and this user has no right to write it.",
            (false, true) => return None,
        };
        Some(match self.other_owner.filter(|_| written == Written::Anew) {
            Some(owner) => format!("{why} Its owner would change (it is user {owner} now)."),
            None => why.to_owned(),
        })
    }
}

#[cfg(unix)]
mod here {
    use cap_std::fs::MetadataExt;
    use rustix::fs::{Access, AtFlags};

    use super::{Look, Metadata, Place};

    pub(super) fn look(place: &Place, meta: &Metadata) -> Look {
        const ANYONE_WRITES: u32 = 0o222;
        let us = rustix::process::geteuid();
        let open_to_us = match (place.parent(), place.name()) {
            (Ok(parent), Some(name)) => {
                rustix::fs::accessat(&parent, name, Access::WRITE_OK, AtFlags::EACCESS).is_ok()
            }
            _ => true,
        };
        Look {
            marked: meta.mode() & ANYONE_WRITES == 0,
            open_to_us,
            other_owner: Some(meta.uid()).filter(|owner| !us.is_root() && *owner != us.as_raw()),
        }
    }
}

#[cfg(not(unix))]
mod here {
    use super::{Look, Metadata, Place};

    pub(super) fn look(_: &Place, meta: &Metadata) -> Look {
        Look { marked: meta.permissions().readonly(), open_to_us: true, other_owner: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_meant_to_be_written_is_said() {
        let why = |marked, open_to_us, other_owner| Look { marked, open_to_us, other_owner };
        for (look, written, words) in [
            (why(false, true, Some(7)), Written::Anew, None),
            (why(true, true, None), Written::Anew, Some("it is marked read-only.")),
            (why(true, false, Some(7)), Written::Anew, Some("owner would change (it is user 7 now).")),
            (why(true, false, Some(7)), Written::InPlace, Some("it is marked read-only.")),
            (why(false, false, Some(7)), Written::Anew, Some("owner would change (it is user 7 now).")),
            (why(false, false, None), Written::Anew, Some("this user has no right to write it.")),
        ] {
            let said = look.why(written);
            assert_eq!(said.is_some(), words.is_some(), "{said:?}");
            assert!(
                words.is_none_or(|words| said.as_deref().is_some_and(|said| said.ends_with(words))),
                "{said:?}"
            );
        }
    }
}
