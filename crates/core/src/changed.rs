//! What a command changed, as programs, people and models see it.
//!
//! A [`ChangeSummary`] is bounded, and what it leaves out is only ever ordinary: deletions, replaced entries, modes and
//! files that run later are folded by folder where there are too many, never cut.

mod fold;
#[cfg(test)]
mod tests;
mod text;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::text::{bytes_text, count_text};

/// How an entry changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    Created,
    /// Another content, another link target or another type of entry.
    Modified,
    Deleted,
    /// The same content at another path.
    Moved,
    /// Only its permission bits.
    Mode,
}

/// What kind of thing is at a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryType {
    #[default]
    File,
    Folder,
    Link,
    /// A pipe, a socket or a device.
    Special,
}

/// Permission bits before and after, in octal digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModeChange {
    pub before: String,
    pub after: String,
}

/// One line of a change list: one entry, or a folder that stands for several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedEntry {
    /// Relative to the workspace; absolute outside it.
    #[serde(with = "crate::path_json")]
    #[schemars(with = "String")]
    pub path: PathBuf,
    pub kind: ChangeKind,
    /// Where a moved entry was before.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "crate::path_json::optional")]
    #[schemars(with = "Option<String>")]
    pub from: Option<PathBuf>,
    /// Lines added, for text files of up to 1 MiB.
    pub added: u64,
    /// Lines removed, for text files of up to 1 MiB.
    pub removed: u64,
    /// Size after the change; of a deleted entry, the size it had.
    pub bytes: u64,
    /// How many entries this line stands for: more than 1 for a folder shown as one line.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub entries: u64,
    /// What the entry is, or was if it was deleted.
    #[serde(default, skip_serializing_if = "is_file")]
    pub entry_type: EntryType,
    /// What it was before, if that was something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<EntryType>,
    /// The permission bits of an existing entry, if they changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ModeChange>,
    /// Why this changes what runs later, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_later: Option<String>,
    /// Git ignores it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignored: bool,
}

impl ChangedEntry {
    pub fn new(path: impl Into<PathBuf>, kind: ChangeKind) -> Self {
        Self {
            path: path.into(),
            kind,
            from: None,
            added: 0,
            removed: 0,
            bytes: 0,
            entries: 1,
            entry_type: EntryType::File,
            was: None,
            mode: None,
            runs_later: None,
            ignored: false,
        }
    }

    /// Whether a shortened list must still show it.
    pub fn must_be_shown(&self) -> bool {
        matches!(self.kind, ChangeKind::Deleted | ChangeKind::Mode)
            || self.was.is_some()
            || self.mode.is_some()
            || self.runs_later.is_some()
    }
}

/// Everything that a command changed. Folders with changed entries in them are not counted themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeSummary {
    pub created: u64,
    pub modified: u64,
    pub deleted: u64,
    pub moved: u64,
    /// Entries of which only the permission bits changed.
    pub mode: u64,
    /// Bytes of created and modified files.
    pub bytes: u64,
    /// Bytes of deleted files.
    pub deleted_bytes: u64,
    /// First what must be seen, then the rest in the order of paths.
    pub entries: Vec<ChangedEntry>,
    /// How many changed entries no line stands for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u64,
}

impl ChangeSummary {
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.more == 0
    }

    /// A summary of these entries with at most about `most` lines. Lines that must be shown are folded by folder if
    /// there are more of them; others are left out and counted in `more`.
    pub fn of(entries: Vec<ChangedEntry>, most: usize) -> Self {
        let mut summary = Self::default();
        for entry in &entries {
            summary.count(entry);
        }
        let (mut shown, rest): (Vec<_>, Vec<_>) = entries.into_iter().partition(ChangedEntry::must_be_shown);
        shown = fold::folded(shown, most);
        // Ignored output is a line for each folder: few, and they stand for much.
        let (rest, ignored): (Vec<_>, Vec<_>) = rest.into_iter().partition(|entry| !entry.ignored);
        let ignored = fold::folded(ignored, most);
        let room = most.saturating_sub(shown.len() + ignored.len());
        summary.more = rest.iter().skip(room).map(|entry| entry.entries).sum();
        shown.extend(rest.into_iter().take(room));
        shown.extend(ignored);
        summary.entries = shown;
        summary
    }

    fn count(&mut self, entry: &ChangedEntry) {
        let (counter, bytes) = match entry.kind {
            ChangeKind::Created => (&mut self.created, &mut self.bytes),
            ChangeKind::Modified => (&mut self.modified, &mut self.bytes),
            ChangeKind::Deleted => (&mut self.deleted, &mut self.deleted_bytes),
            ChangeKind::Moved => (&mut self.moved, &mut 0),
            ChangeKind::Mode => (&mut self.mode, &mut 0),
        };
        *counter += entry.entries;
        *bytes += entry.bytes;
    }
}

fn one() -> u64 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's form
fn is_one(n: &u64) -> bool {
    *n == 1
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's form
fn is_zero(n: &u64) -> bool {
    *n == 0
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's form
fn is_file(kind: &EntryType) -> bool {
    *kind == EntryType::File
}
