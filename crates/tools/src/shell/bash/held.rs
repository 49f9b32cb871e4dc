//! What a command changed on its layer, as changes that wait to be kept.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use deskhand_core::{
    Access, Cx, Effects, Fingerprint, Held, Permission, Plan, Preview, ToolResult, Touch, UndoJournal,
    UndoStep, Undoable,
    changed::{ChangeKind, ChangeSummary, ChangedEntry, EntryType},
    undo::PathState,
};
use deskhand_guard::{
    Paths,
    effect::{self, Facts, Judged},
    sandbox::layer::{Difference, Layer, LayerChange, RootChanges},
};

use super::planning::MOST_WAIT;
use crate::{
    files::change::{self, keep},
    shell::{ShellPlaces, workspace_lock::WorkspaceLock},
};

/// How many lines a change list has for programs and people.
const MOST_LINES: usize = 200;
/// Up to so many paths stand in the plan one by one; more of them stand there by folder.
const MOST_TOUCHES: usize = 200;
/// How many of the newest calls are looked through for files that this session made.
const MOST_CALLS: usize = 500;

/// The changes of a layer, ready to be kept. `None` if there are none.
pub fn held(layer: Layer, roots: Vec<RootChanges>, summary: String, cx: &Cx) -> ToolResult<Option<Held>> {
    let paths = cx.service::<Paths>()?;
    let places = cx.service::<ShellPlaces>()?;
    let history = OnceCell::new();
    let history = || history.get_or_init(|| History::of_session(cx));
    let facts = Facts {
        workspace: paths.workspace(),
        made_by_session: &|path| is_below(&history().made, path),
        changed_by_session: &|path| history().changed.contains(path) || is_below(&history().made, path),
        journal_budget: places.journal_budget(),
    };
    let judged = effect::judge(&roots, &facts, &|| cx.check())?;
    if judged.entries.is_empty() {
        return Ok(None);
    }
    let (plan, changes) = plan(&judged, &summary, paths);
    let unjournaled: HashSet<PathBuf> = judged.unjournaled.into_iter().collect();
    let plan = change::say_if_too_large(plan, cx, to_keep(&roots, &unjournaled))?;
    let plan = match &plan.undo {
        Undoable::No(why) => {
            let why = why.clone();
            plan.at_least(Permission::Sensitive, "effect:large-delete", why)
        }
        _ => plan,
    };
    let mut notes = judged.notes;
    Ok(Some(Held::new(plan, changes, move |cx: &Cx| {
        let locks = cx.service::<ShellPlaces>()?.locks();
        let _lock = WorkspaceLock::wait(&locks, cx.service::<Paths>()?.workspaces(), MOST_WAIT, cx)?;
        notes.extend(keep::keep(layer, roots, summary, &|path| is_below(&unjournaled, path), cx)?);
        Ok(notes)
    })))
}

/// How many bytes the journal has to hold of what goes away or becomes different.
fn to_keep(roots: &[RootChanges], unjournaled: &HashSet<PathBuf>) -> u64 {
    let goes =
        |change: &&LayerChange| matches!(change.difference, Difference::Deleted | Difference::Modified);
    let sizes = roots.iter().flat_map(|root| {
        let kept = move |change: &&LayerChange| !is_below(unjournaled, &root.real(change));
        root.changes.iter().filter(goes).filter(kept)
    });
    sizes.filter_map(|change| change.before.as_ref()).map(|before| before.size).sum()
}

/// What keeping the changes would do. It is decided and asked about like any plan.
fn plan(judged: &Judged, summary: &str, paths: &Paths) -> (Plan, ChangeSummary) {
    let changes = ChangeSummary::of(judged.entries.clone(), MOST_LINES);
    let mut plan = Plan::new(format!("Keep the changes of: {summary}"))
        .at_least(judged.permission, judged.rule.as_str(), judged.why.as_str())
        .effects(Effects::WRITES);
    for touch in touches(&judged.entries, judged, paths) {
        plan = plan.touching(touch, judged.why.as_str());
    }
    plan.changes = Some(Box::new(changes.clone()));
    let plan = judged.notes.iter().fold(plan, |plan, note| plan.note(note.as_str()));
    (plan.preview(Preview::Diff(judged.diff.clone())), changes)
}

