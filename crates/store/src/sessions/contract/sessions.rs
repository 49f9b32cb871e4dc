//! Sessions: made, listed, named, archived, deleted.

use deskhand_core::session::{
    Deletion, ForkedFrom, MessageQuery, NewSession, NewUpload, Owner, PageAsk, Role, Session, SessionMeta,
    SessionQuery, SessionStore, Step, TitledBy, ToolCallQuery, UNTITLED,
};
use serde_json::json;

use super::{Engine, all, begin, call, create, done, end, notice, say, titled};

fn ids(store: &dyn SessionStore, query: &SessionQuery) -> (u64, Vec<String>) {
    let page = store.sessions(query).unwrap();
    (page.total, page.items.into_iter().map(|session| session.id).collect())
}

pub fn ac008_a_new_session_has_an_id(engine: &impl Engine) {
    let (here, there) = (engine.handle(), engine.handle());
    let session = create(&*here);
    assert_eq!(session.id.len(), 36);
    assert_eq!((session.title.as_str(), session.title_locked), (UNTITLED, false));
    assert_eq!((session.message_count, session.is_archived, session.deleted_at), (0, false, None));
    assert_eq!(session.created_at, session.updated_at);
    assert_eq!(there.session(&session.id).unwrap(), session);
    let named = titled(&*here, " 我的\n会话\u{7} ");
    assert_eq!((named.title.as_str(), named.title_locked), ("我的 会话", true));
    assert_ne!(named.id, session.id);
}

pub fn ac008_an_id_is_checked(engine: &impl Engine) {
    let store = engine.handle();
    let with = |id: &str| store.create(&NewSession { id: Some(id.into()), ..NewSession::default() });
    assert_eq!(with("chat-1.a_b").unwrap().id, "chat-1.a_b");
    let long = "a".repeat(101);
    for (id, says) in [
        ("chat-1.a_b", "already"),
        ("", "cannot be the id"),
        ("../x", "cannot be the id"),
        (".hidden", "cannot be the id"),
        ("--", "cannot be the id"),
        ("a/b", "cannot be the id"),
        ("A", "cannot be the id"),
        (long.as_str(), "cannot be the id"),
    ] {
        let error = with(id).unwrap_err().to_string();
        assert!(error.contains(says), "{id}: {error}");
    }
    assert_eq!(store.sessions(&all()).unwrap().total, 1);
    store.delete("chat-1.a_b", Deletion::Soft).unwrap();
    with("chat-1.a_b").unwrap_err();
}

pub fn ac009_sessions_are_listed_by_page(engine: &impl Engine) {
    let store = engine.handle();
    let made: Vec<String> = (0..7).map(|_| create(&*store).id).collect();
    // Whatever changes comes to the top, also within one millisecond.
    say(&*store, &made[2], Role::User, "hello");
    store.rename(&made[0], "renamed", TitledBy::Machine).unwrap();
    let order: Vec<String> = [0, 2, 6, 5, 4, 3, 1].map(|n: usize| made[n].clone()).to_vec();
    for (page, size, range) in [(1, 3, 0..3), (2, 3, 3..6), (3, 3, 6..7), (4, 3, 7..7), (1, 1_000, 0..7)] {
        let query = SessionQuery { page: PageAsk { page, size }, ..all() };
        assert_eq!(ids(&*store, &query), (7, order[range].to_vec()), "page {page}");
    }
    let query = SessionQuery { page: PageAsk { page: u64::MAX, size: 1_000 }, ..all() };
    assert_eq!(ids(&*store, &query), (7, Vec::new()));
}

pub fn ac009_archived_and_deleted_ones_are_listed_apart(engine: &impl Engine) {
    let store = engine.handle();
    let [a, b, c, d] = [(); 4].map(|()| create(&*store).id);
    store.archive(&b, true).unwrap();
    store.archive(&c, true).unwrap();
    store.archive(&c, true).unwrap();
    store.delete(&a, Deletion::Soft).unwrap();
    store.delete(&b, Deletion::Soft).unwrap();
    store.delete(&d, Deletion::Hard).unwrap();
    let list = |archived, deleted| ids(&*store, &SessionQuery { archived, deleted, ..all() });
    assert_eq!(list(None, false), (1, vec![c.clone()]));
    assert_eq!(list(Some(true), false), (1, vec![c.clone()]));
    assert_eq!(list(Some(false), false), (0, vec![]));
    assert_eq!(list(None, true), (2, vec![b.clone(), a.clone()]));
    assert_eq!(list(Some(true), true), (1, vec![b.clone()]));
    store.restore(&b).unwrap();
    assert!(!store.archive(&b, false).unwrap().is_archived);
    assert_eq!(list(Some(false), false), (1, vec![b.clone()]));
    assert_eq!(list(None, false), (2, vec![b, c]));
    assert_eq!(list(None, true), (1, vec![a]));
}

