//! Where things are: the data folder, the config file, the home folder.

use std::{
    env,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

const NAME: &str = "deskhand";

pub fn home() -> Option<PathBuf> {
    env::home_dir().filter(|home| !home.as_os_str().is_empty())
}

/// `--data-dir`, `DESKHAND_DATA`, or the platform's data folder. Absolute.
pub fn data_dir(flag: Option<&Path>) -> Result<PathBuf> {
    if let Some(path) = flag.map(PathBuf::from).or_else(|| variable("DESKHAND_DATA")) {
        return std::path::absolute(&path).with_context(|| format!("the data folder {}", path.display()));
    }
    usual_data_dir().context("there is no home folder: say where the data goes with --data-dir")
}

/// The platform's data folder; `None` where there is no home.
pub fn usual_data_dir() -> Option<PathBuf> {
    usual_dir("XDG_DATA_HOME", ".local/share")
}

/// The folder of the usual config file; `None` where there is no home.
pub fn config_dir() -> Option<PathBuf> {
    usual_dir("XDG_CONFIG_HOME", ".config")
}

/// Our folder where the variable `xdg` says, or where the platform keeps such things.
fn usual_dir(xdg: &str, in_home: &str) -> Option<PathBuf> {
    if let Some(path) = variable(xdg) {
        return Some(path.join(NAME));
    }
    let home = home()?;
    Some(if cfg!(target_os = "macos") {
        home.join("Library/Application Support").join(NAME)
    } else if cfg!(windows) {
        variable("APPDATA").unwrap_or_else(|| home.join("AppData/Roaming")).join(NAME)
    } else {
        home.join(in_home).join(NAME)
    })
}

/// The config file of a workspace.
pub fn workspace_config(workspace: &Path) -> PathBuf {
    workspace.join(".deskhand").join("config.toml")
}

/// A path from the environment. As the XDG texts have it, an empty one is none.
pub fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
