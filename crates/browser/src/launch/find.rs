//! Which browser there is: Chromium, Chrome or Edge, on the path or where it usually lies.

use std::{
    env,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use super::{LaunchError, process::environment};

pub const REMEDY: &str = "Install Chromium (Debian, Ubuntu: apt install chromium; Fedora: dnf install chromium; macOS: \
    brew install --cask chromium), Google Chrome or Microsoft Edge, or name its program by the setting browser.path.";

/// Names on the path, and what they are. The first that is there is taken.
const NAMES: &[(&str, &str)] = &[
    ("chromium", "Chromium"),
    ("chromium-browser", "Chromium"),
    ("google-chrome-stable", "Chrome"),
    ("google-chrome", "Chrome"),
    ("chrome", "Chrome"),
    ("microsoft-edge-stable", "Edge"),
    ("microsoft-edge", "Edge"),
    ("msedge", "Edge"),
];

/// Where they lie without being on the path.
#[cfg(target_os = "macos")]
const PLACES: &[(&str, &str)] = &[
    ("/Applications/Chromium.app/Contents/MacOS/Chromium", "Chromium"),
    ("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "Chrome"),
    ("/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge", "Edge"),
];
#[cfg(target_os = "windows")]
const PLACES: &[(&str, &str)] = &[
    (r"C:\Program Files\Google\Chrome\Application\chrome.exe", "Chrome"),
    (r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe", "Chrome"),
    (r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe", "Edge"),
    (r"C:\Program Files\Microsoft\Edge\Application\msedge.exe", "Edge"),
];
#[cfg(not(any(target_os = "macos", target_os = "windows")))]
const PLACES: &[(&str, &str)] = &[
    ("/usr/lib/chromium/chromium", "Chromium"),
    ("/usr/lib/chromium-browser/chromium-browser", "Chromium"),
    ("/snap/bin/chromium", "Chromium"),
    ("/opt/google/chrome/chrome", "Chrome"),
    ("/opt/microsoft/msedge/msedge", "Edge"),
];

/// A browser that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub path: PathBuf,
    /// `Chromium`, `Chrome`, `Edge`, or the name of the program that the setting names.
    pub name: String,
}

/// The browser of the setting, or the first that is found. Looks at files only; nothing is started.
pub fn find(setting: Option<&Path>) -> Result<Found, LaunchError> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    find_in(setting, &folders, PLACES)
}

fn find_in(
    setting: Option<&Path>,
    folders: &[PathBuf],
    places: &[(&str, &str)],
) -> Result<Found, LaunchError> {
    if let Some(path) = setting {
        let unusable = |why: &str| LaunchError::Unusable { path: path.to_path_buf(), why: why.to_owned() };
        if !path.is_absolute() {
            return Err(unusable("the path is not absolute"));
        }
        if !is_program(path) {
            return Err(unusable("there is no such program"));
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        return Ok(Found { path: path.to_path_buf(), name });
    }
    let suffix = env::consts::EXE_SUFFIX;
    let named = NAMES.iter().flat_map(|(program, name)| {
        folders.iter().map(move |folder| (folder.join(format!("{program}{suffix}")), *name))
    });
    let placed = places.iter().map(|(path, name)| (PathBuf::from(path), *name));
    let found = named.chain(placed).find(|(path, _)| is_program(path));
    found.map(|(path, name)| Found { path, name: name.to_owned() }).ok_or(LaunchError::NoBrowser)
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// What the program says its version is: for people; a running browser tells its own.
pub async fn version(found: &Found) -> Option<String> {
    const LIMIT: Duration = Duration::from_secs(10);
    let mut command = tokio::process::Command::new(&found.path);
    // As the browser itself is started: what a program is that a setting names is not known yet.
    command.env_clear().envs(environment());
    command.arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(LIMIT, command.output()).await.ok()?.ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find(|line| line.chars().any(|c| c.is_ascii_digit()))?;
    Some(line.trim().chars().take(200).collect())
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)] // what prepares a test is a test
mod tests {
    use super::*;

    fn program(folder: &Path, name: &str, mode: u32) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = folder.join(name);
        std::fs::write(&path, "#!/bin/sh\necho noise\necho Chromium 1.2.3 test\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn the_setting_wins_then_the_path_then_the_usual_places() {
        let folder = tempfile::tempdir().unwrap();
        let folders = [folder.path().to_path_buf()];
        assert!(matches!(find_in(None, &folders, &[]), Err(LaunchError::NoBrowser)));
        let placed = program(folder.path(), "elsewhere", 0o755);
        let places = [(placed.to_str().unwrap(), "Edge")];
        assert_eq!(find_in(None, &folders, &places).unwrap().name, "Edge");
        program(folder.path(), "chromium", 0o644);
        assert_eq!(find_in(None, &folders, &places).unwrap().name, "Edge", "that is no program");
        let chrome = program(folder.path(), "google-chrome", 0o755);
        assert_eq!(find_in(None, &folders, &places).unwrap().path, chrome);
        assert_eq!(find_in(Some(&placed), &folders, &places).unwrap().path, placed);
        for wrong in ["nothing/here", "/nothing/here", "/"] {
            let error = find_in(Some(Path::new(wrong)), &folders, &places).unwrap_err();
            assert!(error.to_string().contains("browser.path"), "{error}");
        }
        assert!(LaunchError::NoBrowser.remedy().contains("apt install chromium"));
    }

    /// Cargo's own are there in every test; keys of model servers are not more.
    #[tokio::test]
    async fn nothing_but_what_a_browser_needs_gets_into_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = program(folder.path(), "chromium", 0o755);
        std::fs::write(&path, "#!/bin/sh\necho 1 ${HOME:+home} ${CARGO_MANIFEST_DIR:-nothing}\n").unwrap();
        let told = version(&Found { path, name: "Chromium".into() }).await.unwrap();
        assert!(env::var_os("CARGO_MANIFEST_DIR").is_some());
        assert_eq!(told, "1 home nothing");
    }

    #[tokio::test]
    async fn a_program_tells_its_version() {
        let folder = tempfile::tempdir().unwrap();
        let path = program(folder.path(), "chromium", 0o755);
        let found = Found { path, name: "Chromium".into() };
        assert_eq!(version(&found).await.as_deref(), Some("Chromium 1.2.3 test"));
    }
}
