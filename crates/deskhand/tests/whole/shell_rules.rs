//! What decides about a command: paths, the network, confinement, lists and remembered answers.

use deskhand_core::{
    Answer, GrantBook, Mode, Permission, Remember, Request, Shape, Status,
    approval::{AnyAnswer, RememberScope},
};
use deskhand_guard::Paths;
use deskhand_tools::shell::ShellLists;
use serde_json::{Value, json};

use crate::support::{Desk, no, until, yes};

async fn explain(desk: &Desk, arguments: Value) -> deskhand_core::Explanation {
    desk.gate.explain(Request::new("bash", arguments), &desk.session).await.unwrap()
}

/// Whether the machine lets namespaces be made; Landlock alone cannot do what such a test is about.
fn has_namespaces(desk: &Desk) -> bool {
    let sandbox = desk.session.services.get::<deskhand_guard::sandbox::Sandbox>().unwrap();
    sandbox.in_force().unwrap().kind == "namespaces"
}

#[tokio::test]
async fn the_path_policy_holds_for_every_path_that_a_command_names() {
    let desk = Desk::new();
    desk.write(".env", "KEY=value\n");
    desk.write("a.txt", "a");
    std::os::unix::fs::symlink(desk.path(".env"), desk.path("link")).unwrap();
    for (path, permission, rule) in [
        ("./a.txt", Permission::Public, ""),
        ("./.env", Permission::Sensitive, "path:sensitive"),
        ("./link", Permission::Sensitive, "path:sensitive"),
        ("./missing/.env", Permission::Sensitive, "path:sensitive"),
        ("./missing", Permission::Public, ""),
        ("./.env*", Permission::Sensitive, "path:sensitive"),
        ("/srv/outside", Permission::Moderate, ""),
        ("/srv/outside/*", Permission::Moderate, ""),
    ] {
        let explained = explain(&desk, json!({"command": format!("cat {path}")})).await;
        assert_eq!(explained.permission, permission, "{path}: {}", explained.why);
        assert!(rule.is_empty() || explained.rule == rule, "{path}: {}", explained.rule);
    }
    let shapes = explain(&desk, json!({"command": "cat /srv/outside"})).await.plan.unwrap().shapes;
    let folder = shapes.iter().any(|shape| matches!(shape, Shape::Folder { .. }));
    assert!(!folder, "a yes about a folder is not offered for what runs");
    let explained = explain(&desk, json!({"command": "cat ./.env"})).await;
    assert_eq!(explained.plan.unwrap().touches.len(), 1, "it is named, so that it can be shown to what runs");
}

#[tokio::test]
async fn the_network_is_asked_about() {
    let desk = Desk::new();
    let explained = explain(&desk, json!({"command": "echo hi", "network": true})).await;
    assert_eq!((explained.permission, explained.rule.as_str()), (Permission::Moderate, "network"));
    let plan = explained.plan.unwrap();
    assert!(plan.with_network && plan.effects.network);
    assert!(plan.notes.iter().any(|note| note.contains("network")), "{:?}", plan.notes);
}

#[tokio::test]
async fn a_secret_that_was_approved_is_there_and_no_other() {
    let mut desk = Desk::new();
    if !has_namespaces(&desk) {
        return deskhand_testkit::skip("no namespaces can be made here");
    }
    desk.write(".env", "first=1\n");
    desk.write("sub/.env", "second=2\n");
    desk.write("name", ".env");
    desk.answer([yes(), yes()]);
    assert_eq!(desk.call("bash", json!({"command": "cat ./.env"})).await.data["stdout"], "first=1\n");
    let other = desk.call("bash", json!({"command": "touch x; cat ./.env sub/$(cat name)"})).await;
    assert!(!other.data["stdout"].as_str().unwrap().contains("second"), "{}", other.text);
}

