use deskhand_core::{CallId, Permission, Preview, Time};

use super::*;

fn question(subject: Subject, may_remember: bool) -> ApprovalRequest {
    ApprovalRequest {
        id: "a".into(),
        call_id: CallId::new(),
        session_id: "s".into(),
        owner: None,
        caller: "mcp:test".into(),
        workspace: "/w".into(),
        tool: "write_file".into(),
        arguments: json!({}),
        wanted_at: Time::now(),
        expires_at: Time::now(),
        subject,
        may_remember,
    }
}

fn execution_of(may_remember: bool) -> ApprovalRequest {
    let mut plan = Plan::new("Write /w/a").at_least(Permission::Moderate, "r", "it changes a file");
    plan.preview = Some(Preview::Diff("+".repeat(5_000)));
    plan.shapes = vec![
        Shape::Exact { sha256: "x".into(), shown: "{}".into() },
        Shape::Folder { path: "/w".into() },
        Shape::AnyArguments,
    ];
    question(Subject::Execution { plan: Box::new(plan) }, may_remember)
}

fn said(action: ElicitationAction, content: Value) -> ElicitResult {
    ElicitResult::new(action).with_content(content)
}

#[test]
fn the_form_is_flat_bounded_and_has_no_yes_by_default() {
    let form = serde_json::to_value(of(&execution_of(true)).unwrap()).unwrap();
    let message = form["message"].as_str().unwrap();
    assert!(
        message.contains("Write /w/a") && message.contains("moderate") && message.chars().count() < 3_000
    );
    assert!(message.contains("write_file on anything in /w"), "{message}");
    let decision = &form["requestedSchema"]["properties"]["decision"];
    assert_eq!(decision["enum"], json!(["once", "session", "no"]));
    assert!(decision.get("default").is_none());
    let sensitive = serde_json::to_value(of(&execution_of(false)).unwrap()).unwrap();
    assert_eq!(sensitive["requestedSchema"]["properties"]["decision"]["enum"], json!(["once", "no"]));
}

#[test]
fn only_a_clear_yes_is_one() {
    use ElicitationAction::{Accept, Cancel, Decline};
    let no = |reason: Option<&str>| Answer::No { reason: reason.map(str::to_owned), remember: None };
    for (result, wanted) in [
        (said(Accept, json!({"decision": "once"})), Answer::Yes { remember: None }),
        (said(Accept, json!({"decision": "no", "reason": " not today "})), no(Some("not today"))),
        (said(Accept, json!({"decision": "no"})), no(None)),
        (said(Accept, json!({"decision": "yes"})), no(Some("no decision was given, but yes"))),
        (said(Accept, json!({})), no(Some("no decision was given, but nothing"))),
        (ElicitResult::new(Accept), no(Some("no decision was given, but nothing"))),
        (said(Decline, json!({"decision": "once"})), no(None)),
        (said(Cancel, json!({"decision": "once"})), no(Some(CLOSED))),
    ] {
        assert_eq!(answer(&execution_of(true), &result), AnyAnswer::Execution(wanted), "{result:?}");
    }
}

#[test]
fn a_yes_for_the_session_covers_what_was_said() {
    let session = said(ElicitationAction::Accept, json!({"decision": "session"}));
    let shape = Shape::Folder { path: "/w".into() };
    let remember = Some(Remember { scope: RememberScope::Session, shape, until: None });
    assert_eq!(answer(&execution_of(true), &session), AnyAnswer::Execution(Answer::Yes { remember }));
    let refused = answer(&execution_of(false), &session);
    assert!(matches!(refused, AnyAnswer::Execution(Answer::No { .. })), "{refused:?}");
}

#[test]
fn a_result_is_no_question_for_the_client_that_may_not_have_it() {
    let result =
        question(Subject::Result { text: "secret".into(), data: Value::Null, images: Vec::new() }, false);
    assert!(of(&result).is_err());
    let pass = said(ElicitationAction::Accept, json!({"decision": "pass"}));
    assert!(matches!(answer(&result, &pass), AnyAnswer::Result(ResultAnswer::Withhold { .. })));
}

#[test]
fn the_end_of_a_command_is_seen_and_its_words_are_told_apart() {
    let mut request = execution_of(true);
    let Subject::Execution { plan } = &mut request.subject else { unreachable!() };
    let long = format!("echo a && {} rm -rf important", " ".repeat(3_000));
    plan.summary = format!("Run: {long}");
    plan.preview = Some(Preview::Text(long));
    plan.commands = vec![vec!["rm".into(), "a b".into(), "it's".into(), String::new(), "--x=/y".into()]];
    let form = serde_json::to_value(of(&request).unwrap()).unwrap();
    let message = form["message"].as_str().unwrap();
    assert_eq!(message.matches("echo a").count(), 2, "{message}");
    assert_eq!(message.matches("rm -rf important").count(), 2, "{message}");
    assert!(message.contains(r"Commands: rm 'a b' 'it'\''s' '' --x=/y"), "{message}");
}

#[test]
fn what_would_deceive_the_person_is_seen() {
    let mut request = execution_of(true);
    let Subject::Execution { plan } = &mut request.subject else { unreachable!() };
    plan.summary = "Write /w/a\u{202e}txt.exe".into();
    plan.commands = vec![vec!["rm".into(), "x\r\u{1b}[2Kls".into()]];
    plan.preview = Some(Preview::Text("one\n\u{200b}two".into()));
    let form = serde_json::to_value(of(&request).unwrap()).unwrap();
    let message = form["message"].as_str().unwrap();
    for (hidden, seen) in
        [('\u{202e}', "\\u{202e}txt"), ('\r', "x\\r"), ('\u{1b}', "\\u{1b}[2K"), ('\u{200b}', "\\u{200b}two")]
    {
        assert!(!message.contains(hidden) && message.contains(seen), "{message:?}");
    }
}
