//! `compress_files`: puts files and folders into a ZIP archive.

use deskhand_core::{
    Access, Cx, Effects, Permission, Plan, Preview, Spec, Tool, ToolError, ToolResult, tool::Rendered,
};
use deskhand_guard::{Kind, PathArg, PathsOf, Place, PlanOn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::{
        change::{self, Changes, Look},
        counted::counted,
    },
    SHOWN, first_lines,
    gather::{Gathered, What},
    limits::Meter,
    names, pack,
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Files and folders; folders with everything in them. Names in the archive start at their common folder.
    #[schemars(length(min = 1))]
    files: Vec<PathArg>,
    /// The archive to write, such as `out.zip`.
    output: PathArg,
    /// Only ZIP so far.
    #[serde(default)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Zip,
}

#[derive(Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names are what callers know")]
pub struct Output {
    /// The archive, absolute.
    output: String,
    files: usize,
    folders: usize,
    links: usize,
    /// Of all files, before.
    bytes: u64,
    /// Of the archive.
    archive_bytes: u64,
    /// Whether there was a file of that name before.
    replaced: bool,
    /// What was left out, and why.
    skipped: Vec<String>,
    notes: Vec<String>,
}

pub struct CompressFiles;

impl Tool for CompressFiles {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "compress_files",
        "Put files and folders into a ZIP archive, with modes and times. Links that lead out of what is compressed are left out.",
    )
    .zh("把文件和文件夹压缩成 ZIP 文件，保留权限和修改时间。指向压缩范围之外的符号链接会被跳过。")
    .permission(Permission::Moderate)
    .effects(Effects::READS.and(Effects::WRITES))
    .toolsets(&["files"])
    .keywords(&["zip", "compress", "archive", "pack", "backup", "压缩", "打包", "归档", "压缩包"])
    .example(r#"{"files": ["src", "README.md"], "output": "release.zip"}"#)
    .timeout_s(1800);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let input = input.clone();
        cx.blocking(move |cx| {
            let output = output_place(&input, cx)?;
            let gathered = Gathered::find(&input.files, &output, cx)?;
            plan(&gathered, &output, cx)
        })
        .await
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| run(&input, cx)).await
    }

    fn render(output: &Output) -> Rendered {
        let verb = if output.replaced { "Replaced" } else { "Wrote" };
        let text = format!(
            "{verb} {}: {}, {}, {} → {}.",
            output.output,
            counted(output.files, "file"),
            counted(output.folders, "folder"),
            counted(output.bytes, "byte"),
            counted(output.archive_bytes, "byte")
        );
        let left_out = output.skipped.iter().take(SHOWN).map(|what| format!("Left out {what}."));
        let lines: Vec<String> = [text].into_iter().chain(left_out).chain(output.notes.clone()).collect();
        Rendered::text(lines.join("\n"))
    }
}

fn output_place(input: &Input, cx: &Cx) -> ToolResult<Place> {
    let Format::Zip = input.format;
    let output = cx.paths()?.writable(&input.output)?;
    match output.kind() {
        Kind::File | Kind::Absent => Ok(output),
        Kind::Folder => Err(output
            .io("write", &std::io::ErrorKind::IsADirectory.into())
            .hint("The output is the archive itself: give a file name in that folder.")),
        _ => Err(ToolError::new("not_a_file", format!("{} is not a file.", output.shown()))),
    }
}

fn plan(gathered: &Gathered, output: &Place, cx: &Cx) -> ToolResult<Plan> {
    let Gathered { sources, items, bytes, skipped, private } = gathered;
    let files = counted(gathered.how_many(|what| *what == What::File), "file");
    let folders = counted(gathered.how_many(|what| *what == What::Folder), "folder");
    let size = counted(*bytes, "byte");
    let (verb, replaced) = match output.metadata() {
        Ok(old) => ("Replace", old.len()),
        Err(_) => ("Create", 0),
    };
    let ending = if verb == "Replace" { "; the file that is there is replaced" } else { "" };
    let summary =
        format!("{verb} {}: a ZIP archive of {files} and {folders}, {size}{ending}", output.shown());
    let mut plan = Plan::new(summary);
    for source in sources {
        plan = if source.tree.is_some() { plan.on_tree(&source.place) } else { plan.on(&source.place) };
    }
    plan = plan.on(output);
    plan = on_private(plan, gathered, cx)?;
    if !private.is_empty() {
        let lines = first_lines(private.iter().map(|path| names::shown(&path.to_string_lossy())));
        plan = plan.note(format!("Sensitive files would be in the archive:\n{}", lines.trim_end()));
    }
    if !skipped.is_empty() {
        plan = plan.note(format!("Left out:\n{}", first_lines(skipped.iter().cloned()).trim_end()));
    }
    let lines = items.iter().map(|item| names::shown(&String::from_utf8_lossy(&item.name)));
    let plan = change::say_if_it_shrinks(plan, replaced, at_most(gathered));
    change::say_if_too_large(plan, cx, replaced).map(|plan| plan.preview(Preview::Text(first_lines(lines))))
}

/// The size of the archive if nothing can be compressed.
fn at_most(gathered: &Gathered) -> u64 {
    /// Both headers of an entry, with times and long sizes, and what Deflate adds.
    const ABOUT_AN_ENTRY: usize = 256;
    let about = |item: &super::gather::Item| (ABOUT_AN_ENTRY + 2 * item.name.len()) as u64;
    gathered.items.iter().map(about).sum::<u64>() + gathered.bytes
}

/// What is sensitive in a folder makes the whole call so; the first of it says why.
fn on_private(plan: Plan, gathered: &Gathered, cx: &Cx) -> ToolResult<Plan> {
    let Some(first) = gathered.private.first() else { return Ok(plan) };
    let place = cx.paths()?.recorded(first, Access::Read)?;
    let why = format!("{} would be in the archive. {}", place.shown(), place.why());
    Ok(plan.on(&place).at_least(Permission::Sensitive, "compress:sensitive", why))
}

fn run(input: &Input, cx: &Cx) -> ToolResult<Output> {
    let output = output_place(input, cx)?;
    let gathered = Gathered::find(&input.files, &output, cx)?;
    if let Some(new) = gathered.private.first() {
        // The plan would have asked for it.
        return Err(ToolError::plan_changed(format!(
            "{} was not there when the call was planned.",
            new.display()
        )));
    }
    let replaced = output.exists();
    let mut changes = Changes::begin(cx, format!("Compressed into {}", output.shown()))?;
    let written = changes.replace_file(&output, Look::Kept, |file| {
        pack::pack(&gathered, file, &output, Meter::new(cx, "Compressing", gathered.bytes))
    });
    let (archive_bytes, notes) = changes.end(written)?;
    Ok(Output {
        output: output.text(),
        files: gathered.how_many(|what| *what == What::File),
        folders: gathered.how_many(|what| *what == What::Folder),
        links: gathered.how_many(|what| matches!(what, What::Link(_))),
        bytes: gathered.bytes,
        archive_bytes,
        replaced,
        skipped: gathered.skipped,
        notes,
    })
}
