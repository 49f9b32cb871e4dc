//! Tokens in files, one for each server, which only their owner can read.

use std::{
    any::Any,
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use super::keeper::{Keeper, KeeperError, Kept, ServerId};

/// Tokens are short; a larger file is none of ours.
const LARGEST: u64 = 256 << 10;

/// A folder of tokens, in the config folder.
#[derive(Clone, Debug)]
pub struct FileKeeper {
    folder: PathBuf,
}

impl FileKeeper {
    /// The folder is made when there is something to keep.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    fn file(&self, server: &ServerId) -> PathBuf {
        self.folder.join(format!("{}.json", server.key()))
    }

    fn make_folder(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.folder)
    }
}

impl Keeper for FileKeeper {
    fn load(&self, server: &ServerId) -> Result<Option<Kept>, KeeperError> {
        let path = self.file(server);
        let shown = path.display();
        let mut file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(KeeperError::new(format!("{shown} cannot be opened: {error}"))),
        };
        let metadata = file
            .metadata()
            .map_err(|error| KeeperError::new(format!("{shown} cannot be looked at: {error}")))?;
        #[cfg(unix)]
        if std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o077 != 0 {
            let why = format!("others can read {shown}, so it is not used. Run: chmod 600 {shown}");
            return Err(KeeperError::new(why));
        }
        if metadata.len() > LARGEST {
            return Err(KeeperError::new(format!("{shown} is larger than {LARGEST} bytes")));
        }
        let mut text = String::new();
        file.read_to_string(&mut text)
            .map_err(|error| KeeperError::new(format!("{shown} cannot be read: {error}")))?;
        Kept::from_text(&text, &shown.to_string()).map(Some)
    }

    fn save(&self, server: &ServerId, kept: &Kept) -> Result<(), KeeperError> {
        let path = self.file(server);
        let text = kept.to_text()?;
        self.make_folder()
            .and_then(|()| replace(&path, &text))
            .map_err(|error| KeeperError::new(format!("{} cannot be written: {error}", path.display())))
    }

    fn clear(&self, server: &ServerId) -> Result<bool, KeeperError> {
        let path = self.file(server);
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(KeeperError::new(format!("{} cannot be removed: {error}", path.display()))),
        }
    }

    fn try_lock(&self, server: &ServerId) -> Result<Option<Box<dyn Any + Send>>, KeeperError> {
        let path = self.folder.join(format!("{}.lock", server.key()));
        let wrong =
            |error: io::Error| KeeperError::new(format!("{} cannot be locked: {error}", path.display()));
        self.make_folder().map_err(wrong)?;
        let file = private().create(true).truncate(false).open(&path).map_err(wrong)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Box::new(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(wrong(error)),
        }
    }
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Writes a file beside the old one and puts it in its place: it is whole at every moment.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let fresh = Path::new(&name);
    let _ = fs::remove_file(fresh);
    let mut file = private().create_new(true).open(fresh)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(fresh, path)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // all of it is tests
    use rmcp::transport::auth::StoredCredentials;

    use super::*;

    fn kept() -> Kept {
        let tokens = serde_json::json!({"access_token": "hunter2", "token_type": "bearer"});
        let tokens = serde_json::from_value(tokens).unwrap();
        Kept::new(Some(StoredCredentials::new("me".into(), Some(tokens), vec!["a".into()], None)), None)
    }

    #[test]
    fn what_is_kept_is_found_by_name_and_address() {
        let folder = tempfile::tempdir().unwrap();
        let keeper = FileKeeper::new(folder.path().join("tokens"));
        let here = ServerId::new("notes", "https://example.com/mcp");
        let there = ServerId::new("notes", "https://example.org/mcp");
        assert!(keeper.load(&here).unwrap().is_none());
        keeper.save(&here, &kept()).unwrap();
        keeper.save(&here, &kept()).unwrap();
        let found = keeper.load(&here).unwrap().unwrap();
        assert!(found.has_tokens());
        assert_eq!(found.scopes(), ["a"]);
        assert!(!format!("{found:?}").contains("hunter2"));
        assert!(keeper.load(&there).unwrap().is_none(), "tokens for one address are not for another");
        assert!(keeper.clear(&here).unwrap());
        assert!(!keeper.clear(&here).unwrap());
        assert!(keeper.load(&here).unwrap().is_none());
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let keeper = FileKeeper::new(folder.path().join("tokens"));
        let server = ServerId::new("notes", "https://example.com/mcp");
        keeper.save(&server, &kept()).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&keeper.folder), 0o700);
        assert_eq!(mode(&keeper.file(&server)), 0o600);
        let files: Vec<_> = fs::read_dir(&keeper.folder).unwrap().collect();
        assert_eq!(files.len(), 1, "nothing is left beside it: {files:?}");
        fs::set_permissions(keeper.file(&server), fs::Permissions::from_mode(0o644)).unwrap();
        let error = keeper.load(&server).unwrap_err();
        assert!(error.to_string().contains("chmod 600"), "{error}");
        keeper.save(&server, &kept()).unwrap();
        assert_eq!(mode(&keeper.file(&server)), 0o600, "an open file is replaced, not written to");
    }

    #[test]
    fn one_renews_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let one = FileKeeper::new(folder.path());
        let other = FileKeeper::new(folder.path());
        let server = ServerId::new("notes", "https://example.com/mcp");
        let held = one.try_lock(&server).unwrap().unwrap();
        assert!(other.try_lock(&server).unwrap().is_none());
        assert!(other.try_lock(&ServerId::new("else", "https://example.com/mcp")).unwrap().is_some());
        drop(held);
        assert!(other.try_lock(&server).unwrap().is_some());
    }
}
