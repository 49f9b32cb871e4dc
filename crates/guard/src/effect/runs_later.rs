//! Which changes decide what runs later, wherever they lie and however they got there.
//!
//! Names say it of most files (`paths::runs_later`). Git's own say it by their place in a Git folder, and that by its
//! shape: a folder can become one, or be moved away and back.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use deskhand_core::ToolResult;

use super::{
    git_folder::{GitFolder, GitFolders},
    git_keys::{self, ConfigKind, changed_keys},
    links::Links,
    tree::{Item, Trees},
};
use crate::{
    paths::{
        runs_later::{by_link, by_name},
        sensitive::folded,
    },
    sandbox::layer::{Difference, EntryKind, EntryState},
};

const POINTER: &str = "Git takes hooks and config from where it says";
const HOOK: &str = "Git runs it";
const PROGRAMS: &str = "it can name programs that Git runs";
const ODD: &str = "Git reads it, and it is no plain file or too large to read";
const ALTERNATES: &str = "Git takes objects from where it says";
const ELSEWHERE: &str = "it says where Git fetches from and pushes to";
const TODO: &str = "it has commands that Git runs when the rebase goes on";
/// Any of these may start to work once a folder has the shape.
const LYING_READY: &[&str] = &["commondir", "config.worktree", "info/attributes"];
/// Looked at in a folder that becomes a Git folder.
const MOST_HOOKS: usize = 1_000;
const EXECUTABLE: u32 = 0o111;

/// Why an item decides what runs later, by its number.
pub(super) fn reasons(
    trees: &Trees<'_>,
    git: &GitFolders<'_>,
    links: &Links,
    check: &dyn Fn() -> ToolResult<()>,
) -> ToolResult<HashMap<usize, String>> {
    let mut reasons = HashMap::new();
    for (number, item) in trees.items.iter().enumerate() {
        check()?;
        if let Some(why) = reason(item, git, links) {
            reasons.insert(number, why);
        }
    }
    for folder in git.all().iter().filter(|folder| folder.is && !folder.was) {
        check()?;
        if let Some((number, why)) = lying_ready(folder, trees) {
            reasons.entry(number).or_insert(why);
        }
    }
    Ok(reasons)
}

fn reason(item: &Item<'_>, git: &GitFolders<'_>, links: &Links) -> Option<String> {
    let root = &item.root.root.path;
    // Looked at in any case: what is in it decides whether a folder has become one of Git's.
    let around = git.around(&item.path, root);
    if item.is_folder() || !says_more(item) {
        return None;
    }
    let relative = &item.change.path;
    let is_link = item.after() == Some(EntryKind::Link);
    let by_name = if is_link { by_link(relative) } else { by_name(relative) };
    if let Some(why) = by_name.or_else(|| links.why(&item.path, root)) {
        return Some(why.to_owned());
    }
    let name = item.path.file_name().map(folded).unwrap_or_default();
    if name == ".git" {
        return Some(POINTER.to_owned());
    }
    if name == ".gitmodules" {
        return by_keys(item, ConfigKind::Modules, true);
    }
    if links.configs.contains(&item.path) {
        return by_keys(item, ConfigKind::Repository, true);
    }
    around.iter().find_map(|folder| in_git_folder(item, folder))
}

/// Whether it is more than a mode that does not matter here.
fn says_more(item: &Item<'_>) -> bool {
    let mode = |state: &Option<EntryState>| state.as_ref().map_or(0, |state| state.mode);
    item.change.difference != Difference::Mode
        || (mode(&item.change.before) ^ mode(&item.change.after)) & EXECUTABLE != 0
}

fn in_git_folder(item: &Item<'_>, folder: &GitFolder) -> Option<String> {
    let rest = item.path.strip_prefix(&folder.path).ok()?;
    let names: Vec<_> = rest.components().map(|part| folded(part.as_os_str())).collect();
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    // Through a link, what Git reads there can be anywhere, and change without a trace here.
    if item.after() == Some(EntryKind::Link) && !matches!(names[..], ["HEAD" | "head"] | ["refs", ..]) {
        return Some(POINTER.to_owned());
    }
    let why = match of_one_folder(&names) {
        ["hooks" | "info" | "modules" | "worktrees" | "commondir"] => POINTER,
        ["hooks", ..] => hook(item)?,
        ["config"] => return by_keys(item, ConfigKind::Repository, folder.was),
        ["config.worktree"] | ["info", "attributes"] => PROGRAMS,
        ["objects", "info", "alternates"] => ALTERNATES,
        ["remotes" | "branches", _, ..] => ELSEWHERE,
        ["rebase-merge" | "rebase-apply" | "sequencer", ..] => todo(item)?,
        _ => return None,
    };
    // Of these only hooks have to be executable.
    let counts = item.change.difference != Difference::Mode || why == HOOK;
    counts.then(|| why.to_owned())
}

