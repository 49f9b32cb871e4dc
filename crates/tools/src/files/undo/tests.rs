#![allow(clippy::default_trait_access, clippy::needless_pass_by_value, reason = "as in `testing`")]

mod back_and_forth;

use std::{fs, sync::Arc};

use deskhand_core::{Permission, Undoable};
use serde_json::{Value, json};

use super::*;
use crate::{
    files::{
        create_directory::CreateDirectory, edit_file::EditFile, file_copy::FileCopy, file_delete::FileDelete,
        file_move::FileMove, write_file::WriteFile,
    },
    testing::{Called, Desk, look, set_mode},
};

fn undo(desk: &Desk, call: CallId) -> ToolResult<Called> {
    desk.call(Undo, json!({"call_id": call.to_string()}))
}

#[test]
fn takes_back_the_newest_change_that_is_in_effect() {
    let desk = Desk::new();
    for content in ["one", "two", "three"] {
        desk.call(WriteFile, json!({"path": "f", "content": content})).unwrap();
    }
    let undone = desk.call(Undo, json!({})).unwrap();
    assert_eq!(desk.text("f"), "two");
    desk.call(Undo, json!({})).unwrap();
    assert_eq!(desk.text("f"), "one");
    // The undo of the undo of «three» cannot be: «two» was taken back since.
    assert_eq!(undo(&desk, undone.id).unwrap_err().code, "changed_since");
    desk.call(Undo, json!({})).unwrap();
    assert_eq!(desk.listing(), [""; 0]);
    assert_eq!(desk.call(Undo, json!({})).unwrap_err().code, "no_such_change");
}

#[test]
fn what_was_redone_is_in_effect_again() {
    let desk = Desk::new();
    desk.call(WriteFile, json!({"path": "f", "content": "one"})).unwrap();
    desk.call(WriteFile, json!({"path": "f", "content": "two"})).unwrap();
    for _ in 0..3 {
        let undone = desk.call(Undo, json!({})).unwrap();
        assert_eq!(desk.text("f"), "one");
        undo(&desk, undone.id).unwrap();
        assert_eq!(desk.text("f"), "two");
    }
}

#[test]
fn wrong_ids_are_said() {
    let desk = Desk::new();
    let written = desk.call(WriteFile, json!({"path": "f", "content": "x"})).unwrap();
    for (arguments, code) in [
        (json!({"call_id": "yesterday"}), "invalid_call_id"),
        (json!({"call_id": ""}), "invalid_call_id"),
        (json!({"call_id": "x".repeat(1_000_000)}), "invalid_call_id"),
        (json!({"call_id": CallId::new().to_string()}), "no_such_change"),
        (json!({"call_id": 5}), "invalid_arguments"),
        (json!({"id": "x"}), "invalid_arguments"),
    ] {
        let error = desk.call(Undo, arguments).unwrap_err();
        assert_eq!(error.code, code);
        assert!(error.message.len() < 1_000);
    }
    let undone = undo(&desk, written.id).unwrap();
    let error = undo(&desk, written.id).unwrap_err();
    assert_eq!(error.code, "already_undone");
    assert!(error.hint.unwrap().contains(&undone.id.to_string()));
}

#[test]
fn the_plan_shows_what_would_be_restored() {
    let desk = Desk::new();
    desk.write("f", "a\nb\n");
    desk.call(WriteFile, json!({"path": "f", "content": "a\nc\n"})).unwrap();
    let plan = desk.plan(Undo, json!({})).unwrap();
    assert_eq!((plan.permission, plan.undo.clone()), (Permission::Moderate, Undoable::Yes));
    let preview = plan.preview.unwrap().text().to_owned();
    assert!(preview.contains("restore ") && preview.contains("-c\n+b\n"), "{preview}");
    assert_eq!(desk.text("f"), "a\nc\n");
    desk.call(WriteFile, json!({"path": ".env", "content": "x"})).unwrap();
    assert_eq!(desk.plan(Undo, json!({})).unwrap().permission, Permission::Sensitive);
}

type Disturb = fn(&Desk);

