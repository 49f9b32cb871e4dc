//! `undo`: takes back what an earlier call changed; given an undo, it redoes.

mod check;
mod preview;
mod take;
#[cfg(test)]
mod tests;

use std::{path::Path, sync::Arc};

use deskhand_core::{
    CallId, Cx, Effects, Permission, Plan, Spec, Tool, ToolError, ToolResult, UndoJournal, UndoStep,
    tool::Rendered, undo::UndoEntry,
};
use deskhand_guard::{Paths, PlanOn, paths::RootKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::check::Reversal;
use super::change::{self, Changes};

/// How many of the newest calls are looked through for one that can be taken back: mostly a few will do.
const RECENT: [usize; 2] = [10, 2_000];

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The call to take back; default: the newest change of this session that is still in effect, else the newest in this workspace. The id of an undo redoes.
    call_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// The call that was taken back.
    undone: CallId,
    tool: String,
    summary: String,
    /// What was done, path by path.
    changes: Vec<String>,
    notes: Vec<String>,
}

pub struct Undo;

impl Tool for Undo {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "undo",
        "Take back what an earlier call did to files: the newest change, or the call with that id. Refuses if a file was changed since. The id of an undo redoes it.",
    )
    .zh("撤销先前调用对文件所做的更改：默认最近一次，也可指定调用 id。若文件此后被改动则拒绝。给出撤销调用的 id 即为重做。")
    .permission(Permission::Moderate)
    .effects(Effects::WRITES)
    .toolsets(&["files"])
    .keywords(&["undo", "revert", "restore", "redo", "take back", "trash", "撤销", "恢复", "还原", "重做", "回收站"])
    .example("{}")
    .timeout_s(1800);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let input = input.clone();
        cx.blocking(move |cx| {
            let entry = target(cx, input.call_id.as_deref())?;
            let reversal = Reversal::of(&entry, cx)?;
            plan(&entry, &reversal, cx)
        })
        .await
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| run(&target(cx, input.call_id.as_deref())?, cx)).await
    }

    fn render(output: &Output) -> Rendered {
        let Output { undone, tool, summary, changes, notes } = output;
        let head = if changes.is_empty() {
            format!(
                "Nothing had to be changed: everything is as it was before call {undone} ({tool}: {summary})."
            )
        } else {
            format!("Took back call {undone} ({tool}: {summary}):")
        };
        Rendered::text(changes.iter().chain(notes).fold(head, |text, line| format!("{text}\n{line}")))
    }
}

fn plan(entry: &UndoEntry, reversal: &Reversal, cx: &Cx) -> ToolResult<Plan> {
    let UndoEntry { call, tool, summary, .. } = entry;
    if reversal.is_empty() {
        let plan = Plan::new(format!("Nothing to take back of call {call} ({tool}: {summary})"))
            .note("Everything is as it was before that call.");
        return Ok(reversal.unchanged().fold(plan, Plan::on));
    }
    let what = if tool == Undo::SPEC.name { "Redo what was taken back by" } else { "Take back" };
    let mut plan = Plan::new(format!("{what} call {call} ({tool}: {summary})"));
    for (place, whole) in reversal.places() {
        plan = if whole { plan.on_tree(place) } else { plan.on(place) };
    }
    plan = reversal.raise(reversal.unchanged().fold(plan, Plan::on), entry, cx)?;
    let plan = change::say_if_too_large(plan, cx, reversal.bytes())?;
    Ok(preview::show(plan, entry, reversal))
}

fn run(entry: &UndoEntry, cx: &Cx) -> ToolResult<Output> {
    let journal = journal(cx)?;
    let reversal = Reversal::of(entry, cx)?;
    let mut notes = Vec::new();
    if !reversal.is_empty() {
        let mut changes = Changes::begin_undo(cx, format!("Took back: {}", entry.summary), entry.call)?;
        // Making room for this may push out old entries; the one that is needed must still be there then.
        changes.reserve(reversal.bytes())?;
        reversal.is_kept(entry)?;
        for (done, step) in reversal.steps().enumerate() {
            if let Err(mut error) = take::back(&mut changes, step, &entry.folder) {
                if done > 0 {
                    let all = reversal.steps().count();
                    error.message.push_str(&format!(" {done} of {all} changes were taken back before that."));
                    error = error.hint("Call undo again for the rest once the cause is gone.");
                }
                return Err(error);
            }
        }
        notes = changes.into_notes();
    }
    journal.mark_undone(entry.call, cx.call_id())?;
    Ok(Output {
        undone: entry.call,
        tool: entry.tool.clone(),
        summary: entry.summary.clone(),
        changes: reversal.steps().map(preview::words).collect(),
        notes,
    })
}

