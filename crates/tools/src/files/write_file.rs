//! `write_file`: creates a file, replaces its content, or adds to its end.

use std::borrow::Cow;

use deskhand_core::{Cx, Effects, Permission, Plan, Spec, Tool, ToolError, ToolResult, tool::Rendered};
use deskhand_guard::{PathArg, PathsOf, Place, PlanOn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    change::{self, Changes},
    counted::counted,
    diff,
    encoding::{Format, LineEnds, to_crlf},
    read_only::{self, Written},
    text_file::{self, Present},
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The file; relative paths start at the workspace. Missing folders are created.
    path: PathArg,
    /// The text to write.
    content: String,
    /// overwrite: replace the whole file, or create it. append: add to its end. create: only if it does not exist.
    #[serde(default)]
    mode: Mode,
    /// Such as utf-8, utf-8-bom, utf-16le, gb18030, big5, shift_jis. Default: as the existing file, utf-8 for a new one.
    encoding: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    #[default]
    Overwrite,
    Append,
    Create,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// Absolute.
    path: String,
    created: bool,
    /// Size of the file now.
    bytes: u64,
    bytes_before: u64,
    encoding: String,
    /// What differs from what was asked for, and what else is worth knowing.
    notes: Vec<String>,
}

pub struct WriteFile;

impl Tool for WriteFile {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "write_file",
        "Write a text file: create it, replace its whole content, or append. Keeps the existing encoding, line ends and mode. To change a part of a file, use edit_file.",
    )
    .zh("写入文本文件：新建、整体覆盖或追加。保留原有的编码、换行符和权限。只修改一部分时请用 edit_file。")
    .permission(Permission::Moderate)
    .effects(Effects::WRITES)
    .toolsets(&["chat", "core", "files"])
    .keywords(&["write", "create", "save", "append", "overwrite", "写入", "创建", "保存", "追加", "覆盖", "文件"])
    .example(r#"{"path": "notes/today.md", "content": "Bought milk.\n", "mode": "append"}"#);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let input = input.clone();
        cx.blocking(move |cx| {
            let place = cx.paths()?.writable(&input.path)?;
            let work = Work::prepare(&place, &input)?;
            work.plan(&place, &input, cx)
        })
        .await
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| {
            let place = cx.paths()?.writable(&input.path)?;
            let work = Work::prepare(&place, &input)?;
            work.run(&place, &input, cx)
        })
        .await
    }

    fn render(output: &Output) -> Rendered {
        let Output { path, created, bytes, bytes_before, encoding, notes } = output;
        let what = if *created {
            format!("Created {path}: {}, {encoding}.", counted(bytes, "byte"))
        } else {
            format!("Wrote {path}: {}, {encoding}.", sizes(*bytes_before, *bytes))
        };
        Rendered::text(notes.iter().fold(what, |text, note| format!("{text}\n{note}")))
    }
}

fn sizes(before: u64, after: u64) -> String {
    format!("{} → {}", counted(before, "byte"), counted(after, "byte"))
}

/// What the call comes to, given what is there.
struct Work {
    present: Option<Present>,
    format: Format,
    /// All of the file, or what is added to it.
    bytes: Vec<u8>,
    notes: Vec<String>,
}

impl Work {
    fn prepare(place: &Place, input: &Input) -> ToolResult<Self> {
        let present = Present::look(place)?;
        if input.mode == Mode::Create && present.is_some() {
            let message = format!("{} exists already, and mode is create.", place.shown());
            return Err(ToolError::new("already_exists", message)
                .hint("Use mode overwrite to replace it, or append to add to it."));
        }
        let mut notes = Vec::new();
        let format = format_for(place, input, present.as_ref())?;
        let content = with_line_ends(&input.content, present.as_ref(), &mut notes);
        let adds = input.mode == Mode::Append && present.as_ref().is_some_and(|present| present.size > 0);
        let bytes = if adds { format.encode_piece(&content) } else { format.encode(&content) };
        let bytes = bytes.map_err(|c| text_file::cannot_encode(place, format, c, &content))?;
        Ok(Self { present, format, bytes, notes })
    }

    fn size_before(&self) -> u64 {
        self.present.as_ref().map_or(0, |present| present.size)
    }

    fn plan(self, place: &Place, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let (before, length) = (self.size_before(), self.bytes.len() as u64);
        let shown = place.shown();
        let adds = input.mode == Mode::Append && self.present.is_some();
        let summary = match &self.present {
            None => format!("Create {shown}: {}", counted(length, "byte")),
            Some(_) if adds => format!("Append to {shown}: {}", sizes(before, before + length)),
            Some(_) => format!("Write {shown}: {}", sizes(before, length)),
        };
        let mut plan = Plan::new(summary).on(place);
        if !adds {
            plan = change::say_if_too_large(plan, cx, before)?;
            plan = change::say_if_it_shrinks(plan, before, length);
        }
        plan = read_only::say(plan, place, if adds { Written::InPlace } else { Written::Anew });
        plan = self.notes_on(plan, place, adds);
        self.preview(plan, place, input, adds)
    }

