//! How far a session goes by itself, and where: its mode and its folder, chosen over HTTP.

use std::fs;

use serde_json::{Value, json};

use super::{Around, Served};

const BOTH: &[&str] = &["--workspace", ".", "--workspace", "../tmp"];

/// A model that writes `here.txt` when it is asked to write.
const WRITES: &str = r#"
matching = "by_message"
[[replies]]
when = "write"
calls = [{ name = "write_file", arguments = { path = "here.txt", content = "x" } }]
[[replies]]
when = "write"
text = "Done."
"#;

fn change(served: &Served, token: &str, session: &str, body: Value) -> (u16, Value) {
    let answer = served.ask_as(token, "PUT", &format!("/api/v1/sessions/{session}"), Some(body));
    (answer.status, answer.json())
}

#[test]
fn a_session_works_in_another_of_the_servers_folders_from_the_next_turn_on() {
    let mut served = Served::around(WRITES, Around { arguments: BOTH, users: &["bob"], ..Around::default() });
    let (owner, other) = (served.token.clone(), served.root().join("tmp"));
    let session = served.new_session();
    assert_eq!(change(&served, &owner, &session, json!({"workspace": other, "mode": "auto"})).0, 200);
    served.kill_and_restart();
    let detail = served.get(&format!("/api/v1/sessions/{session}"));
    assert_eq!((&detail["mode"], &detail["metadata"]["workspace"]), (&json!("auto"), &json!(other)));
    let events = served.turn(&session, "write it");
    assert!(events.iter().all(|event| event["type"] != "approval_wanted"), "{events:?}");
    assert!(other.join("here.txt").exists() && !served.workspace().join("here.txt").exists());

    // No other folder, for anybody.
    let users = served.users.clone();
    let of_bob = served.ask_as(&users[0], "POST", "/api/v1/sessions", Some(json!({}))).json();
    for (token, session) in [(&owner, session.as_str()), (&users[0], of_bob["id"].as_str().unwrap())] {
        for folder in [json!("/etc"), json!(served.root()), json!(served.root().join("tmp/..")), json!("")] {
            let (status, error) = change(&served, token, session, json!({"workspace": folder}));
            assert_eq!(status, 400, "{folder}: {error}");
        }
    }
    assert_eq!(change(&served, &users[0], &session, json!({"workspace": other})).0, 404);
}

#[test]
fn a_mode_that_the_server_was_started_with_is_loosened_by_nobody() {
    let served = Served::around("", Around { arguments: &["--mode", "read-only"], ..Around::default() });
    let session = served.new_session();
    let detail = served.get(&format!("/api/v1/sessions/{session}"));
    assert_eq!((&detail["mode"], &detail["modes"]), (&json!("read-only"), &json!(["read-only"])));
    let (status, error) = change(&served, &served.token, &session, json!({"mode": "auto"}));
    assert_eq!((status, &error["error"]["code"]), (403, &json!("looser_mode")), "{error}");
    drop(served);

    // Nor does a choice from before count any more, once the folder's own config is tighter.
    let mut served = Served::around("", Around::default());
    let session = served.new_session();
    assert_eq!(change(&served, &served.token.clone(), &session, json!({"mode": "auto"})).0, 200);
    fs::create_dir(served.workspace().join(".deskhand")).unwrap();
    fs::write(served.workspace().join(".deskhand/config.toml"), "mode = \"ask\"\n").unwrap();
    served.kill_and_restart();
    let detail = served.get(&format!("/api/v1/sessions/{session}"));
    assert_eq!(detail["mode"], "ask", "the folder's own config tightens: {detail}");
}

#[test]
fn the_config_of_every_folder_of_the_server_tightens() {
    let mut served = Served::around("", Around { arguments: BOTH, ..Around::default() });
    let (owner, other) = (served.token.clone(), served.root().join("tmp"));
    let session = served.new_session();
    assert_eq!(change(&served, &owner, &session, json!({"workspace": other, "mode": "auto"})).0, 200);
    fs::create_dir(other.join(".deskhand")).unwrap();
    fs::write(other.join(".deskhand/config.toml"), "mode = \"read-only\"\n").unwrap();
    served.kill_and_restart();
    let detail = served.get(&format!("/api/v1/sessions/{session}"));
    assert_eq!((&detail["mode"], &detail["modes"]), (&json!("read-only"), &json!(["read-only"])), "{detail}");
}

/// The owner adds a folder at the machine itself, and works there; nobody else gets to.
#[test]
fn added_workspace_is_for_the_owner_alone_and_never_the_data_folder() {
    let served = Served::around(WRITES, Around { users: &["bob"], ..Around::default() });
    let (owner, bob) = (served.token.clone(), served.users[0].clone());
    let folder = served.root().join("tmp/added");
    fs::create_dir_all(&folder).unwrap();
    fs::write(served.root().join("tmp/file"), "").unwrap();
    let add = |token: &str, path: &Value| {
        served.ask_as(token, "POST", "/api/v1/workspaces", Some(json!({"path": path})))
    };
    let data = served.root().join("data");
    for wrong in [
        json!("/"),
        json!("relative"),
        json!(""),
        json!(data),
        json!(data.join("audit")),
        json!(served.root().join("tmp/file")),
        json!(served.root().join("tmp/nothing")),
    ] {
        let refused = add(&owner, &wrong);
        assert_eq!(refused.status, 400, "{wrong}: {:?}", refused.json());
    }
    assert_eq!(add(&bob, &json!(folder)).status, 403);
    let passed_on = add(&format!("{owner}\r\nX-Forwarded-For: 192.0.2.1"), &json!(folder));
    assert_eq!((passed_on.status, &passed_on.json()["error"]["code"]), (403, &json!("not_from_elsewhere")));
    let session = served.new_session();
    assert_eq!(change(&served, &owner, &session, json!({"workspace": folder})).0, 400, "not added yet");

    let added = add(&owner, &json!(served.root().join("tmp/../tmp/added")));
    assert_eq!((added.status, &added.json()["workspace"]), (200, &json!(folder)));
    let offered = |token: &str| {
        let about = served.ask_as(token, "GET", "/api/v1/about", None).json();
        about["workspaces"].as_array().unwrap().contains(&json!(folder))
    };
    assert!(offered(&owner) && !offered(&bob));
    let of_bob = served.ask_as(&bob, "POST", "/api/v1/sessions", Some(json!({}))).json();
    assert_eq!(change(&served, &bob, of_bob["id"].as_str().unwrap(), json!({"workspace": folder})).0, 400);

    assert_eq!(change(&served, &owner, &session, json!({"workspace": folder, "mode": "auto"})).0, 200);
    let events = served.turn(&session, "write it");
    assert!(events.iter().all(|event| event["type"] != "approval_wanted"), "{events:?}");
    assert!(folder.join("here.txt").exists() && !served.workspace().join("here.txt").exists());
}
