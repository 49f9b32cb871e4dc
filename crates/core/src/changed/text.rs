//! A change list as text, for models and terminals.

use std::{fmt::Write, path::Path};

use super::{ChangeKind, ChangeSummary, ChangedEntry, EntryType, fold};

/// Room for the totals, and for how many lines are left out.
const TOTALS: usize = 200;
/// A longer path is cut in its middle.
const MOST_OF_PATH: usize = 240;
const MOST_OF_REASON: usize = 120;

impl ChangeSummary {
    /// One line for each entry, then the totals, in about `most` characters. Lines that must be shown come first and
    /// are folded by folder until they fit; the rest is left out as needed.
    pub fn text(&self, most: usize) -> String {
        if self.is_empty() {
            return "No changes.".to_owned();
        }
        let room = most.saturating_sub(TOTALS);
        let (must, rest): (Vec<_>, Vec<_>) =
            self.entries.iter().cloned().partition(ChangedEntry::must_be_shown);
        let mut text = fitting(&must, room);
        let mut left_out = self.more;
        // Lines for ignored folders are few and short, and stand for much.
        let (rest, ignored): (Vec<_>, Vec<_>) = rest.into_iter().partition(|entry| !entry.ignored);
        let ignored = fitting(&ignored, room / 4);
        for entry in rest {
            let line = entry.line();
            if text.len() + ignored.len() + line.len() + 1 > room {
                left_out += entry.entries;
            } else {
                text += &line;
                text.push('\n');
            }
        }
        text += &ignored;
        if left_out > 0 {
            // Writing to a string does not fail.
            let _ = writeln!(text, "… and {} more", count_text(left_out));
        }
        text + &self.totals()
    }

    /// `2 created, 1 deleted; 1.2 KB written, 40 B deleted`.
    pub fn totals(&self) -> String {
        let counts = [
            (self.created, "created"),
            (self.modified, "modified"),
            (self.deleted, "deleted"),
            (self.moved, "moved"),
            (self.mode, "with new permissions"),
        ];
        let counts =
            counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", count_text(*n)));
        let bytes = [(self.bytes, "written"), (self.deleted_bytes, "deleted")];
        let bytes =
            bytes.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", bytes_text(*n)));
        let (counts, bytes): (Vec<_>, Vec<_>) = (counts.collect(), bytes.collect());
        if bytes.is_empty() {
            counts.join(", ")
        } else {
            format!("{}; {}", counts.join(", "), bytes.join(", "))
        }
    }
}

/// All of the entries, folded until their lines fit, or as few lines as can be.
fn fitting(entries: &[ChangedEntry], room: usize) -> String {
    let mut most = entries.len();
    loop {
        let lines = fold::folded(entries.to_vec(), most)
            .iter()
            .fold(String::new(), |lines, entry| lines + &entry.line() + "\n");
        if lines.len() <= room || most <= 1 {
            return lines;
        }
        most = (most / 2).min(room / 20).max(1);
    }
}

impl ChangedEntry {
    /// `M src/main.rs (+3 -1)`, `R a -> b`, `mode run.sh 644 -> 755`.
    pub fn line(&self) -> String {
        let path = self.shown(&self.path);
        let mut line = match (self.kind, &self.from, &self.mode) {
            _ if self.ignored => {
                let deleted = if self.kind == ChangeKind::Deleted { " deleted" } else { "" };
                return format!(
                    "{path}: {}, {}{deleted}, ignored by git",
                    files(self.entries),
                    bytes_text(self.bytes)
                );
            }
            (ChangeKind::Moved, Some(from), _) => format!("R {} -> {path}", self.shown(from)),
            (ChangeKind::Mode, _, Some(mode)) => format!("mode {path} {} -> {}", mode.before, mode.after),
            (ChangeKind::Mode, _, None) => format!("mode {path}"),
            (ChangeKind::Created, ..) => format!("A {path}"),
            (ChangeKind::Deleted, ..) => format!("D {path}"),
            (ChangeKind::Modified | ChangeKind::Moved, ..) => format!("M {path}"),
        };
        let details = self.details();
        if !details.is_empty() {
            line += &format!(" ({})", details.join(", "));
        }
        if let Some(why) = &self.runs_later {
            line += &format!(" [runs later: {}]", shortened(why, MOST_OF_REASON));
        }
        line
    }

    fn details(&self) -> Vec<String> {
        let mut details = Vec::new();
        if self.entries > 1 {
            details.push(files(self.entries));
        }
        match (self.added, self.removed) {
            (0, 0) if self.bytes > 0 && self.kind != ChangeKind::Mode => details.push(bytes_text(self.bytes)),
            (0, 0) => {}
            // All lines of a deleted file were removed: its size says more.
            _ if self.kind == ChangeKind::Deleted => details.push(bytes_text(self.bytes)),
            (added, 0) => details.push(format!("+{added}")),
            (0, removed) => details.push(format!("-{removed}")),
            (added, removed) => details.push(format!("+{added} -{removed}")),
        }
        if let Some(was) = self.was {
            details.push(format!("was a {}", was.word()));
        }
        if let (Some(mode), true) = (&self.mode, self.kind != ChangeKind::Mode) {
            details.push(format!("mode {} -> {}", mode.before, mode.after));
        }
        if self.kind != ChangeKind::Deleted && matches!(self.entry_type, EntryType::Link | EntryType::Special)
        {
            details.push(format!("a {}", self.entry_type.word()));
        }
        details
    }

    fn shown(&self, path: &Path) -> String {
        // A line break in a name must not look like another line.
        let mut text: String =
            path.to_string_lossy().chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        if text.is_empty() {
            text.push('.');
        }
        let slash = if self.entry_type == EntryType::Folder { "/" } else { "" };
        shortened(&text, MOST_OF_PATH) + slash
    }
}

impl EntryType {
    fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Folder => "folder",
            Self::Link => "link",
            Self::Special => "special file",
        }
    }
}

fn files(n: u64) -> String {
    if n == 1 { "1 file".to_owned() } else { format!("{} files", count_text(n)) }
}

/// The start and the end of a text that is longer than `most` bytes.
fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(most / 2);
    let tail = text.ceil_char_boundary(text.len() - most / 2);
    format!("{}…{}", &text[..head], &text[tail..])
}

/// `1,203`.
pub fn count_text(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `512 B`, `1.5 KB`, `84 MB`: in steps of 1,000.
pub fn bytes_text(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KB", "MB", "GB", "TB", "PB", "EB"];
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    let mut tenths = bytes / 100;
    for unit in UNITS {
        if tenths < 100 {
            return format!("{}.{} {unit}", tenths / 10, tenths % 10);
        }
        if tenths < 10_000 {
            return format!("{} {unit}", tenths / 10);
        }
        tenths /= 1_000;
    }
    // The loop ends before: no number of 64 bits is larger.
    format!("{bytes} B")
}
