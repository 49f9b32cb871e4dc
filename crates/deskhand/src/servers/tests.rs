//! Servers taken over, taken out, and read from several files.

use std::fs;

use serde_json::Value;

use super::*;
use crate::private_file;

#[test]
fn servers_are_taken_over_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let theirs = folder.path().join("claude_desktop_config.json");
    let entry =
        json!({"command": "npx", "args": ["-y", "server"], "env": {"KEY": "s3cret"}, "autoApprove": ["x"]});
    fs::write(&theirs, json!({"mcpServers": {"forge": entry}, "theme": "dark"}).to_string()).unwrap();
    let config = folder.path().join("config");
    let imported = import(&config, &theirs).unwrap();
    assert_eq!((imported.added(), imported.replaced()), (vec!["forge"], vec![]));
    let kept: Value = serde_json::from_str(&fs::read_to_string(file(&config)).unwrap()).unwrap();
    assert_eq!(kept, json!({"mcpServers": {"forge": entry}}));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(file(&config)).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(import(&config, &theirs).unwrap().replaced(), ["forge"]);
    let all = configured(&Settings::default(), Some(&config));
    assert_eq!((all.servers.len(), all.problems.len()), (1, 0));

    remove(&config, "forge").unwrap();
    assert!(remove(&config, "forge").is_err());
    assert!(configured(&Settings::default(), Some(&config)).servers.is_empty());
}

#[test]
fn a_foreign_file_says_nothing_of_what_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let theirs = folder.path().join("theirs.json");
    let entry = json!({
        "command": "sh", "args": ["-c", "x"], "permission": "public", "shared": true,
        "tools": {"t": {"permission": "public"}},
    });
    let old = json!({"type": "sse", "url": "https://h/sse"});
    let web = json!({"url": "https://u:hunter2@h.example/mcp/hunter2?key=hunter2"});
    fs::write(&theirs, json!({"mcpServers": {"a": entry, "old": old, "web": web}}).to_string()).unwrap();
    let config = folder.path().join("config");
    private_file::write(&file(&config), r#"{"inputs": [1], "mcpServers": {}}"#).unwrap();
    let imported = import(&config, &theirs).unwrap();
    assert_eq!(imported.added(), ["a", "web"]);
    let starts: Vec<String> = imported.servers.iter().map(Proposed::starts).collect();
    assert_eq!(starts, ["a: starts sh -c x", "web: asks h.example"]);
    for said in ["`permission`", "`shared`", "`tools`", "mcpServers.old"] {
        assert!(imported.left_out.iter().any(|line| line.contains(said)), "{said}: {:?}", imported.left_out);
    }
    let kept: Value = serde_json::from_str(&fs::read_to_string(file(&config)).unwrap()).unwrap();
    let a = json!({"command": "sh", "args": ["-c", "x"]});
    assert_eq!(kept, json!({"inputs": [1], "mcpServers": {"a": a, "web": web}}));
}

#[test]
fn two_servers_of_one_prefix_are_told_apart_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let entries =
        json!({"mcpServers": {"my server": {"command": "a"}, "bad": {"type": "sse", "url": "https://h"}}});
    fs::write(file(folder.path()), entries.to_string()).unwrap();
    let mut settings = Settings::default();
    settings.mcp_servers.push(crate::settings::McpServers {
        path: "config.toml".into(),
        servers: json!({"my_server": {"command": "b"}, "other": {"command": "c"}}),
    });
    let all = configured(&settings, Some(folder.path()));
    assert_eq!(all.servers.keys().collect::<Vec<_>>(), ["my server", "other"], "the good ones are kept");
    assert_eq!(all.problems.len(), 2, "{:?}", all.problems);
    assert!(all.problems[1].contains("my_server would have tools of the same names"), "{:?}", all.problems);
}

#[test]
fn an_entry_that_is_wrong_keeps_its_prefix_from_later_files() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(file(folder.path()), r#"{"mcpServers": {"my server": {"args": 5}, "same": {}}}"#).unwrap();
    let mut settings = Settings::default();
    settings.mcp_servers.push(crate::settings::McpServers {
        path: "config.toml".into(),
        servers: json!({"my_server": {"command": "b"}, "same": {"command": "c"}}),
    });
    let all = configured(&settings, Some(folder.path()));
    assert_eq!(all.servers.keys().collect::<Vec<_>>(), ["same"], "what has the very name takes its place");
    assert!(
        all.problems.iter().any(|line| line.contains("the same names as my server")),
        "{:?}",
        all.problems
    );
}

#[test]
fn comments_are_read_and_not_lost_by_writing() {
    let folder = tempfile::tempdir().unwrap();
    let theirs = folder.path().join("theirs.json");
    let with_comments = "{\"mcpServers\": {\"a\": {\"command\": \"x\"}, /* mine */ }}";
    fs::write(&theirs, with_comments).unwrap();
    let config = folder.path().join("config");
    assert_eq!(import(&config, &theirs).unwrap().added(), ["a"]);
    fs::write(file(&config), with_comments).unwrap();
    assert_eq!(configured(&Settings::default(), Some(&config)).servers.len(), 1);
    let refused = import(&config, &theirs).err().unwrap().to_string();
    assert!(refused.contains("comments"), "{refused}");
    assert!(remove(&config, "a").is_err());
    assert_eq!(fs::read_to_string(file(&config)).unwrap(), with_comments);
}

#[test]
fn what_is_wrong_in_one_file_takes_nothing_from_the_others() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(file(folder.path()), r#"{"mcpServers": {"a": {"args": 5}}}"#).unwrap();
    let mut settings = Settings::default();
    settings.mcp_servers.push(crate::settings::McpServers {
        path: "config.toml".into(),
        servers: json!({"b": {"command": "b"}}),
    });
    let all = configured(&settings, Some(folder.path()));
    assert_eq!(all.servers.keys().collect::<Vec<_>>(), ["b"]);
    assert!(!all.problems.is_empty() && all.problems[0].contains("mcp.json"), "{:?}", all.problems);
    let wrong = folder.path().join("wrong.json");
    fs::write(&wrong, "{}").unwrap();
    assert!(import(folder.path(), &wrong).is_err());
    assert!(import(folder.path(), &folder.path().join("none.json")).is_err());
}
