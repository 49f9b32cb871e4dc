//! `edit_file`: replaces pieces of a text file, or inserts lines; all of it or nothing.

mod apply;
mod nearest;
#[cfg(test)]
mod tests;

use deskhand_core::{Cx, Effects, Permission, Plan, Spec, Tool, ToolError, ToolResult, tool::Rendered};
use deskhand_guard::{PathArg, PathsOf, Place, PlanOn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::apply::{Edited, Lines};
use super::{
    change::{self, Changes},
    counted::counted,
    diff,
    encoding::LineEnds,
    read_only::{self, Written},
    text_file::{self, Whole},
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The text file; relative paths start at the workspace.
    path: PathArg,
    /// Several replacements, made in order, each on the result of the one before. All of them or none.
    edits: Option<Vec<Edit>>,
    /// For one replacement: the text to replace, exactly as it stands in the file, and only once unless replace_all.
    old_text: Option<String>,
    /// What to put in its place; or, with insert_at_line, the lines to insert.
    new_text: Option<String>,
    /// Replace every occurrence of old_text.
    #[serde(default)]
    replace_all: bool,
    /// Insert new_text as lines of its own after this line (1 is the first line); 0 inserts at the top of the file.
    insert_at_line: Option<u64>,
}

/// One replacement.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The text to replace, exactly as it stands in the file.
    old_text: String,
    new_text: String,
    #[serde(default)]
    replace_all: bool,
}

/// What is to be done.
enum Wanted {
    Edits(Vec<Edit>),
    Insert { after: u64, text: String },
}

impl Input {
    fn wanted(self) -> ToolResult<Wanted> {
        let unclear = |message: &str| Err(ToolError::invalid("invalid_arguments", message));
        if self.replace_all && self.edits.is_some() {
            return unclear("replace_all beside edits means nothing: set it in each edit that needs it.");
        }
        if self.replace_all && self.insert_at_line.is_some() {
            return unclear("replace_all does not go with insert_at_line.");
        }
        match (self.edits, self.old_text, self.new_text, self.insert_at_line) {
            (Some(edits), None, None, None) if !edits.is_empty() => Ok(Wanted::Edits(edits)),
            (Some(edits), None, None, None) if edits.is_empty() => {
                unclear("edits is empty: there is nothing to do.")
            }
            (None, Some(old_text), Some(new_text), None) => {
                Ok(Wanted::Edits(vec![Edit { old_text, new_text, replace_all: self.replace_all }]))
            }
            (None, None, Some(text), Some(after)) => Ok(Wanted::Insert { after, text }),
            (None, Some(_), None, _) => {
                unclear("new_text is missing. To remove old_text, give an empty new_text.")
            }
            (None, None, None, Some(_)) => unclear("new_text is missing: the lines to insert."),
            (None, None, _, None) => {
                unclear("Say what to do: edits, or old_text and new_text, or insert_at_line and new_text.")
            }
            _ => unclear(
                "Give one of: edits; old_text and new_text; insert_at_line and new_text. Not several.",
            ),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// Absolute.
    path: String,
    replacements: usize,
    /// Where the new text stands now.
    lines: Vec<Lines>,
    bytes: u64,
    bytes_before: u64,
    encoding: String,
    line_ends: String,
    notes: Vec<String>,
}

pub struct EditFile;

impl Tool for EditFile {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "edit_file",
        "Change parts of a text file by exact replacement (old_text must match once, or set replace_all), or insert lines. Several edits are all-or-nothing. Keeps encoding and line ends.",
    )
    .zh("修改文本文件的一部分：精确替换（old_text 必须唯一匹配，或设置 replace_all），或在某行后插入。多处修改要么全部成功，要么都不做。保留编码和换行符。")
    .permission(Permission::Moderate)
    .effects(Effects::WRITES)
    .toolsets(&["chat", "core", "files"])
    .keywords(&["edit", "replace", "change", "insert", "patch", "modify", "编辑", "替换", "修改", "插入"])
    .example(r#"{"path": "src/main.rs", "old_text": "fn old()", "new_text": "fn new()"}"#);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let input = input.clone();
        cx.blocking(move |cx| {
            let place = cx.paths()?.writable(&input.path)?;
            let is_open = is_open(&input, cx)?;
            let work = match Work::prepare(input, cx) {
                // Whether it fits is told after the person has agreed.
                Err(error) if !is_open && ABOUT_CONTENT.contains(&error.code) => {
                    return Ok(Plan::new(format!("Edit {}", place.shown())).on(&place));
                }
                work => work?,
            };
            let place = &work.place;
            let (before, after) = (work.old.bytes.len() as u64, work.bytes.len());
            let name = place.name().map(deskhand_guard::paths::show_name).unwrap_or_default();
            let sizes = format!("{} → {}", counted(before, "byte"), counted(after, "byte"));
            let plan = Plan::new(format!("Edit {}: {sizes}", place.shown())).on(place);
            let plan = change::say_if_too_large(plan, cx, before)?;
            let plan = change::say_if_it_shrinks(plan, before, after as u64);
            let mut plan = read_only::say(plan, place, Written::Anew);
            if place.through_link() {
                plan = plan.note(format!("The path leads through a link to {}.", place.shown()));
            }
            if let Some(names) =
                place.metadata().ok().map(|meta| change::os::names_of(&meta)).filter(|n| *n > 1)
            {
                let others = counted(names - 1, "other name");
                let keep = if names == 2 { "keeps" } else { "keep" };
                plan =
                    plan.note(format!("The file has {others} (hard links), which {keep} the old content."));
            }
            Ok(diff::show(plan, &name, &work.old.text, &work.edited.text))
        })
        .await
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| {
            let work = Work::prepare(input, cx)?;
            let mut changes = Changes::begin(cx, format!("Edited {}", work.place.shown()))?;
            let written = changes.write_file(&work.place, &work.bytes);
            let (bytes, notes) = changes.end(written)?;
            Ok(Output {
                path: work.place.text(),
                replacements: work.edited.replacements,
                lines: work.edited.lines,
                bytes,
                bytes_before: work.old.bytes.len() as u64,
                encoding: work.old.format.name(),
                line_ends: LineEnds::of(&work.edited.text).name().to_owned(),
                notes,
            })
        })
        .await
    }

