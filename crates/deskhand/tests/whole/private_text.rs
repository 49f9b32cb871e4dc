//! What is typed may be a secret. Whoever is asked sees it, on every surface, while they are asked; then it is nowhere.

use std::{sync::Arc, time::Duration};

use deskhand_agent::provider::scripted::Script;
use deskhand_core::{
    ApprovalQueue, EventBody, Mode, Request, Status,
    approval::{Answer, AnyAnswer},
    session::SessionStore,
};
use deskhand_store::{Approvals, Sessions};
use deskhand_testkit::until;
use serde_json::json;

use crate::{
    support::{Desk, Person, no, plan_of, stays_in_a_file, yes},
    talk::{Talk, calls, says, statuses},
};

const TYPED: &str = "correct horse battery";

/// Looks at the question here, in the queue and among the events of the conversation, and then answers; or does not.
fn looking(approvals: Arc<Approvals>, sessions: Arc<Sessions>, answer: Option<AnyAnswer>) -> Arc<Person> {
    Person::taking_time(move |request| {
        let (approvals, sessions, answer) = (approvals.clone(), sessions.clone(), answer.clone());
        Box::pin(async move {
            assert_eq!(plan_of(&request).preview.as_ref().unwrap().text(), TYPED);
            assert!(!request.arguments.to_string().contains(TYPED));
            let pending = approvals.pending().unwrap();
            assert_eq!(plan_of(&pending[0]).preview.as_ref().unwrap().text(), TYPED);
            // A page that is opened now reads the question among the events, which are stored by another thread.
            until("the question among the events", || {
                let events = sessions.events(&request.session_id, 0, 100).unwrap();
                std::future::ready(serde_json::to_string(&events).unwrap().contains(TYPED))
            })
            .await;
            answer
        })
    })
}

#[tokio::test]
async fn what_is_typed_is_shown_to_whoever_is_asked_and_is_nowhere_after() {
    let (soon, late) = (Duration::from_secs(2), Duration::from_mins(5));
    for (answer, limit, status) in [
        (Some(yes()), late, Status::Success),
        (Some(no("not that")), late, Status::ExecutionRejected),
        (None, soon, Status::Expired),
    ] {
        let mut desk = Desk::with(|settings| settings.approval_timeout = limit);
        let (approvals, sessions) = (desk.store.approvals(), desk.store.sessions());
        desk.session.approvers = vec![looking(approvals, sessions.clone(), answer.clone())];
        // Without an answer the question expires.
        desk.session.wait_for_others = true;
        let replies = vec![calls("probe_types", json!({"text": TYPED})), says("Done.")];
        let talk = Talk::at(desk, Script { replies, ..Script::default() });
        let live = talk.say("type it").await;
        let asked = live.iter().any(|event| matches!(event.body, EventBody::ApprovalWanted { .. }));
        let planned = live.iter().find_map(|event| match &event.body {
            EventBody::CallPlanned { plan, .. } => Some(plan),
            _ => None,
        });
        let planned = planned.unwrap();
        assert!(asked && planned.private_preview && planned.preview.is_none(), "{planned:?}");
        assert_eq!(statuses(&talk.answer()), [status]);
        let export = sessions.export(&talk.session).unwrap();
        let export = serde_json::to_string(&export).unwrap();
        assert!(export.contains("probe_types") && !export.contains(TYPED), "{export}");
        assert!(!talk.desk.audit_text().contains(TYPED) && talk.desk.audit_text().contains("probe_types"));
        assert_eq!(stays_in_a_file(&talk.desk.data, TYPED), None, "{answer:?}");
    }
}

/// Who is asked may type it themselves.
#[tokio::test]
async fn what_a_person_types_instead_is_nowhere_after() {
    let desk = Desk::new();
    let edit = AnyAnswer::Execution(Answer::Edit { arguments: json!({"text": TYPED}) });
    let desk = desk.answering([edit, yes()]);
    let replies = vec![calls("probe_types", json!({"text": "something else"})), says("Done.")];
    let talk = Talk::at(desk, Script { replies, ..Script::default() });
    let live = talk.say("type it").await;
    assert_eq!(statuses(&talk.answer()), [Status::Success]);
    let told = live.iter().filter(|event| !matches!(event.body, EventBody::ApprovalWanted { .. }));
    let told: String = told.map(|event| serde_json::to_string(event).unwrap()).collect();
    assert!(told.contains("\"edit\"") && !told.contains(TYPED), "{told}");
    assert_eq!(stays_in_a_file(&talk.desk.data, TYPED), None);
}

/// What is wrong with arguments is said without them.
#[tokio::test]
async fn what_does_not_fit_is_not_repeated() {
    let desk = Desk::new().mode(Mode::Auto);
    for wrong in [json!({"text": [TYPED]}), json!({"text": {"is": TYPED}}), json!(TYPED), json!([TYPED])] {
        let outcome = desk.call("probe_types", wrong).await;
        assert_eq!(outcome.status, Status::InvalidArguments, "{outcome:?}");
        assert!(!serde_json::to_string(&outcome).unwrap().contains(TYPED), "{outcome:?}");
    }
    assert!(!desk.events.json().contains(TYPED) && !desk.audit_text().contains(TYPED));
}

/// Nobody is asked, so nobody is shown it; whoever asks what a call would do has written it.
#[tokio::test]
async fn without_a_question_it_is_in_no_event() {
    let desk = Desk::new().mode(Mode::Auto);
    let outcome = desk.call("probe_types", json!({"text": TYPED})).await;
    assert!(outcome.is_success(), "{}", outcome.text);
    let events = desk.events.json();
    assert!(events.contains("call_planned") && !events.contains(TYPED), "{events}");
    let explained = desk.gate.explain(Request::new("probe_types", json!({"text": TYPED})), &desk.session);
    assert_eq!(explained.await.unwrap().plan.unwrap().preview.unwrap().text(), TYPED);
    assert_eq!(stays_in_a_file(&desk.data, TYPED), None);
}
