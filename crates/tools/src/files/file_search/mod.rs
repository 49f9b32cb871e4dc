//! `file_search`: finds files and folders by name.

#[cfg(test)]
mod tests;

use std::{
    cmp::Ordering,
    fs::FileType,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use deskhand_core::{Cx, Effects, Permission, Plan, Spec, Tool, ToolError, ToolResult, tool::Rendered};
use deskhand_guard::{Kind, PathArg, PathsOf, Place, PlanOn, Tree};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::{DirEntry, WalkState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    counted::counted,
    entry::{Entry, Names, on_one_line},
    file_stat::EntryKind,
    first::First,
    left_out::{self, LeftOut},
    walk::{Scope, Skipped, Visitor},
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Folder to search; the workspace by default.
    #[serde(default = "here")]
    path: PathArg,
    /// Glob with * ? ** {a,b} [..]. Without / it matches the name, with / the path below `path`; one that ends in / folders only.
    #[serde(default = "everything")]
    pattern: String,
    /// file, dir or all; links are found only with all.
    #[serde(default, rename = "type")]
    kind: Wanted,
    /// Levels below `path`; -1 is no limit.
    #[serde(default = "no_limit")]
    #[schemars(range(min = -1))]
    max_depth: i64,
    /// Most matches to list.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 1000))]
    limit: usize,
    /// Default: only if the pattern has an upper-case letter.
    case_sensitive: Option<bool>,
    /// With names that start with a dot.
    #[serde(default)]
    include_hidden: bool,
    /// Leave out what .gitignore and .ignore files name.
    #[serde(default = "yes")]
    respect_gitignore: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Wanted {
    File,
    Dir,
    #[default]
    All,
}

pub(super) fn here() -> PathArg {
    PathArg::new(".")
}

pub(super) fn yes() -> bool {
    true
}

fn everything() -> String {
    "*".to_owned()
}

fn no_limit() -> i64 {
    -1
}

fn hundred() -> usize {
    100
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// The folder that was searched, absolute.
    path: String,
    /// In the order of their paths.
    matches: Vec<Entry>,
    /// How many matched in all.
    total: usize,
    /// Whether more matched than `matches` has.
    more: bool,
    /// Sensitive folders that were not looked into.
    skipped_sensitive: usize,
    unreadable: usize,
    /// Hidden and ignored files and folders that match, and are not in `matches`.
    #[serde(default, skip_serializing_if = "LeftOut::is_nothing")]
    left_out: LeftOut,
    #[serde(skip)]
    left_out_words: String,
}

pub struct FileSearch;

impl Tool for FileSearch {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "file_search",
        "Finds files and folders by name below a folder, with glob patterns such as *.rs or src/**/*.{ts,tsx}. Leaves \
         out hidden and git-ignored files unless told otherwise.",
    )
    .zh("按名称在文件夹下查找文件和文件夹，支持 *.rs、src/**/*.{ts,tsx} 等通配符。默认跳过隐藏文件和被 .gitignore 忽略的文件。")
    .permission(Permission::Public)
    .effects(Effects::READS)
    .toolsets(&["chat", "core", "files"])
    .keywords(&["find", "glob", "name", "locate", "查找文件", "搜索文件", "文件名", "通配符"])
    .example(r#"{"path": "src", "pattern": "*.rs", "type": "file"}"#);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let input = input.clone();
        cx.blocking(move |cx| {
            let place = folder(cx, &input.path)?;
            Pattern::of(&input, &place)?;
            Ok(Plan::new(format!("Search for file names in {}", place.shown())).on_tree(&place))
        })
        .await
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| search(&input, cx)).await
    }

    fn render(output: &Output) -> Rendered {
        let path = on_one_line(&output.path);
        let mut text: String = output.matches.iter().map(|entry| entry.line() + "\n").collect();
        let (shown, total) = (output.matches.len(), output.total);
        text += &match (shown, output.more) {
            (0, _) => format!("Nothing in {path} matches."),
            (_, true) => format!(
                "The first {shown} of {total}: narrow the pattern or path, or raise limit (at most 1000)."
            ),
            (_, false) => format!("{}.", counted(shown, "match")),
        };
        text += &Skipped { sensitive: output.skipped_sensitive, unreadable: output.unreadable }.words();
        text += &output.left_out_words;
        Rendered::text(text)
    }
}

/// The place, if it is a folder.
pub(super) fn folder(cx: &Cx, path: &PathArg) -> ToolResult<Place> {
    let place = cx.paths()?.readable(path)?;
    if place.kind() == Kind::Folder {
        return Ok(place);
    }
    Err(ToolError::new("not_a_directory", format!("{} is not a folder.", place.shown()))
        .hint("Give the folder that holds it; read_file reads a file."))
}

