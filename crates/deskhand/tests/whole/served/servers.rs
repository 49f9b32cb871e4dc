//! Other MCP servers over HTTP: added after a confirmation, watched, given rules, ended and removed; by the owner alone.

mod elsewhere;

use std::fs;

use deskhand_core::{Grant, GrantBook, GrantEffect, Scope, Shape, Time, id::new_id};
use deskhand_store::{Store, StoreOptions};
use deskhand_testkit::block_until;
use serde_json::{Value, json};

use super::{Around, Served};

/// A small server whose tools are `echo` and `other`.
fn entry() -> Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../serve/tests/mcp_client/hostile.py");
    json!({"command": "python3", "args": [script, "good"], "env": {"SOME_TOKEN": "hunter2-hunter2"}})
}

fn plain() -> Served {
    Served::around("", Around::default())
}

impl Served {
    fn server(&self, name: &str) -> Value {
        let listed = self.get("/api/v1/servers");
        let all = listed["servers"].as_array().unwrap().iter();
        all.clone().find(|server| server["name"] == name).cloned().unwrap_or(Value::Null)
    }

    fn until_server(&self, name: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        block_until(name, || Some(self.server(name)).filter(&wanted))
    }

    /// Adds a server as the page does: what it would do is shown first.
    fn add_server(&self, name: &str, entry: &Value) {
        let mut body = json!({"name": name, "entry": entry});
        let shown = self.post("/api/v1/servers", body.clone());
        assert_eq!(shown["added"], false, "{shown}");
        body["confirm"] = shown["confirm"].clone();
        assert_eq!(self.post("/api/v1/servers", body)["added"], true);
    }

    fn change_server(&self, name: &str, change: Value) {
        let changed = self.ask("PATCH", &format!("/api/v1/servers/{name}"), Some(change));
        assert_eq!(changed.status, 200, "{changed:?}");
    }

    fn log(&self, name: &str) -> Vec<(String, String)> {
        let log = self.get(&format!("/api/v1/servers/{name}/log"));
        let text = |line: &Value, key: &str| line[key].as_str().unwrap().to_owned();
        log["lines"]
            .as_array()
            .unwrap()
            .iter()
            .map(|line| (text(line, "source"), text(line, "text")))
            .collect()
    }

    fn execute(&self, tool: &str) -> Value {
        self.post("/api/v1/tools/execute", json!({"tool_name": tool, "parameters": {}}))
    }

    fn mcp_json(&self) -> String {
        fs::read_to_string(self.root().join("config/deskhand/mcp.json")).unwrap_or_default()
    }
}

impl Served {
    /// What the audit has of changes of servers, newest first.
    fn records(&self) -> Vec<Value> {
        let audit = self.get("/api/v1/audit");
        let all = audit["records"].as_array().unwrap().iter();
        all.filter(|record| record["tool_name"] == "servers").cloned().collect()
    }

    /// Remembers an answer for every call of a tool.
    fn remember(&self, tool: &str, effect: GrantEffect) {
        let store = Store::open(&self.root().join("data"), &StoreOptions::default()).unwrap();
        let grant = Grant {
            id: new_id(),
            owner: None,
            effect,
            tool: tool.to_owned(),
            shape: Shape::AnyArguments,
            scope: Scope::Always,
            until: None,
            created_at: Time::now(),
            created_by: "person:test".to_owned(),
            reason: None,
        };
        store.grants().add(&grant).unwrap();
    }

    /// The tools that answers are remembered for, newest first.
    fn remembered(&self) -> Vec<String> {
        let grants = self.get("/api/v1/grants");
        let all = grants["grants"].as_array().unwrap().iter();
        all.map(|grant| grant["tool"].as_str().unwrap().to_owned()).collect()
    }
}

fn is_ready(server: &Value) -> bool {
    server["status"] == "ready"
}

