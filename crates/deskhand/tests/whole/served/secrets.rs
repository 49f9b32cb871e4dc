//! What nobody gets through the server: what lets others in, what is another's, and what was refused.

use std::fs;

use serde_json::{Value, json};

use super::Served;

/// A call with the yes of the one who makes it.
fn insist(served: &Served, token: &str, tool: &str, parameters: &Value) -> Value {
    let mut call = json!({"tool_name": tool, "parameters": parameters});
    let execute =
        |body: &Value| served.ask_as(token, "POST", "/api/v1/tools/execute", Some(body.clone())).json();
    let shown = execute(&call);
    if shown["need_confirmation"] != true {
        return shown;
    }
    call["plan_id"] = shown["plan_id"].clone();
    execute(&call)
}

fn with_bob() -> (Served, String) {
    let mut served = Served::new();
    let added = served.command(&["users", "add", "bob", "--json"]).output().unwrap();
    let bob: Value = serde_json::from_slice(&added.stdout).unwrap();
    served.kill_and_restart();
    (served, bob["token"].as_str().unwrap().to_owned())
}

#[test]
fn no_yes_hands_out_what_lets_somebody_in() {
    let (served, bob) = with_bob();
    let data = served.folder.path().join("data");
    fs::create_dir_all(served.folder.path().join("config/deskhand")).unwrap();
    fs::write(served.folder.path().join("config/deskhand/keys.toml"), "openai = \"sk-secret\"\n").unwrap();
    for token in [&served.token, &bob] {
        for file in
            ["data/serve.token", "data/mcp/serve.token", "data/users.toml", "config/deskhand/keys.toml"]
        {
            let path = served.folder.path().join(file);
            let read = insist(&served, token, "read_file", &json!({"path": path}));
            assert_eq!(read["status"], "blocked", "{file}: {read}");
            let copied =
                insist(&served, token, "file_copy", &json!({"source": path, "destination": "mine.txt"}));
            assert_eq!(copied["status"], "blocked", "{file}: {copied}");
        }
    }
    // The rest of the data is the owner's to look into, with a yes; a user has no part in it.
    let database = json!({"path": data.join("deskhand.db")});
    assert_eq!(insist(&served, &bob, "file_stat", &database)["status"], "blocked");
    assert_eq!(insist(&served, &served.token, "file_stat", &database)["status"], "success");
    let record = fs::read_dir(data.join("audit"))
        .unwrap()
        .map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    let all: String = record.collect();
    assert!(!all.contains(&served.token) && !all.contains(&bob), "no token is in the audit");
}

#[test]
fn the_skills_are_the_owners_to_read() {
    let (served, bob) = with_bob();
    let skill = served.root().join("data/skills/greet/SKILL.md");
    fs::create_dir_all(skill.parent().unwrap()).unwrap();
    fs::write(&skill, "Say hello to Ada.\n").unwrap();
    for (token, is_owner) in [(&served.token, true), (&bob, false)] {
        for (tool, parameters) in [
            ("read_file", json!({"path": skill})),
            ("list_dir", json!({"path": skill.parent()})),
            ("grep", json!({"pattern": "Ada", "path": skill.parent()})),
            ("bash", json!({"command": format!("cat {}", skill.display())})),
        ] {
            let read = insist(&served, token, tool, &parameters);
            assert_eq!(read["status"] == "success", is_owner, "{tool}: {read}");
            assert!(is_owner || !read.to_string().contains("hello"), "{tool}: {read}");
        }
    }
}

#[test]
fn a_kept_output_is_read_by_whom_it_was_made_for() {
    let (served, bob) = with_bob();
    fs::write(served.workspace().join("long.txt"), "a line of text\n".repeat(20_000)).unwrap();
    let long = json!({"command": "cat long.txt"});
    let (mine, his) = (insist(&served, &served.token, "bash", &long), insist(&served, &bob, "bash", &long));
    let handle =
        |ran: &Value| ran["outcome"]["full_output"].as_str().unwrap_or_else(|| panic!("{ran}")).to_owned();
    for (token, handle, theirs) in [
        (&served.token, handle(&mine), true),
        (&served.token, handle(&his), false),
        (&bob, handle(&his), true),
        (&bob, handle(&mine), false),
    ] {
        let read = insist(&served, token, "read_file", &json!({"path": handle}));
        assert_eq!(read["success"], theirs, "{read}");
    }
}

#[test]
fn what_is_refused_shows_nothing_of_what_it_would_have_read() {
    let served = Served::with("", &["--mode", "read-only"]);
    fs::write(served.workspace().join(".env"), "PASSWORD_OF_SOMETHING=opensesame\n").unwrap();
    let body = json!({"tool_name": "write_file", "parameters": {"path": ".env", "content": "x"}});
    let explained = served.ask("POST", "/api/v1/tools/explain", Some(body));
    assert_eq!(explained.json()["explanation"]["decision"], "forbid");
    assert!(
        !explained.body.contains("opensesame") && !explained.body.contains("PASSWORD_OF"),
        "{explained:?}"
    );
}

#[test]
fn a_change_of_settings_is_on_record_and_some_are_not_made_from_afar() {
    let served = Served::new();
    for (key, value) in [("audit.enabled", json!(false)), ("sandbox.kind", json!("none"))] {
        let answer = served.ask("PUT", "/api/v1/settings", Some(json!({key: value})));
        assert_eq!(
            (answer.status, answer.json()["error"]["code"].as_str()),
            (403, Some("not_over_http")),
            "{answer:?}"
        );
    }
    assert_eq!(served.ask("PUT", "/api/v1/settings", Some(json!({"mode": "auto"}))).status, 200);
    let records = served.get("/api/v1/audit")["records"].clone();
    let change = records.as_array().unwrap().iter().find(|record| record["tool_name"] == "settings").unwrap();
    assert_eq!((&change["arguments"]["mode"], &change["decided_by"]), (&json!("auto"), &json!("person:web")));
}

#[test]
fn a_cookie_counts_from_our_own_pages_alone() {
    let served = Served::new();
    let host = format!("Host: 127.0.0.1:{}", served.port);
    let opened = served.raw(&format!("GET /?token={} HTTP/1.0\r\n{host}\r\n\r\n", served.token));
    let cookie = opened.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let with = |headers: &str| {
        served
            .raw(&format!("GET /api/v1/about HTTP/1.0\r\n{host}\r\nCookie: {cookie}\r\n{headers}\r\n"))
            .status
    };
    assert_eq!(with("Sec-Fetch-Site: same-origin\r\n"), 200);
    for site in ["same-site", "cross-site"] {
        assert_eq!(with(&format!("Sec-Fetch-Site: {site}\r\n")), 403, "{site}");
    }
    for origin in ["http://127.0.0.1", "http://localhost", "https://localhost"] {
        assert_eq!(
            with(&format!("Origin: {origin}\r\n")),
            403,
            "what listens on the usual port is not ours: {origin}"
        );
    }
}
