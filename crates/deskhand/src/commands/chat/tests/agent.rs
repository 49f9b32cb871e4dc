//! An agent whose model is a list of words: `READ FILE`, `WRITE FILE`, `WAIT`, or anything to be repeated. Its calls
//! go through the real gate.

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use deskhand_core::{
    Approver, EventBody, EventSink, Gate, Request, SessionCx, Time,
    event::TurnOutcome,
    id::new_id,
    session::{NewEvent, Role, SessionStore},
};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::{
    assemble::{App, Surfaces},
    cli::{ChatArgs, Shared},
    commands::{
        chat::{Backing, Chat, Wanted},
        demo::ScriptReply,
        sessions::tests::{memory::MemoryStore, said},
    },
    terminal::{
        Printer, Style,
        chat::{Conversation, EventSource, Questions, RunningTurn, Turn},
    },
};

/// Stores what happens in a session.
struct Storing {
    store: Arc<MemoryStore>,
    session_id: String,
}

impl EventSink for Storing {
    fn emit(&self, body: EventBody) {
        let session_id = self.session_id.clone();
        let event = NewEvent { session_id, turn_id: Some("t".into()), at: Time::now(), body };
        self.store.append_events(vec![event]).unwrap();
    }
}

pub struct ListedAgent {
    store: Arc<MemoryStore>,
    gate: Arc<Gate>,
    session: SessionCx,
    turns: Mutex<Vec<Turn>>,
    /// Answers for the turns to come; where there are none, the message says what to do.
    replies: Arc<Mutex<Vec<ScriptReply>>>,
}

impl ListedAgent {
    pub fn new(app: &App, store: Arc<MemoryStore>, approvers: Vec<Arc<dyn Approver>>) -> Self {
        let gate = crate::assemble::gate(deskhand_tools::registry(), &app.store, app.settings.gate());
        let surfaces =
            Surfaces { approvers, wait_for_others: false, events: Arc::new(deskhand_core::event::NoEvents) };
        let session = app.session("agent", surfaces);
        Self { store, gate: Arc::new(gate), session, turns: Mutex::default(), replies: Arc::default() }
    }

    pub fn answering(self, replies: Vec<ScriptReply>) -> Self {
        *self.replies.lock().unwrap() = replies;
        self
    }

    pub fn turns(&self) -> Vec<Turn> {
        self.turns.lock().unwrap().clone()
    }

    /// What the model answers to this message.
    fn replies_to(&self, message: &str) -> Vec<ScriptReply> {
        let mut listed = self.replies.lock().unwrap();
        if !listed.is_empty() {
            let last = listed.iter().position(|reply| reply.calls.is_empty()).unwrap_or(listed.len() - 1);
            return listed.drain(..=last).collect();
        }
        let call = |name: &str, arguments: Value| {
            vec![crate::commands::demo::ScriptCall { name: name.into(), arguments }]
        };
        let reply = |text: &str, calls| ScriptReply { thought: None, text: text.into(), calls };
        match message.split_once(' ') {
            Some(("READ", file)) => {
                vec![
                    reply("I read.", call("read_file", json!({"path": file}))),
                    reply("That was it.", vec![]),
                ]
            }
            Some(("WRITE", file)) => vec![
                reply("I write.", call("write_file", json!({"path": file, "content": "new\n"}))),
                reply("Written, or not.", vec![]),
            ],
            Some(("WAIT", _)) => Vec::new(),
            _ => vec![reply(&format!("You said **{message}**."), vec![])],
        }
    }
}

struct ListedTurn(CancellationToken);

impl RunningTurn for ListedTurn {
    fn cancel(&self) {
        self.0.cancel();
    }
}

struct StoredEvents {
    store: Arc<MemoryStore>,
    session_id: String,
    after: u64,
}

impl EventSource for StoredEvents {
    fn next(&mut self) -> BoxFuture<'_, Option<deskhand_core::Event>> {
        Box::pin(async move {
            loop {
                let rung = self.store.bell.notified();
                let mut rung = std::pin::pin!(rung);
                rung.as_mut().enable();
                if let Some(event) = self.store.events(&self.session_id, self.after, 1).unwrap().pop() {
                    self.after = event.seq;
                    return Some(event);
                }
                rung.await;
            }
        })
    }
}

