use std::time::Duration;

use deskhand_core::{Fingerprint, Time, undo::Meta};
use proptest::prelude::*;

use super::*;
use crate::budget::tests::call_made;

const DAY: Duration = Duration::from_hours(24);

fn journal(folder: &tempfile::TempDir, max_bytes: u64) -> Undo {
    Undo::new(Budget::new(folder.path().into(), max_bytes, 30 * DAY))
}

fn header(call: CallId) -> UndoHeader {
    UndoHeader {
        call,
        tool: "write_file".into(),
        summary: "write a".into(),
        session_id: "s".into(),
        owner: None,
        at: Time::now(),
        undoes: None,
    }
}

fn change(path: &str, kept: Option<&str>) -> UndoStep {
    let meta = Meta { mode: Some(0o644), modified: Some(std::time::UNIX_EPOCH), accessed: None };
    let before = PathState::File { size: 1, sha256: "ab".into(), meta, kept: kept.map(Into::into) };
    UndoStep::Change { path: path.into(), before, after: PathState::Absent }
}

fn moved() -> UndoStep {
    let identity = Fingerprint::State { device: 1, inode: 2, size: 3, changed_ns: 1_700_000_000_000_000_000 };
    UndoStep::Move { from: "/w/a".into(), to: "/w/b".into(), identity }
}

fn keep(journal: &Undo, call: CallId, bytes: usize) {
    let folder = journal.open(&header(call), bytes as u64).unwrap();
    fs::write(folder.join("kept"), vec![b'x'; bytes]).unwrap();
    journal.append(call, &change("/w/a", Some("kept"))).unwrap();
}

fn calls(journal: &Undo) -> Vec<CallId> {
    journal.recent(100).unwrap().into_iter().map(|entry| entry.call).collect()
}

#[test]
fn an_entry_comes_back_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal(&folder, 4000);
    let call = CallId::new();
    let entry_folder = journal.open(&header(call), 10).unwrap();
    assert_eq!(journal.load(call).unwrap(), None, "no steps, no entry");
    fs::write(entry_folder.join("1"), "x").unwrap();
    fs::create_dir_all(entry_folder.join("tree/sub")).unwrap();
    let tree = PathState::Folder { meta: Meta::default(), kept: Some("tree".into()) };
    let tree = UndoStep::Change { path: "/w/t".into(), before: tree, after: PathState::Absent };
    let steps = [change("/w/a", Some("1")), tree, moved(), change("/w/new\nline", None)];
    for step in &steps {
        journal.append(call, step).unwrap();
    }
    let other = self::journal(&folder, 4000);
    let entry = other.load(call).unwrap().unwrap();
    assert_eq!((entry.steps.as_slice(), entry.undone_by), (&steps[..], None));
    assert_eq!((entry.call, entry.tool.as_str(), entry.folder), (call, "write_file", entry_folder));
    let by = CallId::new();
    journal.mark_undone(call, by).unwrap();
    assert_eq!(other.load(call).unwrap().unwrap().undone_by, Some(by));
    assert_eq!(other.load(CallId::new()).unwrap(), None);
}

#[test]
fn a_step_whose_kept_content_is_not_there_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal(&folder, 4000);
    let call = CallId::new();
    journal.open(&header(call), 0).unwrap();
    for name in ["missing", "../x", "/etc/passwd", "a/b", ".", "", HEADER, STEPS, UNDONE] {
        journal.append(call, &change("/w/a", Some(name))).unwrap_err();
    }
    assert_eq!(journal.load(call).unwrap(), None);
    journal.append(CallId::new(), &moved()).unwrap_err();
}

#[test]
fn append_all_writes_many_steps_and_repairs_a_torn_end() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal(&folder, 400_000);
    let call = CallId::new();
    let entry = journal.open(&header(call), 10).unwrap();
    let steps: Vec<_> = (0..50).map(|n| change(&format!("/w/{n}"), Some(&format!("{n}.file")))).collect();
    journal.append_all(call, &steps).unwrap_err();
    assert_eq!(journal.load(call).unwrap(), None, "nothing is written while a kept file is missing");
    for n in 0..50 {
        fs::write(entry.join(format!("{n}.file")), "x").unwrap();
    }
    journal.append_all(call, &[]).unwrap();
    journal.append_all(call, &steps[..20]).unwrap();
    // Killed in the middle of the next batch.
    let torn = format!("{}\n{{\"step\":\"mo", serde_json::to_string(&steps[20]).unwrap());
    fs::OpenOptions::new().append(true).open(entry.join(STEPS)).unwrap().write_all(torn.as_bytes()).unwrap();
    assert_eq!(journal.load(call).unwrap().unwrap().steps, steps[..21]);
    journal.append_all(call, &steps[21..]).unwrap();
    assert_eq!(journal.load(call).unwrap().unwrap().steps, steps);
}

#[test]
fn append_after_a_torn_first_line_starts_again() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal(&folder, 4000);
    let call = CallId::new();
    let entry = journal.open(&header(call), 10).unwrap();
    fs::write(entry.join(STEPS), "x".repeat(10_000)).unwrap();
    journal.append(call, &moved()).unwrap();
    assert_eq!(journal.load(call).unwrap().unwrap().steps, [moved()]);
}

