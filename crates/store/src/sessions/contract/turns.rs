//! Turns: begun once, grown, ended once, found where they were broken off.

use std::io::BufRead;

use deskhand_core::{
    Status,
    event::{EventBody, TurnOutcome},
    session::{
        Deletion, Message, MessageQuery, NewTurn, NewUpload, Owner, PageAsk, Role, SessionError,
        SessionStore, Step, ToolCallQuery, TurnEnd, Usage,
    },
};
use serde_json::json;

use super::{Engine, begin, call, contents, create, done, end, new_turn, shown, text};

fn answer(store: &dyn SessionStore, session: &str) -> Message {
    store.messages(session, &MessageQuery::default()).unwrap().items.pop().unwrap()
}

pub fn a_turn_is_one_question_and_one_answer(engine: &impl Engine) {
    let (here, there) = (engine.handle(), engine.handle());
    let id = create(&*here).id;
    let begun = here.begin_turn(&new_turn(&id, "问题")).unwrap();
    assert!(matches!(&begun.event.body,
        EventBody::TurnStarted { message, message_id, model: Some(model), retry_of: None }
            if message == "问题" && *message_id == begun.turn.user_message && model == "scripted/one"));
    assert_eq!((begun.event.seq, begun.event.turn_id.as_ref()), (1, Some(&begun.turn.id)));
    let messages = there.messages(&id, &MessageQuery::default()).unwrap().items;
    let parts: Vec<_> = messages.iter().map(|m| (m.id, m.role, m.content.as_str())).collect();
    let turn = begun.turn;
    assert_eq!(
        parts,
        [(turn.user_message, Role::User, "问题"), (turn.assistant_message, Role::Assistant, "")]
    );
    assert!(messages.iter().all(|m| m.metadata.turn_id.as_ref() == Some(&turn.id)));
    let steps = [
        Step::Thought { round: 1, text: "hm".into(), signature: Some("s".into()) },
        Step::Text { round: 1, text: "let me see".into() },
        Step::Nudge { round: 1, text: "go on".into() },
    ];
    here.add_steps(&turn.id, &steps).unwrap();
    let usage = Usage { input_tokens: 5, ..Usage::default() };
    let last = TurnEnd {
        outcome: TurnOutcome::Stopped,
        reason: Some("round limit".into()),
        content: "答案".into(),
        incomplete: false,
        usage: Some(usage),
        metadata: json!({"own": 1}).as_object().unwrap().clone(),
    };
    let event = here.end_turn(&turn.id, &last).unwrap().unwrap();
    assert!(matches!(
        event.body,
        EventBody::Done { outcome: TurnOutcome::Stopped, reason: Some(_), incomplete: false }
    ));
    assert_eq!(event.seq, 2);
    let answer = answer(&*there, &id);
    assert_eq!(
        (answer.content.as_str(), answer.execution_steps.as_deref()),
        ("答案", Some(steps.as_slice()))
    );
    let metadata = answer.metadata;
    assert_eq!(
        (metadata.outcome, metadata.reason.as_deref()),
        (Some(TurnOutcome::Stopped), Some("round limit"))
    );
    assert_eq!((metadata.usage, metadata.model.as_deref()), (Some(usage), Some("scripted/one")));
    assert_eq!((metadata.turn_id, metadata.other.get("own")), (Some(turn.id), Some(&json!(1))));
    assert_eq!(there.open_turn(&id).unwrap(), None);
    begin(&*there, &id, "the next one");
}

pub fn the_steps_of_an_open_turn_are_seen(engine: &impl Engine) {
    let (here, there) = (engine.handle(), engine.handle());
    let id = create(&*here).id;
    let turn = begin(&*here, &id, "go");
    assert_eq!(answer(&*there, &id).execution_steps, None);
    let mut one = call("bash");
    let thought = Step::Thought { round: 1, text: "hm".into(), signature: None };
    here.add_steps(&turn.id, &[thought.clone(), Step::Call(Box::new(one.clone()))]).unwrap();
    here.add_steps(&turn.id, &[Step::Text { round: 2, text: "x".into() }]).unwrap();
    one.end = Some(done("listing"));
    here.end_call(&turn.id, &one).unwrap();
    let steps = vec![thought, Step::Call(Box::new(one)), Step::Text { round: 2, text: "x".into() }];
    assert_eq!(answer(&*there, &id).execution_steps.as_ref(), Some(&steps));
    let open = there.open_turn(&id).unwrap().unwrap();
    assert_eq!((open.turn, open.steps), (turn, steps.clone()));
    assert_eq!(there.export(&id).unwrap().messages[1].execution_steps, Some(steps));
    assert!(there.broken_turns().unwrap().is_empty(), "this process lives");
}

