//! Git for jobs that nobody was asked about: nothing that a repository's own config names is run by looking at it.
//!
//! Most of it is a fixed list of settings that win over the repository's. Programs for diffs and filters have names
//! that each repository chooses, so its config is read for them.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use super::hidden;
use crate::paths::{Paths, RootKind};

/// Nothing that these could name is ever wanted in a look.
const ALWAYS: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.sshCommand", "false"),
    ("core.editor", "false"),
    ("core.askPass", "false"),
    ("core.alternateRefsCommand", "false"),
    ("gpg.program", "false"),
    ("gpg.ssh.program", "false"),
    ("safe.bareRepository", "explicit"),
    ("protocol.ext.allow", "never"),
];

/// Git cannot be told to have no external diff, only to have another one: the system's own.
const PLAIN_DIFF: &str = "plain() { echo \"diff --git a/$1 b/$1\"; \
     diff -u --label \"a/$1\" --label \"b/$1\" \"$2\" \"$5\"; true; }; plain";

/// A config is small; a large one is not read to its end, and trusted with nothing.
const LARGEST: u64 = 1 << 20;

/// Settings that win over those of every repository that a job can look at.
pub fn hardened(paths: &Paths, cwd: &Path) -> Vec<(String, String)> {
    let mut settings: Vec<(String, String)> =
        ALWAYS.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let (configs, found_all) = configs(paths, cwd);
    let mut programs = Programs { external_diff: !found_all, ..Programs::default() };
    for config in &configs {
        programs.read(config);
    }
    let mut set = |key: String, value: &str| settings.push((key, value.to_owned()));
    if programs.external_diff {
        set("diff.external".into(), PLAIN_DIFF);
    }
    for name in &programs.diffs {
        set(format!("diff.{name}.command"), PLAIN_DIFF);
        set(format!("diff.{name}.textconv"), "cat");
    }
    for name in &programs.filters {
        for part in ["clean", "smudge", "process"] {
            set(format!("filter.{name}.{part}"), "");
        }
    }
    settings
}

/// The config files of the repositories in the workspace and around `cwd`; whether these are all.
fn configs(paths: &Paths, cwd: &Path) -> (Vec<PathBuf>, bool) {
    let mut found: BTreeSet<PathBuf> = cwd.ancestors().map(|folder| folder.join(".git")).collect();
    let mut all = true;
    for root in paths.roots().iter().filter(|root| root.kind != RootKind::Further) {
        all &= hidden::walk(&root.path, hidden::is_worth_a_look, |path, _| {
            if path.file_name().is_some_and(|name| name == ".git") {
                found.insert(path.to_path_buf());
            }
        });
    }
    let folders = found.iter().flat_map(|git| folders_of(git));
    (folders.flat_map(|folder| ["config", "config.worktree"].map(|name| folder.join(name))).collect(), all)
}

/// What repositories keep outside of the workspace.
#[derive(Debug, Default)]
pub struct Outside {
    /// Git folders of a worktree or a submodule, and the folder that a worktree shares with others.
    pub own: BTreeSet<PathBuf>,
    /// Folders with objects that are borrowed from other repositories: these are only read.
    pub borrowed: BTreeSet<PathBuf>,
}

/// What the repositories at the top of these folders keep outside of them.
///
/// A `.git` file may have been written by a command, so it counts only where the folder that it names leads back to it;
/// a link says nothing.
pub fn folders_outside(workspaces: &[PathBuf]) -> Outside {
    let inside = |folder: &Path| workspaces.iter().any(|workspace| folder.starts_with(workspace));
    let mut outside = Outside::default();
    for workspace in workspaces {
        let git = workspace.join(".git");
        let mut folders = folders_of(&git);
        let is_ours = git.is_dir() || folders.first().is_some_and(|folder| leads_back(folder, workspace));
        if git.is_symlink() || !is_ours {
            continue;
        }
        folders.truncate(if folders.get(1).is_some_and(|common| shares(common, &folders[0])) {
            2
        } else {
            1
        });
        let real = |folder: &PathBuf| folder.canonicalize().ok();
        outside
            .borrowed
            .extend(folders.iter().flat_map(|folder| borrowed(folder)).filter_map(|one| real(&one)));
        outside.own.extend(folders.iter().filter_map(real));
    }
    outside.own.retain(|folder| !inside(folder));
    outside
        .borrowed
        .retain(|folder| !inside(folder) && !outside.own.iter().any(|own| folder.starts_with(own)));
    outside
}