pub fn ac009_a_page_has_bounds(engine: &impl Engine) {
    let store = engine.handle();
    for (page, size) in [(0, 10), (1, 0), (1, 1_001)] {
        let error = store.sessions(&SessionQuery { page: PageAsk { page, size }, ..all() }).unwrap_err();
        assert!(error.to_string().contains("1 to 1,000"), "{error}");
    }
}

/// A session with something of everything.
fn full(store: &dyn SessionStore) -> Session {
    let session = titled(store, "要删除的会话");
    let turn = begin(store, &session.id, "删除我").id;
    let mut one = call("bash");
    store.add_steps(&turn, &[Step::Call(Box::new(one.clone()))]).unwrap();
    one.end = Some(done("ok"));
    store.end_call(&turn, &one).unwrap();
    store.end_turn(&turn, &end("好的")).unwrap();
    store.append_events(vec![notice(&session.id, "n")]).unwrap();
    let upload = NewUpload {
        session_id: session.id.clone(),
        name: "a.txt".into(),
        mime: "text/plain".into(),
        content: b"secret".to_vec(),
    };
    store.add_upload(&upload).unwrap();
    session
}

fn calls(session_id: Option<&str>) -> ToolCallQuery {
    ToolCallQuery {
        page: PageAsk { page: 1, size: 10 },
        owner: Owner::Everyone,
        session_id: session_id.map(str::to_owned),
        turn_id: None,
        tool: None,
    }
}

pub fn ac012_a_deleted_session_takes_everything_with_it(engine: &impl Engine) {
    let (here, there) = (engine.handle(), engine.handle());
    let session = full(&*here);
    let other = full(&*here);
    let file = here.uploads(&session.id).unwrap()[0].path.clone();
    assert!(file.is_file());
    here.delete(&session.id, Deletion::Hard).unwrap();
    assert!(!file.exists() && !file.parent().unwrap().exists());
    let id = session.id.as_str();
    for error in [
        there.session(id).err(),
        there.messages(id, &MessageQuery::default()).err(),
        there.events(id, 0, 10).err(),
        there.uploads(id).err(),
        there.tool_calls(&calls(Some(id))).err(),
        there.restore(id).err(),
        there.delete(id, Deletion::Hard).err(),
        there.open_turn(id).err(),
        there.export(id).err(),
    ] {
        assert_eq!(error.unwrap().to_string(), format!("there is no session {id}"));
    }
    // Nothing else has gone.
    assert_eq!(there.session(&other.id).unwrap().message_count, 2);
    assert_eq!(there.tool_calls(&calls(None)).unwrap().total, 1);
    assert_eq!(there.sessions(&all()).unwrap().total, 1);
    assert!(there.append_events(vec![notice(id, "late")]).unwrap().is_empty());
}

pub fn ac012_a_soft_deletion_can_be_taken_back(engine: &impl Engine) {
    let store = engine.handle();
    let session = full(&*store);
    let id = session.id.as_str();
    let before = (store.export(id).unwrap().messages, store.uploads(id).unwrap());
    store.delete(id, Deletion::Soft).unwrap();
    assert!(store.session(id).is_err() && store.find_session(id).is_err());
    assert!(store.messages(id, &MessageQuery::default()).is_err());
    assert!(store.rename(id, "x", TitledBy::Person).is_err() && store.archive(id, true).is_err());
    assert!(store.begin_turn(&super::new_turn(id, "x")).is_err());
    assert!(store.delete(id, Deletion::Soft).is_err() && store.fork(id, None, None).is_err());
    assert_eq!(store.tool_calls(&calls(None)).unwrap().total, 0);
    let page = store.sessions(&SessionQuery { deleted: true, ..all() }).unwrap();
    assert!(page.items[0].deleted_at.is_some());
    // What comes late for it is there when it comes back.
    assert_eq!(store.append_events(vec![notice(id, "late")]).unwrap().len(), 1);
    assert_eq!(store.restore(id).unwrap().deleted_at, None);
    assert_eq!((store.export(id).unwrap().messages, store.uploads(id).unwrap()), before);
    assert!(store.restore(id).unwrap_err().to_string().contains("not deleted"));
    // For good, also from there.
    store.delete(id, Deletion::Soft).unwrap();
    store.delete(id, Deletion::Hard).unwrap();
    assert!(store.restore(id).is_err());
}

