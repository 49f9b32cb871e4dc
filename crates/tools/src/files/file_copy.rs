//! `file_copy`: copies a file, a link or a whole folder.

use deskhand_core::{Access, Cx, Effects, Permission, Plan, Spec, Tool, ToolResult, tool::Rendered};
use deskhand_guard::{Kind, PathArg, PathsOf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    change::{self, Changes, tree::Amount},
    transfer::Transfer,
    tree_scan::{Scan, amount_words},
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// File, link or folder; relative paths start at the workspace. Folders are copied with everything in them.
    source: PathArg,
    /// The new path; or an existing folder, to copy into it. Missing folders are created.
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
    files: u64,
    folders: u64,
    links: u64,
    bytes: u64,
    replaced: bool,
    notes: Vec<String>,
}

pub struct FileCopy;

impl Tool for FileCopy {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "file_copy",
        "Copy a file or a whole folder. Links are copied as links; mode and times are kept. An existing folder as destination means into it.",
    )
    .zh("复制文件或整个文件夹。符号链接按链接复制，保留权限和时间。目标为已存在的文件夹时复制到其中。")
    .permission(Permission::Moderate)
    .effects(Effects::READS.and(Effects::WRITES))
    .toolsets(&["files"])
    .keywords(&["copy", "duplicate", "cp", "backup", "复制", "拷贝", "备份"])
    .example(r#"{"source": "report.md", "destination": "archive/report.md"}"#)
    .timeout_s(3600);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let input = input.clone();
        cx.blocking(move |cx| {
            let transfer = find(&input, cx)?;
            let (source, target) = (&transfer.source, &transfer.target);
            let scan =
                Scan::of(source, &[(source.path(), Access::Read), (target.path(), Access::Modify)], cx)?;
            scan.can_be_copied()?;
            let summary = format!("Copy {} to {} ({})", source.shown(), target.shown(), scan.words());
            let mut plan = scan.raise(transfer.on(Plan::new(summary)));
            if transfer.overwrites() {
                plan = plan.note(format!("Replaces {}.", target.shown()));
            }
            let plan = transfer.say_if_it_shrinks(plan);
            change::say_if_too_large(plan, cx, transfer.bytes_lost())
        })
        .await
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| {
            let transfer = find(&input, cx)?;
            let mut changes = Changes::begin(cx, format!("Copied to {}", transfer.target.shown()))?;
            let copied = copy(&mut changes, &transfer, cx);
            let (amount, notes) = changes.end(copied)?;
            let Amount { files, folders, links, bytes } = amount;
            Ok(Output {
                source: transfer.source.text(),
                destination: transfer.target.text(),
                files,
                folders,
                links,
                bytes,
                replaced: transfer.overwrites(),
                notes,
            })
        })
        .await
    }

    fn render(output: &Output) -> Rendered {
        let Output { source, destination, files, folders, links, bytes, .. } = output;
        let (files, folders, links, bytes) = (*files, *folders, *links, *bytes);
        let how_much = amount_words(&Amount { files, folders, links, bytes });
        let replaced = if output.replaced { ", which replaced the file there" } else { "" };
        let text = format!("Copied {source} to {destination}{replaced}: {how_much}.");
        Rendered::text(output.notes.iter().fold(text, |text, note| format!("{text}\n{note}")))
    }
}

fn find(input: &Input, cx: &Cx) -> ToolResult<Transfer> {
    let source = cx.paths()?.readable_entry(&input.source)?;
    Transfer::find(source, &input.destination, input.overwrite, cx)
}

fn copy(changes: &mut Changes<'_>, transfer: &Transfer, cx: &Cx) -> ToolResult<Amount> {
    let (source, target) = (&transfer.source, &transfer.target);
    let total = Scan::of(source, &[], cx)?.amount.bytes;
    match transfer.replaces {
        Kind::File | Kind::Link => changes.copy_over(source, target, Some(total)),
        _ => changes.copy_entry(source, target, Some(total)),
    }
}

#[cfg(test)]
mod tests;
