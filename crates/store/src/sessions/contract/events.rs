//! Events: numbered without a gap, given back as they were, whoever asks from wherever.

use std::{collections::HashMap, io::BufRead, time::Duration};

use deskhand_core::{
    CallId, Image, Outcome, Status, Time,
    event::{Event, EventBody, TurnOutcome},
    session::{MessageQuery, NewEvent, NewSession, Role, SessionStore, TurnEnd},
};
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};

use super::{Engine, begin, create, end, new_turn, notice, shown, text};

pub fn events_come_back_as_they_were(engine: &impl Engine) {
    let (here, there) = (engine.handle(), engine.handle());
    let id = create(&*here).id;
    let begun = here.begin_turn(&new_turn(&id, "go")).unwrap();
    let turn = begun.turn.id.clone();
    let later = begun.event.at.plus(Duration::from_millis(1_234));
    let event = |turn: Option<&String>, at, body| NewEvent {
        session_id: id.clone(),
        turn_id: turn.cloned(),
        at,
        body,
    };
    let said = |text: &str| EventBody::Text { text: text.into() };
    let batch = vec![
        event(Some(&turn), later, said("Hel")),
        // A clock that was set back.
        event(Some(&turn), begun.event.at, said("")),
        event(Some(&turn), later, said("lo \"x\"\n⟪")),
        event(Some(&turn), later, EventBody::Thought { text: "hm".into() }),
        event(Some(&turn), later, said("!")),
        event(None, later, said("of no turn")),
        event(None, later, EventBody::Notice { text: "n".into() }),
        event(Some(&turn), later, EventBody::Usage(deskhand_core::session::Usage::default())),
    ];
    let sent: Vec<_> = batch.iter().map(|e| (e.at, serde_json::to_value(&e.body).unwrap())).collect();
    let stored = here.append_events(batch).unwrap();
    let got: Vec<_> = stored.iter().map(|e| (e.at, serde_json::to_value(&e.body).unwrap())).collect();
    assert_eq!(got, sent);
    assert_eq!(stored.iter().map(|e| e.seq).collect::<Vec<_>>(), (2..10).collect::<Vec<_>>());
    let everything: Vec<Event> = std::iter::once(begun.event).chain(stored).collect();
    check_reads(&*there, &id, &everything);
    assert!(here.append_events(Vec::new()).unwrap().is_empty());
    assert!(there.events("nobody", 0, 1).is_err());
}

/// Reads from every place, with several limits.
fn check_reads(store: &dyn SessionStore, id: &str, everything: &[Event]) {
    let expected = shown(everything);
    for after in 0..=everything.len() + 1 {
        for limit in [0, 1, 3, 1_000] {
            let found = store.events(id, after as u64, limit).unwrap();
            let rest = expected.iter().skip(after).take(limit).cloned().collect::<Vec<_>>();
            assert_eq!(shown(&found), rest, "after {after}, at most {limit}");
        }
    }
    assert!(store.events(id, u64::MAX, 10).unwrap().is_empty());
}

pub fn the_newest_event_and_the_first_of_a_turn_are_known(engine: &impl Engine) {
    let store = engine.handle();
    let id = create(&*store).id;
    assert_eq!(store.last_event(&id).unwrap(), 0);
    store.append_events((0..3).map(|n| notice(&id, &n.to_string())).collect()).unwrap();
    assert_eq!(store.last_event(&id).unwrap(), 3);
    let turn = begin(&*store, &id, "go");
    store.append_events((0..9).map(|n| text(&id, &turn.id, &n.to_string())).collect()).unwrap();
    assert_eq!((turn.first_event, store.last_event(&id).unwrap()), (4, 13));
    assert_eq!(engine.handle().open_turn(&id).unwrap().unwrap().turn, turn);
    let first = &store.events(&id, turn.first_event - 1, 1).unwrap()[0];
    assert!(matches!(first.body, EventBody::TurnStarted { .. }), "{first:?}");
    store.end_turn(&turn.id, &end("x")).unwrap();
    let newest = store.last_event(&id).unwrap();
    assert_eq!((newest, store.events(&id, 0, 100).unwrap().last().unwrap().seq), (14, 14));
    assert_eq!(store.last_event("nobody").unwrap_err().to_string(), "there is no session nobody");
}

/// The end of a call with a picture.
fn call_ended(session: &str, turn: &str, text: &str) -> NewEvent {
    let mut outcome = Outcome::without_gate(CallId::new(), "screenshot", Status::Error, "code", text);
    outcome.images.push(Image { mime: "image/png".into(), base64: "AAAA".into() });
    let body = EventBody::CallEnded { outcome: Box::new(outcome) };
    NewEvent { session_id: session.into(), turn_id: Some(turn.into()), at: Time::now(), body }
}

fn ends(events: &[Event]) -> Vec<(&str, usize)> {
    let ended = events.iter().map(|event| match &event.body {
        EventBody::CallEnded { outcome } => (outcome.text.as_str(), outcome.images.len()),
        other => panic!("{other:?}"),
    });
    ended.collect()
}

