//! Reading what is at a path, without following a link and without waiting for a pipe.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

use rustix::fs::{Mode, OFlags};
use sha2::{Digest, Sha256};

/// Opens a regular file.
fn open(path: &Path) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    file.metadata().is_ok_and(|meta| meta.is_file()).then_some(file)
}

/// The whole content of a regular file of at most `most` bytes. `None` if it is none, larger, or cannot be read.
pub(super) fn read(path: &Path, most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= most).then_some(bytes)
}

/// Where a link leads.
pub(super) fn link_target(path: &Path) -> Option<OsString> {
    fs::read_link(path).ok().map(PathBuf::into_os_string)
}

/// The SHA-256 of a regular file.
pub(super) fn hash(path: &Path) -> Option<[u8; 32]> {
    let mut file = open(path)?;
    let (mut sum, mut piece) = (Sha256::new(), vec![0; 64 * 1024]);
    loop {
        match file.read(&mut piece).ok()? {
            0 => return Some(sum.finalize().into()),
            read => sum.update(&piece[..read]),
        }
    }
}
