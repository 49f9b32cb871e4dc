//! `list_dir`: what is in a folder.

#[cfg(test)]
mod tests;

use std::{
    cmp::{Ordering, Reverse},
    io,
    ops::ControlFlow,
    path::PathBuf,
    time::SystemTime,
};

use cap_std::fs::Metadata;
use deskhand_core::{Cx, Effects, Permission, Plan, Spec, Tool, ToolResult, tool::Rendered};
use deskhand_guard::{PathArg, PathsOf, Place, PlanOn, Tree};
use ignore::{DirEntry, WalkState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    entry::{Entry, Names, kind_of, on_one_line},
    file_search::{folder, here, yes},
    file_stat::EntryKind,
    first::First,
    left_out::{self, LeftOut},
    walk::{Scope, Seen, Skipped, Visitor},
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Folder; the workspace by default.
    #[serde(default = "here")]
    path: PathArg,
    /// With everything below.
    #[serde(default)]
    recursive: bool,
    /// Levels to list, 1 being the folder itself; more than 1 implies recursive.
    #[schemars(range(min = 1))]
    max_depth: Option<usize>,
    /// With names that start with a dot.
    #[serde(default)]
    include_hidden: bool,
    /// With recursive, leave out what .gitignore and .ignore files name.
    #[serde(default = "yes")]
    respect_gitignore: bool,
    /// name: folders first. size: largest first. modified: newest first.
    #[serde(default)]
    sort_by: SortBy,
    /// Entries to leave out at the start, for the next page.
    #[serde(default)]
    offset: usize,
    /// Entries in one page.
    #[serde(default = "two_hundred")]
    #[schemars(range(min = 1, max = 1000))]
    limit: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SortBy {
    #[default]
    Name,
    Size,
    Modified,
    Kind,
}

fn two_hundred() -> usize {
    200
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// The folder, absolute.
    path: String,
    entries: Vec<Entry>,
    /// How many entries there are in all.
    total: usize,
    offset: usize,
    /// The offset of the next page, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// Sensitive folders that were listed and not looked into.
    skipped_sensitive: usize,
    unreadable: usize,
    /// Hidden and ignored entries, which are not in `entries`.
    #[serde(default, skip_serializing_if = "LeftOut::is_nothing")]
    left_out: LeftOut,
    #[serde(skip)]
    left_out_words: String,
}

pub struct ListDir;

impl Tool for ListDir {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "list_dir",
        "Lists a folder: names, kinds, sizes, times; with recursive everything below that is not git-ignored. Links are \
         not followed.",
    )
    .zh("列出文件夹内容：名称、类型、大小、修改时间；recursive 时包括所有子文件夹，默认跳过被 .gitignore 忽略的内容。不跟随符号链接。")
    .permission(Permission::Public)
    .effects(Effects::READS)
    .toolsets(&["chat", "core", "files"])
    .keywords(&["ls", "dir", "tree", "folder", "directory", "列出", "目录", "文件夹"])
    .example(r#"{"path": "src", "recursive": true, "max_depth": 2}"#);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let input = input.clone();
        cx.blocking(move |cx| {
            let place = folder(cx, &input.path)?;
            let plan = Plan::new(format!("List {}", place.shown()));
            Ok(if input.levels() > 1 { plan.on_tree(&place) } else { plan.on(&place) })
        })
        .await
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| list(&input, cx)).await
    }

    fn render(output: &Output) -> Rendered {
        let mut text: String = output.entries.iter().map(|entry| entry.line() + "\n").collect();
        let Output { total, offset, .. } = *output;
        let path = on_one_line(&output.path);
        text += &match (output.entries.len(), output.next_offset) {
            (0, _) if total == 0 && output.left_out.is_nothing() => format!("{path} is empty."),
            (0, _) if total == 0 => format!("Nothing in {path} is listed."),
            (0, _) => format!("{path} has {}, none from offset {offset} on.", entries(total)),
            (shown, Some(next)) => {
                format!(
                    "Entries {} to {} of {total}; offset {next} lists the next.",
                    offset + 1,
                    offset + shown
                )
            }
            (_, None) => format!("{} in {path}.", entries(total)),
        };
        text += &Skipped { sensitive: output.skipped_sensitive, unreadable: output.unreadable }.words();
        text += &output.left_out_words;
        Rendered::text(text)
    }
}