#[test]
fn server_is_added_only_as_confirmed_and_its_secrets_stay_inside() {
    let served = plain();
    let body = json!({"name": "small", "entry": entry()});
    let shown = served.post("/api/v1/servers", body.clone());
    let proposed = &shown["servers"][0];
    assert_eq!((&shown["added"], &proposed["kind"]), (&json!(false), &json!("stdio")));
    assert_eq!((&proposed["command"], &proposed["args"]), (&json!("python3"), &entry()["args"]));
    assert!(served.mcp_json().is_empty(), "nothing is written before the yes");
    assert_eq!(served.server("small"), Value::Null);

    // A yes to one program is no yes to another.
    let mut other = body.clone();
    other["entry"]["args"] = json!(["-c", "print(1)"]);
    other["confirm"] = shown["confirm"].clone();
    let refused = served.ask("POST", "/api/v1/servers", Some(other));
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (409, &json!("not_what_was_confirmed")));
    assert!(served.mcp_json().is_empty());

    served.add_server("small", &entry());
    let server = served.until_server("small", is_ready);
    let tools: Vec<&str> =
        server["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(tools, ["echo", "other"]);
    assert!(server["file"].as_str().unwrap().ends_with("mcp.json"), "{server}");
    assert_eq!((&server["editable"], &server["env"]), (&json!(true), &json!({"SOME_TOKEN": null})));
    let log = served.log("small");
    assert!(log.iter().any(|(from, text)| from == "connection" && text.starts_with("connected")), "{log:?}");
    assert!(log.iter().any(|(from, text)| from == "stderr" && text.starts_with("here with")), "{log:?}");

    let seen = format!("{shown} {server} {log:?} {}", served.get("/api/v1/audit"));
    assert!(!seen.contains("hunter2"), "{seen}");
    assert!(served.mcp_json().contains("hunter2-hunter2"), "it is kept where the command line keeps it");
    let audit = served.get("/api/v1/audit").to_string();
    assert!(audit.contains("\"servers\"") && audit.contains("small"), "{audit}");

    let again = served.ask("POST", "/api/v1/servers", Some(body));
    assert_eq!((again.status, &again.json()["error"]["code"]), (409, &json!("name_taken")));
}

#[test]
fn rules_of_a_server_and_of_a_tool_hold_at_once() {
    let served = plain();
    served.add_server("small", &entry());
    served.until_server("small", is_ready);
    assert_eq!(served.execute("mcp_small_echo")["need_confirmation"], true);

    served.change_server("small", json!({"permission": "public", "tools": {"other": "sensitive"}}));
    let ran = served.execute("mcp_small_echo");
    assert_eq!((&ran["success"], &ran["need_confirmation"]), (&json!(true), &json!(false)), "{ran}");
    assert_eq!(served.execute("mcp_small_other")["need_confirmation"], true);

    served.change_server("small", json!({"tools": {"echo": "hidden", "other": null}}));
    assert_eq!(served.execute("mcp_small_echo")["status"], "not_found");
    assert_eq!(served.execute("mcp_small_other")["success"], true);
    let server = served.server("small");
    let echo = &server["tools"][0];
    assert_eq!(
        (&echo["name"], &echo["hidden"]),
        (&json!("echo"), &json!(true)),
        "it can be set back: {server}"
    );
    assert_eq!(server["restarts"], 0, "the program went on");
    let connected = served.log("small").iter().filter(|(_, text)| text.starts_with("connected")).count();
    assert_eq!(connected, 1, "the program went on");

    for wrong in
        [json!({"permission": "forbidden"}), json!({"tools": {"echo": "maybe"}}), json!({"nonsense": 1})]
    {
        let before = served.mcp_json();
        let refused = served.ask("PATCH", "/api/v1/servers/small", Some(wrong.clone()));
        assert_eq!((refused.status, served.mcp_json()), (400, before), "{wrong}: {refused:?}");
    }
}

