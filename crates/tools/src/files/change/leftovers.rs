//! What killed calls left beside the user's files: the half-written file of a call that is over.
//!
//! Whoever writes such a file holds a lock on it until it has its own name, so one that can be locked is nobody's.
//! Half-made folders are left: nothing tells whether someone is still at work in them.

use std::{
    ffi::OsStr,
    fs::File,
    path::Path,
    time::{Duration, SystemTime},
};

use cap_std::fs::Dir;
use deskhand_core::CallId;
use deskhand_guard::Place;

use super::{Changes, os};

/// In a larger folder, only so many entries are looked at.
const MOST_LOOKED_AT: usize = 4_000;
/// A younger one may be about to be locked.
const AGE: Duration = Duration::from_mins(1);

impl Changes<'_> {
    /// Removes what killed calls left in the folder that `place` is in. It is looked into once in a call.
    pub(super) fn clear_leftovers(&mut self, place: &Place, parent: &Dir) {
        let Some(folder) = place.path().parent().map(Path::to_path_buf) else { return };
        let Some(entries) = self.swept.insert(folder).then(|| parent.entries().ok()).flatten() else {
            return;
        };
        for entry in entries.take(MOST_LOOKED_AT).flatten() {
            let name = entry.file_name();
            if is_passing_name(&name) && is_nobodys(parent, &name) {
                let _ = parent.remove_file(&name);
            }
        }
    }
}

/// Tells others that this file is in use, for as long as it is open. On a file system without locks nobody can
/// tell, and nothing is cleared away.
pub(super) fn hold(file: &File) {
    let _ = file.try_lock();
}

/// Whether it is exactly such a name as calls give.
fn is_passing_name(name: &OsStr) -> bool {
    let name = name.to_str();
    let inner = name.and_then(|name| name.strip_prefix(".deskhand-")?.strip_suffix(".tmp")?.rsplit_once('-'));
    inner.is_some_and(|(call, number)| {
        let is_call = CallId::parse(call).is_some_and(|id| id.to_string() == call);
        is_call && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn is_nobodys(parent: &Dir, name: &OsStr) -> bool {
    let Ok(meta) = parent.symlink_metadata(name) else { return false };
    let age = os::meta_of(&meta).modified.and_then(|time| SystemTime::now().duration_since(time).ok());
    if !meta.is_file() || age.is_none_or(|age| age < AGE) {
        return false;
    }
    // Only one name: whatever it is, someone else gave it another.
    os::names_of(&meta) == 1 && os::open_to_read(parent, name).is_ok_and(|file| file.try_lock().is_ok())
}
