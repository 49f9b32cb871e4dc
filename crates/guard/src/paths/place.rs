//! A path that the policy has looked at: the only thing that can be opened.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use cap_std::fs::{Dir, Metadata};
use deskhand_core::{Access, Fingerprint, Permission, Shape, ToolError, ToolResult, Touch};
use unicode_normalization::UnicodeNormalization;

use super::{Paths, arg::show_name, in_memory, open, resolve::Resolved};

/// What is at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
    Link,
    /// A pipe, a socket, a device.
    Special,
    Absent,
}

/// A resolved, classified path. Every operation on it goes through a handle of its folder, and follows no link.
#[derive(Clone, Debug)]
pub struct Place {
    paths: Paths,
    resolved: Resolved,
    access: Access,
    permission: Permission,
    rule: &'static str,
    why: String,
    /// What was there when it was looked at; only for who may not wait, and so uses it at once.
    seen: Option<Arc<Metadata>>,
}

impl Place {
    pub(super) fn new(
        paths: Paths,
        resolved: Resolved,
        access: Access,
        permission: Permission,
        rule: &'static str,
        why: String,
    ) -> Self {
        let access = if access == Access::Modify && !resolved.exists { Access::Create } else { access };
        Self { paths, resolved, access, permission, rule, why, seen: None }
    }

    /// Of which the system has all in memory that is needed to look at it, and that was looked at just now.
    pub(super) fn seen(self, meta: Metadata) -> Self {
        Self { seen: Some(Arc::new(meta)), ..self }
    }

    /// Absolute, without links.
    pub fn path(&self) -> &Path {
        &self.resolved.path
    }

