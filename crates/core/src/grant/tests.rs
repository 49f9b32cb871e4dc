//! What a remembered answer about commands covers.

use std::path::Path;

use serde_json::json;

use super::*;

fn running(commands: &[&str], cwd: &str, with_network: bool) -> Plan {
    let words = |command: &&str| command.split(' ').map(str::to_owned).collect();
    Plan {
        commands: commands.iter().map(words).collect(),
        cwd: Some(cwd.into()),
        with_network,
        ..Plan::new("Run")
    }
}

fn shape(pattern: &str, network: bool) -> Shape {
    Shape::Command { pattern: pattern.parse().unwrap(), folder: "/w".into(), network }
}

#[test]
fn a_yes_covers_a_call_only_if_every_command_matches() {
    let arguments = json!({});
    for (commands, cwd, covers, concerns) in [
        (&["git push origin main"][..], "/w", true, true),
        (&["git push origin a", "git push origin b"], "/w/sub", true, true),
        (&["git push origin main", "rm x"], "/w", false, true),
        (&["git push upstream"], "/w", false, false),
        (&["git push origin main"], "/elsewhere", false, true),
        (&["git push origin main"], "/workspace", false, true),
        (&[], "/w", false, false),
    ] {
        let plan = running(commands, cwd, false);
        let shape = shape("git push origin *", false);
        assert_eq!(shape.covers(&arguments, &plan), covers, "{commands:?} in {cwd}");
        assert_eq!(shape.concerns(&arguments, &plan), concerns, "{commands:?} in {cwd}");
    }
}

#[test]
fn the_network_is_covered_only_where_it_was_part_of_the_answer() {
    for (granted, asked, covers) in
        [(false, false, true), (false, true, false), (true, true, true), (true, false, true)]
    {
        let plan = running(&["curl x"], "/w", asked);
        assert_eq!(shape("curl *", granted).covers(&json!({}), &plan), covers, "{granted} {asked}");
        assert!(shape("curl *", granted).concerns(&json!({}), &plan));
    }
}

#[test]
fn wider_shapes_never_cover_what_runs() {
    let plan = running(&["make"], "/w", false);
    let folder = Shape::Folder { path: Path::new("/").into() };
    for wide in [Shape::AnyArguments, folder] {
        assert!(!wide.covers(&json!({}), &plan), "{wide:?}");
    }
    assert!(Shape::AnyArguments.concerns(&json!({}), &plan), "a no to all is a no to this");
    assert!(Shape::AnyArguments.covers(&json!({}), &Plan::new("Read")));
}

#[test]
fn a_yes_to_a_host_is_none_to_another_nor_to_more_than_that() {
    let shape = Shape::Host { host: "a.example".into() };
    let to = |hosts: &[&str]| Plan {
        hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
        ..Plan::new("Click")
    };
    for (hosts, covers, concerns) in [
        (&["a.example"][..], true, true),
        (&["b.example"], false, false),
        (&["a.example", "b.example"], false, true),
        (&["www.a.example"], false, false),
        (&[], false, false),
    ] {
        assert_eq!(shape.covers(&json!({}), &to(hosts)), covers, "{hosts:?}");
        assert_eq!(shape.concerns(&json!({}), &to(hosts)), concerns, "{hosts:?}");
    }
    let touch = crate::Touch {
        path: "/w/a".into(),
        access: crate::Access::Create,
        recursive: false,
        permission: crate::Permission::Moderate,
        rule: "r".into(),
        fingerprint: crate::Fingerprint::Absent,
    };
    let there = to(&["a.example"]);
    for more in [
        there.clone().touching(touch, "it writes"),
        Plan { programs: vec!["curl".into()], ..there.clone() },
        Plan { cwd: Some("/w".into()), ..there },
    ] {
        assert!(!shape.covers(&json!({}), &more), "{more:?}");
    }
    assert_eq!(shape.words("browser_click"), "browser_click on the host a.example");
    let kept = serde_json::to_value(&shape).unwrap();
    assert_eq!(kept, json!({"kind": "host", "host": "a.example"}));
    assert_eq!(serde_json::from_value::<Shape>(kept).unwrap(), shape);
}

#[test]
fn a_pattern_is_kept_as_text_and_said_in_words() {
    let shape = shape("cargo test *", true);
    let kept = serde_json::to_value(&shape).unwrap();
    assert_eq!(kept["pattern"], "cargo test *");
    assert_eq!(serde_json::from_value::<Shape>(kept).unwrap(), shape);
    assert_eq!(shape.words("bash"), "bash with commands like `cargo test *` in /w, with the network");
    let star = json!({"kind": "command", "pattern": "*", "folder": "/w", "network": false});
    assert!(serde_json::from_value::<Shape>(star).is_err());
}

#[test]
fn an_answer_counts_for_who_gave_it_and_a_no_of_the_installation_for_all() {
    let (ann, bob) = (Some("ann"), Some("bob"));
    for (effect, given_by, asked_for, counts) in [
        (GrantEffect::Allow, None, None, true),
        (GrantEffect::Allow, ann, ann, true),
        (GrantEffect::Allow, ann, bob, false),
        (GrantEffect::Allow, ann, None, false),
        (GrantEffect::Allow, None, ann, false),
        (GrantEffect::Deny, None, None, true),
        (GrantEffect::Deny, ann, ann, true),
        (GrantEffect::Deny, ann, bob, false),
        (GrantEffect::Deny, ann, None, false),
        (GrantEffect::Deny, None, ann, true),
    ] {
        let grant = Grant { owner: given_by.map(str::to_owned), ..of_all(effect) };
        let place =
            GrantPlace { owner: asked_for, session_id: "s", workspace: Path::new("/w"), now: Time::now() };
        let found = grant.matches("t", &json!({}), &Plan::new("x"), &place);
        assert_eq!(found, counts, "{effect:?} of {given_by:?} for {asked_for:?}");
    }
}

fn of_all(effect: GrantEffect) -> Grant {
    Grant {
        id: "g".into(),
        owner: None,
        effect,
        tool: "t".into(),
        shape: Shape::AnyArguments,
        scope: Scope::Always,
        until: None,
        created_at: Time::now(),
        created_by: "person:test".into(),
        reason: None,
    }
}

#[test]
fn whose_answer_it_is_is_written_where_it_is_not_the_installations() {
    let own = of_all(GrantEffect::Allow);
    let written = serde_json::to_value(&own).unwrap();
    assert!(written.get("owner").is_none(), "as it was before there were owners: {written}");
    assert_eq!(serde_json::from_value::<Grant>(written).unwrap(), own);
    let hers = Grant { owner: Some("ann".into()), ..own };
    let written = serde_json::to_value(&hers).unwrap();
    assert_eq!(serde_json::from_value::<Grant>(written).unwrap(), hers);
    assert!(hers.words().ends_with(", for ann"), "{}", hers.words());
}
