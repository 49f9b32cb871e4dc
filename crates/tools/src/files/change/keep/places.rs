//! Where everything is while the accepted actions are done: the roots, the layer, the journal, and what goes away.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    rc::Rc,
    time::Duration,
};

use cap_std::{
    ambient_authority,
    fs::{Dir, DirBuilder, DirBuilderExt, Metadata, MetadataExt},
};
use deskhand_core::{CallId, ToolError, ToolResult};

use super::{
    super::os,
    accepted::AcceptedRoot,
    action::{Action, Arrival, Departure, Keeping, Source},
    handles::{Handles, look_at},
};

/// In the layer's folder: what goes away for good goes here first.
const GONE: &str = "gone";
/// A younger staging folder may be that of another data folder.
const OLD: Duration = Duration::from_hours(1);

pub struct Places {
    pub real: Handles,
    pub upper: Handles,
    /// For each root a folder of ours on its file system.
    pub aside: Vec<Rc<Dir>>,
    /// The folder of the journal's entry; `None` if nothing is written down.
    pub journal: Option<Rc<Dir>>,
    roots: Vec<AcceptedRoot>,
}

impl Places {
    /// `layer` is the layer's folder, `journal` that of the journal's entry.
    pub fn open(layer: &Path, roots: &[AcceptedRoot], journal: Option<&Path>) -> ToolResult<Self> {
        let real = Handles::open(roots.iter().map(|root| root.path.as_path()))?;
        let upper = Handles::open_own(roots.iter().map(|root| root.upper.as_path()))?;
        let gone = open_folder(layer, &layer.join(GONE))?;
        let aside = roots.iter().enumerate().map(|(number, root)| match &root.staging {
            None => Ok(Rc::clone(&gone)),
            Some(name) => {
                let failed = |error| ToolError::io("open the folder", &root.path.join(name), &error);
                make_private(real.root(number), OsStr::new(name)).map(Rc::new).map_err(failed)
            }
        });
        let aside = aside.collect::<ToolResult<_>>()?;
        let journal = journal.map(|folder| {
            let opened = Dir::open_ambient_dir(folder, ambient_authority());
            opened.map(Rc::new).map_err(|error| ToolError::io("open the folder", folder, &error))
        });
        Ok(Self { real, upper, aside, journal: journal.transpose()?, roots: roots.to_vec() })
    }

    /// Where an action ends up, for messages.
    pub fn shown(&self, root: usize, path: &Path) -> PathBuf {
        self.roots[root].path.join(path)
    }

    /// Where an action is done. `None` if the folder of it is not there, or no folder.
    pub fn real<'p>(&self, action: &'p Action) -> io::Result<Option<Spot<'p>>> {
        match self.real.entry(action.root, &action.path) {
            Ok((folder, name)) => Ok(Some(Spot { folder, name })),
            Err(error) if is_gone(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Where something is before it comes.
    pub fn source<'p>(&self, action: &'p Action, new: &'p Arrival) -> io::Result<Spot<'p>> {
        match &new.source {
            Source::Upper => {
                let (folder, name) = self.upper.entry(action.root, &action.path)?;
                Ok(Spot { folder, name })
            }
            Source::Staged(name) => {
                Ok(Spot { folder: Rc::clone(&self.aside[action.root]), name: OsStr::new(name) })
            }
        }
    }

    /// Where something is after it went.
    pub fn away<'p>(&self, action: &Action, old: &'p Departure) -> io::Result<Spot<'p>> {
        Ok(match &old.kept {
            Keeping::Moved(name) => {
                let journal = self.journal.as_ref().ok_or(io::ErrorKind::NotFound)?;
                Spot { folder: Rc::clone(journal), name: OsStr::new(name) }
            }
            _ => Spot { folder: Rc::clone(&self.aside[action.root]), name: OsStr::new(&old.gone) },
        })
    }

    /// Brings to disk what comes from another file system. Within one, renames get there in their order.
    pub fn sync_far(&self) -> ToolResult<()> {
        for (number, root) in self.roots.iter().enumerate().filter(|(_, root)| root.staging.is_some()) {
            os::sync_tree(&self.aside[number])
                .map_err(|error| ToolError::io("bring to disk", &root.path, &error))?;
        }
        Ok(())
    }

    /// Removes the staging folders with everything in them.
    pub fn remove_staging(&self) {
        for (number, root) in self.roots.iter().enumerate() {
            if let Some(name) = &root.staging {
                // What cannot be removed is only in the way.
                let _ = remove(self.real.root(number), OsStr::new(name));
            }
        }
    }

    /// Removes staging folders of killed processes: those of layers that are gone from `layers`, where layers lie.
    pub fn clear_leftovers(&self, layers: &Path) {
        for (number, _) in self.roots.iter().enumerate().filter(|(_, root)| root.staging.is_some()) {
            let root = self.real.root(number);
            for entry in root.entries().into_iter().flatten().flatten() {
                let name = entry.file_name();
                if layer_of(&name).is_some_and(|layer| !layers.join(layer).exists()) && is_old(root, &name) {
                    let _ = remove(root, &name);
                }
            }
        }
    }
}

/// What the staging folder of a layer is called.
pub fn staging_name(layer: &Path) -> String {
    let layer = layer.file_name().unwrap_or_default().to_string_lossy();
    format!(".deskhand-{layer}.staging")
}

/// The layer that a staging folder belongs to. Layers are named by calls.
fn layer_of(name: &OsStr) -> Option<&str> {
    let layer = name.to_str()?.strip_prefix(".deskhand-")?.strip_suffix(".staging")?;
    CallId::parse(layer).is_some_and(|call| call.to_string() == layer).then_some(layer)
}

fn is_old(root: &Dir, name: &OsStr) -> bool {
    let Ok(Some(meta)) = look_at(root, name) else { return false };
    let age = os::meta_of(&meta).modified.and_then(|time| time.elapsed().ok());
    meta.is_dir() && meta.uid() == rustix::process::geteuid().as_raw() && age.is_some_and(|age| age > OLD)
}

/// An entry of a folder, whether it is there or not.
pub struct Spot<'p> {
    pub folder: Rc<Dir>,
    pub name: &'p OsStr,
}

impl Spot<'_> {
    pub fn look(&self) -> io::Result<Option<Metadata>> {
        look_at(&self.folder, self.name)
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn open_folder(above: &Path, folder: &Path) -> ToolResult<Rc<Dir>> {
    let open = || make_private(&Dir::open_ambient_dir(above, ambient_authority())?, OsStr::new(GONE));
    open().map(Rc::new).map_err(|error| ToolError::io("make the folder", folder, &error))
}

/// Opens a folder that is this user's alone; made where it is not there.
fn make_private(parent: &Dir, name: &OsStr) -> io::Result<Dir> {
    use cap_fs_ext::DirExt;
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    match parent.create_dir_with(name, &builder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    parent.open_dir_nofollow(name)
}

/// Removes a folder with everything in it, whatever modes its folders have.
fn remove(parent: &Dir, name: &OsStr) -> io::Result<()> {
    use cap_fs_ext::DirExt;
    let meta = parent.symlink_metadata(name)?;
    if !meta.is_dir() {
        return parent.remove_file(name);
    }
    os::set_mode_at(parent, name, os::identity_of(&meta), 0o700)?;
    let folder = parent.open_dir_nofollow(name)?;
    for entry in folder.entries()? {
        remove(&folder, &entry?.file_name())?;
    }
    parent.remove_dir(name)
}
