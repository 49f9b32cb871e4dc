//! Conversations with the real agent, store, gate and tools; only the model's answers come from a list.

mod commands;
mod scene;

use deskhand_core::{
    EventBody,
    session::{MessageMeta, NewMessage, NewSession, Role, SessionMeta},
};

use self::scene::Scene;
use super::choose;

#[test]
fn the_last_session_is_one_of_this_workspace_with_words_in_it() {
    let scene = Scene::new();
    let store = &scene.store;
    let make = |workspace: &str, messages: usize, archived: bool| {
        let metadata = SessionMeta { workspace: Some(workspace.into()), ..SessionMeta::default() };
        let session = store.create(&NewSession { metadata, ..NewSession::default() }).unwrap();
        for _ in 0..messages {
            let content = "x".to_owned();
            let message = NewMessage { role: Role::User, content, metadata: MessageMeta::default() };
            store.append(&session.id, &message).unwrap();
        }
        store.archive(&session.id, archived).unwrap().id
    };
    assert_eq!(choose::last(&**store, "/here".as_ref()).unwrap(), None);
    let wanted = make("/here", 2, false);
    make("/here", 0, false);
    make("/here", 2, true);
    make("/there", 2, false);
    assert_eq!(choose::last(&**store, "/here".as_ref()).unwrap().map(|session| session.id), Some(wanted));
}

#[tokio::test]
async fn one_turn_makes_a_session_and_goes_on_in_it() {
    let scene = Scene::new();
    std::fs::write(scene.workspace().join("a.txt"), "hello\n").unwrap();
    let mut chat = scene.chat();
    let ended = chat.say("READ it").await.unwrap();
    assert_eq!(ended.exit_code(), 0);
    let first = chat.session.clone().unwrap();
    assert_eq!(first.metadata.workspace.as_deref(), Some(scene.workspace()));
    chat.say("again").await.unwrap();
    assert_eq!(chat.session.as_ref().unwrap().id, first.id);
    let said: Vec<String> = scene.said_in(&first.id).into_iter().map(|message| message.content).collect();
    assert_eq!(said, ["READ it", "again"]);
    let events = scene.events_of(&first.id);
    let ended: Vec<&str> = events
        .iter()
        .filter_map(|event| match event {
            EventBody::CallEnded { outcome } => Some(outcome.text.as_str()),
            _ => None,
        })
        .collect();
    assert!(ended.len() == 1 && ended[0].contains("hello"), "{ended:?}");
}

#[tokio::test]
async fn a_call_that_needs_a_yes_with_nobody_there_is_told_by_the_exit_code() {
    let scene = Scene::new();
    let mut chat = scene.chat();
    let ended = chat.say("WRITE ONE").await.unwrap();
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
    let session = chat.session.clone().unwrap().id;
    let uploads = scene.store.uploads(&session).unwrap();
    let said = scene.said_in(&session);
    assert_eq!(said[0].metadata.uploads, [uploads[0].id.clone()]);
    assert!(said[1].metadata.uploads.is_empty() && uploads.len() == 1);
}

#[tokio::test]
async fn a_session_can_be_named_by_its_end() {
    let scene = Scene::new();
    let mut chat = scene.chat();
    chat.say("hello").await.unwrap();
    let id = chat.session.clone().unwrap().id;
    let end = crate::terminal::chat::words::end_of(&id).to_owned();
    let mut chat = scene.chat_with(Some(end), false).unwrap();
    chat.say("there").await.unwrap();
    let mut last = scene.chat_with(None, true).unwrap();
    last.say("you").await.unwrap();
    assert_eq!(scene.said_in(&id).len(), 3);
    assert!(scene.chat_with(Some("nothing".into()), false).is_err());
    let other = Scene::new();
    let error = other.chat_with(None, true).err().unwrap().to_string();
    assert!(error.contains("--continue"), "{error}");
}
