//! A process that is killed before each of its steps, and the start of the next one.

use super::*;

/// Keeps a mixed change set and is killed before each step in turn. `then` gets what is left.
fn each_crash(make: impl Fn() -> Option<Bench>, mut then: impl FnMut(usize, &Bench, &Tree, &Tree)) {
    if !can_make_whiteouts() {
        return;
    }
    let mut was_accepted = false;
    for step in 0.. {
        let Some(bench) = make() else { return };
        fill(&bench.desk);
        let left = bench.run(change);
        let (before, after) = (left.before.clone(), left.after.clone());
        let folder = left.layer.folder().to_path_buf();
        fault::crash_after(Some(step));
        let kept = bench.keep_but(left, &is_output);
        let has_crashed = fault::has_crashed();
        fault::crash_after(None);
        if !has_crashed {
            kept.unwrap();
            assert_eq!(bench.now(), after);
            assert!(was_accepted && step > 40, "{step} steps");
            return;
        }
        assert_eq!(kept.unwrap_err().code, "crashed");
        was_accepted |= accepted(&folder);
        then(step, &bench, &before, &after);
    }
}

/// All of it is so after the next start, and can be undone; or nothing is.
fn check_whole(step: usize, bench: &Bench, before: &Tree, after: &Tree) {
    let now = bench.now();
    let last = bench.desk.journal.recent(10).unwrap();
    if now == *after {
        let [entry] = last.as_slice() else { panic!("step {step}: {} entries", last.len()) };
        bench.undo(entry.call).unwrap_or_else(|error| panic!("step {step}: {error}"));
        let journaled =
            |tree: Tree| -> Tree { tree.into_iter().filter(|(path, _)| !is_output(path)).collect() };
        assert_eq!(journaled(bench.now()), journaled(before.clone()), "step {step}");
    } else {
        assert_eq!(now, *before, "step {step}");
        assert!(last.is_empty(), "step {step}: nothing to undo");
    }
    assert_eq!(bench.layers(), 0, "step {step}");
}

#[test]
fn crash_at_any_step_leaves_all_or_nothing() {
    crash_at_each_step();
}

#[cfg(target_os = "linux")]
#[test]
fn crash_of_ordinary_user_leaves_all_or_nothing() {
    deskhand_testkit::become_ordinary_user();
    crash_at_each_step();
}

fn crash_at_each_step() {
    let (mut backward, mut forward) = (0, 0);
    each_crash(
        || Some(Bench::new()),
        |step, bench, before, after| {
            let was_done = bench.now() == *after;
            bench.sweep().unwrap();
            let is_done = bench.now() == *after;
            assert!(is_done || !was_done);
            *if is_done { &mut forward } else { &mut backward } += 1;
            check_whole(step, bench, before, after);
        },
    );
    if can_make_whiteouts() {
        assert!(backward > 5 && forward > 20, "{backward} {forward}");
    }
}

#[test]
fn crash_while_finishing_is_finished_by_the_next_start() {
    each_crash(
        || Some(Bench::new()),
        |step, bench, before, after| {
            // The next start is killed as well, somewhere else each time.
            fault::crash_after(Some(step * 7 % 41));
            let _ = bench.sweep();
            fault::crash_after(None);
            bench.sweep().unwrap();
            check_whole(step, bench, before, after);
        },
    );
}

#[test]
fn crash_on_another_file_system_leaves_all_or_nothing() {
    let Some(disk) = crate::testing::SmallDisk::mount("size=64m") else { return };
    let number = std::cell::Cell::new(0);
    let make = || {
        number.set(number.get() + 1);
        let workspace = disk.path().join(number.get().to_string());
        fs::create_dir(&workspace).unwrap();
        Some(Bench::at(Desk::in_workspace(&workspace)))
    };
    each_crash(make, |step, bench, before, after| {
        bench.sweep().unwrap();
        // Before the acceptance, the copies stay for a while: nobody knows whose they are.
        for entry in fs::read_dir(&bench.desk.workspace).unwrap().flatten() {
            if entry.file_name().to_string_lossy().ends_with(".staging") {
                assert_ne!(bench.now(), *after);
                Command::new("rm").arg("-rf").arg(entry.path()).status().unwrap();
            }
        }
        check_whole(step, bench, before, after);
    });
}

