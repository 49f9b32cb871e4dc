//! Servers taken over, taken out, and read from several files.

use std::fs;

use deskhand_store::{Store, StoreOptions};
use serde_json::Value;

use super::*;
use crate::private_file;

/// With a book of grants that is empty.
fn take_over(config_dir: &Path, from: &Path) -> anyhow::Result<Proposal> {
    let data = tempfile::tempdir().unwrap();
    let store = Store::open(data.path(), &StoreOptions::default()).unwrap();
    import(config_dir, from, store.grants().as_ref())
}

fn take_out(config_dir: &Path, name: &str) -> anyhow::Result<()> {
    let data = tempfile::tempdir().unwrap();
    let store = Store::open(data.path(), &StoreOptions::default()).unwrap();
    remove(config_dir, name, store.grants().as_ref())
}

#[test]
fn servers_are_taken_over_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let theirs = folder.path().join("claude_desktop_config.json");
    let entry =
        json!({"command": "npx", "args": ["-y", "server"], "env": {"KEY": "s3cret"}, "autoApprove": ["x"]});
    fs::write(&theirs, json!({"mcpServers": {"forge": entry}, "theme": "dark"}).to_string()).unwrap();
    let config = folder.path().join("config");
    let imported = take_over(&config, &theirs).unwrap();
    assert_eq!((imported.added(), imported.replaced()), (vec!["forge"], vec![]));
    let kept: Value = serde_json::from_str(&fs::read_to_string(file(&config)).unwrap()).unwrap();
    assert_eq!(kept, json!({"mcpServers": {"forge": entry}}));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(file(&config)).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(take_over(&config, &theirs).unwrap().replaced(), ["forge"]);
    let all = configured(&Settings::default(), Some(&config));
    assert_eq!((all.servers.len(), all.problems.len()), (1, 0));

    take_out(&config, "forge").unwrap();
    assert!(take_out(&config, "forge").is_err());
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
    let imported = take_over(&config, &theirs).unwrap();
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
    assert_eq!(take_over(&config, &theirs).unwrap().added(), ["a"]);
    fs::write(file(&config), with_comments).unwrap();
    assert_eq!(configured(&Settings::default(), Some(&config)).servers.len(), 1);
    let refused = take_over(&config, &theirs).err().unwrap().to_string();
    assert!(refused.contains("comments"), "{refused}");
    assert!(take_out(&config, "a").is_err());
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
    assert!(take_over(folder.path(), &wrong).is_err());
    assert!(take_over(folder.path(), &folder.path().join("none.json")).is_err());
}

#[test]
fn what_the_owner_says_of_a_server_survives_an_import() {
    let folder = tempfile::tempdir().unwrap();
    let theirs = folder.path().join("theirs.json");
    let config = folder.path().join("config");
    let tools = json!({
        "a": {"hidden": true}, "b": {"permission": "sensitive"}, "c": {"permission": "public"}, "d": {"permission": "moderate"},
    });
    let old =
        |permission: &str| json!({"command": "x", "permission": permission, "shared": true, "tools": tools});
    let strict = json!({"a": {"hidden": true}, "b": {"permission": "sensitive"}});
    let given = |command: &str| json!({"command": command, "env": {}, "permission": "public"});
    for (old, given, kept) in [
        // The same server: all of it.
        (old("public"), given("x"), json!({"permission": "public", "shared": true, "tools": tools})),
        // Another one: only what asks more.
        (old("public"), given("y"), json!({"tools": strict})),
        (old("sensitive"), given("y"), json!({"permission": "sensitive", "tools": strict})),
        (json!({"command": "x"}), given("y"), json!({})),
        (json!({"args": 5, "permission": "public"}), given("y"), json!({})),
    ] {
        private_file::write(&file(&config), &json!({"mcpServers": {"a": old}}).to_string()).unwrap();
        fs::write(&theirs, json!({"mcpServers": {"a": given}}).to_string()).unwrap();
        take_over(&config, &theirs).unwrap();
        let written: Value = serde_json::from_str(&fs::read_to_string(file(&config)).unwrap()).unwrap();
        let mut expected = json!({"command": given["command"], "env": {}});
        expected.as_object_mut().unwrap().extend(kept.as_object().unwrap().clone());
        assert_eq!(written["mcpServers"]["a"], expected, "{old} {given}");
    }
}

#[test]
fn import_names_the_variables_that_leave_and_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let theirs = folder.path().join("theirs.json");
    let web = json!({"url": "https://h.example/mcp", "headers": {"X": "${B_KEY} ${A_KEY}"}});
    let keyed = json!({"command": "x", "args": ["--api-key", "opensesame123"]});
    fs::write(&theirs, json!({"mcpServers": {"keyed": keyed, "web": web}}).to_string()).unwrap();
    let imported = take_over(&folder.path().join("config"), &theirs).unwrap();
    let starts: Vec<String> = imported.servers.iter().map(Proposed::starts).collect();
    assert_eq!(starts[0], "keyed: starts x --api-key ⟦masked:mcp-secret⟧");
    assert_eq!(starts[1], "web: asks h.example and sends it the environment variables A_KEY, B_KEY");
}
