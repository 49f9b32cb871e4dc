//! What existing links and settings turn into something that runs later: the files that they lead to.
//!
//! Nothing about such a file says so, and the link may be anywhere. So the folders are looked through, those at the top
//! first, up to a number of entries.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    fs,
    os::unix::ffi::OsStrExt,
    path::{Component, Path, PathBuf},
};

use deskhand_core::ToolResult;

use super::{
    content, git_config,
    git_folder::has_shape,
    git_keys,
    repository::{common_of, joined, normal, pointed},
    tree::kind_at,
};
use crate::{
    paths::runs_later::{by_link, is_in_packages},
    sandbox::layer::RootChanges,
};

/// How many entries of a root are looked at.
const MOST_ENTRIES: usize = 20_000;
/// As many as the system follows.
const MOST_HOPS: usize = 40;
/// How deep configs include others.
const MOST_INCLUDES: usize = 5;
const HOOK: &str = "Git takes hooks or settings from it";

/// What was found in the real folders.
#[derive(Default)]
pub(super) struct Links {
    /// Files and folders that something which runs later leads to, and why it does.
    targets: HashMap<PathBuf, &'static str>,
    /// Configs that others include.
    pub configs: HashSet<PathBuf>,
    /// Git folders that are found through a `.git` file or a `commondir`.
    pub git_folders: HashSet<PathBuf>,
}

impl Links {
    pub fn find(roots: &[RootChanges], check: &dyn Fn() -> ToolResult<()>) -> ToolResult<Self> {
        let mut links = Self::default();
        for root in roots {
            let path = &root.root.path;
            links.git_folder(path);
            // The workspace may be a part of a repository.
            if let Some(work) =
                path.ancestors().skip(1).find(|folder| kind_at(&folder.join(".git")).is_some())
            {
                links.repository(work);
            }
            links.walk(path, check)?;
        }
        Ok(links)
    }

    /// Why a change of this path decides what runs later, if it does.
    pub fn why(&self, path: &Path, root: &Path) -> Option<&'static str> {
        if self.targets.is_empty() {
            return None;
        }
        let up_to_root = path.ancestors().take_while(|folder| folder.starts_with(root));
        up_to_root.into_iter().find_map(|folder| self.targets.get(folder).copied())
    }

    fn walk(&mut self, root: &Path, check: &dyn Fn() -> ToolResult<()>) -> ToolResult<()> {
        let mut folders = VecDeque::from([root.to_path_buf()]);
        let mut seen = 0;
        while let Some(folder) = folders.pop_front() {
            check()?;
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                seen += 1;
                if seen > MOST_ENTRIES {
                    return Ok(());
                }
                let path = entry.path();
                let Ok(kind) = entry.file_type() else { continue };
                let relative = path.strip_prefix(root).unwrap_or(&path);
                if kind.is_symlink()
                    && let Some(why) = by_link(relative)
                {
                    self.link(&path, why);
                }
                if entry.file_name() == ".git" {
                    self.repository(&folder);
                } else if kind.is_dir() && !is_in_packages(relative) && entry.file_name() != "target" {
                    folders.push_back(path);
                }
            }
        }
        Ok(())
    }

    /// A working tree.
    fn repository(&mut self, work: &Path) {
        let Some(git) = pointed(&work.join(".git")) else { return };
        let common = common_of(&git);
        for folder in [&git, &common] {
            self.own_links(folder);
            self.config(&folder.join("config"), work, 0);
            self.config(&folder.join("config.worktree"), work, 0);
        }
        self.git_folders.extend([git, common]);
    }

    /// A bare repository, or a Git folder that is a root of its own.
    fn git_folder(&mut self, folder: &Path) {
        if has_shape(folder, &kind_at) {
            self.own_links(folder);
            self.config(&folder.join("config"), folder, 0);
        }
    }

    fn own_links(&mut self, git: &Path) {
        let hooks = git.join("hooks");
        let in_hooks = fs::read_dir(&hooks).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut all: Vec<PathBuf> = in_hooks.take(1_000).collect();
        all.extend([hooks, git.join("config"), git.join("info"), git.join("info/attributes")]);
        for path in all {
            if fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_symlink()) {
                self.link(&path, HOOK);
            }
        }
    }

    /// What a config says of hooks and other configs.
    fn config(&mut self, file: &Path, work: &Path, level: usize) {
        let Some(settings) = content::read(file, git_keys::LARGEST).and_then(|text| git_config::parse(&text))
        else {
            return;
        };
        for setting in settings {
            let (section, _, name) = setting.parts();
            let Some(value) = setting.value.as_deref() else { continue };
            match (section, name) {
                (b"core", b"hookspath") => self.target(joined(work, value), HOOK),
                (b"include" | b"includeif", b"path") if level < MOST_INCLUDES => {
                    let path = joined(file.parent().unwrap_or(work), value);
                    if self.configs.insert(path.clone()) {
                        self.config(&path, work, level + 1);
                    }
                }
                _ => {}
            }
        }
    }

    fn target(&mut self, path: PathBuf, why: &'static str) {
        self.targets.entry(path).or_insert(why);
    }

    /// All that a link leads through, and where it ends.
    fn link(&mut self, link: &Path, why: &'static str) {
        let (mut rest, mut hops) = (vec![link.to_path_buf()], 0);
        while let Some(path) = rest.pop() {
            let mut reached = PathBuf::new();
            let mut parts = path.components();
            while let Some(part) = parts.next() {
                match part {
                    Component::ParentDir => drop(reached.pop()),
                    Component::CurDir => {}
                    part => reached.push(part),
                }
                let Some(to) = content::link_target(&reached) else { continue };
                hops += 1;
                if hops > MOST_HOPS || to.as_bytes().is_empty() {
                    return;
                }
                if reached != link {
                    self.target(reached.clone(), why);
                }
                reached.pop();
                rest.push(reached.join(to).join(parts.as_path()));
                reached = PathBuf::new();
                break;
            }
            if !reached.as_os_str().is_empty() {
                self.target(normal(&reached), why);
            }
        }
    }
}
