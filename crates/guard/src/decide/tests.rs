//! Every branch of the decision, as tables.

use std::{
    path::{Path, PathBuf},
    sync::LazyLock,
    time::Duration,
};

use deskhand_core::{
    Access, Effects, Fingerprint, Outside, Plan, Scope, Shape, StoreError, ToolSettings, Touch,
};
use serde_json::{Value, json};

use super::*;

#[derive(Default)]
struct Book {
    grants: Vec<Grant>,
    broken: bool,
}

impl GrantBook for Book {
    fn for_tool(&self, tool: &str, _: Time) -> StoreResult<Vec<Grant>> {
        if self.broken {
            return Err(StoreError::new("read the grants", std::io::Error::other("broken")));
        }
        // Expired ones included, and a yes before a no: neither order nor time is left to the book.
        Ok(self.grants.iter().filter(|grant| grant.tool == tool).cloned().collect())
    }
    fn add(&self, _: &Grant) -> StoreResult<()> {
        Ok(())
    }
    fn list(&self) -> StoreResult<Vec<Grant>> {
        Ok(self.grants.clone())
    }
    fn revoke(&self, _: &str) -> StoreResult<bool> {
        Ok(false)
    }
}

fn grant(id: &str, effect: GrantEffect, shape: Shape, scope: Scope) -> Grant {
    Grant {
        id: id.to_owned(),
        owner: None,
        effect,
        tool: "write_file".to_owned(),
        shape,
        scope,
        until: None,
        created_at: Time::now(),
        created_by: "person:test".to_owned(),
        reason: (effect == GrantEffect::Deny).then(|| "not this one".to_owned()),
    }
}

fn yes(shape: Shape, scope: Scope) -> Grant {
    grant("yes", GrantEffect::Allow, shape, scope)
}

fn no() -> Grant {
    grant("no", GrantEffect::Deny, Shape::AnyArguments, Scope::Always)
}

fn touch(path: &str, permission: Permission) -> Touch {
    let access = if permission == Permission::Public { Access::Read } else { Access::Modify };
    let path = PathBuf::from(path);
    Touch {
        path,
        access,
        recursive: false,
        permission,
        rule: "path:rule".into(),
        fingerprint: Fingerprint::Absent,
    }
}

fn plan(permission: Permission) -> Plan {
    Plan::new("does it").touching(touch("/w/a/b.txt", permission), "because of the path")
}

struct Case {
    plan: Plan,
    arguments: Value,
    mode: Mode,
    setting: Option<bool>,
    grants: Vec<Grant>,
}

impl Case {
    fn new(permission: Permission, mode: Mode) -> Self {
        Self {
            plan: plan(permission),
            arguments: json!({"path": "a/b.txt", "text": "x"}),
            mode,
            setting: None,
            grants: vec![],
        }
    }

    fn setting(self, setting: bool) -> Self {
        Self { setting: Some(setting), ..self }
    }

    fn grants(self, grants: impl Into<Vec<Grant>>) -> Self {
        Self { grants: grants.into(), ..self }
    }

    fn decide(self) -> Decision {
        let Self { plan, arguments, mode, setting, grants } = self;
        let rules = Rules::new(Arc::new(Book { grants, ..Book::default() }));
        rules.decide(&question(&plan, &arguments, mode, setting)).unwrap()
    }
}

fn question<'a>(plan: &'a Plan, arguments: &'a Value, mode: Mode, setting: Option<bool>) -> Question<'a> {
    Question {
        tool: "write_file",
        arguments,
        plan,
        mode,
        session_id: "s1",
        owner: None,
        desktop: &Desktop::Here,
        workspace: Path::new("/w"),
        settings: ToolSettings { requires_execution_approval: setting, ..ToolSettings::default() },
        outside: &NOTHING_FROM_OUTSIDE,
    }
}

static NOTHING_FROM_OUTSIDE: LazyLock<Outside> = LazyLock::new(Outside::default);

