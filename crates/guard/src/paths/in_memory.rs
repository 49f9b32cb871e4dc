//! What can be looked at and read without waiting: what the system has in memory, on a path without links or mounts.
//!
//! Only the system knows that, so it is asked to fail rather than wait (`RESOLVE_CACHED`, `RWF_NOWAIT`). Where it does not
//! know how, everything fails here, and is done the other way.

use std::{fs::File, io, path::Path};

use cap_std::fs::Dir;

/// The largest file that is read at once. Reading is not waiting, but takes its time.
#[cfg(target_os = "linux")]
const MOST: usize = 64 * 1024;

/// A handle of what is at `relative` below `base`, only to look at it. Of a link at the end: of the link.
#[cfg(target_os = "linux")]
pub(super) fn look(base: &Dir, relative: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;
    open(base, relative, OFlags::PATH | OFlags::NOFOLLOW)
}

/// Opens a file for reading, if all of it can be read without waiting.
#[cfg(target_os = "linux")]
pub(super) fn file(base: &Dir, relative: &Path) -> io::Result<File> {
    use rustix::{
        fs::OFlags,
        io::{ReadWriteFlags, preadv2},
    };
    let file = open(base, relative, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?;
    let meta = file.metadata()?;
    let size = usize::try_from(meta.len()).unwrap_or(usize::MAX);
    if !meta.is_file() || size == 0 || size > MOST {
        return Err(io::ErrorKind::WouldBlock.into());
    }
    let mut bytes = vec![0; size];
    let read = preadv2(&file, &mut [io::IoSliceMut::new(&mut bytes)], 0, ReadWriteFlags::NOWAIT)?;
    if read < size { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(file) }
}

#[cfg(target_os = "linux")]
fn open(base: &Dir, relative: &Path, flags: rustix::fs::OFlags) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
    // What is a link, or another file system, may be anywhere: that is for whoever may wait.
    let resolve = ResolveFlags::CACHED
        | ResolveFlags::NO_SYMLINKS
        | ResolveFlags::NO_MAGICLINKS
        | ResolveFlags::NO_XDEV
        | ResolveFlags::BENEATH;
    Ok(openat2(base, relative, flags | OFlags::CLOEXEC, Mode::empty(), resolve)?.into())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn look(_: &Dir, _: &Path) -> io::Result<File> {
    Err(io::ErrorKind::WouldBlock.into())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn file(_: &Dir, _: &Path) -> io::Result<File> {
    Err(io::ErrorKind::WouldBlock.into())
}