pub fn open_calls_end_truthfully(engine: &impl Engine) {
    let store = engine.handle();
    let id = create(&*store).id;
    let turn = begin(&*store, &id, "go").id;
    let mut ended = call("read_file");
    ended.end = Some(done("text"));
    let open = call("bash");
    store
        .add_steps(&turn, &[Step::Call(Box::new(ended.clone())), Step::Call(Box::new(open.clone()))])
        .unwrap();
    store.end_turn(&turn, &end("")).unwrap();
    let steps = answer(&*store, &id).execution_steps.unwrap();
    assert_eq!(steps[0], Step::Call(Box::new(ended)));
    let Step::Call(closed) = &steps[1] else { panic!() };
    let result = closed.end.as_ref().unwrap();
    assert_eq!((result.status, result.error_code.as_deref()), (Status::Cancelled, Some("interrupted")));
    assert!(result.result.contains("not known"), "{}", result.result);
    let history = store.tool_calls(&calls(|_| {})).unwrap().items;
    assert_eq!((history[0].call_id, history[0].status), (open.call_id, Some(Status::Cancelled)));
}

pub fn the_first_end_wins(engine: &impl Engine) {
    let (here, there) = (engine.handle(), engine.handle());
    let id = create(&*here).id;
    let turn = begin(&*here, &id, "go").id;
    assert!(here.end_turn(&turn, &end("first")).unwrap().is_some());
    let before = (here.export(&id).unwrap(), shown(&here.events(&id, 0, 100).unwrap()));
    assert!(there.end_turn(&turn, &end("second")).unwrap().is_none());
    assert_eq!((here.export(&id).unwrap(), shown(&here.events(&id, 0, 100).unwrap())), before);
    assert_eq!(contents(&*here, &id), ["go", "first"]);
    assert!(here.end_turn("nothing", &end("x")).unwrap_err().to_string().contains("no turn nothing"));
}

pub fn only_an_open_turn_grows(engine: &impl Engine) {
    let store = engine.handle();
    let id = create(&*store).id;
    let turn = begin(&*store, &id, "go").id;
    let open = call("bash");
    let mut ended = open.clone();
    ended.end = Some(done("x"));
    let step = |call: &deskhand_core::session::CallStep| [Step::Call(Box::new(call.clone()))];
    let refused = |result: Result<(), SessionError>, says: &str| {
        let error = result.unwrap_err();
        assert!(matches!(error, SessionError::Invalid(_)) && error.to_string().contains(says), "{error}");
    };
    refused(store.end_call(&turn, &ended), "there is no call");
    store.add_steps(&turn, &step(&open)).unwrap();
    refused(store.add_steps(&turn, &step(&open)), "stored once");
    refused(store.end_call(&turn, &open), "has no end");
    store.end_call(&turn, &ended).unwrap();
    refused(store.end_call(&turn, &ended), "ended already");
    store.end_turn(&turn, &end("x")).unwrap();
    refused(store.add_steps(&turn, &step(&call("bash"))), "has ended");
    refused(store.end_call(&turn, &ended), "has ended");
    refused(store.add_steps("nothing", &[]), "no turn nothing");
    assert_eq!(answer(&*store, &id).execution_steps, Some(step(&ended).to_vec()));
}

