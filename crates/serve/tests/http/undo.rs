//! Taking changes back.

use std::fs;

use deskhand_agent::provider::scripted::ScriptedReply;
use serde_json::json;

use crate::harness::{House, Who, text};

#[tokio::test]
async fn a_click_takes_back_what_a_call_changed() {
    let house = House::start().await;
    let file = house.workspace.join("f.txt");
    fs::write(&file, "old").unwrap();
    let session = house.session(Who::Owner, "s").await;
    let write = json!({"path": "f.txt", "content": "new"});
    let written = house.call(Who::Owner, Some(&session), "write_file", write).await;
    assert_eq!(fs::read_to_string(&file).unwrap(), "new");
    let call = text(&written["outcome"]["call_id"]);
    let (_, list) = house.get(Who::Owner, "/api/v1/undo").await;
    let change = &list["changes"][0];
    assert_eq!(
        (&change["call_id"], &change["tool"], &change["changes"]),
        (&json!(call), &json!("write_file"), &json!(1))
    );
    assert_eq!((&change["session_id"], &change["undone_by"]), (&json!(session), &json!(null)));

    let path = format!("/api/v1/undo/{call}");
    assert_eq!(house.post(Who::Bob, &path, json!({})).await.0, 404);
    let (_, bobs) = house.get(Who::Bob, "/api/v1/undo").await;
    assert_eq!(bobs, json!({"changes": []}));
    assert_eq!(fs::read_to_string(&file).unwrap(), "new");

    let (status, undone) = house.post(Who::Owner, &path, json!({})).await;
    assert_eq!((status, &undone["success"]), (200, &json!(true)), "{undone}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "old");
    let (_, again) = house.post(Who::Owner, &path, json!({})).await;
    assert_eq!(
        (&again["success"], &again["error"]["code"]),
        (&json!(false), &json!("already_undone")),
        "{again}"
    );
    let (_, list) = house.get(Who::Owner, "/api/v1/undo").await;
    let taken =
        list["changes"].as_array().unwrap().iter().find(|change| change["call_id"] == json!(call)).unwrap();
    assert_eq!(taken["undone_by"], undone["outcome"]["call_id"], "{list}");
    // The click is in the record.
    let (_, audit) = house.get(Who::Owner, "/api/v1/audit?tool=undo&status=success").await;
    assert_eq!(audit["records"][0]["decided_by"], "person:web", "{audit}");
    for nonsense in ["nonsense", "01932c5e-6f1c-7d2a-9b57-0c2f6f2d8a11"] {
        assert_eq!(house.post(Who::Owner, &format!("/api/v1/undo/{nonsense}"), json!({})).await.0, 404);
    }
}

#[tokio::test]
async fn a_turn_is_taken_back_from_its_end() {
    let write =
        |content: &str| ScriptedReply::call("write_file", json!({"path": "f.txt", "content": content}));
    let replies = vec![write("one"), write("two"), ScriptedReply::text("done")];
    let house = House::with_model(replies).await;
    let file = house.workspace.join("f.txt");
    fs::write(&file, "before").unwrap();
    let session = house.session(Who::Owner, "s").await;
    let turn = house.turn(Who::Owner, &session, "write").await;
    assert_eq!(fs::read_to_string(&file).unwrap(), "two");
    let path = format!("/api/v1/undo/turns/{turn}");
    assert_eq!(house.post(Who::Bob, &path, json!({})).await.0, 404);
    assert_eq!(fs::read_to_string(&file).unwrap(), "two");
    let (status, undone) = house.post(Who::Owner, &path, json!({})).await;
    assert_eq!((status, undone["undone"].as_array().map(Vec::len)), (200, Some(2)), "{undone}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "before");
    assert_eq!(house.post(Who::Owner, &path, json!({})).await.1, json!({"undone": []}), "nothing is left");
    assert_eq!(house.post(Who::Owner, "/api/v1/undo/turns/none", json!({})).await.0, 404);
}

#[tokio::test]
async fn what_cannot_be_taken_back_stops_a_turn_there() {
    let write = |path: &str| ScriptedReply::call("write_file", json!({"path": path, "content": "x"}));
    let house = House::with_model(vec![write("a"), write("b"), ScriptedReply::text("done")]).await;
    let session = house.session(Who::Owner, "s").await;
    let turn = house.turn(Who::Owner, &session, "write").await;
    fs::write(house.workspace.join("b"), "changed by hand").unwrap();
    let (_, undone) = house.post(Who::Owner, &format!("/api/v1/undo/turns/{turn}"), json!({})).await;
    let outcomes = undone["undone"].as_array().unwrap();
    assert_eq!(outcomes.len(), 1, "{undone}");
    assert_eq!(outcomes[0]["status"], "error", "{undone}");
    assert!(house.workspace.join("a").exists());
}

#[tokio::test]
async fn changes_of_a_session_say_what_is_undone() {
    let write = |path: &str| ScriptedReply::call("write_file", json!({"path": path, "content": "x"}));
    let undo = ScriptedReply::call("undo", json!({}));
    let replies = vec![
        write("a"),
        write("folder/b"),
        ScriptedReply::text("done"),
        write("c"),
        undo,
        ScriptedReply::text(""),
    ];
    let house = House::with_model(replies).await;
    let session = house.session(Who::Owner, "s").await;
    let turn = house.turn(Who::Owner, &session, "write").await;
    let path = format!("/api/v1/sessions/{session}/changes");
    let (_, list) = house.get(Who::Owner, &path).await;
    let states = |list: &serde_json::Value| -> Vec<(String, bool)> {
        let changes = list["changes"].as_array().unwrap().iter();
        let name = |one: &serde_json::Value| text(&one["paths"][0]).rsplit('/').next().unwrap().to_owned();
        changes.map(|one| (name(one), one["undone"].as_bool().unwrap())).collect()
    };
    assert_eq!(states(&list), [("b".to_owned(), false), ("a".to_owned(), false)], "{list}");
    assert_eq!(list["changes"][0]["turn_id"], json!(turn));
    let call = text(&list["changes"][0]["call_id"]);
    let (_, undone) = house.post(Who::Owner, &format!("/api/v1/undo/{call}"), json!({})).await;
    let (_, list) = house.get(Who::Owner, &path).await;
    assert_eq!(states(&list), [("b".to_owned(), true), ("a".to_owned(), false)], "{list}");
    // An undo can be undone.
    let redo = text(&undone["outcome"]["call_id"]);
    house.post(Who::Owner, &format!("/api/v1/undo/{redo}"), json!({})).await;
    let (_, list) = house.get(Who::Owner, &path).await;
    assert_eq!(states(&list), [("b".to_owned(), false), ("a".to_owned(), false)], "{list}");
    let (_, undone) = house.post(Who::Owner, &format!("/api/v1/undo/turns/{turn}"), json!({})).await;
    assert_eq!(
        undone["undone"].as_array().map(Vec::len),
        Some(2),
        "what was redone is undone, too: {undone}"
    );
    assert!(!house.workspace.join("a").exists() && !house.workspace.join("folder").exists());

    // A turn that undid its own change has left nothing to undo.
    let turn = house.turn(Who::Owner, &session, "write and undo").await;
    let (_, undone) = house.post(Who::Owner, &format!("/api/v1/undo/turns/{turn}"), json!({})).await;
    assert_eq!(undone, json!({"undone": []}));
    assert!(!house.workspace.join("c").exists());
}