#[cfg(unix)]
#[test]
fn what_was_changed_since_is_refused_and_named() {
    use std::os::unix::fs::symlink;
    let writes = json!({"path": "f", "content": "new"});
    let appends = json!({"path": "f", "content": "new", "mode": "append"});
    let creates = json!({"path": "d/g", "content": "new"});
    let table: &[(&str, &Value, Disturb, &str)] = &[
        ("content", &writes, |desk| fs::write(desk.path("f"), "NEW").unwrap(), "its content was changed"),
        (
            "size",
            &writes,
            |desk| fs::write(desk.path("f"), "newer").unwrap(),
            "it has 5 bytes now, and had 3",
        ),
        ("gone", &writes, |desk| fs::remove_file(desk.path("f")).unwrap(), "it is not there any more"),
        ("mode", &writes, |desk| set_mode(&desk.path("f"), 0o600), "its mode is 600 now"),
        (
            "folder",
            &writes,
            |desk| {
                fs::remove_file(desk.path("f")).unwrap();
                fs::create_dir(desk.path("f")).unwrap();
            },
            "it is a folder now",
        ),
        (
            "link",
            &writes,
            |desk| {
                fs::rename(desk.path("f"), desk.path("real")).unwrap();
                symlink("real", desk.path("f")).unwrap();
            },
            "it is a link now",
        ),
        ("grown", &appends, |desk| fs::write(desk.path("f"), "old\nnewer").unwrap(), "9 bytes now"),
        ("tail", &appends, |desk| fs::write(desk.path("f"), "old\nNEW").unwrap(), "its end was changed"),
        ("more", &creates, |desk| fs::write(desk.path("d/h"), "x").unwrap(), "not made then: h"),
        (
            "through a link",
            &creates,
            |desk| {
                fs::rename(desk.path("d"), desk.path("real")).unwrap();
                symlink("real", desk.path("d")).unwrap();
            },
            "through a link",
        ),
    ];
    for (name, arguments, disturb, says) in table {
        let desk = Desk::new();
        set_mode(&desk.write("f", "old\n"), 0o644);
        let written = desk.call(WriteFile, (*arguments).clone()).unwrap();
        disturb(&desk);
        let before = desk.listing();
        let error = undo(&desk, written.id).unwrap_err();
        assert_eq!(error.code, "changed_since", "{name}: {error}");
        assert!(error.message.contains(says), "{name}: {error}");
        assert_eq!(desk.listing(), before, "{name}: nothing is changed");
        assert!(desk.entry(written.id).unwrap().undone_by.is_none());
    }
}

#[test]
fn trees_that_were_changed_since_are_refused() {
    let table: &[(&str, Disturb, &str)] = &[
        ("changed", |desk| fs::write(desk.path("copy/a/b"), "other").unwrap(), "a/b in it was changed"),
        ("new", |desk| fs::write(desk.path("copy/n"), "x").unwrap(), "n in it is new"),
        ("gone", |desk| fs::remove_file(desk.path("copy/a/b")).unwrap(), "a/b in it is gone"),
    ];
    for (name, disturb, says) in table {
        let desk = Desk::new();
        desk.write("tree/a/b", "x");
        let copied = desk.call(FileCopy, json!({"source": "tree", "destination": "copy"})).unwrap();
        disturb(&desk);
        let error = undo(&desk, copied.id).unwrap_err();
        assert_eq!(error.code, "changed_since", "{name}");
        assert!(error.message.contains(says), "{name}: {error}");
    }
    let desk = Desk::new();
    desk.write("f", "x");
    let deleted = desk.call(FileDelete, json!({"path": "f"})).unwrap();
    desk.write("f", "another");
    assert!(undo(&desk, deleted.id).unwrap_err().message.contains("there is something again"));
    let moved = desk.call(FileMove, json!({"source": "f", "destination": "g"})).unwrap();
    fs::remove_file(desk.path("g")).unwrap();
    assert!(undo(&desk, moved.id).unwrap_err().message.contains("not there any more"));
    // One conflict of several, and nothing is changed.
    desk.write("tree/x", "1");
    desk.call(CreateDirectory, json!({"path": "p/q"})).unwrap();
    fs::write(desk.path("p/note"), "x").unwrap();
    assert_eq!(desk.call(Undo, json!({})).unwrap_err().code, "changed_since");
    assert!(desk.path("p/q").is_dir());
}