pub fn of_two_that_begin_one_wins(engine: &impl Engine) {
    let (here, there) = (engine.handle(), engine.handle());
    for _ in 0..20 {
        let id = create(&*here).id;
        let start = std::sync::Barrier::new(2);
        let race = |store: &dyn SessionStore| {
            start.wait();
            store.begin_turn(&new_turn(&id, "go"))
        };
        let both = std::thread::scope(|scope| {
            let other = scope.spawn(|| race(&*there));
            [race(&*here), other.join().unwrap()]
        });
        let won = both.iter().filter(|result| result.is_ok()).count();
        assert_eq!(won, 1);
        let lost = both.into_iter().find_map(Result::err).unwrap();
        assert!(matches!(&lost, SessionError::Busy(session) if *session == id), "{lost}");
        assert_eq!(here.session(&id).unwrap().message_count, 2);
        assert_eq!(here.events(&id, 0, 10).unwrap().len(), 1);
    }
}

pub fn a_broken_turn_is_found_and_closed(engine: &impl Engine) {
    let store = engine.handle();
    let [id, mine, doomed] = [(); 3].map(|()| create(&*store).id);
    begin(&*store, &mine, "still running");
    for session in [&id, &doomed] {
        assert!(engine.start("begin a turn", session).wait().unwrap().success());
    }
    // It holds the session until somebody closes it: nothing is closed in silence.
    assert!(matches!(store.begin_turn(&new_turn(&id, "x")), Err(SessionError::Busy(_))));
    let broken = store.broken_turns().unwrap();
    assert_eq!(broken.iter().map(|b| &b.turn.session_id).collect::<Vec<_>>(), [&id, &doomed]);
    assert!(matches!(broken[0].steps.as_slice(), [Step::Call(call)] if call.end.is_none()));
    let ended = TurnEnd { outcome: TurnOutcome::Failed, reason: Some("the process ended".into()), ..end("") };
    assert!(store.end_turn(&broken[0].turn.id, &ended).unwrap().is_some());
    assert_eq!(store.broken_turns().unwrap().len(), 1);
    begin(&*store, &id, "on we go");
    // A turn that will never go on does not keep its session from being deleted.
    store.delete(&doomed, Deletion::Soft).unwrap();
    assert!(store.end_turn(&broken[1].turn.id, &ended).unwrap().is_some());
    store.delete(&doomed, Deletion::Hard).unwrap();
}