fn search(input: &Input, cx: &Cx) -> ToolResult<Output> {
    let place = folder(cx, &input.path)?;
    let tree = cx.paths()?.tree(&place)?;
    let names = Names::new(cx)?;
    let search = Search { pattern: Pattern::of(input, &place)?, tree, input };
    let scope = Scope {
        include_hidden: input.include_hidden,
        respect_gitignore: input.respect_gitignore,
        max_depth: usize::try_from(input.max_depth).ok().map(|depth| depth.max(1)),
        ignore_file: ".fdignore",
    };
    let (finders, mut skipped, met) = scope.walk(place.path())?.visit(cx, || Finder {
        search: &search,
        found: First::new(input.limit, by_path),
        skipped: Skipped::default(),
    })?;
    let mut found = First::new(input.limit, by_path as Order);
    for finder in finders {
        found.merge(finder.found);
        skipped.add(finder.skipped);
    }
    let (found, total) = found.finish();
    let more = total > found.len();
    let wants = |path: &Path, kind: FileType| ControlFlow::Continue(search.wants(path, kind));
    let left_out = left_out::count(&search.tree, &scope, &met, cx, wants, |_| true)?;
    Ok(Output {
        path: place.text(),
        left_out,
        left_out_words: left_out.words("match", "matches", total, &scope),
        matches: describe(&search.tree, &names, found),
        total,
        more,
        skipped_sensitive: skipped.sensitive,
        unreadable: skipped.unreadable,
    })
}

type Order = fn(&PathBuf, &PathBuf) -> Ordering;

fn by_path(a: &PathBuf, b: &PathBuf) -> Ordering {
    a.cmp(b)
}

/// Looks at what was found, through no link. What is gone meanwhile, or was never below the folder, is left out.
fn describe(tree: &Tree, names: &Names, found: Vec<PathBuf>) -> Vec<Entry> {
    let mut folder = None;
    let entry = |path: PathBuf| {
        let (parent, name) = (path.parent()?, path.file_name()?);
        if folder.as_ref().is_none_or(|(of, _)| of != parent) {
            folder = Some((parent.to_path_buf(), tree.folder(parent).ok()?));
        }
        let meta = folder.as_ref()?.1.symlink_metadata(name).ok()?;
        Some(Entry::new(names.of(&path), EntryKind::of(&meta), Some(&meta)))
    };
    found.into_iter().filter_map(entry).collect()
}

/// What all threads share.
struct Search<'a> {
    input: &'a Input,
    pattern: Pattern,
    tree: Tree,
}

impl Search<'_> {
    fn wants(&self, path: &Path, kind: FileType) -> bool {
        let is_wanted = match self.input.kind {
            Wanted::All => kind.is_dir() || !self.pattern.folders_only,
            Wanted::File => !self.pattern.folders_only && kind.is_file(),
            Wanted::Dir => kind.is_dir(),
        };
        let glob = &self.pattern.glob;
        is_wanted
            && if self.pattern.by_path {
                path.strip_prefix(self.tree.root()).is_ok_and(|path| glob.is_match(path))
            } else {
                path.file_name().is_some_and(|name| glob.is_match(name))
            }
    }
}

/// One thread of a search.
struct Finder<'a> {
    search: &'a Search<'a>,
    found: First<PathBuf, Order>,
    skipped: Skipped,
}

impl Visitor for Finder<'_> {
    fn entry(&mut self, entry: DirEntry) -> WalkState {
        if entry.depth() == 0 {
            return WalkState::Continue;
        }
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let closed = is_folder && !self.search.tree.admits(entry.path());
        if entry.file_type().is_some_and(|kind| self.search.wants(entry.path(), kind)) {
            self.found.push(entry.into_path());
        }
        if closed {
            self.skipped.sensitive += 1;
            return WalkState::Skip;
        }
        WalkState::Continue
    }

    fn unreadable(&mut self, _: &ignore::Error) {
        self.skipped.unreadable += 1;
    }
}

/// What names are held against.
struct Pattern {
    glob: GlobSet,
    /// Whether it is for the path and not for the name.
    by_path: bool,
    /// It ends in a slash.
    folders_only: bool,
}

impl Pattern {
    fn of(input: &Input, place: &Place) -> ToolResult<Self> {
        let whole = input.pattern.trim_end_matches('/');
        let folders_only = whole.len() < input.pattern.len();
        let pattern = below(if whole.is_empty() { &input.pattern } else { whole }, place)?;
        let sensitive = input.case_sensitive.unwrap_or_else(|| pattern.chars().any(char::is_uppercase));
        let glob = GlobBuilder::new(pattern).literal_separator(true).case_insensitive(!sensitive).build();
        let glob = glob.and_then(|glob| GlobSetBuilder::new().add(glob).build()).map_err(|error| {
            let shown: String = pattern.chars().take(100).collect();
            let shown = on_one_line(&shown);
            ToolError::invalid(
                "invalid_pattern",
                format!("The glob pattern {shown} is not valid: {}.", error.kind()),
            )
            .hint("Write \\ before a character that stands for itself.")
        })?;
        Ok(Self { glob, by_path: whole.contains('/'), folders_only })
    }
}

/// The pattern, from the folder on.
fn below<'a>(pattern: &'a str, place: &Place) -> ToolResult<&'a str> {
    if pattern.is_empty() {
        return Err(
            ToolError::invalid("invalid_pattern", "The pattern is empty.").hint("* matches every name.")
        );
    }
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    if !pattern.starts_with('/') {
        return Ok(pattern);
    }
    let root = format!("{}/", place.text().trim_end_matches('/'));
    pattern.strip_prefix(&root).filter(|rest| !rest.is_empty()).ok_or_else(|| {
        ToolError::invalid("invalid_pattern", "The pattern starts with / and is not below path.")
            .hint("Give the folder as path, and a pattern relative to it.")
    })
}
