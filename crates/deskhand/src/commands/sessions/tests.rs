//! The command against sessions in memory: what it prints, and what it changes.

pub mod memory;

use deskhand_core::{
    CallId, Status,
    session::{CallEnd, CallStep, Message, MessageMeta, NewSession, Role, SessionMeta, SessionQuery, Step},
};
use serde_json::{Value, json};

use self::memory::MemoryStore;
use super::*;
use crate::terminal::Style;

pub fn said(role: Role, content: &str) -> Message {
    Message {
        id: 0,
        session_id: String::new(),
        role,
        content: content.into(),
        timestamp: Time::now(),
        execution_steps: None,
        metadata: MessageMeta::default(),
    }
}

/// Two sessions, one with a turn in it.
fn store() -> (MemoryStore, Session) {
    let store = MemoryStore::default();
    store.create(&NewSession { title: Some("Older".into()), ..NewSession::default() }).unwrap();
    let metadata = SessionMeta { model: Some("zhipu/glm-5".into()), ..SessionMeta::default() };
    let session =
        store.create(&NewSession { id: None, title: Some("修改行李清单".into()), metadata }).unwrap();
    store.add_message(&session.id, said(Role::User, "mend the typo in 行李清单"));
    let call = CallStep {
        round: 1,
        call_id: CallId::parse("01970000-0000-7000-8000-000000000001").unwrap(),
        model_call_id: "c1".into(),
        tool: "read_file".into(),
        arguments: json!({"path": "a.md"}),
        started_at: Time::now(),
        end: Some(CallEnd::without_outcome(Status::Error, "no_such_file", "There is no ```file```.")),
    };
    let steps = vec![
        Step::Thought { round: 1, text: "First\nI read.".into(), signature: None },
        Step::Text { round: 1, text: "I look.".into() },
        Step::Call(Box::new(call)),
        Step::Nudge { round: 2, text: "Go on.".into() },
    ];
    let answer = Message { execution_steps: Some(steps), ..said(Role::Assistant, "It is **not** there.") };
    store.add_message(&session.id, answer);
    let session = store.session(&session.id).unwrap();
    (store, session)
}

fn run_on(store: &MemoryStore, action: SessionAction) -> Result<u8> {
    run(
        &Desk {
            store,
            printer: Printer { json: true, style: Style::PLAIN },
            language: Language::English,
            session: None,
        },
        action,
    )
}

fn page() -> PageArgs {
    PageArgs { page: 1, page_size: 20 }
}

fn all(store: &MemoryStore, deleted: bool) -> Vec<Session> {
    let page = PageAsk { page: 1, size: 100 };
    store.sessions(&SessionQuery { page, archived: None, deleted }).unwrap().items
}

#[test]
fn sessions_stand_in_columns() {
    let (store, session) = store();
    let text = rows(&all(&store, false), Language::English, Style::PLAIN, 80, Some(1));
    let lines: Vec<&str> = text.lines().collect();
    let id = words::end_of(&session.id);
    assert_eq!(lines[0], format!("1.  {id}  just now  2  修改行李清单"));
    assert!(lines[1].ends_with("just now  0  Older"), "{text}");
    let narrow = rows(&all(&store, false)[..1], Language::Chinese, Style::PLAIN, 30, None);
    assert_eq!(narrow, format!("{id}  刚刚  2  修改行李清…\n"));
}

#[test]
fn cells_are_filled_up_to_their_places() {
    let rows = [vec!["中文".to_owned(), "x".to_owned()], vec!["abcdefg".to_owned(), "y".to_owned()]];
    assert_eq!(columns(&rows), ["中文     x", "abcdefg  y"]);
}

