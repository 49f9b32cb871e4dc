//! Pictures that a person is asked about. A terminal shows none, so they lie in files of the data folder, which only their
//! owner can read, for as long as the question waits.

use std::{
    fs, io,
    io::Write,
    path::{Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use deskhand_core::Image;

/// Where they lie in the data folder.
fn folder(data_dir: &Path) -> PathBuf {
    data_dir.join("questions")
}

/// The pictures of one question; they go with this.
pub struct Pictures(Vec<PathBuf>);

impl Pictures {
    pub fn put(data_dir: &Path, question: &str, images: &[Image]) -> io::Result<Self> {
        let mut put = Self(Vec::new());
        for (n, image) in images.iter().enumerate() {
            let ending = if image.mime == "image/jpeg" { "jpg" } else { "png" };
            let path = folder(data_dir).join(format!("{question}-{}.{ending}", n + 1));
            let content = STANDARD.decode(&image.base64).map_err(io::Error::other)?;
            write_private(&path, &content)?;
            put.0.push(path);
        }
        Ok(put)
    }

    pub fn files(&self) -> &[PathBuf] {
        &self.0
    }

    /// They stay, until [`forget_others`] finds that nobody is asked any more.
    pub fn leave(mut self) -> Vec<PathBuf> {
        std::mem::take(&mut self.0)
    }
}

impl Drop for Pictures {
    fn drop(&mut self) {
        for path in &self.0 {
            let _ = fs::remove_file(path);
        }
    }
}

/// Takes away the pictures of questions that are not open any more: of a process that was killed, for instance.
pub fn forget_others(data_dir: &Path, open: &[&str]) {
    for entry in fs::read_dir(folder(data_dir)).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !open.iter().any(|id| name.starts_with(id)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut folder = fs::DirBuilder::new();
    folder.recursive(true);
    let mut options = fs::OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        folder.mode(0o700);
        options.mode(0o600);
    }
    if let Some(parent) = path.parent() {
        folder.create(parent)?;
    }
    // One that lies there is of the same question, and perhaps shown somewhere.
    match options.write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(content),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}
