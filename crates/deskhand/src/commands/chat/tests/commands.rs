//! The commands of a conversation, by what they change.

use deskhand_core::{EventBody, Mode, session::MessageQuery};

use super::scene::Scene;
use crate::{
    commands::chat::{Chat, slash, talk::Next},
    language::Language,
    terminal::chat::{ChatEditor, Slash},
};

/// Types a command.
async fn type_in(chat: &mut Chat<'_>, line: &str) -> anyhow::Result<Next> {
    let mut editor =
        ChatEditor::open(&chat.app.data_dir.join("history.txt"), ["read_file".to_owned()].into())?;
    let command = Slash::parse(line, Language::English).unwrap().map_err(anyhow::Error::msg)?;
    slash::run(chat, &mut editor, command).await
}

#[tokio::test]
async fn sessions_are_gone_on_with_and_changed() {
    let scene = Scene::new();
    let mut chat = scene.chat();
    for line in ["/rename x", "/fork", "/archive", "/export", "/history", "/cost", "/compact", "/delete"] {
        let error = type_in(&mut chat, line).await.err().unwrap().to_string();
        assert!(error.contains("there is no session yet"), "{line}: {error}");
    }
    chat.say("one").await.unwrap();
    let first = chat.session.clone().unwrap().id;
    type_in(&mut chat, "/rename My talk").await.unwrap();
    assert_eq!(scene.store.session(&first).unwrap().title, "My talk");

    type_in(&mut chat, "/new").await.unwrap();
    assert!(chat.session.is_none());
    chat.say("two").await.unwrap();
    let second = chat.session.clone().unwrap().id;
    assert_ne!(first, second);

    assert!(type_in(&mut chat, "/resume 2").await.is_err(), "nothing was listed yet");
    type_in(&mut chat, "/sessions").await.unwrap();
    type_in(&mut chat, "/resume 2").await.unwrap();
    assert_eq!(chat.session.as_ref().unwrap().id, first);
    type_in(&mut chat, &format!("/resume {}", &second[second.len() - 8..])).await.unwrap();
    assert_eq!(chat.session.as_ref().unwrap().id, second);

    let shared = scene.store.messages(&second, &MessageQuery::default()).unwrap().items[0].id;
    type_in(&mut chat, &format!("/fork {shared}")).await.unwrap();
    let fork = chat.session.clone().unwrap();
    assert_eq!(fork.metadata.forked_from.unwrap().message_id, shared);
    assert_eq!(scene.store.messages(&fork.id, &MessageQuery::default()).unwrap().total, 1);

    type_in(&mut chat, "/archive").await.unwrap();
    assert!(chat.session.is_none() && scene.store.session(&fork.id).unwrap().is_archived);
    assert!(matches!(type_in(&mut chat, "/quit").await, Ok(Next::Leave)));
}

#[tokio::test]
async fn what_is_set_holds_for_the_next_turn() {
    let scene = Scene::new();
    let mut chat = scene.chat();
    type_in(&mut chat, "/mode auto").await.unwrap();
    type_in(&mut chat, "/model scripted/other").await.unwrap();
    assert!(type_in(&mut chat, "/mode careless").await.is_err());
    assert!(type_in(&mut chat, "/model nothing").await.is_err());
    // Nobody can be asked: it is written because nobody has to be.
    assert_eq!(chat.say("WRITE ONE").await.unwrap().exit_code(), 0);
    assert!(scene.workspace().join("a.txt").exists());
    let events = scene.events_of(&chat.session.as_ref().unwrap().id);
    let EventBody::TurnStarted { model, .. } = &events[0] else { panic!("{events:?}") };
    assert_eq!(model.as_deref(), Some("scripted/other"));
}

#[tokio::test]
async fn an_export_goes_to_a_new_file_in_the_workspace() {
    let scene = Scene::new();
    let mut chat = scene.chat();
    chat.say("hello").await.unwrap();
    type_in(&mut chat, "/export talk.md").await.unwrap();
    let text = std::fs::read_to_string(scene.workspace().join("talk.md")).unwrap();
    assert!(text.contains("\nhello\n") && text.contains("You said **something**."), "{text}");
    let error = format!("{:#}", type_in(&mut chat, "/export talk.md").await.err().unwrap());
    assert!(error.contains("talk.md"), "{error}");
    type_in(&mut chat, "/export json talk.json").await.unwrap();
    let text = std::fs::read_to_string(scene.workspace().join("talk.json")).unwrap();
    assert!(serde_json::from_str::<deskhand_core::session::Transcript>(&text).is_ok());
}

#[tokio::test]
async fn a_whole_turn_is_taken_back() {
    let scene = Scene::new();
    let mut chat = scene.chat();
    chat.mode = Mode::Auto;
    chat.say("hello").await.unwrap();
    assert_eq!(chat.say("WRITE TWO").await.unwrap().exit_code(), 0);
    assert!(scene.workspace().join("a.txt").exists() && scene.workspace().join("b.txt").exists());
    type_in(&mut chat, "/undo turn").await.unwrap();
    assert!(!scene.workspace().join("a.txt").exists() && !scene.workspace().join("b.txt").exists());
}