#[test]
fn server_is_turned_off_restarted_and_removed() {
    let served = plain();
    served.add_server("small", &entry());
    served.until_server("small", is_ready);
    let restarted = served.ask("POST", "/api/v1/servers/small/restart", Some(json!({})));
    assert_eq!(restarted.status, 200, "{restarted:?}");
    served.until_server("small", is_ready);

    served.change_server("small", json!({"disabled": true}));
    assert_eq!(served.server("small")["status"], "disabled");
    assert_eq!(served.execute("mcp_small_echo")["status"], "not_found");
    served.change_server("small", json!({"disabled": false}));
    served.until_server("small", is_ready);
    assert_eq!(served.execute("mcp_small_echo")["need_confirmation"], true);

    let removed = served.ask("DELETE", "/api/v1/servers/small", None);
    assert_eq!(removed.status, 200, "{removed:?}");
    assert_eq!(served.server("small"), Value::Null);
    assert_eq!(served.execute("mcp_small_echo")["status"], "not_found");
    assert!(!served.mcp_json().contains("hunter2"), "{}", served.mcp_json());
    for (method, path) in [("DELETE", ""), ("POST", "/restart"), ("GET", "/log"), ("POST", "/sign-in")] {
        let gone = served.ask(method, &format!("/api/v1/servers/small{path}"), Some(json!({})));
        assert_eq!(gone.status, 404, "{method} {path}: {gone:?}");
    }
}

#[test]
fn failing_server_shows_its_real_reason() {
    let served = plain();
    served.add_server("none", &json!({"command": "no-such-program-anywhere"}));
    let server = served.until_server("none", |server| server["status"] == "failed");
    let error = server["error"].as_str().unwrap();
    assert!(error.contains("there is no program `no-such-program-anywhere`"), "{error}");

    served.add_server(
        "dies",
        &json!({"command": "sh", "args": ["-c", "echo cannot open the database >&2; exit 3"]}),
    );
    let server = served.until_server("dies", |server| server["status"] == "failed");
    let error = server["error"].as_str().unwrap();
    assert!(error.contains("exit code 3"), "{error}");
    assert_eq!(server["last_words"], json!(["cannot open the database"]));
    let log = served.log("dies");
    assert!(log.contains(&("stderr".to_owned(), "cannot open the database".to_owned())), "{log:?}");

    for (name, entry, said) in [
        ("", json!({"command": "x"}), "name of a server"),
        ("x", json!({}), "`command`"),
        ("x", json!({"command": "a", "args": "-y"}), "args"),
        ("x", json!({"type": "sse", "url": "https://h/sse"}), "sse"),
        ("x", json!({"command": "a", "url": "https://h"}), "`type`"),
    ] {
        let before = served.mcp_json();
        let refused = served.ask("POST", "/api/v1/servers", Some(json!({"name": name, "entry": entry})));
        assert_eq!(refused.status, 400, "{entry}: {refused:?}");
        assert!(refused.body.contains(said), "{said}: {refused:?}");
        assert_eq!(served.mcp_json(), before);
    }
    let nobody = served.ask("POST", "/api/v1/servers/dies/sign-in", Some(json!({})));
    assert_eq!(nobody.status, 400, "{nobody:?}");
    assert!(nobody.body.contains("a program on this machine"), "{nobody:?}");
}

