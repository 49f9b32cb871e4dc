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

#[test]
fn what_is_wrong_with_one_server_is_shown_beside_the_others() {
    let shop = Shop::new();
    let config = shop.root.join("home/.config/deskhand");
    fs::create_dir_all(&config).unwrap();
    let entries = json!({"mcpServers": {
        "good": {"command": "true", "disabled": true}, "old": {"type": "sse", "url": "https://h/sse"},
    }});
    fs::write(config.join("mcp.json"), entries.to_string()).unwrap();
    let ran = shop.run(&["servers"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("good") && ran.stdout.contains("mcpServers.old.type"), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn who_ends_a_command_that_waits_for_servers_ends_them_too() {
    use std::{process::Stdio, thread::sleep, time::Duration};
    let shop = Shop::new();
    let config = shop.root.join("home/.config/deskhand");
    fs::create_dir_all(&config).unwrap();
    for arguments in
        [&["servers"][..], &["call", "mcp_s_x", "{}"], &["explain", "mcp_s_x", "{}"], &["tools", "mcp_s_x"]]
    {
        let number = shop.root.join("number");
        let _ = fs::remove_file(&number);
        let script = format!("echo $$ > {0}.part; mv {0}.part {0}; exec sleep 300", number.display());
        let entries = json!({"mcpServers": {"s": {"command": "sh", "args": ["-c", script]}}});
        fs::write(config.join("mcp.json"), entries.to_string()).unwrap();
        let mut running =
            shop.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while !number.exists() {
            assert!(running.try_wait().unwrap().is_none(), "{arguments:?} ended by itself");
            sleep(Duration::from_millis(20));
        }
        let kill = |what: &str, id: &str| {
            std::process::Command::new("kill").args([what, id]).output().unwrap().status
        };
        assert!(kill("-TERM", &running.id().to_string()).success());
        assert_eq!(running.wait().unwrap().code(), Some(4), "{arguments:?}");
        let number = fs::read_to_string(&number).unwrap();
        assert!(!kill("-0", number.trim()).success(), "{arguments:?} left its server behind");
    }
}
