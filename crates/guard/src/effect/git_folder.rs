//! Which folders are Git's own, whatever they are called: by what is in them, before a command or after it.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    rc::Rc,
};

use super::tree::Trees;
use crate::{paths::sensitive::folded, sandbox::layer::EntryKind};

/// A folder that Git would take, or takes, for a repository's own.
pub(super) struct GitFolder {
    pub path: PathBuf,
    /// Whether it had that shape before.
    pub was: bool,
    /// Whether it has that shape now.
    pub is: bool,
}

type Chain = Rc<[Rc<GitFolder>]>;

pub(super) struct GitFolders<'a> {
    trees: &'a Trees<'a>,
    /// Those that a `.git` file or a `commondir` names, before the command.
    named: HashSet<PathBuf>,
    /// All Git folders that a folder lies in, or is, from the outermost on.
    chains: RefCell<HashMap<PathBuf, Chain>>,
}

impl<'a> GitFolders<'a> {
    pub fn new(trees: &'a Trees<'a>, named: HashSet<PathBuf>) -> Self {
        Self { trees, named, chains: RefCell::default() }
    }

    /// All Git folders that a path in this root lies in. One in another counts, too: the shape alone must not hide
    /// what is in the outer one.
    pub fn around(&self, path: &Path, root: &Path) -> Chain {
        match path.parent() {
            Some(above) if path != root => self.chain(above, root),
            _ => Rc::from([]),
        }
    }

    /// All that were found.
    pub fn all(&self) -> Vec<Rc<GitFolder>> {
        let chains = self.chains.borrow();
        let mut all: Vec<_> = chains
            .iter()
            .filter_map(|(path, chain)| chain.last().filter(|folder| folder.path == *path).cloned())
            .collect();
        all.sort_by(|one, other| one.path.cmp(&other.path));
        all
    }

    fn chain(&self, folder: &Path, root: &Path) -> Chain {
        if let Some(known) = self.chains.borrow().get(folder) {
            return Rc::clone(known);
        }
        let above = match folder.parent() {
            Some(above) if folder != root => self.chain(above, root),
            _ => Rc::from([]),
        };
        let chain = match self.look(folder) {
            Some(found) => above.iter().cloned().chain([Rc::new(found)]).collect(),
            None => above,
        };
        self.chains.borrow_mut().insert(folder.to_path_buf(), Rc::clone(&chain));
        chain
    }

    fn look(&self, folder: &Path) -> Option<GitFolder> {
        let was = has_shape(folder, &|path| self.trees.before(path));
        let is = has_shape(folder, &|path| self.trees.after(path));
        let is_called = folder.file_name().is_some_and(|name| folded(name) == ".git");
        let is_named = self.named.contains(folder);
        (was || is || is_called || is_named).then(|| GitFolder {
            path: folder.to_path_buf(),
            was: was || is_named,
            is: is || is_named,
        })
    }
}

/// Whether Git would take a folder for a repository's own. Git looks at what is in `HEAD`, too; here it may be anything.
pub(super) fn has_shape(folder: &Path, kind: &dyn Fn(&Path) -> Option<EntryKind>) -> bool {
    let is_folder =
        |name: &str| matches!(kind(&folder.join(name)), Some(EntryKind::Folder | EntryKind::Link));
    let is_file = |name: &str| matches!(kind(&folder.join(name)), Some(EntryKind::File | EntryKind::Link));
    is_file("HEAD") && (is_folder("objects") && is_folder("refs") || is_file("commondir"))
}