    fn render(output: &Output) -> Rendered {
        let Output { path, replacements, lines, bytes, bytes_before, .. } = output;
        let places: Vec<String> = lines.iter().map(ToString::to_string).collect();
        let what = match replacements {
            0 => "inserted".to_owned(),
            n => counted(n, "replacement"),
        };
        let at = match lines.as_slice() {
            [] => String::new(),
            [line] if line.is_one() => format!(" (now line {line})"),
            _ => format!(" (now lines {})", places.join(", ")),
        };
        let sizes = format!("{} → {}", counted(bytes_before, "byte"), counted(bytes, "byte"));
        let text = format!("Edited {path}: {what}{at}; {sizes}.");
        Rendered::text(output.notes.iter().fold(text, |text, note| format!("{text}\n{note}")))
    }
}

/// Errors that tell something of what is in the file.
const ABOUT_CONTENT: &[&str] =
    &["no_match", "several_matches", "no_such_line", "binary_file", "malformed_text", "cannot_encode"];

/// Whether anyone may read the file: if not, neither may they learn its content from errors. What does not
/// exist is an error that says what is there instead.
fn is_open(input: &Input, cx: &Cx) -> ToolResult<bool> {
    let place = cx.paths()?.readable(&input.path).map_err(|error| match error.code {
        "no_such_file" => {
            let hint = error.hint.as_deref().map_or_else(String::new, |hint| format!("{hint} "));
            error.hint(format!("{hint}`write_file` creates a file."))
        }
        _ => error,
    })?;
    Ok(place.permission() == Permission::Public)
}

/// An error that shows nothing of the file.
fn without_content(error: ToolError, place: &Place) -> ToolError {
    if error.code != "no_match" {
        return error;
    }
    ToolError::new(error.code, format!("old_text is not in {}. Nothing was changed.", place.shown()))
        .hint("It is a file that may not simply be read, so what stands there is not shown.")
}

struct Work {
    place: Place,
    old: Whole,
    edited: Edited,
    bytes: Vec<u8>,
}

impl Work {
    fn prepare(input: Input, cx: &Cx) -> ToolResult<Self> {
        let is_open = is_open(&input, cx)?;
        let place = cx.paths()?.writable(&input.path)?;
        let wanted = input.wanted()?;
        let old = Whole::read(&place)?;
        let edited = match &wanted {
            Wanted::Edits(edits) => apply::replace(&old.text, edits, &place.shown(), cx),
            Wanted::Insert { after, text } => apply::insert(&old.text, *after, text, &place.shown()),
        };
        let edited = edited.map_err(|error| if is_open { error } else { without_content(error, &place) })?;
        let bytes = old.format.encode(&edited.text);
        let bytes = bytes.map_err(|c| text_file::cannot_encode(&place, old.format, c, &edited.text))?;
        Ok(Self { place, old, edited, bytes })
    }
}
