//! What a command did, judged by its result: the exact change list, and whether a person is asked about it.
//!
//! Nothing here goes by the text of a command. Which effect needs which permission is one table ([`table`]).

mod content;
mod diff;
mod git_config;
mod git_folder;
mod git_index;
mod git_keys;
mod ignored;
mod journal;
mod lines;
mod links;
mod moves;
mod objects;
mod repository;
mod runs_later;
mod table;
#[cfg(test)]
mod tests;
mod tree;

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    rc::Rc,
};

use deskhand_core::{
    Permission, ToolResult,
    changed::{ChangedEntry, bytes_text},
};

use self::{
    git_folder::{GitFolders, has_shape},
    ignored::Ignores,
    lines::Findings,
    links::Links,
    moves::Moves,
    objects::Objects,
    repository::Repositories,
    table::{Amount, Effects},
    tree::{Item, Trees},
};
use crate::sandbox::layer::{Difference, EntryKind, RootChanges};

/// What is known of the session and the settings.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    /// Absolute, links resolved: paths in it are shown relative to it.
    pub workspace: &'a Path,
    /// Whether an absolute path was made by an earlier call of this session.
    pub made_by_session: &'a dyn Fn(&Path) -> bool,
    /// Whether an earlier call of this session changed an absolute path, or made it.
    pub changed_by_session: &'a dyn Fn(&Path) -> bool,
    /// How many bytes of output that Git ignores go into the journal.
    pub journal_budget: u64,
}

impl std::fmt::Debug for Facts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Facts").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

/// What a command did, and what keeping it needs.
#[derive(Debug)]
pub struct Judged {
    /// Every change. A folder that was moved whole is one line, and so is a folder of output that Git ignores.
    pub entries: Vec<ChangedEntry>,
    pub permission: Permission,
    pub rule: String,
    pub why: String,
    /// Absolute paths of files, and of folders with everything in them, that are kept but not journaled: output that
    /// Git ignores, over the budget.
    pub unjournaled: Vec<PathBuf>,
    pub notes: Vec<String>,
    /// A unified diff of the texts that changed, bounded.
    pub diff: String,
}

/// Judges the changes of a command. `check` is asked often and may stop it.
pub fn judge(
    roots: &[RootChanges],
    facts: &Facts<'_>,
    check: &dyn Fn() -> ToolResult<()>,
) -> ToolResult<Judged> {
    let items = tree::items(roots);
    let trees = Trees::new(&items);
    let links = if items.is_empty() { Links::default() } else { Links::find(roots, check)? };
    let git = GitFolders::new(&trees, links.git_folders.clone());
    let reasons = runs_later::reasons(&trees, &git, &links, check)?;
    let repositories = Repositories::default();
    let ignores = Ignores::new(&repositories, facts.changed_by_session);
    let ignored = ignored(&items, &git, &reasons, &ignores, check)?;
    let mut moves = Moves::find(&trees, &|number| ignored[number].is_some(), check)?;
    moves.find_folders(&trees, &|number| reasons.contains_key(&number) || ignored[number].is_some());
    let findings = Findings {
        trees: &trees,
        workspace: facts.workspace,
        reasons: &reasons,
        ignored: &ignored,
        moves: &moves,
    };
    let mut lines = lines::lines(&findings);
    let is_inner = |number: usize| {
        let item = &items[number];
        !git.around(&item.path, &item.root.root.path).is_empty()
    };
    let diff = diff::compare(&mut lines, &trees, &is_inner, check)?;
    let (deleted, overwritten) = lost(&findings, facts, (&repositories, &ignores), check)?;
    let first = reasons.iter().min_by_key(|(number, _)| **number);
    let runs_later = first.map(|(number, why)| {
        let path = findings.shown(&items[*number].path);
        (diff::on_one_line(&path), why.clone(), reasons.len())
    });
    let effects = Effects { changes: !lines.is_empty(), deleted, overwritten, runs_later };
    let (permission, rule, why) = table::decide(&effects);
    let may_leave_out = |item: &Item<'_>| item.change.before.is_none() || ignores.is_output(&item.path);
    let beyond = journal::beyond(facts.journal_budget, &items, &ignored, &may_leave_out);
    let note = (!beyond.paths.is_empty()).then(|| {
        format!(
            "{} of output that Git ignores is kept, but not journaled: undo leaves it as it is.",
            bytes_text(beyond.bytes)
        )
    });
    Ok(Judged {
        entries: lines.into_iter().map(|line| line.entry).collect(),
        permission,
        rule: rule.to_owned(),
        why,
        unjournaled: beyond.paths,
        notes: note.into_iter().collect(),
        diff,
    })
}

/// The folder of each item that Git ignores. What runs later has a line of its own, ignored or not.
fn ignored(
    items: &[Item<'_>],
    git: &GitFolders<'_>,
    reasons: &HashMap<usize, String>,
    ignores: &Ignores<'_>,
    check: &dyn Fn() -> ToolResult<()>,
) -> ToolResult<Vec<Option<Rc<Path>>>> {
    let of = |(number, item): (usize, &Item<'_>)| {
        check()?;
        let is_other = reasons.contains_key(&number)
            || item.path == item.root.root.path
            || item.path.ends_with(".git")
            || !git.around(&item.path, &item.root.root.path).is_empty();
        Ok(if is_other { None } else { ignores.folder_of(&item.path, item.is_folder()) })
    };
    items.iter().enumerate().map(of).collect()
}

/// How much is deleted and overwritten that neither this session made nor Git has as it was.
fn lost(
    findings: &Findings<'_>,
    facts: &Facts<'_>,
    (repositories, ignores): (&Repositories, &Ignores<'_>),
    check: &dyn Fn() -> ToolResult<()>,
) -> ToolResult<(Amount, Amount)> {
    let trees = findings.trees;
    let was_git = |folder: &Path| has_shape(folder, &|path| trees.before(path));
    let objects = Objects::look(trees, &was_git);
    let goes = |number: usize, item: &Item<'_>| match item.change.difference {
        Difference::Deleted => {
            !lines::stands_for_others(item) && !findings.moves.target_of.contains_key(&number)
        }
        Difference::Modified => item.before() != Some(EntryKind::Folder),
        Difference::Created | Difference::Mode => false,
    };
    let mut gone = Vec::new();
    for (number, item) in trees.items.iter().enumerate() {
        check()?;
        let is_output = findings.ignored[number].is_some() && ignores.is_output(&item.path);
        if !is_output && goes(number, item) && !objects.is_gits_own(item, &was_git) {
            gone.push(item);
        }
    }
    let amounts = |gone: &[&Item<'_>]| {
        let (mut deleted, mut overwritten) = (Amount::default(), Amount::default());
        for item in gone {
            let is_deleted = item.change.difference == Difference::Deleted;
            let amount = if is_deleted { &mut deleted } else { &mut overwritten };
            amount.add(item.change.before.as_ref().map_or(0, |before| before.size));
        }
        (deleted, overwritten)
    };
    let all = amounts(&gone);
    if !all.0.is_large() && !all.1.is_large() {
        return Ok(all);
    }
    // Only now is it worth looking at each.
    let mut lost = Vec::new();
    for item in gone {
        check()?;
        let repository = || item.path.parent().and_then(|folder| repositories.of(folder));
        let is_in_git = || {
            repository()
                .is_some_and(|found| objects.are_whole(&found.common) && found.has_as_it_is(&item.path))
        };
        if !(facts.made_by_session)(&item.path) && !is_in_git() {
            lost.push(item);
        }
    }
    Ok(amounts(&lost))
}
