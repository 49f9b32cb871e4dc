//! The unified diff of a change list, for people who decide about it, and how many lines came and went.
//!
//! Everything has a bound: how much is read, how long is compared, how much is shown. What matters most comes first.

use std::{
    fmt::Write,
    path::Path,
    time::{Duration, Instant},
};

use deskhand_core::{
    ToolResult,
    changed::{ChangeKind, ChangedEntry, bytes_text, count_text},
};
use similar::{DiffTag, TextDiff};

use super::{
    content,
    lines::Line,
    tree::{Item, Trees},
};
use crate::{paths::show_name, sandbox::layer::EntryKind};

/// How much is shown, of everything and of one file, in bytes.
const MOST_SHOWN: usize = 40_000;
const MOST_OF_ONE: usize = 10_000;
const MOST_IN_A_LINE: usize = 1_000;
/// Texts larger than this are not compared.
const MOST_COMPARED: u64 = 1 << 20;
/// How many files are read, and how many bytes of them.
const MOST_FILES: usize = 5_000;
const MOST_READ: u64 = 64 << 20;
/// How long is compared, all files and one of them. What takes longer is compared coarsely.
const MOST_TIME: Duration = Duration::from_secs(3);
const MOST_TIME_OF_ONE: Duration = Duration::from_millis(500);

/// Writes the counts into the lines, and returns the diff. What `is_inner` is counted and not shown.
pub(super) fn compare(
    lines: &mut [Line],
    trees: &Trees<'_>,
    is_inner: &dyn Fn(usize) -> bool,
    check: &dyn Fn() -> ToolResult<()>,
) -> ToolResult<String> {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|number| rank(&lines[*number].entry));
    let mut differ =
        Differ { text: String::new(), left_out: 0, inner: 0, files: 0, read: 0, begun: Instant::now() };
    for number in order {
        check()?;
        let Line { entry, item } = &mut lines[number];
        let Some(item) = *item else { continue };
        if is_inner(item) && entry.runs_later.is_none() {
            differ.inner += 1;
        } else {
            differ.entry(entry, &trees.items[item]);
        }
    }
    Ok(differ.end())
}

fn rank(entry: &ChangedEntry) -> u8 {
    match entry {
        ChangedEntry { runs_later: Some(_), .. } => 0,
        ChangedEntry { kind: ChangeKind::Deleted, .. } => 1,
        ChangedEntry { kind: ChangeKind::Modified, .. } => 2,
        ChangedEntry { kind: ChangeKind::Moved | ChangeKind::Mode, .. } => 3,
        ChangedEntry { kind: ChangeKind::Created, .. } => 4,
    }
}

struct Differ {
    text: String,
    /// Files whose difference is not shown at all.
    left_out: u64,
    inner: u64,
    files: usize,
    read: u64,
    begun: Instant,
}

/// One side of a comparison.
enum Side {
    Absent,
    Text(String),
    /// A binary file, or one that is too large, or a link, in words.
    Other(String),
}

impl Side {
    fn lines(&self) -> u64 {
        match self {
            Self::Text(text) => text.split_terminator('\n').count() as u64,
            Self::Absent | Self::Other(_) => 0,
        }
    }
}

impl Differ {
    fn entry(&mut self, entry: &mut ChangedEntry, item: &Item<'_>) {
        if matches!(entry.kind, ChangeKind::Moved | ChangeKind::Mode) || item.is_folder() {
            return;
        }
        if self.files >= MOST_FILES || self.read >= MOST_READ {
            self.left_out += 1;
            return;
        }
        self.files += 1;
        let (before, after) = (self.before(item), self.after(item));
        let name = on_one_line(&entry.path);
        let shown = match (&before, &after) {
            (Side::Text(old), Side::Text(new)) => {
                let timeout = MOST_TIME.saturating_sub(self.begun.elapsed()).min(MOST_TIME_OF_ONE);
                let diff = TextDiff::configure().timeout(timeout).diff_lines(old.as_str(), new.as_str());
                for (tag, old, new) in diff.ops().iter().map(similar::DiffOp::as_tag_tuple) {
                    if tag != DiffTag::Equal {
                        entry.removed += old.len() as u64;
                        entry.added += new.len() as u64;
                    }
                }
                self.has_room().then(|| {
                    let header = (format!("a/{name}"), format!("b/{name}"));
                    diff.unified_diff().context_radius(3).header(&header.0, &header.1).to_string()
                })
            }
            (Side::Absent, Side::Text(new)) => {
                entry.added = after.lines();
                self.has_room()
                    .then(|| whole(&format!("--- /dev/null\n+++ b/{name}\n"), '+', new, entry.added))
            }
            (Side::Text(old), Side::Absent) => {
                entry.removed = before.lines();
                self.has_room()
                    .then(|| whole(&format!("--- a/{name}\n+++ /dev/null\n"), '-', old, entry.removed))
            }
            _ => {
                entry.removed = before.lines();
                entry.added = after.lines();
                Some(format!("{name}: {}\n", in_words(&before, &after)))
            }
        };
        match shown {
            Some(shown) if self.has_room() => self.push(&name, &shown),
            _ => self.left_out += 1,
        }
    }

