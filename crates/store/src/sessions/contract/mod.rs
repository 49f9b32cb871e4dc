//! What every engine behind [`SessionStore`] must do. A second engine implements [`Engine`] and runs the same list.

pub mod events;
pub mod messages;
pub mod owners;
pub mod queue;
pub mod search;
pub mod sessions;
pub mod transcripts;
pub mod turns;
pub mod uploads;

use std::sync::Arc;

use deskhand_core::{
    Time,
    event::{Event, EventBody, TurnOutcome},
    id::CallId,
    session::{
        CallEnd, CallStep, MessageMeta, MessageQuery, NewEvent, NewMessage, NewSession, NewTurn, OpenTurn,
        Owner, PageAsk, Role, Session, SessionQuery, SessionStore, Step, TurnEnd,
    },
};
use serde_json::json;

/// One place where sessions are kept, for the length of a test.
pub trait Engine {
    /// An empty one.
    fn new() -> Self;
    /// A handle on it, such as another process would have.
    fn handle(&self) -> Arc<dyn SessionStore>;
    /// Another process, which does `task` in a session. See [`in_child`] for the tasks.
    fn start(&self, task: &str, session: &str) -> std::process::Child;
}

/// Makes a test of every function of the contract.
macro_rules! run_contract {
    ($engine:ty) => {
        crate::sessions::contract::run_contract! { $engine;
            sessions {
                ac008_a_new_session_has_an_id ac008_an_id_is_checked ac009_sessions_are_listed_by_page
                ac009_archived_and_deleted_ones_are_listed_apart ac009_a_page_has_bounds
                ac012_a_deleted_session_takes_everything_with_it ac012_a_soft_deletion_can_be_taken_back
                ac012_nothing_is_deleted_under_a_running_turn a_title_set_by_hand_is_locked titles_are_checked
                a_session_is_found_by_the_beginning_or_end_of_its_id metadata_is_kept_whole what_is_not_there_is_named
            }
            uploads {
                uploads_are_private_files a_finished_file_becomes_an_upload
                a_file_that_is_not_adopted_stays_where_it_was
            }
            owners {
                a_session_keeps_its_owner each_owner_has_a_list_and_counts
                what_one_owner_said_and_called_is_found_apart
            }
            messages {
                ac010_messages_are_stored ac010_counts_and_times_follow ac011_messages_are_queried_by_page
                ac011_messages_after_one_are_queried ac011_the_newest_messages_are_queried
                a_message_that_is_too_large_is_refused
            }
            turns {
                a_turn_is_one_question_and_one_answer the_steps_of_an_open_turn_are_seen
                open_calls_end_truthfully the_first_end_wins only_an_open_turn_grows
                of_two_that_begin_one_wins a_broken_turn_is_found_and_closed
                a_turn_is_broken_when_its_process_is_gone calls_have_a_history
                uploads_of_a_turn_must_be_there what_the_caller_sets_does_not_hide_the_end
                a_turn_can_end_whatever_it_has_done a_broken_turn_is_tried_again_on_the_same_message
                only_what_did_not_complete_is_tried_again
            }
            events {
                events_come_back_as_they_were the_newest_event_and_the_first_of_a_turn_are_known
                pieces_are_not_lost_when_a_turn_ends
                events_of_several_sessions_are_numbered_apart two_processes_leave_no_gap_and_no_double
                any_events_come_back_whatever_was_seen_before call_events_of_a_turn_have_no_images
                call_events_of_another_owner_are_left_out a_killed_process_leaves_what_was_acknowledged
            }
            queue {
                queued_messages_keep_their_order_until_removed queue_refuses_what_cannot_be_sent
            }
            search {
                finds_chinese_and_english finds_what_is_adjacent_alone the_newest_come_first
                what_is_gone_is_not_found searches_within_one_session a_query_without_words_is_refused
                finds_what_a_scan_would_find
            }
            transcripts {
                a_fork_has_the_messages_up_to_a_point a_fork_before_the_first_message_is_empty
                a_fork_keeps_what_it_refers_to
                an_unfinished_answer_is_not_forked export_and_import_keep_everything
                a_transcript_by_hand_is_imported hostile_transcripts_are_refused
            }
        }
    };
    ($engine:ty; $($module:ident { $($name:ident)* })*) => {
        $(mod $module {
            use crate::sessions::contract::Engine;
            $(#[test]
            fn $name() {
                crate::sessions::contract::$module::$name(&<$engine>::new());
            })*
        })*
    };
}
pub(crate) use run_contract;

