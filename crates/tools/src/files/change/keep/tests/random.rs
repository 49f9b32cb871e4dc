//! Keeping random changes and undoing them comes to nothing.

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Op {
    Write(String, u8),
    Folder(String),
    Link(String, u8),
    Remove(String),
    Mode(String, bool),
    Move(String, String),
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec("[abc]", 1..=3).prop_map(|parts| parts.join("/"))
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => (path(), any::<u8>()).prop_map(|(path, content)| Op::Write(path, content)),
        2 => path().prop_map(Op::Folder),
        1 => (path(), any::<u8>()).prop_map(|(path, to)| Op::Link(path, to)),
        3 => path().prop_map(Op::Remove),
        2 => (path(), any::<bool>()).prop_map(|(path, closed)| Op::Mode(path, closed)),
        1 => (path(), path()).prop_map(|(from, to)| Op::Move(from, to)),
    ]
}

/// Does what can be done: an operation on what is not there, or is something else, does nothing.
fn apply(op: &Op, root: &Path) {
    let at = |path: &str| root.join(path);
    // Not through links.
    let is_plain = |path: &str| {
        let above = Path::new(path).ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
        above
            .map(|above| root.join(above))
            .all(|above| above.symlink_metadata().is_ok_and(|meta| meta.is_dir()))
    };
    let kind = |path: &str| at(path).symlink_metadata().map(|meta| meta.file_type()).ok();
    match op {
        Op::Write(path, content) if is_plain(path) && kind(path).is_none_or(|kind| kind.is_file()) => {
            fs::write(at(path), vec![*content; usize::from(*content % 7)]).unwrap();
        }
        Op::Folder(path) if is_plain(path) && kind(path).is_none() => fs::create_dir(at(path)).unwrap(),
        Op::Link(path, to) if is_plain(path) && kind(path).is_none() => {
            symlink(format!("to-{}", to % 3), at(path)).unwrap();
        }
        Op::Remove(path) if is_plain(path) => {
            let _ = fs::remove_file(at(path)).or_else(|_| fs::remove_dir_all(at(path)));
        }
        Op::Mode(path, closed) if is_plain(path) && kind(path).is_some_and(|kind| !kind.is_symlink()) => {
            set_mode(&at(path), if *closed { 0o500 } else { 0o755 });
        }
        Op::Move(from, to) if is_plain(from) && is_plain(to) && kind(to).is_none() => {
            let _ = fs::rename(at(from), at(to));
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn keep_and_undo_is_identity(
        first in prop::collection::vec(op(), 0..25),
        then in prop::collection::vec(op(), 1..25),
        crash in prop::option::of(0_usize..60),
    ) {
        if !can_make_whiteouts() {
            return Ok(());
        }
        let bench = Bench::new();
        for op in &first {
            apply(op, &bench.desk.workspace);
        }
        let left = bench.run(|want| {
            for op in &then {
                apply(op, want);
            }
        });
        let (before, after) = (left.before.clone(), left.after.clone());
        if left.roots[0].changes.is_empty() {
            return Ok(());
        }
        fault::crash_after(crash);
        let kept = bench.keep(left);
        let has_crashed = fault::has_crashed();
        fault::crash_after(None);
        let call = if has_crashed {
            bench.sweep().unwrap();
            bench.desk.journal.recent(1).unwrap().first().map(|entry| entry.call)
        } else {
            Some(kept.unwrap().0)
        };
        prop_assert!(has_crashed || bench.now() == after);
        if let Some(call) = call {
            prop_assert_eq!(bench.now(), after);
            bench.undo(call).unwrap();
        }
        prop_assert_eq!(bench.now(), before);
    }
}
