//! Conversations on a real gate with real tools; only the model's answers come from a list.

mod agent;
mod commands;
mod in_a_terminal;

use deskhand_core::{
    EventBody, Time,
    session::{NewEvent, NewSession, SessionMeta, SessionStore},
};

use self::agent::Scene;
use super::choose;
use crate::commands::sessions::tests::{memory::MemoryStore, said};

#[test]
fn the_last_event_is_found_wherever_it_is() {
    for count in [0, 1, 2, 3, 7, 8, 9, 1_000] {
        let store = MemoryStore::default();
        let notice = |n| NewEvent {
            session_id: "s".into(),
            turn_id: None,
            at: Time::now(),
            body: EventBody::Notice { text: format!("{n}") },
        };
        store.append_events((0..count).map(notice).collect()).unwrap();
        assert_eq!(choose::last_event(&store, "s").unwrap(), count);
    }
}

#[test]
fn the_last_session_is_one_of_this_workspace_with_words_in_it() {
    let store = MemoryStore::default();
    let make = |workspace: &str, messages: usize, archived: bool| {
        let metadata = SessionMeta { workspace: Some(workspace.into()), ..SessionMeta::default() };
        let session = store.create(&NewSession { metadata, ..NewSession::default() }).unwrap();
        for _ in 0..messages {
            store.add_message(&session.id, said(deskhand_core::session::Role::User, "x"));
        }
        store.archive(&session.id, archived).unwrap().id
    };
    assert_eq!(choose::last(&store, "/here".as_ref()).unwrap(), None);
    let wanted = make("/here", 2, false);
    make("/here", 0, false);
    make("/here", 2, true);
    make("/there", 2, false);
    assert_eq!(choose::last(&store, "/here".as_ref()).unwrap().map(|session| session.id), Some(wanted));
}

#[tokio::test]
async fn one_turn_makes_a_session_and_goes_on_in_it() {
    let scene = Scene::new();
    std::fs::write(scene.workspace().join("a.txt"), "hello\n").unwrap();
    let mut chat = scene.chat();
    let ended = chat.say("READ a.txt").await.unwrap();
    assert_eq!(ended.exit_code(), 0);
    let first = chat.session.clone().unwrap();
    assert_eq!(first.metadata.workspace.as_deref(), Some(scene.workspace()));
    chat.say("again").await.unwrap();
    assert_eq!(chat.session.as_ref().unwrap().id, first.id);
    let turns = scene.agent.turns();
    assert_eq!(turns.iter().map(|turn| turn.message.as_str()).collect::<Vec<_>>(), ["READ a.txt", "again"]);
    let ended: Vec<String> = scene
        .store
        .events(&first.id, 0, 100)
        .unwrap()
        .into_iter()
        .filter_map(|event| match event.body {
            EventBody::CallEnded { outcome } => Some(outcome.text),
            _ => None,
        })
        .collect();
    assert!(ended.len() == 1 && ended[0].contains("hello"), "{ended:?}");
}

#[tokio::test]
async fn a_call_that_needs_a_yes_with_nobody_there_is_told_by_the_exit_code() {
    let scene = Scene::new();
    let mut chat = scene.chat();
    let ended = chat.say("WRITE a.txt").await.unwrap();
    assert_eq!(ended.exit_code(), 3);
    assert!(!scene.workspace().join("a.txt").exists());
}

#[tokio::test]
async fn images_go_along_once() {
    let scene = Scene::new();
    let file = scene.workspace().join("p.png");
    std::fs::write(&file, b"\x89PNG....").unwrap();
    let mut chat = scene.chat();
    chat.images.push(super::attach::Image::read(&file).unwrap());
    chat.say("look").await.unwrap();
    chat.say("again").await.unwrap();
    let turns = scene.agent.turns();
    let uploads = scene.store.uploads(&turns[0].session_id).unwrap();
    assert_eq!(turns[0].uploads, [uploads[0].id.clone()]);
    assert!(turns[1].uploads.is_empty() && uploads.len() == 1);
}

#[tokio::test]
async fn a_session_can_be_named_by_its_end() {
    let scene = Scene::new();
    scene.chat().say("hello").await.unwrap();
    let id = scene.agent.turns()[0].session_id.clone();
    let end = crate::terminal::chat::words::end_of(&id).to_owned();
    let mut chat = scene.chat_with(Some(end), false).unwrap();
    chat.say("there").await.unwrap();
    let mut last = scene.chat_with(None, true).unwrap();
    last.say("you").await.unwrap();
    assert!(scene.agent.turns().iter().all(|turn| turn.session_id == id));
    assert!(scene.chat_with(Some("nothing".into()), false).is_err());
    let other = Scene::new();
    let error = other.chat_with(None, true).err().unwrap().to_string();
    assert!(error.contains("--continue"), "{error}");
}