#[tokio::test]
async fn nothing_runs_where_there_is_no_confinement() {
    let mut desk = Desk::new().mode(Mode::Auto);
    let paths: Paths = desk.session.services.get::<Paths>().unwrap().clone();
    desk.session.services =
        desk.session.services.clone().with(super::support::sandbox(&paths, &desk.data, "/no/launcher"));
    for arguments in [json!({"command": "echo hi"}), json!({"command": "touch x", "background": true})] {
        let outcome = desk.call("bash", arguments).await;
        assert_eq!((outcome.status, outcome.error.unwrap().code.as_str()), (Status::Blocked, "no_sandbox"));
    }
    assert!(!desk.path("x").exists());
}

#[tokio::test]
async fn the_mode_read_only_runs_commands_and_discards_their_changes() {
    let desk = Desk::new().mode(Mode::ReadOnly);
    assert!(desk.call("bash", json!({"command": "echo hi"})).await.is_success());
    let ran = desk.call("bash", json!({"command": "touch x"})).await;
    assert_eq!((ran.status, ran.kept), (Status::Success, Some(false)), "{}", ran.text);
    let background = desk.call("bash", json!({"command": "touch x", "background": true})).await;
    assert_eq!(background.status, Status::Blocked);
    assert!(!desk.path("x").exists());
}

#[tokio::test]
async fn lists_forbid_and_allow() {
    let mut desk = Desk::new();
    let list = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
    let lists = ShellLists {
        allow_only: list(&["touch *", "echo *"]),
        allow: list(&["touch *"]),
        deny: list(&["touch never"]),
    };
    desk.session.services = desk.session.services.clone().with(lists);
    for (command, status, rule) in [
        ("touch a", Status::Success, "shell:allow"),
        ("touch never", Status::Blocked, "shell:deny"),
        ("echo hi", Status::Success, ""),
        ("ls", Status::Blocked, "shell:allow_only"),
        ("touch a; ls", Status::Blocked, "shell:allow_only"),
    ] {
        let outcome = desk.call("bash", json!({"command": command})).await;
        assert_eq!(outcome.status, status, "{command}: {}", outcome.text);
        let said = outcome.error.map(|error| error.code).or(outcome.rule).unwrap_or_default();
        assert!(rule.is_empty() || said == rule, "{command}: {said}");
    }
    assert!(desk.path("a").exists() && !desk.path("never").exists());
    let asked = desk.call("bash", json!({"command": "touch a", "network": true})).await;
    assert_eq!(asked.status, Status::NobodyToAsk, "a list says nothing of the network");
}

fn pattern_of(explained: &deskhand_core::Explanation) -> Shape {
    let shapes = &explained.plan.as_ref().unwrap().shapes;
    assert!(!shapes.contains(&Shape::AnyArguments), "one yes is not a yes to every command");
    assert!(!shapes.iter().any(|shape| matches!(shape, Shape::Folder { .. })));
    shapes.iter().find(|shape| matches!(shape, Shape::Command { .. })).unwrap().clone()
}

#[tokio::test]
async fn a_yes_is_remembered_for_commands_like_it() {
    let mut desk = Desk::new();
    let background = |command: &str| json!({"command": command, "background": true});
    let shape = pattern_of(&explain(&desk, background("touch a")).await);
    assert!(shape.words("bash").contains("`touch *`"), "{}", shape.words("bash"));
    let remember = Some(Remember { scope: RememberScope::Workspace, shape, until: None });
    desk.answer([AnyAnswer::Execution(Answer::Yes { remember })]);
    assert!(desk.call("bash", background("touch a")).await.is_success());
    for (arguments, status) in [
        (background("touch b"), Status::Success),
        (background("touch c; touch d"), Status::Success),
        (background("touch e; mkdir f"), Status::NobodyToAsk),
        (json!({"command": "touch g", "network": true}), Status::NobodyToAsk),
        (json!({"argv": ["touch", "h"], "background": true}), Status::Success),
        (background("touch i > j"), Status::NobodyToAsk),
        (background("cd sub && touch i"), Status::NobodyToAsk),
        (background("echo k > l; touch i"), Status::NobodyToAsk),
        (background("touch i; PAGER=x git log"), Status::NobodyToAsk),
    ] {
        assert_eq!(desk.call("bash", arguments.clone()).await.status, status, "{arguments}");
    }
    until("the last one to end", async || desk.path("d").exists()).await;
    assert!(!desk.path("e").exists());
    assert!(desk.store.grants().list().unwrap()[0].words().contains("touch *"));
}

