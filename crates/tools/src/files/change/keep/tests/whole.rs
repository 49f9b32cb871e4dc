use std::os::unix::fs::PermissionsExt;

use super::*;

type Change = fn(&Path);

/// Every way in which an entry of [`fill`]'s workspace can change.
fn kinds_of_change() -> Vec<(&'static str, Change)> {
    vec![
        ("create", |w| fs::write(w.join("new"), "x").unwrap()),
        ("create empty", |w| fs::create_dir(w.join("new")).unwrap()),
        ("create tree", |w| {
            fs::create_dir_all(w.join("n/m")).unwrap();
            fs::write(w.join("n/m/f"), "x").unwrap();
            symlink("m", w.join("n/l")).unwrap();
        }),
        ("create two names", |w| {
            fs::write(w.join("one"), "x").unwrap();
            fs::hard_link(w.join("one"), w.join("two")).unwrap();
        }),
        ("create in folder", |w| fs::write(w.join("same/new"), "x").unwrap()),
        ("create link", |w| symlink("../outside", w.join("new")).unwrap()),
        ("create pipe", |w| make_pipe(&w.join("new"))),
        ("create closed folder", |w| {
            fs::create_dir(w.join("n")).unwrap();
            fs::write(w.join("n/f"), "x").unwrap();
            set_mode(&w.join("n"), 0o500);
        }),
        ("create in closed folder", |w| {
            in_closed(&w.join("closed"), |closed| fs::write(closed.join("new"), "x").unwrap());
        }),
        ("modify", |w| fs::write(w.join("changed"), "new").unwrap()),
        ("modify to empty", |w| fs::write(w.join("changed"), "").unwrap()),
        ("modify and mode", |w| {
            fs::write(w.join("changed"), "new").unwrap();
            set_mode(&w.join("changed"), 0o700);
        }),
        ("modify second name", |w| {
            fs::remove_file(w.join("second-name")).unwrap();
            fs::write(w.join("second-name"), "new").unwrap();
        }),
        ("delete", |w| fs::remove_file(w.join("deleted")).unwrap()),
        ("delete second name", |w| fs::remove_file(w.join("second-name")).unwrap()),
        ("delete tree", |w| remove_tree(&w.join("tree"))),
        ("delete empty", |w| fs::remove_dir(w.join("empty")).unwrap()),
        ("delete link", |w| fs::remove_file(w.join("dead-link")).unwrap()),
        ("delete pipe", |w| fs::remove_file(w.join("pipe")).unwrap()),
        ("mode", |w| set_mode(&w.join("changed"), 0o755)),
        ("mode of pipe", |w| set_mode(&w.join("pipe"), 0o600)),
        ("mode of folder", |w| set_mode(&w.join("same"), 0o700)),
        ("mode of root", |w| set_mode(w, 0o700)),
        ("mode of folder and work in it", |w| {
            fs::write(w.join("same/new"), "x").unwrap();
            set_mode(&w.join("same"), 0o500);
        }),
        ("folder to file", |w| {
            remove_tree(&w.join("tree"));
            fs::write(w.join("tree"), "x").unwrap();
        }),
        ("file to folder", |w| {
            fs::remove_file(w.join("changed")).unwrap();
            fs::create_dir(w.join("changed")).unwrap();
            fs::write(w.join("changed/f"), "x").unwrap();
        }),
        ("file to link", |w| {
            fs::remove_file(w.join("changed")).unwrap();
            symlink("deleted", w.join("changed")).unwrap();
        }),
        ("link to file", |w| {
            fs::remove_file(w.join("link")).unwrap();
            fs::write(w.join("link"), "x").unwrap();
        }),
        ("link to folder", |w| {
            fs::remove_file(w.join("link")).unwrap();
            fs::create_dir(w.join("link")).unwrap();
        }),
        ("folder to link", |w| {
            remove_tree(&w.join("tree"));
            symlink("same", w.join("tree")).unwrap();
        }),
        ("pipe to file", |w| {
            fs::remove_file(w.join("pipe")).unwrap();
            fs::write(w.join("pipe"), "x").unwrap();
        }),
        ("link elsewhere", |w| {
            fs::remove_file(w.join("link")).unwrap();
            symlink("same", w.join("link")).unwrap();
        }),
        ("move", |w| fs::rename(w.join("tree"), w.join("same/moved")).unwrap()),
        ("all", change),
    ]
}

#[test]
fn each_kind_of_change_is_kept_and_undone_exactly() {
    keep_undo_and_redo_each_kind();
}

#[cfg(target_os = "linux")]
#[test]
fn ordinary_user_keeps_and_undoes_the_same() {
    deskhand_testkit::become_ordinary_user();
    keep_undo_and_redo_each_kind();
}

