//! Messages that wait for the end of a turn.

use deskhand_core::{
    event::TurnOutcome,
    session::{Deletion, NewTurn, NewUpload, TurnEnd},
};

use super::{Engine, create, end, new_turn};

pub fn queued_messages_keep_their_order_until_removed(engine: &impl Engine) {
    let (here, there) = (engine.handle(), engine.handle());
    let (id, other) = (create(&*here).id, create(&*here).id);
    let upload =
        NewUpload { session_id: id.clone(), name: "a".into(), mime: "text/plain".into(), content: vec![1] };
    let upload = here.add_upload(&upload).unwrap().id;
    let first = here.queue_message(&id, "first", &[]).unwrap();
    let second = there.queue_message(&id, "second", std::slice::from_ref(&upload)).unwrap();
    assert_eq!(second.uploads, [upload]);
    assert_eq!(here.queued(&id).unwrap(), [first.clone(), second.clone()]);
    let edited = here.edit_queued(&id, first.id, "first, edited").unwrap();
    assert_eq!((edited.id, edited.content.as_str()), (first.id, "first, edited"));
    assert_eq!(there.queued(&id).unwrap(), [edited.clone(), second.clone()]);
    assert_eq!(there.unqueue(&id, first.id).unwrap(), edited);
    assert_eq!(here.queued(&id).unwrap(), [second]);
    assert!(here.queued(&other).unwrap().is_empty());
    // It leaves the queue with the beginning of its turn, or not at all.
    let sent = here.queue_message(&id, "sent", &[]).unwrap();
    let turn = NewTurn { queued: Some(sent.id), ..new_turn(&id, "sent") };
    let begun = here.begin_turn(&turn).unwrap().turn;
    assert_eq!(here.queued(&id).unwrap().len(), 1);
    assert!(
        here.begin_turn(&NewTurn { queued: Some(here.queued(&id).unwrap()[0].id), ..turn.clone() }).is_err()
    );
    assert_eq!(here.queued(&id).unwrap().len(), 1);
    let cancelled = TurnEnd { outcome: TurnOutcome::Cancelled, ..end("x") };
    here.end_turn(&begun.id, &cancelled).unwrap();
    assert!(here.begin_turn(&turn).is_err(), "it was sent already");
    // What waited for a turn that was cancelled waits for the person; an edit says that it is still wanted.
    let later = here.queue_message(&id, "later", &[]).unwrap();
    let held = |id: &str| -> Vec<bool> { there.queued(id).unwrap().iter().map(|one| one.held).collect() };
    assert_eq!(held(&id), [true, false]);
    here.hold_queued(&id).unwrap();
    assert_eq!(held(&id), [true, true]);
    assert!(!here.edit_queued(&id, later.id, "now").unwrap().held);
    assert_eq!(held(&id), [true, false]);
    assert!(here.open_turn(&id).unwrap().is_none());
    let copy = here.fork(&id, None, None).unwrap().id;
    assert!(here.queued(&copy).unwrap().is_empty(), "a fork has what was said");
    here.delete(&id, Deletion::Hard).unwrap();
    assert!(here.queued(&id).is_err());
}

pub fn queue_refuses_what_cannot_be_sent(engine: &impl Engine) {
    let store = engine.handle();
    let (id, other) = (create(&*store).id, create(&*store).id);
    let error =
        |result: deskhand_core::session::SessionResult<_>| result.map(|_| ()).unwrap_err().to_string();
    assert_eq!(error(store.queue_message(&id, " ", &[])), "the message is empty");
    assert!(store.queue_message(&id, "x", &["none".to_owned()]).is_err());
    assert!(store.queue_message("nobody", "x", &[]).is_err());
    let kept = store.queue_message(&id, "x", &[]).unwrap();
    assert_eq!(error(store.edit_queued(&id, kept.id, "")), "the message is empty");
    assert!(store.edit_queued(&other, kept.id, "y").is_err() && store.unqueue(&other, kept.id).is_err());
    assert_eq!(store.queued(&id).unwrap(), [kept]);
    for _ in 1..20 {
        store.queue_message(&id, "x", &[]).unwrap();
    }
    assert!(error(store.queue_message(&id, "x", &[])).contains("20 messages wait already"));
}