/// The names from the innermost Git folder on. Those of submodules and worktrees lie in the outer one, and may not be
/// whole yet; what is whole has its own shape.
fn of_one_folder<'n>(names: &'n [&'n str]) -> &'n [&'n str] {
    let ["modules" | "worktrees", inner @ ..] = names else { return names };
    match inner.iter().position(|name| *name == "hooks") {
        _ if inner.is_empty() => names,
        Some(hooks) => &inner[hooks..],
        None if inner.ends_with(&["info", "attributes"]) => &inner[inner.len() - 2..],
        None => &inner[inner.len() - 1..],
    }
}

/// Git never runs what ends so; a link of that name is nothing that `git init` makes.
fn hook(item: &Item<'_>) -> Option<&'static str> {
    let is_sample = item.path.extension().is_some_and(|ending| ending == "sample")
        && !matches!(item.after(), Some(EntryKind::Link | EntryKind::Special));
    (!is_sample).then_some(HOOK)
}

/// A plan of a rebase that has commands in it.
fn todo(item: &Item<'_>) -> Option<&'static str> {
    let name = item.path.file_name()?;
    if name != "git-rebase-todo" && name != "todo" {
        return None;
    }
    item.after()?;
    let Some(text) = item.read_after(git_keys::LARGEST) else { return Some(ODD) };
    let runs = |line: &[u8]| {
        let line = line.trim_ascii_start();
        line.starts_with(b"exec") || line.starts_with(b"x ") || line.starts_with(b"x\t")
    };
    text.split(|byte| *byte == b'\n').any(runs).then_some(TODO)
}

/// Which settings of a config differ that can run or redirect.
fn by_keys(item: &Item<'_>, kind: ConfigKind, was_read: bool) -> Option<String> {
    if item.change.difference == Difference::Mode {
        return None;
    }
    let after = match item.after() {
        None => Some(Vec::new()),
        Some(_) => item.read_after(git_keys::LARGEST),
    };
    // What Git did not read before set nothing.
    let before = was_read.then(|| item.read_before(git_keys::LARGEST)).flatten().unwrap_or_default();
    words(&before, after.as_deref(), kind)
}

fn words(before: &[u8], after: Option<&[u8]>, kind: ConfigKind) -> Option<String> {
    const MOST_KEYS: usize = 5;
    let Some(after) = after else { return Some(ODD.to_owned()) };
    let Some(keys) = changed_keys(before, after, kind) else {
        return Some("Git reads it, and it is not written as Git would".to_owned());
    };
    let more = match keys.len() {
        0 => return None,
        n if n > MOST_KEYS => format!(" and {} more", n - MOST_KEYS),
        _ => String::new(),
    };
    Some(format!("it changes {}{more} in Git's config", keys[..keys.len().min(MOST_KEYS)].join(", ")))
}

/// What lay in a folder already that has become Git's with this command.
fn lying_ready(folder: &GitFolder, trees: &Trees<'_>) -> Option<(usize, String)> {
    let is_new = |name: &str| trees.number(&folder.path.join(name));
    let made_it = ["HEAD", "objects", "refs", "commondir"].into_iter().find_map(is_new)?;
    let config = folder.path.join("config");
    // What is in the list was judged by itself.
    let config_says = || match trees.after(&config) {
        _ if trees.number(&config).is_some() => None,
        None => None,
        Some(_) => {
            words(b"", trees.read_after(&config, git_keys::LARGEST).as_deref(), ConfigKind::Repository)
        }
    };
    let others = || {
        let hooks = hooks_in(&folder.path.join("hooks"));
        let ready = LYING_READY.iter().map(|name| folder.path.join(name)).chain(hooks);
        let mut there = ready.filter(|path| trees.number(path).is_none() && trees.after(path).is_some());
        there.next().map(|path| {
            let name = path.strip_prefix(&folder.path).unwrap_or(&path).display().to_string();
            format!("the folder becomes Git's own, and has {name}")
        })
    };
    config_says().or_else(others).map(|why| (made_it, why))
}

fn hooks_in(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let all = std::fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_HOOKS);
    all.map(|entry| entry.path()).filter(|path| path.extension().is_none_or(|ending| ending != "sample"))
}
