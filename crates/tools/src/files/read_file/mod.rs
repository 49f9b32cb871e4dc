//! `read_file`: text by lines or bytes, the end of a log, images; never more of a file than is asked for.

mod bytes;
mod image;
mod lines;
mod newline;
mod one;
mod part;
mod tail;
#[cfg(test)]
mod tests;

use std::fmt::Write;

use deskhand_core::{
    Cx, Effects, ErrorBody, Image, Permission, Plan, Spec, Tool, ToolError, ToolResult, tool::Rendered,
};
use deskhand_guard::{PathArg, PathsOf, PlanOn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::on_one_line;

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// File; relative paths start at the workspace. A handle such as out:CALL_ID reads a kept output.
    path: Option<PathArg>,
    /// Several files at once, instead of path.
    #[schemars(length(min = 1, max = 50))]
    paths: Option<Vec<PathArg>>,
    /// First line, from 1.
    #[schemars(range(min = 1))]
    start_line: Option<u64>,
    /// Last line, included.
    #[schemars(range(min = 1))]
    end_line: Option<u64>,
    /// First BYTE, from 0 (not a line). Ends are moved out to whole characters.
    offset: Option<u64>,
    /// Number of BYTES (not lines), from offset or from the start.
    #[schemars(range(min = 1))]
    limit: Option<u64>,
    /// The last N lines instead.
    #[schemars(range(min = 1))]
    tail: Option<u64>,
    /// Show each line with its number.
    #[serde(default)]
    line_numbers: bool,
    /// Instead of the one that is found: utf-8, utf-16le, gb18030, big5, shift_jis, …
    encoding: Option<String>,
}

#[derive(Default, Serialize, JsonSchema)]
pub struct Output {
    /// With path.
    #[serde(flatten)]
    file: Option<FileRead>,
    /// With paths: what became of each, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<Outcome>,
}

/// One of several files.
#[derive(Serialize, JsonSchema)]
pub struct Outcome {
    /// As it was asked for.
    asked: String,
    #[serde(flatten)]
    file: Option<FileRead>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorBody>,
}

/// What was read of a file.
#[derive(Default, Serialize, JsonSchema)]
pub struct FileRead {
    /// Absolute.
    path: String,
    /// Bytes of the whole file.
    size: u64,
    /// `text/plain` or the type of an image.
    mime: String,
    /// Line ends as in the file. Empty for an image.
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u64>,
    /// Where the end of the file was met.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_lines: Option<u64>,
    /// Whether less was read than was asked for.
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_start_line: Option<u64>,
    /// The first byte that was read, where bytes were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    /// What else is worth knowing: bytes that are no text, a change while it was read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(skip)]
    #[schemars(skip)]
    image: Option<Image>,
    #[serde(skip)]
    #[schemars(skip)]
    numbered: bool,
}

pub struct ReadFile;

impl Tool for ReadFile {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "read_file",
        "Reads a text file (any usual encoding) or an image. A long file is read in parts: by start_line and end_line, \
         the last lines with tail, or bytes with offset and limit. Several files at once with paths.",
    )
    .zh("读取文本文件（自动识别编码）或图片。长文件分段读取：start_line/end_line 按行，tail 读末尾若干行，offset/limit 按字节。paths 可一次读取多个文件。")
    .permission(Permission::Public)
    .effects(Effects::READS)
    .toolsets(&["chat", "core", "files"])
    .keywords(&["cat", "open", "view", "head", "tail", "image", "读取", "查看文件", "打开", "图片", "编码"])
    .example(r#"{"path": "src/main.rs", "start_line": 1, "end_line": 80}"#);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let input = input.clone();
        // Of several, those that cannot be read are told of beside the others: what would have to wait must not be one.
        match input.paths {
            None => cx.promptly(move |cx| plan(&input, cx)).await,
            Some(_) => cx.blocking(move |cx| plan(&input, cx)).await,
        }
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        match input.paths {
            None => cx.promptly(move |cx| read(&input, cx)).await,
            Some(_) => cx.blocking(move |cx| read(&input, cx)).await,
        }
    }

    fn render(output: &Output) -> Rendered {
        let mut rendered = Rendered::default();
        if let Some(file) = &output.file {
            file.render(&mut rendered);
        }
        for Outcome { asked, file, error } in &output.files {
            let _ = writeln!(rendered.text, "=== {} ===", on_one_line(asked));
            if let Some(file) = file {
                file.render(&mut rendered);
            }
            if let Some(ErrorBody { message, hint, .. }) = error {
                rendered.text += &format!("{message} {}", hint.as_deref().unwrap_or_default());
            }
            rendered.text.push('\n');
        }
        rendered
    }
}

