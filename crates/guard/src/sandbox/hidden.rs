//! What no job sees unless a person said yes to it: secrets, Deskhand's own data, private files of the system, and
//! sockets that lead to programs outside.

use std::{
    collections::{BTreeSet, VecDeque},
    fs,
    path::{Path, PathBuf},
};

use crate::paths::{
    Paths, Root, RootKind,
    classify::{SYSTEM, has_mode_for_everyone},
    sensitive,
};

/// How many entries a look for secrets takes in each tree. A workspace can be huge, and this is done for each job.
const LOOK: usize = 10_000;
/// Folders that hold many files, and none that a person keeps a secret in.
const SKIPPED: &[&str] = &[".git", "node_modules", "target", "__pycache__", "site-packages", ".mypy_cache"];
/// Folders of which only what lies right in them is looked at.
const SKIMMED: &[&str] = &[".venv", "venv", ".tox", ".gradle", "vendor", ".next", ".cache"];
/// Where the system keeps files that are not for everyone. Who runs this may be root, or in a group that reads them.
pub const SYSTEM_PRIVATE: &[&str] = &["/etc", "/var/log", "/boot"];

/// Everything to hide; what a person said yes to is left out later.
pub fn all(paths: &Paths, system: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut hidden: BTreeSet<PathBuf> = system.iter().cloned().collect();
    for home in homes(paths) {
        look(&home, sensitive::leads_to_secret, &mut hidden);
    }
    for root in searched(paths) {
        look(&root.path, is_worth_a_look, &mut hidden);
    }
    hidden
}

/// The roots that may hold secrets of the person's.
fn searched(paths: &Paths) -> impl Iterator<Item = &Root> {
    paths.roots().iter().filter(|root| root.kind != RootKind::ReadOnly)
}

/// Whether a look takes in all of the roots that may hold secrets.
pub fn looks_everywhere(paths: &Paths) -> bool {
    searched(paths).all(|root| walk(&root.path, is_worth_a_look, |_, _| {}))
}

/// Own data first of all: it is hidden even from a job whose plan named it.
pub fn own(paths: &Paths) -> impl Iterator<Item = &Path> {
    paths.own().iter().map(PathBuf::as_path).filter(|own| own.exists())
}

/// The user's home, and those of others where they can be entered.
fn homes(paths: &Paths) -> BTreeSet<PathBuf> {
    let others = fs::read_dir("/home").into_iter().flatten().flatten().map(|entry| entry.path());
    others.chain([PathBuf::from("/root")]).chain(paths.home().map(Path::to_path_buf)).collect()
}

/// Looks for secrets in the folders that `enters` names.
fn look(top: &Path, enters: impl Fn(&Path) -> bool, hidden: &mut BTreeSet<PathBuf>) {
    let enters = |folder: &Path| sensitive::why_folder(folder).is_none() && enters(folder);
    walk(top, enters, |path, kind| {
        if kind.is_dir() {
            hidden.extend(sensitive::why_folder(path).map(|_| path.to_path_buf()));
        } else if sensitive::why_child(path).is_some() {
            hidden.extend(if kind.is_symlink() { behind_link(path) } else { Some(path.to_path_buf()) });
        }
    });
}

/// Whether a look into a workspace goes into a folder.
pub fn is_worth_a_look(folder: &Path) -> bool {
    let named = |folder: &Path, names: &[&str]| {
        folder.file_name().is_some_and(|name| names.iter().any(|known| name == *known))
    };
    !named(folder, SKIPPED) && !folder.parent().is_some_and(|parent| named(parent, SKIMMED))
}

/// Shows each entry below `top`, the nearest first, up to a number; whether these were all.
pub fn walk(top: &Path, enters: impl Fn(&Path) -> bool, mut show: impl FnMut(&Path, fs::FileType)) -> bool {
    let mut seen = 0;
    let mut folders = VecDeque::from([top.to_path_buf()]);
    while let Some(folder) = folders.pop_front() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            seen += 1;
            if seen > LOOK {
                return false;
            }
            let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
            show(&path, kind);
            if kind.is_dir() && enters(&path) {
                folders.push_back(path);
            }
        }
    }
    true
}

/// What a link with the name of a secret leads to. A system file is for everyone, whatever points at it.
fn behind_link(link: &Path) -> Option<PathBuf> {
    let real = link.canonicalize().ok()?;
    (!SYSTEM.iter().any(|place| real.starts_with(place))).then_some(real)
}

/// Files of the system that not everyone may read.
pub fn private_system_files() -> Vec<PathBuf> {
    let mut hidden = Vec::new();
    for top in SYSTEM_PRIVATE {
        let mut seen = 0;
        let mut folders = VecDeque::from([PathBuf::from(top)]);
        while let Some(folder) = folders.pop_front() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                seen += 1;
                let Ok(kind) = entry.file_type() else { continue };
                let path = entry.path();
                if kind.is_symlink() {
                    continue;
                }
                if !has_mode_for_everyone(&path) {
                    hidden.push(path);
                } else if kind.is_dir() && seen <= 4 * LOOK {
                    folders.push_back(path);
                }
            }
        }
    }
    hidden
}

/// Sockets with a name in the file system, outside the workspace: who may talk to a service can make it act.
pub fn sockets(paths: &Paths) -> BTreeSet<PathBuf> {
    let listed = fs::read_to_string("/proc/net/unix").unwrap_or_default();
    // Each connection has its line, under the name of the service.
    let names: BTreeSet<&str> =
        listed.lines().skip(1).filter_map(|line| line.find(" /").map(|at| &line[at + 1..])).collect();
    let inside = |path: &Path| paths.workspaces().any(|root| path.starts_with(root));
    names.iter().filter_map(|name| Path::new(name).canonicalize().ok()).filter(|path| !inside(path)).collect()
}
