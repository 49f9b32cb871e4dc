//! Asking people: the shared queue, remembered answers, time limits.

use std::time::Duration;

use deskhand_core::{
    Answer, ApprovalQueue, GrantBook, Mode, Permission, Remember, Request, Settled, Shape, Status, Time,
    approval::{AnyAnswer, RememberScope, SettleResult},
};
use serde_json::json;

use crate::support::{Desk, Person, no, plan_of, until, yes};

fn remembered(effect_yes: bool, scope: RememberScope, shape: Shape, until: Option<Time>) -> AnyAnswer {
    let remember = Some(Remember { scope, shape, until });
    AnyAnswer::Execution(if effect_yes {
        Answer::Yes { remember }
    } else {
        Answer::No { reason: Some("never".into()), remember }
    })
}

/// The shapes that a call offers.
async fn shapes(desk: &Desk, tool: &str, arguments: serde_json::Value) -> Vec<Shape> {
    let explained = desk.gate.explain(Request::new(tool, arguments), &desk.session).await.unwrap();
    explained.plan.unwrap().shapes
}

#[tokio::test]
async fn another_process_can_answer_and_the_first_answer_wins() {
    let mut desk = Desk::new();
    desk.session.wait_for_others = true;
    let queue = desk.store.approvals();
    let answering = tokio::spawn(async move {
        let request = until("a question", || std::future::ready(queue.pending().unwrap().pop())).await;
        let settle = |answer, by: &str| {
            queue.settle(&request.id, &Settled::Answered { answer, by: by.into() }).unwrap()
        };
        let first = settle(yes(), "person:first");
        let second = settle(no("late"), "person:second");
        (first, second)
    });
    let outcome = desk.call("probe_moderate", json!({"text": "x"})).await;
    assert_eq!((outcome.status, outcome.decided_by.as_deref()), (Status::Success, Some("person:first")));
    let (first, second) = answering.await.unwrap();
    assert_eq!(first, SettleResult::First);
    assert!(matches!(second, SettleResult::Already(Settled::Answered { by, .. }) if by == "person:first"));
    assert!(desk.store.approvals().pending().unwrap().is_empty());
}

