//! Copy-on-write layers: a job writes into a folder of its own, laid over the real one, which stays as it is.
//!
//! A [`Layer`] is made before a job starts and read after the last of its processes has ended. What it holds is then
//! kept (by `tools::files::change`) or dropped with the layer. Nothing is ever created in the real tree.

mod difference;
mod foreign;
mod places;

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

pub use self::{
    difference::{Difference, EntryKind, EntryState, LayerChange, RootChanges},
    places::{ACCEPTED, LayerPlaces, Sweep},
};

/// The layer of one job: a folder for each writable root. Dropped, it removes all that it holds.
#[derive(Debug)]
pub struct Layer {
    folder: PathBuf,
    roots: Vec<LayeredRoot>,
    /// Held while the layer is in use, so that no other process takes it for a leftover.
    _held: fs::File,
    /// Whether the folder goes with this value.
    is_owner: bool,
}

/// One root with its layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayeredRoot {
    /// The real folder: absolute, links resolved.
    #[serde(with = "deskhand_core::path_json")]
    pub path: PathBuf,
    /// What the job wrote.
    #[serde(with = "deskhand_core::path_json")]
    pub upper: PathBuf,
    /// The kernel's own working space.
    #[serde(with = "deskhand_core::path_json")]
    pub(super) work: PathBuf,
    /// What is written here serves the command and is never kept: the caches of toolchains.
    pub is_scratch: bool,
    /// When the layer began, by the clock of its file system: what changed in the root after this conflicts with it.
    pub begun_ns: i64,
}

impl Layer {
    /// An empty layer over `roots`, in a new folder that must not exist yet.
    pub fn begin<'p>(
        folder: &Path,
        roots: impl Iterator<Item = &'p Path>,
        scratch: impl Iterator<Item = &'p Path>,
    ) -> io::Result<Self> {
        let private = |path: &Path| DirBuilder::new().mode(0o700).create(path);
        private(folder)?;
        let held = places::hold(folder)?;
        let mut layer = Self { folder: folder.to_path_buf(), roots: Vec::new(), _held: held, is_owner: true };
        let roots = roots.map(|root| (root, false)).chain(scratch.map(|root| (root, true)));
        for (number, (root, is_scratch)) in roots.enumerate() {
            let of_root = folder.join(number.to_string());
            let (upper, work) = (of_root.join("upper"), of_root.join("work"));
            [&of_root, &upper, &work].into_iter().try_for_each(|path| private(path))?;
            // The job sees the upper folder's mode and group as those of the root.
            let real = fs::metadata(root)?;
            if rustix::process::geteuid().is_root() {
                std::os::unix::fs::chown(&upper, None, Some(real.gid()))?;
            }
            fs::set_permissions(&upper, fs::Permissions::from_mode(real.mode() & 0o7777))?;
            let begun_ns = changed_ns(&fs::metadata(&upper)?);
            layer.roots.push(LayeredRoot { path: root.to_path_buf(), upper, work, is_scratch, begun_ns });
        }
        Ok(layer)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn roots(&self) -> &[LayeredRoot] {
        &self.roots
    }

    /// Leaves the folder where it is: somebody else takes care of it from here on.
    pub fn leave(mut self) -> PathBuf {
        self.is_owner = false;
        self.folder.clone()
    }

    /// The folders that the job writes into.
    pub fn written(&self) -> Vec<PathBuf> {
        self.roots.iter().map(|root| root.upper.clone()).collect()
    }

    /// How many bytes these folders take on disk, up to `most`: it is not counted further.
    pub fn bytes(mut folders: Vec<PathBuf>, most: u64) -> u64 {
        let mut total = 0;
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let Ok(meta) = entry.metadata() else { continue };
                total += meta.blocks() * 512;
                if total > most {
                    return total;
                }
                if meta.is_dir() {
                    folders.push(entry.path());
                }
            }
        }
        total
    }
}

impl Drop for Layer {
    fn drop(&mut self) {
        // What was accepted is the only copy by now.
        if self.is_owner && !self.folder.join(ACCEPTED).exists() {
            // What cannot be removed now is swept later.
            let _ = places::remove(&self.folder);
        }
    }
}

/// The time of the last change of an entry, in nanoseconds since 1970.
pub(crate) fn changed_ns(meta: &fs::Metadata) -> i64 {
    meta.ctime().saturating_mul(1_000_000_000).saturating_add(meta.ctime_nsec())
}
