//! What a job sees that does not see the whole machine: the system's public places, and where its programs are.

use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
};

use crate::paths::{Paths, classify::SYSTEM};

/// Toolchains in a home: where their programs are, and what those need beside them.
const TOOLCHAINS: &[(&str, &[&str])] = &[
    (".cargo/bin", &[".rustup"]),
    (".pyenv", &[".pyenv"]),
    (".nvm", &[".nvm/versions"]),
    (".rbenv", &[".rbenv"]),
    (".asdf", &[".asdf"]),
    (".volta", &[".volta"]),
    (".sdkman", &[".sdkman/candidates"]),
    (".local/bin", &[".local/share/uv", ".local/share/pipx"]),
];

/// The system's places, and the folders of programs. Absolute; some may be links.
pub fn places(paths: &Paths, search_path: Option<&OsStr>) -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).filter(|place| place.exists()).collect();
    let folders = search_path.map(|all| env::split_paths(all).collect::<Vec<_>>()).unwrap_or_default();
    for folder in folders {
        let Some(real) = program_folder(paths, &folder) else { continue };
        for (programs, needed) in TOOLCHAINS {
            let is_home =
                |home: &&Path| real.strip_prefix(home).is_ok_and(|inside| inside.starts_with(programs));
            if let Some(home) = real.ancestors().find(is_home) {
                places.extend(needed.iter().map(|place| home.join(place)));
            }
        }
        places.push(real);
    }
    places.retain(|place| place.exists());
    places.sort();
    places.dedup();
    places
}

/// A folder that holds programs and cannot be more than that.
fn program_folder(paths: &Paths, folder: &Path) -> Option<PathBuf> {
    if !folder.is_absolute() {
        return None;
    }
    let real = folder.canonicalize().ok().filter(|real| real.is_dir())?;
    let holds = |kept: &Path| kept.starts_with(&real);
    let holds_a_home =
        paths.home().is_some_and(holds) || holds(Path::new("/home/x")) || holds(Path::new("/root"));
    (!holds_a_home && !paths.own().iter().any(|own| holds(own) || real.starts_with(own))).then_some(real)
}
