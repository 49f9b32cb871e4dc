use super::*;

fn entry(path: &str, kind: ChangeKind) -> ChangedEntry {
    ChangedEntry::new(path, kind)
}

#[test]
fn line_shows_each_kind() {
    use ChangeKind::{Created, Deleted, Mode, Modified, Moved};
    let mode = |before: &str, after: &str| Some(ModeChange { before: before.into(), after: after.into() });
    let rows = [
        (ChangedEntry { added: 12, bytes: 90, ..entry("a", Created) }, "A a (+12)"),
        (ChangedEntry { added: 3, removed: 1, bytes: 9, ..entry("a", Modified) }, "M a (+3 -1)"),
        (ChangedEntry { removed: 2, bytes: 9, ..entry("a", Modified) }, "M a (-2)"),
        (ChangedEntry { bytes: 2_500, ..entry("pic", Modified) }, "M pic (2.5 KB)"),
        (entry("a", Deleted), "D a"),
        (ChangedEntry { removed: 9, bytes: 90, ..entry("a", Deleted) }, "D a (90 B)"),
        (
            ChangedEntry {
                entries: 1_203,
                bytes: 84_000_000,
                entry_type: EntryType::Folder,
                ..entry("old", Deleted)
            },
            "D old/ (1,203 files, 84 MB)",
        ),
        (ChangedEntry { from: Some("a".into()), ..entry("b", Moved) }, "R a -> b"),
        (
            ChangedEntry {
                from: Some("a".into()),
                entries: 3,
                entry_type: EntryType::Folder,
                ..entry("b", Moved)
            },
            "R a/ -> b/ (3 files)",
        ),
        (
            ChangedEntry { mode: mode("644", "755"), bytes: 3, ..entry("run.sh", Mode) },
            "mode run.sh 644 -> 755",
        ),
        (
            ChangedEntry { added: 1, mode: mode("644", "755"), ..entry("a", Modified) },
            "M a (+1, mode 644 -> 755)",
        ),
        (
            ChangedEntry {
                was: Some(EntryType::Folder),
                entry_type: EntryType::Link,
                ..entry("a", Modified)
            },
            "M a (was a folder, a link)",
        ),
        (
            ChangedEntry {
                entries: 1_203,
                bytes: 84_000_000,
                ignored: true,
                entry_type: EntryType::Folder,
                ..entry("target", Modified)
            },
            "target/: 1,203 files, 84 MB, ignored by git",
        ),
        (
            ChangedEntry { runs_later: Some("Git runs it".into()), ..entry(".git/hooks/x", Created) },
            "A .git/hooks/x [runs later: Git runs it]",
        ),
        (entry("a\nD b", Created), "A a\u{fffd}D b"),
    ];
    for (entry, wanted) in rows {
        assert_eq!(entry.line(), wanted);
    }
}

#[test]
fn summary_counts_everything_and_shows_what_matters_first() {
    let mut entries: Vec<_> = (0..300).map(|n| entry(&format!("new/{n:03}"), ChangeKind::Created)).collect();
    entries.push(ChangedEntry { bytes: 7, ..entry("z/gone", ChangeKind::Deleted) });
    entries.push(ChangedEntry { runs_later: Some("x".into()), ..entry("z/AGENTS.md", ChangeKind::Created) });
    let summary = ChangeSummary::of(entries, 200);
    assert_eq!((summary.created, summary.deleted, summary.deleted_bytes, summary.more), (301, 1, 7, 102));
    assert_eq!(summary.entries.len(), 200);
    let first: Vec<_> = summary.entries[..3].iter().map(|entry| entry.path.to_str().unwrap()).collect();
    assert_eq!(first, ["z/AGENTS.md", "z/gone", "new/000"]);
    assert_eq!(summary.totals(), "301 created, 1 deleted; 7 B deleted");
}

#[test]
fn too_many_deletions_are_folded_and_never_cut() {
    let deleted = |path: String| ChangedEntry { bytes: 10, ..entry(&path, ChangeKind::Deleted) };
    let mut entries: Vec<_> = (0..5_000).map(|n| deleted(format!("a/b{}/{n}", n % 7))).collect();
    entries.extend((0..5_000).map(|n| deleted(format!("top{n}"))));
    for most in [200, 10, 1] {
        let summary = ChangeSummary::of(entries.clone(), most);
        assert!(summary.entries.len() <= most.max(8), "{most}: {}", summary.entries.len());
        assert_eq!(summary.more, 0);
        assert_eq!(summary.entries.iter().map(|entry| entry.entries).sum::<u64>(), 10_000);
        assert!(summary.entries.iter().all(|entry| entry.kind == ChangeKind::Deleted));
    }
}

#[test]
fn text_is_bounded_and_keeps_every_deletion() {
    let mut entries: Vec<_> = (0..400)
        .map(|n| entry(&format!("{}/{n}", "long-folder-name/".repeat(n % 9 + 1)), ChangeKind::Deleted))
        .collect();
    entries.extend((0..400).map(|n| entry(&format!("new{n}"), ChangeKind::Created)));
    let summary = ChangeSummary::of(entries, 10_000);
    let text = summary.text(2_000);
    assert!(text.chars().count() <= 2_000, "{}", text.len());
    assert!(text.starts_with("D "), "{text}");
    assert!(text.contains("… and "), "{text}");
    assert!(text.ends_with("400 created, 400 deleted"), "{text}");
    assert_eq!(ChangeSummary::default().text(100), "No changes.");
}

#[test]
fn numbers_are_words_for_people() {
    for (n, wanted) in [(0, "0"), (999, "999"), (1_203, "1,203"), (1_234_567, "1,234,567")] {
        assert_eq!(count_text(n), wanted);
    }
    let rows = [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1.0 KB"),
        (9_999, "9.9 KB"),
        (10_000, "10 KB"),
        (999_999, "999 KB"),
        (84_000_000, "84 MB"),
        (u64::MAX, "18 EB"),
    ];
    for (n, wanted) in rows {
        assert_eq!(bytes_text(n), wanted);
    }
}

#[test]
fn json_leaves_out_what_is_usual() {
    let plain = ChangedEntry { added: 1, bytes: 2, ..entry("a", ChangeKind::Created) };
    let text = serde_json::to_string(&plain).unwrap();
    assert_eq!(text, r#"{"path":"a","kind":"created","added":1,"removed":0,"bytes":2}"#);
    assert_eq!(serde_json::from_str::<ChangedEntry>(&text).unwrap(), plain);
}
