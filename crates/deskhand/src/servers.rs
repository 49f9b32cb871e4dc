//! The other MCP servers: where they are written down, and how they are begun.
//!
//! `mcp.json` beside the config has them in the form that MCP clients share; the table `mcp.servers` of a config file
//! says the same in TOML. What comes later counts: `mcp.json`, the person's config, a workspace's that is trusted.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io, iter,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result, bail};
use deskhand_agent::provider::Keyring;
use deskhand_serve::mcp::client::{
    Link, ReadServers, ServerConfig, named_like, plain_json, read_servers,
    sign_in::{FileKeeper, Keeper, KeyringKeeper},
};
use serde_json::{Map, Value, json};

use crate::{private_file, settings::Settings};

/// The servers that are written down, and what is wrong with what is.
#[derive(Default)]
pub struct Configured {
    pub servers: BTreeMap<String, ServerConfig>,
    /// Of all that are written down, the wrong ones too.
    names: BTreeSet<String>,
    pub problems: Vec<String>,
}

/// Where servers are written down in the form that MCP clients share.
pub fn file(config_dir: &Path) -> PathBuf {
    config_dir.join("mcp.json")
}

/// Where the tokens of those who signed in are kept: the system's keyring, else files for their owner alone.
pub fn keeper(config_dir: &Path) -> Arc<dyn Keeper> {
    let files = FileKeeper::new(config_dir.join("mcp-tokens"));
    Arc::new(KeyringKeeper::new(Arc::new(Keyring::default()), files))
}