#[test]
fn a_message_is_shown_with_what_was_done() {
    let (store, session) = store();
    let messages = store.messages(&session.id, &MessageQuery::default()).unwrap().items;
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
    let (store, session) = store();
    let text = exported(&store, &session.id, ExportFormat::Md, Language::English).unwrap();
    for part in [
        "# 修改行李清单\n",
        "- model: zhipu/glm-5\n",
        "\nmend the typo in 行李清单\n",
        "\n> First\n> I read.\n",
        "\n**read_file**\n\n```json\n{\n  \"path\": \"a.md\"\n}\n```\n",
        // The fence is longer than the one inside.
        "\nerror (0 ms)\n\n````\nThere is no ```file```.\n````\n",
        "\n*Go on.*\n",
        "\nIt is **not** there.\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn what_was_exported_is_imported() {
    let (store, session) = store();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("talk.json");
    let export = SessionAction::Export {
        id: words::end_of(&session.id).to_owned(),
        format: ExportFormat::Json,
        output: Some(file.clone()),
    };
    run_on(&store, export.clone()).unwrap();
    let error = format!("{:#}", run_on(&store, export).unwrap_err());
    assert!(error.contains("talk.json") && error.contains("not there"), "{error}");
    run_on(&store, SessionAction::Import { file: file.clone() }).unwrap();
    let imported = &all(&store, false)[0];
    assert_eq!((imported.title.as_str(), imported.message_count), ("修改行李清单", 2));
    assert_ne!(imported.id, session.id);
    fs::write(&file, "{}").unwrap();
    let error = format!("{:#}", run_on(&store, SessionAction::Import { file }).unwrap_err());
    assert!(error.contains("is no session"), "{error}");
}

#[test]
fn sessions_are_changed_by_an_end_of_their_id() {
    let (store, session) = store();
    let id = words::end_of(&session.id).to_owned();
    run_on(&store, SessionAction::Rename { id: id.clone(), title: "New".into() }).unwrap();
    run_on(&store, SessionAction::Archive { id: id.clone() }).unwrap();
    let now = store.session(&session.id).unwrap();
    assert_eq!((now.title.as_str(), now.title_locked, now.is_archived), ("New", true, true));
    run_on(&store, SessionAction::Unarchive { id: id.clone() }).unwrap();
    assert!(!store.session(&session.id).unwrap().is_archived);
    run_on(&store, SessionAction::Fork { id: id.clone(), at: Some(1), title: Some("Other".into()) }).unwrap();
    assert_eq!((all(&store, false)[0].title.as_str(), all(&store, false)[0].message_count), ("Other", 1));
    assert!(run_on(&store, SessionAction::Show { id: "nothing".into(), page: page() }).is_err());
    assert_eq!(run_on(&store, SessionAction::Show { id, page: page() }).unwrap(), 0);
}

#[test]
fn deleting_needs_a_yes_and_soft_can_be_taken_back() {
    let (store, session) = store();
    let id = words::end_of(&session.id).to_owned();
    let delete = |soft, yes| run_on(&store, SessionAction::Delete { id: id.clone(), soft, yes });
    // Tests have no terminal: there is nobody to ask.
    let error = delete(false, false).unwrap_err().to_string();
    assert!(error.contains("--yes") && store.session(&session.id).is_ok(), "{error}");
    assert_eq!(delete(true, true).unwrap(), 0);
    assert!(store.session(&session.id).is_err());
    assert_eq!(all(&store, true).len(), 1);
    run_on(&store, SessionAction::Restore { id: id.clone() }).unwrap();
    assert!(store.session(&session.id).is_ok());
    assert_eq!(delete(false, true).unwrap(), 0);
    assert!(all(&store, true).is_empty());
    assert!(run_on(&store, SessionAction::Restore { id }).is_err());
}

#[test]
fn values_are_named_as_in_the_interface_for_programs() {
    let (store, session) = store();
    let value = serde_json::to_value(&all(&store, false)[0]).unwrap();
    let Value::Object(fields) = value else { panic!("an object") };
    for name in ["id", "title", "created_at", "updated_at", "message_count", "is_archived", "metadata"] {
        assert!(fields.contains_key(name), "{name}");
    }
    assert_eq!(fields["id"], session.id);
}