#[test]
fn an_undo_that_was_cut_short_goes_on() {
    let desk = Desk::new();
    desk.write("f", "old");
    let written = desk.call(WriteFile, json!({"path": "f", "content": "new"})).unwrap();
    // As if it had been killed between putting back the file and noting it.
    fs::write(desk.path("f"), "old").unwrap();
    let called = undo(&desk, written.id).unwrap();
    assert!(called.text.contains("Nothing had to be changed"), "{}", called.text);
    assert_eq!(called.plan.permission, Permission::Public);
    assert_eq!(desk.entry(written.id).unwrap().undone_by, Some(called.id));
    // Several steps, some of them taken back.
    let written = desk.call(WriteFile, json!({"path": "a/b/c", "content": "new"})).unwrap();
    fs::remove_file(desk.path("a/b/c")).unwrap();
    undo(&desk, written.id).unwrap();
    assert_eq!(desk.listing(), ["f"]);
    let deleted = desk.call(FileDelete, json!({"path": "f"})).unwrap();
    fs::rename(desk.entry(deleted.id).unwrap().folder.join("1.gone"), desk.path("f")).unwrap();
    assert!(undo(&desk, deleted.id).unwrap().data["changes"].as_array().unwrap().is_empty());
    assert_eq!(desk.text("f"), "old");
}

#[test]
fn a_change_that_never_happened_needs_no_undo() {
    let desk = Desk::new();
    desk.write("f", "old");
    let written = desk.call(WriteFile, json!({"path": "f", "content": "new"})).unwrap();
    let entry = desk.entry(written.id).unwrap();
    // A process writes the same down and dies before it does it.
    let header = deskhand_core::undo::UndoHeader {
        call: CallId::new(),
        tool: "write_file".into(),
        summary: "Wrote f".into(),
        session_id: "test".into(),
        owner: None,
        at: deskhand_core::Time::now(),
        undoes: None,
    };
    let folder = desk.journal.open(&header, 100).unwrap();
    fs::copy(entry.folder.join("1.file"), folder.join("1.file")).unwrap();
    desk.call(Undo, json!({"call_id": written.id.to_string()})).unwrap();
    desk.journal.append(header.call, &entry.steps[0]).unwrap();
    let called = desk.call(Undo, json!({})).unwrap();
    assert!(called.text.contains("Nothing had to be changed"), "{}", called.text);
    assert_eq!(desk.text("f"), "old");
}

#[test]
fn what_is_gone_from_the_journal_is_said() {
    let desk = Desk::new();
    desk.write("f", "old");
    desk.write("a", "x");
    let written = desk.call(WriteFile, json!({"path": "f", "content": "new"})).unwrap();
    desk.call(WriteFile, json!({"path": "a", "content": "y"})).unwrap();
    let folder = desk.entry(written.id).unwrap().folder;
    fs::remove_file(folder.join("1.file")).unwrap();
    let error = undo(&desk, written.id).unwrap_err();
    assert!(["journal_damaged", "no_such_change"].contains(&error.code), "{error}");
    assert_eq!(desk.text("f"), "new");
}

#[test]
fn a_forbidden_place_stays_so() {
    let desk = Desk::new();
    desk.write("f", "old");
    let written = desk.call(WriteFile, json!({"path": "f", "content": "new"})).unwrap();
    // The same journal, seen from a desk that works elsewhere and is kept there.
    let elsewhere =
        Desk::with(&deskhand_store::StoreOptions::default(), |config| config.restrict_to_workspace = true);
    let elsewhere = elsewhere.with_journal(Arc::clone(&desk.journal));
    let error = undo(&elsewhere, written.id).unwrap_err();
    assert_eq!(error.status, deskhand_core::Status::Blocked);
    assert_eq!(desk.text("f"), "new");
}