/// All servers. What is wrong in one file takes nothing from the others.
pub fn configured(settings: &Settings, config_dir: Option<&Path>) -> Configured {
    let mut all = Configured::default();
    if let Some(file) = config_dir.map(file) {
        match fs::read_to_string(&file) {
            Ok(text) => all.add(&file, &text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => all.problems.push(format!("{}: {error}", file.display())),
        }
    }
    for named in &settings.mcp_servers {
        all.add(&named.path, &json!({"mcpServers": named.servers}).to_string());
    }
    all
}

impl Configured {
    fn add(&mut self, file: &Path, text: &str) {
        let ReadServers { servers, names, errors } = read_servers(text);
        self.problems.extend(errors.iter().map(|error| format!("{}: {error}", file.display())));
        for (name, config) in servers {
            // Whoever came up first would have the tools, under the answers that were given for the other; also where
            // the other does not come up just now, since its entry is wrong.
            if let Some(other) = named_like(&name, &self.names) {
                let problem =
                    format!("{name} would have tools of the same names as {other}: rename one of them");
                self.problems.push(format!("{}: {problem}", file.display()));
                continue;
            }
            self.servers.insert(name, config);
        }
        self.names.extend(names);
    }
}

/// What came of an import.
#[derive(Default)]
pub struct Imported {
    pub added: Vec<String>,
    /// Those that were there, and are now as the file says.
    pub replaced: Vec<String>,
    /// What will be started or asked, for each of them.
    pub starts: Vec<String>,
    /// What was not taken over, and why.
    pub left_out: Vec<String>,
}

/// What is for whoever runs Deskhand to say, and not for a file from elsewhere.
const OURS_TO_SAY: [&str; 3] = ["permission", "shared", "tools"];
const LARGEST_FILE: u64 = 4 * 1024 * 1024;

/// Takes the servers of another client's file over, all that can be.
pub fn import(config_dir: &Path, from: &Path) -> Result<Imported> {
    let unreadable = || format!("cannot read {}", from.display());
    if fs::metadata(from).with_context(unreadable)?.len() > LARGEST_FILE {
        bail!("{} has more than {LARGEST_FILE} bytes", from.display());
    }
    let text = fs::read_to_string(from).with_context(unreadable)?;
    let ReadServers { servers, errors, .. } = read_servers(&text);
    let mut left_out: Vec<String> = errors.iter().map(ToString::to_string).collect();
    if servers.is_empty() {
        bail!("{} names no server that can be used\n{}", from.display(), left_out.join("\n"));
    }
    let file = file(config_dir);
    let mut ours = Ours::read(&file)?;
    let given = Ours::of(&plain_json(&text))?;
    let mut imported = Imported::default();
    for (name, config) in &servers {
        let Some(Value::Object(entry)) = given.servers.get(name) else { continue };
        let mut entry = entry.clone();
        for key in OURS_TO_SAY {
            if entry.remove(key).is_some() {
                left_out.push(format!("{name}: `{key}` is yours to say, and was not taken over"));
            }
        }
        let before = ours.servers.insert(name.clone(), Value::Object(entry));
        if before.is_some() { &mut imported.replaced } else { &mut imported.added }.push(name.clone());
        imported.starts.push(format!("{name}: {}", what_starts(config)));
    }
    ours.write(&file)?;
    Ok(Imported { left_out, ..imported })
}

fn what_starts(config: &ServerConfig) -> String {
    match &config.link {
        Link::Stdio { command, args, .. } => {
            format!("starts {}", iter::once(command).chain(args).cloned().collect::<Vec<_>>().join(" "))
        }
        // There may be a secret in the rest of it.
        Link::Http { url, .. } => {
            let host = url.reveal().split(['/', '?', '#']).nth(2).unwrap_or_default();
            format!("asks {}", host.rsplit('@').next().unwrap_or_default())
        }
    }
}

/// Takes one out of `mcp.json`.
pub fn remove(config_dir: &Path, name: &str) -> Result<()> {
    let file = file(config_dir);
    let mut ours = Ours::read(&file)?;
    if ours.servers.remove(name).is_none() {
        bail!("{} has no server {name}", file.display());
    }
    ours.write(&file)
}

/// A file of servers, with whatever else stands in it.
struct Ours {
    key: &'static str,
    whole: Map<String, Value>,
    servers: Map<String, Value>,
}

impl Ours {
    fn read(file: &Path) -> Result<Self> {
        match fs::read_to_string(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::of("{}"),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
            // It is written anew.
            Ok(text) if Self::of(&text).is_err() && Self::of(&plain_json(&text)).is_ok() => bail!(
                "{} has comments, which would be lost: take them out, or add the server by hand",
                file.display()
            ),
            Ok(text) => {
                Self::of(&text).with_context(|| format!("{} is wrong: mend it first", file.display()))
            }
        }
    }

    fn of(text: &str) -> Result<Self> {
        let mut whole: Map<String, Value> = serde_json::from_str(text.trim_start_matches('\u{feff}'))?;
        let key = ["mcpServers", "servers"].into_iter().find(|key| whole.contains_key(*key));
        let key = key.unwrap_or("mcpServers");
        let servers = match whole.remove(key) {
            None => Map::new(),
            Some(Value::Object(servers)) => servers,
            Some(_) => bail!("{key} is no object"),
        };
        Ok(Self { key, whole, servers })
    }

    /// There may be keys in it: only its owner may read it.
    fn write(mut self, file: &Path) -> Result<()> {
        self.whole.insert(self.key.to_owned(), Value::Object(self.servers));
        let text = serde_json::to_string_pretty(&self.whole)?;
        private_file::write(file, &format!("{text}\n"))
            .with_context(|| format!("cannot write {}", file.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_taken_over_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let theirs = folder.path().join("claude_desktop_config.json");
        let entry = json!({"command": "npx", "args": ["-y", "server"], "env": {"KEY": "s3cret"}, "autoApprove": ["x"]});
        fs::write(&theirs, json!({"mcpServers": {"forge": entry}, "theme": "dark"}).to_string()).unwrap();
        let config = folder.path().join("config");
        let imported = import(&config, &theirs).unwrap();
        assert_eq!((imported.added, imported.replaced), (vec!["forge".to_owned()], vec![]));
        let kept: Value = serde_json::from_str(&fs::read_to_string(file(&config)).unwrap()).unwrap();
        assert_eq!(kept, json!({"mcpServers": {"forge": entry}}));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(file(&config)).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert_eq!(import(&config, &theirs).unwrap().replaced, ["forge"]);
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
        assert_eq!(imported.added, ["a", "web"]);
        assert_eq!(imported.starts, ["a: starts sh -c x", "web: asks h.example"]);
        for said in ["`permission`", "`shared`", "`tools`", "mcpServers.old"] {
            assert!(
                imported.left_out.iter().any(|line| line.contains(said)),
                "{said}: {:?}",
                imported.left_out
            );
        }
        let kept: Value = serde_json::from_str(&fs::read_to_string(file(&config)).unwrap()).unwrap();
        let a = json!({"command": "sh", "args": ["-c", "x"]});
        assert_eq!(kept, json!({"inputs": [1], "mcpServers": {"a": a, "web": web}}));
    }

    #[test]
    fn two_servers_of_one_prefix_are_told_apart_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let entries = json!({"mcpServers": {"my server": {"command": "a"}, "bad": {"type": "sse", "url": "https://h"}}});
        fs::write(file(folder.path()), entries.to_string()).unwrap();
        let mut settings = Settings::default();
        settings.mcp_servers.push(crate::settings::McpServers {
            path: "config.toml".into(),
            servers: json!({"my_server": {"command": "b"}, "other": {"command": "c"}}),
        });
        let all = configured(&settings, Some(folder.path()));
        assert_eq!(all.servers.keys().collect::<Vec<_>>(), ["my server", "other"], "the good ones are kept");
        assert_eq!(all.problems.len(), 2, "{:?}", all.problems);
        assert!(
            all.problems[1].contains("my_server would have tools of the same names"),
            "{:?}",
            all.problems
        );
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
        assert_eq!(
            all.servers.keys().collect::<Vec<_>>(),
            ["same"],
            "what has the very name takes its place"
        );
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
        assert_eq!(import(&config, &theirs).unwrap().added, ["a"]);
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
}
