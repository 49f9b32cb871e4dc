//! What Git ignores: build output, above all.
//!
//! The ignore files from before the command decide, as they are in the real folders: a command that writes one hides
//! nothing with it. What is tracked is not ignored.

use std::{
    cell::RefCell,
    collections::HashMap,
    path::{Path, PathBuf},
    rc::Rc,
};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use super::{
    content,
    repository::{Repositories, Repository},
};

/// A larger ignore file is not read.
const LARGEST: u64 = 1 << 20;

pub(super) struct Ignores<'a> {
    repositories: &'a Repositories,
    /// An ignore file that this session wrote ignores nothing: what it hides could be deleted without a question.
    is_of_session: &'a dyn Fn(&Path) -> bool,
    files: RefCell<HashMap<PathBuf, Rc<Gitignore>>>,
    /// The outermost ignored folder that a folder lies in, or is.
    folders: RefCell<HashMap<PathBuf, Option<Rc<Path>>>>,
}

impl<'a> Ignores<'a> {
    pub fn new(repositories: &'a Repositories, is_of_session: &'a dyn Fn(&Path) -> bool) -> Self {
        Self { repositories, is_of_session, files: RefCell::default(), folders: RefCell::default() }
    }

    /// The folder to name for an entry that Git ignores: the outermost one that is ignored as a whole, or the one that
    /// the entry lies in.
    pub fn folder_of(&self, path: &Path, is_folder: bool) -> Option<Rc<Path>> {
        let above = path.parent()?;
        let repository = self.repositories.of(above)?;
        let folder = match self.ignored_folder(above) {
            Some(folder) => folder,
            None if is_folder => return self.ignored_folder(path),
            None if self.is_matched(&repository, path, false) => Rc::from(above),
            None => return None,
        };
        (is_folder || !repository.tracks(path)).then_some(folder)
    }

    /// Whether it lies in a folder that Git ignores as a whole: output, and not a file of the user's own.
    pub fn is_output(&self, path: &Path) -> bool {
        path.parent().is_some_and(|above| self.ignored_folder(above).is_some())
    }

    fn ignored_folder(&self, folder: &Path) -> Option<Rc<Path>> {
        if let Some(known) = self.folders.borrow().get(folder) {
            return known.clone();
        }
        let found = self.repositories.of(folder).filter(|repository| repository.work != folder).and_then(
            |repository| {
                let above = folder.parent()?;
                self.ignored_folder(above)
                    .or_else(|| self.is_matched(&repository, folder, true).then(|| Rc::from(folder)))
            },
        );
        self.folders.borrow_mut().insert(folder.to_path_buf(), found.clone());
        found
    }

    /// Whether the ignore files name this very path. The nearest one that says anything decides.
    fn is_matched(&self, repository: &Repository, path: &Path, is_folder: bool) -> bool {
        for folder in path.ancestors().skip(1) {
            match self.file(folder, &folder.join(".gitignore")).matched(path, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
            if folder == repository.work {
                break;
            }
        }
        let exclude = repository.common.join("info/exclude");
        self.file(&repository.work, &exclude).matched(path, is_folder).is_ignore()
    }

    /// The patterns of an ignore file, for paths in `folder`.
    fn file(&self, folder: &Path, file: &Path) -> Rc<Gitignore> {
        if let Some(known) = self.files.borrow().get(file) {
            return Rc::clone(known);
        }
        let text = content::read(file, LARGEST).filter(|_| !(self.is_of_session)(file));
        let read = text.and_then(|text| {
            let mut builder = GitignoreBuilder::new(folder);
            for line in String::from_utf8_lossy(&text).lines() {
                // A pattern that cannot be understood ignores nothing.
                let _ = builder.add_line(None, line);
            }
            builder.build().ok()
        });
        let read = Rc::new(read.unwrap_or_else(Gitignore::empty));
        self.files.borrow_mut().insert(file.to_path_buf(), Rc::clone(&read));
        read
    }
}