#[test]
fn text_from_outside_takes_every_remembered_yes_away() {
    let outside = Outside::default();
    outside.mark("a.example");
    let rules = Rules::new(Arc::new(Book {
        grants: vec![yes(Shape::AnyArguments, Scope::Always)],
        ..Book::default()
    }));
    let runs = plan(Moderate).effects(Effects::EXECUTES);
    let arguments = json!({});
    let decide = |plan: &Plan, mode, outside: &Outside| {
        rules.decide(&Question { outside, ..question(plan, &arguments, mode, None) }).unwrap()
    };
    for (mode, verdict) in [(Ask, Verdict::Ask), (Auto, Verdict::Ask), (Unattended, Verdict::NobodyToAsk)] {
        let decision = decide(&runs, mode, &outside);
        assert_eq!((decision.verdict, decision.permission), (verdict, Sensitive), "{mode}");
        assert_eq!(decide(&runs, mode, &NOTHING_FROM_OUTSIDE).verdict, Verdict::Allow, "{mode}");
    }
    assert_eq!(
        decide(&plan(Moderate), Auto, &outside).verdict,
        Verdict::Allow,
        "work in the workspace goes on"
    );
    assert_eq!(decide(&plan(Forbidden), Ask, &outside).verdict, Verdict::Block);
    let mut reaches = plan(Public);
    reaches.hosts = vec!["b.example".to_owned()];
    assert_eq!(decide(&reaches, Auto, &outside).rule, "outside:tainted");
}

#[test]
fn who_says_yes_to_a_host_has_named_it() {
    let outside = Outside::default();
    outside.mark("a.example");
    let host = |name: &str| Shape::Host { host: name.to_owned() };
    let mut acts = plan(Moderate);
    acts.hosts = vec!["b.example".to_owned()];
    acts.shapes = vec![host("b.example")];
    acts.touches.clear();
    let arguments = json!({});
    let decide = |plan: &Plan, mode, grants: Vec<Grant>| {
        let rules = Rules::new(Arc::new(Book { grants, ..Book::default() }));
        rules.decide(&Question { outside: &outside, ..question(plan, &arguments, mode, None) }).unwrap()
    };
    let asked = decide(&acts, Auto, vec![]);
    assert!(asked.wants_host_named && asked.may_remember());
    assert_eq!((asked.verdict, asked.rule.as_str()), (Verdict::Ask, "outside:tainted"));
    let named = || yes(host("b.example"), Scope::Session { id: "s1".into() });
    for mode in [Ask, Auto, Unattended] {
        assert_eq!(decide(&acts, mode, vec![named()]).verdict, Verdict::Allow, "{mode}");
        assert_ne!(decide(&acts, mode, vec![yes(host("c.example"), Scope::Always)]).verdict, Verdict::Allow);
        assert_ne!(
            decide(&acts, mode, vec![yes(Shape::AnyArguments, Scope::Always)]).verdict,
            Verdict::Allow
        );
    }
    // Another host beside it, a program, or what is sensitive in itself is more than was said yes to.
    let two = Plan { hosts: vec!["b.example".to_owned(), "c.example".to_owned()], ..acts.clone() };
    let runs = acts.clone().effects(Effects::EXECUTES);
    let sends = Plan { permission: Sensitive, ..acts.clone() };
    for more in [two, runs, sends] {
        let decision = decide(&more, Auto, vec![named()]);
        assert_eq!(decision.verdict, Verdict::Ask, "{more:?}");
        assert!(!decision.may_remember(), "{more:?}");
    }
}

use Mode::{Ask, Auto, ReadOnly, Unattended};
use Permission::{Forbidden, Moderate, Public, Sensitive};

const SETTING: &str = "config:tools.write_file.requires_execution_approval";
const PATH: &str = "path:rule";