pub fn ac012_nothing_is_deleted_under_a_running_turn(engine: &impl Engine) {
    let store = engine.handle();
    let id = create(&*store).id;
    let turn = begin(&*store, &id, "go").id;
    for how in [Deletion::Hard, Deletion::Soft] {
        let error = store.delete(&id, how).unwrap_err().to_string();
        assert!(error.contains("a turn is under way"), "{error}");
    }
    store.end_turn(&turn, &end("done")).unwrap();
    store.delete(&id, Deletion::Hard).unwrap();
}

pub fn a_title_set_by_hand_is_locked(engine: &impl Engine) {
    let store = engine.handle();
    let id = create(&*store).id;
    let rename = |title: &str, by| {
        let session = store.rename(&id, title, by).unwrap();
        (session.title, session.title_locked)
    };
    assert_eq!(rename("first", TitledBy::Machine), ("first".into(), false));
    assert_eq!(rename("second", TitledBy::Machine), ("second".into(), false));
    assert_eq!(rename("mine", TitledBy::Person), ("mine".into(), true));
    assert_eq!(rename("third", TitledBy::Machine), ("mine".into(), true));
    assert_eq!(rename("also mine", TitledBy::Person), ("also mine".into(), true));
    let by_hand = titled(&*store, "at birth").id;
    assert_eq!(store.rename(&by_hand, "x", TitledBy::Machine).unwrap().title, "at birth");
}

pub fn titles_are_checked(engine: &impl Engine) {
    let store = engine.handle();
    let id = create(&*store).id;
    for title in ["", " \n\t ", "\u{0}\u{1b}"] {
        let error = store.rename(&id, title, TitledBy::Person).unwrap_err().to_string();
        assert!(error.contains("cannot be empty"), "{error}");
    }
    let error = store.rename(&id, &"字".repeat(201), TitledBy::Machine).unwrap_err().to_string();
    assert!(error.contains("at most 200"), "{error}");
    assert_eq!(store.rename(&id, &"字".repeat(200), TitledBy::Person).unwrap().title, "字".repeat(200));
    assert_eq!(store.rename(&id, " a \r\n b\u{1b}[1m ", TitledBy::Person).unwrap().title, "a b [1m");
}

pub fn a_session_is_found_by_the_beginning_or_end_of_its_id(engine: &impl Engine) {
    let store = engine.handle();
    for id in ["one-abcdef", "two-abcdef", "three-%cdef_"] {
        store.create(&NewSession { id: Some(id.replace('%', "x")), ..NewSession::default() }).unwrap();
    }
    assert_eq!(store.find_session("one-abcdef").unwrap().id, "one-abcdef");
    for part in ["e-abcdef", "one-ab"] {
        assert_eq!(store.find_session(part).unwrap().id, "one-abcdef");
    }
    for (end, says) in [
        ("abcdef", "2 sessions begin or end with \"abcdef\": two-abcdef, one-abcdef"),
        ("bcdef", "at least 6 characters"),
        ("nowhere", "there is no session nowhere"),
        ("%bcdef", "there is no session"),
    ] {
        let error = store.find_session(end).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
    store.delete("two-abcdef", Deletion::Soft).unwrap();
    assert_eq!(store.find_session("abcdef").unwrap().id, "one-abcdef");
}

pub fn metadata_is_kept_whole(engine: &impl Engine) {
    let store = engine.handle();
    let mut metadata = SessionMeta {
        workspace: Some("/w/项目".into()),
        model: Some("a/b".into()),
        forked_from: Some(ForkedFrom { session_id: "x".into(), message_id: 3 }),
        ..SessionMeta::default()
    };
    metadata.other.insert("own".into(), json!({"deep": [1, null, "x"]}));
    let new = NewSession { metadata: metadata.clone(), ..NewSession::default() };
    let id = store.create(&new).unwrap().id;
    assert_eq!(store.session(&id).unwrap().metadata, metadata);
    let other = SessionMeta { toolset: Some("core".into()), ..SessionMeta::default() };
    assert_eq!(store.set_metadata(&id, &other).unwrap().metadata, other);
    let mut large = other.clone();
    large.other.insert("x".into(), "x".repeat(2 << 20).into());
    let error = store.set_metadata(&id, &large).unwrap_err().to_string();
    assert!(error.contains("metadata"), "{error}");
    assert_eq!(store.session(&id).unwrap().metadata, other);
}

pub fn what_is_not_there_is_named(engine: &impl Engine) {
    let store = engine.handle();
    let error = store.archive("nobody", true).unwrap_err().to_string();
    assert_eq!(error, "there is no session nobody");
    let id = create(&*store).id;
    let error = store.fork(&id, Some(99), None).unwrap_err().to_string();
    assert_eq!(error, format!("there is no message 99 in the session {id}"));
}
