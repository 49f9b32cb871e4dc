//! Copies of sessions: forks, and transcripts out and in.

use deskhand_core::session::{
    Compaction, Deletion, ForkedFrom, IMPORTED, Message, MessageMeta, MessageQuery, NewMessage, NewTurn,
    NewUpload, Owner, Role, Session, SessionError, SessionMeta, SessionStore, Step, Transcript, TurnEnd,
};
use serde_json::{Value, json};

use super::{Engine, begin, call, contents, create, done, end, new_turn, say, titled};

/// Two turns with everything in them.
fn talk(store: &dyn SessionStore) -> String {
    let id = titled(store, "原来的").id;
    for n in 0..2 {
        let turn = begin(store, &id, &format!("question {n}")).id;
        let mut one = call("bash");
        one.end = Some(done("ok"));
        store
            .add_steps(&turn, &[Step::Text { round: 1, text: "hm".into() }, Step::Call(Box::new(one))])
            .unwrap();
        let metadata = json!({"own": n}).as_object().unwrap().clone();
        store.end_turn(&turn, &TurnEnd { metadata, ..end(&format!("answer {n}")) }).unwrap();
    }
    id
}

fn messages(store: &dyn SessionStore, id: &str) -> Vec<Message> {
    store.messages(id, &MessageQuery::default()).unwrap().items
}

/// Without what a copy has of its own.
fn bare(messages: &[Message]) -> Vec<Message> {
    messages.iter().map(|m| Message { id: 0, session_id: String::new(), ..m.clone() }).collect()
}

pub fn a_fork_has_the_messages_up_to_a_point(engine: &impl Engine) {
    let store = engine.handle();
    let id = talk(&*store);
    store.set_metadata(&id, &SessionMeta { model: Some("a/b".into()), ..SessionMeta::default() }).unwrap();
    store.archive(&id, true).unwrap();
    let before = store.export(&id).unwrap();
    for (at, count) in [(Some(before.messages[1].id), 2), (Some(before.messages[2].id), 3), (None, 4)] {
        let fork = store.fork(&id, at, None).unwrap();
        assert_eq!((fork.title.as_str(), fork.title_locked, fork.is_archived), ("原来的", true, false));
        assert_eq!((fork.message_count, fork.metadata.model.as_deref()), (count as u64, Some("a/b")));
        let last = before.messages[count - 1].id;
        assert_eq!(fork.metadata.forked_from, Some(ForkedFrom { session_id: id.clone(), message_id: last }));
        let copied = messages(&*store, &fork.id);
        assert_eq!(bare(&copied), bare(&before.messages[..count]));
        assert!(copied.iter().all(|m| m.session_id == fork.id && m.id > before.messages[3].id));
    }
    assert_eq!(store.export(&id).unwrap(), before, "the original stays");
    let named = store.fork(&id, None, Some("另一条路")).unwrap();
    assert_eq!((named.title.as_str(), named.title_locked), ("另一条路", true));
    begin(&*store, &named.id, "on from here");
    assert!(store.fork(&id, None, Some("")).is_err());
    let empty = store.fork(&create(&*store).id, None, None).unwrap();
    assert_eq!(empty.message_count, 0);
    // What is copied is found by itself.
    let query = deskhand_core::session::SearchQuery {
        text: "answer".into(),
        page: deskhand_core::session::PageAsk { page: 1, size: 100 },
        owner: Owner::Everyone,
        session_id: Some(named.id),
        archived: None,
    };
    assert_eq!(store.search(&query).unwrap().items.len(), 2);
}

pub fn a_fork_before_the_first_message_is_empty(engine: &impl Engine) {
    let store = engine.handle();
    let id = talk(&*store);
    let fork = |at| store.fork(&id, Some(at), Some("新的开始"));
    let check = |fork: &Session| {
        assert_eq!((fork.title.as_str(), fork.message_count), ("新的开始", 0));
        assert_eq!(fork.metadata.forked_from, Some(ForkedFrom { session_id: id.clone(), message_id: 0 }));
        assert!(messages(&*store, &fork.id).is_empty());
    };
    check(&fork(0).unwrap());
    assert!(fork(-1).is_err());
    // Also while the original goes on.
    begin(&*store, &id, "go");
    let empty = fork(0).unwrap();
    check(&empty);
    begin(&*store, &empty.id, "another question");
}

