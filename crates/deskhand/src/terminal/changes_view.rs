//! What a command changed, as a person reads it.

use std::fmt::Write;

use deskhand_core::changed::{ChangeKind, ChangeSummary, ChangedEntry, EntryType, bytes_text, count_text};

use super::{Style, safe_line};
use crate::language::Language;

/// Shows change lists.
#[derive(Clone, Copy)]
pub struct ChangesView {
    pub style: Style,
    pub language: Language,
}

impl ChangesView {
    /// About `most` lines and the totals. What matters comes first, and is folded by folder, never cut.
    pub fn list(self, changes: &ChangeSummary, most: usize) -> String {
        if changes.is_empty() {
            return format!("  {}\n", self.say("No changes.", "没有更改。"));
        }
        let mut text = String::new();
        let folded = ChangeSummary::of(changes.entries.clone(), most);
        for entry in &folded.entries {
            let _ = writeln!(text, "  {}", self.line(entry));
        }
        let more = folded.more + changes.more;
        if more > 0 {
            let more = count_text(more);
            let words = match self.language {
                Language::English => format!("… and {more} more"),
                Language::Chinese => format!("… 另有 {more} 项"),
            };
            let _ = writeln!(text, "  {}", self.style.dim(&words));
        }
        let _ = writeln!(text, "  {}", self.style.bold(&self.totals(changes)));
        text
    }

    /// `M src/main.rs  +3 -1`.
    pub fn line(self, entry: &ChangedEntry) -> String {
        let path = shown(entry, &entry.path);
        if entry.ignored {
            return self.style.dim(&self.ignored(entry, &path));
        }
        let mark = match entry.kind {
            ChangeKind::Created => self.style.green("A"),
            ChangeKind::Modified => self.style.yellow("M"),
            ChangeKind::Deleted => self.style.red("D"),
            ChangeKind::Moved => self.style.cyan("R"),
            ChangeKind::Mode => self.style.yellow(self.say("mode", "权限")),
        };
        let mut line = match &entry.from {
            Some(from) => format!("{mark} {} → {path}", shown(entry, from)),
            None => format!("{mark} {path}"),
        };
        for detail in self.details(entry) {
            line += "  ";
            line += &detail;
        }
        if let Some(why) = &entry.runs_later {
            let why = format!("{}{}", self.say("runs later: ", "以后会运行："), safe_line(why));
            line += "  ";
            line += &self.style.red(&why);
        }
        line
    }

    /// `3 files changed, kept`.
    pub fn short(self, count: u64, is_kept: bool) -> String {
        let n = count_text(count);
        match (self.language, is_kept) {
            (Language::English, kept) => {
                let files = if count == 1 { "1 file".to_owned() } else { format!("{n} files") };
                format!("{files} changed, {}", if kept { "kept" } else { "discarded" })
            }
            (Language::Chinese, true) => format!("{n} 个文件的更改已保留"),
            (Language::Chinese, false) => format!("{n} 个文件的更改已丢弃"),
        }
    }

    fn say(self, english: &'static str, chinese: &'static str) -> &'static str {
        self.language.say(english, chinese)
    }

    fn ignored(self, entry: &ChangedEntry, path: &str) -> String {
        let (files, bytes) = (self.files(entry.entries), bytes_text(entry.bytes));
        let is_deleted = entry.kind == ChangeKind::Deleted;
        match self.language {
            Language::English => {
                let deleted = if is_deleted { " deleted" } else { "" };
                format!("{path}: {files}, {bytes}{deleted}, ignored by Git")
            }
            Language::Chinese => {
                let deleted = if is_deleted { "（已删除）" } else { "" };
                format!("{path}：{files}，{bytes}{deleted}，被 Git 忽略")
            }
        }
    }

    fn details(self, entry: &ChangedEntry) -> Vec<String> {
        let mut details = Vec::new();
        if entry.entries > 1 {
            details.push(self.files(entry.entries));
        }
        // All lines of a deleted file were removed: its size says more.
        let has_lines = entry.added + entry.removed > 0 && entry.kind != ChangeKind::Deleted;
        if has_lines {
            let signed = |sign, n: u64| (n > 0).then(|| format!("{sign}{}", count_text(n)));
            let added = signed('+', entry.added).map(|text| self.style.green(&text));
            let removed = signed('-', entry.removed).map(|text| self.style.red(&text));
            details.extend([added, removed].into_iter().flatten());
        } else if entry.bytes > 0 && entry.kind != ChangeKind::Mode {
            details.push(bytes_text(entry.bytes));
        }
        if let Some(was) = entry.was {
            details.push(format!("{}{}", self.say("was a ", "原为"), self.type_word(was)));
        }
        if let Some(mode) = &entry.mode {
            let word = if entry.kind == ChangeKind::Mode { "" } else { self.say("mode ", "权限 ") };
            details.push(format!("{word}{} → {}", mode.before, mode.after));
        }
        let is_unusual = matches!(entry.entry_type, EntryType::Link | EntryType::Special);
        if is_unusual && entry.kind != ChangeKind::Deleted {
            details.push(self.type_word(entry.entry_type).to_owned());
        }
        details
    }

    fn totals(self, changes: &ChangeSummary) -> String {
        if self.language == Language::English {
            return changes.totals();
        }
        let counts = [
            ("新建", changes.created),
            ("修改", changes.modified),
            ("删除", changes.deleted),
            ("移动", changes.moved),
            ("仅改权限", changes.mode),
        ];
        let counts =
            counts.iter().filter(|(_, n)| *n > 0).map(|(word, n)| format!("{word} {}", count_text(*n)));
        let bytes = [("写入", changes.bytes), ("删除", changes.deleted_bytes)];
        let bytes =
            bytes.iter().filter(|(_, n)| *n > 0).map(|(word, n)| format!("{word} {}", bytes_text(*n)));
        let parts = [counts.collect::<Vec<_>>().join("，"), bytes.collect::<Vec<_>>().join("，")];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("；")
    }

    fn files(self, n: u64) -> String {
        match self.language {
            Language::English if n == 1 => "1 file".to_owned(),
            Language::English => format!("{} files", count_text(n)),
            Language::Chinese => format!("{} 个文件", count_text(n)),
        }
    }

    fn type_word(self, kind: EntryType) -> &'static str {
        match kind {
            EntryType::File => self.say("file", "文件"),
            EntryType::Folder => self.say("folder", "文件夹"),
            EntryType::Link => self.say("link", "链接"),
            EntryType::Special => self.say("special file", "特殊文件"),
        }
    }
}

