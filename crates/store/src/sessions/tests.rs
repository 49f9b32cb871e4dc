//! The contract on SQLite, and what is particular to it: what stands in its tables.

use std::{
    env,
    path::Path,
    process::{Child, Command, Stdio},
};

use deskhand_core::session::{Deletion, NewSession, Role, SessionStore, TitledBy};
use rusqlite::Connection;
use tempfile::TempDir;

use super::{
    contract::{self, Engine, begin, create, end, run_contract, say, text, titled},
    removal,
};
use crate::{Store, StoreOptions};

struct Sqlite(TempDir);

fn open(folder: &Path) -> std::sync::Arc<super::Sessions> {
    Store::open(folder, &StoreOptions::default()).unwrap().sessions()
}

/// What tells a child what to do, where, and in which session.
const CHILD: &str = "DESKHAND_STORE_TEST_CHILD";

impl Engine for Sqlite {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn handle(&self) -> std::sync::Arc<dyn SessionStore> {
        open(self.0.path())
    }

    fn start(&self, task: &str, session: &str) -> Child {
        Command::new(env::current_exe().unwrap())
            .args(["--ignored", "--exact", "sessions::tests::child", "--nocapture"])
            .env(CHILD, format!("{task}\n{session}\n{}", self.0.path().display()))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    }
}

#[test]
#[ignore = "run by other tests, in a process of its own"]
fn child() {
    let told = env::var(CHILD).unwrap();
    let [task, session, folder] = told.splitn(3, '\n').collect::<Vec<_>>().try_into().unwrap();
    contract::in_child(&*open(Path::new(folder)), task, session);
}

run_contract!(crate::sessions::tests::Sqlite);

fn rows(folder: &Path, table: &str) -> i64 {
    let connection = Connection::open(folder.join("deskhand.db")).unwrap();
    connection.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

#[test]
fn nothing_of_a_deleted_session_is_left_in_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let other = titled(&*store, "留下的");
    say(&*store, &other.id, Role::User, "还在");
    let session = titled(&*store, "绝密计划alpha");
    let turn = begin(&*store, &session.id, "暗号是芝麻开门 opensesame").id;
    store.append_events(vec![text(&session.id, &turn, "暗号是芝麻开门 opensesame")]).unwrap();
    store.end_turn(&turn, &end("暗号是芝麻开门 opensesame")).unwrap();
    store.rename(&session.id, "绝密计划beta", TitledBy::Person).unwrap();
    keep_outputs(&*store, folder.path(), &session.id, "opensesame");
    let contains = |word: &str| {
        let kept = std::fs::read_dir(folder.path().join("outputs")).unwrap().flatten();
        let files = ["deskhand.db", "deskhand.db-wal"].map(|name| folder.path().join(name));
        files
            .into_iter()
            .chain(kept.map(|entry| entry.path()))
            .any(|path| contains_bytes(&std::fs::read(path).unwrap_or_default(), word.as_bytes()))
    };
    let words = ["opensesame", "芝麻", "麻开", "绝密", "alpha", "beta", &session.id.replace('-', "")];
    assert!(contains("opensesame") && contains("麻开") && contains("beta"), "else this test shows nothing");
    store.delete(&session.id, Deletion::Hard).unwrap();
    for word in words {
        assert!(!contains(word), "{word} is left");
    }
    for (table, left) in [
        ("sessions", 1),
        ("messages", 1),
        ("events", 0),
        ("turns", 0),
        ("turn_steps", 0),
        ("tool_calls", 0),
        ("uploads", 0),
        ("search_entries", 2),
    ] {
        assert_eq!(rows(folder.path(), table), left, "{table}");
    }
}

/// A file in `outputs/` for each way in which a session refers to one. Returns their names.
fn keep_outputs(store: &dyn SessionStore, data: &Path, session: &str, content: &str) -> Vec<String> {
    use deskhand_core::{CallId, EventBody, output::handle, session::*};
    let [transcript, long, out, err] = [(); 4].map(|()| CallId::new());
    let turn = begin(store, session, "go").id;
    let mut step = contract::call("bash");
    store.add_steps(&turn, &[Step::Call(Box::new(step.clone()))]).unwrap();
    step.end = Some(CallEnd { full_output: Some(handle(long)), ..contract::done("x") });
    store.end_call(&turn, &step).unwrap();
    let data_of_call = serde_json::json!({"stdout_file": handle(out), "stderr_file": handle(err)});
    let outcome = serde_json::json!({"call_id": step.call_id, "tool": "bash", "status": "success", "text": "",
        "data": data_of_call, "truncated": true, "duration_ms": 1});
    let body: EventBody =
        serde_json::from_value(serde_json::json!({"type": "call_ended", "outcome": outcome})).unwrap();
    let event = NewEvent { body, ..text(session, &turn, "") };
    store.append_events(vec![event]).unwrap();
    store.end_turn(&turn, &end("x")).unwrap();
    let compaction = Compaction { until_message: 1, transcript: handle(transcript), ..Compaction::default() };
    let metadata = MessageMeta { compaction: Some(compaction), ..MessageMeta::default() };
    store.append(session, &NewMessage { role: Role::System, content: "s".into(), metadata }).unwrap();
    let call = step.call_id;
    let names = [
        format!("{call}.txt"),
        format!("{call}.outside"),
        format!("{call}-1.stream"),
        format!("{long}.txt"),
        format!("{out}.txt"),
        format!("{err}.txt"),
        format!("{transcript}.txt"),
    ];
    for name in &names {
        std::fs::write(data.join("outputs").join(name), content).unwrap();
    }
    names.to_vec()
}

