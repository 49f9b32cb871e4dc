//! What a job sees that does not see the whole machine: the system's public places, and where its programs are.

use std::{
    env,
    ffi::OsStr,
    fs,
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

/// What toolchains keep in a home and need for their work: packages that were fetched, and what was built before. A job
/// on a layer sees them, and what it writes there is dropped.
const CACHES: &[&str] = &[
    ".cargo/registry",
    ".cargo/git",
    ".npm/_cacache",
    ".cache/pip",
    ".cache/uv",
    ".cache/go-build",
    ".cache/yarn",
    "go/pkg",
    ".gradle/caches",
    ".gradle/wrapper",
    ".m2/repository",
    ".local/share/pnpm",
];
/// Settings of toolchains. One that may hold a secret is not shown.
const TOOL_SETTINGS: &[&str] =
    &[".gitconfig", ".config/git/config", ".config/git/ignore", ".cargo/config.toml", ".cargo/env"];

/// The caches that are there.
pub fn caches(paths: &Paths) -> Vec<PathBuf> {
    in_home(paths, CACHES).filter(|place| place.is_dir()).collect()
}

/// The settings of toolchains that are there.
pub fn tool_settings(paths: &Paths) -> Vec<PathBuf> {
    let files = in_home(paths, TOOL_SETTINGS).filter(|place| place.is_file());
    files.filter(|file| has_no_secret(file)).collect()
}

/// Whether nothing in a file of settings looks like a secret: no address with a user in it, no token, no password.
fn has_no_secret(file: &Path) -> bool {
    const WORDS: &[&str] =
        &["token", "password", "passwd", "secret", "extraheader", "authorization", "oauth", "://"];
    let Ok(text) = fs::read_to_string(file) else { return false };
    let text = text.to_lowercase();
    let is_harmless = |line: &str| match WORDS.iter().find(|word| line.contains(*word)) {
        Some(&"://") => !line.contains('@'),
        found => found.is_none(),
    };
    text.lines().all(is_harmless)
}

fn in_home<'a>(paths: &'a Paths, names: &'a [&str]) -> impl Iterator<Item = PathBuf> + 'a {
    let real = |place: PathBuf| place.canonicalize().ok().filter(|real| *real == place);
    paths.home().into_iter().flat_map(move |home| names.iter().filter_map(move |name| real(home.join(name))))
}

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