#[test]
fn accepted_change_that_became_impossible_is_taken_back_whole() {
    let mut refused = 0;
    each_crash(
        || Some(Bench::new()),
        |step, bench, before, after| {
            // Somebody changes a file that was not replaced yet.
            let is_free = bench.desk.path("second-name").metadata().unwrap().len() == 1;
            if !is_free {
                return;
            }
            let mine = bench.desk.path("second-name");
            fs::write(&mine, "mine").unwrap();
            let (mut before, mut after) = (before.clone(), after.clone());
            for path in ["second-name", "same/stays"] {
                let entry = tree(&bench.desk.workspace)[Path::new(path)].clone();
                before.insert(path.into(), entry.clone());
                after.insert(path.into(), entry);
            }
            if let Err(error) = bench.sweep() {
                assert_eq!(error.code, "changed_since", "step {step}: {error}");
                refused += 1;
                bench.sweep().unwrap();
            }
            assert_eq!(bench.now(), before, "step {step}");
            assert!(bench.desk.journal.recent(1).unwrap().is_empty(), "step {step}");
            assert_eq!(bench.layers(), 0, "step {step}");
        },
    );
    if can_make_whiteouts() {
        assert!(refused > 5, "{refused}");
    }
}

#[test]
fn action_that_fails_takes_all_others_back() {
    let bench = Bench::new();
    fill(&bench.desk);
    fs::create_dir(bench.desk.path("zz-mount")).unwrap();
    // What something is mounted on cannot be renamed.
    let Some(_disk) = crate::testing::SmallDisk::mount_at(&bench.desk.path("zz-mount"), "size=1m") else {
        return;
    };
    if !can_make_whiteouts() {
        return;
    }
    let left = bench.run(|want| {
        change(want);
        fs::remove_dir(want.join("zz-mount")).unwrap();
    });
    let before = left.before.clone();
    let error = bench.keep(left).unwrap_err();
    assert!(error.message.contains("zz-mount"), "{error}");
    assert_eq!(bench.now(), before);
    assert!(bench.desk.journal.recent(1).unwrap().is_empty());
    assert_eq!(bench.layers(), 0);
}

#[test]
fn accepted_changes_wait_while_git_is_at_work() {
    let bench = Bench::new();
    bench.desk.write(".git/index", "old");
    for step in 0.. {
        let left = bench.run(|w| fs::write(w.join(".git/index"), "new").unwrap());
        let layer = left.layer.folder().to_path_buf();
        fault::crash_after(Some(step));
        let _ = bench.keep(left);
        fault::crash_after(None);
        if accepted(&layer) {
            bench.desk.write(".git/index.lock", "git");
            assert!(bench.sweep().unwrap_err().message.contains("git is busy"));
            assert_eq!(bench.desk.text(".git/index"), "old");
            fs::remove_file(bench.desk.path(".git/index.lock")).unwrap();
            bench.sweep().unwrap();
            assert_eq!(bench.desk.text(".git/index"), "new");
            return;
        }
        bench.sweep().unwrap();
    }
}

#[test]
fn file_lost_by_power_cut_is_not_kept() {
    let bench = Bench::new();
    bench.desk.write("f", "old");
    for step in 0.. {
        let left = bench.run(|w| fs::write(w.join("f"), "new").unwrap());
        let (layer, upper) = (left.layer.folder().to_path_buf(), left.layer.roots()[0].upper.join("f"));
        fault::crash_after(Some(step));
        let _ = bench.keep(left);
        fault::crash_after(None);
        if accepted(&layer) {
            // Its content never got to disk.
            fs::write(&upper, "").unwrap();
            assert_eq!(bench.sweep().unwrap_err().code, "changed_since");
            assert_eq!(bench.desk.text("f"), "old");
            return;
        }
        bench.sweep().unwrap();
    }
}

#[test]
fn finish_of_nothing_does_nothing() {
    let bench = Bench::new();
    finish(&bench.desk.data.join("layers/none"), bench.desk.journal.as_ref()).unwrap();
}