fn keep_undo_and_redo_each_kind() {
    if !can_make_whiteouts() {
        return;
    }
    for (name, command) in kinds_of_change() {
        let bench = Bench::new();
        fill(&bench.desk);
        let left = bench.run(command);
        let (before, after) = (left.before.clone(), left.after.clone());
        let (call, notes) = bench.keep(left).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(bench.now(), after, "{name}");
        assert_eq!(notes, [""; 0], "{name}");
        assert_eq!(bench.layers(), 0, "{name}");
        let undone = bench.undo(call).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(bench.now(), before, "{name}: undone");
        bench.undo(undone.id).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(bench.now(), after, "{name}: redone");
    }
}

#[test]
fn keep_copies_where_layer_is_on_another_file_system() {
    let Some(disk) = crate::testing::SmallDisk::mount("size=8m") else { return };
    if !can_make_whiteouts() {
        return;
    }
    let bench = Bench::at(Desk::in_workspace(disk.path()));
    fill(&bench.desk);
    let left = bench.run(change);
    let (before, after) = (left.before.clone(), left.after.clone());
    let (call, _) = bench.keep(left).unwrap();
    assert_eq!(bench.now(), after, "and no staging folder");
    bench.undo(call).unwrap();
    assert_eq!(bench.now(), before);
}

#[test]
fn undo_refuses_where_kept_changes_were_changed_since() {
    if !can_make_whiteouts() {
        return;
    }
    let table: &[(&str, Change, &str)] = &[
        ("modified", |w| fs::write(w.join("changed"), "mine").unwrap(), "changed"),
        ("in created tree", |w| fs::write(w.join("new/tree/mine"), "x").unwrap(), "mine in it is new"),
        ("created again", |w| fs::write(w.join("deleted"), "mine").unwrap(), "deleted"),
        ("mode", |w| set_mode(&w.join("mode"), 0o600), "its mode is 600 now"),
    ];
    for (name, disturb, says) in table {
        let bench = Bench::new();
        fill(&bench.desk);
        let (call, _) = bench.keep(bench.run(change)).unwrap();
        disturb(&bench.desk.workspace);
        let now = bench.now();
        let error = bench.undo(call).unwrap_err();
        assert_eq!(error.code, "changed_since", "{name}: {error}");
        assert!(error.message.contains(says), "{name}: {error}");
        assert_eq!(bench.now(), now, "{name}: nothing is changed");
    }
}

#[test]
fn undo_leaves_what_the_command_did_not_make() {
    let bench = Bench::new();
    bench.desk.write("f", "old");
    let left = bench.run(|w| {
        fs::write(w.join("f"), "new").unwrap();
        fs::create_dir(w.join("d")).unwrap();
    });
    let (call, _) = bench.keep(left).unwrap();
    bench.desk.write("mine", "x");
    fs::write(bench.desk.path("d/mine"), "x").unwrap();
    assert_eq!(bench.undo(call).unwrap_err().code, "changed_since");
    fs::remove_file(bench.desk.path("d/mine")).unwrap();
    bench.undo(call).unwrap();
    assert_eq!(bench.desk.listing(), ["f", "mine"]);
    assert_eq!(bench.desk.text("f"), "old");
}

#[test]
fn unjournaled_output_is_kept_and_undo_leaves_it() {
    if !can_make_whiteouts() {
        return;
    }
    let bench = Bench::new();
    fill(&bench.desk);
    let left = bench.run(change);
    let (mut before, after) = (left.before.clone(), left.after.clone());
    let (call, notes) = bench.keep_but(left, &is_output).unwrap();
    assert_eq!(bench.now(), after);
    let [note] = notes.as_slice() else { panic!("{notes:?}") };
    assert!(note.contains("4 entries (21 B)") && note.contains("cannot be undone"), "{note}");
    let steps = bench.desk.entry(call).unwrap().steps;
    let named = format!("{steps:?}");
    assert!(!named.contains("target/debug") && !named.contains("keeps/target"), "{named}");
    bench.undo(call).unwrap();
    // Whatever cannot be undone stays as the command left it.
    for path in ["target/debug/out", "target/debug/stale", "keeps/target", "keeps/target/out"] {
        let path = Path::new(path);
        before.remove(path);
        before.extend(after.get(path).map(|entry| (path.to_path_buf(), entry.clone())));
    }
    assert_eq!(bench.now(), before);
}

#[test]
fn nothing_is_journaled_where_plan_says_it_cannot_be_undone() {
    if !can_make_whiteouts() {
        return;
    }
    let bench = Bench::new();
    fill(&bench.desk);
    let left = bench.run(change);
    let after = left.after.clone();
    let cx = bench.desk.cx("bash");
    let plan = deskhand_core::Plan::new("Keep").not_undoable("It is too much.");
    let cx = cx.approved(std::sync::Arc::new(plan), cx.cancel_token().clone());
    let notes = keep(left.layer, left.roots, "Ran".to_owned(), &|_| false, &cx).unwrap();
    assert!(notes.iter().any(|note| note.contains("cannot be undone")), "{notes:?}");
    assert_eq!(bench.now(), after);
    assert_eq!(bench.desk.entry(cx.call_id()), None);
    assert_eq!(bench.layers(), 0);
}

