use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use deskhand_core::{
    StoreError, StoreResult,
    undo::{UndoEntry, UndoHeader},
};
use serde_json::{Value, json};

use super::*;
use crate::{
    files::{
        create_directory::CreateDirectory, edit_file::EditFile, file_copy::FileCopy, file_delete::FileDelete,
        file_move::FileMove, undo::Undo, write_file::WriteFile,
    },
    testing::{Called, Desk, look},
};

/// A journal that fails when it is to write down a step, after so many that it did write down.
struct Failing {
    journal: Arc<dyn UndoJournal>,
    good_for: AtomicUsize,
}

impl UndoJournal for Failing {
    fn open(&self, header: &UndoHeader, bytes: u64) -> StoreResult<PathBuf> {
        self.journal.open(header, bytes)
    }

    fn append(&self, call: CallId, step: &UndoStep) -> StoreResult<()> {
        let left = self.good_for.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        match left {
            Ok(_) => self.journal.append(call, step),
            Err(_) => Err(StoreError::new("write it down", "the disk is on fire")),
        }
    }

    fn load(&self, call: CallId) -> StoreResult<Option<UndoEntry>> {
        self.journal.load(call)
    }

    fn recent(&self, limit: usize) -> StoreResult<Vec<UndoEntry>> {
        self.journal.recent(limit)
    }

    fn mark_undone(&self, call: CallId, by: CallId) -> StoreResult<()> {
        self.journal.mark_undone(call, by)
    }

    fn limit(&self) -> u64 {
        self.journal.limit()
    }
}

fn call(desk: &Desk, tool: &str, arguments: Value) -> ToolResult<Called> {
    match tool {
        "write_file" => desk.call(WriteFile, arguments),
        "edit_file" => desk.call(EditFile, arguments),
        "create_directory" => desk.call(CreateDirectory, arguments),
        "file_copy" => desk.call(FileCopy, arguments),
        "file_move" => desk.call(FileMove, arguments),
        "file_delete" => desk.call(FileDelete, arguments),
        _ => desk.call(Undo, arguments),
    }
}

fn every_change() -> Vec<(&'static str, Value)> {
    vec![
        ("write_file", json!({"path": "f", "content": "new"})),
        ("write_file", json!({"path": "f", "content": "new", "mode": "append"})),
        ("write_file", json!({"path": "a/b/c", "content": "new"})),
        ("edit_file", json!({"path": "f", "old_text": "old", "new_text": "new"})),
        ("create_directory", json!({"path": "a/b/c"})),
        ("file_copy", json!({"source": "f", "destination": "a/b"})),
        ("file_copy", json!({"source": "f", "destination": "g", "overwrite": true})),
        ("file_copy", json!({"source": "tree", "destination": "a/b"})),
        ("file_move", json!({"source": "f", "destination": "a/b"})),
        ("file_move", json!({"source": "f", "destination": "g", "overwrite": true})),
        ("file_move", json!({"source": "tree", "destination": "a/b"})),
        ("file_delete", json!({"path": "f"})),
        ("file_delete", json!({"path": "empty"})),
        ("file_delete", json!({"path": "tree", "recursive": true})),
    ]
}

fn furnish(desk: &Desk) {
    desk.write("f", "old\n");
    desk.write("g", "other\n");
    desk.write("tree/a/b", "x");
    fs::create_dir(desk.path("empty")).unwrap();
}

/// A path, with the content, mode and time of a file.
type Seen = (String, Vec<u8>, Option<(u32, std::time::SystemTime)>);

fn snapshot(desk: &Desk) -> Vec<Seen> {
    let describe = |path: String| {
        let at = desk.path(&path);
        let meta = at.is_file().then(|| look(&at));
        (path, fs::read(at).unwrap_or_default(), meta)
    };
    desk.listing().into_iter().map(describe).collect()
}

