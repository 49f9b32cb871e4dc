//! `file_move`: moves or renames a file, a link or a whole folder.

use deskhand_core::{Access, Cx, Effects, Permission, Plan, Spec, Tool, ToolResult, tool::Rendered};
use deskhand_guard::{PathArg, PathsOf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    change::{self, Changes, os},
    transfer::Transfer,
    tree_scan::Scan,
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// File, link or folder; relative paths start at the workspace.
    source: PathArg,
    /// The new path; or an existing folder, to move into it. Missing folders are created.
    destination: PathArg,
    /// Replace an existing file at the destination.
    #[serde(default)]
    overwrite: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    source: String,
    /// Absolute; where it is now.
    destination: String,
    replaced: bool,
    notes: Vec<String>,
}

pub struct FileMove;

impl Tool for FileMove {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "file_move",
        "Move or rename a file or folder, also to another disk. An existing folder as destination means into it.",
    )
    .zh("移动或重命名文件、文件夹，也可跨磁盘。目标为已存在的文件夹时移动到其中。")
    .permission(Permission::Moderate)
    .effects(Effects::WRITES)
    .toolsets(&["files"])
    .keywords(&["move", "rename", "mv", "移动", "重命名", "改名"])
    .example(r#"{"source": "draft.md", "destination": "final.md"}"#)
    .timeout_s(3600);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let input = input.clone();
        cx.blocking(move |cx| {
            let transfer = find(&input, cx)?;
            let (source, target) = (&transfer.source, &transfer.target);
            let scan =
                Scan::of(source, &[(source.path(), Access::Delete), (target.path(), Access::Modify)], cx)?;
            let summary = format!("Move {} to {} ({})", source.shown(), target.shown(), scan.words());
            let mut plan = scan.raise(transfer.on(Plan::new(summary)));
            if transfer.overwrites() {
                plan = plan.note(format!("Replaces {}.", target.shown()));
            }
            plan = transfer.say_if_it_shrinks(plan);
            let mut kept = transfer.bytes_lost();
            if crosses_devices(&transfer) {
                scan.can_be_copied()?;
                kept += scan.amount.bytes;
                plan = plan.note("It goes to another file system: it is copied there, then removed here.");
            }
            change::say_if_too_large(plan, cx, kept)
        })
        .await
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| {
            let transfer = find(&input, cx)?;
            let (source, target) = (&transfer.source, &transfer.target);
            let mut changes = Changes::begin(cx, format!("Moved {} to {}", source.shown(), target.shown()))?;
            let moved = if transfer.overwrites() {
                changes.move_over(source, target)
            } else {
                changes.move_entry(source, target)
            };
            let replaced = transfer.overwrites() && moved.is_ok();
            let ((), notes) = changes.end(moved)?;
            Ok(Output { source: source.text(), destination: target.text(), replaced, notes })
        })
        .await
    }

    fn render(output: &Output) -> Rendered {
        let Output { source, destination, replaced, notes } = output;
        let replaced = if *replaced { ", which replaced the file there" } else { "" };
        let text = format!("Moved {source} to {destination}{replaced}.");
        Rendered::text(notes.iter().fold(text, |text, note| format!("{text}\n{note}")))
    }
}

fn find(input: &Input, cx: &Cx) -> ToolResult<Transfer> {
    let source = cx.paths()?.removable(&input.source)?;
    Transfer::find(source, &input.destination, input.overwrite, cx)
}

/// Whether the target will be on another file system than the source.
fn crosses_devices(transfer: &Transfer) -> bool {
    let outermost = transfer.target.missing_folders().into_iter().next();
    let target = outermost.as_ref().unwrap_or(&transfer.target);
    let folder =
        target.parent().and_then(|dir| dir.dir_metadata().map_err(|error| target.io("look at", &error)));
    match (transfer.source.metadata(), folder) {
        (Ok(source), Ok(folder)) => os::device_of(&source) != os::device_of(&folder),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
