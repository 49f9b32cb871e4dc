//! `decompress_file`: unpacks a ZIP archive.

use deskhand_core::{Cx, Effects, Permission, Plan, Spec, Tool, ToolResult, tool::Rendered};
use deskhand_guard::{PathArg, paths::show_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::{change::Changes, counted::counted},
    SHOWN,
    contents::What,
    settle,
    survey::{Existing, Survey},
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The ZIP archive; relative paths start at the workspace.
    file: PathArg,
    /// The folder to unpack into. Default: one named like the archive without its ending, beside it.
    destination: Option<PathArg>,
    /// Replace files that exist already.
    #[serde(default)]
    overwrite: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// The archive, absolute.
    file: String,
    /// The folder, absolute.
    destination: String,
    files: usize,
    folders: usize,
    /// Of all files.
    bytes: u64,
    /// How many of the files replaced one that was there.
    replaced: usize,
    /// The first of what was made, from the destination; folders end in `/`.
    entries: Vec<String>,
    /// What of the archive was left out, and why.
    skipped: Vec<String>,
    notes: Vec<String>,
}

pub struct DecompressFile;

impl Tool for DecompressFile {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "decompress_file",
        "Unpack a ZIP archive into a folder: all of it, or nothing. Links in it are left out; names that lead out of the folder, bombs and passwords are refused.",
    )
    .zh("解压 ZIP 文件到文件夹：要么全部解压，要么什么都不改。压缩包里的符号链接会被跳过；越界路径、压缩炸弹和加密文件会被拒绝。")
    .permission(Permission::Moderate)
    .effects(Effects::READS.and(Effects::WRITES))
    .toolsets(&["files"])
    .keywords(&["unzip", "zip", "extract", "unpack", "archive", "解压", "解压缩", "压缩包", "提取"])
    .example(r#"{"file": "downloads/report.zip", "destination": "report"}"#)
    .timeout_s(1800);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let input = input.clone();
        cx.blocking(move |cx| input.survey(cx)?.plan(cx)).await
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| {
            let mut survey = input.survey(cx)?;
            survey.holds(cx)?;
            let mut changes = Changes::begin(cx, format!("Unpacked {}", survey.from.shown()))?;
            let settled = settle::settle(&mut survey, &mut changes, cx);
            let ((), notes) = changes.end(settled)?;
            Ok(Output::of(survey, notes))
        })
        .await
    }

    fn render(output: &Output) -> Rendered {
        let Output { file, destination, files, folders, bytes, replaced, entries, skipped, notes } = output;
        let mut lines = vec![format!(
            "Unpacked {file} into {destination}: {}, {}, {}.",
            counted(files, "file"),
            counted(folders, "folder"),
            counted(bytes, "byte")
        )];
        if *replaced > 0 {
            lines.push(format!("{} replaced.", counted(replaced, "file")));
        }
        lines.extend(entries.iter().cloned());
        if files + folders > entries.len() {
            lines.push(format!("… and {} more", files + folders - entries.len()));
        }
        lines.extend(skipped.iter().take(SHOWN).map(|what| format!("Left out {what}.")));
        lines.extend(notes.iter().cloned());
        Rendered::text(lines.join("\n"))
    }
}

impl Input {
    fn survey<'a>(&self, cx: &'a Cx) -> ToolResult<Survey<'a>> {
        let existing = if self.overwrite { Existing::Replace } else { Existing::Refuse };
        Survey::make(&self.file, self.destination.as_ref(), existing, cx)
    }
}

impl Output {
    fn of(survey: Survey<'_>, notes: Vec<String>) -> Self {
        let contents = survey.contents;
        let entries = contents.made().take(SHOWN).map(|(path, entry)| {
            let ending = if entry.what == What::Folder { "/" } else { "" };
            show_name(path.as_os_str()) + ending
        });
        Self {
            file: survey.from.text(),
            destination: survey.to.text(),
            files: contents.how_many(What::File),
            folders: contents.how_many(What::Folder),
            bytes: contents.bytes,
            replaced: survey.replaced.len(),
            entries: entries.collect(),
            skipped: contents.skipped,
            notes,
        }
    }
}
