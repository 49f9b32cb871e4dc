use std::path::Path;

use deskhand_core::{
    ApprovalRequest, CallId, Image, Plan, Preview, Settled, Time,
    approval::Subject,
    session::{OpenTurn, SessionStore},
};
use serde_json::json;

use super::*;
use crate::{
    Store, StoreOptions,
    sessions::{
        Sessions,
        contract::{begin, create, end},
    },
};

struct Asking {
    folder: tempfile::TempDir,
    store: std::sync::Arc<Sessions>,
    turn: OpenTurn,
}

impl Asking {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), &StoreOptions::default()).unwrap().sessions();
        let session = create(store.as_ref()).id;
        let turn = begin(store.as_ref(), &session, "do it");
        Self { folder, store, turn }
    }

    fn happens(&self, body: EventBody) {
        let (session_id, turn_id) = (self.turn.session_id.clone(), Some(self.turn.id.clone()));
        self.store.append_events(vec![NewEvent { session_id, turn_id, at: Time::now(), body }]).unwrap();
    }

    fn asks(&self, id: &str, subject: Subject) {
        let request = ApprovalRequest {
            id: id.into(),
            call_id: CallId::new(),
            session_id: self.turn.session_id.clone(),
            owner: None,
            caller: "cli".into(),
            workspace: "/w".into(),
            tool: "a_tool".into(),
            arguments: json!({}),
            wanted_at: Time::now(),
            expires_at: Time::now(),
            subject,
            may_remember: false,
        };
        self.happens(EventBody::ApprovalWanted { request: Box::new(request) });
    }

    fn is_settled(&self, id: &str) {
        let settled = Settled::Withdrawn;
        self.happens(EventBody::ApprovalSettled { approval_id: id.into(), call_id: CallId::new(), settled });
    }

    /// Among the events, and in a file of the data folder: it is in both or in neither.
    fn has(&self, text: &str) -> bool {
        let events = self.store.events(&self.turn.session_id, 0, 100).unwrap();
        let told = serde_json::to_string(&events).unwrap().contains(text);
        // Out of the log of the database it is a little later.
        let agrees = (0..3000).any(|_| {
            is_in_a_file(self.folder.path(), text) == told || {
                std::thread::sleep(std::time::Duration::from_millis(10));
                false
            }
        });
        assert!(agrees, "{text}");
        told
    }
}

fn is_in_a_file(folder: &Path, text: &str) -> bool {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut contents = files.filter(|path| path.is_file()).map(|path| std::fs::read(path).unwrap());
    contents.any(|bytes| bytes.windows(text.len()).any(|part| part == text.as_bytes()))
}

/// A result with a picture, and a plan that shows something for the person alone; long, with pages of its own.
fn subjects(text: &str) -> [Subject; 2] {
    let text = format!("{text} ").repeat(500);
    let images = vec![Image { mime: "image/png".into(), base64: text.clone() }];
    let mut plan = Plan::new("type").preview(Preview::Text(text.clone()));
    plan.private_preview = true;
    let result = Subject::Result { text: text.clone(), data: json!({"text": text}), images };
    [result, Subject::Execution { plan: Box::new(plan) }]
}

#[test]
fn what_is_only_for_whoever_is_asked_is_there_while_they_are_asked() {
    for (first, second) in subjects("first-of-them").into_iter().zip(subjects("second-of-them")) {
        let asking = Asking::new();
        asking.asks("one", first);
        asking.asks("two", second);
        assert!(asking.has("first-of-them") && asking.has("second-of-them"));
        asking.is_settled("one");
        assert!(!asking.has("first-of-them"));
        assert!(asking.has("second-of-them"), "that one still waits");
    }
}

/// Whoever asked was cut off: the turn is ended by somebody else.
#[test]
fn with_the_end_of_a_turn_no_question_is_open() {
    for subject in subjects("never-settled") {
        let asking = Asking::new();
        asking.asks("one", subject);
        assert!(asking.has("never-settled"));
        asking.store.end_turn(&asking.turn.id, &end("")).unwrap();
        assert!(!asking.has("never-settled"));
    }
}

#[test]
fn another_preview_stays() {
    let asking = Asking::new();
    let plan = Plan::new("change").preview(Preview::Diff("a-line-of-a-file".into()));
    asking.asks("one", Subject::Execution { plan: Box::new(plan) });
    asking.is_settled("one");
    asking.store.end_turn(&asking.turn.id, &end("")).unwrap();
    assert!(asking.has("a-line-of-a-file"));
}
