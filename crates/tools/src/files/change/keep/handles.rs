//! Handles of the folders below some roots, opened without following any link.

use std::{
    cell::RefCell,
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    rc::Rc,
};

use cap_std::{
    ambient_authority,
    fs::{Dir, Metadata},
};
use deskhand_core::{ToolError, ToolResult};
use deskhand_guard::paths::open_without_links;

/// Root folders, and the folder below them that was used last: neighbours mostly follow each other.
pub struct Handles {
    roots: Vec<Dir>,
    last: RefCell<Option<(usize, PathBuf, Rc<Dir>)>>,
}

impl Handles {
    pub fn open<'p>(roots: impl Iterator<Item = &'p Path>) -> ToolResult<Self> {
        let roots = roots.map(|root| {
            let top = Dir::open_ambient_dir("/", ambient_authority());
            let below = root.strip_prefix("/").unwrap_or(root);
            top.and_then(|top| open_without_links(&top, below))
                .map_err(|error| ToolError::io("open the folder", root, &error))
        });
        Ok(Self { roots: roots.collect::<ToolResult<_>>()?, last: RefCell::new(None) })
    }

    /// The same for folders of ours, which a link may lead to.
    pub fn open_own<'p>(roots: impl Iterator<Item = &'p Path>) -> ToolResult<Self> {
        let roots = roots.map(|root| {
            Dir::open_ambient_dir(root, ambient_authority())
                .map_err(|error| ToolError::io("open the folder", root, &error))
        });
        Ok(Self { roots: roots.collect::<ToolResult<_>>()?, last: RefCell::new(None) })
    }

    pub fn root(&self, root: usize) -> &Dir {
        &self.roots[root]
    }

    /// The folder that an entry is in, and its name there.
    pub fn entry<'p>(&self, root: usize, path: &'p Path) -> io::Result<(Rc<Dir>, &'p OsStr)> {
        match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => Ok((self.folder(root, parent)?, name)),
            // The root itself.
            _ => Ok((self.folder(root, Path::new(""))?, OsStr::new("."))),
        }
    }

    pub fn folder(&self, root: usize, path: &Path) -> io::Result<Rc<Dir>> {
        if let Some((known, at, folder)) = &*self.last.borrow()
            && *known == root
            && at == path
        {
            return Ok(Rc::clone(folder));
        }
        let folder = Rc::new(open_without_links(&self.roots[root], path)?);
        *self.last.borrow_mut() = Some((root, path.to_path_buf(), Rc::clone(&folder)));
        Ok(folder)
    }

    /// What is at a path, itself. `None` where the folder is there and the entry is not.
    pub fn look(&self, root: usize, path: &Path) -> io::Result<Option<Metadata>> {
        let (parent, name) = self.entry(root, path)?;
        look_at(&parent, name)
    }
}

/// What an entry of a folder is, itself; `None` if there is none.
pub fn look_at(parent: &Dir, name: &OsStr) -> io::Result<Option<Metadata>> {
    match parent.symlink_metadata(name) {
        Ok(meta) => Ok(Some(meta)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
