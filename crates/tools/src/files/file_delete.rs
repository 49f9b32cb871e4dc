//! `file_delete`: removes a file, a link or a folder; into the undo journal, unless it is to be for good.

use deskhand_core::{
    Access, Cx, Effects, Permission, Plan, Spec, Tool, ToolError, ToolResult, Undoable, tool::Rendered,
};
use deskhand_guard::{Kind, PathArg, PathsOf, Place, PlanOn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    change::{self, Changes, tree::Amount},
    tree_scan::{Scan, amount_words},
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// File, link or empty folder; relative paths start at the workspace.
    path: PathArg,
    /// Remove a folder with everything in it.
    #[serde(default)]
    recursive: bool,
    /// Keep nothing: it cannot be undone.
    #[serde(default)]
    permanent: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// Absolute.
    path: String,
    files: u64,
    folders: u64,
    links: u64,
    bytes: u64,
    /// There was more than these: not all was counted.
    and_more: bool,
    /// Whether `undo` can bring it back.
    kept: bool,
}

pub struct FileDelete;

impl Tool for FileDelete {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "file_delete",
        "Delete a file, a link (not what it leads to) or an empty folder; a folder with content only with recursive. Undo can bring it back unless permanent.",
    )
    .zh("删除文件、符号链接（不影响其目标）或空文件夹；非空文件夹须指定 recursive。除非 permanent，否则可以撤销。")
    .permission(Permission::Moderate)
    .effects(Effects::WRITES)
    .toolsets(&["files"])
    .keywords(&["delete", "remove", "rm", "trash", "unlink", "删除", "移除", "清理", "回收站"])
    .example(r#"{"path": "old.log"}"#)
    .timeout_s(1800);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let input = input.clone();
        cx.blocking(move |cx| plan(&input, cx)).await
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| {
            let place = cx.paths()?.removable(&input.path)?;
            let is_tree = is_tree(&place, &input)?;
            let scan = Scan::of(&place, &[], cx)?;
            let mut changes = Changes::begin(cx, format!("Deleted {}", place.shown()))?;
            let kept = changes.keeps();
            let removed = if place.kind() == Kind::Folder && !is_tree {
                changes.remove_empty_folder(&place)
            } else {
                changes.remove_entry(&place)
            };
            changes.end(removed)?;
            let Amount { files, folders, links, bytes } = scan.amount;
            Ok(Output { path: place.text(), files, folders, links, bytes, and_more: scan.is_cut(), kept })
        })
        .await
    }

    fn render(output: &Output) -> Rendered {
        let Output { path, files, folders, links, bytes, and_more, kept } = output;
        let (files, folders, links, bytes) = (*files, *folders, *links, *bytes);
        let how_much = amount_words(&Amount { files, folders, links, bytes });
        let for_good = if *kept { "" } else { " for good" };
        let more = if *and_more { "more than " } else { "" };
        Rendered::text(format!("Deleted {path}{for_good}: {more}{how_much}."))
    }
}

fn plan(input: &Input, cx: &Cx) -> ToolResult<Plan> {
    let place = cx.paths()?.removable(&input.path)?;
    let is_tree = is_tree(&place, input)?;
    let scan = Scan::of(&place, &[(place.path(), Access::Delete)], cx)?;
    let summary = format!("Delete {} ({})", place.shown(), scan.words());
    let mut plan = Plan::new(summary);
    if is_tree {
        plan = scan.raise_removal(plan.on_tree(&place));
    } else {
        plan = plan.on(&place);
    }
    if place.kind() == Kind::Link {
        plan = plan.note("It is a link; what it leads to stays.");
    }
    if input.permanent {
        let why = "Nothing of it is kept.";
        return Ok(plan.at_least(Permission::Sensitive, "delete:permanent", why).not_undoable(why));
    }
    let plan = change::say_if_too_large(plan, cx, scan.amount.bytes)?;
    Ok(match plan.undo.clone() {
        Undoable::No(why) => plan.at_least(Permission::Sensitive, "delete:not-undoable", why),
        _ => plan,
    })
}

/// Whether it is a folder with something in it. That is an error unless it was asked for.
fn is_tree(place: &Place, input: &Input) -> ToolResult<bool> {
    if place.kind() != Kind::Folder {
        return Ok(false);
    }
    let mut entries = place.folder()?.entries().map_err(|error| place.io("read the folder", &error))?;
    let is_empty = entries.next().is_none();
    if is_empty || input.recursive {
        return Ok(!is_empty);
    }
    let message = format!("{} is a folder with something in it.", place.shown());
    Err(ToolError::new("directory_not_empty", message)
        .hint("Set recursive to remove it with everything in it."))
}

#[cfg(test)]
mod tests;