/// How many entries these lines stand for.
pub fn count_of(entries: &[ChangedEntry]) -> u64 {
    entries.iter().map(|entry| entry.entries).sum()
}

/// All that a summary counts.
pub fn total_of(changes: &ChangeSummary) -> u64 {
    changes.created + changes.modified + changes.deleted + changes.moved + changes.mode
}

fn shown(entry: &ChangedEntry, path: &std::path::Path) -> String {
    let slash = if entry.entry_type == EntryType::Folder { "/" } else { "" };
    let text = path.to_string_lossy();
    let text = if text.is_empty() { "." } else { &*text };
    safe_line(text) + slash
}

#[cfg(test)]
mod tests {
    use deskhand_core::changed::ModeChange;

    use super::*;

    pub fn changes() -> ChangeSummary {
        use ChangeKind::{Created, Deleted, Mode, Modified, Moved};
        let entry = ChangedEntry::new;
        let folder = |path: &'static str, kind, entries, bytes| ChangedEntry {
            entries,
            bytes,
            entry_type: EntryType::Folder,
            ..entry(path, kind)
        };
        let mode = Some(ModeChange { before: "644".into(), after: "755".into() });
        let entries = vec![
            ChangedEntry { added: 12, bytes: 90, ..entry("src/new.rs", Created) },
            ChangedEntry { added: 3, removed: 1, bytes: 9, ..entry("src/main.rs", Modified) },
            ChangedEntry { bytes: 2_500, ..entry("logo.png", Modified) },
            folder("old", Deleted, 1_203, 84_000_000),
            ChangedEntry { from: Some("a.txt".into()), ..entry("b.txt", Moved) },
            ChangedEntry { mode, ..entry("run.sh", Mode) },
            ChangedEntry {
                was: Some(EntryType::Folder),
                entry_type: EntryType::Link,
                ..entry("data", Modified)
            },
            ChangedEntry {
                runs_later: Some("Git runs it before each commit".into()),
                bytes: 40,
                ..entry(".git/hooks/pre-commit", Created)
            },
            ChangedEntry { ignored: true, ..folder("target", Created, 310, 5_000_000) },
            entry("a\nD b", Created),
        ];
        ChangeSummary { more: 7, ..ChangeSummary::of(entries, 100) }
    }

    #[test]
    fn list_shows_each_kind_in_both_languages() {
        for (language, name) in [(Language::English, "english"), (Language::Chinese, "chinese")] {
            let view = ChangesView { style: Style::PLAIN, language };
            insta::assert_snapshot!(name, view.list(&changes(), 40));
        }
    }

    #[test]
    fn short_list_keeps_what_matters() {
        let mut entries: Vec<_> =
            (0..90).map(|n| ChangedEntry::new(format!("new/{n}"), ChangeKind::Created)).collect();
        entries.extend((0..90).map(|n| ChangedEntry::new(format!("old/{n}"), ChangeKind::Deleted)));
        let view = ChangesView { style: Style::PLAIN, language: Language::English };
        let text = view.list(&ChangeSummary::of(entries, 200), 10);
        assert!(text.starts_with("  D old/  90 files\n"), "{text}");
        assert!(text.contains("… and 81 more\n"), "{text}");
        assert!(text.ends_with("  90 created, 90 deleted\n"), "{text}");
    }

    #[test]
    fn short_words_say_what_became_of_the_changes() {
        let short = |language, count, kept| ChangesView { style: Style::PLAIN, language }.short(count, kept);
        assert_eq!(short(Language::English, 1, true), "1 file changed, kept");
        assert_eq!(short(Language::English, 1_203, false), "1,203 files changed, discarded");
        assert_eq!(short(Language::Chinese, 3, true), "3 个文件的更改已保留");
        assert_eq!(short(Language::Chinese, 3, false), "3 个文件的更改已丢弃");
    }
}
