//! Other MCP servers on the command line: who may write down which programs are started, and what is said of them.

use std::fs;

use serde_json::{Value, json};

use crate::command::{Ran, Shop};

/// An entry whose program leaves a mark where it was started.
fn marks(file: &std::path::Path) -> Value {
    json!({"mcpServers": {"x": {"command": "sh", "args": ["-c", format!("touch {}", file.display())]}}})
}

fn write(shop: &Shop, config: &str, path: &str) -> Ran {
    let arguments = json!({"path": path, "content": "{}"}).to_string();
    shop.run(&["--config", config, "--mode", "auto", "call", "write_file", &arguments, "--json"])
}

#[test]
fn what_is_read_beside_the_config_is_written_by_no_tool() {
    let shop = Shop::new();
    let elsewhere = shop.root.join("cfg");
    fs::create_dir(&elsewhere).unwrap();
    for folder in [shop.path(""), elsewhere] {
        let config = folder.join("team.toml");
        fs::write(&config, "").unwrap();
        let config = config.to_str().unwrap();
        // The folder in which the binary is started is the workspace.
        let names =
            if folder == shop.path("") { vec![config, "team.toml", "./team.toml"] } else { vec![config] };
        for named in names {
            for file in
                ["team.toml", "mcp.json", "mcp.json.new", "programs.toml", "keys.toml", "mcp-tokens/x"]
            {
                let path = folder.join(file);
                let ran = write(&shop, named, path.to_str().unwrap()).json();
                assert_eq!(
                    (&ran["status"], &ran["rule"]),
                    (&json!("blocked"), &Value::Null),
                    "{named} {file}: {ran}"
                );
                assert_eq!(ran["error"]["code"], "path:own-data-write", "{named} {file}: {ran}");
                let read = json!({"path": path}).to_string();
                if path.exists() {
                    let ran = shop.run(&[
                        "--config",
                        named,
                        "--mode",
                        "auto",
                        "call",
                        "read_file",
                        &read,
                        "--json",
                    ]);
                    assert_eq!(ran.json()["rule"], "path:own-data", "{ran:?}");
                }
            }
        }
        assert_eq!(write(&shop, config, shop.path("mine.json").to_str().unwrap()).code, 0);
    }
}

#[test]
fn a_workspace_names_no_programs_beside_a_config_that_lies_in_it() {
    let shop = Shop::new();
    shop.write("team.toml", "");
    let mark = shop.root.join("started");
    shop.write("mcp.json", marks(&mark).to_string());
    for named in ["team.toml", shop.path("team.toml").to_str().unwrap()] {
        let ran = shop.run(&["--config", named, "servers"]);
        assert!(ran.stderr.contains("mcp.json is not read, since it lies in the workspace"), "{ran:?}");
        assert!(!mark.exists(), "{named}");
    }
    // Outside of it, the same entry is begun.
    let config = shop.root.join("cfg/team.toml");
    fs::create_dir(config.parent().unwrap()).unwrap();
    fs::write(&config, "").unwrap();
    fs::write(shop.root.join("cfg/mcp.json"), marks(&mark).to_string()).unwrap();
    let ran = shop.run(&["--config", config.to_str().unwrap(), "servers"]);
    assert!(mark.exists(), "{ran:?}");
}