/// The paths that become different, by folder if there are many.
fn touches(entries: &[ChangedEntry], judged: &Judged, paths: &Paths) -> Vec<Touch> {
    let mut touches: Vec<(PathBuf, Access, bool, Permission)> = Vec::new();
    let permission = |entry: &ChangedEntry| {
        if entry.runs_later.is_some() {
            judged.permission
        } else {
            Permission::Moderate.min(judged.permission)
        }
    };
    for entry in entries {
        let is_folder = entry.entry_type == EntryType::Folder || entry.was == Some(EntryType::Folder);
        let access = match entry.kind {
            ChangeKind::Created => Access::Create,
            ChangeKind::Deleted => Access::Delete,
            ChangeKind::Modified | ChangeKind::Moved | ChangeKind::Mode => Access::Modify,
        };
        touches.push((real(&entry.path, paths), access, is_folder, permission(entry)));
        if let Some(from) = &entry.from {
            touches.push((real(from, paths), Access::Delete, is_folder, permission(entry)));
        }
    }
    while touches.len() > MOST_TOUCHES {
        let before = touches.len();
        touches = by_parent(touches, paths);
        if touches.len() == before {
            break;
        }
    }
    let touch = |(path, access, recursive, permission)| Touch {
        path,
        access,
        recursive,
        permission,
        rule: judged.rule.clone(),
        fingerprint: Fingerprint::Absent,
    };
    touches.into_iter().map(touch).collect()
}

/// The folders of these paths, each once, with the strictest permission. A workspace itself stays.
fn by_parent(
    touches: Vec<(PathBuf, Access, bool, Permission)>,
    paths: &Paths,
) -> Vec<(PathBuf, Access, bool, Permission)> {
    let deepest = touches.iter().map(|(path, ..)| path.components().count()).max().unwrap_or(0);
    let mut folded: BTreeMap<PathBuf, (Access, bool, Permission)> = BTreeMap::new();
    for (path, access, recursive, permission) in touches {
        let is_root = paths.workspaces().any(|workspace| workspace == path);
        let (path, access, recursive) = match path.parent() {
            Some(parent) if !is_root && path.components().count() == deepest => {
                (parent.to_path_buf(), Access::Modify, true)
            }
            _ => (path, access, recursive),
        };
        let entry = folded.entry(path).or_insert((access, recursive, permission));
        if entry.0 != access {
            entry.0 = Access::Modify;
        }
        *entry = (entry.0, entry.1 || recursive, entry.2.max(permission));
    }
    folded
        .into_iter()
        .map(|(path, (access, recursive, permission))| (path, access, recursive, permission))
        .collect()
}

/// Where an entry is. What a Git folder outside the workspace holds is shown as the workspace's own `.git`.
fn real(path: &Path, paths: &Paths) -> PathBuf {
    let whole = paths.workspace().join(path);
    if paths.workspaces().any(|workspace| whole.starts_with(workspace)) {
        whole
    } else {
        paths.workspace().join(".git")
    }
}

fn is_below(folders: &HashSet<PathBuf>, path: &Path) -> bool {
    !folders.is_empty() && path.ancestors().any(|folder| folders.contains(folder))
}

/// What earlier calls of this session did to files, by the undo journal. Without it, more is asked, not less.
#[derive(Default)]
struct History {
    /// Files, and folders with everything in them. Not of a call that also took something away: what it made may be
    /// what was somewhere else before.
    made: HashSet<PathBuf>,
    changed: HashSet<PathBuf>,
}

impl History {
    fn of_session(cx: &Cx) -> Self {
        let mut history = Self::default();
        let Ok(journal) = cx.service::<Arc<dyn UndoJournal>>() else { return history };
        let calls = journal.recent(MOST_CALLS).unwrap_or_default();
        for call in calls.into_iter().filter(|call| call.session_id == cx.session_id()) {
            let takes_away = |step: &UndoStep| match step {
                UndoStep::Change { after, .. } => *after == PathState::Absent,
                UndoStep::Move { .. } => true,
            };
            let only_adds = call.undone_by.is_none() && !call.steps.iter().any(takes_away);
            for step in call.steps {
                match step {
                    UndoStep::Change { path, before: PathState::Absent, .. } if only_adds => {
                        history.made.insert(path);
                    }
                    UndoStep::Change { path, .. } | UndoStep::Move { to: path, .. } => {
                        history.changed.insert(path);
                    }
                }
            }
        }
        history
    }
}