#[tokio::test]
async fn a_no_is_remembered_for_every_call_with_such_a_command() {
    let mut desk = Desk::new();
    let arguments = json!({"command": "touch a", "network": true});
    let shape = pattern_of(&explain(&desk, arguments.clone()).await);
    let remember = Some(Remember { scope: RememberScope::Session, shape, until: None });
    desk.answer([AnyAnswer::Execution(Answer::No { reason: None, remember }), no("not that either")]);
    assert_eq!(desk.call("bash", arguments).await.status, Status::ExecutionRejected);
    for command in ["mkdir x; touch b", "touch c", "(mkdir y && touch d)", "bash -c 'touch e'"] {
        let outcome = desk.call("bash", json!({"command": command})).await;
        assert_eq!(outcome.status, Status::ExecutionRejected, "{command}");
        assert!(!outcome.text.contains("either"), "{command} was asked about");
        assert_eq!(outcome.kept, None, "{command} did not run");
    }
}

#[tokio::test]
async fn the_plan_says_which_confinement_is_in_force() {
    let desk = Desk::new();
    let words = |explained: deskhand_core::Explanation| explained.plan.unwrap().confinement.unwrap();
    let without = words(explain(&desk, json!({"command": "touch x"})).await);
    assert!(without.contains("no network"), "{without}");
    let with = words(explain(&desk, json!({"command": "touch x", "network": true})).await);
    assert!(with.contains("with the network") && !with.contains("no network"), "{with}");
    assert!(without.contains("a layer over the workspace and"), "{without}");
    let background =
        async |command: &str| words(explain(&desk, json!({"command": command, "background": true})).await);
    let look = background("ls").await;
    assert!(
        !look.contains("the workspace and") && background("touch x").await.contains("the workspace and"),
        "{look}"
    );
}

/// A look-up that may reach the network unasked takes nothing else with it there.
#[tokio::test]
async fn a_look_up_gives_the_network_to_nothing_else() {
    let mut desk = Desk::new();
    if !has_namespaces(&desk) {
        return deskhand_testkit::skip("no namespaces can be made here");
    }
    let lists = ShellLists { allow: vec!["touch *".parse().unwrap()], ..ShellLists::default() };
    desk.session.services = desk.session.services.clone().with(lists);
    let own = std::fs::read_link("/proc/self/ns/net").unwrap().display().to_string();
    for (command, permission) in [
        ("touch a; readlink /proc/self/ns/net; false && ping -c 1 192.0.2.1", Permission::Public),
        ("readlink /proc/self/ns/net; cat .env; false && ping -c 1 192.0.2.1", Permission::Sensitive),
    ] {
        let explained = explain(&desk, json!({"command": command})).await;
        assert_eq!(explained.permission, permission, "{command}: {}", explained.why);
        assert!(explained.plan.unwrap().confinement.unwrap().contains("no network"), "{command}");
        desk.answer([yes()]);
        let ran = desk.call("bash", json!({"command": command})).await;
        assert!(!ran.data["stdout"].as_str().unwrap().contains(&own), "{command}: {}", ran.text);
    }
}

/// What decides which programs run cannot be changed by any way of setting a variable.
#[tokio::test]
async fn however_a_variable_is_set() {
    let desk = Desk::new();
    for command in [
        "PATH=bin; ls",
        "read PATH <<< bin; ls",
        "for PATH in bin; do ls; done",
        "mapfile PATH < x; ls",
        "BASH_CMDS[ls]=./x; ls",
        "declare -x GIT_EXTERNAL_DIFF=./x; git diff",
        "LESSOPEN='|./x'; export LESSOPEN; less a",
        "unset GIT_CONFIG_COUNT; git diff",
        "env -i git diff",
        "set -a; LESSOPEN='|./x'; less a",
        "x='a[$(./x)]'; [[ 1 -eq x ]]",
    ] {
        let explained = explain(&desk, json!({"command": command, "background": true})).await;
        assert!(explained.permission > Permission::Public, "{command}");
    }
}
