//! The setting `read_only_roots`: folders that are read without a question, and written as anything outside.

use std::fs;

use serde_json::{Value, json};

use crate::command::Shop;

/// A folder beside the workspace that the person's config names, and one in the home.
fn shop() -> Shop {
    let shop = Shop::new();
    for file in ["reference/guide.txt", "reference/.env", "home/notes/a.txt", "elsewhere/b.txt"] {
        fs::create_dir_all(shop.root.join(file).parent().unwrap()).unwrap();
        fs::write(shop.root.join(file), "needle\n").unwrap();
    }
    let reference = shop.root.join("reference");
    configure(&shop, &format!("read_only_roots = [\"{}\", \"~/notes\"]\n", reference.display()));
    shop
}

fn configure(shop: &Shop, text: &str) {
    fs::create_dir_all(shop.root.join("home/.config/deskhand")).unwrap();
    fs::write(shop.root.join("home/.config/deskhand/config.toml"), text).unwrap();
}

fn explain(shop: &Shop, tool: &str, arguments: &Value) -> (String, String) {
    let explained = shop.run(&["--json", "explain", tool, &arguments.to_string()]).json();
    let text = |field: &str| explained[field].as_str().unwrap_or_default().to_owned();
    (text("decision"), text("rule"))
}

#[test]
fn read_only_roots_are_read_without_a_question_and_never_written_through() {
    let shop = shop();
    let path = |name: &str| shop.root.join(name).display().to_string();
    for (tool, arguments, decision, rule) in [
        ("read_file", json!({"path": path("reference/guide.txt")}), "allow", "path:read_only_roots"),
        ("read_file", json!({"path": "~/notes/a.txt"}), "allow", "path:read_only_roots"),
        ("grep", json!({"pattern": "needle", "path": path("reference")}), "allow", "path:read_only_roots"),
        ("read_file", json!({"path": path("reference/.env")}), "ask", "path:sensitive"),
        ("read_file", json!({"path": path("elsewhere/b.txt")}), "ask", "path:outside-read"),
        ("write_file", json!({"path": path("reference/new"), "content": "x"}), "ask", "path:outside-write"),
        ("file_delete", json!({"path": path("reference/guide.txt")}), "ask", "path:outside-write"),
    ] {
        let wanted = (decision.to_owned(), rule.to_owned());
        assert_eq!(explain(&shop, tool, &arguments), wanted, "{tool} {arguments}");
    }
    // A mode that lets changes in the workspace run asks about these.
    let write = json!({"path": path("reference/new"), "content": "x"}).to_string();
    let ran = shop.run(&["--json", "--mode", "auto", "call", "write_file", &write]);
    assert_eq!(ran.json()["status"], "nobody_to_ask", "{ran:?}");
}

/// Commands see those folders as file tools do: what only looks runs unasked, and nothing there can be changed.
#[test]
fn commands_read_read_only_roots_and_cannot_write_them() {
    let shop = shop();
    let guide = shop.root.join("reference/guide.txt");
    let call = |mode: &str, command: String, yes: &[&str]| {
        let arguments = json!({"command": command}).to_string();
        shop.run(&[&["--json", "--mode", mode, "call", "bash", &arguments], yes].concat()).json()
    };
    let read = call("unattended", format!("cat {}", guide.display()), &[]);
    assert_eq!((&read["status"], &read["data"]["stdout"]), (&json!("success"), &json!("needle\n")), "{read}");
    let secret =
        call("auto", format!("cat {} || true", shop.root.join("reference/.*nv").display()), &["--yes"]);
    assert!(!secret["text"].as_str().unwrap().contains("needle"), "{secret}");
    let written = call("auto", format!("echo x > {}", guide.display()), &["--yes"]);
    assert_ne!(written["status"], "success", "{written}");
    assert_eq!(fs::read_to_string(&guide).unwrap(), "needle\n");
}

#[test]
fn doctor_and_config_show_read_only_roots() {
    let shop = shop();
    let reference = shop.root.join("reference").display().to_string();
    let found = shop.run(&["doctor", "--json"]).json();
    let workspace =
        found["checks"].as_array().unwrap().iter().find(|check| check["name"] == "workspace").unwrap();
    let words = workspace["found"].as_str().unwrap();
    assert!(words.contains("also read without a question") && words.contains(&reference), "{words}");
    let config = shop.run(&["config", "--json"]).json();
    assert_eq!(config["read_only_roots"], json!([reference, shop.root.join("home/notes")]));
    configure(&shop, "read_only_roots = [\"/no/such/folder\"]\n");
    let doctor = shop.run(&["doctor"]).stdout;
    assert!(doctor.contains("read_only_roots: there is no folder /no/such/folder"), "{doctor}");
    configure(&shop, "read_only_roots = [\"notes\"]\n");
    let wrong = shop.run(&["config"]);
    assert!(wrong.code != 0 && wrong.stderr.contains("a list of folders"), "{wrong:?}");
}

/// A folder that somebody sent names no others.
#[test]
fn workspace_config_adds_no_read_only_roots() {
    let shop = Shop::new();
    let elsewhere = shop.root.join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("b.txt"), "x").unwrap();
    shop.write(".deskhand/config.toml", format!("read_only_roots = [\"{}\"]\n", elsewhere.display()));
    let read = json!({"path": elsewhere.join("b.txt")});
    assert_eq!(explain(&shop, "read_file", &read), ("ask".to_owned(), "path:outside-read".to_owned()));
}
