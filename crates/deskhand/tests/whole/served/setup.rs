//! Settings, models and keys over HTTP: changed by the owner, counting at once, and no key comes out again.

use std::fs;

use serde_json::{Value, json};

use super::{Around, Served, model_server::ModelServer};

fn setting(answer: &Value, key: &str) -> Value {
    let all = answer["settings"].as_array().unwrap();
    all.iter().find(|setting| setting["key"] == key).unwrap_or(&Value::Null).clone()
}

const CONFIG: &str = "# mine\nmode = \"ask\" # careful\n\n[undo]\nmax_age_days = 3\n";

#[test]
fn settings_are_changed_in_the_persons_file_and_count_at_once() {
    let served = Served::around(
        "[[replies]]\ntext = \"hello\"\n",
        Around { config: CONFIG, without_model: true, ..Around::default() },
    );
    let before = served.get("/api/v1/settings");
    let mode = setting(&before, "mode");
    assert_eq!(
        (&mode["value"], &mode["default"], &mode["source"]["from"]),
        (&json!("ask"), &json!("ask"), &json!("file"))
    );
    assert!(mode["source"]["path"].as_str().unwrap().ends_with("config.toml"));
    assert!(setting(&before, "language")["about"].as_str().unwrap().len() > 10);
    assert_eq!(before["restart_needed"], json!([]));

    let session = served.new_session();
    let say = || {
        served.ask("POST", &format!("/api/v1/sessions/{session}/messages"), Some(json!({"content": "hi"})))
    };
    assert_eq!(say().json()["error"]["code"], "model_no_such_model");
    let changes = json!({
        "mode": "read-only", "model": served.script(), "chain.max_rounds": 7, "approval_timeout_s": 60,
        "language": "zh", "undo.max_age_days": null,
    });
    let answer = served.ask("PUT", "/api/v1/settings", Some(changes));
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["restart_needed"], json!(["approval_timeout_s", "undo.max_age_days"]));
    assert_eq!(setting(&answer.json(), "chain.max_rounds")["value"], 7);
    let config = served.config();
    assert!(config.starts_with("# mine\nmode = \"read-only\" # careful\n"), "{config}");
    assert!(!config.contains("max_age_days"), "{config}");
    let about = served.get("/api/v1/about");
    assert_eq!((&about["mode"], &about["language"]), (&json!("read-only"), &json!("zh")));
    assert_eq!(about["model"].as_str().unwrap(), served.script());
    assert_eq!(say().status, 202);
    // The mode in force is that of the next call, too.
    let refused = served.post(
        "/api/v1/tools/execute",
        json!({"tool_name": "write_file", "parameters": {"path": "a.txt", "content": "x"}}),
    );
    assert_eq!(refused["success"], false, "{refused}");
    assert_eq!(refused["need_confirmation"], false, "{refused}");

    for (wrong, parts) in [
        (json!({"mod": "ask", "nonsense.x": 1, "mode": "ask"}), &["mod", "nonsense.x"][..]),
        (json!({"mode": "sometimes"}), &["read-only"]),
        (json!({"approval_timeout_s": 0}), &["approval_timeout_s"]),
    ] {
        let refused = served.ask("PUT", "/api/v1/settings", Some(wrong.clone()));
        assert_eq!(refused.status, 400, "{wrong}: {refused:?}");
        assert!(parts.iter().all(|part| refused.body.contains(part)), "{refused:?}");
        assert_eq!(served.config(), config, "{wrong}");
    }
}

#[test]
fn what_overrules_the_file_is_said_and_secrets_are_not() {
    let served = Served::around(
        "",
        Around {
            config: "[providers.custom.headers]\nx-key = \"opensesame\"\n",
            arguments: &["--mode", "ask"],
            ..Around::default()
        },
    );
    let answer = served.ask(
        "PUT",
        "/api/v1/settings",
        Some(json!({"mode": "auto", "providers.custom.headers.y": "openbarley"})),
    );
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.json()["warnings"].to_string().contains("--mode counts more"), "{answer:?}");
    assert_eq!(setting(&answer.json(), "mode")["source"]["flag"], "--mode");
    let all = format!("{} {}", answer.body, served.get("/api/v1/settings"));
    assert!(!all.contains("opensesame") && !all.contains("openbarley"), "{all}");
    assert!(served.config().contains("opensesame") && served.config().contains("openbarley"));
}

#[test]
fn only_the_owner_changes_settings_and_keys() {
    let served = Served::around(
        "",
        Around { users: &["bob"], config: "instructions = \"call me Ann\"\n", ..Around::default() },
    );
    let bob = &served.users[0];
    for (method, path, body) in [
        ("PUT", "/api/v1/settings", json!({"mode": "auto"})),
        ("POST", "/api/v1/models/keys", json!({"provider": "openai", "key": "sk-x"})),
        ("DELETE", "/api/v1/models/keys/openai", json!({})),
        ("POST", "/api/v1/models/test", json!({"model": served.script()})),
        ("POST", "/api/v1/sessions", json!({"model": "replay/x"})),
    ] {
        let answer = served.ask_as(bob, method, path, Some(body));
        assert_eq!(answer.status, 403, "{method} {path}: {answer:?}");
        assert_eq!(answer.json()["error"]["code"], "owner_only");
    }
    let seen = served.ask_as(bob, "GET", "/api/v1/settings", None);
    assert_eq!(seen.status, 200);
    assert!(!seen.body.contains("Ann") && !seen.body.contains("config.toml"), "{}", seen.body);
}

