//! A folder that a walk goes through: what of it may be looked into, and opening what the walk found.
//!
//! A walk asks this of every entry, so what is the same for all of them is found out once.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use cap_std::fs::{Dir, Metadata};
use deskhand_core::{Permission, ToolResult};

use super::{BoundPaths, Paths, Place, open, sensitive};

/// A folder, everything below it, and what of that is open to this call.
#[derive(Debug)]
pub struct Tree {
    paths: Paths,
    root: PathBuf,
    dir: Dir,
    rules: Rules,
}

/// Which rules can apply below the root at all.
#[derive(Clone, Copy, Debug)]
struct Rules {
    /// The person approved sensitive places: everything is open.
    everything: bool,
    own_data: bool,
    system: bool,
}

impl Tree {
    pub(super) fn new(bound: &BoundPaths<'_>, place: &Place) -> ToolResult<Self> {
        let root = place.path().to_path_buf();
        let rules = Rules {
            everything: bound.plan.is_some_and(|plan| plan.permission >= Permission::Sensitive),
            own_data: bound.paths.may_hold_own(&root),
            system: bound.paths.may_hold_system(&root),
        };
        Ok(Self { paths: bound.paths.clone(), dir: place.folder()?, root, rules })
    }

    /// Absolute, without links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether the walk may look into this entry. `path` is below the root, and its folders were admitted.
    pub fn admits(&self, path: &Path) -> bool {
        let Rules { everything, own_data, system } = self.rules;
        everything
            || (sensitive::why_child(path).is_none()
                && !(own_data && self.paths.is_own_child(path))
                && !(system && self.paths.is_private_system_child(path)))
    }

    /// Opens a file below the root for reading, through no link. It may be a pipe, which does not block.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        open::below(&self.dir, self.relative(path)?)
    }

    /// Opens a folder below the root, through no link.
    pub fn folder(&self, path: &Path) -> io::Result<Dir> {
        open::folder(&self.dir, self.relative(path)?)
    }

    /// Metadata of an entry itself, reached through no link.
    pub fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) if path != self.root => self.folder(parent)?.symlink_metadata(name),
            _ => self.dir.dir_metadata(),
        }
    }

    fn relative<'a>(&self, path: &'a Path) -> io::Result<&'a Path> {
        path.strip_prefix(&self.root)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "it is not below the folder"))
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::{fs, io::Read, os::unix::fs::symlink, time::Instant};

    use super::super::{LinkRule, PathsConfig, resolve};
    use super::*;
    use deskhand_core::{Access, Waiting};

    fn tree_at(workspace: &Path, own: &Path, root: &Path) -> Tree {
        let config = PathsConfig {
            workspaces: vec![workspace.to_path_buf()],
            own: vec![own.to_path_buf()],
            ..PathsConfig::default()
        };
        let paths = Paths::open(config).unwrap();
        let bound = BoundPaths { paths: &paths, plan: None, is_users: false, waiting: Waiting::Allowed };
        let resolved = resolve::resolve(root, LinkRule::Follow).unwrap();
        let place = bound.bind(root, resolved, Access::Read).unwrap();
        bound.tree(&place).unwrap()
    }

    #[test]
    fn opens_what_is_below_and_nothing_through_a_link() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), "s").unwrap();
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().canonicalize().unwrap();
        fs::create_dir_all(at.join("a/b")).unwrap();
        fs::write(at.join("a/b/f"), "hello").unwrap();
        symlink(outside.path(), at.join("a/out")).unwrap();
        symlink("b/f", at.join("a/link")).unwrap();
        let tree = tree_at(&at, Path::new("/nowhere"), &at);
        let mut text = String::new();
        tree.open(&at.join("a/b/f")).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "hello");
        assert!(tree.open(&at.join("a/out/secret")).is_err());
        assert!(tree.open(&at.join("a/link")).is_err());
        assert!(tree.open(&outside.path().join("secret")).is_err());
        assert!(tree.open(&at.join("../x")).is_err());
        assert!(tree.folder(&at.join("a/out")).is_err());
        assert!(tree.metadata(&at.join("a/out")).unwrap().is_symlink());
        assert!(tree.metadata(&at.join("a/out/secret")).is_err());
        assert!(tree.metadata(&at).unwrap().is_dir());
    }

    #[test]
    fn a_pipe_does_not_block() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().canonicalize().unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at.join("p"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
            .unwrap();
        let tree = tree_at(&at, Path::new("/nowhere"), &at);
        let start = Instant::now();
        let _ = tree.open(&at.join("p"));
        assert!(start.elapsed().as_secs() < 2);
    }

    #[test]
    fn leaves_out_secrets_own_data_and_private_system_files() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().canonicalize().unwrap();
        fs::create_dir_all(at.join("data")).unwrap();
        let tree = tree_at(&at, &at.join("data"), &at);
        for (name, open) in
            [("a.rs", true), (".env", false), ("x.pem", false), ("data", false), ("data2", true)]
        {
            assert_eq!(tree.admits(&at.join(name)), open, "{name}");
        }
        let etc = tree_at(&at, &at.join("data"), Path::new("/etc"));
        assert!(etc.admits(Path::new("/etc/passwd")));
        if Path::new("/etc/shadow").exists() {
            assert!(!etc.admits(Path::new("/etc/shadow")));
        }
        let all = tree_at(&at, &at.join("data"), Path::new("/"));
        assert!(all.admits(Path::new("/etc")));
        assert!(!all.admits(&at.join("data")));
    }
}