    /// The path as text, with control characters escaped.
    pub fn shown(&self) -> String {
        let text = show_name(self.path().as_os_str());
        if text.chars().any(char::is_control) {
            text.chars()
                .flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] })
                .collect()
        } else {
            text
        }
    }

    /// The path as text that can be given back as an argument.
    pub fn text(&self) -> String {
        show_name(self.path().as_os_str())
    }

    pub fn exists(&self) -> bool {
        self.resolved.exists
    }

    /// Whether the path that was asked for led here through a link.
    pub fn through_link(&self) -> bool {
        self.resolved.through_link
    }

    pub fn access(&self) -> Access {
        self.access
    }

    pub fn permission(&self) -> Permission {
        self.permission
    }

    pub fn rule(&self) -> &'static str {
        self.rule
    }

    pub fn why(&self) -> &str {
        &self.why
    }

    /// The last name of the path; `None` for the root of the file system.
    pub fn name(&self) -> Option<&OsStr> {
        self.path().file_name()
    }

    /// A handle of the folder that this place is in. An error if that folder is not there (yet).
    pub fn parent(&self) -> ToolResult<Dir> {
        let folder = self.path().parent().unwrap_or(self.path());
        self.open_dir(folder)
    }

    /// A handle of this place, a folder, for work below it.
    pub fn folder(&self) -> ToolResult<Dir> {
        self.open_dir(self.path())
    }

    /// The folders above this place that are not there yet, outermost first. Whoever may write a place may
    /// make the folders it needs: what the policy says of them, it says of what is in them.
    pub fn missing_folders(&self) -> Vec<Self> {
        let above = self.path().ancestors().skip(1);
        let is_missing = |folder: &&Path| {
            folder.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        };
        let missing = above.take_while(is_missing);
        let mut places: Vec<Self> = missing
            .map(|folder| Self {
                resolved: Resolved { path: folder.to_path_buf(), exists: false, through_link: false },
                access: Access::Create,
                ..self.clone()
            })
            .collect();
        places.reverse();
        places
    }

    fn open_dir(&self, path: &Path) -> ToolResult<Dir> {
        let (base, relative) = self.paths.base_of(path);
        open::folder(base, relative).map_err(|error| self.opening("open the folder", path, &error))
    }

    /// Opens the file for reading. Anything that is not a plain file is an error; nothing here can block.
    pub fn open(&self) -> ToolResult<File> {
        if self.seen.is_some() {
            let (base, relative) = self.paths.base_of(self.path());
            return in_memory::file(base, relative).map_err(|error| self.io("read", &error));
        }
        let file = match self.name() {
            Some(name) => open::file(&self.parent()?, name),
            None => Err(io::ErrorKind::IsADirectory.into()),
        };
        let file = file.map_err(|error| self.opening("read", self.path(), &error))?;
        let meta = file.metadata().map_err(|error| self.io("read", &error))?;
        if meta.is_dir() {
            return Err(self.io("read", &io::ErrorKind::IsADirectory.into()));
        }
        if !meta.is_file() {
            let message = format!("{} is not a file but a pipe, socket or device.", self.shown());
            return Err(ToolError::new("not_a_file", message));
        }
        Ok(file)
    }

    /// Metadata of the place itself; of a link, not of what it leads to.
    pub fn metadata(&self) -> ToolResult<Metadata> {
        if let Some(seen) = &self.seen {
            return Ok(Metadata::clone(seen));
        }
        let meta = match self.name() {
            Some(name) => self.parent()?.symlink_metadata(name),
            None => self.folder()?.dir_metadata(),
        };
        meta.map_err(|error| self.io("look at", &error))
    }

    pub fn kind(&self) -> Kind {
        match self.metadata() {
            Err(_) => Kind::Absent,
            Ok(meta) if meta.is_symlink() => Kind::Link,
            Ok(meta) if meta.is_dir() => Kind::Folder,
            Ok(meta) if meta.is_file() => Kind::File,
            Ok(_) => Kind::Special,
        }
    }

    /// An I/O error at this place, in words.
    pub fn io(&self, doing: &str, error: &io::Error) -> ToolError {
        ToolError::io(doing, Path::new(&self.shown()), error)
    }

    /// As [`Self::io`]; but a link where there was none means that someone changed the path meanwhile.
    fn opening(&self, doing: &str, path: &Path, error: &io::Error) -> ToolError {
        let is_link = path.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
        if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) || is_link {
            return ToolError::plan_changed(format!("{} became a link while it was opened.", self.shown()));
        }
        self.io(doing, error)
    }

    /// What is there now, for the plan.
    pub fn fingerprint(&self) -> Fingerprint {
        match self.metadata() {
            Err(_) => Fingerprint::Absent,
            Ok(meta) => fingerprint(&meta, self.access),
        }
    }

    pub(super) fn touch(&self, recursive: bool) -> Touch {
        Touch {
            path: self.path().to_path_buf(),
            access: self.access,
            recursive,
            permission: self.permission,
            rule: self.rule.to_owned(),
            fingerprint: self.fingerprint(),
        }
    }

    /// The folders that a yes may be remembered for, narrowest first.
    pub(super) fn shapes(&self) -> Vec<Shape> {
        if self.permission != Permission::Moderate {
            return Vec::new();
        }
        let is_folder = self.exists() && self.kind() == Kind::Folder;
        let folder = if is_folder { Some(self.path()) } else { self.path().parent() };
        let root = self.paths.root_of(self.path()).map(|root| root.path.as_path());
        let mut folders: Vec<PathBuf> = Vec::new();
        for path in folder.into_iter().chain(root) {
            // A yes for the root of the file system would be a yes for everything.
            if path.parent().is_some() && !folders.iter().any(|f| f == path) {
                folders.push(path.to_path_buf());
            }
        }
        folders.into_iter().map(|path| Shape::Folder { path }).collect()
    }

    /// A name in the same folder that differs in case, Unicode form or a letter.
    pub(super) fn similar_name(&self) -> Option<OsString> {
        const MOST_ENTRIES: usize = 5_000;
        let wanted = show_name(self.name()?);
        let fold = |name: &str| name.nfkc().collect::<String>().to_lowercase();
        let folded = fold(&wanted);
        let folder = self.path().parent()?.read_dir().ok()?;
        let names: Vec<OsString> =
            folder.take(MOST_ENTRIES).flatten().map(|entry| entry.file_name()).collect();
        let same = names.iter().find(|name| fold(&show_name(name)) == folded);
        same.cloned().or_else(|| {
            let texts: Vec<String> = names.iter().map(|name| show_name(name)).collect();
            deskhand_core::arguments::nearest(&wanted, texts.iter().map(String::as_str)).map(OsString::from)
        })
    }
}

#[cfg(unix)]
fn fingerprint(meta: &Metadata, access: Access) -> Fingerprint {
    use cap_std::fs::MetadataExt;
    let (device, inode) = (meta.dev(), meta.ino());
    if access.writes() && !meta.is_dir() {
        let changed_ns = meta.ctime().saturating_mul(1_000_000_000).saturating_add(meta.ctime_nsec());
        Fingerprint::State { device, inode, size: meta.len(), changed_ns }
    } else {
        Fingerprint::Identity { device, inode }
    }
}

#[cfg(not(unix))]
fn fingerprint(meta: &Metadata, _: Access) -> Fingerprint {
    let changed_ns = meta
        .modified()
        .ok()
        .and_then(|time| time.into_std().duration_since(std::time::UNIX_EPOCH).ok())
        .map_or(0, |age| i64::try_from(age.as_nanos()).unwrap_or(i64::MAX));
    Fingerprint::State { device: 0, inode: 0, size: meta.len(), changed_ns }
}
