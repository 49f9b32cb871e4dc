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

/// A tree that goes this deep; `f` is at its bottom.
fn deep_tree(desk: &Desk, top: &str, levels: usize) {
    let mut path = desk.path(top);
    (1..levels).for_each(|_| path.push("d"));
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("f"), "x").unwrap();
}

#[test]
fn a_tree_that_is_too_deep_is_said_before_anything_is_changed() {
    let desk = Desk::new();
    deep_tree(&desk, "deep", 300);
    deep_tree(&desk, "fair", 250);
    let before = desk.listing();
    for (tool, arguments) in [
        ("file_copy", json!({"source": "deep", "destination": "copy"})),
        ("file_move", json!({"source": "deep", "destination": "moved"})),
        ("file_delete", json!({"path": "deep", "recursive": true})),
        ("file_delete", json!({"path": "deep", "recursive": true, "permanent": true})),
    ] {
        let error = call(&desk, tool, arguments.clone()).unwrap_err();
        assert_eq!(error.code, "too_deep", "{tool} {arguments}: {error}");
        assert!(error.message.len() < 500 && error.hint.is_some(), "{error}");
        assert!(error.message.contains(desk.path("deep/d").to_str().unwrap()), "all of the path: {error}");
        assert_eq!(desk.listing(), before, "{tool} {arguments}");
    }
    // What is far below can be named itself; and what is not too deep goes all ways.
    let half = ["d"; 150].join("/");
    call(&desk, "file_delete", json!({"path": format!("deep/{half}"), "recursive": true})).unwrap();
    call(&desk, "file_delete", json!({"path": "deep", "recursive": true})).unwrap();
    call(&desk, "file_copy", json!({"source": "fair", "destination": "copy"})).unwrap();
    call(&desk, "undo", json!({})).unwrap();
    let deleted = call(&desk, "file_delete", json!({"path": "fair", "recursive": true})).unwrap();
    call(&desk, "undo", json!({"call_id": deleted.id.to_string()})).unwrap();
    let gone = json!({"path": "fair", "recursive": true, "permanent": true});
    call(&desk, "file_delete", gone).unwrap();
    assert_eq!(desk.listing(), [""; 0]);
}

#[test]
fn looking_removing_and_copying_stop_at_some_level() {
    let desk = Desk::new();
    deep_tree(&desk, "deep", 300);
    let folder = Dir::open_ambient_dir(desk.path("."), ambient_authority()).unwrap();
    let walked = tree::walk(&folder, Path::new("/x"), &desk.cx("test"), &mut |_, _, _, _| Ok(()));
    assert_eq!(walked.unwrap_err().code, "too_deep");
    let error = tree::remove(&folder, OsStr::new("deep"), Path::new("deep"), None).unwrap_err();
    assert_eq!(error.code, "too_deep");
    folder.create_dir("copy").unwrap();
    let cx = desk.cx("test");
    let mut copier = tree::Copier::new(&cx, tree::Likeness::Copy, None, PathBuf::new());
    let (from, to) = (folder.open_dir("deep").unwrap(), folder.open_dir("copy").unwrap());
    assert_eq!(copier.copy_into(&from, &to, Path::new("")).unwrap_err().code, "too_deep");
}