#[test]
fn permission_mode_and_setting() {
    #[rustfmt::skip]
    let table = [
        // permission, mode, setting → verdict, permission in force, rule
        (Public, Ask, None, Verdict::Allow, Public, PATH),
        (Public, Auto, None, Verdict::Allow, Public, PATH),
        (Public, ReadOnly, None, Verdict::Allow, Public, PATH),
        (Public, Unattended, None, Verdict::Allow, Public, PATH),
        (Public, Ask, Some(false), Verdict::Allow, Public, PATH),
        (Public, Ask, Some(true), Verdict::Ask, Moderate, SETTING),
        (Public, Auto, Some(true), Verdict::Ask, Moderate, SETTING),
        (Public, ReadOnly, Some(true), Verdict::Ask, Moderate, SETTING),
        (Public, Unattended, Some(true), Verdict::NobodyToAsk, Moderate, "mode:unattended"),
        (Moderate, Ask, None, Verdict::Ask, Moderate, PATH),
        (Moderate, Auto, None, Verdict::Allow, Moderate, "mode:auto"),
        (Moderate, ReadOnly, None, Verdict::Block, Moderate, "mode:read-only"),
        (Moderate, Unattended, None, Verdict::NobodyToAsk, Moderate, "mode:unattended"),
        (Moderate, Ask, Some(false), Verdict::Allow, Moderate, SETTING),
        (Moderate, Unattended, Some(false), Verdict::Allow, Moderate, SETTING),
        (Moderate, ReadOnly, Some(false), Verdict::Block, Moderate, "mode:read-only"),
        (Moderate, Ask, Some(true), Verdict::Ask, Moderate, PATH),
        (Moderate, Auto, Some(true), Verdict::Ask, Moderate, PATH),
        (Moderate, Unattended, Some(true), Verdict::NobodyToAsk, Moderate, "mode:unattended"),
        (Sensitive, Ask, None, Verdict::Ask, Sensitive, PATH),
        (Sensitive, Auto, None, Verdict::Ask, Sensitive, PATH),
        (Sensitive, ReadOnly, None, Verdict::Block, Sensitive, "mode:read-only"),
        (Sensitive, Unattended, None, Verdict::NobodyToAsk, Sensitive, "mode:unattended"),
        (Sensitive, Ask, Some(false), Verdict::Ask, Sensitive, PATH),
        (Sensitive, Auto, Some(true), Verdict::Ask, Sensitive, PATH),
        (Forbidden, Ask, None, Verdict::Block, Forbidden, PATH),
        (Forbidden, Auto, Some(false), Verdict::Block, Forbidden, PATH),
        (Forbidden, ReadOnly, None, Verdict::Block, Forbidden, PATH),
        (Forbidden, Unattended, Some(true), Verdict::Block, Forbidden, PATH),
    ];
    for (permission, mode, setting, verdict, in_force, rule) in table {
        let decision = Case { setting, ..Case::new(permission, mode) }.decide();
        let said = format!("{permission} in {mode} with {setting:?}: {decision:?}");
        assert_eq!(
            (decision.verdict, decision.permission, decision.rule.as_str()),
            (verdict, in_force, rule),
            "{said}"
        );
        assert!(!decision.why.is_empty(), "{said}");
    }
}

#[test]
fn a_remembered_answer() {
    let any = || yes(Shape::AnyArguments, Scope::Always);
    #[rustfmt::skip]
    let table = [
        (Case::new(Moderate, Ask).grants([any()]), Verdict::Allow, "grant:yes"),
        (Case::new(Moderate, Unattended).grants([any()]), Verdict::Allow, "grant:yes"),
        (Case::new(Moderate, ReadOnly).grants([any()]), Verdict::Block, "mode:read-only"),
        (Case::new(Moderate, Auto).setting(true).grants([any()]), Verdict::Allow, "grant:yes"),
        (Case::new(Public, Unattended).setting(true).grants([any()]), Verdict::Allow, "grant:yes"),
        (Case::new(Sensitive, Ask).grants([any()]), Verdict::Ask, PATH),
        (Case::new(Sensitive, Auto).setting(false).grants([any()]), Verdict::Ask, PATH),
        (Case::new(Sensitive, Unattended).grants([any()]), Verdict::NobodyToAsk, "mode:unattended"),
        (Case::new(Forbidden, Ask).grants([any()]), Verdict::Block, PATH),
        (Case::new(Moderate, Ask).grants([any(), no()]), Verdict::Reject, "grant:no"),
        (Case::new(Moderate, Auto).grants([no()]), Verdict::Reject, "grant:no"),
        (Case::new(Moderate, Ask).setting(false).grants([no()]), Verdict::Reject, "grant:no"),
        (Case::new(Sensitive, Ask).grants([no()]), Verdict::Reject, "grant:no"),
        (Case::new(Sensitive, Unattended).grants([no()]), Verdict::Reject, "grant:no"),
        (Case::new(Forbidden, Ask).grants([no()]), Verdict::Block, PATH),
        (Case::new(Moderate, Ask).grants([Grant { tool: "other".into(), ..any() }]), Verdict::Ask, PATH),
    ];
    for (i, (case, verdict, rule)) in table.into_iter().enumerate() {
        let decision = case.decide();
        assert_eq!((&decision.verdict, decision.rule.as_str()), (&verdict, rule), "case {i}: {decision:?}");
    }
}