#[test]
fn import_shows_what_it_would_add_first() {
    let served = plain();
    served.add_server("small", &entry());
    let text = json!({
        "mcpServers": {
            "small": {"command": "python3", "args": ["-c", "pass"], "disabled": true},
            "web": {"url": "https://u:hunter3@h.example/mcp?key=hunter3", "headers": {"X-Key": "hunter3"}, "disabled": true},
            "old": {"type": "sse", "url": "https://h/sse"},
            "lax": {"command": "true", "disabled": true, "permission": "public"},
        },
        "theme": "dark",
    })
    .to_string();
    let before = served.mcp_json();
    let mut body = json!({"json": text});
    let shown = served.post("/api/v1/servers/import", body.clone());
    assert_eq!(served.mcp_json(), before, "nothing is written before the yes");
    let by_name = |name: &str| {
        shown["servers"].as_array().unwrap().iter().find(|server| server["name"] == name).unwrap().clone()
    };
    assert_eq!((&by_name("small")["replaces"], &by_name("web")["replaces"]), (&json!(true), &json!(false)));
    assert_eq!(
        (&by_name("web")["host"], &by_name("web")["headers"]),
        (&json!("h.example"), &json!(["X-Key"]))
    );
    let left_out = shown["left_out"].to_string();
    assert!(left_out.contains("mcpServers.old") && left_out.contains("`permission` is yours"), "{left_out}");
    assert!(!shown.to_string().contains("hunter3"), "{shown}");

    body["confirm"] = shown["confirm"].clone();
    assert_eq!(served.post("/api/v1/servers/import", body)["added"], true);
    for name in ["small", "web", "lax"] {
        assert_eq!(served.server(name)["status"], "disabled", "{name}");
    }
    assert_eq!(served.server("lax")["permission"], "moderate");
    let wrong = served.ask("POST", "/api/v1/servers/import", Some(json!({"json": "{"})));
    assert_eq!(wrong.status, 400, "{wrong:?}");
    assert!(wrong.body.contains("not JSON"), "{wrong:?}");
}

#[test]
fn other_users_and_mcp_clients_cannot_manage_servers() {
    let served = Served::around("", Around { users: &["bob"], ..Around::default() });
    served.add_server("small", &entry());
    let before = served.mcp_json();
    for token in [&served.users[0], &served.mcp_tokens[0]] {
        for (method, path, body) in [
            ("GET", "", Value::Null),
            ("POST", "", json!({"name": "x", "entry": {"command": "true"}})),
            ("POST", "/import", json!({"json": "{}"})),
            ("PATCH", "/small", json!({"permission": "public"})),
            ("DELETE", "/small", Value::Null),
            ("GET", "/small/log", Value::Null),
            ("POST", "/small/restart", json!({})),
            ("POST", "/small/sign-in", json!({})),
            ("DELETE", "/small/sign-in", Value::Null),
        ] {
            let body = (!body.is_null()).then_some(body);
            let refused = served.ask_as(token, method, &format!("/api/v1/servers{path}"), body);
            assert_eq!(refused.status, 403, "{method} {path}: {refused:?}");
            assert!(!refused.body.contains("hostile.py"), "{refused:?}");
        }
    }
    assert_eq!(served.mcp_json(), before);
}

#[test]
fn server_of_a_config_file_is_shown_and_changed_only_there() {
    let config = "[mcp.servers.mine]\ncommand = \"true\"\ndisabled = true\n";
    let served = Served::around("", Around { config, ..Around::default() });
    // A workspace that nobody trusts names no program.
    let folder = served.workspace().join(".deskhand");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), "[mcp.servers.theirs]\ncommand = \"true\"\n").unwrap();
    let mine = served.server("mine");
    assert_eq!((&mine["status"], &mine["editable"]), (&json!("disabled"), &json!(false)));
    assert!(mine["file"].as_str().unwrap().ends_with("config.toml"), "{mine}");
    for (method, body) in [("PATCH", Some(json!({"disabled": false}))), ("DELETE", None)] {
        let refused = served.ask(method, "/api/v1/servers/mine", body);
        assert_eq!((refused.status, &refused.json()["error"]["code"]), (409, &json!("set_up_elsewhere")));
    }
    served.add_server("small", &entry());
    served.until_server("small", is_ready);
    assert_eq!(served.server("theirs"), Value::Null);
    assert_eq!(served.config(), config);
}

