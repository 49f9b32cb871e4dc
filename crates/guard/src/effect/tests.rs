//! Commands that really ran in a copy of a folder, judged by the difference.

mod git;
mod large;
mod list;

use std::{
    ffi::OsStr,
    fs::{self, File, FileTimes},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, SystemTime},
};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::*;
use crate::sandbox::layer::Layer;

/// A workspace, and a place for copies and layers.
pub(super) struct Workspace {
    place: tempfile::TempDir,
    pub made_by_session: Vec<PathBuf>,
    pub budget: u64,
}

impl Workspace {
    /// With what a script makes.
    pub fn new(script: &str) -> Self {
        let place = tempfile::tempdir().unwrap();
        let workspace = Self { place, made_by_session: Vec::new(), budget: 256 << 20 };
        fs::create_dir(workspace.path()).unwrap();
        workspace.bash(&workspace.path(), script);
        workspace
    }

    /// With a commit of what a script makes. The files are older than the index, as they usually are.
    pub fn committed(script: &str) -> Self {
        let workspace = Self::new(&format!("git init -q -b main; {script}"));
        let long_ago = SystemTime::now() - Duration::from_hours(1);
        age(&workspace.path(), long_ago);
        workspace.bash(&workspace.path(), "git add -A; git commit -qm first --allow-empty");
        workspace
    }

    pub fn path(&self) -> PathBuf {
        self.place.path().canonicalize().unwrap().join("w")
    }

    pub fn bash(&self, cwd: &Path, script: &str) {
        let output = Command::new("bash")
            .args(["-ec", script])
            .current_dir(cwd)
            .env("HOME", self.place.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@b")])
            .envs([("GIT_COMMITTER_NAME", "a"), ("GIT_COMMITTER_EMAIL", "a@b")])
            .env("GIT_EDITOR", "true")
            // As commands on a layer have it.
            .env("GIT_OPTIONAL_LOCKS", "0")
            .output()
            .unwrap();
        assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// What a script in this workspace would come to. The workspace stays as it is. `None` where no layer can be made.
    pub fn judge(&self, script: &str) -> Option<Judged> {
        let copy = self.place.path().join("copy");
        copy_all(&self.path(), &copy);
        self.bash(&copy, script);
        let path = self.path();
        let folder = self.place.path().join("layer");
        let layer = Layer::begin(&folder, std::iter::once(path.as_path()), std::iter::empty()).unwrap();
        let root = &layer.roots()[0];
        let is_made = fill(&path, &copy, &root.upper);
        fs::remove_dir_all(&copy).unwrap();
        if !is_made {
            eprintln!("skipped: no whiteout can be made here, which takes root");
            return None;
        }
        let changes = RootChanges::read(root, &|| Ok(())).unwrap();
        let made = |path: &Path| self.made_by_session.iter().any(|made| path.starts_with(made));
        let facts = Facts {
            workspace: &path,
            made_by_session: &made,
            changed_by_session: &made,
            journal_budget: self.budget,
        };
        Some(judge(&[changes], &facts, &|| Ok(())).unwrap())
    }

    /// The rule without its first part, and the lines.
    pub fn rule(&self, script: &str) -> Option<(String, String)> {
        let judged = self.judge(script)?;
        let lines: Vec<String> = judged.entries.iter().map(ChangedEntry::line).collect();
        let lines = format!("{}\n{}\n", judged.why, lines.join("\n"));
        Some((judged.rule.trim_start_matches("effect:").to_owned(), lines))
    }
}

/// Holds each script against the rule that it wants.
pub(super) fn assert_rules(workspace: &Workspace, rows: &[(&str, &str)]) {
    for (script, wanted) in rows {
        let Some((rule, lines)) = workspace.rule(script) else { return };
        assert_eq!(rule, *wanted, "{script}\n{lines}");
    }
}

fn age(folder: &Path, time: SystemTime) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() && entry.file_name() != ".git" {
            age(&entry.path(), time);
        } else if kind.is_file() {
            File::open(entry.path()).unwrap().set_times(FileTimes::new().set_modified(time)).unwrap();
        }
    }
}

fn copy_all(from: &Path, to: &Path) {
    let status = Command::new("cp").arg("-a").args([from, to]).status().unwrap();
    assert!(status.success());
}

/// Writes into an upper folder what makes `before` into `after`. `false` where whiteouts cannot be made.
fn fill(before: &Path, after: &Path, upper: &Path) -> bool {
    let names = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    for name in names(before).filter(|name| fs::symlink_metadata(after.join(name)).is_err()) {
        let made = mknodat(CWD, upper.join(name), FileType::CharacterDevice, Mode::empty(), 0);
        if made.is_err() {
            return false;
        }
    }
    names(after).all(|name| fill_entry(&name, before, after, upper))
}

fn fill_entry(name: &OsStr, before: &Path, after: &Path, upper: &Path) -> bool {
    let (old, new, written) = (before.join(name), after.join(name), upper.join(name));
    let is = fs::symlink_metadata(&new).unwrap();
    let was = fs::symlink_metadata(&old).ok();
    if is.is_dir() && was.as_ref().is_some_and(fs::Metadata::is_dir) {
        fs::create_dir(&written).unwrap();
        fs::set_permissions(&written, fs::Permissions::from_mode(is.mode() & 0o7777)).unwrap();
        return fill(&old, &new, &written);
    }
    let is_same = was.is_some_and(|was| {
        let content = || !is.is_file() || fs::read(&old).unwrap() == fs::read(&new).unwrap();
        was.file_type() == is.file_type()
            && was.mode() == is.mode()
            && fs::read_link(&old).ok() == fs::read_link(&new).ok()
            && content()
    });
    if !is_same {
        copy_all(&new, &written);
    }
    true
}
