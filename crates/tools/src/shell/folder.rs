//! Private folders and files of ours: made for their owner alone, and written whole.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::Path,
};

/// The folder and those above it. One that exists stays as it is.
pub fn make(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// A new file.
pub fn new_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Writes `folder/name` so that whoever reads it finds all of it.
pub fn write_whole(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let unfinished = folder.join(format!(".new-{}", deskhand_core::id::new_id()));
    let written = new_file(&unfinished)
        .and_then(|mut file| file.write_all(content))
        .and_then(|()| fs::rename(&unfinished, folder.join(name)));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}
