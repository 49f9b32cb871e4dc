//! The command on a real store: what it prints, and what it changes.

use std::sync::Arc;

use deskhand_core::{
    CallId, Status,
    event::TurnOutcome,
    session::{
        CallEnd, CallStep, NewSession, NewTurn, Owner, Role, SessionMeta, SessionQuery, Step, TurnEnd,
    },
};
use deskhand_store::{Store, StoreOptions};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::*;
use crate::terminal::Style;

/// Two sessions in a folder of their own, the newer one with a turn in it.
struct Shelf {
    _folder: TempDir,
    store: Arc<dyn SessionStore>,
    session: Session,
}

impl Shelf {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn SessionStore> =
            Store::open(folder.path(), &StoreOptions::default()).unwrap().sessions();
        store.create(&NewSession { title: Some("Older".into()), ..NewSession::default() }).unwrap();
        let metadata = SessionMeta { model: Some("zhipu/glm-5".into()), ..SessionMeta::default() };
        let new = NewSession { title: Some("修改行李清单".into()), metadata, ..NewSession::default() };
        let id = store.create(&new).unwrap().id;
        one_turn(&*store, &id);
        let session = store.session(&id).unwrap();
        Self { _folder: folder, store, session }
    }

    fn run(&self, action: SessionAction) -> Result<u8> {
        let printer = Printer { json: true, style: Style::PLAIN };
        run(&Desk { store: &*self.store, printer, language: Language::English, session: None }, action)
    }

    fn all(&self, deleted: bool) -> Vec<Session> {
        let page = PageAsk { page: 1, size: 100 };
        self.store
            .sessions(&SessionQuery { page, owner: Owner::Everyone, archived: None, deleted })
            .unwrap()
            .items
    }
}

fn one_turn(store: &dyn SessionStore, session: &str) {
    let begun = store.begin_turn(&NewTurn {
        session_id: session.to_owned(),
        content: "mend the typo in 行李清单".into(),
        uploads: Vec::new(),
        model: None,
        queued: None,
    });
    let turn = begun.unwrap().turn.id;
    let call = CallStep {
        round: 1,
        call_id: CallId::parse("01970000-0000-7000-8000-000000000001").unwrap(),
        model_call_id: "c1".into(),
        tool: "read_file".into(),
        arguments: json!({"path": "a.md"}),
        started_at: Time::now(),
        end: None,
    };
    let steps = [
        Step::Thought { round: 1, text: "First\nI read.".into(), signature: None },
        Step::Text { round: 1, text: "I look.".into() },
        Step::Call(Box::new(call.clone())),
    ];
    store.add_steps(&turn, &steps).unwrap();
    let end = Some(CallEnd::without_outcome(Status::Error, "no_such_file", "There is no ```file```."));
    store.end_call(&turn, &CallStep { end, ..call }).unwrap();
    store.add_steps(&turn, &[Step::Nudge { round: 2, text: "Go on.".into() }]).unwrap();
    let end = TurnEnd {
        outcome: TurnOutcome::Completed,
        reason: None,
        content: "It is **not** there.".into(),
        incomplete: false,
        usage: None,
        metadata: Map::new(),
    };
    store.end_turn(&turn, &end).unwrap();
}

fn page() -> PageArgs {
    PageArgs { page: 1, page_size: 20 }
}

#[test]
fn sessions_stand_in_columns() {
    let shelf = Shelf::new();
    let text = rows(&shelf.all(false), Language::English, Style::PLAIN, 80, Some(1));
    let lines: Vec<&str> = text.lines().collect();
    let id = words::end_of(&shelf.session.id);
    assert_eq!(lines[0], format!("1.  {id}  just now  2  修改行李清单"));
    assert!(lines[1].ends_with("just now  0  Older"), "{text}");
    let narrow = rows(&shelf.all(false)[..1], Language::Chinese, Style::PLAIN, 30, None);
    assert_eq!(narrow, format!("{id}  刚刚  2  修改行李清…\n"));
}

#[test]
fn cells_are_filled_up_to_their_places() {
    let rows = [vec!["中文".to_owned(), "x".to_owned()], vec!["abcdefg".to_owned(), "y".to_owned()]];
    assert_eq!(columns(&rows), ["中文     x", "abcdefg  y"]);
}

#[test]
fn a_message_is_shown_with_what_was_done() {
    let shelf = Shelf::new();
    let messages = shelf.store.messages(&shelf.session.id, &MessageQuery::default()).unwrap().items;
    let text = message(&messages[1], Language::English, Style::PLAIN, 80);
    assert_eq!(
        text,
        "\nDeskhand #2 just now\n▸ First\\nI read.\nI look.\n✗ read_file failed  {\"path\":\"a.md\"}\n↳ Go on.\n\
         It is **not** there.\n"
    );
}