impl Input {
    fn levels(&self) -> usize {
        self.max_depth.unwrap_or(if self.recursive { usize::MAX } else { 1 })
    }

    /// Ignore files count only where more than the folder itself is listed.
    fn scope(&self) -> Scope<'static> {
        Scope {
            include_hidden: self.include_hidden,
            respect_gitignore: self.respect_gitignore && self.levels() > 1,
            max_depth: Some(self.levels()),
            ignore_file: ".fdignore",
        }
    }
}

fn entries(n: usize) -> String {
    if n == 1 { "1 entry".to_owned() } else { format!("{n} entries") }
}

type Rows = First<Row, Order>;

fn list(input: &Input, cx: &Cx) -> ToolResult<Output> {
    let place = folder(cx, &input.path)?;
    let tree = cx.paths()?.tree(&place)?;
    let names = Names::new(cx)?;
    let (rows, skipped, left_out) =
        if input.levels() > 1 { below(input, &place, &tree, cx)? } else { inside(input, &place, &tree, cx)? };
    let (rows, total) = rows.finish();
    let left_out_words = left_out.words("entry", "entries", total, &input.scope());
    let rows: Vec<Row> = rows.into_iter().skip(input.offset).collect();
    let end = input.offset.saturating_add(rows.len());
    Ok(Output {
        path: place.text(),
        next_offset: (!rows.is_empty() && end < total).then_some(end),
        entries: rows.into_iter().filter_map(|row| row.describe(&tree, &names)).collect(),
        total,
        offset: input.offset,
        skipped_sensitive: skipped.sensitive,
        unreadable: skipped.unreadable,
        left_out,
        left_out_words,
    })
}

/// One entry, before it is known whether it will be shown.
struct Row {
    /// From the folder that is listed.
    relative: PathBuf,
    kind: EntryKind,
    /// Known where the order needs it.
    size: u64,
    modified: Option<SystemTime>,
}

impl Row {
    /// Looks at it, through no link. `None` if it was never below the folder.
    fn describe(self, tree: &Tree, names: &Names) -> Option<Entry> {
        let path = tree.root().join(&self.relative);
        let meta = tree.metadata(&path).ok();
        if meta.is_none() {
            tree.folder(path.parent()?).ok()?;
        }
        let kind = meta.as_ref().map_or(self.kind, EntryKind::of);
        Some(Entry::new(names.of(&path), kind, meta.as_ref()))
    }
}

type Order = fn(&Row, &Row) -> Ordering;

impl Input {
    fn rows(&self) -> Rows {
        let order: Order = match self.sort_by {
            SortBy::Name => tree_order,
            SortBy::Size => |a, b| compare(SortBy::Size, a, b),
            SortBy::Modified => |a, b| compare(SortBy::Modified, a, b),
            SortBy::Kind => |a, b| compare(SortBy::Kind, a, b),
        };
        First::new(self.offset.saturating_add(self.limit), order)
    }

    fn needs_metadata(&self) -> bool {
        matches!(self.sort_by, SortBy::Size | SortBy::Modified)
    }
}

fn compare(sort: SortBy, a: &Row, b: &Row) -> Ordering {
    let by_sort = match sort {
        SortBy::Name => Ordering::Equal,
        SortBy::Size => b.size.cmp(&a.size),
        SortBy::Modified => Reverse(a.modified).cmp(&Reverse(b.modified)),
        SortBy::Kind => (a.kind as u8).cmp(&(b.kind as u8)),
    };
    by_sort.then_with(|| tree_order(a, b))
}