pub fn call_events_of_a_turn_have_no_images(engine: &impl Engine) {
    let store = engine.handle();
    let id = create(&*store).id;
    let turns = ["one", "two", "three"].map(|name| {
        let turn = begin(&*store, &id, name).id;
        let batch = vec![text(&id, &turn, "words"), call_ended(&id, &turn, name), notice(&id, "between")];
        store.append_events(batch).unwrap();
        store.end_turn(&turn, &end("x")).unwrap();
        turn
    });
    let wanted = [turns[2].clone(), "nothing".to_owned(), turns[0].clone()];
    let copy = store.fork(&id, None, None).unwrap().id;
    for session in [&id, &copy] {
        let found = store.call_events(session, &wanted).unwrap();
        assert_eq!(ends(&found), [("three", 0), ("one", 0)]);
        assert!(found.iter().all(|event| event.session_id == id));
    }
    assert!(store.call_events("nobody", &wanted).is_err());
}

pub fn call_events_of_another_owner_are_left_out(engine: &impl Engine) {
    let store = engine.handle();
    let (id, turn) = {
        let id = create(&*store).id;
        let turn = begin(&*store, &id, "go").id;
        store.append_events(vec![call_ended(&id, &turn, "private")]).unwrap();
        (id, turn)
    };
    let bobs = store.create(&NewSession { owner: Some("bob".into()), ..NewSession::default() }).unwrap().id;
    assert!(store.call_events(&bobs, std::slice::from_ref(&turn)).unwrap().is_empty());
    assert_eq!(ends(&store.call_events(&id, &[turn]).unwrap()), [("private", 0)]);
}

pub fn pieces_are_not_lost_when_a_turn_ends(engine: &impl Engine) {
    let store = engine.handle();
    let id = create(&*store).id;
    let begun = store.begin_turn(&new_turn(&id, "go")).unwrap();
    let turn = begun.turn.id;
    let mut everything = vec![begun.event];
    for n in 0..10 {
        everything.extend(store.append_events(vec![text(&id, &turn, &format!("{n} "))]).unwrap());
        if n == 6 {
            everything.extend(store.append_events(vec![notice(&id, "in between")]).unwrap());
        }
    }
    everything.extend(store.end_turn(&turn, &end("x")).unwrap());
    everything.extend(store.append_events(vec![text(&id, &turn, "too late, and still kept")]).unwrap());
    check_reads(&*store, &id, &everything);
}

pub fn events_of_several_sessions_are_numbered_apart(engine: &impl Engine) {
    let store = engine.handle();
    let [a, b] = [(); 2].map(|()| create(&*store).id);
    let gone = "gone";
    let batch = [(&a, "1"), (&b, "1"), (&a, "2"), (&gone.to_owned(), "x"), (&b, "2")];
    let batch = batch.iter().map(|(session, text)| notice(session, text)).collect();
    let stored = store.append_events(batch).unwrap();
    let seen: Vec<_> = stored.iter().map(|e| (e.session_id.clone(), e.seq)).collect();
    assert_eq!(seen, [(a.clone(), 1), (b.clone(), 1), (a.clone(), 2), (b.clone(), 2)]);
    for id in [&a, &b] {
        let texts: Vec<_> = store.events(id, 0, 10).unwrap().into_iter().map(|event| event.body).collect();
        assert!(matches!(texts.as_slice(),
            [EventBody::Notice { text: one }, EventBody::Notice { text: two }] if one == "1" && two == "2"));
    }
}

pub fn two_processes_leave_no_gap_and_no_double(engine: &impl Engine) {
    let store = engine.handle();
    let id = create(&*store).id;
    let mut child = engine.start("append 200 events", &id);
    let mut mine = Vec::new();
    for n in 0..200 {
        mine.extend(store.append_events(vec![notice(&id, &format!("parent {n}"))]).unwrap());
    }
    assert!(child.wait().unwrap().success());
    let found = store.events(&id, 0, 1_000).unwrap();
    assert_eq!(found.iter().map(|e| e.seq).collect::<Vec<_>>(), (1..=400).collect::<Vec<_>>());
    let texts: std::collections::BTreeSet<String> =
        found.iter().map(|event| serde_json::to_string(&event.body).unwrap()).collect();
    assert_eq!(texts.len(), 400, "each event is there once");
    for event in mine {
        let index = usize::try_from(event.seq).unwrap() - 1;
        assert_eq!(shown(&found[index..=index]), shown(&[event]));
    }
}

#[derive(Clone, Debug)]
enum Doing {
    Batch(Vec<(u8, String)>),
    NextTurn,
}

pub fn any_events_come_back_whatever_was_seen_before(engine: &impl Engine) {
    let store = engine.handle();
    let batch = prop::collection::vec((0_u8..4, "\\PC{0,6}"), 0..12).prop_map(Doing::Batch);
    let doing = prop_oneof![4 => batch, 1 => Just(Doing::NextTurn)];
    let plan = (prop::collection::vec(doing, 1..12), prop::collection::vec((0_u64..80, 0_usize..40), 8));
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(40) });
    runner.run(&plan, |(doings, reads)| check_plan(&*store, doings, &reads)).unwrap();
}

