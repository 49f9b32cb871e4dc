//! Large deletions, and what may be deleted without one.

use super::*;

const MAKE_60: &str = "mkdir -p d; for i in $(seq 60); do echo $i > d/$i; done";

#[test]
fn large_deletions_of_what_nothing_brings_back_are_asked_about() {
    let untracked =
        Workspace::new(&format!("{MAKE_60}; head -c 11000000 /dev/zero > big; echo '*' > .gitignore"));
    assert_rules(
        &untracked,
        &[
            ("cd d; rm {1..51}", "large-delete"),
            ("cd d; rm {1..50}", "workspace-change"),
            ("rm -r d", "large-delete"),
            ("rm big", "large-delete"),
            ("echo x > big", "large-delete"),
            ("mv big big2", "workspace-change"),
            ("for f in d/*; do echo x >> $f; done", "large-delete"),
            ("cd d; for f in {1..50}; do echo x >> $f; done", "workspace-change"),
            ("cd d; for f in *; do mv $f x_$f; done", "workspace-change"),
            ("mkdir old; mv d/* old/", "workspace-change"),
            ("chmod 700 d/*", "workspace-change"),
            ("git init -q; rm -r d", "large-delete"),
        ],
    );
}

#[test]
fn what_the_session_made_may_go() {
    let mut workspace = Workspace::new(MAKE_60);
    workspace.made_by_session.push(workspace.path().join("d"));
    assert_rules(&workspace, &[("rm -r d", "workspace-change")]);
}

#[test]
fn clean_files_may_go() {
    let clean =
        Workspace::committed(&format!("{MAKE_60}; printf '/target/\\n' > .gitignore; echo x > d/.keep"));
    clean.bash(&clean.path(), "mkdir target; for i in $(seq 60); do echo $i > target/$i; done");
    assert_rules(
        &clean,
        &[
            ("rm -r d", "workspace-change"),
            ("for f in d/*; do echo x >> $f; done", "workspace-change"),
            ("git rm -rq d", "workspace-change"),
            ("rm -r target", "workspace-change"),
            ("mv target t2; rm -r t2", "workspace-change"),
            ("git rm -rq d; git commit -qm gone", "workspace-change"),
            // With its objects gone nothing is clean.
            ("rm -r d .git", "large-delete"),
            ("rm -r d .git/objects", "large-delete"),
            ("rm -r d; find .git/objects -type f -delete", "large-delete"),
            ("rm -r d; mv .git ../x; rm -r ../x", "large-delete"),
        ],
    );
}

#[test]
fn dirty_files_may_not_go() {
    let dirty = Workspace::committed(MAKE_60);
    dirty.bash(&dirty.path(), "for f in d/*; do echo dirty >> $f; done");
    assert_rules(
        &dirty,
        &[
            ("for f in d/*; do echo x >> $f; done", "large-delete"),
            ("rm -r d", "large-delete"),
            ("git checkout -q .", "large-delete"),
            // In Git by then, but not as the files were before.
            ("git add -A; git commit -qm all; rm -r d", "large-delete"),
        ],
    );
    dirty.bash(&dirty.path(), "git add -A; git update-index --assume-unchanged d/*");
    assert_rules(&dirty, &[("rm -r d", "large-delete")]);
}

#[test]
fn same_size_and_another_time_is_not_clean() {
    let workspace = Workspace::committed(MAKE_60);
    workspace.bash(&workspace.path(), "for f in d/*; do tr 0-9 a-j < $f > t; cat t > $f; done; rm t");
    assert_rules(&workspace, &[("rm -r d", "large-delete")]);
}

#[test]
fn tidying_up_of_git_is_not_large() {
    let workspace = Workspace::committed(&format!(
        "{MAKE_60}; git add -A; git commit -qm a; for i in $(seq 60); do git branch b$i; done"
    ));
    assert_rules(
        &workspace,
        &[
            ("git gc -q", "workspace-change"),
            ("git gc -q --prune=now; rm -r d", "workspace-change"),
            ("git pack-refs --all", "workspace-change"),
            ("rm -r .git/refs/heads/b*", "large-delete"),
            ("find .git/objects -type f -delete", "large-delete"),
        ],
    );
    workspace.bash(
        &workspace.path(),
        "git gc -q; head -c 11000000 /dev/urandom > r; git add r; git commit -qm r; git repack -q",
    );
    assert_rules(
        &workspace,
        &[
            ("git repack -qad", "workspace-change"),
            ("rm -f .git/objects/pack/*.pack", "large-delete"),
            ("rm -rf .git", "large-delete"),
        ],
    );
}

#[test]
fn clean_files_of_other_hashes_and_worktrees_are_known() {
    let long = Workspace::new("git init -q --object-format=sha256");
    long.bash(&long.path(), MAKE_60);
    age(&long.path(), SystemTime::now() - Duration::from_hours(1));
    long.bash(&long.path(), "git add -A; git commit -qm a");
    assert_rules(&long, &[("rm -r d", "workspace-change")]);
    let nested = Workspace::new("mkdir sub; cd sub; git init -q");
    nested.bash(&nested.path().join("sub"), MAKE_60);
    age(&nested.path(), SystemTime::now() - Duration::from_hours(1));
    nested.bash(&nested.path().join("sub"), "git add -A; git commit -qm a");
    assert_rules(&nested, &[("rm -r sub/d", "workspace-change"), ("rm -rf sub", "large-delete")]);
}

#[test]
fn many_files_are_judged_quickly() {
    let workspace = Workspace::new("true");
    let begun = std::time::Instant::now();
    let Some(judged) = workspace.judge("mkdir d; cd d; seq 20000 | split -l 1 -a 4") else { return };
    assert_eq!(judged.entries.len(), 20_000);
    assert_eq!(judged.rule, "effect:workspace-change");
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
}