/// What hides one word.
struct Hides(&'static str);

impl deskhand_core::Screener for Hides {
    fn mask_text(&self, text: &str) -> deskhand_core::Masked {
        deskhand_core::Masked::assume(text.replace(self.0, "***"))
    }

    fn mask_value(&self, value: &Value) -> Value {
        value.clone()
    }
}

/// Calls a tool at a desk, as another session than its own.
fn call_as<T: Tool>(session: &str, desk: &Desk, tool: T, arguments: Value) -> ToolResult<CallId> {
    call_for(None, session, desk, tool, arguments)
}

/// The same, for one of the users.
fn call_for<T: Tool>(
    owner: Option<&str>,
    session: &str,
    desk: &Desk,
    tool: T,
    arguments: Value,
) -> ToolResult<CallId> {
    let cx = Cx::new(deskhand_core::cx::CxParts {
        call: CallId::new(),
        tool: T::SPEC.name.to_owned(),
        session_id: session.to_owned(),
        owner: owner.map(str::to_owned),
        services: desk.services.clone(),
        cancel: Default::default(),
        events: Arc::new(deskhand_core::event::NoEvents),
        screener: Arc::new(Hides("hunter2")),
    });
    let input = || serde_json::from_value::<T::Input>(arguments.clone()).unwrap();
    crate::testing::block_on(async {
        let plan = Tool::plan(&tool, &input(), &cx).await?;
        Tool::run(&tool, input(), &cx.approved(Arc::new(plan), Default::default())).await?;
        Ok(cx.call_id())
    })
}

#[test]
fn the_default_is_the_newest_of_the_session_then_of_the_workspace() {
    let desk = Desk::new();
    desk.call(WriteFile, json!({"path": "own", "content": "x"})).unwrap();
    call_as("other", &desk, WriteFile, json!({"path": "others", "content": "x"})).unwrap();
    // The same journal, and another workspace.
    let elsewhere = Desk::new().with_journal(Arc::clone(&desk.journal));
    let far = call_as("far", &elsewhere, WriteFile, json!({"path": "f", "content": "x"})).unwrap();
    desk.call(Undo, json!({})).unwrap();
    assert_eq!(desk.listing(), ["others"], "that of this session, though others did something since");
    desk.call(Undo, json!({})).unwrap();
    assert_eq!(desk.listing(), [""; 0], "the newest in this workspace, and not that of another");
    let error = desk.call(Undo, json!({})).unwrap_err();
    assert_eq!(error.code, "no_such_change");
    assert!(error.hint.unwrap().contains("deskhand undo --list"));
    assert_eq!(elsewhere.text("f"), "x");
    undo(&elsewhere, far).unwrap();
    assert_eq!(elsewhere.listing(), [""; 0]);
}

#[test]
fn the_journal_keeps_no_secret_in_its_words() {
    let desk = Desk::new();
    let call = call_as("other", &desk, WriteFile, json!({"path": "hunter2.txt", "content": "x"})).unwrap();
    let summary = desk.entry(call).unwrap().summary;
    assert!(summary.contains("***.txt") && !summary.contains("hunter2"), "{summary}");
}

#[test]
fn a_call_that_was_redone_can_be_taken_back_by_its_own_id() {
    let desk = Desk::new();
    let written = desk.call(WriteFile, json!({"path": "f", "content": "x"})).unwrap();
    let undone = undo(&desk, written.id).unwrap();
    undo(&desk, undone.id).unwrap();
    assert_eq!(desk.text("f"), "x");
    let again = undo(&desk, written.id).unwrap();
    assert_eq!(desk.listing(), [""; 0]);
    let error = undo(&desk, written.id).unwrap_err();
    assert_eq!(error.code, "already_undone");
    assert!(error.hint.unwrap().contains(&again.id.to_string()), "the undo that is in effect");
    // And the first undo by its id, though it was itself taken back and done again.
    undo(&desk, undone.id).unwrap();
    assert_eq!(desk.text("f"), "x");
}

#[test]
fn undo_asks_for_no_less_than_the_call_it_repeats() {
    let desk = Desk::new();
    desk.write("tree/sub/.env", "TOKEN=x");
    desk.write("plain/a/b", "x");
    let plan_of = |call: CallId| desk.plan(Undo, json!({"call_id": call.to_string()})).unwrap();
    let deleted = desk.call(FileDelete, json!({"path": "tree", "recursive": true})).unwrap();
    let plan = plan_of(deleted.id);
    assert_eq!(plan.permission, Permission::Sensitive, "what comes back has something private in it");
    assert!(plan.notes.iter().any(|note| note.contains("tree/sub/.env")), "{:?}", plan.notes);
    let moved = desk.call(FileMove, json!({"source": "plain", "destination": "moved"})).unwrap();
    assert_eq!(plan_of(moved.id).permission, Permission::Moderate);
    undo(&desk, moved.id).unwrap();
    let deleted = desk.call(FileDelete, json!({"path": "plain", "recursive": true})).unwrap();
    assert_eq!(plan_of(deleted.id).permission, Permission::Moderate);
    let undone = undo(&desk, deleted.id).unwrap();
    let again = plan_of(undone.id);
    assert_eq!((again.permission, again.rule.as_str()), (Permission::Sensitive, "delete:recursive"));
    let copied = desk.call(FileCopy, json!({"source": "plain", "destination": "copy"})).unwrap();
    assert_eq!(plan_of(copied.id).rule, "delete:recursive");
}

#[cfg(target_os = "linux")]
#[test]
fn undo_asks_the_same_across_file_systems() {
    let Some(disk) = crate::testing::SmallDisk::mount("size=4m") else { return };
    let desk = Desk::in_workspace(disk.path());
    desk.write("tree/.env", "TOKEN=x");
    desk.call(FileDelete, json!({"path": "tree", "recursive": true})).unwrap();
    assert_eq!(desk.plan(Undo, json!({})).unwrap().permission, Permission::Sensitive);
}

#[test]
fn going_back_and_forth_makes_no_more_steps() {
    let desk = Desk::new();
    desk.write("g", "a");
    let mut call = desk.call(WriteFile, json!({"path": "g", "content": "b", "mode": "append"})).unwrap().id;
    let mut previews = Vec::new();
    for _ in 0..4 {
        assert_eq!(desk.entry(call).unwrap().steps.len(), 2);
        let undone = undo(&desk, call).unwrap();
        previews.push(undone.text.clone());
        call = undone.id;
    }
    assert_eq!(desk.text("g"), "ab");
    assert!(previews[0].contains("back to 1 byte\n"), "{}", previews[0]);
    assert!(previews[1].contains("add again to") && previews[1].contains(": 1 byte\n"), "{}", previews[1]);
}

#[test]
fn what_was_changed_since_is_named_once() {
    let desk = Desk::new();
    let written = desk.call(WriteFile, json!({"path": "d/g", "content": "new"})).unwrap();
    fs::write(desk.path("d/g"), "newer").unwrap();
    let message = undo(&desk, written.id).unwrap_err().message;
    assert!(message.contains("d/g: it has 5 bytes now") && !message.contains("; "), "{message}");
    desk.write("f", "old");
    let appended = desk.call(WriteFile, json!({"path": "f", "content": "new", "mode": "append"})).unwrap();
    fs::write(desk.path("f"), "x").unwrap();
    let message = undo(&desk, appended.id).unwrap_err().message;
    assert!(message.contains("it has 1 byte now, and had 6") && !message.contains("; "), "{message}");
}

#[test]
fn what_others_changed_is_not_theirs_to_take_back() {
    let desk = Desk::new();
    let write = |owner: Option<&str>, content: &str| {
        let arguments = json!({"path": "f", "content": content});
        call_for(owner, "s", &desk, WriteFile, arguments).unwrap()
    };
    let (first, bobs) = (write(None, "1"), write(Some("bob"), "2"));
    assert_eq!(desk.entry(bobs).unwrap().owner.as_deref(), Some("bob"));
    assert_eq!(desk.entry(first).unwrap().owner, None);
    let undo = |owner: Option<&str>, arguments: Value| call_for(owner, "s2", &desk, Undo, arguments);
    for (owner, call) in [(Some("bob"), first), (Some("eve"), bobs)] {
        let error = undo(owner, json!({"call_id": call.to_string()})).unwrap_err();
        assert_eq!(error.code, "no_such_change", "{owner:?}");
    }
    assert_eq!(undo(Some("eve"), json!({})).unwrap_err().code, "no_such_change");
    assert_eq!(desk.text("f"), "2");
    undo(Some("bob"), json!({})).unwrap();
    assert_eq!(desk.text("f"), "1");
}
