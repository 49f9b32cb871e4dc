//! Entries of folders as results show them.

use std::path::{Path, PathBuf};

use cap_std::fs::{FileType, Metadata};
use deskhand_core::{Cx, Time, ToolResult};
use deskhand_guard::{PathsOf, paths::show_name};
use schemars::JsonSchema;
use serde::Serialize;

use super::file_stat::EntryKind;

/// An entry of a folder.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Entry {
    /// Relative to the workspace where it is inside, else absolute; can be given to any file tool.
    pub path: String,
    pub kind: EntryKind,
    /// Bytes; of files only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<Time>,
}

impl Entry {
    pub fn new(path: String, kind: EntryKind, meta: Option<&Metadata>) -> Self {
        let modified = meta.and_then(|meta| meta.modified().ok()).map(|time| Time::from(time.into_std()));
        let size = meta.filter(|meta| meta.is_file()).map(Metadata::len);
        Self { path, kind, size, modified }
    }

    /// One line for a model: `src/` or `src/main.rs  1234`.
    pub fn line(&self) -> String {
        let path = on_one_line(&self.path);
        match (self.kind, self.size) {
            (EntryKind::Folder, _) => format!("{path}/"),
            (EntryKind::Link, _) => format!("{path}  (link)"),
            (EntryKind::Special, _) => format!("{path}  (pipe, socket or device)"),
            (EntryKind::File, Some(size)) => format!("{path}  {size}"),
            (EntryKind::File, None) => path,
        }
    }
}

pub(super) fn kind_of(kind: FileType) -> EntryKind {
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

/// Text with its control characters escaped, so that a name cannot pass for two lines.
pub(crate) fn on_one_line(text: &str) -> String {
    if !text.chars().any(char::is_control) {
        return text.to_owned();
    }
    text.chars()
        .flat_map(|c| if c.is_control() { c.escape_default().collect::<Vec<_>>() } else { vec![c] })
        .collect()
}

/// Writes paths so that they are short and can be given back.
#[derive(Clone, Debug)]
pub(super) struct Names {
    workspace: PathBuf,
}

impl Names {
    pub fn new(cx: &Cx) -> ToolResult<Self> {
        Ok(Self { workspace: cx.paths()?.workspace().to_path_buf() })
    }

    /// Relative to the workspace where it is inside, else absolute.
    pub fn of(&self, path: &Path) -> String {
        let Ok(relative) = path.strip_prefix(&self.workspace) else { return show_name(path.as_os_str()) };
        let text = show_name(relative.as_os_str());
        match text.as_str() {
            "" => ".".to_owned(),
            // These would mean the home folder or a kept output.
            text if text.starts_with('~') || text.starts_with("out:") => format!("./{text}"),
            _ => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_be_given_back() {
        let names = Names { workspace: "/w".into() };
        for (path, shown) in [
            ("/w", "."),
            ("/w/a/b", "a/b"),
            ("/wide/a", "/wide/a"),
            ("/w/~/a", "./~/a"),
            ("/w/out:x", "./out:x"),
        ] {
            assert_eq!(names.of(Path::new(path)), shown);
        }
        assert_eq!(on_one_line("a\nb\tc"), "a\\nb\\tc");
    }
}