#[test]
fn outputs_go_with_the_last_session_that_refers_to_them() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let [id, other] = [(); 2].map(|()| create(&*store).id);
    let mine = keep_outputs(&*store, folder.path(), &id, "x");
    let theirs = keep_outputs(&*store, folder.path(), &other, "x");
    // One that speaks of another's output does not own it.
    say(&*store, &id, Role::User, &format!("look at out:{}", &theirs[3][..36]));
    let there = |names: &[String]| {
        names.iter().filter(|name| folder.path().join("outputs").join(name).exists()).count()
    };
    let fork = store.fork(&id, None, None).unwrap().id;
    std::fs::write(folder.path().join("outputs/readme"), "x").unwrap();
    store.delete(&id, Deletion::Soft).unwrap();
    assert_eq!((there(&mine), there(&theirs)), (7, 7));
    store.delete(&id, Deletion::Hard).unwrap();
    assert_eq!((there(&mine), there(&theirs)), (5, 7), "the fork has the steps and the summary");
    store.delete(&fork, Deletion::Hard).unwrap();
    assert_eq!((there(&mine), there(&theirs)), (0, 7));
    assert!(folder.path().join("outputs/readme").exists());
}

/// After a reboot, or in another container: nothing of the process that ran the turn can be asked for.
#[test]
fn a_turn_whose_lock_is_not_there_is_broken() {
    let folder = tempfile::tempdir().unwrap();
    let (store, other) = (open(folder.path()), open(folder.path()));
    let id = create(&*store).id;
    begin(&*store, &id, "go");
    assert!(other.broken_turns().unwrap().is_empty());
    let locks: Vec<_> = std::fs::read_dir(folder.path().join("turns")).unwrap().flatten().collect();
    assert_eq!(locks.len(), 1);
    std::fs::remove_file(locks[0].path()).unwrap();
    assert_eq!(other.broken_turns().unwrap()[0].turn.session_id, id);
    other.delete(&id, Deletion::Hard).unwrap();
}

/// A row of a version that named the process itself.
#[test]
fn a_turn_that_names_no_lock_is_broken() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let id = create(&*store).id;
    begin(&*store, &id, "go");
    let connection = Connection::open(folder.path().join("deskhand.db")).unwrap();
    connection.execute("UPDATE turns SET process = ?", [crate::process::this()]).unwrap();
    assert_eq!(store.broken_turns().unwrap()[0].turn.session_id, id);
}

#[test]
fn a_fork_that_fails_leaves_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let id = create(&*store).id;
    let upload = |name: &str| deskhand_core::session::NewUpload {
        session_id: id.clone(),
        name: name.into(),
        mime: "text/plain".into(),
        content: b"x".to_vec(),
    };
    let [kept, lost] = ["kept", "lost"].map(|name| store.add_upload(&upload(name)).unwrap());
    let uploads = vec![kept.id, lost.id];
    let turn = deskhand_core::session::NewTurn { uploads, ..contract::new_turn(&id, "go") };
    let turn = store.begin_turn(&turn).unwrap().turn.id;
    store.end_turn(&turn, &end("x")).unwrap();
    std::fs::remove_file(&lost.path).unwrap();
    let error = store.fork(&id, None, None).unwrap_err().to_string();
    assert!(error.contains(lost.path.to_str().unwrap()), "{error}");
    assert_eq!(std::fs::read_dir(folder.path().join("uploads")).unwrap().count(), 1);
    assert_eq!((rows(folder.path(), "sessions"), rows(folder.path(), "uploads")), (1, 2));
}

#[test]
fn a_large_session_is_deleted_in_steps_and_can_be_restored_between_them() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let id = titled(&*store, "很大").id;
    for n in 0..50 {
        say(&*store, &id, Role::User, &format!("内容 {n}"));
    }
    let query = deskhand_core::session::SearchQuery {
        text: "内容".into(),
        page: deskhand_core::session::PageAsk { page: 1, size: 1_000 },
        owner: deskhand_core::session::Owner::Everyone,
        session_id: None,
        archived: None,
    };
    let found = || store.search(&query).unwrap().items.len();
    // A process that dies after the first step.
    let step = |so_far| store.change("x", |c| removal::forget_some(c, &id, so_far, &store.holders));
    assert_eq!(step(None).unwrap(), removal::Progress::Begun);
    assert_eq!((rows(folder.path(), "search_entries"), found()), (31, 0));
    assert!(store.session(&id).is_err());
    store.restore(&id).unwrap();
    assert_eq!((rows(folder.path(), "search_entries"), found()), (51, 50));
    // One that goes on after somebody has restored it.
    assert!(step(Some(removal::Progress::Begun)).unwrap_err().to_string().contains("restored"));
    assert_eq!(found(), 50);
    step(None).unwrap();
    store.delete(&id, Deletion::Hard).unwrap();
    for table in ["sessions", "messages", "search_entries"] {
        assert_eq!(rows(folder.path(), table), 0, "{table}");
    }
}