fn journal(cx: &Cx) -> ToolResult<&Arc<dyn UndoJournal>> {
    cx.service::<Arc<dyn UndoJournal>>()
}

/// What is to be taken back.
fn target(cx: &Cx, call: Option<&str>) -> ToolResult<UndoEntry> {
    let journal = journal(cx)?;
    match call {
        Some(text) => named(journal.as_ref(), text, cx.owner()),
        None => newest(journal.as_ref(), cx),
    }
}

fn named(journal: &dyn UndoJournal, text: &str, owner: Option<&str>) -> ToolResult<UndoEntry> {
    let call = CallId::parse(text).ok_or_else(|| {
        ToolError::invalid("invalid_call_id", format!("{text:.60} is no call id."))
            .hint("A call id looks like 01932c5e-6f1c-7d2a-9b57-0c2f6f2d8a11; outcomes name it.")
    })?;
    // To a user, what others changed does not exist. The owner of this installation answers for all of it.
    let is_theirs = |entry: &UndoEntry| owner.is_none() || entry.owner.as_deref() == owner;
    let entry = journal.load(call)?.filter(is_theirs).ok_or_else(|| {
        let message = format!("The undo journal has nothing of call {call}.");
        ToolError::new("no_such_change", message)
            .hint("It changed no file, could not be undone, or is too old to be kept.")
    })?;
    match in_effect(journal, entry)? {
        Effect::By(entry) => Ok(entry),
        Effect::TakenBack { by } => {
            let error = ToolError::new("already_undone", format!("Call {call} was taken back by call {by}."));
            Err(match journal.load(by)? {
                Some(_) => error.hint(format!("To redo it, undo {by}.")),
                None => error.hint("Nothing is kept of that call: it cannot be redone."),
            })
        }
        Effect::Forgotten { by } => {
            let message =
                format!("Call {call} was taken back, and redone by call {by}, of which nothing is kept.");
            Err(ToolError::new("no_such_change", message).hint("It cannot be taken back any more."))
        }
    }
}

/// The newest change of this session; else the newest that was made in these workspaces.
fn newest(journal: &dyn UndoJournal, cx: &Cx) -> ToolResult<UndoEntry> {
    let mut nearby = None;
    for most in RECENT {
        nearby = None;
        for entry in journal.recent(most)? {
            let is_own = entry.session_id == cx.session_id();
            let may_do = is_own || (nearby.is_none() && is_in_workspace(&entry, cx)?);
            let is_theirs = entry.owner.as_deref() == cx.owner();
            if entry.tool == Undo::SPEC.name || !may_do || !is_theirs {
                continue;
            }
            if let Effect::By(entry) = in_effect(journal, entry)? {
                if is_own {
                    return Ok(entry);
                }
                nearby = Some(entry);
            }
        }
    }
    nearby.ok_or_else(|| {
        let message = "There is no change of this session or in this workspace that could be taken back.";
        ToolError::new("no_such_change", message)
            .hint("`deskhand undo --list` lists the changes of all; name one by its call_id.")
    })
}

/// Whether all that a call changed is in the workspaces of this one.
fn is_in_workspace(entry: &UndoEntry, cx: &Cx) -> ToolResult<bool> {
    let roots = cx.service::<Paths>()?.roots();
    let is_inside = |path: &Path| {
        path.starts_with(&entry.folder)
            || roots.iter().any(|root| root.kind == RootKind::Workspace && path.starts_with(&root.path))
    };
    Ok(entry.steps.iter().all(|step| match step {
        UndoStep::Change { path, .. } => is_inside(path),
        UndoStep::Move { from, to, .. } => is_inside(from) && is_inside(to),
    }))
}

/// What has become of a change.
enum Effect {
    /// It is in effect: through its own entry, or that of the call which redid it.
    By(UndoEntry),
    TakenBack {
        by: CallId,
    },
    /// It is in effect through a call of which nothing is kept.
    Forgotten {
        by: CallId,
    },
}

fn in_effect(journal: &dyn UndoJournal, mut entry: UndoEntry) -> ToolResult<Effect> {
    while let Some(by) = entry.undone_by {
        let Some(redone_by) = journal.load(by)?.and_then(|undo| undo.undone_by) else {
            return Ok(Effect::TakenBack { by });
        };
        match journal.load(redone_by)? {
            Some(redo) => entry = redo,
            None => return Ok(Effect::Forgotten { by: redone_by }),
        }
    }
    Ok(Effect::By(entry))
}
