//! Search: finds what is there, in both kinds of script, and nothing else.

use deskhand_core::session::{
    Deletion, Hits, Owner, PageAsk, Role, SearchQuery, SessionError, SessionStore, TitledBy, TurnEnd,
};
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};

use super::{Engine, begin, create, end, say, titled};

fn query(text: &str) -> SearchQuery {
    SearchQuery {
        text: text.into(),
        page: PageAsk { page: 1, size: 100 },
        owner: Owner::Everyone,
        session_id: None,
        archived: None,
    }
}

fn search(store: &dyn SessionStore, text: &str) -> Hits {
    store.search(&query(text)).unwrap()
}

fn snippets(store: &dyn SessionStore, text: &str) -> Vec<String> {
    search(store, text).items.into_iter().map(|hit| hit.snippet).collect()
}

pub fn finds_chinese_and_english(engine: &impl Engine) {
    let (here, there) = (engine.handle(), engine.handle());
    let session = titled(&*here, "数据备份计划");
    let id = session.id.as_str();
    let question = say(&*here, id, Role::User, "请把日志文件整理一下，用Rust语言写");
    let turn = begin(&*here, id, "What about the Build errors?").id;
    here.end_turn(&turn, &TurnEnd { ..end("文件已经整理好了。No ERROR is left.") }).unwrap();
    say(&*here, id, Role::System, "系统摘要 summary");
    for (text, found) in [
        ("文件", vec!["⟪文件⟫已经整理好了。No ERROR is left.", "请把日志⟪文件⟫整理一下，用Rust语言写"]),
        ("整理一下", vec!["请把日志文件⟪整理一下⟫，用Rust语言写"]),
        ("备份", vec!["数据⟪备份⟫计划"]),
        ("error", vec!["文件已经整理好了。No ⟪ERROR⟫ is left.", "What about the Build ⟪errors⟫?"]),
        ("rust", vec!["请把日志文件整理一下，用⟪Rust⟫语言写"]),
        ("用rust语", vec!["请把日志文件整理一下，⟪用Rust语言⟫写"]),
        ("日志 rust", vec!["请把⟪日志⟫文件整理一下，用⟪Rust⟫语言写"]),
        ("BUILD ABOUT", vec!["What ⟪about⟫ the ⟪Build⟫ errors?"]),
        ("写", vec!["请把日志文件整理一下，用Rust语言⟪写⟫"]),
        ("日", vec!["请把⟪日志⟫文件整理一下，用Rust语言写"]),
        ("摘要", vec![]),
        ("文件 nowhere", vec![]),
        ("buil about", vec![]),
    ] {
        assert_eq!(snippets(&*there, text), found, "{text}");
    }
    let hits = search(&*there, "日志").items;
    assert_eq!((hits[0].message_id, hits[0].role), (Some(question), Some(Role::User)));
    assert_eq!((hits[0].session_id.as_str(), hits[0].title.as_str()), (id, "数据备份计划"));
    let in_title = &search(&*there, "计划").items[0];
    assert_eq!((in_title.message_id, in_title.role), (None, None));
}

pub fn finds_what_is_adjacent_alone(engine: &impl Engine) {
    let store = engine.handle();
    let id = create(&*store).id;
    say(&*store, &id, Role::User, "中国 国人。人民，民主");
    for (text, count) in
        [("中国", 1), ("国人", 1), ("中国人", 0), ("人民主", 0), ("中国人民", 0), ("人民，民主", 1)]
    {
        assert_eq!(search(&*store, text).items.len(), count, "{text}");
    }
}

pub fn the_newest_come_first(engine: &impl Engine) {
    let store = engine.handle();
    let [old, new] = [(); 2].map(|()| create(&*store).id);
    let ids: Vec<i64> = (0..7).map(|n| say(&*store, [&old, &new][n % 2], Role::User, "同一个词")).collect();
    store.rename(&old, "也是同一个词", TitledBy::Person).unwrap();
    let newest: Vec<Option<i64>> =
        std::iter::once(None).chain(ids.iter().rev().map(|id| Some(*id))).collect();
    for (page, range, more) in [(1, 0..3, true), (2, 3..6, true), (3, 6..8, false), (4, 8..8, false)] {
        let hits = store.search(&SearchQuery { page: PageAsk { page, size: 3 }, ..query("同一") }).unwrap();
        assert_eq!(hits.items.iter().map(|hit| hit.message_id).collect::<Vec<_>>(), newest[range]);
        assert_eq!(hits.has_more, more, "page {page}");
    }
    let exact = store.search(&SearchQuery { page: PageAsk { page: 1, size: 8 }, ..query("同一") }).unwrap();
    assert!(!exact.has_more);
}

