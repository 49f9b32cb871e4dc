//! Commands on a layer, through the gate: what they change is shown, and kept or discarded.

use std::time::Duration;

use deskhand_core::{
    Answer, Mode, Outcome, Permission, Plan, Remember, Request, Runs, Shape, Status,
    approval::{AnyAnswer, RememberScope},
    changed::ChangeKind,
    gate::Keep,
};
use serde_json::{Value, json};

use crate::support::{Desk, no, plan_of, yes};

async fn bash(desk: &Desk, command: &str) -> Outcome {
    desk.call("bash", json!({"command": command})).await
}

/// Whether commands run on a layer here.
fn has_layer(desk: &Desk) -> bool {
    let sandbox = desk.session.services.get::<deskhand_guard::sandbox::Sandbox>().unwrap();
    sandbox.no_layer().is_none()
}

/// A desk in this mode, if commands run on a layer here.
fn layered(mode: Mode) -> Option<Desk> {
    let desk = Desk::new().mode(mode);
    if has_layer(&desk) {
        return Some(desk);
    }
    deskhand_testkit::skip("no layer can be mounted here");
    None
}

fn yes_to(shape: Shape) -> AnyAnswer {
    let remember = Some(Remember { scope: RememberScope::Session, shape, until: None });
    AnyAnswer::Execution(Answer::Yes { remember })
}

fn paths(outcome: &Outcome) -> Vec<String> {
    outcome.changes.iter().map(|entry| entry.path.display().to_string()).collect()
}

#[tokio::test]
async fn changes_are_shown_then_kept_and_undone() {
    let Some(mut desk) = layered(Mode::Ask) else { return };
    desk.write("a.txt", "one\ntwo\n");
    desk.write("old/b.txt", "b");
    let before = desk.listing();
    let person = desk.answer([yes()]);
    let ran = bash(&desk, "echo three >> a.txt; rm -r old; echo new > new.txt; echo said").await;
    assert!(ran.is_success(), "{}", ran.text);
    assert_eq!((ran.data["stdout"].as_str(), ran.kept), (Some("said\n"), Some(true)));
    let asked = person.asked();
    let [question] = asked.as_slice() else { panic!("{} questions", asked.len()) };
    let plan = plan_of(question);
    let changes = plan.changes.as_deref().unwrap();
    assert_eq!((changes.created, changes.modified), (1, 1), "{changes:?}");
    assert!(plan.preview.as_ref().unwrap().text().contains("+three"), "{:?}", plan.preview);
    assert_eq!(plan.permission, Permission::Moderate);
    assert!(ran.text.contains("A new.txt") && ran.text.contains("M a.txt (+1)"), "{}", ran.text);
    assert_eq!(desk.text("a.txt"), "one\ntwo\nthree\n");
    assert!(!desk.has("old") && desk.has("new.txt"));

    desk.session.mode = Mode::Auto;
    let undone = desk.call("undo", json!({"call_id": ran.undo.unwrap()})).await;
    assert!(undone.is_success(), "{}", undone.text);
    assert_eq!((desk.listing(), desk.text("a.txt")), (before, "one\ntwo\n".to_owned()));
}

#[tokio::test]
async fn changes_that_nobody_accepts_are_discarded_with_their_output() {
    let Some(mut desk) = layered(Mode::Ask) else { return };
    desk.write("a.txt", "a");
    for (answers, status) in [(vec![no("not now")], Status::ExecutionRejected), (vec![], Status::NobodyToAsk)]
    {
        desk.answer(answers);
        let ran = bash(&desk, "echo printed; rm a.txt").await;
        assert_eq!(ran.status, status, "{}", ran.text);
        assert_eq!((ran.kept, paths(&ran)), (Some(false), vec!["a.txt".to_owned()]));
        assert_eq!(ran.data["stdout"], "printed\n", "{}", ran.data);
        assert!(ran.text.contains("printed") && ran.text.contains("D a.txt"), "{}", ran.text);
        assert!(desk.has("a.txt") && ran.undo.is_none());
    }
}