#[test]
fn a_grant_is_valid_where_and_while_it_says() {
    let any = |scope| yes(Shape::AnyArguments, scope);
    let hour = Duration::from_hours(1);
    let until = |until| Grant { until: Some(until), ..any(Scope::Always) };
    #[rustfmt::skip]
    let table = [
        (any(Scope::Session { id: "s1".into() }), true),
        (any(Scope::Session { id: "s2".into() }), false),
        (any(Scope::Workspace { path: "/w".into() }), true),
        (any(Scope::Workspace { path: "/w2".into() }), false),
        (any(Scope::Workspace { path: "/w/a".into() }), false),
        (any(Scope::Always), true),
        (until(Time::now().plus(hour)), true),
        (until(Time::now().minus(hour)), false),
    ];
    for (grant, covers) in table {
        let words = grant.words();
        let verdict = Case::new(Moderate, Ask).grants([grant]).decide().verdict;
        assert_eq!(verdict == Verdict::Allow, covers, "{words}");
    }
    let expired_no = Grant { until: Some(Time::now().minus(hour)), ..no() };
    assert_eq!(Case::new(Moderate, Auto).grants([expired_no]).decide().verdict, Verdict::Allow);
}

#[test]
fn a_grant_covers_its_shape_and_no_more() {
    let exact = |arguments: &str, path: &str| {
        let plan = Plan::new("").touching(touch(path, Permission::Moderate), "");
        Shape::exact(&serde_json::from_str(arguments).unwrap(), &plan, String::new())
    };
    let folder = |path: &str| Shape::Folder { path: path.into() };
    #[rustfmt::skip]
    let table = [
        (exact(r#"{"path": "a/b.txt", "text": "x"}"#, "/w/a/b.txt"), true),
        (exact(r#"{"text": "x", "path": "a/b.txt"}"#, "/w/a/b.txt"), true),
        (exact(r#"{"text": "y", "path": "a/b.txt"}"#, "/w/a/b.txt"), false),
        (exact(r#"{"path": "a/b.txt"}"#, "/w/a/b.txt"), false),
        (exact(r#"{"path": "a/b.txt", "text": "x"}"#, "/elsewhere/b.txt"), false), // a link moved
        (folder("/w/a"), true),
        (folder("/w"), true),
        (folder("/w/a/b.txt"), true),
        (folder("/w/a/b"), false),
        (folder("/w/aa"), false),
        (Shape::AnyArguments, true),
    ];
    for (shape, covers) in table {
        let decision = Case::new(Moderate, Ask).grants([yes(shape.clone(), Scope::Always)]).decide();
        assert_eq!(decision.verdict == Verdict::Allow, covers, "{shape:?}");
    }
}

#[test]
fn a_folder_grant_needs_every_asked_path_in_it() {
    let grants = [yes(Shape::Folder { path: "/w/a".into() }, Scope::Always)];
    for (other, permission, covers) in [
        ("/w/a/c", Moderate, true),
        ("/w/c", Moderate, false),
        ("/w/c", Public, true),
        ("/w/a_private/c", Moderate, false),
    ] {
        let case =
            Case { plan: plan(Moderate).touching(touch(other, permission), ""), ..Case::new(Moderate, Ask) };
        let verdict = case.grants(grants.clone()).decide().verdict;
        assert_eq!(verdict == Verdict::Allow, covers, "{other} {permission}");
    }
}

#[test]
fn read_only_refuses_change_and_nothing_else() {
    let with = |effects| {
        Case { plan: Plan::new("x").effects(effects), ..Case::new(Public, ReadOnly) }.decide().verdict
    };
    for (effects, verdict) in [
        (Effects::NONE, Verdict::Allow),
        (Effects::READS, Verdict::Allow),
        (Effects::NETWORK, Verdict::Allow),
        (Effects::WRITES, Verdict::Block),
        (Effects::EXECUTES, Verdict::Block),
        (Effects::DESKTOP, Verdict::Block),
    ] {
        assert_eq!(with(effects), verdict, "{effects:?}");
    }
}

#[test]
fn refusals_say_why_and_what_would_help() {
    let rejected = Case::new(Moderate, Ask).grants([no()]).decide();
    assert!(rejected.why.contains("not this one"), "{rejected:?}");
    assert!(rejected.hint.unwrap().contains("grants revoke no"));
    let unattended = Case::new(Moderate, Unattended).decide().hint.unwrap();
    assert!(unattended.contains("grant") && unattended.contains("--mode auto"), "{unattended}");
    let set = Case::new(Moderate, Unattended).setting(true).decide().hint.unwrap();
    assert!(set.contains("`tools.write_file.requires_execution_approval`") && !set.contains("auto"), "{set}");
    let sensitive = Case::new(Sensitive, Unattended).decide().hint.unwrap();
    assert!(sensitive.contains("--mode ask"), "{sensitive}");
    assert!(Case::new(Moderate, ReadOnly).decide().hint.unwrap().contains("--mode ask"));
}

#[test]
fn a_remembered_no_holds_for_public_calls_too() {
    assert_eq!(Case::new(Public, Ask).grants([no()]).decide().verdict, Verdict::Reject);
    assert_eq!(Case::new(Public, Ask).decide().verdict, Verdict::Allow);
}

#[test]
fn a_no_for_a_folder_concerns_every_call_that_touches_it() {
    let denied = grant("no", GrantEffect::Deny, Shape::Folder { path: "/w/prod".into() }, Scope::Always);
    let with = |other: Touch| {
        let plan = plan(Moderate).touching(other, "");
        Case { plan, ..Case::new(Moderate, Auto) }.grants([denied.clone()]).decide().verdict
    };
    assert_eq!(with(touch("/w/prod/x", Moderate)), Verdict::Reject);
    assert_eq!(with(touch("/w/prod/x", Public)), Verdict::Reject);
    assert_eq!(with(touch("/w/production", Moderate)), Verdict::Allow);
    // Removing what holds it removes it.
    assert_eq!(with(Touch { recursive: true, ..touch("/w", Moderate) }), Verdict::Reject);
    assert_eq!(with(touch("/w", Moderate)), Verdict::Allow);
}

#[test]
fn an_answer_counts_for_who_gave_it_and_a_no_of_the_installation_for_all() {
    let of = |owner: Option<&str>, grant: Grant| Grant { owner: owner.map(str::to_owned), ..grant };
    let any = || yes(Shape::AnyArguments, Scope::Always);
    let (ann, bob) = (Some("ann"), Some("bob"));
    for (given_by, asked_for, yes_counts, no_counts) in [
        (None, None, true, true),
        (ann, ann, true, true),
        (ann, bob, false, false),
        (ann, None, false, false),
        (None, ann, false, true),
    ] {
        let (plan, arguments) = (plan(Moderate), json!({}));
        let decide = |grant: Grant| {
            let rules = Rules::new(Arc::new(Book { grants: vec![of(given_by, grant)], ..Book::default() }));
            let asked = Question { owner: asked_for, ..question(&plan, &arguments, Ask, None) };
            rules.decide(&asked).unwrap().verdict
        };
        assert_eq!(decide(any()) == Verdict::Allow, yes_counts, "a yes of {given_by:?} for {asked_for:?}");
        assert_eq!(decide(no()) == Verdict::Reject, no_counts, "a no of {given_by:?} for {asked_for:?}");
    }
}

#[test]
fn a_desktop_is_acted_on_only_by_who_sits_at_it() {
    let away = Desktop::Away { reason: "You are on another machine.".into() };
    let arguments = json!({});
    let rules = Rules::new(Arc::new(Book {
        grants: vec![yes(Shape::AnyArguments, Scope::Always)],
        ..Book::default()
    }));
    for (effects, blocked) in [
        (Effects::DESKTOP, true),
        (Effects::READS.and(Effects::DESKTOP), true),
        (Effects::READS, false),
        (Effects::WRITES, false),
    ] {
        for (permission, mode) in [(Public, Ask), (Moderate, Ask), (Moderate, Auto), (Moderate, Unattended)] {
            let plan = Plan::new("x").effects(effects).at_least(permission, "probe:rule", "");
            let decide = |desktop| {
                rules.decide(&Question { desktop, ..question(&plan, &arguments, mode, None) }).unwrap()
            };
            assert_eq!(decide(&Desktop::Here).verdict, Verdict::Allow, "{effects:?} {mode}");
            let decision = decide(&away);
            assert_eq!(decision.verdict == Verdict::Block, blocked, "{effects:?} {mode}: {decision:?}");
            if blocked {
                assert_eq!(decision.rule, "desktop:away");
                assert!(decision.why.contains("You are on another machine."), "{}", decision.why);
                assert!(decision.hint.unwrap().contains("list_windows, get_active_window"));
            }
        }
    }
}

#[test]
fn a_book_that_cannot_be_read_is_an_error_and_never_a_yes() {
    let book = Arc::new(Book { broken: true, ..Book::default() });
    let rules = Rules::new(book);
    for permission in [Public, Moderate] {
        assert!(rules.decide(&question(&plan(permission), &json!({}), Auto, None)).is_err());
    }
}