pub fn a_fork_keeps_what_it_refers_to(engine: &impl Engine) {
    let store = engine.handle();
    let id = create(&*store).id;
    let upload = NewUpload {
        session_id: id.clone(),
        name: "a.txt".into(),
        mime: "text/plain".into(),
        content: b"kept".to_vec(),
    };
    let upload = store.add_upload(&upload).unwrap().id;
    let turn =
        store.begin_turn(&NewTurn { uploads: vec![upload.clone()], ..new_turn(&id, "look") }).unwrap().turn;
    store.end_turn(&turn.id, &end("seen")).unwrap();
    let summary = |until_message| NewMessage {
        role: Role::System,
        content: "summary".into(),
        metadata: MessageMeta {
            compaction: Some(Compaction {
                until_message,
                until_step: Some(2),
                transcript: "t.md".into(),
                ..Compaction::default()
            }),
            ..MessageMeta::default()
        },
    };
    store.append(&id, &summary(turn.assistant_message)).unwrap();
    store.append(&id, &summary(turn.assistant_message + 1_000)).unwrap();
    let fork = store.fork(&id, None, None).unwrap();
    let original_file = store.uploads(&id).unwrap()[0].path.clone();
    store.delete(&id, Deletion::Hard).unwrap();
    assert!(!original_file.exists());
    let copied = messages(&*store, &fork.id);
    let mapped = copied[2].metadata.compaction.as_ref().unwrap();
    assert_eq!((mapped.until_message, mapped.until_step), (copied[1].id, Some(2)));
    assert_eq!(copied[3].metadata.compaction, None, "it covers what is not here");
    let uploads = store.uploads(&fork.id).unwrap();
    assert_eq!(copied[0].metadata.uploads, [uploads[0].id.clone()]);
    assert_ne!(uploads[0].id, upload);
    assert_eq!(std::fs::read(&uploads[0].path).unwrap(), b"kept");
}

pub fn an_unfinished_answer_is_not_forked(engine: &impl Engine) {
    let store = engine.handle();
    let id = talk(&*store);
    let turn = begin(&*store, &id, "go");
    let after = say(&*store, &id, Role::System, "said meanwhile");
    assert!(matches!(store.fork(&id, None, None), Err(SessionError::Busy(_))));
    for at in [turn.assistant_message, after] {
        let error = store.fork(&id, Some(at), None).unwrap_err();
        assert!(matches!(&error, SessionError::Invalid(m) if m.contains("not finished")), "{error}");
    }
    let fork = store.fork(&id, Some(turn.user_message), None).unwrap();
    assert_eq!(contents(&*store, &fork.id).last().unwrap(), "go");
    assert_eq!(store.open_turn(&fork.id).unwrap(), None);
}