/// A workspace on a small disk with a link, a file, and something outside that is too large for it.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_replace_a_link_leaves_it() {
    use std::os::unix::fs::symlink;
    let Some(disk) = crate::testing::SmallDisk::mount("size=512k") else { return };
    let desk = Desk::in_workspace(disk.path());
    desk.write("f", "x".repeat(300_000));
    desk.write("g", "old");
    symlink("g", desk.path("link")).unwrap();
    let large = desk.outside().join("large");
    fs::write(&large, "x".repeat(600_000)).unwrap();
    let before = (desk.listing(), snapshot(&desk));
    for (tool, source) in [("file_copy", "f".to_owned()), ("file_move", large.display().to_string())] {
        let arguments = json!({"source": source, "destination": "link", "overwrite": true});
        let error = call(&desk, tool, arguments).unwrap_err();
        assert_eq!(error.code, "disk_full", "{tool}: {error}");
        assert_eq!((desk.listing(), snapshot(&desk)), before, "{tool}");
        assert!(desk.path("link").is_symlink(), "{tool}");
    }
    assert!(large.exists());
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_replaced_by_a_link_stays() {
    use std::os::unix::fs::symlink;
    // So few inodes that nothing more can be made: the folder, the file, and the link outside is too much.
    let Some(disk) = crate::testing::SmallDisk::mount("size=512k,nr_inodes=3") else { return };
    let desk = Desk::in_workspace(disk.path());
    desk.write("g", "old");
    desk.write("h", "old");
    let link = desk.outside().join("link");
    symlink("somewhere", &link).unwrap();
    for tool in ["file_copy", "file_move"] {
        let arguments = json!({"source": link, "destination": "g", "overwrite": true});
        let error = call(&desk, tool, arguments).unwrap_err();
        assert_eq!(error.code, "disk_full", "{tool}: {error}");
        assert_eq!((desk.text("g").as_str(), desk.listing().len()), ("old", 2), "{tool}");
        assert!(link.is_symlink(), "{tool}");
    }
}

#[cfg(unix)]
#[test]
fn links_and_files_replace_each_other_and_come_back() {
    use std::os::unix::fs::symlink;
    for tool in ["file_copy", "file_move"] {
        for (source, target) in [("f", "link"), ("link", "f"), ("link", "other"), ("other", "link")] {
            let desk = Desk::new();
            desk.write("f", "content");
            symlink("f", desk.path("link")).unwrap();
            symlink("nowhere", desk.path("other")).unwrap();
            let look = || {
                let describe = |name: String| (fs::read_link(desk.path(&name)).ok(), name);
                (desk.listing().into_iter().map(describe).collect::<Vec<_>>(), fs::read(desk.path("f")).ok())
            };
            let before = look();
            let arguments = json!({"source": source, "destination": target, "overwrite": true});
            let called = call(&desk, tool, arguments.clone()).unwrap();
            let after = look();
            assert_ne!(after, before);
            let undone = call(&desk, "undo", json!({"call_id": called.id.to_string()})).unwrap();
            assert_eq!(look(), before, "{tool} {arguments}");
            call(&desk, "undo", json!({"call_id": undone.id.to_string()})).unwrap();
            assert_eq!(look(), after, "{tool} {arguments}");
        }
    }
}

#[test]
fn whoever_has_a_file_open_does_not_spoil_what_is_kept_of_it() {
    use std::io::Write;
    let desk = Desk::new();
    let path = desk.write("log", "old\n");
    let mut open = fs::OpenOptions::new().append(true).open(&path).unwrap();
    call(&desk, "write_file", json!({"path": "log", "content": "new\n"})).unwrap();
    open.write_all(b"more\n").unwrap();
    call(&desk, "undo", json!({})).unwrap();
    assert_eq!(desk.text("log"), "old\n");
}

#[cfg(unix)]
#[test]
fn a_large_file_that_was_spoilt_is_not_put_back() {
    use std::io::Write;
    let desk = Desk::new();
    let large = |name: &str| {
        let path = desk.path(name);
        let file = fs::File::create(&path).unwrap();
        file.set_len(state::MOST_HASHED + 1).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000)).unwrap();
        path
    };
    large("sound");
    let written = call(&desk, "write_file", json!({"path": "sound", "content": "new"})).unwrap();
    call(&desk, "undo", json!({"call_id": written.id.to_string()})).unwrap();
    assert_eq!(desk.path("sound").metadata().unwrap().len(), state::MOST_HASHED + 1);
    let mut open = fs::OpenOptions::new().write(true).open(large("spoilt")).unwrap();
    let written = call(&desk, "write_file", json!({"path": "spoilt", "content": "new"})).unwrap();
    open.write_all(b"other").unwrap();
    let error = call(&desk, "undo", json!({"call_id": written.id.to_string()})).unwrap_err();
    assert_eq!(error.code, "journal_damaged");
    assert_eq!(desk.text("spoilt"), "new");
}

