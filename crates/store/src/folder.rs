//! Making folders and files that last: private to their owner, whole or not there, on disk when they should be.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

/// Creates the folder and those above it, readable by their owner alone. One that exists stays as it is.
pub(crate) fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder)
}

/// Options for files that only their owner may read.
pub(crate) fn private_file() -> fs::OpenOptions {
    #[allow(unused_mut)] // where there are no modes
    let mut options = fs::OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options
}

/// What was created in or removed from the folder is so after a power cut, too.
pub(crate) fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Whether a file has to survive a power cut.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durable {
    Yes,
    No,
}

/// The start of the names of files that are not finished.
pub(crate) const UNFINISHED: &str = ".new-";

/// Writes `folder/name` so that it is there with all of its content, or not at all.
pub(crate) fn write_whole(folder: &Path, name: &str, content: &[u8], durable: Durable) -> io::Result<()> {
    let unfinished = folder.join(format!("{UNFINISHED}{}", uuid::Uuid::now_v7()));
    let written = (|| {
        let mut file = private_file().write(true).create_new(true).open(&unfinished)?;
        file.write_all(content)?;
        if durable == Durable::Yes {
            file.sync_all()?;
        }
        fs::rename(&unfinished, folder.join(name))?;
        if durable == Durable::Yes { sync(folder) } else { Ok(()) }
    })();
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// Moves a finished file within one file system, private to its owner, so that it is whole in one of the two places
/// also after a power cut.
pub(crate) fn move_whole(from: &Path, to: &Path) -> io::Result<()> {
    let file = File::open(from)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
    }
    file.sync_all()?;
    fs::rename(from, to)?;
    to.parent().map_or(Ok(()), sync)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        for (content, durable) in [("one", Durable::Yes), ("two", Durable::No)] {
            write_whole(folder.path(), "a", content.as_bytes(), durable).unwrap();
            assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), content);
        }
        fs::create_dir(folder.path().join("b")).unwrap();
        write_whole(folder.path(), "b", b"x", Durable::No).unwrap_err();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing unfinished is left");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_made_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        create_private(&deep).unwrap();
        create_private(&deep).unwrap();
        write_whole(&deep, "f", b"x", Durable::No).unwrap();
        for (path, mode) in [("a", 0o700), ("a/b", 0o700), ("a/b/f", 0o600)] {
            let found = fs::metadata(folder.path().join(path)).unwrap().permissions().mode();
            assert_eq!(found & 0o777, mode, "{path}");
        }
    }
}