#[test]
fn hits_are_set_off() {
    let hit = |snippet: &str| SearchHitOf(snippet).make();
    assert!(hits(&[hit("a ⟪b⟫ c")], Language::English, Style::PLAIN).ends_with("  a ⟪b⟫ c\n"));
    let coloured = hits(&[hit("a ⟪b⟫ c ⟪d⟫")], Language::English, Style::COLOURED);
    assert!(coloured.ends_with("  a \x1b[1mb\x1b[0m c \x1b[1md\x1b[0m\n"), "{coloured:?}");
}

struct SearchHitOf<'a>(&'a str);

impl SearchHitOf<'_> {
    fn make(&self) -> deskhand_core::session::SearchHit {
        deskhand_core::session::SearchHit {
            session_id: "0197-12345678".into(),
            title: "T".into(),
            message_id: Some(7),
            role: Some(Role::User),
            timestamp: Time::now(),
            snippet: self.0.into(),
        }
    }
}

#[test]
fn a_session_is_exported_as_markdown_that_a_person_reads() {
    let shelf = Shelf::new();
    let text = exported(&*shelf.store, &shelf.session.id, ExportFormat::Md).unwrap();
    for part in [
        "# 修改行李清单\n",
        "- model: `zhipu/glm-5`\n",
        "\nmend the typo in 行李清单\n",
        "\nFirst\nI read.\n",
        "\n**`read_file`** · error\n\n```json\n{\n  \"path\": \"a.md\"\n}\n```\n",
        // The fence is longer than the one inside.
        "\n````text\nThere is no ```file```.\n````\n",
        "\nGo on.\n",
        "\nIt is **not** there.\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn what_was_exported_is_imported() {
    let shelf = Shelf::new();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("talk.json");
    let export = SessionAction::Export {
        id: words::end_of(&shelf.session.id).to_owned(),
        format: ExportFormat::Json,
        output: Some(file.clone()),
    };
    shelf.run(export.clone()).unwrap();
    let error = format!("{:#}", shelf.run(export).unwrap_err());
    assert!(error.contains("talk.json") && error.contains("not there"), "{error}");
    shelf.run(SessionAction::Import { file: file.clone() }).unwrap();
    let all = shelf.all(false);
    let imported = all.iter().find(|one| one.id != shelf.session.id && one.title != "Older").unwrap();
    assert_eq!((imported.title.as_str(), imported.message_count), ("修改行李清单", 2));
    fs::write(&file, "{}").unwrap();
    let error = format!("{:#}", shelf.run(SessionAction::Import { file }).unwrap_err());
    assert!(error.contains("is no session"), "{error}");
}

#[test]
fn sessions_are_changed_by_an_end_of_their_id() {
    let shelf = Shelf::new();
    let id = words::end_of(&shelf.session.id).to_owned();
    shelf.run(SessionAction::Rename { id: id.clone(), title: "New".into() }).unwrap();
    shelf.run(SessionAction::Archive { id: id.clone() }).unwrap();
    let now = shelf.store.session(&shelf.session.id).unwrap();
    assert_eq!((now.title.as_str(), now.title_locked, now.is_archived), ("New", true, true));
    shelf.run(SessionAction::Unarchive { id: id.clone() }).unwrap();
    assert!(!shelf.store.session(&shelf.session.id).unwrap().is_archived);
    shelf.run(SessionAction::Fork { id: id.clone(), at: Some(1), title: Some("Other".into()) }).unwrap();
    assert_eq!((shelf.all(false)[0].title.as_str(), shelf.all(false)[0].message_count), ("Other", 1));
    assert!(shelf.run(SessionAction::Show { id: "nothing".into(), page: page() }).is_err());
    assert_eq!(shelf.run(SessionAction::Show { id, page: page() }).unwrap(), 0);
}

#[test]
fn deleting_needs_a_yes_and_soft_can_be_taken_back() {
    let shelf = Shelf::new();
    let id = words::end_of(&shelf.session.id).to_owned();
    let delete = |soft, yes| shelf.run(SessionAction::Delete { id: id.clone(), soft, yes });
    // Tests have no terminal: there is nobody to ask.
    let error = delete(false, false).unwrap_err().to_string();
    assert!(error.contains("--yes") && shelf.store.session(&shelf.session.id).is_ok(), "{error}");
    assert_eq!(delete(true, true).unwrap(), 0);
    assert!(shelf.store.session(&shelf.session.id).is_err());
    assert_eq!(shelf.all(true).len(), 1);
    shelf.run(SessionAction::Restore { id: id.clone() }).unwrap();
    assert!(shelf.store.session(&shelf.session.id).is_ok());
    assert_eq!(delete(false, true).unwrap(), 0);
    assert!(shelf.all(true).is_empty());
    assert!(shelf.run(SessionAction::Restore { id }).is_err());
}

#[test]
fn values_are_named_as_in_the_interface_for_programs() {
    let shelf = Shelf::new();
    let value = serde_json::to_value(&shelf.all(false)[0]).unwrap();
    let Value::Object(fields) = value else { panic!("an object") };
    for name in ["id", "title", "created_at", "updated_at", "message_count", "is_archived", "metadata"] {
        assert!(fields.contains_key(name), "{name}");
    }
    assert_eq!(fields["id"], shelf.session.id);
}
