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

/// Words in a config that may name a program which git runs by itself.
const DOUBTS: &[&str] = &[
    "textconv",
    "filter",
    "diff",
    "include",
    "external",
    "command",
    "gpg",
    "program",
    "helper",
    "fsmonitor",
];

/// Whether the repository around one of these folders has settings that may name a program. What a look cannot undo is
/// asked about.
pub fn names_programs<'p>(folders: impl Iterator<Item = &'p Path>) -> bool {
    let gits = folders
        .flat_map(|folder| folder.ancestors().map(|folder| folder.join(".git")))
        .collect::<BTreeSet<_>>();
    let configs = gits
        .iter()
        .flat_map(|git| folders_of(git))
        .flat_map(|git| ["config", "config.worktree"].map(|name| git.join(name)));
    configs.filter(|config| config.exists()).any(|config| {
        let small = config.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= LARGEST);
        let text = small
            .then(|| fs::read(&config).ok())
            .flatten()
            .map(|bytes| String::from_utf8_lossy(&bytes).to_lowercase());
        text.is_none_or(|text| DOUBTS.iter().any(|doubt| text.contains(doubt)))
    })
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

/// Where a `.git` keeps its config: in itself, or where it says, which may lead to one more.
fn folders_of(git: &Path) -> Vec<PathBuf> {
    if git.is_dir() {
        return vec![git.to_path_buf()];
    }
    let said = |file: &Path| fs::read_to_string(file).ok().map(|text| text.trim().to_owned());
    let Some(folder) =
        said(git).and_then(|text| Some(git.parent()?.join(text.strip_prefix("gitdir:")?.trim())))
    else {
        return Vec::new();
    };
    let common = said(&folder.join("commondir")).map(|text| folder.join(text));
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
