//! What ends a turn that gets nowhere or goes too far, and that every call has a result whatever ends it.

use deskhand_core::{
    Answer, GrantBook, Remember,
    approval::{AnyAnswer, RememberScope},
};
use serde_json::json;

use super::*;
use crate::support::{no, yes};

fn limited(set: impl FnOnce(&mut ToolChainOptions)) -> ToolChainOptions {
    let mut options = ToolChainOptions::default();
    set(&mut options);
    options
}

fn script(replies: Vec<ScriptedReply>) -> Script {
    Script { replies, ..Script::default() }
}

#[tokio::test]
async fn the_same_call_again_is_warned_about_and_stops_at_the_fifth() {
    let look = || calls("list_dir", json!({"path": "."}));
    let talk = Talk::new([look(), look(), look(), look(), look(), says("I was going in circles.")]);
    talk.desk.write("a.txt", "x");
    let events = talk.say("look around").await;
    let (outcome, reason) = done(&events);
    assert_eq!(outcome, TurnOutcome::Stopped);
    assert!(reason.unwrap().starts_with("repeated_call:"));
    let answer = talk.answer();
    let ends = ends(&answer);
    assert_eq!(ends.len(), 5);
    for (n, end) in ends.iter().enumerate() {
        assert_eq!(
            end.result.contains("with the same arguments"),
            (1..4).contains(&n),
            "{n}: {}",
            end.result
        );
        assert_eq!(end.status, if n < 4 { Status::Success } else { Status::Cancelled }, "{n}");
    }
    assert_eq!(answer.content, "I was going in circles.", "it is asked once more, to sum up");
    assert!(talk.requests().last().unwrap().tools.is_empty(), "and can call nothing then");
}

#[tokio::test]
async fn answers_made_only_of_thoughts_stop_after_three() {
    let thinks = || ScriptedReply { thoughts: "Hmm.".into(), ..ScriptedReply::default() };
    let talk = Talk::new([thinks(), thinks(), thinks(), says("I do not know.")]);
    let (outcome, reason) = done(&talk.say("well?").await);
    assert_eq!(outcome, TurnOutcome::Stopped);
    assert!(reason.unwrap().starts_with("only_reasoning:"));
    assert_eq!(talk.requests().len(), 4);
    let nudged = format!("{:?}", talk.requests()[1].messages);
    assert!(nudged.contains("Call a tool, or answer now"), "{nudged}");
}

#[tokio::test]
async fn three_denials_of_one_kind_stop_the_turn() {
    let write = |n: u32| calls("write_file", json!({"path": format!("{n}.txt"), "content": "x"}));
    let desk = Desk::new().answering([no("no"), no("no"), no("no"), yes()]);
    let talk = Talk::at(desk, script(vec![write(1), write(2), write(3), says("You do not want files.")]));
    let (outcome, reason) = done(&talk.say("write").await);
    assert_eq!(outcome, TurnOutcome::Stopped);
    assert!(reason.unwrap().starts_with("denied_three_times:"));
    assert_eq!(statuses(&talk.answer()), [Status::ExecutionRejected; 3]);
    for n in 1..4 {
        assert!(!talk.desk.path(format!("{n}.txt")).exists());
    }
}

#[tokio::test]
async fn a_batch_in_which_every_call_was_denied_runs_nothing() {
    let both = together([
        calls("write_file", json!({"path": "1.txt", "content": "x"})),
        calls("write_file", json!({"path": "2.txt", "content": "x"})),
    ]);
    let desk = Desk::new().answering([no("not this"), no("nor that")]);
    let talk = Talk::at(desk, script(vec![both, says("Then not.")]));
    assert_eq!(done(&talk.say("write").await).0, TurnOutcome::Completed);
    assert_eq!(statuses(&talk.answer()), [Status::ExecutionRejected; 2]);
    assert!(!talk.desk.path("1.txt").exists() && !talk.desk.path("2.txt").exists());
    let told = last_results(&talk.requests()[1]);
    assert!(told.iter().any(|text| text.contains("«not this»")), "denied is by call: {told:?}");
}