pub fn export_and_import_keep_everything(engine: &impl Engine) {
    let store = engine.handle();
    let id = talk(&*store);
    store
        .set_metadata(
            &id,
            &SessionMeta {
                model: Some("a/b".into()),
                workspace: Some("/somewhere".into()),
                ..SessionMeta::default()
            },
        )
        .unwrap();
    let exported = store.export(&id).unwrap();
    assert_eq!(exported.session, store.session(&id).unwrap());
    let text = serde_json::to_string(&exported).unwrap();
    let read: Transcript = serde_json::from_str(&text).unwrap();
    assert_eq!(read, exported);
    let imported = store.import(&read, None).unwrap();
    assert_ne!(imported.id, id);
    assert_eq!((imported.title.as_str(), imported.title_locked), ("原来的", true));
    assert_eq!((imported.created_at, imported.message_count), (exported.session.created_at, 4));
    assert_eq!(
        (&imported.metadata.workspace, &imported.metadata.model),
        (&None, &None),
        "a file chooses neither the folder nor the model"
    );
    let mut copied = messages(&*store, &imported.id);
    for message in &mut copied {
        let mark = message.metadata.other.remove(IMPORTED);
        assert_eq!(mark, Some(true.into()), "what came with a file says so");
    }
    assert_eq!(bare(&copied), bare(&exported.messages));
    // In the middle of a turn, too: what was open then has ended.
    let turn = begin(&*store, &id, "go").id;
    store.add_steps(&turn, &[Step::Call(Box::new(call("bash")))]).unwrap();
    let imported = store.import(&store.export(&id).unwrap(), None).unwrap();
    let last = messages(&*store, &imported.id).pop().unwrap();
    assert!(matches!(&last.execution_steps.unwrap()[..],
        [Step::Call(call)] if call.end.as_ref().unwrap().error_code.as_deref() == Some("interrupted")));
    assert_eq!(store.open_turn(&imported.id).unwrap(), None);
}

fn written(messages: &Value) -> Transcript {
    serde_json::from_value(json!({"format": "deskhand-session-1", "messages": messages})).unwrap()
}

pub fn a_transcript_by_hand_is_imported(engine: &impl Engine) {
    let store = engine.handle();
    let transcript = written(&json!([
        {"role": "user", "content": "你好"},
        {"role": "assistant", "content": "您好", "execution_steps": []},
        {"role": "system", "content": "s", "id": 9, "metadata": {
            "compaction": {"until_message": 2, "transcript": "t.md"}, "uploads": ["gone"], "own": 1}},
        {"role": "system", "content": "s", "metadata": {
            "compaction": {"until_message": 77, "transcript": "t.md"}}},
    ]));
    let session = store.import(&transcript, None).unwrap();
    let all = messages(&*store, &session.id);
    assert_eq!(contents(&*store, &session.id), ["你好", "您好", "s", "s"]);
    assert_eq!(all[2].metadata.compaction.as_ref().unwrap().until_message, all[1].id);
    assert_eq!((all[2].metadata.uploads.len(), all[2].metadata.other.get("own")), (0, Some(&json!(1))));
    assert_eq!(all[3].metadata.compaction, None);
    assert!(!session.title_locked);
}

pub fn hostile_transcripts_are_refused(engine: &impl Engine) {
    let store = engine.handle();
    let user = json!({"role": "user", "content": "x"});
    let step = json!({"type": "text", "round": 1, "text": "x"});
    let mut other_format = written(&json!([]));
    other_format.format = "deskhand-session-99".into();
    let mut no_title = written(&json!([]));
    no_title.session.title = " ".into();
    let mut large = written(&json!([user, user]));
    large.messages[1].content = "x".repeat((64 << 20) + 1);
    let mut large_metadata = written(&json!([user]));
    large_metadata.messages[0].metadata.other.insert("x".into(), "x".repeat(2 << 20).into());
    for (transcript, says) in [
        (other_format, "deskhand-session-99"),
        (no_title, "title"),
        (large, "message 2 of the transcript"),
        (large_metadata, "message 1 of the transcript"),
        (written(&json!([{"role": "user", "content": "x", "execution_steps": [step]}])), "only an assistant"),
        (
            written(
                &json!([{"id": 5, "role": "user", "content": "x"}, {"id": 5, "role": "user", "content": "x"}]),
            ),
            "does not come after 5",
        ),
        (written(&json!([{"id": i64::MAX, "role": "user", "content": "x"}, user])), "does not come after"),
    ] {
        let error = store.import(&transcript, None).unwrap_err();
        assert!(matches!(&error, SessionError::Invalid(m) if m.contains(says)), "{error}");
    }
    assert_eq!(store.sessions(&super::all()).unwrap().total, 0, "nothing of them is left");
}
