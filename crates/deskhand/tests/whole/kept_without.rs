//! Commands where no layer can be mounted, and those that a layer is not enough for: nothing is done silently.

use std::fs;

use deskhand_core::{Mode, Outcome, Permission, Plan, Runs, Status, Undoable};
use deskhand_testkit::SmallDisk;
use serde_json::json;

use crate::support::{Desk, no, plan_of, until, yes};

async fn bash(desk: &Desk, command: &str) -> Outcome {
    desk.call("bash", json!({"command": command})).await
}

/// A desk whose workspace has a mount in it, if one can be mounted here.
fn without_layer() -> Option<(Desk, SmallDisk)> {
    let desk = Desk::new();
    fs::create_dir(desk.path("inner")).unwrap();
    let disk = SmallDisk::mount_at(&desk.path("inner"), "size=1m")?;
    let sandbox = desk.session.services.get::<deskhand_guard::sandbox::Sandbox>().unwrap();
    assert!(sandbox.no_layer().is_some(), "a mount in the workspace, and a layer over it");
    desk.write("a.txt", "a\n");
    desk.write("folder/b.txt", "b\n");
    Some((desk, disk))
}

/// A desk whose commands run on a layer, if there is one here.
fn with_layer() -> Option<Desk> {
    let desk = Desk::new();
    let sandbox = desk.session.services.get::<deskhand_guard::sandbox::Sandbox>().unwrap();
    if sandbox.no_layer().is_some() {
        deskhand_testkit::skip("no layer can be mounted here");
        return None;
    }
    for name in ["folder/b.txt", "folder/deep/c.txt"] {
        desk.write(name, "b\n");
    }
    Some(desk)
}

fn is_direct(plan: &Plan) {
    assert_eq!(plan.runs, Some(Runs::Direct), "{plan:?}");
    assert!(matches!(plan.undo, Undoable::No(_)) && plan.changes.is_none(), "{plan:?}");
    assert!(plan.permission >= Permission::Moderate, "{plan:?}");
}

#[tokio::test]
async fn without_a_layer_looking_is_unasked_in_every_mode() {
    let Some((mut desk, _disk)) = without_layer() else { return };
    for mode in [Mode::Ask, Mode::Auto, Mode::ReadOnly, Mode::Unattended] {
        desk.session.mode = mode;
        for command in
            ["cat a.txt", "grep -c b folder/b.txt | sort; true", "python3 -c 'print(1)' || perl -e 'print 1'"]
        {
            let ran = bash(&desk, command).await;
            assert_eq!((ran.status, ran.kept), (Status::Success, None), "{mode} {command}: {}", ran.text);
        }
    }
}

#[tokio::test]
async fn without_a_layer_writing_is_asked_for_and_says_that_it_is_final() {
    let Some((mut desk, _disk)) = without_layer() else { return };
    for mode in [Mode::Ask, Mode::Auto] {
        desk.session.mode = mode;
        let name = format!("new-in-{mode}");
        for (answer, status) in [(no("no"), Status::ExecutionRejected), (yes(), Status::Success)] {
            let person = desk.answer([answer]);
            let ran = bash(&desk, &format!("cat a.txt > {name}")).await;
            assert_eq!((ran.status, ran.kept), (status, None), "{mode}: {}", ran.text);
            let asked = person.asked();
            assert_eq!(asked.len(), 1, "{mode}");
            is_direct(plan_of(&asked[0]));
            assert_eq!(desk.has(&name), status == Status::Success, "{mode}");
            assert!(ran.undo.is_none(), "{mode}");
        }
    }
}

#[tokio::test]
async fn without_a_layer_nobody_to_ask_means_no_writing() {
    let Some((mut desk, _disk)) = without_layer() else { return };
    for mode in [Mode::ReadOnly, Mode::Unattended, Mode::Auto] {
        desk.session.mode = mode;
        desk.answer([]);
        for command in ["rm a.txt", "python3 -c 'open(\"x\", \"w\")' || perl -e 'open(F, \">x\") or die $!'"]
        {
            let ran = bash(&desk, command).await;
            assert_ne!(ran.status, Status::Success, "{mode} {command}: {}", ran.text);
            assert_eq!(ran.kept, None);
            assert!(desk.has("a.txt") && !desk.has("x"), "{mode}: {command}");
        }
    }
    desk.session.mode = Mode::ReadOnly;
    assert_eq!(bash(&desk, "rm a.txt").await.status, Status::Blocked);
}

/// A layer cannot rename a folder of the real workspace: programs that do not copy instead get `EXDEV`.
#[tokio::test]
async fn renaming_a_folder_fails_with_the_way_to_run_it_directly() {
    for mode in [Mode::Ask, Mode::Auto] {
        let Some(mut desk) = with_layer() else { return };
        desk.session.mode = mode;
        desk.answer([yes()]);
        let git = "git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm first";
        assert!(bash(&desk, git).await.is_success());
        for (command, from, to) in [
            ("git mv folder moved", "folder", "moved"),
            ("python3 -c 'import os; os.rename(\"moved\", \"again\")'", "moved", "again"),
        ] {
            let before = desk.listing();
            let person = desk.answer([]);
            let failed = bash(&desk, command).await;
            assert_eq!(
                (failed.status, failed.kept),
                (Status::Error, None),
                "{mode} {command}: {}",
                failed.text
            );
            for words in ["cannot be renamed in one step", "`background`", "cannot be undone"] {
                assert!(failed.text.contains(words), "{mode} {command}: {}", failed.text);
            }
            assert_eq!((person.asked().len(), desk.listing()), (0, before), "{mode} {command}");
            let directly = json!({"command": command, "background": true});
            for (answer, status) in [(no("no"), Status::ExecutionRejected), (yes(), Status::Success)] {
                let person = desk.answer([answer]);
                let ran = desk.call("bash", directly.clone()).await;
                assert_eq!(ran.status, status, "{mode} {command}: {}", ran.text);
                is_direct(plan_of(&person.asked()[0]));
            }
            until("the folder has moved", async || !desk.has(from) && desk.has(&format!("{to}/deep/c.txt")))
                .await;
        }
        desk.session.mode = Mode::ReadOnly;
        desk.answer([]);
        let directly = json!({"command": "git mv again folder", "background": true});
        assert_eq!(desk.call("bash", directly).await.status, Status::Blocked);
        assert!(desk.has("again/b.txt"));
    }
}
