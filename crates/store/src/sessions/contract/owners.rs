//! Whose a session is: kept, and seen by nobody else where only one owner's are asked for.

use deskhand_core::session::{
    Deletion, NewSession, Owner, PageAsk, Role, SearchQuery, Session, SessionError, SessionQuery,
    SessionStore, Step, ToolCallQuery,
};

use super::{Engine, all, begin, call, create, end, say};

fn of(store: &dyn SessionStore, owner: &str) -> Session {
    store.create(&NewSession { owner: Some(owner.into()), ..NewSession::default() }).unwrap()
}

fn only(owner: Option<&str>) -> Owner {
    Owner::Only(owner.map(str::to_owned))
}

fn ids(store: &dyn SessionStore, query: &SessionQuery) -> (u64, Vec<String>) {
    let page = store.sessions(query).unwrap();
    (page.total, page.items.into_iter().map(|session| session.id).collect())
}

pub fn a_session_keeps_its_owner(engine: &impl Engine) {
    let (here, there) = (engine.handle(), engine.handle());
    let (mine, hers) = (create(&*here), of(&*here, "ann"));
    assert_eq!((mine.owner.as_deref(), hers.owner.as_deref()), (None, Some("ann")));
    assert_eq!(there.session(&mine.id).unwrap(), mine);
    assert_eq!(there.session(&hers.id).unwrap(), hers);
    assert!(
        serde_json::to_value(&mine).unwrap().get("owner").is_none(),
        "as it was before there were owners"
    );
    assert_eq!(serde_json::to_value(&hers).unwrap()["owner"], "ann");
    assert_eq!(here.fork(&hers.id, None, None).unwrap().owner.as_deref(), Some("ann"));
    assert_eq!(here.fork(&mine.id, None, None).unwrap().owner, None);
    // Whoever imports owns, whatever the file says.
    let transcript = here.export(&hers.id).unwrap();
    for owner in [None, Some("bob")] {
        let imported = here.import(&transcript, owner).unwrap();
        assert_eq!(imported.owner.as_deref(), owner);
        assert_eq!(there.session(&imported.id).unwrap().owner.as_deref(), owner);
    }
    here.delete(&hers.id, Deletion::Soft).unwrap();
    assert_eq!(here.restore(&hers.id).unwrap().owner.as_deref(), Some("ann"));
    for name in ["", "a\nb", &"x".repeat(201)] {
        let new = NewSession { owner: Some(name.into()), ..NewSession::default() };
        for refused in [here.create(&new), here.import(&transcript, Some(name))] {
            let error = refused.unwrap_err().to_string();
            assert!(error.contains("cannot be the owner"), "{error}");
        }
    }
}

pub fn each_owner_has_a_list_and_counts(engine: &impl Engine) {
    let store = engine.handle();
    let [own_one, own_gone] = [(); 2].map(|()| create(&*store).id);
    let [ann_one, ann_two, ann_gone] = [(); 3].map(|()| of(&*store, "ann").id);
    let bob_one = of(&*store, "bob").id;
    store.archive(&ann_two, true).unwrap();
    store.delete(&ann_gone, Deletion::Soft).unwrap();
    store.delete(&own_gone, Deletion::Soft).unwrap();
    let list = |owner: &Owner, archived, deleted| {
        ids(&*store, &SessionQuery { owner: owner.clone(), archived, deleted, ..all() })
    };
    let everyone = Owner::Everyone;
    let (own, ann, bob, nobody) = (only(None), only(Some("ann")), only(Some("bob")), only(Some("ANN")));
    for (owner, archived, deleted, found) in [
        (&everyone, None, false, vec![&ann_two, &bob_one, &ann_one, &own_one]),
        (&everyone, None, true, vec![&own_gone, &ann_gone]),
        (&own, None, false, vec![&own_one]),
        (&own, None, true, vec![&own_gone]),
        (&ann, None, false, vec![&ann_two, &ann_one]),
        (&ann, Some(true), false, vec![&ann_two]),
        (&ann, Some(false), false, vec![&ann_one]),
        (&ann, None, true, vec![&ann_gone]),
        (&ann, Some(true), true, vec![]),
        (&bob, None, false, vec![&bob_one]),
        (&bob, None, true, vec![]),
        (&nobody, None, false, vec![]),
    ] {
        let found: Vec<String> = found.into_iter().cloned().collect();
        assert_eq!(
            list(owner, archived, deleted),
            (found.len() as u64, found),
            "{owner:?} {archived:?} {deleted}"
        );
    }
    store.restore(&ann_gone).unwrap();
    store.delete(&ann_one, Deletion::Hard).unwrap();
    store.archive(&ann_two, false).unwrap();
    assert_eq!(list(&ann, None, false), (2, vec![ann_two.clone(), ann_gone.clone()]));
    assert_eq!(list(&ann, Some(true), false), (0, vec![]));
    let second = SessionQuery { page: PageAsk { page: 2, size: 1 }, owner: ann, ..all() };
    assert_eq!(ids(&*store, &second), (2, vec![ann_gone]));
    store.delete(&bob_one, Deletion::Hard).unwrap();
    assert_eq!(list(&bob, None, false), (0, vec![]));
}

pub fn what_one_owner_said_and_called_is_found_apart(engine: &impl Engine) {
    let store = engine.handle();
    let (mine, hers) = (create(&*store).id, of(&*store, "ann").id);
    for id in [&mine, &hers] {
        say(&*store, id, Role::User, "同一个词");
        let turn = begin(&*store, id, "go").id;
        store.add_steps(&turn, &[Step::Call(Box::new(call("bash")))]).unwrap();
        store.end_turn(&turn, &end("x")).unwrap();
    }
    let page = PageAsk { page: 1, size: 10 };
    for (owner, found) in [
        (Owner::Everyone, vec![&hers, &mine]),
        (only(None), vec![&mine]),
        (only(Some("ann")), vec![&hers]),
        (only(Some("bob")), vec![]),
    ] {
        let query =
            SearchQuery {
                text: "同一".into(), page, owner: owner.clone(), session_id: None, archived: None
            };
        let hits = store.search(&query).unwrap();
        assert_eq!(hits.items.iter().map(|hit| &hit.session_id).collect::<Vec<_>>(), found, "{owner:?}");
        let query = ToolCallQuery { page, owner: owner.clone(), session_id: None, turn_id: None, tool: None };
        let calls = store.tool_calls(&query).unwrap();
        assert_eq!(calls.total, found.len() as u64);
        assert_eq!(calls.items.iter().map(|row| &row.session_id).collect::<Vec<_>>(), found, "{owner:?}");
    }
    // Naming the session of another does not help.
    let query = ToolCallQuery {
        page,
        owner: only(Some("bob")),
        session_id: Some(hers.clone()),
        turn_id: None,
        tool: None,
    };
    assert_eq!(store.tool_calls(&query).unwrap().total, 0);
    let query = SearchQuery {
        text: "同一".into(),
        page,
        owner: only(Some("bob")),
        session_id: Some(hers.clone()),
        archived: None,
    };
    let error = store.search(&query).unwrap_err();
    assert!(matches!(&error, SessionError::NoSuchSession(id) if *id == hers), "{error}");
    let her_own = SearchQuery { owner: only(Some("ann")), ..query };
    assert_eq!(store.search(&her_own).unwrap().items.len(), 1);
}