fn contains_bytes(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}

#[test]
fn pieces_that_follow_each_other_are_one_row() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let id = create(&*store).id;
    let turn = begin(&*store, &id, "go").id;
    store.append_events((0..50).map(|n| text(&id, &turn, &n.to_string())).collect()).unwrap();
    assert_eq!(rows(folder.path(), "events"), 2);
    for n in 0..50 {
        store.append_events(vec![text(&id, &turn, &n.to_string())]).unwrap();
    }
    assert_eq!(rows(folder.path(), "events"), 52);
    store.end_turn(&turn, &end("x")).unwrap();
    assert_eq!(rows(folder.path(), "events"), 3);
    assert_eq!(store.events(&id, 0, 1_000).unwrap().len(), 102);
}

#[test]
fn a_row_of_pieces_has_a_bound() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let id = create(&*store).id;
    let turn = begin(&*store, &id, "go").id;
    store.append_events((0..5_000).map(|_| text(&id, &turn, "x")).collect()).unwrap();
    store.append_events((0..2).map(|_| text(&id, &turn, &"y".repeat(200 << 10))).collect()).unwrap();
    store.end_turn(&turn, &end("x")).unwrap();
    // The start, 4,096 pieces, the others with the first large one, the second large one, the end.
    assert_eq!(rows(folder.path(), "events"), 5);
    assert_eq!(store.events(&id, 4_999, 1_000).unwrap().len(), 5);
}

#[test]
fn counts_follow_what_others_delete() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let id = create(&*store).id;
    for n in 0..3 {
        say(&*store, &id, Role::User, &n.to_string());
    }
    let connection = Connection::open(folder.path().join("deskhand.db")).unwrap();
    connection.execute("DELETE FROM messages WHERE content = '1'", []).unwrap();
    assert_eq!(store.session(&id).unwrap().message_count, 2);
    let wrong = connection.execute(
        "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'tool', '', '')",
        [&id],
    );
    assert!(wrong.unwrap_err().to_string().contains("CHECK"));
}

#[test]
fn an_id_is_never_used_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let first = create(&*store).id;
    let before = say(&*store, &first, Role::User, "x");
    store.delete(&first, Deletion::Hard).unwrap();
    let second = create(&*store).id;
    assert!(say(&*store, &second, Role::User, "x") > before);
}

#[test]
fn a_long_read_does_not_hold_up_a_write() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let id = create(&*store).id;
    store
        .look("wait", |_| {
            store.append_events(vec![contract::notice(&id, "meanwhile")]).unwrap();
            Ok(())
        })
        .unwrap();
    assert_eq!(store.events(&id, 0, 10).unwrap().len(), 1);
}

#[test]
fn the_lists_are_read_by_index() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.create(&NewSession::default()).unwrap();
    let connection = Connection::open(folder.path().join("deskhand.db")).unwrap();
    let plan = |sql: &str| {
        let mut query = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let lines: Vec<String> = query
            .query_map(rusqlite::params_from_iter(vec![""; query.parameter_count()]), |row| row.get(3))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        lines.join("; ")
    };
    for (sql, index) in [
        ("SELECT * FROM sessions WHERE deleted_at IS NULL ORDER BY changed DESC", "sessions_there"),
        (
            "SELECT * FROM sessions WHERE deleted_at IS NULL AND is_archived = 0 ORDER BY changed DESC",
            "sessions_there_by_archive",
        ),
        ("SELECT * FROM sessions WHERE deleted_at IS NOT NULL ORDER BY changed DESC", "sessions_deleted"),
        (
            "SELECT * FROM sessions WHERE deleted_at IS NULL AND owner = ? ORDER BY changed DESC",
            "sessions_there_by_owner",
        ),
        (
            "SELECT * FROM sessions WHERE deleted_at IS NULL AND is_archived = 0 AND owner = ? ORDER BY changed DESC",
            "sessions_there_by_owner_and_archive",
        ),
        (
            "SELECT * FROM sessions WHERE deleted_at IS NOT NULL AND owner = ? ORDER BY changed DESC",
            "sessions_deleted_by_owner",
        ),
        ("SELECT id FROM messages WHERE session_id = 'x' ORDER BY id", "messages_by_session"),
        (
            "SELECT id FROM messages WHERE session_id = ? AND id > ? AND id < ? ORDER BY id DESC LIMIT ? OFFSET ?",
            "messages_by_session",
        ),
    ] {
        let plan = plan(sql);
        assert!(
            format!("{plan} ").contains(&format!("INDEX {index} ")) && !plan.contains("TEMP B-TREE"),
            "{sql}: {plan}"
        );
    }
}