#[tokio::test]
async fn each_mode_decides_by_the_table() {
    let Some(mut desk) = layered(Mode::Ask) else { return };
    for (mode, status, kept) in [
        (Mode::Auto, Status::Success, Some(true)),
        (Mode::ReadOnly, Status::Success, Some(false)),
        (Mode::Unattended, Status::NobodyToAsk, Some(false)),
        (Mode::Ask, Status::NobodyToAsk, Some(false)),
    ] {
        desk.session.mode = mode;
        let name = format!("made-in-{mode}");
        let ran = bash(&desk, &format!("touch {name}; echo hi")).await;
        assert_eq!((ran.status, ran.kept), (status, kept), "{mode}: {}", ran.text);
        assert_eq!(desk.has(&name), kept == Some(true), "{mode}");
        // What changes nothing runs everywhere.
        let looked = bash(&desk, "python3 -c 'print(1)' || perl -e 'print 1'").await;
        assert_eq!((looked.status, looked.kept), (Status::Success, None), "{mode}: {}", looked.text);
    }
}

#[tokio::test]
async fn what_runs_later_and_large_deletions_are_asked_every_time() {
    for mode in [Mode::Ask, Mode::Auto] {
        let Some(mut desk) = layered(mode) else { return };
        for n in 0..60 {
            desk.write(format!("many/{n}"), "x");
        }
        let workspace = desk.workspace.clone();
        let cover = || yes_to(Shape::Changes { workspace: workspace.clone() });
        desk.answer([cover()]);
        assert_eq!(bash(&desk, "touch first").await.kept, Some(true));
        for (command, rule) in [
            ("mkdir -p .github/workflows; echo x > .github/workflows/ci.yml", "effect:runs-later"),
            ("rm -r many", "effect:large-delete"),
        ] {
            let person = desk.answer([no("no")]);
            let ran = bash(&desk, command).await;
            assert_eq!(ran.status, Status::ExecutionRejected, "{mode}: {}", ran.text);
            let asked = person.asked();
            let plan: &Plan = plan_of(&asked[0]);
            assert_eq!((plan.rule.as_str(), plan.permission), (rule, Permission::Sensitive));
            assert!(plan.shapes.is_empty() && !asked[0].may_remember, "{:?}", plan.shapes);
        }
        for mode in [Mode::Unattended, Mode::ReadOnly] {
            desk.session.mode = mode;
            assert_eq!(bash(&desk, "rm -r many").await.kept, Some(false), "{mode}");
        }
        assert!(desk.has("many/7") && !desk.has(".github"));
    }
}

#[tokio::test]
async fn one_yes_covers_commands_and_file_tools_alike() {
    let Some(mut desk) = layered(Mode::Ask) else { return };
    let person = desk.answer([yes_to(Shape::Changes { workspace: desk.workspace.clone() })]);
    assert_eq!(bash(&desk, "touch first").await.kept, Some(true));
    let offered = &plan_of(&person.asked()[0]).shapes.clone();
    assert_eq!(offered, &[Shape::Changes { workspace: desk.workspace.clone() }]);
    // From here on nobody is asked.
    for command in ["touch second; mkdir d; mv first d/", "sed -i s/x/y/ second; rm second"] {
        assert_eq!(bash(&desk, command).await.kept, Some(true), "{command}");
    }
    let written = desk.call("write_file", json!({"path": "by-tool", "content": "x"})).await;
    assert!(written.is_success(), "{}", written.text);
    desk.session.mode = Mode::Unattended;
    assert_eq!(bash(&desk, "touch third").await.kept, Some(true));
    // It is no yes to the network, to what stays running, or to another place.
    for (tool, arguments) in [
        ("bash", json!({"command": "touch fourth", "network": true})),
        ("bash", json!({"command": "touch fourth; cat", "background": true})),
        ("write_file", json!({"path": desk.outside().join("x"), "content": "x"})),
    ] {
        let outcome = desk.call(tool, arguments.clone()).await;
        assert_eq!(outcome.status, Status::NobodyToAsk, "{arguments}: {}", outcome.text);
    }
    assert_eq!(person.asked().len(), 1);
}