fn plan(input: &Input, cx: &Cx) -> ToolResult<Plan> {
    part::Request::new(input)?;
    let places: Vec<_> = asked(input)?.iter().map(|path| cx.paths()?.readable(path)).collect();
    // One that is not there does not keep the others from being read.
    if !places.iter().any(Result::is_ok) {
        return Err(places.into_iter().find_map(Result::err).unwrap_or_else(nothing_asked));
    }
    let places: Vec<_> = places.into_iter().flatten().collect();
    let shown: Vec<String> = places.iter().map(deskhand_guard::Place::shown).collect();
    Ok(places.iter().fold(Plan::new(format!("Read {}", shown.join(", "))), PlanOn::on))
}

fn nothing_asked() -> ToolError {
    ToolError::invalid("invalid_arguments", "Either path or paths is needed.")
}

fn asked(input: &Input) -> ToolResult<&[PathArg]> {
    match (&input.path, &input.paths) {
        (Some(path), None) => Ok(std::slice::from_ref(path)),
        (None, Some(paths)) => Ok(paths),
        (None, None) => Err(nothing_asked()),
        (Some(_), Some(_)) => Err(ToolError::invalid(
            "invalid_arguments",
            "path and paths do not go together: give one of them.",
        )),
    }
}

fn read(input: &Input, cx: &Cx) -> ToolResult<Output> {
    let request = part::Request::new(input)?;
    if let Some(path) = &input.path {
        return Ok(Output { file: Some(one::read(path, &request, cx)?), files: Vec::new() });
    }
    let mut files = Vec::new();
    let mut first_error = None;
    for path in asked(input)? {
        cx.check()?;
        let asked = path.to_string();
        match one::read(path, &request, cx) {
            Ok(file) => files.push(Outcome { asked, file: Some(file), error: None }),
            // The gate plans anew; that is not this file's own trouble.
            Err(error) if error.code == "plan_changed" => return Err(error),
            Err(error) => {
                let body = ErrorBody {
                    code: error.code.to_owned(),
                    message: error.message.clone(),
                    hint: error.hint.clone(),
                };
                first_error.get_or_insert(error);
                files.push(Outcome { asked, file: None, error: Some(body) });
            }
        }
    }
    match first_error {
        Some(error) if files.iter().all(|file| file.file.is_none()) => Err(error),
        _ => Ok(Output { file: None, files }),
    }
}

impl FileRead {
    fn render(&self, rendered: &mut Rendered) {
        if let Some(image) = &self.image {
            rendered.images.push(image.clone());
        }
        match self.start_line {
            Some(first) if self.numbered => {
                for (number, line) in (first..).zip(self.content.split_inclusive('\n')) {
                    let _ = write!(rendered.text, "{number:>6}\t{line}");
                }
            }
            _ => rendered.text += &self.content,
        }
        let words = self.words();
        if !words.is_empty() {
            if !rendered.text.is_empty() && !rendered.text.ends_with('\n') {
                rendered.text.push('\n');
            }
            rendered.text += &format!("[{words}]");
        }
    }

    /// What part this is, how to read on, and what else is worth knowing. Nothing for a whole plain file.
    fn words(&self) -> String {
        let mut words = Vec::new();
        words.extend(self.which_part());
        match (self.next_start_line, self.next_offset) {
            (Some(line), _) => words.push(format!("Read on with start_line {line}.")),
            (None, Some(offset)) => words.push(format!("Read on with offset {offset}.")),
            (None, None) => {}
        }
        words.extend(
            self.encoding.as_ref().filter(|name| *name != "utf-8").map(|name| format!("Encoding: {name}.")),
        );
        words.extend(self.notes.iter().cloned());
        words.join(" ")
    }

    fn which_part(&self) -> Option<String> {
        if self.content.is_empty() && self.image.is_none() {
            return Some(
                if self.size == 0 { "The file is empty." } else { "There is nothing there." }.to_owned(),
            );
        }
        if let Some(offset) = self.offset {
            let end = self.next_offset.unwrap_or(self.size);
            return Some(format!("Bytes {offset} to {end} of {}.", self.size));
        }
        let (first, last) = (self.start_line?, self.end_line?);
        match self.total_lines {
            Some(total) if first == 1 && last == total => None,
            Some(total) => Some(format!("Lines {first} to {last} of {total}.")),
            None => Some(format!("Lines {first} to {last}; the file has {} bytes.", self.size)),
        }
    }
}
