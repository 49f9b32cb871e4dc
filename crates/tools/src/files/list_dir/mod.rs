//! `list_dir`: what is in a folder.

#[cfg(test)]
mod tests;

use std::{
    cmp::{Ordering, Reverse},
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use cap_std::fs::Metadata;
use deskhand_core::{Cx, Effects, Permission, Plan, Spec, Tool, ToolResult, tool::Rendered};
use deskhand_guard::{PathArg, PathsOf, PlanOn, Tree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    entry::{Entry, Names, kind_of, on_one_line},
    file_search::{folder, here},
    file_stat::EntryKind,
    first::First,
    walk::Skipped,
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
}

pub struct ListDir;

impl Tool for ListDir {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "list_dir",
        "Lists a folder: names, kinds, sizes, times; with recursive everything below. Links are not followed.",
    )
    .zh("列出文件夹内容：名称、类型、大小、修改时间；recursive 时包括所有子文件夹。不跟随符号链接。")
    .permission(Permission::Public)
    .effects(Effects::READS)
    .toolsets(&["core", "files"])
    .keywords(&["ls", "dir", "tree", "folder", "directory", "列出", "目录", "文件夹"])
    .example(r#"{"path": "src", "recursive": true, "max_depth": 2}"#);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let place = folder(cx, &input.path)?;
        let plan = Plan::new(format!("List {}", place.shown()));
        Ok(if input.levels() > 1 { plan.on_tree(&place) } else { plan.on(&place) })
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| list(&input, cx)).await
    }

    fn render(output: &Output) -> Rendered {
        let mut text: String = output.entries.iter().map(|entry| entry.line() + "\n").collect();
        let Output { total, offset, .. } = *output;
        let path = on_one_line(&output.path);
        text += &match (output.entries.len(), output.next_offset) {
            (0, _) if total == 0 => format!("{path} is empty (or has hidden entries only)."),
            (0, _) => format!("{path} has {total} entries, none from offset {offset} on."),
            (shown, Some(next)) => {
                format!(
                    "Entries {} to {} of {total}; offset {next} lists the next.",
                    offset + 1,
                    offset + shown
                )
            }
            (_, None) => format!("{total} entries in {path}."),
        };
        text += &Skipped { sensitive: output.skipped_sensitive, unreadable: output.unreadable }.words();
        Rendered::text(text)
    }
}

impl Input {
    fn levels(&self) -> usize {
        self.max_depth.unwrap_or(if self.recursive { usize::MAX } else { 1 })
    }
}

fn list(input: &Input, cx: &Cx) -> ToolResult<Output> {
    let place = folder(cx, &input.path)?;
    let tree = cx.paths()?.tree(&place)?;
    let names = Names::new(cx)?;
    let sort = input.sort_by;
    let keep = input.offset.saturating_add(input.limit);
    let mut listing = Listing {
        input,
        tree: &tree,
        rows: First::new(keep, move |a: &Row, b: &Row| compare(sort, a, b)),
        skipped: Skipped::default(),
    };
    listing.walk(cx).map_err(|error| match error {
        WalkError::Cancelled(error) => error,
        WalkError::Io(error) => place.io("list", &error),
    })?;
    let skipped = listing.skipped;
    let (rows, total) = listing.rows.finish();
    let entries: Vec<Entry> =
        rows.into_iter().skip(input.offset).map(|row| row.describe(&tree, &names)).collect();
    let end = input.offset.saturating_add(entries.len());
    Ok(Output {
        path: place.text(),
        next_offset: (!entries.is_empty() && end < total).then_some(end),
        entries,
        total,
        offset: input.offset,
        skipped_sensitive: skipped.sensitive,
        unreadable: skipped.unreadable,
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
    fn describe(self, tree: &Tree, names: &Names) -> Entry {
        let path = tree.root().join(&self.relative);
        let meta = tree.metadata(&path).ok();
        let kind = meta.as_ref().map_or(self.kind, EntryKind::of);
        Entry::new(names.of(&path), kind, meta.as_ref())
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

enum WalkError {
    Cancelled(deskhand_core::ToolError),
    Io(io::Error),
}

struct Listing<'a, F> {
    input: &'a Input,
    tree: &'a Tree,
    rows: First<Row, F>,
    skipped: Skipped,
}

impl<F: Fn(&Row, &Row) -> Ordering> Listing<'_, F> {
    fn walk(&mut self, cx: &Cx) -> Result<(), WalkError> {
        let mut folders = vec![(PathBuf::new(), 1)];
        while let Some((relative, level)) = folders.pop() {
            match self.folder(&relative, level, cx, &mut folders) {
                // A folder below that cannot be read is counted; the one that was asked for is an error.
                Err(WalkError::Io(_)) if level > 1 => self.skipped.unreadable += 1,
                done => done?,
            }
        }
        Ok(())
    }

    fn folder(
        &mut self,
        relative: &Path,
        level: usize,
        cx: &Cx,
        folders: &mut Vec<(PathBuf, usize)>,
    ) -> Result<(), WalkError> {
        let path = self.tree.root().join(relative);
        let dir = self.tree.folder(&path).map_err(WalkError::Io)?;
        for (n, entry) in dir.entries().map_err(WalkError::Io)?.enumerate() {
            if n % 256 == 0 {
                cx.check().map_err(WalkError::Cancelled)?;
            }
            let entry = entry.map_err(WalkError::Io)?;
            let name = entry.file_name();
            if !self.input.include_hidden && name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let kind = entry.file_type().map_or(EntryKind::Special, kind_of);
            let relative = relative.join(&name);
            if kind == EntryKind::Folder && level < self.input.levels() {
                if self.tree.admits(&path.join(&name)) {
                    folders.push((relative.clone(), level + 1));
                } else {
                    self.skipped.sensitive += 1;
                }
            }
            let meta = if self.needs_metadata() { entry.metadata().ok() } else { None };
            self.rows.push(Row {
                relative,
                kind,
                size: meta.as_ref().filter(|meta| meta.is_file()).map_or(0, Metadata::len),
                modified: meta.and_then(|meta| Some(meta.modified().ok()?.into_std())),
            });
        }
        Ok(())
    }

    fn needs_metadata(&self) -> bool {
        matches!(self.input.sort_by, SortBy::Size | SortBy::Modified)
    }
}
