use serde_json::json;

use super::*;

fn read(entry: &Value) -> Result<ServerConfig, ConfigErrors> {
    ServerConfig::read("s", entry)
}

#[test]
fn the_entries_of_other_clients_are_read_as_they_are() {
    let text = json!({"mcpServers": {
        "filesystem": {"command": "npx", "args": ["-y", "server-filesystem", "/tmp"], "env": {"A": "b"}},
        "cline": {"command": "uvx", "args": ["x"], "disabled": true, "autoApprove": ["read"], "timeout": 60},
        "roo": {"command": "uvx", "alwaysAllow": [], "description": "d", "type": "stdio", "cwd": "/w"},
        "remote": {"type": "streamable-http", "url": "https://h/mcp", "headers": {"Authorization": "Bearer x"}},
        "bare": {"url": "https://h/mcp"},
    }});
    let servers = parse_servers(&text.to_string()).unwrap();
    assert_eq!(servers.len(), 5);
    let kinds: Vec<_> = servers.values().map(ServerConfig::kind).collect();
    assert_eq!(kinds, ["http", "stdio", "stdio", "http", "stdio"]);
    assert!(servers["cline"].disabled);
    assert!(servers["cline"].notes[0].contains("autoApprove"), "it is said that it is not trusted");
    assert_eq!(servers["cline"].permission, Permission::Moderate, "and it is not");
    assert!(servers["roo"].notes.is_empty(), "an empty list wants nothing");
    let vs_code = json!({"servers": {"a": {"type": "http", "url": "https://h"}}, "inputs": []});
    assert_eq!(parse_servers(&vs_code.to_string()).unwrap().len(), 1);
}

#[test]
fn our_own_settings_are_read() {
    let config = read(&json!({
        "command": "x", "permission": "sensitive", "timeout_s": 5, "shared": true, "protocol": "2025-06-18",
        "tools": {"look": {"permission": "public"}, "drop": {"hidden": true}},
    }))
    .unwrap();
    assert_eq!((config.permission, config.shared), (Permission::Sensitive, true));
    assert_eq!(config.timeout, Duration::from_secs(5));
    assert_eq!(config.tools["look"].permission, Some(Permission::Public));
    assert!(config.tools["drop"].hidden);
    let usual: ServerConfig = serde_json::from_value(json!({"command": "x"})).unwrap();
    assert_eq!((usual.permission, usual.shared, usual.timeout), (Permission::Moderate, false, USUAL_TIMEOUT));
}

#[test]
fn all_that_is_wrong_is_told_at_once_with_its_place() {
    let text = json!({"mcpServers": {
        "a": {"command": 7, "args": "x", "timeout_s": 0},
        "b": {"type": "sse", "url": "https://h/sse"},
        "c": {},
        "d": "x",
        "e": {"url": "https://h", "permission": "forbidden", "tools": {"t": {"permission": "forbidden"}}},
        "f": {"command": "x", "protocol": "1999-01-01"},
        "g": {"command": "x", "url": "https://h"},
        "same name": {"command": "x"},
        "same_name": {"command": "x"},
    }});
    let errors = parse_servers(&text.to_string()).unwrap_err();
    let places: Vec<_> = errors.0.iter().map(|error| error.place.as_str()).collect();
    for place in [
        "mcpServers.a.command",
        "mcpServers.a.timeout_s",
        "mcpServers.b.type",
        "mcpServers.c.url",
        "mcpServers.d",
        "mcpServers.e.permission",
        "mcpServers.e.tools.t",
        "mcpServers.f.protocol",
        "mcpServers.g.command",
        "mcpServers.same_name",
    ] {
        assert!(places.contains(&place), "{place} is not in {places:?}");
    }
    assert!(errors.to_string().contains("streamable HTTP"), "{errors}");
    assert_eq!(parse_servers("{").unwrap_err().0.len(), 1);
    assert!(parse_servers("{}").unwrap_err().to_string().contains("mcpServers"));
}

#[test]
fn secrets_are_in_no_words_about_a_server() {
    let config = read(&json!({"command": "x", "env": {"TOKEN": "hunter2-hunter2"}})).unwrap();
    let http = read(&json!({"url": "https://h/?key=hunter2-hunter2", "headers": {"X": "hunter2-hunter2"}}));
    let wrong = read(&json!({"command": ["hunter2-hunter2"], "env": {"TOKEN": ["hunter2-hunter2"]}}));
    let said = format!("{config:?} {http:?} {wrong:?} {}", wrong.as_ref().unwrap_err());
    assert!(said.contains("TOKEN") && !said.contains("hunter2"), "{said}");
}

#[test]
fn variables_that_are_no_texts_are_taken_as_what_was_written() {
    let env = json!({"TEXT": "a", "PORT": 8080, "LOW": -1, "ON": true});
    let Link::Stdio { env, .. } = read(&json!({"command": "x", "env": env})).unwrap().link else { panic!() };
    let env: Vec<(&str, &str)> = env.iter().map(|(name, text)| (name.as_str(), text.reveal())).collect();
    assert_eq!(env, [("LOW", "-1"), ("ON", "true"), ("PORT", "8080"), ("TEXT", "a")]);
    for unclear in [json!(1.10), json!(null), json!(["a"]), json!({})] {
        let errors = read(&json!({"command": "x", "env": {"A": unclear}})).unwrap_err();
        assert_eq!(errors.0[0].place, "s.env.A");
        assert!(errors.0[0].problem.contains("in quotes"), "{errors}");
    }
}

#[test]
fn comments_are_read_over_and_errors_name_their_line() {
    let text = "{ // mine\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\", /* no */ },\n  },\n}";
    assert_eq!(parse_servers(text).unwrap().len(), 1);
    let errors = parse_servers("{ // mine\n  \"mcpServers\": {,}\n}").unwrap_err();
    assert_eq!(errors.0[0].place, "line 2, column 18");
}

#[test]
fn an_entry_that_is_wrong_keeps_its_name_to_itself() {
    let read = read_servers(r#"{"mcpServers": {"my server": {"args": 5}, "my_server": {"command": "x"}}}"#);
    assert!(read.servers.is_empty(), "{read:?}");
    let told: Vec<String> = read.errors.iter().map(ToString::to_string).collect();
    assert!(told.iter().any(|line| line.contains("the same names as those of my server")), "{told:?}");
}
