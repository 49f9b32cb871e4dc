//! The other MCP servers: where they are written down, and how they are begun.
//!
//! `mcp.json` beside the config has them in the form that MCP clients share; the table `mcp.servers` of a config file
//! says the same in TOML. What comes later counts: `mcp.json`, the person's config, a workspace's that is trusted.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result, bail};
use deskhand_agent::provider::Keyring;
use deskhand_serve::mcp::client::{
    ServerConfig, parse_servers,
    sign_in::{FileKeeper, Keeper, KeyringKeeper},
};
use serde_json::{Map, Value, json};

use crate::{private_file, settings::Settings};

/// The servers that are written down, and what is wrong with what is.
#[derive(Default)]
pub struct Configured {
    pub servers: BTreeMap<String, ServerConfig>,
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
        match parse_servers(text) {
            Ok(servers) => self.servers.extend(servers),
            Err(errors) => {
                self.problems.extend(errors.0.iter().map(|error| format!("{}: {error}", file.display())));
            }
        }
    }
}

/// What came of an import.
pub struct Imported {
    pub added: Vec<String>,
    /// Those that were there, and are now as the file says.
    pub replaced: Vec<String>,
}

/// Takes the servers of another client's file over as they are.
pub fn import(config_dir: &Path, from: &Path) -> Result<Imported> {
    let text = fs::read_to_string(from).with_context(|| format!("cannot read {}", from.display()))?;
    parse_servers(&text).with_context(|| format!("{}", from.display()))?;
    let given: Value = serde_json::from_str(&text)?;
    let given = ["mcpServers", "servers"].iter().find_map(|key| given.get(key)?.as_object());
    let given = given.context("it names no servers")?;
    let file = file(config_dir);
    let mut ours = read_ours(&file)?;
    let (mut added, mut replaced) = (Vec::new(), Vec::new());
    for (name, server) in given {
        let before = ours.insert(name.clone(), server.clone());
        if before.is_some() { &mut replaced } else { &mut added }.push(name.clone());
    }
    write_ours(&file, &ours)?;
    Ok(Imported { added, replaced })
}

/// Takes one out of `mcp.json`.
pub fn remove(config_dir: &Path, name: &str) -> Result<()> {
    let file = file(config_dir);
    let mut ours = read_ours(&file)?;
    if ours.remove(name).is_none() {
        bail!("{} has no server {name}", file.display());
    }
    write_ours(&file, &ours)
}

fn read_ours(file: &Path) -> Result<Map<String, Value>> {
    match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Map::new()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
        Ok(text) => {
            parse_servers(&text).with_context(|| format!("{} is wrong: mend it first", file.display()))?;
            let value: Value = serde_json::from_str(&text)?;
            let servers = ["mcpServers", "servers"].iter().find_map(|key| value.get(key)?.as_object());
            Ok(servers.cloned().unwrap_or_default())
        }
    }
}

/// There may be keys in it: only its owner may read it.
fn write_ours(file: &Path, servers: &Map<String, Value>) -> Result<()> {
    let text = serde_json::to_string_pretty(&json!({"mcpServers": servers}))?;
    private_file::write(file, &format!("{text}\n"))
        .with_context(|| format!("cannot write {}", file.display()))
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
