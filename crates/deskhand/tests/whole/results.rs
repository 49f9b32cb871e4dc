//! Results that a person looks at before the caller does: passed, edited or withheld.

use deskhand_core::{EventBody, Mode, Permission, ResultAnswer, Status, approval::AnyAnswer, output};
use serde_json::json;

use crate::support::{Desk, pass, yes};

/// The four configurations of the tool system's design: which approval is asked for which tool.
#[tokio::test]
async fn result_approval_is_asked_where_it_is_wanted() {
    let cases = [
        // (tool, result approval, questions asked: execution, result)
        ("probe_public", true, 0, 1),
        ("probe_moderate", false, 1, 0),
        ("probe_public", false, 0, 0),
        ("probe_sensitive", true, 1, 1),
    ];
    for (tool, result, execution_questions, result_questions) in cases {
        let mut desk = Desk::with(|settings| {
            settings.tools.entry(tool.into()).or_default().requires_result_approval = Some(result);
        });
        let mut answers = vec![yes(); execution_questions];
        answers.extend(vec![pass(); result_questions]);
        let approver = desk.answer(answers);
        let outcome = desk.call(tool, json!({"text": "x"})).await;
        assert_eq!((outcome.status, outcome.text.as_str()), (Status::Success, "x"), "{tool} {result}");
        assert_eq!(approver.asked().len(), execution_questions + result_questions, "{tool} {result}");
    }
}

#[tokio::test]
async fn a_result_can_be_edited_or_withheld_and_fails_closed() {
    let wanted = |settings: &mut deskhand_core::GateSettings| {
        settings.tools.entry("probe_public".into()).or_default().requires_result_approval = Some(true);
    };
    let edit = AnyAnswer::Result(ResultAnswer::Edit { text: "less".into() });
    let desk = Desk::with(wanted).answering([edit]);
    let edited = desk.call("probe_public", json!({"text": "everything"})).await;
    assert_eq!((edited.status, edited.text.as_str(), edited.data), (Status::Success, "less", json!(null)));
    let withhold = AnyAnswer::Result(ResultAnswer::Withhold { reason: Some("private".into()) });
    let desk = Desk::with(wanted).answering([withhold]);
    let withheld = desk.call("probe_public", json!({"text": "everything"})).await;
    assert_eq!(withheld.status, Status::ResultRejected);
    assert!(withheld.text.contains("private") && !withheld.text.contains("everything"), "{}", withheld.text);
    let alone = Desk::with(wanted);
    let outcome = alone.call("probe_public", json!({"text": "everything"})).await;
    assert_eq!(outcome.status, Status::ResultRejected);
    assert!(!serde_json::to_string(&outcome).unwrap().contains("everything"));
    assert!(!alone.audit_text().contains("\"result\":\"everything"), "{}", alone.audit_text());
}

#[tokio::test]
async fn a_withheld_result_is_not_kept_either() {
    let withhold = AnyAnswer::Result(ResultAnswer::Withhold { reason: None });
    let desk = Desk::with(|settings| {
        settings.max_output_chars = 1_000;
        settings.tools.entry("probe_public".into()).or_default().requires_result_approval = Some(true);
    })
    .answering([withhold]);
    let outcome = desk.call("probe_public", json!({"text": "private ", "times": 1_000})).await;
    assert_eq!(outcome.status, Status::ResultRejected);
    let handle = output::handle(outcome.call_id);
    assert_eq!(desk.call("read_file", json!({"path": handle})).await.status, Status::Error);
    // The record still proves what the tool produced: a hash, and not that of the refusal.
    let audit = desk.audit_text();
    let end: serde_json::Value = serde_json::from_str(audit.lines().nth(1).unwrap()).unwrap();
    assert!(end["output_sha256"].is_string() && !audit.contains("private private"), "{end}");
    // The folder of kept outputs is nobody's to list.
    let listed = desk.call("list_dir", json!({"path": desk.data.join("outputs")})).await;
    assert_eq!(listed.permission, Some(Permission::Sensitive), "{}", listed.text);
}

#[tokio::test]
async fn what_a_failed_call_had_produced_is_a_result_too() {
    let wanted = |settings: &mut deskhand_core::GateSettings| {
        settings.tools.entry("probe_slow".into()).or_default().requires_result_approval = Some(true);
    };
    let outcome = Desk::with(wanted).call("probe_slow", json!({})).await;
    assert_eq!(outcome.status, Status::ResultRejected);
    assert!(!outcome.text.contains("half of it"), "{}", outcome.text);
    let outcome = Desk::with(wanted).answering([pass()]).call("probe_slow", json!({})).await;
    assert_eq!(outcome.status, Status::TimedOut);
    assert!(outcome.text.contains("half of it"), "{}", outcome.text);
}

#[tokio::test]
async fn a_plan_that_fails_tells_nothing_that_would_have_been_asked_about() {
    let desk = Desk::with(|settings| {
        settings.tools.entry("edit_file".into()).or_default().requires_result_approval = Some(true);
    });
    desk.write("a.txt", "the launch code is forty two\n");
    let near = json!({"path": "a.txt", "old_text": "the launch code is forty three", "new_text": "x"});
    let outcome = desk.call("edit_file", near.clone()).await;
    assert_eq!(
        (outcome.status, outcome.text.contains("forty two")),
        (Status::Error, false),
        "{}",
        outcome.text
    );
    // Without such a setting the nearest place is shown: that is what makes the error useful.
    let desk = Desk::new();
    desk.write("a.txt", "the launch code is forty two\n");
    assert!(desk.call("edit_file", near).await.text.contains("forty two"));
}

#[tokio::test]
async fn what_is_asked_about_is_not_told_while_it_comes() {
    let mut desk = Desk::with(|settings| {
        settings.tools.entry("bash".into()).or_default().requires_result_approval = Some(true);
    })
    .mode(Mode::Auto);
    desk.answer([AnyAnswer::Result(ResultAnswer::Withhold { reason: None })]);
    let outcome = desk.call("bash", json!({"command": "echo forty two; sleep 0.2; echo forty two"})).await;
    assert_eq!(outcome.status, Status::ResultRejected, "{}", outcome.text);
    let events = desk.events.0.lock().unwrap();
    let told = |event: &EventBody| matches!(event, EventBody::CallOutput { .. });
    assert!(!events.iter().any(told), "{events:?}");
}