#[test]
fn a_remembered_yes_ends_with_the_server_that_it_was_given_for() {
    let served = plain();
    let off = |argument: &str| json!({"command": "true", "args": [argument], "disabled": true});
    served.add_server("git", &off("one"));
    served.add_server("git_hub", &off("one"));
    let remember = || {
        for (tool, effect) in [
            ("read_file", GrantEffect::Allow),
            ("mcp_git_hub_push", GrantEffect::Allow),
            ("mcp_git_push", GrantEffect::Deny),
            ("mcp_git_status", GrantEffect::Allow),
        ] {
            served.remember(tool, effect);
        }
    };
    remember();
    let import = |entry: &Value| {
        let mut body = json!({"json": json!({"mcpServers": {"git": entry}}).to_string()});
        body["confirm"] = served.post("/api/v1/servers/import", body.clone())["confirm"].clone();
        assert_eq!(served.post("/api/v1/servers/import", body)["added"], true);
    };
    import(&off("one"));
    assert_eq!(served.remembered().len(), 4, "it is the same server");
    let kept = ["mcp_git_push", "mcp_git_hub_push", "read_file"];
    import(&off("two"));
    assert_eq!(served.remembered(), kept, "it is another one; a no stays");

    served.remember("mcp_git_status", GrantEffect::Allow);
    assert_eq!(served.ask("DELETE", "/api/v1/servers/git", None).status, 200);
    assert_eq!(served.remembered(), kept);

    // One that was given while no server had the name.
    served.remember("mcp_git_status", GrantEffect::Allow);
    served.add_server("git", &off("three"));
    assert_eq!(served.remembered(), kept);

    served.remember("mcp_git_status", GrantEffect::Allow);
    let removed = served.command(&["servers", "remove", "git"]).output().unwrap();
    assert!(removed.status.success(), "{removed:?}");
    assert_eq!(served.remembered(), kept);
}

#[test]
fn keys_in_arguments_are_in_neither_the_list_nor_the_audit() {
    let served = plain();
    let entry =
        json!({"command": "true", "args": ["--api-key", "opensesame123", "--token=z!q"], "disabled": true});
    let shown = served.post("/api/v1/servers", json!({"name": "keyed", "entry": entry}));
    assert_eq!(shown["servers"][0]["args"], entry["args"], "the owner sees what would run");
    served.add_server("keyed", &entry);
    let server = served.server("keyed");
    assert_eq!(server["args"][0], "--api-key");
    let seen = format!("{server} {}", served.get("/api/v1/audit"));
    assert!(seen.contains("keyed") && !seen.contains("opensesame") && !seen.contains("z!q"), "{seen}");
}

#[test]
fn audit_holds_only_changes_that_could_be_made() {
    let served = plain();
    served.add_server("small", &json!({"command": "true", "disabled": true}));
    let added = served.records();
    assert_eq!((added.len(), &added[0]["status"]), (1, &json!("changed")), "{added:?}");
    let wrong_yes = json!({"name": "x", "entry": {"command": "true"}, "confirm": "no"});
    for (method, path, body, status) in [
        ("POST", "", wrong_yes, 409),
        ("PATCH", "/none", json!({"disabled": true}), 404),
        ("PATCH", "/small", json!({"permission": "forbidden"}), 400),
        ("DELETE", "/none", json!({}), 404),
    ] {
        let refused = served.ask(method, &format!("/api/v1/servers{path}"), Some(body));
        assert_eq!(refused.status, status, "{method} {path}: {refused:?}");
    }
    assert_eq!(served.records(), added);

    // A file with comments is not written to.
    let file = served.root().join("config/deskhand/mcp.json");
    fs::write(&file, format!("// mine\n{}", served.mcp_json())).unwrap();
    let refused = served.ask("DELETE", "/api/v1/servers/small", None);
    assert_eq!(refused.status, 409, "{refused:?}");
    let statuses: Vec<_> = served.records().iter().map(|record| record["status"].clone()).collect();
    assert_eq!(statuses, ["failed", "changed", "changed"]);
}