#[tokio::test]
async fn at_the_limit_of_rounds_everything_is_closed_and_summed_up() {
    let options = limited(|options| options.max_rounds = 2);
    let replies = vec![
        calls("list_dir", json!({"path": "."})),
        calls("file_stat", json!({"path": "."})),
        says("Two looks, no more."),
    ];
    let talk = Talk::with(Desk::new(), script(replies), options);
    let events = talk.say("look").await;
    let (outcome, reason) = done(&events);
    assert_eq!(outcome, TurnOutcome::Stopped);
    assert!(reason.unwrap().starts_with("max_rounds:"));
    assert_eq!(talk.answer().content, "Two looks, no more.");
    assert_eq!(streamed(&events), "Two looks, no more.");
    let last = format!("{:?}", talk.requests()[2].messages);
    assert!(last.contains("what is missing"), "{last}");
}

#[tokio::test]
async fn calls_beyond_the_limit_are_not_made() {
    let options = limited(|options| options.max_calls = 2);
    let write = |n: u32| calls("write_file", json!({"path": format!("{n}.txt"), "content": "x"}));
    let replies = vec![together([write(1), write(2), write(3)]), says("Two of three.")];
    let talk = Talk::with(Desk::new().mode(deskhand_core::Mode::Auto), script(replies), options);
    let (outcome, reason) = done(&talk.say("write three").await);
    assert_eq!(outcome, TurnOutcome::Stopped);
    assert!(reason.unwrap().starts_with("max_calls:"));
    let ends = ends(&talk.answer());
    assert_eq!(ends.len(), 3);
    assert!(ends[2].result.contains("Not run"), "{}", ends[2].result);
    assert!(!talk.desk.path("3.txt").exists());
}

#[tokio::test]
async fn tokens_and_cost_end_a_turn() {
    let spend = |input_tokens, cost| ScriptedReply {
        usage: Some(deskhand_core::session::Usage { input_tokens, cost: Some(cost), ..Default::default() }),
        ..calls("list_dir", json!({"path": "."}))
    };
    for (options, reply, code) in [
        (limited(|options| options.max_tokens = Some(500)), spend(600, 0.0), "max_tokens:"),
        (limited(|options| options.max_cost = Some(0.5)), spend(1, 0.75), "max_cost:"),
    ] {
        let talk = Talk::with(Desk::new(), script(vec![reply, says("never asked")]), options);
        let (outcome, reason) = done(&talk.say("spend").await);
        assert_eq!(outcome, TurnOutcome::Stopped);
        assert!(reason.unwrap().starts_with(code));
        assert_eq!(talk.requests().len(), 1, "{code} no more is spent");
        assert!(talk.answer().metadata.usage.is_some());
    }
}

#[tokio::test]
async fn time_ends_a_turn_in_the_middle_of_a_call_and_a_person_may_take_theirs() {
    let options = limited(|options| options.max_time_s = Some(1));
    let replies = vec![calls("bash", json!({"command": "sleep 30"})), says("never asked")];
    let desk = Desk::new().mode(deskhand_core::Mode::Auto);
    let talk = Talk::with(desk, script(replies), options);
    let (outcome, reason) = done(&talk.say("sleep").await);
    assert_eq!(outcome, TurnOutcome::Stopped);
    assert!(reason.unwrap().starts_with("max_time:"));
    assert_eq!(statuses(&talk.answer()), [Status::Cancelled]);
}

#[tokio::test]
async fn a_turn_can_be_cancelled_at_any_moment() {
    // While it answers, and while a call runs.
    let slowly = ScriptedReply { delay_ms: 50, ..says(&"word ".repeat(200)) };
    for reply in [slowly, calls("bash", json!({"command": "sleep 30"}))] {
        let is_answer = reply.calls.is_empty();
        let desk = Desk::new().mode(deskhand_core::Mode::Auto);
        let talk = Talk::at(desk, script(vec![reply, says("Once more.")]));
        let handle = talk.start("go");
        let mut stream = talk.agent.subscribe(&talk.session, 0);
        while let Some(event) = stream.next().await {
            if matches!(event.body, EventBody::Text { .. } | EventBody::CallPlanned { .. }) {
                break;
            }
        }
        handle.cancel();
        let events = talk.events_of(&handle).await;
        assert_eq!(done(&events).0, TurnOutcome::Cancelled);
        assert_eq!(handle.ended().await, TurnOutcome::Cancelled);
        let answer = talk.answer();
        if is_answer {
            assert!(answer.content.starts_with("word "), "what was said is kept: {answer:?}");
            assert_eq!(answer.content, streamed(&events));
        } else {
            assert_eq!(statuses(&answer), [Status::Cancelled]);
        }
        // The conversation goes on.
        assert_eq!(done(&talk.say("again").await).0, TurnOutcome::Completed);
    }
}

