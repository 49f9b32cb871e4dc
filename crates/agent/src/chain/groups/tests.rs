use deskhand_core::{Access, Effects, Fingerprint, Permission, Touch};
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn touch(path: &str, access: Access, recursive: bool) -> Touch {
    Touch {
        path: path.into(),
        access,
        recursive,
        permission: Permission::Public,
        rule: "test".into(),
        fingerprint: Fingerprint::Absent,
    }
}

fn reads(path: &str) -> Footprint {
    Footprint::of(&Plan::new("read").touching(touch(path, Access::Read, false), ""), &work())
}

fn reads_all(path: &str) -> Footprint {
    Footprint::of(&Plan::new("grep").touching(touch(path, Access::Read, true), ""), &work())
}

fn writes(path: &str) -> Footprint {
    Footprint::of(&Plan::new("write").touching(touch(path, Access::Modify, false), ""), &work())
}

fn removes(path: &str) -> Footprint {
    Footprint::of(&Plan::new("delete").touching(touch(path, Access::Delete, true), ""), &work())
}

fn work() -> Vec<PathBuf> {
    vec![PathBuf::from("/w")]
}

fn command(effects: Effects) -> Footprint {
    let mut plan = Plan::new("run").effects(effects);
    plan.cwd = Some("/w/sub".into());
    plan.programs = vec!["make".into()];
    Footprint::of(&plan, &work())
}

fn builds() -> Footprint {
    command(Effects::EXECUTES.and(Effects::WRITES))
}

fn looks() -> Footprint {
    command(Effects::READS)
}

fn process(id: &str) -> Footprint {
    Footprint::default().with_arguments(&json!({"process_id": id}))
}

#[test]
fn what_conflicts_with_what() {
    let desktop = || Footprint::of(&Plan::new("click").effects(Effects::DESKTOP), &work());
    let nothing = Footprint::default;
    let cases = [
        // files
        (reads("/w/a"), reads("/w/a"), false),
        (reads("/w/a"), writes("/w/a"), true),
        (writes("/w/a"), writes("/w/a"), true),
        (writes("/w/a"), writes("/w/b"), false),
        (writes("/w/a"), reads("/w/b"), false),
        (writes("/w/ab"), writes("/w/a"), false),
        // folders
        (reads("/w"), writes("/w/a"), true),
        (reads("/w"), writes("/w/d/a"), false),
        (reads_all("/w"), writes("/w/d/a"), true),
        (reads_all("/w/d"), writes("/w/e"), false),
        (reads_all("/w"), reads("/w/d/a"), false),
        (removes("/w/d"), reads("/w/d/x/y"), true),
        (removes("/w/d"), writes("/w/d/x"), true),
        (removes("/w/d"), reads("/w/de"), false),
        (writes("/w/d"), writes("/w/d/x/y"), true),
        // programs
        (builds(), builds(), true),
        (builds(), reads("/w/a"), true),
        (builds(), writes("/w/other/a"), true),
        (builds(), looks(), true),
        (builds(), reads("/etc/hosts"), false),
        (builds(), nothing(), false),
        (looks(), looks(), false),
        (looks(), reads("/w/sub/a"), false),
        (looks(), writes("/w/sub/a"), true),
        (looks(), writes("/w/a"), false),
        // things
        (process("1"), process("1"), true),
        (process("1"), process("2"), false),
        (desktop(), desktop(), true),
        (desktop(), reads("/w/a"), false),
        (Footprint::unknown(), nothing(), true),
        (nothing(), nothing(), false),
    ];
    for (one, other, wanted) in cases {
        assert_eq!(one.conflicts(&other), wanted, "{one:?} {other:?}");
        assert_eq!(other.conflicts(&one), wanted, "{other:?} {one:?}");
    }
}

#[test]
fn what_is_not_known_is_not_taken_lightly() {
    let mut plan = Plan::new("run").effects(Effects::EXECUTES);
    plan.cwd = Some("/w".into());
    assert!(Footprint::of(&plan, &[]).unknown, "no folders: it may write anywhere");
    assert!(Footprint::of(&Plan::new("undo").effects(Effects::WRITES), &work()).unknown);
    assert!(!Footprint::of(&Plan::new("info"), &work()).unknown);
}

#[test]
fn order_is_kept_within_a_conflict_and_the_rest_runs_at_once() {
    let calls =
        [reads("/w/a"), writes("/w/b"), writes("/w/a"), reads("/w/b"), reads("/w/a"), reads("/etc/x")];
    assert_eq!(schedule(&calls), [vec![], vec![], vec![0], vec![1], vec![2], vec![]]);
}

fn any_footprint() -> impl Strategy<Value = Footprint> {
    let path = prop::sample::select(vec!["/w", "/w/a", "/w/a/b", "/w/c", "/w/a/b/c", "/etc/x"]);
    prop_oneof![
        path.clone().prop_map(reads),
        path.clone().prop_map(reads_all),
        path.clone().prop_map(writes),
        path.prop_map(removes),
        Just(builds()),
        Just(looks()),
        Just(Footprint::default()),
        Just(Footprint::unknown()),
        prop::sample::select(vec!["1", "2"]).prop_map(process),
    ]
}

/// Starts every call as soon as it may; returns when each began and ended. `lasts` is how long each takes.
fn simulate(waits_for: &[Vec<usize>], lasts: &[u32]) -> Vec<(u32, u32)> {
    let mut times: Vec<(u32, u32)> = Vec::new();
    for (at, earlier) in waits_for.iter().enumerate() {
        let begins = earlier.iter().map(|&e| times[e].1).max().unwrap_or(0);
        times.push((begins, begins + lasts[at]));
    }
    times
}

proptest! {
    #[test]
    fn conflicting_calls_never_overlap_and_keep_their_order(
        calls in prop::collection::vec((any_footprint(), 1_u32..9), 0..12),
    ) {
        let (footprints, lasts): (Vec<_>, Vec<_>) = calls.into_iter().unzip();
        let waits_for = schedule(&footprints);
        let times = simulate(&waits_for, &lasts);
        for later in 0..footprints.len() {
            for earlier in 0..later {
                if footprints[earlier].conflicts(&footprints[later]) {
                    prop_assert!(times[earlier].1 <= times[later].0);
                }
            }
            if (0..later).all(|earlier| !footprints[earlier].conflicts(&footprints[later])) {
                prop_assert_eq!(times[later].0, 0, "an independent call waits for nobody");
            }
        }
    }
}
