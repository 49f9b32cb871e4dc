//! What reaches a terminal, a history or the store, and what must not.

use std::fs;

use serde_json::json;

use crate::{command::Shop, pty::Pty};

/// Looks like a token of a well-known kind, and is none.
fn token() -> String {
    format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
}

fn config(shop: &Shop, text: &str) {
    let folder = shop.root.join("home/.config/deskhand");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), text).unwrap();
}

#[test]
fn headers_of_a_provider_are_shown_as_set() {
    let shop = Shop::new();
    config(
        &shop,
        "[providers.mine]\nbase_url = \"http://127.0.0.1:9\"\n[providers.mine.headers]\nX-Key = \"opensesame\"\n\
         [providers.mine.extra]\nuser = \"opensesame\"\n[providers.mine.extra.deep]\nx = \"opensesame\"\n",
    );
    shop.write(".deskhand/config.toml", "[providers.mine.headers]\nX-Other = \"opensesame\"\n");
    for arguments in [&["config"][..], &["--json", "config"]] {
        let ran = shop.run(arguments);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(!ran.stdout.contains("opensesame") && !ran.stderr.contains("opensesame"), "{ran:?}");
        for part in [
            "127.0.0.1:9",
            "mine.headers.X-Key",
            "mine.headers.X-Other",
            "mine.extra.deep.x",
            "(set, not shown)",
        ] {
            assert!(ran.stdout.contains(part), "{part}: {ran:?}");
        }
    }
}

#[test]
fn a_broken_config_is_named_without_what_stands_in_it() {
    let shop = Shop::new();
    config(&shop, "[providers.mine.headers]\nX-Key = \"opensesame\nX = 1\n");
    let ran = shop.run(&["config"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("config.toml") && ran.stderr.contains("line 2"), "{ran:?}");
    assert!(!ran.stderr.contains("opensesame"), "{ran:?}");
}

/// Makes a session of one message with this content; returns its id.
fn import(shop: &Shop, content: &str) -> String {
    let transcript =
        json!({"format": "deskhand-session-1", "messages": [{"role": "user", "content": content}]});
    let ran = shop.run_with(&["--json", "sessions", "import", "-"], &transcript.to_string());
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.json()["id"].as_str().unwrap().to_owned()
}

#[test]
fn an_exported_session_does_nothing_to_a_terminal() {
    let shop = Shop::new();
    let words = "before \u{1b}[2Jerased\u{9b}31m \u{202e}after";
    let id = import(&shop, words);
    let piped = shop.run(&["sessions", "export", &id]);
    assert!(piped.stdout.contains(words), "{piped:?}");
    let as_json = shop.run(&["sessions", "export", "--format", "json", &id]);
    assert_eq!(as_json.json()["messages"][0]["content"], words);
    for format in ["md", "json"] {
        let left = Pty::start(&shop, &format!("sessions export --format {format} {id}")).end();
        assert_eq!(left.code, 0, "{left:?}");
        assert!(left.screen.contains("before ") && left.screen.contains("after"), "{left:?}");
        assert!(!left.screen.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{left:?}");
    }
}

#[test]
fn a_secret_in_an_imported_session_is_not_kept() {
    let shop = Shop::new();
    let token = token();
    let call = json!({
        "type": "call", "round": 1, "call_id": "01970000-0000-7000-8000-000000000001", "model_call_id": "c1",
        "tool": "bash", "arguments": {"command": format!("use {token}")}, "started_at": "2026-01-02T03:04:05.678Z",
    });
    let thought = json!({"type": "thought", "round": 1, "text": token, "signature": token});
    let transcript = json!({"format": "deskhand-session-1", "session": {"title": token}, "messages": [
        {"role": "user", "content": format!("my token is {token}, and the words stay")},
        {"role": "assistant", "content": token, "execution_steps": [thought, call],
         "metadata": {"usage": {"input_tokens": 7, "output_tokens": 8, "cached_tokens": 0}, "note": token}},
    ]});
    let ran = shop.run_with(&["--json", "sessions", "import", "-"], &transcript.to_string());
    assert_eq!(ran.code, 0, "{ran:?}");
    let id = ran.json()["id"].as_str().unwrap().to_owned();
    let exported = shop.run(&["sessions", "export", "--format", "json", &id]).json();
    assert!(
        exported["messages"][0]["content"].as_str().unwrap().ends_with("and the words stay"),
        "{exported}"
    );
    let answer = &exported["messages"][1];
    assert_eq!(answer["metadata"]["usage"]["input_tokens"], 7);
    assert!(answer["execution_steps"][0]["signature"].is_null(), "{answer}");
    assert_eq!(answer["execution_steps"][1]["tool"], "bash");
    for name in ["deskhand.db", "deskhand.db-wal"] {
        let bytes = fs::read(shop.root.join("data").join(name)).unwrap_or_default();
        assert!(!bytes.windows(token.len()).any(|window| window == token.as_bytes()), "{name}");
    }
}

#[test]
fn a_typed_secret_is_not_in_the_histories() {
    let shop = Shop::new();
    let token = token();
    let script = shop.root.join("says.json");
    fs::write(&script, json!({"replies": [{"text": "Noted."}]}).to_string()).unwrap();
    let mut chat = Pty::start(&shop, &format!("--model scripted/{}", script.display()));
    chat.when(crate::pty::PROMPT, &format!("remember {token} please\r"));
    chat.when("Noted.", "");
    chat.when(crate::pty::PROMPT, "\x04");
    assert_eq!(chat.end().code, 0);
    let mut console = Pty::start(&shop, "console");
    console.when("deskhand> ", &format!("explain read_file path={token}\r"));
    console.when("deskhand> ", "quit\r");
    assert_eq!(console.end().code, 0);
    for (name, words) in [("chat-history.txt", "please"), ("console-history.txt", "explain read_file")] {
        let text = fs::read_to_string(shop.root.join("data").join(name)).unwrap();
        assert!(text.contains(words) && !text.contains(&token), "{name}: {text}");
    }
}

#[test]
fn a_store_that_cannot_be_read_is_a_failure_and_no_wrong_usage() {
    let shop = Shop::new();
    fs::create_dir_all(shop.root.join("data")).unwrap();
    fs::write(shop.root.join("data/deskhand.db"), "this is no database".repeat(100)).unwrap();
    let script = shop.root.join("says.json");
    fs::write(&script, json!({"replies": [{"text": "Hello."}]}).to_string()).unwrap();
    let model = format!("scripted/{}", script.display());
    for arguments in [
        &["sessions", "list"][..],
        &["sessions", "show", "x"],
        &["sessions", "search", "x"],
        &["--model", &model, "chat", "hello"],
        &["--model", &model, "--session", "x", "chat", "hello"],
    ] {
        let ran = shop.run(arguments);
        assert_eq!(ran.code, 1, "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains("deskhand.db"), "{ran:?}");
    }
    // The database works, but a turn cannot begin.
    let shop = Shop::new();
    fs::create_dir_all(shop.root.join("data")).unwrap();
    fs::write(shop.root.join("data/turns"), "").unwrap();
    let ran = shop.run(&["--json", "--model", &model, "chat", "hello"]);
    assert_eq!((ran.code, ran.json()["error"]["code"].as_str()), (1, Some("store")), "{ran:?}");
    assert_eq!(shop.run(&["sessions", "show", "nothing"]).code, 2);
}
