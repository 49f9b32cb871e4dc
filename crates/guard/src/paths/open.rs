//! Opening a resolved path without following any link: what is opened is what was looked at, or nothing.

use std::{ffi::OsStr, fs::File, io, path::Path};

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;

/// Opens the folder `relative` below `base`. A link anywhere in it is an error.
#[cfg(target_os = "linux")]
pub fn folder(base: &Dir, relative: &Path) -> io::Result<Dir> {
    use rustix::fs::{Mode, OFlags, ResolveFlags};
    if relative.as_os_str().is_empty() {
        return base.try_clone();
    }
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS | ResolveFlags::BENEATH;
    match rustix::fs::openat2(base, relative, flags, Mode::empty(), resolve) {
        Ok(fd) => Ok(Dir::from_std_file(fd.into())),
        // A kernel before 5.6, or a sandbox that does not know the call.
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => step_by_step(base, relative),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
pub fn folder(base: &Dir, relative: &Path) -> io::Result<Dir> {
    step_by_step(base, relative)
}

/// Whether [`folder`] can leave it to the system to refuse links.
#[cfg(target_os = "linux")]
pub(super) fn by_the_system() -> bool {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::openat2(CWD, ".", flags, Mode::empty(), ResolveFlags::NO_SYMLINKS).is_ok()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn by_the_system() -> bool {
    false
}

/// The same with one open for each component.
fn step_by_step(base: &Dir, relative: &Path) -> io::Result<Dir> {
    relative.components().try_fold(base.try_clone()?, |dir, part| dir.open_dir_nofollow(part.as_os_str()))
}

/// Opens what is at `name` for reading. A link is an error; a pipe does not block.
#[cfg(unix)]
pub(super) fn file(folder: &Dir, name: &OsStr) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(folder, name, flags, Mode::empty())?.into())
}

#[cfg(not(unix))]
pub(super) fn file(folder: &Dir, name: &OsStr) -> io::Result<File> {
    use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt};
    let mut options = cap_std::fs::OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No);
    Ok(folder.open_with(name, &options)?.into_std())
}

/// Opens the file `relative` below `base` for reading, in one step where the system can.
#[cfg(target_os = "linux")]
pub(super) fn below(base: &Dir, relative: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, ResolveFlags};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS | ResolveFlags::BENEATH;
    match rustix::fs::openat2(base, relative, flags, Mode::empty(), resolve) {
        Ok(fd) => Ok(fd.into()),
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => below_step_by_step(base, relative),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn below(base: &Dir, relative: &Path) -> io::Result<File> {
    below_step_by_step(base, relative)
}

fn below_step_by_step(base: &Dir, relative: &Path) -> io::Result<File> {
    let name = relative.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    let parent = relative.parent().unwrap_or(Path::new(""));
    file(&step_by_step(base, parent)?, name)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use cap_std::ambient_authority;

    #[test]
    fn both_ways_refuse_links() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("a/b")).unwrap();
        std::os::unix::fs::symlink("a", dir.path().join("link")).unwrap();
        let base = Dir::open_ambient_dir(dir.path(), ambient_authority()).unwrap();
        for open in [folder, step_by_step] {
            assert!(open(&base, Path::new("a/b")).is_ok());
            assert!(open(&base, Path::new("")).is_ok());
            assert!(open(&base, Path::new("link/b")).is_err());
            assert!(open(&base, Path::new("link")).is_err());
        }
        std::fs::write(dir.path().join("a/b/f"), "").unwrap();
        for open in [below, below_step_by_step] {
            assert!(open(&base, Path::new("a/b/f")).is_ok());
            assert!(open(&base, Path::new("link/b/f")).is_err());
            assert!(open(&base, Path::new("link")).is_err());
            assert!(open(&base, Path::new("../f")).is_err());
        }
    }
}
