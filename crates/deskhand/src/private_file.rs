//! Small files that only their owner may read: tokens, keys, users. Whole at every moment.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

/// Writes a file beside the old one and puts it in its place.
pub fn write(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut name = file.as_os_str().to_owned();
    name.push(".new");
    let fresh = Path::new(&name);
    let _ = fs::remove_file(fresh);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut written = options.open(fresh)?;
    written.write_all(text.as_bytes())?;
    written.sync_all()?;
    fs::rename(fresh, file)
}