#[test]
fn discarded_entry_is_gone_with_what_it_kept() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal(&folder, 4000);
    let call = CallId::new();
    journal.discard(call).unwrap();
    let entry = journal.open(&header(call), 10).unwrap();
    journal.append(call, &moved()).unwrap();
    fs::write(entry.join("1.file"), "x").unwrap();
    journal.discard(call).unwrap();
    assert_eq!(journal.load(call).unwrap(), None);
    assert!(!entry.exists());
}

#[test]
fn the_newest_are_listed_first() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal(&folder, 4000);
    let made: Vec<_> = [3, 1, 2].map(|days| call_made(DAY * days)).into();
    for call in &made {
        keep(&journal, *call, 1);
    }
    journal.mark_undone(made[1], CallId::new()).unwrap();
    assert_eq!(calls(&journal), [made[1], made[2], made[0]]);
    assert_eq!(journal.recent(2).unwrap().len(), 2);
}

#[test]
fn one_call_may_keep_a_quarter() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal(&folder, 4000);
    assert_eq!(journal.limit(), 1000);
    let call = CallId::new();
    journal.open(&header(call), 600).unwrap();
    let error = journal.open(&header(call), 401).unwrap_err();
    assert!(error.to_string().contains("1001 bytes"), "{error}");
    journal.open(&header(call), 400).unwrap();
    let call = CallId::new();
    keep(&journal, call, 600);
    let another_process = self::journal(&folder, 4000);
    another_process.open(&header(call), 401).unwrap_err();
    another_process.open(&header(CallId::new()), 1001).unwrap_err();
}

#[test]
fn the_oldest_go_when_there_is_no_room() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal(&folder, 8000);
    let made: Vec<_> = (1..=8).rev().map(|days| call_made(DAY * days)).collect();
    for call in &made {
        keep(&journal, *call, 1500);
    }
    let left = calls(&journal);
    assert!(!left.is_empty() && left.len() < 6, "{} entries of 1500 bytes", left.len());
    let newest: Vec<_> = made.iter().rev().take(left.len()).copied().collect();
    assert_eq!(left, newest);
    assert!(budget::size_of(folder.path()) <= 8000);
}

#[test]
fn old_entries_and_what_was_left_behind_are_cleared_away() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal(&folder, 8000);
    let [old, half_made, torn, good] = [31 * DAY, DAY, DAY, DAY].map(call_made);
    keep(&journal, old, 1);
    keep(&journal, good, 1);
    journal.open(&header(half_made), 1).unwrap();
    journal.open(&header(torn), 1).unwrap();
    fs::write(journal.folder(torn).join(STEPS), "{\"step\":").unwrap();
    // It looks at ages once a minute; another process with a fresh folder does so at once.
    fs::remove_file(folder.path().join(".usage")).unwrap();
    let now = CallId::new();
    keep(&journal, now, 1);
    for (call, stays) in [(old, false), (half_made, false), (torn, false), (good, true), (now, true)] {
        assert_eq!(journal.folder(call).exists(), stays);
    }
}

#[test]
fn half_made_entries_break_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal(&folder, 8000);
    let good = CallId::new();
    keep(&journal, good, 1);
    let make = |files: &[(&str, &str)]| {
        let call = CallId::new();
        fs::create_dir(journal.folder(call)).unwrap();
        for (name, content) in files {
            fs::write(journal.folder(call).join(name), content).unwrap();
        }
        call
    };
    let whole = serde_json::to_string(&header(CallId::new())).unwrap();
    let step = format!("{}\n", serde_json::to_string(&moved()).unwrap());
    for files in [
        &[][..],
        &[(HEADER, "")],
        &[(HEADER, "{"), (STEPS, &step)],
        &[(HEADER, &whole)],
        &[(HEADER, &whole), (STEPS, "")],
        &[(HEADER, &whole), (STEPS, "{\"step\"")],
        &[(HEADER, &whole), (STEPS, "\0\0\n")],
        &[(STEPS, &step)],
    ] {
        assert_eq!(journal.load(make(files)).unwrap(), None, "{files:?}");
    }
    let spoilt = make(&[(HEADER, &whole), (STEPS, &format!("x\n{step}"))]);
    assert!(journal.load(spoilt).unwrap_err().to_string().contains("line 1"));
    fs::write(folder.path().join(CallId::new().to_string()), "a file").unwrap();
    fs::write(folder.path().join("README"), "").unwrap();
    assert_eq!(calls(&journal), [good]);
}

#[cfg(unix)]
#[test]
fn the_folder_of_an_entry_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let made = journal(&folder, 8000).open(&header(CallId::new()), 1).unwrap();
    assert_eq!(fs::metadata(made).unwrap().permissions().mode() & 0o777, 0o700);
}

proptest! {
    /// Killed at any byte of any step, all whole steps before it are there.
    #[test]
    fn a_torn_end_loses_only_itself(count in 1..4usize, cut in any::<prop::sample::Index>()) {
        let steps: Vec<_> = (0..count).map(|n| change(&format!("/w/{n}"), None)).collect();
        let lines: Vec<_> = steps.iter().map(|s| format!("{}\n", serde_json::to_string(s).unwrap())).collect();
        let text = lines.concat();
        let cut = cut.index(text.len() + 1);
        let whole = text[..cut].matches('\n').count();
        prop_assert_eq!(parse_steps(&text.as_bytes()[..cut]).unwrap(), &steps[..whole]);
    }
}
