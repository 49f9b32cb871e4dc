//! Setting a model up over HTTP: tried before it is saved, problems by their name, keys bound to their address.

use std::{
    fs,
    net::{TcpListener, ToSocketAddrs as _},
    os::unix::fs::PermissionsExt,
};

use serde_json::{Value, json};

use super::{Around, Served, model_server::ModelServer};

const KEY: &str = "sk-open-sesame-0123456789abcdef";

fn unset() -> Served {
    Served::around("", Around { without_model: true, ..Around::default() })
}

fn provider(served: &Served, name: &str) -> Value {
    let list = served.get("/api/v1/models");
    let all = list["providers"].as_array().unwrap();
    all.iter().find(|provider| provider["name"] == name).unwrap().clone()
}

#[test]
fn a_custom_server_is_tried_with_what_was_typed_and_saved_as_a_whole() {
    let models = ModelServer::start();
    let served = unset();
    let custom = provider(&served, "custom");
    assert_eq!((&custom["base_url"], &custom["needs_key"]), (&Value::Null, &json!(false)), "{custom}");
    assert!(provider(&served, "openai")["key_url"].as_str().unwrap().starts_with("https://"));
    assert_eq!(provider(&served, "ollama")["start"], "ollama serve");

    let typed = |more: Value| {
        let mut body = json!({"base_url": models.url, "key": KEY});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let listed = served.post("/api/v1/models/available", typed(json!({"provider": "custom"})));
    assert_eq!(listed, json!({"models": ["large-1", "small-1"]}));
    let tried = served.post("/api/v1/models/test", typed(json!({"model": "custom/small-1"})));
    assert_eq!(tried["ok"], true, "{tried}");
    assert!(models.last().head.contains(&format!("Bearer {KEY}")));
    assert_eq!(
        (served.config().as_str(), provider(&served, "custom")["has_key"].as_bool()),
        ("", Some(false))
    );

    let body = typed(json!({"provider": "custom", "model": "small-1", "where": "file"}));
    let saved = served.post("/api/v1/models/setup", body);
    assert_eq!((&saved["model"], &saved["kept"]), (&json!("custom/small-1"), &json!("file")), "{saved}");
    assert!(served.config().contains(&models.url), "{}", served.config());
    assert_eq!(served.get("/api/v1/models")["usual"], "custom/small-1");
    assert_eq!(provider(&served, "custom")["base_url"], json!(models.url));
    let session = served.new_session();
    assert_eq!(served.turn(&session, "hi").last().unwrap()["outcome"], "completed");
    assert!(models.last().head.contains(&format!("Bearer {KEY}")));
    let shown = format!("{saved} {} {}", served.get("/api/v1/models"), served.get("/api/v1/settings"));
    assert!(!shown.contains(KEY) && !served.config().contains(KEY));
}

#[test]
fn each_problem_has_its_name_and_only_the_servers_words_are_its_own() {
    let models = ModelServer::start();
    let served = unset();
    let closed = format!("http://{}/v1", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    let ask = |provider: &str, address: &str| {
        let body = json!({"provider": provider, "base_url": address, "key": KEY});
        let listed = served.post("/api/v1/models/available", body)["error"].clone();
        let body = json!({"model": format!("{provider}/m"), "base_url": address, "key": KEY});
        [listed, served.post("/api/v1/models/test", body)["error"].clone()]
    };
    // Without a network, some resolvers cannot say whether a name exists.
    let looked_up = ("nowhere.invalid", 80).to_socket_addrs().unwrap_err().to_string();
    let unknown = if looked_up.contains("Temporary failure") { "no_network" } else { "name_not_found" };
    for (provider, address, problem) in [
        ("custom", closed.as_str(), "no_server"),
        ("ollama", closed.as_str(), "no_server"),
        ("custom", "http://nowhere.invalid/v1", unknown),
        ("custom", "ftp://x", "bad_address"),
        ("custom", "http://169.254.169.254/v1", "bad_address"),
    ] {
        for error in ask(provider, address) {
            assert_eq!(
                (&error["problem"], &error["said"]),
                (&json!(problem), &Value::Null),
                "{address}: {error}"
            );
            assert_eq!(error["hint"].to_string().contains("ollama serve"), provider == "ollama", "{error}");
        }
    }
    // The page of the server itself.
    for error in ask("custom", &format!("http://127.0.0.1:{}/settings", served.port)) {
        assert_eq!(error["problem"], "not_compatible", "{error}");
    }
    models.refuse(&format!("Incorrect API key provided: {KEY}"));
    for error in ask("custom", &models.url) {
        assert_eq!(error["problem"], "wrong_key");
        let said = error["said"].as_str().unwrap();
        assert!(said.starts_with("Incorrect API key provided") && !said.contains(KEY), "{error}");
    }
    let saved = json!({"provider": "custom", "model": "m", "base_url": "ftp://x"});
    assert_eq!(served.ask("POST", "/api/v1/models/setup", Some(saved)).status, 400);
    assert_eq!(served.config(), "");
}

#[test]
fn a_stored_key_goes_to_another_address_only_if_the_owner_says_so() {
    let (first, second) = (ModelServer::start(), ModelServer::start());
    let served = unset();
    let set_up = |address: &str, more: Value| {
        let mut body = json!({"provider": "openai", "model": "m", "base_url": address, "where": "file"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        served.ask("POST", "/api/v1/models/setup", Some(body))
    };
    assert_eq!(set_up(&first.url, json!({"key": KEY})).status, 200);
    let at_second = json!({"provider": "openai", "base_url": second.url});
    let held = served.post("/api/v1/models/available", at_second.clone());
    assert_eq!(held["error"]["problem"], "key_held_back", "{held}");
    // Neither by saving the address, nor by setting it, does the key go there.
    assert_eq!(set_up(&second.url, json!({})).status, 200);
    let tried = served.post("/api/v1/models/test", json!({"model": "openai/m"}));
    assert_eq!(tried["error"]["problem"], "key_held_back", "{tried}");
    served.ask("PUT", "/api/v1/settings", Some(json!({"providers.openai.base_url": second.url})));
    let messages = format!("/api/v1/sessions/{}/messages", served.new_session());
    let refused = served.ask("POST", &messages, Some(json!({"content": "hi"})));
    assert_eq!(refused.json()["error"]["code"], "model_auth", "{refused:?}");
    assert!(!second.saw(KEY));

    let mut allowed = at_second;
    allowed["use_stored_key"] = json!(true);
    assert_eq!(served.post("/api/v1/models/available", allowed)["models"], json!(["large-1", "small-1"]));
    assert!(second.saw(KEY));
    assert_eq!(set_up(&first.url, json!({})).status, 200, "back to where it belongs");
    assert_eq!(served.post("/api/v1/models/test", json!({"model": "openai/m"}))["ok"], true);
    assert_eq!(set_up(&second.url, json!({"use_stored_key": true})).status, 200);
    assert_eq!(served.post("/api/v1/models/test", json!({"model": "openai/m"}))["ok"], true);
}

#[test]
fn a_key_of_the_environment_is_not_sent_elsewhere_and_not_shadowed() {
    let (first, second) = (ModelServer::start(), ModelServer::start());
    let environment = vec![("OPENAI_BASE_URL", first.url.clone()), ("OPENAI_API_KEY", KEY.to_owned())];
    let served = Served::around("", Around { without_model: true, environment, ..Around::default() });
    let body = json!({"provider": "openai", "base_url": second.url});
    assert_eq!(served.post("/api/v1/models/available", body)["error"]["problem"], "key_held_back");
    for typed in [json!({"base_url": second.url}), json!({"key": "sk-other"})] {
        let mut body = json!({"provider": "openai", "model": "m"});
        body.as_object_mut().unwrap().extend(typed.as_object().unwrap().clone());
        let refused = served.ask("POST", "/api/v1/models/setup", Some(body));
        assert_eq!((refused.status, refused.body.contains("OPENAI_API_KEY")), (409, true), "{refused:?}");
    }
    assert!(!second.saw(KEY));
    assert_eq!(served.config(), "");
}

#[test]
fn a_token_used_from_another_machine_sends_no_stored_key_elsewhere() {
    let (first, second) = (ModelServer::start(), ModelServer::start());
    let environment = vec![("OPENAI_BASE_URL", first.url.clone()), ("OPENAI_API_KEY", KEY.to_owned())];
    let served = Served::around("", Around { without_model: true, environment, ..Around::default() });
    for (method, path, body) in [
        (
            "POST",
            "models/available",
            json!({"provider": "openai", "base_url": second.url, "use_stored_key": true}),
        ),
        ("POST", "models/test", json!({"model": "openai/m", "base_url": second.url, "use_stored_key": true})),
        (
            "POST",
            "models/setup",
            json!({"provider": "openai", "model": "m", "base_url": second.url, "use_stored_key": true}),
        ),
        ("PUT", "settings", json!({"providers.openai.base_url": second.url})),
    ] {
        let refused = served.ask_from_afar(method, &format!("/api/v1/{path}"), &body);
        let code = refused.json()["error"]["code"].clone();
        assert_eq!((refused.status, code), (403, json!("not_from_elsewhere")), "{path}: {refused:?}");
    }
    served.post("/api/v1/models/test", json!({"model": "openai/m"}));
    assert!(!second.saw("HTTP") && served.config().is_empty());
    // A key that is typed goes where its owner wants it, from wherever they are.
    let typed = json!({"provider": "custom", "base_url": second.url, "key": "sk-typed"});
    assert_eq!(served.ask_from_afar("POST", "/api/v1/models/available", &typed).status, 200);
    assert!(second.saw("sk-typed") && !second.saw(KEY));
    assert_eq!(
        served.ask("PUT", "/api/v1/settings", Some(json!({"providers.openai.base_url": null}))).status,
        200
    );
}

#[test]
fn a_user_sets_nothing_up_probes_no_host_and_sees_no_path() {
    let models = ModelServer::start();
    let served = Served::around("", Around { users: &["bob"], without_model: true, ..Around::default() });
    let bob = &served.users[0];
    for (path, body) in [
        ("available", json!({"provider": "custom", "base_url": models.url})),
        ("available", json!({"provider": "ollama"})),
        ("setup", json!({"provider": "custom", "base_url": models.url, "model": "m"})),
        ("test", json!({"model": "custom/m", "base_url": models.url})),
        ("test", json!({"model": "custom/m", "key": "k"})),
        ("test", json!({"model": "custom/m", "use_stored_key": true})),
    ] {
        let refused = served.ask_as(bob, "POST", &format!("/api/v1/models/{path}"), Some(body.clone()));
        assert_eq!((refused.status, &refused.json()["error"]["code"]), (403, &json!("owner_only")), "{body}");
    }
    assert!(!models.saw("HTTP"), "it was never asked");

    // A file of keys that others can read: the owner learns which one, and nobody else.
    let keys = served.root().join("config/deskhand/keys.toml");
    fs::write(&keys, "openai = \"k\"\n").unwrap();
    fs::set_permissions(&keys, fs::Permissions::from_mode(0o644)).unwrap();
    let try_it = json!({"model": "openai/gpt-5-mini"});
    let owners = served.post("/api/v1/models/test", try_it.clone());
    assert!(owners["error"]["hint"].as_str().unwrap().contains("chmod 600"), "{owners}");
    let session = served.ask_as(bob, "POST", "/api/v1/sessions", Some(try_it.clone())).json();
    let messages = format!("/api/v1/sessions/{}/messages", session["session_id"].as_str().unwrap());
    for (method, path, body) in [
        ("POST", "/api/v1/models/test", Some(try_it)),
        ("GET", "/api/v1/models", None),
        ("GET", "/v1/models", None),
        ("GET", "/api/v1/about", None),
        ("POST", messages.as_str(), Some(json!({"content": "hi"}))),
        (
            "POST",
            "/v1/chat/completions",
            Some(json!({"model": "openai/gpt-5-mini", "messages": [{"role": "user", "content": "hi"}]})),
        ),
    ] {
        let answer = served.ask_as(bob, method, path, body);
        assert!(!answer.body.contains("keys.toml") && !answer.body.contains("chmod"), "{path}: {answer:?}");
        assert!(!answer.body.contains("config/deskhand"), "{path}: {answer:?}");
    }
    let seen = served.ask_as(bob, "GET", "/api/v1/models", None).json();
    assert!(seen["providers"].as_array().unwrap().iter().all(|provider| provider["base_url"].is_null()));
}

#[test]
fn a_user_sees_no_address_of_the_owners_model_server() {
    let models = ModelServer::start();
    let mut served = Served::around("", Around { users: &["bob"], without_model: true, ..Around::default() });
    let body =
        json!({"provider": "custom", "model": "m", "base_url": models.url, "key": KEY, "where": "file"});
    served.post("/api/v1/models/setup", body);
    let place = models.url.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    models.refuse(&format!("no such key at {place}"));
    let owners = served.post("/api/v1/models/test", json!({"model": "custom/m"}));
    assert!(owners.to_string().contains(&place), "{owners}");

    served.token = served.users[0].clone();
    let tried = served.post("/api/v1/models/test", json!({"model": "custom/m"}));
    assert_eq!((&tried["ok"], &tried["error"]["problem"]), (&json!(false), &json!("wrong_key")), "{tried}");
    let session = served.new_session();
    let events = served.turn(&session, "hi");
    assert_eq!(events.last().unwrap()["outcome"], "failed", "{events:?}");
    models.break_off_after("half");
    let again = served.turn(&session, "hi again");
    for shown in [tried.to_string(), json!(events).to_string(), json!(again).to_string()] {
        assert!(!shown.contains(&place), "{shown}");
    }
}
