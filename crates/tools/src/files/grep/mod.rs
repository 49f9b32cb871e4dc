//! `grep`: finds lines by their content, with the engine of ripgrep.

mod pattern;
mod search;
mod sink;
#[cfg(test)]
mod tests;

use std::fmt::Write;

use deskhand_core::{Cx, Effects, Permission, Plan, Spec, Tool, ToolResult, tool::Rendered};
use deskhand_guard::{Kind, PathArg, PathsOf, PlanOn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    counted::counted,
    entry::on_one_line,
    file_search::{here, yes},
    left_out::LeftOut,
    walk::Skipped,
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Regular expression (Rust syntax).
    #[schemars(length(min = 1))]
    pattern: String,
    /// File or folder; the workspace by default.
    #[serde(default = "here")]
    path: PathArg,
    /// Globs of files to search, such as "*.rs"; "!*.min.js" leaves out.
    glob: Option<Globs>,
    /// Upper and lower case are the same.
    #[serde(default)]
    ignore_case: bool,
    /// false: the pattern is plain text.
    #[serde(default = "yes")]
    regex: bool,
    /// Let matches span lines.
    #[serde(default)]
    multiline: bool,
    /// Lines to show around each match.
    #[serde(default)]
    #[schemars(range(max = 20))]
    context: usize,
    /// Instead of context, before each match.
    #[schemars(range(max = 20))]
    before: Option<usize>,
    /// Instead of context, after each match.
    #[schemars(range(max = 20))]
    after: Option<usize>,
    /// matches: lines. files: only which files match. counts: how many lines match in each.
    #[serde(default)]
    output: Wanted,
    /// Most matching lines (matches) or files (files, counts).
    #[serde(default = "two_hundred")]
    #[schemars(range(min = 1, max = 2000))]
    limit: usize,
    /// With names that start with a dot.
    #[serde(default)]
    include_hidden: bool,
    /// Leave out what .gitignore and .ignore files name.
    #[serde(default = "yes")]
    respect_gitignore: bool,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Globs {
    One(String),
    Many(Vec<String>),
}

impl Globs {
    fn as_slice(&self) -> &[String] {
        match self {
            Self::One(glob) => std::slice::from_ref(glob),
            Self::Many(globs) => globs,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Wanted {
    #[default]
    Matches,
    Files,
    Counts,
}

fn two_hundred() -> usize {
    200
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// What was searched, absolute.
    path: String,
    /// Files that match, in the order of their paths.
    files: Vec<FileHits>,
    /// How many matching lines `files` has.
    matches: u64,
    /// Whether the search stopped at the limit: there may be more.
    more: bool,
    searched: u64,
    /// Sensitive files and folders that were not looked into.
    skipped_sensitive: usize,
    unreadable: usize,
    /// Hidden and ignored files that match, and are not in `files`.
    #[serde(default, skip_serializing_if = "LeftOut::is_nothing")]
    left_out: LeftOut,
    #[serde(skip)]
    left_out_words: String,
}

/// A file that matches.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileHits {
    /// Relative to the workspace where it is inside, else absolute.
    path: String,
    /// Matching lines; not known with output: files, nor of a binary file.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lines: Vec<Line>,
    /// It matches, but is no text; its lines are not shown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    binary: bool,
}

#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Line {
    line: u64,
    /// A long line is cut around the match, with … where it goes on.
    text: String,
    /// A line around a match.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    context: bool,
}

pub struct Grep;

impl Tool for Grep {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "grep",
        "Searches the content of files below a folder (or of one file) with a regular expression; gives path, line \
         number and line. Leaves out hidden, git-ignored and binary files.",
    )
    .zh("用正则表达式搜索文件夹下（或单个文件）的文件内容，返回路径、行号和该行。默认跳过隐藏、被 .gitignore 忽略和二进制文件。")
    .permission(Permission::Public)
    .effects(Effects::READS)
    .toolsets(&["chat", "core", "files"])
    .keywords(&["search", "regex", "content", "ripgrep", "rg", "搜索内容", "正则", "查找文本", "全文搜索"])
    .example(r#"{"pattern": "fn main", "path": "src", "glob": "*.rs"}"#);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let input = input.clone();
        cx.blocking(move |cx| {
            let place = cx.paths()?.readable(&input.path)?;
            pattern::matcher(&input)?;
            pattern::overrides(&input, place.path())?;
            let plan = Plan::new(format!("Search the content of {}", place.shown()));
            Ok(if place.kind() == Kind::Folder { plan.on_tree(&place) } else { plan.on(&place) })
        })
        .await
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| search::search(&input, cx)).await
    }

    fn render(output: &Output) -> Rendered {
        let mut text = String::new();
        for file in &output.files {
            file.render(&mut text);
        }
        text += &output.summary();
        text += &Skipped { sensitive: output.skipped_sensitive, unreadable: output.unreadable }.words();
        text += &output.left_out_words;
        Rendered::text(text)
    }
}

impl Output {
    fn summary(&self) -> String {
        let more = if self.more {
            " There is more: narrow the pattern, path or glob, or raise limit (at most 2000)."
        } else {
            ""
        };
        match (self.files.len(), self.matches) {
            (0, _) => {
                let searched = counted(self.searched, "file");
                format!("No match in {} ({searched} searched).{more}", on_one_line(&self.path))
            }
            (1, 0) => format!("1 file matches.{more}"),
            (files, 0) => format!("{files} files match.{more}"),
            (files, matches) => {
                format!("{} in {}.{more}", counted(matches, "matching line"), counted(files, "file"))
            }
        }
    }
}

impl FileHits {
    /// The path; for matches, its lines below it as `12: text`, those around a match as `13- text`.
    fn render(&self, text: &mut String) {
        let path = on_one_line(&self.path);
        // Writing to a string does not fail.
        let _ = match (self.binary, self.count) {
            (true, _) => writeln!(text, "{path}: a binary file that matches"),
            (false, Some(count)) if self.lines.is_empty() => writeln!(text, "{path}: {count}"),
            (false, _) => writeln!(text, "{path}"),
        };
        let mut last: Option<u64> = None;
        for Line { line, text: words, context } in &self.lines {
            if last.is_some_and(|last| last + 1 < *line) && self.lines.iter().any(|line| line.context) {
                text.push_str("--\n");
            }
            let mark = if *context { '-' } else { ':' };
            let _ = writeln!(text, "{line}{mark} {words}");
            last = Some(*line);
        }
        if !self.lines.is_empty() {
            text.push('\n');
        }
    }
}