const KEY: &str = "sk-open-sesame-0123456789abcdef";

fn provider(served: &Served, name: &str) -> Value {
    let list = served.get("/api/v1/models");
    let all = list["providers"].as_array().unwrap();
    all.iter().find(|provider| provider["name"] == name).unwrap().clone()
}

#[test]
fn a_key_counts_as_soon_as_it_is_kept_and_is_never_shown() {
    let models = ModelServer::start();
    let served = Served::around(
        "",
        Around {
            without_model: true,
            environment: vec![("OPENAI_BASE_URL", models.url.clone())],
            ..Around::default()
        },
    );
    assert_eq!(provider(&served, "openai")["has_key"], false);
    let kept = served.ask(
        "POST",
        "/api/v1/models/keys",
        Some(json!({"provider": "openai", "key": format!(" {KEY} "), "where": "file"})),
    );
    assert_eq!((kept.status, &kept.json()["kept"]), (200, &json!("file")), "{kept:?}");
    let openai = provider(&served, "openai");
    assert_eq!((&openai["has_key"], &openai["key_source"]), (&json!(true), &json!("file")));
    let list = served.get("/api/v1/models");
    let usual = list["usual"].as_str().unwrap().to_owned();
    assert!(usual.starts_with("openai/"), "{list}");
    assert!(list["models"].as_array().unwrap().iter().any(|name| *name == usual), "{list}");

    let tried = served.post("/api/v1/models/test", json!({"model": usual}));
    assert_eq!(tried["ok"], true, "{tried}");
    assert!(tried["latency_ms"].is_u64());
    assert!(models.last().head.contains(&format!("Bearer {KEY}")), "{:?}", models.last());
    let session = served.new_session();
    assert_eq!(served.turn(&session, "hi").last().unwrap()["outcome"], "completed");
    // The model is connected by now, and yet the next key counts.
    served.post("/api/v1/models/keys", json!({"provider": "openai", "key": "sk-second", "where": "file"}));
    served.turn(&session, "again");
    assert!(models.last().head.contains("Bearer sk-second"));

    served.post("/api/v1/models/keys", json!({"provider": "openai", "key": KEY, "where": "file"}));
    models.refuse(&format!("Incorrect API key provided: {KEY}"));
    let refused = served.post("/api/v1/models/test", json!({"model": usual}));
    assert_eq!((&refused["ok"], &refused["error"]["class"]), (&json!(false), &json!("auth")), "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("Incorrect API key provided"));
    let failed = served.turn(&session, "once more");
    let everything =
        format!("{refused} {failed:?} {} {}", served.get("/api/v1/models"), served.get("/api/v1/settings"));
    assert!(!everything.contains(KEY), "{everything}");
    assert!(!kept_bytes(&served.root().join("data")).contains(KEY), "it is nowhere in the data");

    let forgotten = served.ask("DELETE", "/api/v1/models/keys/openai", None);
    assert_eq!(forgotten.status, 200, "{forgotten:?}");
    assert_eq!(provider(&served, "openai")["has_key"], false);
    assert_eq!(served.ask("DELETE", "/api/v1/models/keys/openai", None).status, 404);
}

/// All that lies in a folder, as far as it is text.
fn kept_bytes(folder: &std::path::Path) -> String {
    let mut all = String::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            all.push_str(&kept_bytes(&entry.path()));
        } else {
            all.push_str(&String::from_utf8_lossy(&fs::read(entry.path()).unwrap_or_default()));
        }
    }
    all
}

#[test]
fn what_is_no_key_or_no_model_is_refused_in_words() {
    let served = Served::around(
        "",
        Around {
            without_model: true,
            environment: vec![("ZHIPU_API_KEY", "zhipu-key".to_owned())],
            ..Around::default()
        },
    );
    for (body, status) in [
        (json!({"provider": "nobody", "key": "x"}), 400),
        (json!({"provider": "openai", "key": "  "}), 400),
        (json!({"provider": "openai", "key": "two words"}), 400),
        (json!({"provider": "openai", "key": "线"}), 400),
        (json!({"provider": "openai"}), 400),
    ] {
        let answer = served.ask("POST", "/api/v1/models/keys", Some(body.clone()));
        assert_eq!(answer.status, status, "{body}: {answer:?}");
    }
    assert_eq!(provider(&served, "zhipu")["key_source"], "environment");
    let answer = served.ask("DELETE", "/api/v1/models/keys/zhipu", None);
    assert_eq!((answer.status, answer.body.contains("ZHIPU_API_KEY")), (409, true), "{answer:?}");
    let tried = served.post("/api/v1/models/test", json!({"model": "nobody/x"}));
    assert_eq!((&tried["ok"], &tried["error"]["class"]), (&json!(false), &json!("no_such_model")));
    let tried = served.post("/api/v1/models/test", json!({"model": "openai/gpt-5-mini"}));
    assert_eq!(tried["error"]["class"], "auth", "{tried}");
}