pub fn what_is_gone_is_not_found(engine: &impl Engine) {
    let store = engine.handle();
    let [hard, soft, archived] = ["硬删除", "软删除", "已归档"].map(|title| titled(&*store, title).id);
    for id in [&hard, &soft, &archived] {
        say(&*store, id, Role::User, "秘密内容");
    }
    let count = |text: &str| search(&*store, text).items.len();
    assert_eq!((count("秘密"), count("删除")), (3, 2));
    store.delete(&hard, Deletion::Hard).unwrap();
    store.delete(&soft, Deletion::Soft).unwrap();
    assert_eq!((count("秘密"), count("删除")), (1, 0));
    store.restore(&soft).unwrap();
    assert_eq!((count("秘密"), count("软删")), (2, 1));
    store.archive(&archived, true).unwrap();
    for (only, expected) in [(None, 2), (Some(true), 1), (Some(false), 1)] {
        let found = store.search(&SearchQuery { archived: only, ..query("秘密") }).unwrap();
        assert_eq!(found.items.len(), expected, "{only:?}");
    }
    store.rename(&soft, "新的名字", TitledBy::Person).unwrap();
    assert_eq!((count("软删"), count("新的名字")), (0, 1));
    // What has no title is not found by the word that stands in its place.
    create(&*store);
    assert_eq!(count("新会话"), 0);
    store.rename(&soft, "新会话", TitledBy::Person).unwrap();
    store.rename(&soft, "别的", TitledBy::Person).unwrap();
    assert_eq!((count("新会话"), count("别的")), (0, 1));
}

pub fn searches_within_one_session(engine: &impl Engine) {
    let store = engine.handle();
    let with = |id: &str| {
        let new = deskhand_core::session::NewSession { id: Some(id.into()), ..Default::default() };
        store.create(&new).unwrap().id
    };
    // Ids that differ in a mark alone.
    let [one, two] = [with("a-b"), with("ab")];
    for id in [&one, &two, &two] {
        say(&*store, id, Role::User, "文件 file");
    }
    for (id, count) in [(&one, 1), (&two, 2)] {
        for text in ["文件", "file", "文"] {
            let hits = store.search(&SearchQuery { session_id: Some(id.clone()), ..query(text) }).unwrap();
            assert_eq!(hits.items.len(), count);
            assert!(hits.items.iter().all(|hit| hit.session_id == *id));
        }
    }
    let error = store.search(&SearchQuery { session_id: Some("nobody".into()), ..query("x") }).unwrap_err();
    assert!(matches!(error, SessionError::NoSuchSession(_)));
}

pub fn a_query_without_words_is_refused(engine: &impl Engine) {
    let store = engine.handle();
    for text in ["", "  ", "。！", "\"*\"", "()"] {
        let error = store.search(&query(text)).unwrap_err();
        assert!(matches!(&error, SessionError::Invalid(m) if m.contains("to search for")), "{error}");
    }
    let error = store.search(&query(&"字".repeat(1_001))).unwrap_err().to_string();
    assert!(error.contains("at most 1000"), "{error}");
    let error = store.search(&query(&"a ".repeat(51))).unwrap_err().to_string();
    assert!(error.contains("51 words"), "{error}");
    assert_eq!(search(&*store, &"a ".repeat(50)).items, []);
    // Nothing of this means anything to the database.
    for text in ["NEAR(a b)", "text:x", "a^2 -b", "x\" OR \"y", "session : a", "'; DROP TABLE sessions"] {
        assert_eq!(search(&*store, text).items, [], "{text}");
    }
}

/// Against a scan of all texts, for runs of characters.
pub fn finds_what_a_scan_would_find(engine: &impl Engine) {
    let store = engine.handle();
    let texts = prop::collection::vec("[人民主文件]{0,8}([ ，a-c]{1,2}[人民主文件]{0,8}){0,2}", 1..6);
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(40) });
    runner
        .run(&(texts, "[人民主文件]{1,4}"), |(texts, wanted)| {
            let id = create(&*store).id;
            let mut expected = Vec::new();
            for text in &texts {
                let message = say(&*store, &id, Role::User, text);
                if text.contains(&wanted) {
                    expected.insert(0, Some(message));
                }
            }
            let hits = store.search(&SearchQuery { session_id: Some(id), ..query(&wanted) }).unwrap();
            prop_assert_eq!(hits.items.iter().map(|hit| hit.message_id).collect::<Vec<_>>(), expected);
            prop_assert!(hits.items.iter().all(|hit| hit.snippet.contains('⟪')));
            Ok(())
        })
        .unwrap();
}
