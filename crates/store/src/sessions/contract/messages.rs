//! Messages: stored, counted, paged.

use deskhand_core::session::{
    Message, MessageMeta, MessageQuery, NewMessage, PageAsk, Role, SessionStore, Step, Usage,
};
use serde_json::json;

use super::{Engine, create, say};

pub fn ac010_messages_are_stored(engine: &impl Engine) {
    let (here, there) = (engine.handle(), engine.handle());
    let id = create(&*here).id;
    let mut metadata = MessageMeta {
        model: Some("a/b".into()),
        usage: Some(Usage { input_tokens: 1, output_tokens: 2, cached_tokens: 3, cost: Some(0.25) }),
        ..MessageMeta::default()
    };
    metadata.other.insert("own".into(), json!([1, {"a": null}]));
    let mut stored = Vec::new();
    for (role, content) in [
        (Role::User, "你好，世界 🌏"),
        (Role::Assistant, "line\nline\r\n\ttab \"quotes\" ' -- ; DROP TABLE messages"),
        (Role::System, ""),
    ] {
        let message = NewMessage { role, content: content.into(), metadata: metadata.clone() };
        let back = here.append(&id, &message).unwrap();
        assert_eq!((back.role, back.content.as_str(), &back.metadata), (role, content, &metadata));
        assert_eq!((back.session_id.as_str(), &back.execution_steps), (id.as_str(), &None));
        stored.push(back);
    }
    assert!(stored.windows(2).all(|two| two[0].id < two[1].id));
    let page = there.messages(&id, &MessageQuery::default()).unwrap();
    assert_eq!((page.total, page.items), (3, stored));
    let error = here
        .append("nobody", &NewMessage { role: Role::User, content: "x".into(), metadata })
        .unwrap_err()
        .to_string();
    assert_eq!(error, "there is no session nobody");
}

pub fn ac010_counts_and_times_follow(engine: &impl Engine) {
    let store = engine.handle();
    let [one, two] = [(); 2].map(|()| create(&*store).id);
    for n in 0..5 {
        say(&*store, &one, Role::User, &n.to_string());
    }
    let last = say(&*store, &two, Role::User, "x");
    assert_eq!(store.session(&one).unwrap().message_count, 5);
    let session = store.session(&two).unwrap();
    assert_eq!(session.message_count, 1);
    let messages = store.messages(&two, &MessageQuery::default()).unwrap().items;
    assert_eq!((messages[0].id, messages[0].timestamp), (last, session.updated_at));
}

fn numbers(items: &[Message]) -> Vec<usize> {
    items.iter().map(|message| message.content.parse().unwrap()).collect()
}

/// Twenty-three messages, with those of another session in between.
fn two_mixed(store: &dyn SessionStore) -> (String, Vec<i64>) {
    let [id, other] = [(); 2].map(|()| create(store).id);
    let ids = (0..23).map(|n| {
        say(store, &other, Role::User, "other");
        say(store, &id, Role::User, &n.to_string())
    });
    let ids = ids.collect();
    (id, ids)
}

pub fn ac011_messages_are_queried_by_page(engine: &impl Engine) {
    let store = engine.handle();
    let (id, _) = two_mixed(&*store);
    for size in [1, 4, 10, 23, 1_000] {
        for page in 1..=(23 / size + 2) {
            let query = MessageQuery { page: Some(PageAsk { page, size }), ..MessageQuery::default() };
            let found = store.messages(&id, &query).unwrap();
            let expected: Vec<usize> = (0..23)
                .skip(usize::try_from((page - 1) * size).unwrap())
                .take(usize::try_from(size).unwrap())
                .collect();
            assert_eq!((found.total, numbers(&found.items)), (23, expected), "page {page} of {size}");
        }
    }
    let everything = store.messages(&id, &MessageQuery::default()).unwrap();
    assert_eq!(numbers(&everything.items), (0..23).collect::<Vec<_>>());
    let query = MessageQuery { page: Some(PageAsk { page: 0, size: 1 }), ..MessageQuery::default() };
    assert!(store.messages(&id, &query).is_err());
}

pub fn ac011_messages_after_one_are_queried(engine: &impl Engine) {
    let store = engine.handle();
    let (id, ids) = two_mixed(&*store);
    for (after, page, expected) in [
        (ids[19], None, vec![20, 21, 22]),
        (ids[22], None, vec![]),
        (0, Some(PageAsk { page: 3, size: 10 }), vec![20, 21, 22]),
        (ids[9], Some(PageAsk { page: 2, size: 5 }), vec![15, 16, 17, 18, 19]),
        (ids[9], Some(PageAsk { page: 3, size: 5 }), vec![20, 21, 22]),
    ] {
        let found = store
            .messages(&id, &MessageQuery { page, after: Some(after), ..MessageQuery::default() })
            .unwrap();
        assert_eq!(numbers(&found.items), expected, "after {after}");
        assert_eq!(found.total, ids.iter().filter(|id| **id > after).count() as u64);
    }
}

pub fn ac011_the_newest_messages_are_queried(engine: &impl Engine) {
    let store = engine.handle();
    let (id, ids) = two_mixed(&*store);
    let ask = |last, before, after| {
        store.messages(&id, &MessageQuery { last: Some(last), before, after, ..MessageQuery::default() })
    };
    for (last, before, after, expected) in [
        (1, None, None, 22..23),
        (5, None, None, 18..23),
        (1_000, None, None, 0..23),
        (5, Some(ids[18]), None, 13..18),
        (5, Some(ids[3]), None, 0..3),
        (5, Some(ids[0]), None, 0..0),
        (5, Some(i64::MAX), None, 18..23),
        (5, None, Some(ids[20]), 21..23),
        (5, Some(ids[9]), Some(ids[6]), 7..9),
    ] {
        let found = ask(last, before, after).unwrap();
        assert_eq!(numbers(&found.items), expected.collect::<Vec<_>>(), "{last} before {before:?}");
        assert_eq!(found.total, 23, "all of the session");
    }
    let before = MessageQuery { before: Some(ids[7]), ..MessageQuery::default() };
    let found = store.messages(&id, &before).unwrap();
    assert_eq!((found.total, numbers(&found.items)), (7, (0..7).collect()));
    for last in [0, 1_001] {
        assert!(ask(last, None, None).unwrap_err().to_string().contains("1 to 1,000"));
    }
    let both =
        MessageQuery { page: Some(PageAsk { page: 1, size: 5 }), last: Some(5), ..MessageQuery::default() };
    assert!(store.messages(&id, &both).unwrap_err().to_string().contains("one of the two"));
    // The answer of a turn that is under way is the last one, with its steps.
    let turn = super::begin(&*store, &id, "23");
    store.add_steps(&turn.id, &[Step::Text { round: 1, text: "hm".into() }]).unwrap();
    let found = ask(2, None, None).unwrap();
    assert_eq!((found.items[0].id, found.items[1].id), (turn.user_message, turn.assistant_message));
    assert_eq!(found.items[1].execution_steps.as_ref().unwrap().len(), 1);
}

pub fn a_message_that_is_too_large_is_refused(engine: &impl Engine) {
    let store = engine.handle();
    let id = create(&*store).id;
    let content = "x".repeat((64 << 20) + 1);
    let message = NewMessage { role: Role::User, content, metadata: MessageMeta::default() };
    let error = store.append(&id, &message).unwrap_err().to_string();
    assert!(error.contains("67108865 bytes"), "{error}");
    assert_eq!(store.session(&id).unwrap().message_count, 0);
}