    fn before(&mut self, item: &Item<'_>) -> Side {
        let Some(state) = &item.change.before else { return Side::Absent };
        self.side(state.kind, state.size, &|| item.read_before(MOST_COMPARED), &|| {
            content::link_target(&item.path)
        })
    }

    fn after(&mut self, item: &Item<'_>) -> Side {
        let Some(state) = &item.change.after else { return Side::Absent };
        self.side(state.kind, state.size, &|| item.read_after(MOST_COMPARED), &|| {
            content::link_target(&item.written())
        })
    }

    fn side(
        &mut self,
        kind: EntryKind,
        size: u64,
        read: &dyn Fn() -> Option<Vec<u8>>,
        target: &dyn Fn() -> Option<std::ffi::OsString>,
    ) -> Side {
        match kind {
            EntryKind::Folder => Side::Other("a folder".to_owned()),
            EntryKind::Special => Side::Other("a special file".to_owned()),
            EntryKind::Link => {
                Side::Other(format!("a link to {}", on_one_line(Path::new(&target().unwrap_or_default()))))
            }
            EntryKind::File if size > MOST_COMPARED => Side::Other(format!("a file of {}", bytes_text(size))),
            EntryKind::File => {
                self.read += size;
                let bytes = read().filter(|bytes| !bytes.contains(&0));
                match bytes.and_then(|bytes| String::from_utf8(bytes).ok()) {
                    Some(text) => Side::Text(text),
                    None => Side::Other(format!("a binary file of {}", bytes_text(size))),
                }
            }
        }
    }

    fn has_room(&self) -> bool {
        self.text.len() < MOST_SHOWN
    }

    fn push(&mut self, name: &str, shown: &str) {
        let end = (self.text.len() + MOST_OF_ONE).min(MOST_SHOWN);
        for (n, line) in shown.split_inclusive('\n').enumerate() {
            if self.text.len() + line.len().min(MOST_IN_A_LINE) > end {
                let rest = count_text((shown.lines().count() - n) as u64);
                // Writing to a string does not fail.
                let _ = writeln!(self.text, "… {rest} more lines of {name} are not shown.");
                return;
            }
            self.push_line(line.strip_suffix('\n').unwrap_or(line));
        }
    }

    /// Control characters are shown as pictures: a terminal must not act on them.
    fn push_line(&mut self, line: &str) {
        let cut = line.floor_char_boundary(MOST_IN_A_LINE);
        self.text.extend(line[..cut].chars().map(picture));
        if cut < line.len() {
            let _ = write!(self.text, " … ({} bytes more)", line.len() - cut);
        }
        self.text.push('\n');
    }

    fn end(mut self) -> String {
        if self.left_out > 0 {
            let _ = writeln!(self.text, "… {}", not_shown(self.left_out, "more file", ""));
        }
        if self.inner > 0 {
            let _ = writeln!(self.text, "… {}", not_shown(self.inner, "file", " of Git's own"));
        }
        self.text
    }
}

/// `1 more file is not shown.`, `3 more files are not shown.`
fn not_shown(n: u64, one: &str, whose: &str) -> String {
    let (plural, is) = if n == 1 { ("", "is") } else { ("s", "are") };
    format!("{} {one}{plural}{whose} {is} not shown.", count_text(n))
}

/// A control character as a picture of itself.
fn picture(c: char) -> char {
    match c {
        '\t' => c,
        '\u{7f}' => '\u{2421}',
        c if c.is_ascii_control() => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

/// A path that cannot look like another line.
pub(super) fn on_one_line(path: &Path) -> String {
    show_name(path.as_os_str()).chars().map(picture).collect()
}

/// A text that came or went as a whole. Only its start can be shown.
fn whole(header: &str, sign: char, text: &str, lines: u64) -> String {
    let range = match (lines, sign) {
        (0, _) => String::new(),
        (_, '+') => format!("@@ -0,0 +1,{lines} @@\n"),
        _ => format!("@@ -1,{lines} +0,0 @@\n"),
    };
    let mut shown = format!("{header}{range}");
    for line in text.split_terminator('\n') {
        shown.push(sign);
        shown.push_str(&line[..line.floor_char_boundary(MOST_IN_A_LINE * 2)]);
        shown.push('\n');
    }
    shown
}

fn in_words(before: &Side, after: &Side) -> String {
    let words = |side: &Side| match side {
        Side::Absent => "nothing".to_owned(),
        Side::Text(text) => format!("a text file of {}", bytes_text(text.len() as u64)),
        Side::Other(words) => words.clone(),
    };
    match (before, after) {
        (Side::Absent, _) => format!("{} is new.", words(after)),
        (_, Side::Absent) => format!("{} is deleted.", words(before)),
        _ => format!("{} becomes {}.", words(before), words(after)),
    }
}
