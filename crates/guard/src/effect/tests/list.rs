//! The change list, its diff and what is left out of the journal.

use deskhand_core::changed::{ChangeKind, EntryType};

use super::*;

fn lines(judged: &Judged) -> Vec<String> {
    judged.entries.iter().map(ChangedEntry::line).collect()
}

#[test]
fn every_kind_of_change_has_its_line() {
    let workspace =
        Workspace::new("mkdir d; seq 3 > a; seq 9 > gone; seq 5 > run; ln -s a l; echo x > d/f; mkdir e");
    let rows: &[(&str, &[&str])] = &[
        ("seq 2 > new", &["A new (+2)"]),
        ("seq 4 > a", &["M a (+1)"]),
        ("rm gone", &["D gone (18 B)"]),
        ("chmod 755 run", &["mode run 644 -> 755"]),
        ("chmod 700 d", &["mode d/ 755 -> 700"]),
        ("chmod 755 run; echo >> run", &["M run (+1, mode 644 -> 755)"]),
        ("rm l; ln -s gone l", &["M l (a link)"]),
        ("rm -r d; echo x > d", &["M d (+1, was a folder)", "D d/f (2 B)"]),
        ("rm a; mkdir a; echo y > a/b", &["M a/ (-3, was a file)", "A a/b (+1)"]),
        ("mkdir n/o -p", &["A n/o/"]),
        ("rmdir e", &["D e/"]),
        ("rm -r d", &["D d/f (2 B)"]),
        ("touch a; cp a b; cat b > a; rm b", &[]),
        ("mkfifo p", &["A p (a special file)"]),
        ("head -c 9 /dev/zero > z", &["A z (9 B)"]),
    ];
    for (script, wanted) in rows {
        let Some(judged) = workspace.judge(script) else { return };
        assert_eq!(lines(&judged), *wanted, "{script}");
    }
}

#[test]
fn moves_are_known_by_their_content() {
    let workspace = Workspace::new(
        "mkdir -p d/e; seq 20 > a; echo 1 > s; echo 1 > t; touch d/__init__.py; seq 30 > d/f; seq 40 > d/e/g; ln -s f d/l",
    );
    let rows: &[(&str, &[&str])] = &[
        ("mv a b", &["R a -> b (51 B)"]),
        ("mv a d/a; chmod 755 d/a", &["R a -> d/a (51 B, mode 644 -> 755)"]),
        ("mv s x_s; mv t x_t", &["R s -> x_s (2 B)", "R t -> x_t (2 B)"]),
        ("rm s; sleep 0.02; echo 1 > new", &["A new (+1)", "D s (2 B)"]),
        ("mv d n", &["R d/ -> n/ (4 files, 192 B)"]),
        ("mkdir n; mv d n/d", &["R d/ -> n/d/ (4 files, 192 B)"]),
        (
            "mv d n; echo >> n/f",
            &[
                "D d/f (81 B)",
                "R d/__init__.py -> n/__init__.py",
                "R d/e/ -> n/e/ (111 B)",
                "A n/f (+31)",
                "R d/l -> n/l (a link)",
            ],
        ),
    ];
    for (script, wanted) in rows {
        let Some(judged) = workspace.judge(script) else { return };
        assert_eq!(lines(&judged), *wanted, "{script}");
    }
}

#[test]
fn ignored_output_is_one_line_for_each_folder() {
    let workspace = Workspace::committed(
        "printf 'target/\\n*.log\\n!keep.log\\n' > .gitignore; mkdir -p target src; seq 9 > target/tracked; git add -f target/tracked; echo x > src/a",
    );
    let script = "mkdir target/deep; seq 4 > target/deep/a; seq 5 > target/b; echo y > x.log; echo z > keep.log; \
                  echo 1 > src/1.log; echo 2 > src/2.log; echo >> target/tracked";
    let Some(judged) = workspace.judge(script) else { return };
    let wanted = [
        "A keep.log (+1)",
        "M target/tracked (+1)",
        "x.log: 1 file, 2 B, ignored by git",
        "src/: 2 files, 4 B, ignored by git",
        "target/: 2 files, 18 B, ignored by git",
    ];
    assert_eq!(lines(&judged), wanted);
    assert!(!judged.diff.contains("target/b"), "{}", judged.diff);
}

#[test]
fn ignore_file_of_the_command_hides_nothing() {
    let workspace = Workspace::committed("echo x > a");
    let script = "echo '*' > .gitignore; mkdir .git/info -p; echo '*' > .git/info/exclude; seq 9 > hidden";
    let Some(judged) = workspace.judge(script) else { return };
    assert!(judged.entries.iter().all(|entry| !entry.ignored), "{:?}", lines(&judged));
    let unversioned = Workspace::new("echo '*' > .gitignore");
    let Some(judged) = unversioned.judge("git init -q; seq 9 > hidden") else { return };
    assert!(judged.entries.iter().all(|entry| !entry.ignored), "{:?}", lines(&judged));
}