/// What the other process does.
pub fn in_child(store: &dyn SessionStore, task: &str, session: &str) {
    match task {
        "begin a turn" => {
            let turn = begin(store, session, "from another process").id;
            let call = call("bash");
            store.add_steps(&turn, &[Step::Call(Box::new(call))]).unwrap();
        }
        "begin a turn and stay" => {
            begin(store, session, "from another process");
            println!("begun;");
            std::thread::sleep(std::time::Duration::from_mins(1));
        }
        "append 200 events" => {
            for n in 0..100 {
                store
                    .append_events((0..2).map(|k| notice(session, &format!("child {n} {k}"))).collect())
                    .unwrap();
            }
        }
        "run turns for ever" => {
            for n in 0.. {
                let turn = begin(store, session, &format!("question {n}")).id;
                for k in 0..5 {
                    let mut call = call("bash");
                    store.add_steps(&turn, &[Step::Call(Box::new(call.clone()))]).unwrap();
                    acknowledge(&store.append_events(vec![text(session, &turn, &format!("{k} "))]).unwrap());
                    call.end = Some(done("ok"));
                    store.end_call(&turn, &call).unwrap();
                }
                acknowledge(store.end_turn(&turn, &end(&format!("答案 {n}"))).unwrap().as_slice());
            }
        }
        other => panic!("{other}"),
    }
}

/// Says, on the output of a child, that an event has been stored.
fn acknowledge(events: &[Event]) {
    for event in events {
        println!("ack {};", event.seq);
    }
}

pub fn create(store: &dyn SessionStore) -> Session {
    store.create(&NewSession::default()).unwrap()
}

pub fn titled(store: &dyn SessionStore, title: &str) -> Session {
    store.create(&NewSession { title: Some(title.into()), ..NewSession::default() }).unwrap()
}

pub fn all() -> SessionQuery {
    SessionQuery {
        page: PageAsk { page: 1, size: 1_000 },
        owner: Owner::Everyone,
        archived: None,
        deleted: false,
    }
}

pub fn say(store: &dyn SessionStore, session: &str, role: Role, content: &str) -> i64 {
    let message = NewMessage { role, content: content.into(), metadata: MessageMeta::default() };
    store.append(session, &message).unwrap().id
}

pub fn contents(store: &dyn SessionStore, session: &str) -> Vec<String> {
    let page = store.messages(session, &MessageQuery::default()).unwrap();
    page.items.into_iter().map(|message| message.content).collect()
}

pub fn new_turn(session: &str, content: &str) -> NewTurn {
    NewTurn {
        session_id: session.into(),
        content: content.into(),
        uploads: Vec::new(),
        model: Some("scripted/one".into()),
        queued: None,
    }
}

pub fn begin(store: &dyn SessionStore, session: &str, content: &str) -> OpenTurn {
    store.begin_turn(&new_turn(session, content)).unwrap().turn
}

pub fn end(content: &str) -> TurnEnd {
    TurnEnd {
        outcome: TurnOutcome::Completed,
        reason: None,
        content: content.into(),
        incomplete: false,
        usage: None,
        metadata: serde_json::Map::new(),
    }
}

pub fn call(tool: &str) -> CallStep {
    CallStep {
        round: 1,
        call_id: CallId::new(),
        model_call_id: "c1".into(),
        tool: tool.into(),
        arguments: json!({"command": "ls"}),
        started_at: Time::now(),
        end: None,
    }
}

pub fn done(result: &str) -> CallEnd {
    CallEnd {
        error_code: None,
        duration_ms: 7,
        ..CallEnd::without_outcome(deskhand_core::Status::Success, "", result)
    }
}

pub fn notice(session: &str, text: &str) -> NewEvent {
    let body = EventBody::Notice { text: text.into() };
    NewEvent { session_id: session.into(), turn_id: None, at: Time::now(), body }
}

pub fn text(session: &str, turn: &str, text: &str) -> NewEvent {
    let body = EventBody::Text { text: text.into() };
    NewEvent { session_id: session.into(), turn_id: Some(turn.into()), at: Time::now(), body }
}

/// Events have no equality of their own; their JSON has.
pub fn shown(events: &[Event]) -> Vec<serde_json::Value> {
    events.iter().map(|event| serde_json::to_value(event).unwrap()).collect()
}