#[test]
fn what_cannot_be_written_down_is_not_done() {
    for (tool, arguments) in every_change() {
        for good_for in 0.. {
            let desk = Desk::new();
            furnish(&desk);
            let failing =
                Failing { journal: Arc::clone(&desk.journal), good_for: AtomicUsize::new(good_for) };
            let desk = desk.with_journal(Arc::new(failing));
            let before = snapshot(&desk);
            match call(&desk, tool, arguments.clone()) {
                Ok(_) => break,
                Err(error) => {
                    assert_eq!(error.code, "store", "{tool} {arguments}: {error}");
                    assert_eq!(snapshot(&desk), before, "{tool} {arguments} after {good_for} steps");
                }
            }
            assert!(good_for < 10);
        }
    }
}

#[test]
fn a_failed_call_leaves_no_second_name_for_a_file() {
    use cap_std::fs::MetadataExt;
    let desk = Desk::new();
    furnish(&desk);
    let failing = Failing { journal: Arc::clone(&desk.journal), good_for: AtomicUsize::new(0) };
    let desk = desk.with_journal(Arc::new(failing));
    for (tool, arguments) in every_change() {
        call(&desk, tool, arguments.clone()).unwrap_err();
        for name in ["f", "g"] {
            let folder = Dir::open_ambient_dir(desk.path("."), ambient_authority()).unwrap();
            assert_eq!(folder.symlink_metadata(name).unwrap().nlink(), 1, "{tool} {arguments}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_journal_on_a_full_disk_means_nothing_is_changed() {
    let Some(disk) = crate::testing::SmallDisk::mount("size=128k") else { return };
    let desk = Desk::with_data_in(disk.path());
    desk.write("f", "old\n".repeat(50_000));
    desk.write("tree/f", "x".repeat(200_000));
    let before = snapshot(&desk);
    for (tool, arguments) in [
        ("write_file", json!({"path": "f", "content": "new"})),
        ("edit_file", json!({"path": "f", "insert_at_line": 0, "new_text": "new"})),
        ("file_delete", json!({"path": "f"})),
        ("file_delete", json!({"path": "tree", "recursive": true})),
    ] {
        let error = call(&desk, tool, arguments.clone()).unwrap_err();
        assert_eq!(error.code, "disk_full", "{tool} {arguments}: {error}");
        assert_eq!(snapshot(&desk), before, "{tool} {arguments}");
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf8_come_to_a_clear_end() {
    use std::os::unix::ffi::OsStrExt;
    let desk = Desk::new();
    let odd = desk.path(OsStr::from_bytes(b"caf\xE9"));
    fs::write(&odd, "old\n").unwrap();
    let path = r"caf\xE9";
    for (tool, arguments) in [
        ("write_file", json!({"path": path, "content": "new"})),
        ("write_file", json!({"path": path, "content": "new", "mode": "append"})),
        ("edit_file", json!({"path": path, "old_text": "old", "new_text": "new"})),
        ("file_copy", json!({"source": path, "destination": "copy"})),
        ("file_delete", json!({"path": path})),
    ] {
        let before = fs::read(&odd).unwrap();
        match call(&desk, tool, arguments.clone()) {
            Ok(called) => {
                desk.call(Undo, json!({"call_id": called.id.to_string()})).unwrap();
                assert_eq!(fs::read(&odd).unwrap(), before, "{tool}");
            }
            Err(error) => {
                assert_eq!(fs::read(&odd).unwrap(), before, "{tool}: {error}");
                assert!(error.message.contains("UTF-8"), "{tool}: {error}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_can_be_deleted_and_come_back() {
    let desk = Desk::new();
    let path = desk.write("f", "secret");
    crate::testing::set_mode(&path, 0o000);
    let deleted = desk.call(FileDelete, json!({"path": "f"})).unwrap();
    assert!(!path.exists());
    desk.call(Undo, json!({"call_id": deleted.id.to_string()})).unwrap();
    assert_eq!(look(&path).0, 0);
}