#[tokio::test]
async fn a_question_ends_in_time_and_is_withdrawn_on_cancel() {
    let mut desk = Desk::with(|settings| settings.approval_timeout = Duration::from_millis(150));
    desk.session.wait_for_others = true;
    assert_eq!(desk.call("probe_moderate", json!({})).await.status, Status::Expired);
    assert!(desk.store.approvals().pending().unwrap().is_empty());

    let mut desk = Desk::new();
    desk.session.wait_for_others = true;
    let request = Request::new("probe_moderate", json!({}));
    let cancel = request.cancel.clone();
    let stop = async {
        until("a question", async || desk.store.approvals().pending().unwrap().pop()).await;
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(desk.gate.call(request, &desk.session), stop);
    assert_eq!(outcome.status, Status::Cancelled);
    assert!(desk.store.approvals().pending().unwrap().is_empty());
    // A turn that is dropped takes its question with it.
    {
        let call = desk.gate.call(Request::new("probe_moderate", json!({})), &desk.session);
        assert!(tokio::time::timeout(Duration::from_millis(200), call).await.is_err());
    }
    assert!(desk.store.approvals().pending().unwrap().is_empty());
}

#[tokio::test]
async fn a_surface_that_goes_away_leaves_the_others() {
    let mut desk = Desk::new();
    let gone = Person::answering([]);
    desk.session.approvers = vec![gone.clone()];
    assert_eq!(desk.call("probe_moderate", json!({})).await.status, Status::NobodyToAsk);
    let here = desk.answer([yes()]);
    desk.session.approvers = vec![gone, here];
    assert_eq!(desk.call("probe_moderate", json!({})).await.status, Status::Success);
}

#[tokio::test]
async fn a_remembered_yes_covers_what_it_said_and_no_more() {
    let mut desk = Desk::new();
    let arguments = json!({"text": "a", "times": 2});
    let exact = shapes(&desk, "probe_moderate", arguments.clone()).await.remove(0);
    desk.answer([remembered(true, RememberScope::Workspace, exact, None)]);
    assert_eq!(desk.call("probe_moderate", arguments).await.status, Status::Success);
    // The same arguments in another order; then others.
    let same: serde_json::Value = serde_json::from_str(r#"{"times": 2, "text": "a"}"#).unwrap();
    let again = desk.call("probe_moderate", same).await;
    assert_eq!(again.status, Status::Success);
    assert!(again.decided_by.unwrap().starts_with("grant:"));
    assert_eq!(desk.call("probe_moderate", json!({"text": "b"})).await.status, Status::NobodyToAsk);
    // Listed in words, revoked, gone.
    let grants = desk.store.grants().list().unwrap();
    assert!(grants[0].words().contains("exactly these arguments"), "{}", grants[0].words());
    assert!(desk.store.grants().revoke(&grants[0].id).unwrap());
    assert_eq!(
        desk.call("probe_moderate", json!({"text": "a", "times": 2})).await.status,
        Status::NobodyToAsk
    );
}

#[tokio::test]
async fn a_remembered_answer_is_that_of_its_owner() {
    let mut desk = Desk::new();
    let shape = shapes(&desk, "probe_moderate", json!({})).await.pop().unwrap();
    let remember = |yes| [remembered(yes, RememberScope::Always, shape.clone(), None)];
    let call = async |desk: &Desk| desk.call("probe_moderate", json!({})).await.status;
    let speak_for = |desk: &mut Desk, owner: Option<&str>| {
        desk.session.owner = owner.map(str::to_owned);
        desk.session.approvers.clear();
    };
    speak_for(&mut desk, Some("ann"));
    desk.answer(remember(true));
    assert_eq!(call(&desk).await, Status::Success);
    assert_eq!(desk.store.grants().list().unwrap()[0].owner.as_deref(), Some("ann"));
    for (owner, status) in
        [(Some("ann"), Status::Success), (Some("bob"), Status::NobodyToAsk), (None, Status::NobodyToAsk)]
    {
        speak_for(&mut desk, owner);
        assert_eq!(call(&desk).await, status, "{owner:?}");
    }
    // A no of the owner of the installation is one for all, whatever others were allowed.
    speak_for(&mut desk, None);
    desk.answer(remember(false));
    assert_eq!(call(&desk).await, Status::ExecutionRejected);
    for owner in [Some("ann"), Some("bob"), None] {
        speak_for(&mut desk, owner);
        assert_eq!(call(&desk).await, Status::ExecutionRejected, "{owner:?}");
    }
}

#[tokio::test]
async fn a_yes_for_a_folder_covers_the_folder() {
    let mut desk = Desk::new();
    desk.write("docs/a.txt", "a");
    let arguments = json!({"path": "docs/a.txt", "content": "b"});
    let folder = Shape::Folder { path: desk.path("docs") };
    assert!(shapes(&desk, "write_file", arguments.clone()).await.contains(&folder));
    desk.answer([remembered(true, RememberScope::Always, folder, None)]);
    assert_eq!(desk.call("write_file", arguments).await.status, Status::Success);
    assert_eq!(
        desk.call("write_file", json!({"path": "docs/new/b.txt", "content": "b"})).await.status,
        Status::Success
    );
    for outside in ["docs_private/c.txt", "c.txt", "docs/../c.txt"] {
        let outcome = desk.call("write_file", json!({"path": outside, "content": "b"})).await;
        assert_eq!(outcome.status, Status::NobodyToAsk, "{outside}");
    }
    let secret = desk.call("write_file", json!({"path": "docs/.env", "content": "b"})).await;
    assert_eq!((secret.status, secret.permission), (Status::NobodyToAsk, Some(Permission::Sensitive)));
}

#[tokio::test]
async fn a_yes_never_covers_what_is_sensitive() {
    let mut desk = Desk::new().mode(Mode::Auto);
    let exact = shapes(&desk, "probe_sensitive", json!({})).await.remove(0);
    let approver = desk.answer([remembered(true, RememberScope::Always, exact, None)]);
    assert_eq!(desk.call("probe_sensitive", json!({})).await.status, Status::Success);
    assert!(!approver.asked()[0].may_remember);
    assert!(desk.store.grants().list().unwrap().is_empty());
    assert_eq!(desk.call("probe_sensitive", json!({})).await.status, Status::NobodyToAsk);
}

#[tokio::test]
async fn a_shape_that_was_not_offered_is_not_remembered() {
    let mut desk = Desk::new();
    for wide in
        [Shape::Folder { path: "/".into() }, Shape::Exact { sha256: String::new(), shown: String::new() }]
    {
        desk.answer([remembered(true, RememberScope::Always, wide, None)]);
        assert_eq!(desk.call("probe_moderate", json!({"text": "a"})).await.status, Status::Success);
        assert!(desk.store.grants().list().unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_remembered_no_is_kept_with_its_reason() {
    let mut desk = Desk::new();
    let exact = shapes(&desk, "probe_moderate", json!({})).await.remove(0);
    desk.answer([remembered(false, RememberScope::Always, exact, None)]);
    assert_eq!(desk.call("probe_moderate", json!({})).await.status, Status::ExecutionRejected);
    let approver = desk.answer([yes()]);
    let again = desk.call("probe_moderate", json!({})).await;
    assert_eq!(again.status, Status::ExecutionRejected);
    assert!(again.text.contains("never"), "{}", again.text);
    assert!(approver.asked().is_empty());
}

#[tokio::test]
async fn scopes_and_ends_are_kept_to() {
    for (scope, ends, in_other_session, in_other_workspace) in [
        (RememberScope::Session, false, false, false),
        (RememberScope::Workspace, false, true, false),
        (RememberScope::Always, false, true, true),
        (RememberScope::Always, true, true, true),
    ] {
        let mut desk = Desk::new();
        let until = ends.then(|| Time::now().plus(Duration::from_hours(1)));
        let exact = shapes(&desk, "probe_moderate", json!({})).await.remove(0);
        desk.answer([remembered(true, scope, exact, until)]);
        assert_eq!(desk.call("probe_moderate", json!({})).await.status, Status::Success);
        let status = |granted| if granted { Status::Success } else { Status::NobodyToAsk };
        desk.session.id = "session-2".into();
        assert_eq!(
            desk.call("probe_moderate", json!({})).await.status,
            status(in_other_session),
            "{scope:?}"
        );
        desk.session.workspace = desk.path("other");
        assert_eq!(
            desk.call("probe_moderate", json!({})).await.status,
            status(in_other_workspace),
            "{scope:?}"
        );
    }
}

#[tokio::test]
async fn remembered_yes_ends_at_its_time() {
    let mut desk = Desk::new();
    let exact = shapes(&desk, "probe_moderate", json!({})).await.remove(0);
    let soon = Time::now().plus(Duration::from_millis(200));
    desk.answer([remembered(true, RememberScope::Always, exact, Some(soon))]);
    assert_eq!(desk.call("probe_moderate", json!({})).await.status, Status::Success);
    until("the end of the yes", async || {
        desk.call("probe_moderate", json!({})).await.status == Status::NobodyToAsk
    })
    .await;
    assert!(Time::now() >= soon);
}

#[tokio::test]
async fn the_person_sees_the_plan_with_its_diff() {
    let mut desk = Desk::new();
    desk.write("a.txt", "one\ntwo\n");
    let approver = desk.answer([yes()]);
    desk.call("edit_file", json!({"path": "a.txt", "old_text": "two", "new_text": "2"})).await;
    let asked = approver.asked();
    let preview = plan_of(&asked[0]).preview.as_ref().unwrap().text().to_owned();
    assert!(preview.contains("-two") && preview.contains("+2"), "{preview}");
}