#[test]
fn marks_devices_sockets_and_lent_rights_never_land() {
    if !can_make_whiteouts() {
        return;
    }
    let bench = Bench::new();
    bench.desk.write("old/f", "x");
    bench.desk.write("program", "x");
    let layer = bench.begin();
    let upper = layer.roots()[0].upper.clone();
    let new = upper.join("new");
    fs::create_dir(&new).unwrap();
    fs::write(new.join("lends"), "x").unwrap();
    set_mode(&new.join("lends"), 0o6755);
    fs::write(upper.join("program"), "changed").unwrap();
    set_mode(&upper.join("program"), 0o4755);
    make_whiteout(&new.join("whiteout"));
    let _socket = std::os::unix::net::UnixListener::bind(new.join("socket")).unwrap();
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
        let mode = Mode::from_raw_mode(0o666);
        mknodat(CWD, new.join("null"), FileType::CharacterDevice, mode, makedev(1, 3)).unwrap();
    }
    for (path, name) in
        [("new", "user.overlay.opaque"), ("new/lends", "user.overlay.origin"), ("new", "user.mine")]
    {
        let flags = rustix::fs::XattrFlags::empty();
        rustix::fs::lsetxattr(upper.join(path), name, b"y", flags).unwrap();
    }
    let roots = read(&layer);
    let left = Left { layer, roots, before: Tree::new(), after: Tree::new() };
    let (_, notes) = bench.keep(left).unwrap();
    let landed: Vec<_> = bench.now().into_keys().map(|path| path.display().to_string()).collect();
    assert_eq!(landed, ["", "new", "new/lends", "old", "old/f", "program"]);
    for (path, mode) in [("new/lends", 0o755), ("program", 0o755)] {
        assert_eq!(bench.desk.path(path).metadata().unwrap().permissions().mode() & 0o7777, mode, "{path}");
    }
    for (path, left) in [("new", "user.mine\0"), ("new/lends", "")] {
        let mut names = [0; 100];
        let length = rustix::fs::llistxattr(bench.desk.path(path), &mut names[..]).unwrap();
        assert_eq!(str::from_utf8(&names[..length]).unwrap(), left, "{path}");
    }
    let notes = notes.join("\n");
    assert!(notes.contains("A socket was not kept") && notes.contains("2 setuid or setgid bits"), "{notes}");
    assert_eq!(notes.contains("A device was not kept"), is_root, "{notes}");
}

#[test]
fn setuid_bit_alone_changes_nothing() {
    let bench = Bench::new();
    set_mode(&bench.desk.write("f", "x"), 0o755);
    let (call, notes) = bench.keep(bench.run(|w| set_mode(&w.join("f"), 0o4755))).unwrap();
    assert_eq!(bench.desk.path("f").metadata().unwrap().mode() & 0o7777, 0o755);
    assert!(notes[0].contains("setuid"), "{notes:?}");
    assert_eq!(bench.desk.entry(call), None);
}

#[test]
fn created_names_of_one_file_stay_one_file() {
    let bench = Bench::new();
    let left = bench.run(|w| {
        fs::write(w.join("one"), "x").unwrap();
        fs::hard_link(w.join("one"), w.join("two")).unwrap();
    });
    bench.keep(left).unwrap();
    let inode = |name| bench.desk.path(name).metadata().unwrap().ino();
    assert_eq!(inode("one"), inode("two"));
}

#[test]
fn deep_tree_is_kept() {
    let bench = Bench::new();
    let deep = ["d"; 400].join("/");
    bench.keep(bench.run(|w| fs::create_dir_all(w.join(&deep)).unwrap())).unwrap();
    assert!(bench.desk.path(&deep).is_dir());
}

#[test]
fn kept_command_is_named_by_the_files_it_changed() {
    let bench = Bench::new();
    bench.desk.write("f", "x");
    let (call, _) = bench.keep(bench.run(|w| fs::write(w.join("f"), "y").unwrap())).unwrap();
    let entry = bench.desk.entry(call).unwrap();
    assert_eq!((entry.tool.as_str(), entry.summary.as_str()), ("bash", "Ran a command"));
    assert_eq!(entry.paths(), [bench.desk.path("f")]);
    // Without an id it is the newest change.
    bench.desk.call(Undo, json!({})).unwrap();
    assert_eq!(bench.desk.text("f"), "x");
}

#[test]
fn ten_thousand_created_files_are_kept_in_time() {
    let bench = Bench::new();
    let layer = bench.begin();
    let upper = &layer.roots()[0].upper;
    for n in 0..10_000 {
        fs::write(upper.join(format!("file-{n}")), "some content").unwrap();
    }
    let roots = read(&layer);
    let left = Left { layer, roots, before: Tree::new(), after: Tree::new() };
    let begun = std::time::Instant::now();
    let (call, _) = bench.keep(left).unwrap();
    let took = begun.elapsed();
    eprintln!("kept in {took:?}");
    assert_eq!(bench.desk.listing().len(), 10_000);
    assert_eq!(bench.desk.entry(call).unwrap().steps.len(), 10_000);
    if !cfg!(debug_assertions) {
        assert!(took < std::time::Duration::from_millis(1_500), "{took:?}");
    }
}