/// Folders before the rest, by name, each followed by what is in it.
fn tree_order(a: &Row, b: &Row) -> Ordering {
    let (mut left, mut right) = (a.relative.components().peekable(), b.relative.components().peekable());
    loop {
        let (l, r) = match (left.next(), right.next()) {
            (Some(l), Some(r)) => (l, r),
            (l, r) => return l.is_some().cmp(&r.is_some()),
        };
        if l != r {
            // A component that another one follows is a folder.
            let l_folder = left.peek().is_some() || a.kind == EntryKind::Folder;
            let r_folder = right.peek().is_some() || b.kind == EntryKind::Folder;
            return r_folder.cmp(&l_folder).then_with(|| l.cmp(&r));
        }
    }
}

/// What is in the folder itself.
fn inside(input: &Input, place: &Place, tree: &Tree, cx: &Cx) -> ToolResult<(Rows, Skipped, LeftOut)> {
    let failed = |error: io::Error| place.io("list", &error);
    let (mut rows, seen) = (input.rows(), Seen::new(cx));
    let mut hidden = 0;
    let found = tree.folder(tree.root()).and_then(|dir| dir.entries()).map_err(failed)?;
    for (n, entry) in found.enumerate() {
        if n % 256 == 0 {
            cx.check()?;
        }
        seen.add(1);
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        if !input.include_hidden && name.as_encoded_bytes().starts_with(b".") {
            hidden += 1;
            continue;
        }
        let meta = if input.needs_metadata() { entry.metadata().ok() } else { None };
        rows.push(Row {
            relative: name.into(),
            kind: entry.file_type().map_or(EntryKind::Special, kind_of),
            size: meta.as_ref().filter(|meta| meta.is_file()).map_or(0, Metadata::len),
            modified: meta.and_then(|meta| Some(meta.modified().ok()?.into_std())),
        });
    }
    Ok((rows, Skipped::default(), LeftOut::hidden(hidden)))
}

/// What is in the folder and below it.
fn below(input: &Input, place: &Place, tree: &Tree, cx: &Cx) -> ToolResult<(Rows, Skipped, LeftOut)> {
    // A folder below that cannot be read is counted; the one that was asked for is an error.
    tree.folder(tree.root()).and_then(|dir| dir.entries()).map_err(|error| place.io("list", &error))?;
    let scope = input.scope();
    let make = || Lister { input, tree, rows: input.rows(), skipped: Skipped::default() };
    let (listers, mut skipped, met) = scope.walk(place.path())?.visit(cx, make)?;
    let mut rows = input.rows();
    for lister in listers {
        rows.merge(lister.rows);
        skipped.add(lister.skipped);
    }
    let left_out = left_out::count(tree, &scope, &met, cx, |_, _| ControlFlow::Continue(true), |_| true)?;
    Ok((rows, skipped, left_out))
}

/// One thread of a listing.
struct Lister<'a> {
    input: &'a Input,
    tree: &'a Tree,
    rows: Rows,
    skipped: Skipped,
}

impl Visitor for Lister<'_> {
    fn entry(&mut self, entry: DirEntry) -> WalkState {
        let Ok(relative) = entry.path().strip_prefix(self.tree.root()) else { return WalkState::Continue };
        if entry.depth() == 0 {
            return WalkState::Continue;
        }
        let kind = entry.file_type().map_or(EntryKind::Special, kind_of_std);
        let meta = if self.input.needs_metadata() { entry.metadata().ok() } else { None };
        self.rows.push(Row {
            relative: relative.to_path_buf(),
            kind,
            size: meta.as_ref().filter(|meta| meta.is_file()).map_or(0, std::fs::Metadata::len),
            modified: meta.and_then(|meta| meta.modified().ok()),
        });
        let is_entered = kind == EntryKind::Folder && entry.depth() < self.input.levels();
        if is_entered && !self.tree.admits(entry.path()) {
            self.skipped.sensitive += 1;
            return WalkState::Skip;
        }
        WalkState::Continue
    }

    fn unreadable(&mut self, _: &ignore::Error) {
        self.skipped.unreadable += 1;
    }
}

fn kind_of_std(kind: std::fs::FileType) -> EntryKind {
    if kind.is_symlink() {
        EntryKind::Link
    } else if kind.is_dir() {
        EntryKind::Folder
    } else if kind.is_file() {
        EntryKind::File
    } else {
        EntryKind::Special
    }
}
