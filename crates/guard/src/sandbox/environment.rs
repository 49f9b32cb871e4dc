//! The clean environment of a job: what programs need, and nothing that is the user's alone.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use crate::paths::{Paths, RootKind};

/// Taken over from Deskhand's own environment. None of them holds a secret.
const KEPT: &[&str] = &[
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TERM",
    "COLORTERM",
    // Where toolchains are.
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "JAVA_HOME",
    "MAVEN_HOME",
    "GRADLE_HOME",
    "GOPATH",
    "GOROOT",
    "GOMODCACHE",
    "NVM_DIR",
    "NODE_PATH",
    "PNPM_HOME",
    "VOLTA_HOME",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "RBENV_ROOT",
    "GEM_HOME",
    "GEM_PATH",
    "ASDF_DIR",
    "ASDF_DATA_DIR",
    "DOTNET_ROOT",
    "ANDROID_HOME",
    "PKG_CONFIG_PATH",
];

/// Nothing waits for a person who is not there.
const SET: &[(&str, &str)] = &[
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    // Looking at a repository must not rewrite its index.
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("DEBIAN_FRONTEND", "noninteractive"),
];

/// The whole environment of a job. With settings for Git, these win over all others.
pub fn clean(
    own: impl Iterator<Item = (OsString, OsString)>,
    home: Option<&Path>,
    temporary: &Path,
    given: &[(OsString, OsString)],
    git: Option<Vec<(String, String)>>,
) -> Vec<(OsString, OsString)> {
    let mut all: BTreeMap<OsString, OsString> = own.filter(|(name, _)| is_kept(name)).collect();
    let mut set = |name: &str, value: &OsStr| all.insert(name.into(), value.into());
    if let Some(home) = home {
        set("HOME", home.as_os_str());
    }
    set("TMPDIR", temporary.as_os_str());
    for (name, value) in SET {
        set(name, value.as_ref());
    }
    all.extend(given.iter().cloned());
    if let Some(settings) = git {
        // Last, so that nothing that was given undoes it.
        harden_git(&mut all, &settings);
    }
    all.into_iter().collect()
}

/// Without folders of the workspace in PATH: a program that lies there could be one that the caller wrote.
pub fn only_programs_of_the_machine(env: &mut [(OsString, OsString)], paths: &Paths) {
    let Some((_, value)) = env.iter_mut().find(|(name, _)| name == "PATH") else { return };
    let in_a_root = |folder: &PathBuf| {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        // Nothing is written unasked to a folder that is only read.
        let mut roots = paths.roots().iter().filter(|root| root.kind != RootKind::Further);
        roots.any(|root| real.starts_with(&root.path) || folder.starts_with(&root.path))
    };
    let kept: Vec<PathBuf> =
        std::env::split_paths(value).filter(|folder| folder.is_absolute() && !in_a_root(folder)).collect();
    *value = std::env::join_paths(kept).unwrap_or_else(|_| "/usr/bin:/bin".into());
}

fn is_kept(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| KEPT.contains(&name) || name.starts_with("LC_"))
}

fn harden_git(all: &mut BTreeMap<OsString, OsString>, settings: &[(String, String)]) {
    all.retain(|name, _| !name.to_string_lossy().starts_with("GIT_"));
    let mut set = |name: String, value: &str| all.insert(name.into(), value.into());
    for (i, (key, value)) in settings.iter().enumerate() {
        set(format!("GIT_CONFIG_KEY_{i}"), key);
        set(format!("GIT_CONFIG_VALUE_{i}"), value);
    }
    set("GIT_CONFIG_COUNT".into(), &settings.len().to_string());
    // An index that is refreshed is a file that is written.
    set("GIT_OPTIONAL_LOCKS".into(), "0");
    set("GIT_PAGER".into(), "cat");
    set("GIT_TERMINAL_PROMPT".into(), "0");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        list.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn only_what_is_known_is_kept() {
        let own = pairs(&[
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("AWS_SECRET_ACCESS_KEY", "s"),
            ("LD_PRELOAD", "x"),
            ("HOME", "/elsewhere"),
            ("SSH_AUTH_SOCK", "/s"),
            ("OPENAI_API_KEY", "k"),
            ("BASH_ENV", "/b"),
        ]);
        let given = pairs(&[("MINE", "1"), ("PAGER", "less")]);
        let all = clean(own.into_iter(), Some(Path::new("/h")), Path::new("/tmp"), &given, None);
        let names: Vec<_> = all.iter().map(|(name, _)| name.to_str().unwrap()).collect();
        let expected = [
            "DEBIAN_FRONTEND",
            "GIT_OPTIONAL_LOCKS",
            "GIT_PAGER",
            "GIT_TERMINAL_PROMPT",
            "HOME",
            "LC_ALL",
            "MINE",
            "PAGER",
            "PATH",
            "TMPDIR",
        ];
        assert_eq!(names, expected);
        assert!(
            all.contains(&("HOME".into(), "/h".into())) && all.contains(&("PAGER".into(), "less".into()))
        );
    }

    #[test]
    fn what_is_given_cannot_soften_git_for_a_look() {
        let given =
            pairs(&[("GIT_EXTERNAL_DIFF", "/x"), ("GIT_CONFIG_COUNT", "0"), ("GIT_SSH_COMMAND", "x")]);
        let settings = vec![("core.pager".to_owned(), "cat".to_owned())];
        let all = clean(std::iter::empty(), None, Path::new("/tmp"), &given, Some(settings));
        let value = |name: &str| {
            all.iter().find(|(known, _)| known == name).map(|(_, value)| value.to_str().unwrap())
        };
        assert_eq!(value("GIT_EXTERNAL_DIFF"), None);
        assert_eq!(value("GIT_SSH_COMMAND"), None);
        assert_eq!(value("GIT_CONFIG_COUNT"), Some("1"));
    }
}
