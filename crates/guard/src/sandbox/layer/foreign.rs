//! Entries of groups that a job's user namespace does not know.
//!
//! A user can map only their own user and group into it. The kernel then refuses to copy up an entry of another group
//! (`EOVERFLOW`). So such entries are put into the upper folder before the run, with our own group; what is the same
//! afterwards is no change, and keeping gives a changed entry its group back.

use std::{
    fs::{self, Metadata},
    io,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use rustix::process::{getegid, geteuid};

use super::LayeredRoot;

impl LayeredRoot {
    /// Puts every entry of a foreign group into the upper folder; returns how many there are. `check` is asked often
    /// and may stop it.
    pub fn bring_foreign(&self, check: &dyn Fn() -> io::Result<()>) -> io::Result<u64> {
        if geteuid().is_root() {
            // All groups are mapped.
            return Ok(0);
        }
        let mut count = 0;
        let mut folders = vec![PathBuf::new()];
        while let Some(at) = folders.pop() {
            // What cannot be read cannot be changed either.
            for entry in fs::read_dir(self.path.join(&at)).into_iter().flatten().flatten() {
                check()?;
                let Ok(meta) = entry.metadata() else { continue };
                let path = at.join(entry.file_name());
                if is_foreign(&meta) && (meta.is_dir() || meta.is_file()) {
                    count += u64::from(self.bring(&path, &meta)?);
                }
                if meta.is_dir() {
                    folders.push(path);
                }
            }
        }
        Ok(count)
    }

    /// `false` for a file that cannot be read, which stays where it is.
    fn bring(&self, path: &Path, meta: &Metadata) -> io::Result<bool> {
        self.bring_folders(path.parent().unwrap_or(Path::new("")))?;
        let written = self.upper.join(path);
        if meta.is_dir() {
            self.bring_folders(path)?;
            return Ok(true);
        }
        match fs::copy(self.path.join(path), &written) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(false),
            Err(error) => return Err(error),
        }
        let file = fs::File::options().read(true).open(&written)?;
        file.set_modified(meta.modified()?)?;
        fs::set_permissions(&written, fs::Permissions::from_mode(meta.mode() & 0o7777))?;
        Ok(true)
    }

    /// Makes a folder and those above it in the upper folder, each with its mode.
    fn bring_folders(&self, path: &Path) -> io::Result<()> {
        let mut at = PathBuf::new();
        for name in path {
            at.push(name);
            let written = self.upper.join(&at);
            match fs::create_dir(&written) {
                Ok(()) => {
                    let mode = fs::metadata(self.path.join(&at))?.mode() & 0o7777;
                    fs::set_permissions(&written, fs::Permissions::from_mode(mode))?;
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Of this user, and of a group that is not theirs alone.
fn is_foreign(meta: &Metadata) -> bool {
    meta.gid() != getegid().as_raw()
}