#[tokio::test]
async fn a_paused_turn_waits_and_goes_on() {
    let replies = vec![
        calls("write_file", json!({"path": "1.txt", "content": "x"})),
        calls("write_file", json!({"path": "2.txt", "content": "x"})),
        says("Both."),
    ];
    let talk = Talk::at(Desk::new().mode(deskhand_core::Mode::Auto), script(replies));
    let handle = talk.start("write");
    handle.pause();
    assert!(handle.is_paused());
    let asked = talk.requests().len();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(talk.requests().len() <= asked + 1, "no request is made while it is paused");
    assert!(!talk.desk.path("2.txt").exists());
    handle.resume();
    assert_eq!(handle.ended().await, TurnOutcome::Completed);
    assert!(talk.desk.path("2.txt").exists());
    // Cancelled while paused.
    let talk = Talk::new([calls("list_dir", json!({})), says("never")]);
    let handle = talk.start("x");
    handle.pause();
    handle.cancel();
    assert_eq!(handle.ended().await, TurnOutcome::Cancelled);
}

/// One after the other, so that some have not begun when the third is denied.
#[tokio::test]
async fn what_a_guard_keeps_from_beginning_is_told_so() {
    let write = |n: u32| calls("write_file", json!({"path": format!("{n}.txt"), "content": "x"}));
    let desk = Desk::new().answering([no("no"), no("no"), no("no"), yes(), yes()]);
    let options = limited(|options| options.max_parallel = 1);
    let replies = vec![together((1..=5).map(write)), says("Denied.")];
    let talk = Talk::with(desk, script(replies), options);
    let events = talk.say("write").await;
    assert_eq!(done(&events).0, TurnOutcome::Stopped);
    let ends = ends(&talk.answer());
    for end in &ends[3..] {
        assert_eq!(
            (end.status, end.error_code.as_deref()),
            (Status::Cancelled, Some("turn_ended")),
            "{end:?}"
        );
    }
    let told = events.iter().filter(|event| matches!(event.body, EventBody::CallEnded { .. })).count();
    assert_eq!(told, 5, "each call ends once for whoever watches");
    assert!(!talk.desk.path("4.txt").exists() && !talk.desk.path("5.txt").exists());
}

/// The terminal, say, in the session of another: what is remembered there is that one's answer.
#[tokio::test]
async fn a_turn_runs_for_the_owner_of_its_session() {
    let call = || calls("probe_moderate", json!({}));
    let desk = Desk::new();
    let explained =
        desk.gate.explain(deskhand_core::Request::new("probe_moderate", json!({})), &desk.session).await;
    let shape = explained.unwrap().plan.unwrap().shapes.pop().unwrap();
    let remember = Remember { scope: RememberScope::Always, shape, until: None };
    let desk = desk.answering([AnyAnswer::Execution(Answer::Yes { remember: Some(remember) })]);
    let mut talk = Talk::at(desk, script(vec![call(), says("Done."), call(), says("Not done.")]));
    let store = talk.agent.store();
    let hers = NewSession { owner: Some("ann".into()), ..NewSession::default() };
    talk.session = store.create(&hers).unwrap().id;
    talk.say("go").await;
    assert_eq!(statuses(&talk.answer()), [Status::Success]);
    assert_eq!(talk.desk.store.grants().list().unwrap()[0].owner.as_deref(), Some("ann"));
    // Nobody is there to ask a second time, and another's yes does not help.
    talk.session = store.create(&NewSession::default()).unwrap().id;
    talk.say("go").await;
    assert_eq!(statuses(&talk.answer()), [Status::NobodyToAsk]);
}
