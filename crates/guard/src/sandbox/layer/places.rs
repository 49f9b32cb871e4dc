//! Where layers lie, and how what killed processes left behind goes away.
//!
//! A layer lies on the mount of its workspace, so that what is kept is renamed and not copied: in the data folder where
//! that is the same mount, else in a private folder at the top of the workspace's mount, else in the data folder all the
//! same, and keeping copies.

use std::{
    fs::{self, DirBuilder, File},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{FlockOperation, flock},
    process::geteuid,
};

/// The folder of layers in the data folder.
const LAYERS: &str = "layers";
/// The file whose lock says that a layer is in use.
const HELD: &str = "held";
/// Written when the changes of a layer were accepted: they are kept, whatever happens.
pub const ACCEPTED: &str = "accepted.json";

/// The folders in which the layers of one installation lie.
#[derive(Clone, Debug)]
pub struct LayerPlaces {
    data: PathBuf,
}

/// What was left of layers whose process is gone.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Sweep {
    /// Accepted before the process went away: to be kept now. Each is a folder with an [`ACCEPTED`] file.
    pub accepted: Vec<PathBuf>,
    /// How many were removed.
    pub removed: usize,
}

impl LayerPlaces {
    pub fn new(data: &Path) -> Self {
        Self { data: data.join(LAYERS) }
    }

    /// The folder for layers over this workspace, made where it is not there.
    pub fn folder_for(&self, workspace: &Path) -> io::Result<PathBuf> {
        make_private(&self.data)?;
        let device = fs::metadata(workspace)?.dev();
        if fs::metadata(&self.data)?.dev() == device {
            return Ok(self.data.clone());
        }
        Ok(beside(workspace, device)
            .filter(|place| make_private(place).is_ok())
            .unwrap_or_else(|| self.data.clone()))
    }

    /// All folders that may hold layers of these workspaces: hidden from every job, and swept.
    pub fn all<'a>(&'a self, workspaces: impl Iterator<Item = &'a Path>) -> Vec<PathBuf> {
        let beside =
            workspaces.filter_map(|workspace| beside(workspace, fs::metadata(workspace).ok()?.dev()));
        let mut all: Vec<PathBuf> = std::iter::once(self.data.clone()).chain(beside).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Removes the layers of processes that are gone, and names those whose changes had been accepted.
    pub fn sweep<'a>(&'a self, workspaces: impl Iterator<Item = &'a Path>) -> Sweep {
        let mut sweep = Sweep::default();
        for place in self.all(workspaces).iter().filter(|place| is_own(place)) {
            for entry in fs::read_dir(place).into_iter().flatten().flatten() {
                let folder = entry.path();
                if !entry.file_type().is_ok_and(|kind| kind.is_dir()) || is_held(&folder) {
                    continue;
                }
                if folder.join(ACCEPTED).exists() {
                    sweep.accepted.push(folder);
                } else if remove(&folder).is_ok() {
                    sweep.removed += 1;
                }
            }
        }
        sweep
    }
}

/// A private folder at the top of the mount that a workspace lies on; none where that is the workspace itself.
fn beside(workspace: &Path, device: u64) -> Option<PathBuf> {
    let same = |folder: &&Path| fs::metadata(folder).is_ok_and(|meta| meta.dev() == device);
    let top = workspace.ancestors().take_while(same).last().filter(|top| *top != workspace)?;
    Some(top.join(format!(".deskhand-{LAYERS}-{}", geteuid().as_raw())))
}

fn make_private(folder: &Path) -> io::Result<()> {
    match DirBuilder::new().recursive(true).mode(0o700).create(folder) {
        Ok(()) if is_own(folder) => Ok(()),
        Ok(()) => Err(io::Error::new(io::ErrorKind::PermissionDenied, "it belongs to somebody else")),
        Err(error) => Err(error),
    }
}

/// Whether a folder is this user's alone. Others could put their own things into one that is not.
fn is_own(folder: &Path) -> bool {
    fs::symlink_metadata(folder)
        .is_ok_and(|meta| meta.is_dir() && meta.uid() == geteuid().as_raw() && meta.mode() & 0o777 == 0o700)
}

/// Marks a layer as in use, until the file is closed.
pub(super) fn hold(folder: &Path) -> io::Result<File> {
    let file = File::create(folder.join(HELD))?;
    flock(&file, FlockOperation::NonBlockingLockShared)?;
    Ok(file)
}

fn is_held(folder: &Path) -> bool {
    // A folder without the file is being made at this moment, or was being removed.
    let Ok(file) = File::open(folder.join(HELD)) else { return is_young(folder) };
    flock(&file, FlockOperation::NonBlockingLockExclusive).is_err()
}

fn is_young(folder: &Path) -> bool {
    const YOUNG: std::time::Duration = std::time::Duration::from_mins(1);
    let age = fs::metadata(folder).and_then(|meta| meta.modified()).map(|time| time.elapsed());
    matches!(age, Ok(Ok(age)) if age < YOUNG)
}

/// Removes a layer, whatever modes its folders have: the kernel's own has none, and the job may have taken some away.
pub(super) fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_up(folder);
            fs::remove_dir_all(folder)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Lets the owner into every folder. Links are not followed.
fn open_up(folder: &Path) {
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}