#[test]
fn what_killed_calls_left_is_cleared_away() {
    let desk = Desk::new();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_mins(2);
    let leave = |name: String, is_old: bool| {
        desk.write(&name, "half");
        let file = fs::File::options().read(true).write(true).open(desk.path(&name)).unwrap();
        if is_old {
            file.set_modified(long_ago).unwrap();
        }
        (name, file)
    };
    let ours = |number: u32| format!("folder/.deskhand-{}-{number}.tmp", CallId::new());
    let (stale, _) = leave(ours(1), true);
    let (young, _) = leave(ours(2), false);
    let (held, lock) = leave(ours(3), true);
    lock.lock().unwrap();
    let (elsewhere, _) = leave(format!(".deskhand-{}-1.tmp", CallId::new()), true);
    let mut stays = vec![young, held.clone(), elsewhere];
    for name in
        [".deskhand-notes-1.tmp".to_owned(), ours(4).replace(".tmp", ".tmp2"), ours(5).replace("-5", "-x")]
    {
        let name = if name.starts_with("folder") { name } else { format!("folder/{name}") };
        stays.push(leave(name, true).0);
    }
    call(&desk, "write_file", json!({"path": "folder/f", "content": "x"})).unwrap();
    assert!(!desk.path(&stale).exists());
    for name in &stays {
        assert!(desk.path(name).exists(), "{name}");
    }
    drop(lock);
    call(&desk, "write_file", json!({"path": "folder/f", "content": "y"})).unwrap();
    assert!(!desk.path(held).exists());
}

#[test]
fn a_file_is_held_while_it_is_written() {
    let desk = Desk::new();
    let cx = desk.cx("test");
    let place = deskhand_guard::PathsOf::paths(&cx).unwrap();
    let place = place.writable(&deskhand_guard::PathArg::new("f")).unwrap();
    let mut changes = Changes::begin(&cx, "test").unwrap();
    let written = changes.replace_file(&place, Look::Kept, |_| {
        let name = desk.listing().pop().unwrap();
        assert!(fs::File::open(desk.path(name)).unwrap().try_lock().is_err());
        Ok(())
    });
    written.unwrap();
    assert!(fs::File::open(desk.path("f")).unwrap().try_lock().is_ok());
}

#[test]
fn a_file_that_grew_meanwhile_is_not_cut() {
    let desk = Desk::new();
    desk.write("f", "old\n");
    let appended =
        call(&desk, "write_file", json!({"path": "f", "content": "new", "mode": "append"})).unwrap();
    let arguments = json!({"call_id": appended.id.to_string()});
    let error = desk.call_after(Undo, arguments, |_, _| {
        // Of the same length, so that only the plan can tell.
        fs::write(desk.path("f"), "OLD\nnew").unwrap();
    });
    assert_eq!(error.unwrap_err().code, "plan_changed");
    assert_eq!(desk.text("f"), "OLD\nnew");
}

#[test]
fn a_much_smaller_file_in_place_of_another_is_asked() {
    let desk = Desk::new();
    desk.write("large", "x".repeat(2_000));
    desk.write("small", "y");
    desk.write("half", "z".repeat(1_000));
    let plan = |source: &str, moves: bool| {
        let arguments = json!({"source": source, "destination": "large", "overwrite": true});
        if moves { desk.plan(FileMove, arguments) } else { desk.plan(FileCopy, arguments) }.unwrap()
    };
    for moves in [false, true] {
        let asked = plan("small", moves);
        assert_eq!(asked.rule, "write:shrinks");
        assert_eq!(asked.permission, deskhand_core::Permission::Sensitive);
        assert!(asked.notes.iter().any(|note| note.contains("2000 bytes → 1 byte.")), "{:?}", asked.notes);
        assert_eq!(plan("half", moves).permission, deskhand_core::Permission::Moderate);
    }
}