/// Whether a Git folder says that it belongs to the working tree in `workspace`.
fn leads_back(folder: &Path, workspace: &Path) -> bool {
    let is_it = |path: PathBuf| path.canonicalize().is_ok_and(|path| path == workspace);
    let of_worktree = first_line(&folder.join("gitdir"))
        .is_some_and(|git| folder.join(git).parent().is_some_and(|tree| is_it(tree.to_path_buf())));
    let of_submodule = || {
        let config = fs::read_to_string(folder.join("config")).unwrap_or_default();
        let tree =
            config.lines().find_map(|line| line.trim().strip_prefix("worktree")?.trim().strip_prefix('='));
        tree.is_some_and(|tree| is_it(folder.join(tree.trim())))
    };
    of_worktree || of_submodule()
}

/// Whether `common` is the repository that the worktree folder is one of.
fn shares(common: &Path, worktree: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(&common.join("worktrees")).is_some_and(|all| real(worktree).is_some_and(|one| one.starts_with(all)))
}

/// The folders of objects that a repository borrows.
fn borrowed(folder: &Path) -> Vec<PathBuf> {
    let objects = folder.join("objects");
    let info = objects.join("info");
    let list = info.join("alternates");
    // Setting these is asked about as what runs later; what is reached through a link was not seen by anyone.
    if [folder, &objects, &info, &list].iter().any(|part| part.is_symlink()) {
        return Vec::new();
    }
    let named = fs::read_to_string(list).unwrap_or_default();
    let all = named.lines().filter(|line| !line.starts_with('#')).map(|line| objects.join(line.trim()));
    all.filter(|other| other.ends_with("objects") && other.join("pack").is_dir()).collect()
}

fn first_line(file: &Path) -> Option<String> {
    fs::read_to_string(file).ok().map(|text| text.trim().to_owned())
}

/// Where a `.git` keeps its config: in itself, or where it says, which may lead to one more.
fn folders_of(git: &Path) -> Vec<PathBuf> {
    if git.is_dir() {
        return vec![git.to_path_buf()];
    }
    let Some(folder) =
        first_line(git).and_then(|text| Some(git.parent()?.join(text.strip_prefix("gitdir:")?.trim())))
    else {
        return Vec::new();
    };
    let common = first_line(&folder.join("commondir")).map(|text| folder.join(text));
    std::iter::once(folder).chain(common).collect()
}

/// Programs that configs name.
#[derive(Default, Debug, PartialEq, Eq)]
struct Programs {
    external_diff: bool,
    diffs: BTreeSet<String>,
    filters: BTreeSet<String>,
}

impl Programs {
    fn read(&mut self, config: &Path) {
        match fs::metadata(config) {
            Ok(meta) if meta.len() <= LARGEST && meta.is_file() => {
                self.read_text(&String::from_utf8_lossy(&fs::read(config).unwrap_or_default()));
            }
            Ok(_) => self.external_diff = true,
            Err(_) => {}
        }
    }

    fn read_text(&mut self, text: &str) {
        // Other files may be included, and a header may be written in more ways than one cares to follow.
        let lower = text.to_lowercase();
        self.external_diff |= lower.contains("external") || lower.contains("include");
        for line in text.lines() {
            let Some((kind, rest)) =
                line.trim_start().strip_prefix('[').and_then(|line| line.split_once('"'))
            else {
                continue;
            };
            let Some((name, _)) = rest.rsplit_once("\"]").or_else(|| rest.rsplit_once('"')) else { continue };
            let name = name.replace("\\\"", "\"").replace("\\\\", "\\");
            match kind.trim().to_lowercase().as_str() {
                "diff" => self.diffs.insert(name),
                "filter" => self.filters.insert(name),
                _ => false,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_programs_of_a_config() {
        let mut found = Programs::default();
        found.read_text("[core]\n\tbare = false\n[remote \"origin\"]\n\turl = x\n");
        assert_eq!(found, Programs::default());
        found.read_text(
            "[diff \"Pic\"]\n textconv = x\n [Filter \"a b\"] clean = y\n[diff]\n\texternal = z\n",
        );
        assert!(found.external_diff);
        assert_eq!((found.diffs, found.filters), (["Pic".to_owned()].into(), ["a b".to_owned()].into()));
    }
}