#[tokio::test]
async fn explain_says_how_it_runs_and_what_becomes_of_a_change() {
    let Some(mut desk) = layered(Mode::Ask) else { return };
    for (mode, keep) in [
        (Mode::Ask, Keep::Ask),
        (Mode::Auto, Keep::Allow),
        (Mode::ReadOnly, Keep::Discard),
        (Mode::Unattended, Keep::Discard),
    ] {
        desk.session.mode = mode;
        let request = Request::new("bash", json!({"command": "make all"}));
        let explained = desk.gate.explain(request, &desk.session).await.unwrap();
        assert_eq!(
            (explained.decision, explained.runs, explained.keep),
            ("allow", Some(Runs::Layer), Some(keep)),
            "{mode}"
        );
    }
    desk.session.mode = Mode::Ask;
    let explain = async |arguments: Value| {
        desk.gate.explain(Request::new("bash", arguments), &desk.session).await.unwrap()
    };
    let background = explain(json!({"command": "touch x", "background": true})).await;
    assert_eq!((background.decision, background.runs), ("ask", Some(Runs::Direct)));
    for (command, rule) in [("sudo ls", "shell:privileges"), ("touch /srv/x", "path:outside-write")] {
        let refused = explain(json!({"command": command})).await;
        assert_eq!((refused.decision, refused.rule.as_str()), ("forbid", rule), "{command}");
    }
}

#[tokio::test]
async fn a_change_from_elsewhere_is_a_conflict_and_nothing_is_kept() {
    let Some(mut desk) = layered(Mode::Ask) else { return };
    desk.write("a.txt", "a");
    let path = desk.path("a.txt");
    desk.session.approvers = vec![crate::support::Person::taking_time(move |_| {
        let path = path.clone();
        Box::pin(async move {
            std::fs::write(path, "from elsewhere").unwrap();
            Some(yes())
        })
    })];
    let ran = bash(&desk, "echo b > a.txt; echo c > c.txt").await;
    assert_eq!((ran.status, ran.kept), (Status::Error, Some(false)), "{}", ran.text);
    assert_eq!(ran.error.unwrap().code, "changed_since");
    assert_eq!(desk.text("a.txt"), "from elsewhere");
    assert!(!desk.has("c.txt"));
}

#[tokio::test]
async fn commands_that_people_write_run_and_do_it() {
    let Some(mut desk) = layered(Mode::Auto) else { return };
    for name in ["one", "two"] {
        desk.write(name, name);
    }
    desk.write("empty", "");
    bash(&desk, "mkdir old").await;
    for command in [
        "set +H; echo hi! > greeting",
        "mv one two old/",
        "find . -size 0 -delete",
        "cd old; for f in *; do mv \"$f\" \"x_$f\"; done",
        "git init -q . 2>/dev/null; git config user.name a; git config user.email a@b",
        "git add -A; git commit -qm \"$(cat <<'EOF'\nA message\n\nwith (parentheses) and rm -rf /\nEOF\n)\"",
        "ln old/x_one hard; mkfifo pipe; ln -s old/x_two soft; chmod 700 old",
        "mkdir -p node_modules/a/b; for n in $(seq 300); do echo $n > node_modules/a/b/$n; done",
    ] {
        let ran = bash(&desk, command).await;
        assert!(ran.is_success(), "{command}: {}", ran.text);
    }
    assert_eq!(desk.text("old/x_one"), "one");
    assert!(
        !desk.has("empty") && desk.has("greeting") && desk.has("pipe") && desk.has("node_modules/a/b/300")
    );
    let log = bash(&desk, "git log --format=%s; git status --short | head -3; stat -c %a old").await;
    assert!(log.text.starts_with("A message"), "{}", log.text);
    assert_eq!(log.kept, None, "looking changes nothing: {}", log.text);
    // A folder of the layer's lower side is renamed by `mv` on a layer, too.
    desk.answer([]);
    let moved = bash(&desk, "mv old older").await;
    let kinds: Vec<ChangeKind> = moved.changes.iter().map(|entry| entry.kind).collect();
    assert!(moved.is_success() && desk.has("older/x_one"), "{kinds:?} {}", moved.text);
}

#[tokio::test]
async fn two_commands_in_one_workspace_take_turns() {
    let Some(desk) = layered(Mode::Auto) else { return };
    desk.write("count", "0");
    let add = "n=$(cat count); sleep 0.1; echo $((n + 1)) > count";
    let (one, two, three) = tokio::join!(bash(&desk, add), bash(&desk, add), bash(&desk, add));
    let kept = [one, two, three].iter().filter(|ran| ran.kept == Some(true)).count();
    // One that began before another was kept is a conflict; none is lost silently.
    assert_eq!(desk.text("count").trim(), kept.to_string());
    assert!(kept >= 1);
    tokio::time::timeout(Duration::from_secs(30), bash(&desk, "true")).await.unwrap();
}
