//! Who says yes: the client's own person, or somebody elsewhere; and that nothing else is a yes.

use std::sync::atomic::Ordering;

use deskhand_core::{
    Mode, ResultAnswer, Settled, ToolSettings,
    approval::{AnyAnswer, ApprovalQueue},
};
use deskhand_serve::mcp::server::Offer;
use rmcp::model::ProtocolVersion;
use serde_json::json;

use super::{
    desk::{Desk, until},
    tester::{Person, connect, connect_to, status, text},
};

fn a_file() -> serde_json::Value {
    json!({"path": "a.txt", "content": "x"})
}

#[tokio::test]
async fn the_clients_own_person_says_yes() {
    let desk = Desk::new();
    let connected = connect(&desk, Person::Yes).await;
    let result = connected.call("write_file", a_file()).await;
    assert_eq!((result.is_error, status(&result)), (Some(false), "success"), "{result:?}");
    assert_eq!(result.meta.as_ref().unwrap().0["decided_by"], "person:mcp:tester");
    assert!(desk.has("a.txt"));
    let question = connected.seen.questions.lock().unwrap()[0].clone();
    for part in ["write_file", "a.txt", "moderate", "+x"] {
        assert!(question.contains(part), "{part}: {question}");
    }
}

#[tokio::test]
async fn whatever_is_no_yes_is_a_no() {
    for (person, word) in
        [(Person::No, "not today"), (Person::Dismisses, "closed in the client, which counts as a no")]
    {
        let desk = Desk::new();
        let connected = connect(&desk, person).await;
        let result = connected.call("write_file", a_file()).await;
        assert_eq!((result.is_error, status(&result)), (Some(true), "execution_rejected"), "{person:?}");
        assert!(text(&result).contains(word), "{person:?}: {}", text(&result));
        assert_eq!(result.structured_content, None, "a model reads the reason, not an empty object");
        assert!(!desk.has("a.txt"), "{person:?}");
    }
}