/// One whose process lives is not broken, whoever looks; one whose process was killed is, and can be deleted.
pub fn a_turn_is_broken_when_its_process_is_gone(engine: &impl Engine) {
    let (store, other) = (engine.handle(), engine.handle());
    let [theirs, ours] = [(); 2].map(|()| create(&*store).id);
    let mut child = engine.start("begin a turn and stay", &theirs);
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    lines.find(|line| line.as_ref().unwrap().contains("begun;")).unwrap().unwrap();
    begin(&*store, &ours, "go");
    for handle in [&store, &other] {
        assert!(handle.broken_turns().unwrap().is_empty());
        for id in [&theirs, &ours] {
            for how in [Deletion::Soft, Deletion::Hard] {
                assert!(matches!(handle.delete(id, how), Err(SessionError::Busy(_))));
            }
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    for handle in [&store, &other] {
        let broken = handle.broken_turns().unwrap();
        assert_eq!(broken.iter().map(|b| &b.turn.session_id).collect::<Vec<_>>(), [&theirs]);
    }
    store.delete(&theirs, Deletion::Hard).unwrap();
    assert!(store.session(&theirs).is_err());
}

fn calls(change: impl FnOnce(&mut ToolCallQuery)) -> ToolCallQuery {
    let page = PageAsk { page: 1, size: 100 };
    let mut query =
        ToolCallQuery { page, owner: Owner::Everyone, session_id: None, turn_id: None, tool: None };
    change(&mut query);
    query
}

pub fn calls_have_a_history(engine: &impl Engine) {
    let store = engine.handle();
    let [one, two] = [(); 2].map(|()| create(&*store).id);
    let turn = begin(&*store, &one, "go");
    let mut write = call("write_file");
    store
        .add_steps(&turn.id, &[Step::Call(Box::new(call("bash"))), Step::Call(Box::new(write.clone()))])
        .unwrap();
    let other = begin(&*store, &two, "go");
    store.add_steps(&other.id, &[Step::Call(Box::new(call("bash")))]).unwrap();
    let mut result = done("written");
    result.undo = Some(write.call_id);
    write.end = Some(result);
    store.end_call(&turn.id, &write).unwrap();
    let list = |query: ToolCallQuery| {
        let page = store.tool_calls(&query).unwrap();
        (page.total, page.items.iter().map(|row| row.tool.clone()).collect::<Vec<_>>().join(" "))
    };
    assert_eq!(list(calls(|_| {})), (3, "bash write_file bash".into()));
    assert_eq!(list(calls(|q| q.session_id = Some(one.clone()))), (2, "write_file bash".into()));
    assert_eq!(list(calls(|q| q.turn_id = Some(other.id.clone()))), (1, "bash".into()));
    assert_eq!(list(calls(|q| q.tool = Some("bash".into()))), (2, "bash bash".into()));
    assert_eq!(list(calls(|q| q.page = PageAsk { page: 2, size: 2 })), (3, "bash".into()));
    let narrow = calls(|q| (q.tool, q.session_id) = (Some("write_file".into()), Some(one.clone())));
    let row = store.tool_calls(&narrow).unwrap().items.pop().unwrap();
    assert_eq!((row.call_id, row.undo, row.duration_ms), (write.call_id, Some(write.call_id), Some(7)));
    assert_eq!((row.status, row.arguments), (Some(Status::Success), json!({"command": "ls"})));
    assert_eq!(
        (row.turn_id, row.message_id, row.started_at),
        (turn.id, turn.assistant_message, write.started_at)
    );
    assert!(store.tool_calls(&calls(|q| q.session_id = Some("nobody".into()))).is_err());

    let found = store.tool_call(&one, write.call_id).unwrap().unwrap();
    assert_eq!((found.tool.as_str(), found.status), ("write_file", Some(Status::Success)));
    assert!(store.tool_call(&two, write.call_id).unwrap().is_none(), "of another session");
    assert!(store.tool_call("nobody", write.call_id).is_err());
}

pub fn uploads_of_a_turn_must_be_there(engine: &impl Engine) {
    let store = engine.handle();
    let [id, other] = [(); 2].map(|()| create(&*store).id);
    let upload = NewUpload {
        session_id: id.clone(),
        name: "a".into(),
        mime: "text/plain".into(),
        content: Vec::new(),
    };
    let upload = store.add_upload(&upload).unwrap().id;
    let turn = |session: &str, uploads: &[&String]| NewTurn {
        uploads: uploads.iter().map(ToString::to_string).collect(),
        ..new_turn(session, "go")
    };
    for wrong in [turn(&other, &[&upload]), turn(&id, &[&upload, &"x".to_owned()])] {
        assert!(store.begin_turn(&wrong).unwrap_err().to_string().contains("there is no upload"));
        assert_eq!(store.session(&wrong.session_id).unwrap().message_count, 0);
    }
    let too_many = store.begin_turn(&turn(&id, &[&upload; 21])).unwrap_err().to_string();
    assert!(too_many.contains("at most 20"), "{too_many}");
    store.begin_turn(&turn(&id, &[&upload])).unwrap();
    let messages = store.messages(&id, &MessageQuery::default()).unwrap().items;
    assert_eq!(messages[0].metadata.uploads, [upload]);
}

pub fn what_the_caller_sets_does_not_hide_the_end(engine: &impl Engine) {
    let store = engine.handle();
    let id = create(&*store).id;
    let turn = begin(&*store, &id, "go").id;
    store.append_events(vec![text(&id, &turn, "x")]).unwrap();
    let with = |metadata: serde_json::Value| TurnEnd {
        metadata: metadata.as_object().unwrap().clone(),
        ..end("done")
    };
    let error = store.end_turn(&turn, &with(json!({"uploads": 7}))).unwrap_err().to_string();
    assert!(error.contains("does not fit"), "{error}");
    assert!(store.open_turn(&id).unwrap().is_some(), "nothing was changed");
    store
        .end_turn(&turn, &with(json!({"turn_id": "x", "outcome": "failed", "reason": "x", "tokens": 3})))
        .unwrap();
    let metadata = answer(&*store, &id).metadata;
    assert_eq!((metadata.turn_id, metadata.outcome), (Some(turn), Some(TurnOutcome::Completed)));
    assert_eq!((metadata.reason, metadata.other.get("tokens")), (None, Some(&json!(3))));
}

pub fn a_turn_can_end_whatever_it_has_done(engine: &impl Engine) {
    let store = engine.handle();
    let id = create(&*store).id;
    let turn = begin(&*store, &id, "go").id;
    for _ in 0..4 {
        let mut shot = call("screenshot");
        let mut result = done("taken");
        let base64 = "x".repeat(20 << 20);
        result.images.push(deskhand_core::Image { mime: "image/png".into(), base64 });
        shot.end = Some(result);
        store.add_steps(&turn, &[Step::Call(Box::new(shot))]).unwrap();
    }
    let last = TurnEnd { reason: Some("r".repeat(5 << 20)), ..end(&"字".repeat(30 << 20)) };
    assert!(store.end_turn(&turn, &last).unwrap().is_some());
    let answer = answer(&*store, &id);
    assert!(answer.content.len() <= 64 << 20 && answer.content.ends_with("…]"));
    let images = answer
        .execution_steps
        .iter()
        .flatten()
        .filter(|step| matches!(step, Step::Call(call) if call.end.as_ref().unwrap().images.len() == 1));
    assert_eq!(images.count(), 3, "only what does not fit is left out");
}

fn broken(content: &str) -> TurnEnd {
    TurnEnd {
        outcome: TurnOutcome::Failed,
        reason: Some("network: gone".into()),
        incomplete: true,
        ..end(content)
    }
}

pub fn a_broken_turn_is_tried_again_on_the_same_message(engine: &impl Engine) {
    let store = engine.handle();
    let id = create(&*store).id;
    let first = begin(&*store, &id, "question");
    let done = store.end_turn(&first.id, &broken("half an ans")).unwrap().unwrap();
    assert!(matches!(done.body, EventBody::Done { incomplete: true, .. }), "{done:?}");
    let again = store.retry_turn(&id, Some("scripted/two")).unwrap();
    assert!(matches!(&again.event.body,
        EventBody::TurnStarted { message, message_id, model: Some(model), retry_of: Some(of) }
            if message == "question" && *message_id == first.user_message && model == "scripted/two"
                && *of == first.assistant_message));
    assert_eq!(again.turn.user_message, first.user_message);
    assert!(matches!(store.retry_turn(&id, None), Err(SessionError::Busy(_))));
    store.end_turn(&again.turn.id, &end("the whole answer")).unwrap();
    assert_eq!(contents(&*store, &id), ["question", "half an ans", "the whole answer"]);
    let messages = store.messages(&id, &MessageQuery::default()).unwrap().items;
    assert_eq!(messages.iter().map(|m| m.metadata.incomplete).collect::<Vec<_>>(), [false, true, false]);
    assert_eq!(messages[2].metadata.retry_of, Some(messages[1].id));
    assert_eq!(store.session(&id).unwrap().message_count, 3);
    // A copy refers to its own messages.
    let copy = store.fork(&id, None, None).unwrap().id;
    let copied = store.messages(&copy, &MessageQuery::default()).unwrap().items;
    assert_eq!(copied[2].metadata.retry_of, Some(copied[1].id));
    // And where the broken answer is the last, it can be tried again there, too.
    let copy = store.fork(&id, Some(messages[1].id), None).unwrap().id;
    let begun = store.retry_turn(&copy, None).unwrap();
    let copied = store.messages(&copy, &MessageQuery::default()).unwrap().items;
    assert_eq!((copied.len(), begun.turn.user_message), (3, copied[0].id));
}

pub fn only_what_did_not_complete_is_tried_again(engine: &impl Engine) {
    let store = engine.handle();
    let id = create(&*store).id;
    let refused = |why: &str| {
        let error = store.retry_turn(&id, None).unwrap_err().to_string();
        assert!(error.contains("nothing to try again") && error.contains(why), "{error}");
    };
    refused("nothing was answered");
    let turn = begin(&*store, &id, "question");
    store.end_turn(&turn.id, &end("answer")).unwrap();
    refused("completed");
    assert!(matches!(store.retry_turn("no-such-session", None), Err(SessionError::NoSuchSession(_))));
    assert_eq!(contents(&*store, &id), ["question", "answer"]);
}
