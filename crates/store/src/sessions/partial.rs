//! Where uploads lie that are still being written: `uploads/.partial/`. No session has such an id.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use deskhand_core::StoreResult;

use crate::{error::Doing, folder};

const NAME: &str = ".partial";

/// How long something lies there that nobody writes to.
const KEPT: Duration = Duration::from_hours(24);

/// The folder, without what was left in it before `now`.
pub fn place(uploads: &Path, now: SystemTime) -> StoreResult<PathBuf> {
    let place = uploads.join(NAME);
    folder::create_private(&place).doing(|| format!("create the folder {}", place.display()))?;
    let entries = fs::read_dir(&place).doing(|| format!("look into {}", place.display()))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        // Another process may be faster; whatever cannot be removed is tried again the next time.
        if let Err(error) = remove_if_old(&path, now)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!("cannot remove the unfinished upload {}: {error}", path.display());
        }
    }
    Ok(place)
}

fn remove_if_old(path: &Path, now: SystemTime) -> io::Result<()> {
    let found = path.symlink_metadata()?;
    let old = now.duration_since(found.modified()?).is_ok_and(|age| age > KEPT);
    match (old, found.is_dir()) {
        (false, _) => Ok(()),
        (true, true) => fs::remove_dir_all(path),
        (true, false) => fs::remove_file(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_has_written_to_for_a_day_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let place = |at| super::place(folder.path(), at).unwrap();
        let there = place(now);
        fs::write(there.join("old"), "x").unwrap();
        fs::create_dir(there.join("old folder")).unwrap();
        fs::write(there.join("old folder/part"), "x").unwrap();
        let hours = |n| now + Duration::from_hours(n);
        fs::File::create(there.join("new")).unwrap().set_modified(hours(2)).unwrap();
        place(hours(23));
        assert_eq!(fs::read_dir(&there).unwrap().count(), 3);
        place(hours(25));
        let left: Vec<_> = fs::read_dir(&there).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["new"]);
    }

    #[cfg(unix)]
    #[test]
    fn the_place_is_private_and_links_in_it_lead_nowhere() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::NamedTempFile::new().unwrap();
        let there = place(folder.path(), SystemTime::now()).unwrap();
        assert_eq!(fs::metadata(&there).unwrap().permissions().mode() & 0o777, 0o700);
        std::os::unix::fs::symlink(outside.path(), there.join("link")).unwrap();
        place(folder.path(), SystemTime::now() + Duration::from_hours(48)).unwrap();
        assert_eq!(fs::read_dir(&there).unwrap().count(), 0);
        assert!(outside.path().exists());
    }
}