#[tokio::test]
async fn a_yes_for_the_session_is_asked_once() {
    let desk = Desk::new();
    let connected = connect(&desk, Person::YesForTheSession).await;
    for name in ["a.txt", "b.txt"] {
        let result = connected.call("write_file", json!({"path": name, "content": "x"})).await;
        assert_eq!(status(&result), "success", "{result:?}");
    }
    assert_eq!(connected.seen.questions.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn another_surface_may_answer_first_and_the_question_is_taken_away() {
    let desk = Desk::new();
    let connected = connect(&desk, Person::Away).await;
    let (result, ()) = tokio::join!(connected.call("write_file", a_file()), async {
        until("a question", async || !connected.seen.questions.lock().unwrap().is_empty()).await;
        desk.say_yes(&desk.question().await);
    });
    assert_eq!(status(&result), "success", "{result:?}");
    assert_eq!(result.meta.unwrap().0["decided_by"], "person:web");
    until("the question is taken away", async || connected.seen.taken_away.load(Ordering::SeqCst) == 1).await;
}

#[tokio::test]
async fn a_client_that_fails_to_ask_leaves_it_to_others() {
    let desk = Desk::new();
    let connected = connect(&desk, Person::Fails).await;
    let (result, ()) = tokio::join!(connected.call("write_file", a_file()), async {
        until("a question", async || !connected.seen.questions.lock().unwrap().is_empty()).await;
        let question = desk.question().await;
        assert!(!desk.has("a.txt"), "no answer is no yes");
        desk.say_yes(&question);
    });
    assert_eq!((status(&result), desk.has("a.txt")), ("success", true), "{result:?}");
}

#[tokio::test]
async fn a_question_closed_faster_than_it_can_be_read_stays_open() {
    let desk = Desk::new();
    for version in [ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2026_07_28] {
        let connected = connect_to(desk.server(Offer::default()), Person::NotThere, version).await;
        let (result, ()) = tokio::join!(connected.call("write_file", a_file()), async {
            let question = desk.question().await;
            until("a question", async || !connected.seen.questions.lock().unwrap().is_empty()).await;
            desk.say_yes(&question);
        });
        assert_eq!(status(&result), "success", "{result:?}");
        assert_eq!(result.meta.unwrap().0["decided_by"], "person:web");
    }
}

#[tokio::test]
async fn an_unread_question_that_nobody_answers_expires_and_says_where_to_answer() {
    let desk =
        Desk::with(Mode::Ask, |settings| settings.approval_timeout = std::time::Duration::from_millis(200));
    let connected = connect(&desk, Person::NotThere).await;
    let result = connected.call("write_file", a_file()).await;
    assert_eq!((status(&result), desk.has("a.txt")), ("expired", false), "{result:?}");
    assert!(text(&result).contains("the user answers at the test"), "{}", text(&result));
}

#[tokio::test]
async fn without_forms_a_call_waits_and_says_for_what() {
    let desk = Desk::new();
    let connected = connect(&desk, Person::Absent).await;
    let (result, ()) = tokio::join!(connected.call("write_file", a_file()), async {
        let question = desk.question().await;
        // The client's progress token comes with every request of this client.
        until("progress", async || !connected.seen.progress.lock().unwrap().is_empty()).await;
        desk.say_yes(&question);
    });
    assert_eq!(status(&result), "success", "{result:?}");
    let told = connected.seen.progress.lock().unwrap()[0].message.clone().unwrap();
    assert!(told.contains("Waiting for a yes: Create") && told.contains("Answer at the test"), "{told}");
    let logged = connected.seen.logged.lock().unwrap().clone();
    assert!(logged.iter().any(|entry| entry["event"] == "approval_wanted"), "{logged:?}");
    assert!(connected.seen.questions.lock().unwrap().is_empty());
}

#[tokio::test]
async fn nobody_is_asked_where_nobody_is_there() {
    let desk = Desk::with(Mode::Unattended, |_| {});
    let connected = connect(&desk, Person::Yes).await;
    let result = connected.call("write_file", a_file()).await;
    assert_eq!((status(&result), desk.has("a.txt")), ("nobody_to_ask", false), "{result:?}");
    assert!(connected.seen.questions.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_mode_that_is_set_meanwhile_holds_from_the_next_call_on() {
    let desk = Desk::with(Mode::Auto, |_| {});
    let connected = connect(&desk, Person::Yes).await;
    assert_eq!(status(&connected.call("write_file", a_file()).await), "success");
    *desk.mode.lock().unwrap() = Mode::ReadOnly;
    let result = connected.call("write_file", json!({"path": "b.txt", "content": "x"})).await;
    assert_eq!((status(&result), desk.has("b.txt")), ("blocked", false), "{result:?}");
    *desk.mode.lock().unwrap() = Mode::Ask;
    connected.call("write_file", json!({"path": "b.txt", "content": "x"})).await;
    assert_eq!(connected.seen.questions.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn nobody_who_answers_is_a_no_in_the_end() {
    let desk =
        Desk::with(Mode::Ask, |settings| settings.approval_timeout = std::time::Duration::from_millis(300));
    let connected = connect(&desk, Person::Away).await;
    let result = connected.call("write_file", a_file()).await;
    assert_eq!((status(&result), desk.has("a.txt")), ("expired", false), "{result:?}");
    assert!(desk.store.approvals().pending().unwrap().is_empty());
}

#[tokio::test]
async fn a_result_is_kept_back_unless_somebody_elsewhere_passes_it() {
    for version in [ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2026_07_28] {
        for (answer, wanted) in
            [(ResultAnswer::Pass, "success"), (ResultAnswer::Withhold { reason: None }, "result_rejected")]
        {
            let desk = Desk::with(Mode::Ask, |settings| {
                let wanted = ToolSettings { requires_result_approval: Some(true), ..ToolSettings::default() };
                settings.tools.insert("read_file".to_owned(), wanted);
            });
            desk.write("a.txt", "the words");
            let connected = connect_to(desk.server(Offer::default()), Person::Yes, version.clone()).await;
            let (result, ()) = tokio::join!(connected.call("read_file", json!({"path": "a.txt"})), async {
                let question = desk.question().await;
                let answer = AnyAnswer::Result(answer.clone());
                let settled = Settled::Answered { answer, by: "person:web".into() };
                desk.store.approvals().settle(&question.id, &settled).unwrap();
            });
            assert_eq!(status(&result), wanted, "{result:?}");
            let is_told = serde_json::to_string(&result).unwrap().contains("the words");
            assert_eq!(is_told, wanted == "success");
            assert!(connected.seen.questions.lock().unwrap().is_empty(), "the question would tell it");
        }
    }
}

#[tokio::test]
async fn clients_are_asked_nothing_where_that_is_set() {
    for version in [ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2026_07_28] {
        let desk = Desk::new();
        let offer = Offer { asks_elsewhere: true, ..Offer::default() };
        let connected = connect_to(desk.server(offer), Person::Yes, version).await;
        let (result, ()) = tokio::join!(connected.call("write_file", a_file()), async {
            let question = desk.question().await;
            assert!(!desk.has("a.txt"));
            desk.say_yes(&question);
        });
        assert_eq!(result.meta.as_ref().unwrap().0["decided_by"], "person:web", "{result:?}");
        assert!(connected.seen.questions.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn what_is_kept_back_of_a_result_was_not_told_as_progress() {
    let desk = Desk::with(Mode::Ask, |settings| {
        let wanted = ToolSettings { requires_result_approval: Some(true), ..ToolSettings::default() };
        settings.tools.insert("prints".to_owned(), wanted);
        // Nobody answers.
        settings.approval_timeout = std::time::Duration::from_millis(300);
    });
    let connected = connect(&desk, Person::Yes).await;
    let result = connected.call("prints", json!({"pieces": ["the words\n", "the words\n"]})).await;
    assert_eq!(status(&result), "result_rejected", "{result:?}");
    let told = connected.seen.progress.lock().unwrap().clone();
    assert!(told.iter().any(|one| one.message.is_none()), "how far it is, is told: {told:?}");
    assert!(!format!("{told:?}").contains("the words"), "{told:?}");
}
