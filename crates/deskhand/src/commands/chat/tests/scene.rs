//! A workspace, a store, and an agent whose model answers from a list. Nobody is there to be asked.

use std::{path::Path, sync::Arc};

use deskhand_agent::{
    Models,
    provider::{
        Provider, ProviderError,
        scripted::{Matching, Script, Scripted, ScriptedReply},
    },
};
use deskhand_core::{
    EventBody,
    session::{Message, MessageQuery, Role, SessionStore},
};
use serde_json::json;
use tempfile::TempDir;

use crate::{
    assemble::App,
    cli::{ChatArgs, Shared},
    commands::{
        chat::{Chat, Wanted},
        connect,
    },
    terminal::{Printer, Style, chat::Questions},
};

/// The model that is named, whatever its name: all of them answer by what is said to them.
struct AnyName;

impl Models for AnyName {
    fn connect(&self, name: Option<&str>) -> Result<Arc<dyn Provider>, ProviderError> {
        let name = name.unwrap_or("scripted/usual");
        let script = Script { matching: Matching::ByMessage, replies: replies(), ..Script::default() };
        Ok(Arc::new(Scripted::new(name.trim_start_matches("scripted/"), script)))
    }
}

fn replies() -> Vec<ScriptedReply> {
    let write = |file: &str| ScriptedReply::call("write_file", json!({"path": file, "content": "new\n"}));
    let read = ScriptedReply::call("read_file", json!({"path": "a.txt"}));
    let to = |when: &str, replies: Vec<ScriptedReply>| {
        let when = when.to_owned();
        replies.into_iter().map(move |reply| ScriptedReply { when: Some(when.clone()), ..reply })
    };
    to("READ", vec![read, ScriptedReply::text("That was it.")])
        .chain(to("WRITE ONE", vec![write("a.txt"), ScriptedReply::text("Written, or not.")]))
        .chain(to("WRITE TWO", vec![write("a.txt"), write("b.txt"), ScriptedReply::text("Both.")]))
        // The answer to everything else: this is in all that can be said.
        .chain(to("", vec![ScriptedReply::text("You said **something**.")]))
        .collect()
}

pub struct Scene {
    _folder: TempDir,
    pub app: App,
    pub store: Arc<dyn SessionStore>,
}

impl Scene {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let app = open(folder.path());
        let store = app.store.sessions();
        Self { _folder: folder, app, store }
    }

    pub fn workspace(&self) -> &Path {
        self.app.paths.workspace()
    }

    pub fn chat(&self) -> Chat<'_> {
        self.chat_with(None, false).unwrap()
    }

    /// As if the program were started once more.
    pub fn chat_with(&self, session: Option<String>, go_on: bool) -> anyhow::Result<Chat<'_>> {
        let usual = Some("scripted/usual".to_owned());
        let (_, questions) = Questions::new();
        let backing =
            connect::with_approvers(&self.app, Arc::new(AnyName), None, usual, Vec::new(), questions)?;
        let wanted = Wanted { chat: ChatArgs { go_on, ..ChatArgs::default() }, session, model: None };
        Chat::new(&self.app, Printer { json: true, style: Style::PLAIN }, &wanted, backing)
    }

    /// What the person said in a session.
    pub fn said_in(&self, session: &str) -> Vec<Message> {
        let messages = self.store.messages(session, &MessageQuery::default()).unwrap().items;
        messages.into_iter().filter(|message| message.role == Role::User).collect()
    }

    pub fn events_of(&self, session: &str) -> Vec<EventBody> {
        let events = self.store.events(session, 0, 1_000).unwrap();
        events.into_iter().map(|event| event.body).collect()
    }
}

/// The program on a workspace and a data folder in `folder`.
fn open(folder: &Path) -> App {
    let workspace = folder.join("workspace");
    std::fs::create_dir_all(&workspace).unwrap();
    let config = folder.join("config.toml");
    std::fs::write(&config, "").unwrap();
    let shared = Shared {
        data_dir: Some(folder.join("data")),
        workspace: vec![workspace],
        config: Some(config),
        ..Shared::default()
    };
    App::open(&shared).unwrap()
}