impl Conversation for ListedAgent {
    fn start(&self, turn: Turn) -> anyhow::Result<Box<dyn RunningTurn>> {
        let replies = self.replies_to(&turn.message);
        let cancel = CancellationToken::new();
        let sink = Storing { store: Arc::clone(&self.store), session_id: turn.session_id.clone() };
        self.store.add_message(&turn.session_id, said(Role::User, &turn.message));
        sink.emit(EventBody::TurnStarted {
            message: turn.message.clone(),
            message_id: 1,
            model: self.usual_model(),
        });
        let events: Arc<dyn EventSink> = Arc::new(sink);
        let mut session = self.session.clone();
        (session.id, session.mode, session.events) =
            (turn.session_id.clone(), turn.mode, Arc::clone(&events));
        let (gate, store, stop) = (Arc::clone(&self.gate), Arc::clone(&self.store), cancel.clone());
        let waits = turn.message.starts_with("WAIT");
        self.turns.lock().unwrap().push(turn);
        tokio::spawn(async move {
            for reply in replies {
                if let Some(text) = reply.thought {
                    events.emit(EventBody::Thought { text });
                }
                for word in reply.text.split_inclusive(' ') {
                    events.emit(EventBody::Text { text: word.to_owned() });
                }
                for call in reply.calls {
                    let mut request = Request::new(&call.name, call.arguments);
                    request.cancel = stop.clone();
                    gate.call(request, &session).await;
                }
                store.add_message(&session.id, said(Role::Assistant, &reply.text));
            }
            if waits {
                stop.cancelled().await;
            }
            let outcome = if stop.is_cancelled() { TurnOutcome::Cancelled } else { TurnOutcome::Completed };
            events.emit(EventBody::Done { outcome, reason: None });
        });
        Ok(Box::new(ListedTurn(cancel)))
    }

    fn subscribe(&self, session_id: &str, after: u64) -> Box<dyn EventSource> {
        Box::new(StoredEvents { store: Arc::clone(&self.store), session_id: session_id.to_owned(), after })
    }

    fn compact<'a>(&'a self, _: &'a str, _: Option<&'a str>) -> BoxFuture<'a, anyhow::Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn usual_model(&self) -> Option<String> {
        Some("listed/words".into())
    }

    fn models(&self) -> BoxFuture<'_, Vec<String>> {
        Box::pin(async { vec!["listed/words".into(), "listed/others".into()] })
    }
}

/// A workspace, a data folder, and an agent that nobody answers.
pub struct Scene {
    folder: TempDir,
    pub app: App,
    pub store: Arc<MemoryStore>,
    pub agent: Arc<ListedAgent>,
}

impl Scene {
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix(&new_id()).tempdir().unwrap();
        let app = open(folder.path());
        let store = Arc::<MemoryStore>::default();
        let agent = Arc::new(ListedAgent::new(&app, Arc::clone(&store), Vec::new()));
        Self { folder, app, store, agent }
    }

    pub fn workspace(&self) -> &Path {
        let _ = &self.folder;
        self.app.paths.workspace()
    }

    pub fn chat(&self) -> Chat<'_> {
        self.chat_with(None, false).unwrap()
    }

    pub fn chat_with(&self, session: Option<String>, go_on: bool) -> anyhow::Result<Chat<'_>> {
        let backing = Backing {
            sessions: Arc::clone(&self.store) as Arc<dyn SessionStore>,
            agent: Arc::clone(&self.agent) as Arc<dyn Conversation>,
            questions: Questions::new().1,
        };
        let wanted = Wanted { chat: ChatArgs { go_on, ..ChatArgs::default() }, session, model: None };
        Chat::new(&self.app, Printer { json: true, style: Style::PLAIN }, &wanted, backing)
    }
}

/// The program on a workspace and a data folder in `folder`.
pub fn open(folder: &Path) -> App {
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