#[test]
fn what_runs_later_is_shown_though_it_is_ignored() {
    let workspace = Workspace::committed("echo '/out/' > .gitignore; mkdir out; echo x > out/a");
    let Some(judged) = workspace.judge("echo x > out/.envrc; echo y > out/a") else { return };
    assert_eq!(judged.rule, "effect:runs-later");
    let wanted = [
        "A out/.envrc (+1) [runs later: a shell runs it on entering the folder]",
        "out/a: 1 file, 2 B, ignored by git",
    ];
    assert_eq!(lines(&judged), wanted);
}

#[test]
fn diff_shows_what_matters_first_and_is_bounded() {
    let workspace = Workspace::new("seq 3 > a; seq 9 > gone");
    let Some(judged) = workspace.judge("seq 2 > a; rm gone; echo new > .envrc; head -c 99 /dev/zero > bin")
    else {
        return;
    };
    let wanted = "--- /dev/null\n+++ b/.envrc\n@@ -0,0 +1,1 @@\n+new\n\
                  --- a/gone\n+++ /dev/null\n@@ -1,9 +0,0 @@\n-1\n-2\n-3\n-4\n-5\n-6\n-7\n-8\n-9\n\
                  --- a/a\n+++ b/a\n@@ -1,3 +1,2 @@\n 1\n 2\n-3\n\
                  bin: a binary file of 99 B is new.\n";
    assert_eq!(judged.diff, wanted);
    let Some(judged) = workspace.judge("for i in $(seq 40); do seq 2000 > f$i; done") else { return };
    assert!(judged.diff.len() < 45_000, "{}", judged.diff.len());
    assert!(judged.diff.contains("more lines of f1 are not shown"), "{}", judged.diff);
    assert!(judged.diff.trim_end().ends_with("more files are not shown."), "{}", judged.diff);
    assert!(judged.entries.iter().all(|entry| entry.added == 2000));
}

#[test]
fn names_and_texts_cannot_forge_lines() {
    let workspace = Workspace::new("true");
    let script = "printf 'a\\033[2Jb\\r\\n' > $'x\\n+++ b y\\033'";
    let Some(judged) = workspace.judge(script) else { return };
    assert_eq!(judged.diff, "--- /dev/null\n+++ b/x␊+++ b y␛\n@@ -0,0 +1,1 @@\n+a␛[2Jb␍\n");
}

#[test]
fn output_beyond_the_budget_is_not_journaled() {
    let mut workspace = Workspace::committed("printf '/big/\\n/small/\\n*.log\\n' > .gitignore");
    workspace.budget = 1_000;
    let script =
        "mkdir big small; head -c 900 /dev/zero > big/a; head -c 800 /dev/zero > small/b; echo x > src";
    let Some(judged) = workspace.judge(script) else { return };
    assert_eq!(judged.unjournaled, [workspace.path().join("big")]);
    assert_eq!(judged.notes.len(), 1);
    assert_eq!(judged.permission, Permission::Moderate);
    let Some(judged) = workspace.judge("mkdir small; head -c 800 /dev/zero > small/b") else { return };
    assert!(judged.unjournaled.is_empty() && judged.notes.is_empty());
    let Some(judged) = workspace.judge("head -c 1100 /dev/zero > a.log; echo x > src") else { return };
    assert_eq!(judged.unjournaled, [workspace.path().join("a.log")], "the folder has more in it");
}

#[test]
fn no_change_is_public() {
    let workspace = Workspace::new("echo x > a");
    let Some(judged) = workspace.judge("touch a") else { return };
    assert_eq!((judged.permission, judged.rule.as_str()), (Permission::Public, "effect:none"));
    assert!(judged.entries.is_empty() && judged.diff.is_empty());
}

#[test]
fn moved_folder_has_its_count() {
    let workspace = Workspace::new("mkdir d; for i in $(seq 60); do echo $i > d/$i; done");
    let Some(judged) = workspace.judge("mv d n") else { return };
    let [entry] = judged.entries.as_slice() else { panic!("{:?}", lines(&judged)) };
    assert_eq!((entry.kind, entry.entry_type, entry.entries), (ChangeKind::Moved, EntryType::Folder, 60));
    assert_eq!(entry.from.as_deref(), Some(Path::new("d")));
    assert_eq!(judged.rule, "effect:workspace-change");
}