fn check_plan(
    store: &dyn SessionStore,
    doings: Vec<Doing>,
    reads: &[(u64, usize)],
) -> Result<(), TestCaseError> {
    let id = create(store).id;
    let begun = store.begin_turn(&new_turn(&id, "0")).unwrap();
    let (mut turn, mut everything) = (begun.turn.id, vec![begun.event]);
    for doing in doings {
        match doing {
            Doing::NextTurn => {
                everything.extend(store.end_turn(&turn, &end("x")).unwrap());
                let begun = store.begin_turn(&new_turn(&id, "next")).unwrap();
                turn = begun.turn.id;
                everything.push(begun.event);
            }
            Doing::Batch(batch) => {
                let event = |(kind, text): (u8, String)| NewEvent {
                    session_id: id.clone(),
                    turn_id: (kind != 3).then(|| turn.clone()),
                    at: Time::now(),
                    body: match kind {
                        0 | 3 => EventBody::Text { text },
                        1 => EventBody::Thought { text },
                        _ => EventBody::Notice { text },
                    },
                };
                everything.extend(store.append_events(batch.into_iter().map(event).collect()).unwrap());
            }
        }
    }
    let expected = shown(&everything);
    for (after, limit) in reads {
        let found = shown(&store.events(&id, *after, *limit).unwrap());
        let skip = usize::try_from(*after).unwrap();
        let rest: Vec<_> = expected.iter().skip(skip).take(*limit).cloned().collect();
        prop_assert_eq!(found, rest, "after {}, at most {}", after, limit);
    }
    Ok(())
}

/// Kills a process that runs turns at ten moments, and looks at what is there.
pub fn a_killed_process_leaves_what_was_acknowledged(engine: &impl Engine) {
    let store = engine.handle();
    let id = create(&*store).id;
    let mut answers = 0;
    for round in 0..10_u64 {
        let mut child = engine.start("run turns for ever", &id);
        let output = std::io::BufReader::new(child.stdout.take().unwrap());
        let mut lines = output.lines();
        let first = lines.find(|line| line.as_ref().unwrap().starts_with("ack ")).unwrap().unwrap();
        // A moment that is another one each time.
        std::thread::sleep(Duration::from_micros(round * 1_733));
        child.kill().unwrap();
        child.wait().unwrap();
        let mut acknowledged = vec![first];
        acknowledged.extend(lines.map_while(Result::ok).filter(|line| line.starts_with("ack ")));
        answers = check_after_kill(&*store, &id, &acknowledged, answers);
    }
}

fn check_after_kill(store: &dyn SessionStore, id: &str, acknowledged: &[String], before: usize) -> usize {
    let broken = store.broken_turns().unwrap();
    assert!(broken.len() <= 1);
    for turn in &broken {
        let failed = TurnEnd { outcome: TurnOutcome::Failed, ..end("broken off") };
        assert!(store.end_turn(&turn.turn.id, &failed).unwrap().is_some());
    }
    assert!(store.open_turn(id).unwrap().is_none());
    let events = store.events(id, 0, usize::MAX).unwrap();
    assert!((1..).zip(&events).all(|(seq, event)| event.seq == seq), "no gap and no double");
    for line in acknowledged {
        // A line may have been cut by the end of the process.
        let Some((seq, "")) = line["ack ".len()..].split_once(';') else { continue };
        assert!(seq.parse::<u64>().unwrap() <= events.len() as u64, "{line} was acknowledged");
    }
    let mut ends: HashMap<&str, (u32, u32)> = HashMap::new();
    for event in &events {
        let turn = ends.entry(event.turn_id.as_deref().unwrap()).or_default();
        match &event.body {
            EventBody::TurnStarted { .. } => turn.0 += 1,
            EventBody::Done { .. } => turn.1 += 1,
            _ => {}
        }
    }
    assert!(ends.values().all(|turn| *turn == (1, 1)), "each turn begins once and ends once");
    let messages = store.messages(id, &MessageQuery::default()).unwrap();
    assert_eq!(messages.total, messages.items.len() as u64);
    for two in messages.items.chunks(2) {
        assert_eq!((two[0].role, two[1].role), (Role::User, Role::Assistant));
        assert!(!two[1].content.is_empty() && two[1].metadata.outcome.is_some());
        assert_eq!(two[0].metadata.turn_id, two[1].metadata.turn_id);
        let steps = two[1].execution_steps.iter().flatten();
        assert!(steps.into_iter().all(|step| !matches!(step,
            deskhand_core::session::Step::Call(call) if call.end.is_none())));
    }
    let answers = messages.items.len() / 2;
    assert_eq!(answers, ends.len());
    assert!(answers > before);
    begin_and_end(store, id);
    answers
}

/// The session can be gone on with.
fn begin_and_end(store: &dyn SessionStore, id: &str) {
    let turn = begin(store, id, "on we go").id;
    store.end_turn(&turn, &end("gladly")).unwrap();
}
