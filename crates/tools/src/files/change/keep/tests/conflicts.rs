use super::*;

#[test]
fn any_conflict_keeps_nothing() {
    if !can_make_whiteouts() {
        return;
    }
    type Disturb = fn(&Desk);
    let table: &[(&str, Disturb, &str)] = &[
        ("modified", |desk| drop(desk.write("changed", "mine")), "changed since"),
        ("touched", |desk| set_mode(&desk.path("changed"), 0o640), "changed since"),
        ("removed", |desk| fs::remove_file(desk.path("changed")).unwrap(), "removed since"),
        ("created", |desk| drop(desk.write("new-empty", "mine")), "created since"),
        ("in deleted tree", |desk| drop(desk.write("tree/mine", "mine")), "changed since"),
        (
            "folder became link",
            |desk| {
                fs::rename(desk.path("same"), desk.path("elsewhere")).unwrap();
                symlink("elsewhere", desk.path("same")).unwrap();
            },
            "reached through a link now",
        ),
    ];
    for (name, disturb, says) in table {
        let bench = Bench::new();
        fill(&bench.desk);
        let left = bench.run(change);
        disturb(&bench.desk);
        let now = bench.now();
        let error = bench.keep(left).unwrap_err();
        assert_eq!(error.code, "changed_since", "{name}: {error}");
        assert!(error.message.contains(says), "{name}: {error}");
        assert_eq!(bench.now(), now, "{name}");
        assert_eq!(bench.layers(), 0, "{name}");
        assert!(bench.desk.journal.recent(1).unwrap().is_empty(), "{name}");
    }
}

#[test]
fn file_changed_while_command_ran_is_a_conflict() {
    let bench = Bench::new();
    bench.desk.write("f", "old");
    let layer = bench.begin();
    std::thread::sleep(std::time::Duration::from_millis(20));
    bench.desk.write("f", "mine");
    fs::write(layer.roots()[0].upper.join("f"), "new").unwrap();
    let roots = read(&layer);
    let left = Left { layer, roots, before: Tree::new(), after: Tree::new() };
    let error = bench.keep(left).unwrap_err();
    assert!(error.message.contains("changed while the command ran"), "{error}");
    assert_eq!(bench.desk.text("f"), "mine");
}

#[test]
fn file_open_for_writing_is_a_conflict() {
    let bench = Bench::new();
    bench.desk.write("f", "old");
    bench.desk.write("read", "old");
    let open = fs::OpenOptions::new().append(true).open(bench.desk.path("f")).unwrap();
    let reading = fs::File::open(bench.desk.path("read")).unwrap();
    let error = bench.keep(bench.run(|w| fs::write(w.join("f"), "new").unwrap())).unwrap_err();
    assert!(error.message.contains("open for writing"), "{error}");
    assert_eq!(bench.desk.text("f"), "old");
    drop(open);
    bench.keep(bench.run(|w| fs::write(w.join("f"), "new").unwrap())).unwrap();
    bench.keep(bench.run(|w| fs::write(w.join("read"), "new").unwrap())).unwrap();
    drop(reading);
}

#[test]
fn git_at_work_is_a_conflict_and_its_lock_is_released() {
    let bench = Bench::new();
    bench.desk.write(".git/index", "old");
    bench.desk.write("f", "old");
    let commit = |w: &Path| {
        fs::write(w.join(".git/index"), "new").unwrap();
        fs::write(w.join("f"), "new").unwrap();
    };
    let left = bench.run(commit);
    bench.desk.write(".git/index.lock", "git");
    let error = bench.keep(left).unwrap_err();
    assert!(error.message.contains("git is busy"), "{error}");
    assert_eq!((bench.desk.text("f").as_str(), bench.desk.text(".git/index.lock").as_str()), ("old", "git"));
    // What is outside the git folder does not wait for it.
    bench.keep(bench.run(|w| fs::write(w.join("f"), "newer").unwrap())).unwrap();
    fs::remove_file(bench.desk.path(".git/index.lock")).unwrap();
    bench.keep(bench.run(commit)).unwrap();
    assert_eq!(bench.desk.text(".git/index"), "new");
    assert!(!bench.desk.path(".git/index.lock").exists());
}

#[test]
fn git_lock_is_held_while_actions_are_done() {
    let bench = Bench::new();
    bench.desk.write(".git/index", "old");
    let mut was_held = false;
    for step in 0.. {
        let left = bench.run(|w| fs::write(w.join(".git/index"), format!("new {step}")).unwrap());
        let after = left.after.clone();
        fault::crash_after(Some(step));
        let kept = bench.keep(left);
        let has_crashed = fault::has_crashed();
        fault::crash_after(None);
        let lock = bench.desk.path(".git/index.lock").exists();
        let is_done = bench.desk.text(".git/index") == format!("new {step}");
        was_held |= lock && !is_done;
        if !has_crashed {
            kept.unwrap();
            assert!(!lock);
            break;
        }
        bench.sweep().unwrap();
        assert!(!bench.desk.path(".git/index.lock").exists(), "step {step}");
        assert!(!is_done || bench.now() == after);
    }
    assert!(was_held);
}