    fn notes_on(&self, mut plan: Plan, place: &Place, adds: bool) -> Plan {
        if place.through_link() {
            plan = plan.note(format!("The path leads through a link to {}.", place.shown()));
        }
        for folder in place.missing_folders() {
            plan = plan.note(format!("Creates the folder {}.", folder.shown()));
        }
        if let Some(present) = &self.present {
            if present.other_names > 0 && !adds {
                let others = counted(present.other_names, "other name");
                let keep = if present.other_names == 1 { "keeps" } else { "keep" };
                plan =
                    plan.note(format!("The file has {others} (hard links), which {keep} the old content."));
            }
            if present.format.is_none() {
                plan = plan.note("What is there now is not text.");
            }
        }
        self.notes.iter().fold(plan, Plan::note)
    }

    fn preview(&self, plan: Plan, place: &Place, input: &Input, adds: bool) -> ToolResult<Plan> {
        let name = place.name().map(deskhand_guard::paths::show_name).unwrap_or_default();
        let too_large = |size: u64| size > diff::MOST_COMPARED;
        match &self.present {
            _ if adds || too_large(input.content.len() as u64) => Ok(diff::show_text(plan, &input.content)),
            None => Ok(diff::show(plan, &name, "", &input.content)),
            Some(Present { size, format: Some(format), .. }) if !too_large(*size) => {
                let old = format.decode(&text_file::read_whole(place, diff::MOST_COMPARED)?).text;
                Ok(diff::show(plan, &name, &old, &input.content))
            }
            Some(_) => Ok(diff::show_text(plan.note("What is there now is not shown."), &input.content)),
        }
    }

    fn run(self, place: &Place, input: &Input, cx: &Cx) -> ToolResult<Output> {
        let (before, created) = (self.size_before(), self.present.is_none());
        let mut changes = Changes::begin(cx, format!("Wrote {}", place.shown()))?;
        let adds = input.mode == Mode::Append && before > 0;
        let written = if adds {
            changes.append_to_file(place, &self.bytes)
        } else {
            changes.write_file(place, &self.bytes)
        };
        let (bytes, more) = changes.end(written)?;
        let notes = self.notes.into_iter().chain(more).collect();
        let encoding = self.format.name();
        Ok(Output { path: place.text(), created, bytes, bytes_before: before, encoding, notes })
    }
}

/// The encoding to write in: the one that was named, or that of the file.
fn format_for(place: &Place, input: &Input, present: Option<&Present>) -> ToolResult<Format> {
    let named = input.encoding.as_deref().map(|label| {
        Format::named(label).ok_or_else(|| {
            ToolError::invalid("unknown_encoding", format!("There is no encoding {label:.40}."))
                .hint("Known are utf-8, utf-8-bom, utf-16le, utf-16be, gb18030, big5, shift_jis, euc-jp, euc-kr, windows-1252 and their kin.")
        })
    });
    let named = named.transpose()?;
    let Some(present) = present.filter(|present| present.size > 0) else {
        return Ok(named.unwrap_or(Format::UTF_8));
    };
    if input.mode != Mode::Append {
        return Ok(named.or(present.format).unwrap_or(Format::UTF_8));
    }
    let Some(format) = present.format else {
        let message = format!("{} is a binary file: text cannot be added to it.", place.shown());
        return Err(ToolError::new("binary_file", message));
    };
    let is_alike =
        |other: Format| other.encoding.is_ascii_compatible() == format.encoding.is_ascii_compatible();
    if named.is_none_or(is_alike) && !present.fits_end(place, format)? {
        return format_for_odd_end(place, input, format, named);
    }
    match named {
        Some(named) if named.encoding == format.encoding => Ok(format),
        Some(named)
            if present.is_ascii && named.mark().is_empty() && named.encoding.is_ascii_compatible() =>
        {
            Ok(named)
        }
        Some(named) => {
            let message = format!(
                "{} is in {}: text in {} cannot be added.",
                place.shown(),
                format.name(),
                named.name()
            );
            Err(ToolError::new("encoding_differs", message)
                .hint("Leave encoding out to add in the file's own."))
        }
        None => Ok(format),
    }
}

/// Where the end of the file is not in the encoding that its start is in, the caller says what to add in. Plain text
/// is the same in most.
fn format_for_odd_end(
    place: &Place,
    input: &Input,
    format: Format,
    named: Option<Format>,
) -> ToolResult<Format> {
    match named {
        Some(named) => Ok(Format { bom: false, ..named }),
        None if input.content.is_ascii() && format.encoding.is_ascii_compatible() => Ok(format),
        None => {
            let (shown, name) = (place.shown(), format.name());
            let message = format!(
                "{shown} is {name} by its start, but the end of it is no {name} text: what is added could spoil it."
            );
            Err(ToolError::new("malformed_text", message)
                .hint("Name the encoding to add in, such as encoding: \"gb18030\"."))
        }
    }
}

/// Keeps the `\r\n` of a file that is written with `\n` alone; content that has `\r\n` is taken as it is.
fn with_line_ends<'a>(content: &'a str, present: Option<&Present>, notes: &mut Vec<String>) -> Cow<'a, str> {
    let is_crlf = present.is_some_and(|present| present.line_ends == LineEnds::CrLf);
    if is_crlf && content.contains('\n') && !content.contains("\r\n") {
        notes.push("The file's line ends (CRLF) are kept.".to_owned());
        return to_crlf(content).into();
    }
    content.into()
}

#[cfg(test)]
mod tests;
