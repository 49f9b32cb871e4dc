//! `mcp.json` beside the config: read and written whole, with whatever else stands in it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use deskhand_core::GrantBook;
use deskhand_serve::{
    http::{ServerChange, ToolRule},
    mcp::client::{ServerConfig, plain_json},
};
use serde_json::{Map, Value, json};

use super::grants;
use crate::private_file;

/// A file of servers, with whatever else stands in it.
pub struct Entries {
    key: &'static str,
    whole: Map<String, Value>,
    pub servers: Map<String, Value>,
}

impl Entries {
    pub fn read(file: &Path) -> Result<Self> {
        match fs::read_to_string(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::of("{}"),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
            // Writing it would lose them.
            Ok(text) if Self::of(&text).is_err() && Self::of(&plain_json(&text)).is_ok() => bail!(
                "{} has comments, which would be lost: take them out, or change the file by hand",
                file.display()
            ),
            Ok(text) => Self::of(&text).with_context(|| format!("{} is wrong: fix it first", file.display())),
        }
    }

    pub fn of(text: &str) -> Result<Self> {
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

    pub fn names(&self) -> Vec<String> {
        self.servers.keys().cloned().collect()
    }

    /// There may be keys in it: only its owner may read it.
    pub fn write(&self, file: &Path) -> Result<()> {
        let mut whole = self.whole.clone();
        whole.insert(self.key.to_owned(), Value::Object(self.servers.clone()));
        let text = serde_json::to_string_pretty(&whole)?;
        private_file::write(file, &format!("{text}\n"))
            .with_context(|| format!("cannot write {}", file.display()))
    }
}

/// Takes one out of `mcp.json`, and the yeses that were given for its tools with it.
pub fn remove(config_dir: &Path, name: &str, book: &dyn GrantBook) -> Result<()> {
    let file = super::file(config_dir);
    let mut entries = Entries::read(&file)?;
    if entries.servers.remove(name).is_none() {
        bail!("{} has no server {name}", file.display());
    }
    grants::revoke(book, name, &entries.names())?;
    entries.write(&file)
}

/// A change of what `mcp.json` says of one: whether it is started, and what its tools need.
pub struct Change {
    pub before: ServerConfig,
    pub after: ServerConfig,
    file: PathBuf,
    entries: Entries,
}

impl Change {
    pub fn new(config_dir: &Path, name: &str, change: &ServerChange) -> Result<Self> {
        let file = super::file(config_dir);
        let mut entries = Entries::read(&file)?;
        let Some(Value::Object(entry)) = entries.servers.get_mut(name) else {
            bail!("{} has no server {name}", file.display());
        };
        let before = ServerConfig::read(name, &Value::Object(entry.clone()))?;
        change_entry(name, entry, change)?;
        let after = ServerConfig::read(name, &Value::Object(entry.clone()))?;
        Ok(Self { before, after, file, entries })
    }

    pub fn write(&self) -> Result<()> {
        self.entries.write(&self.file)
    }
}

fn change_entry(name: &str, entry: &mut Map<String, Value>, change: &ServerChange) -> Result<()> {
    if let Some(disabled) = change.disabled {
        // Another client's word for the same.
        entry.remove("enabled");
        if disabled {
            entry.insert("disabled".to_owned(), Value::Bool(true));
        } else {
            entry.remove("disabled");
        }
    }
    if let Some(permission) = change.permission {
        entry.insert("permission".to_owned(), json!(permission));
    }
    if !change.tools.is_empty() {
        let tools = entry.entry("tools").or_insert_with(|| json!({}));
        let Value::Object(tools) = tools else { bail!("{name}: `tools` is no object") };
        for (tool, rule) in &change.tools {
            match rule {
                None => tools.remove(tool),
                Some(ToolRule::Hidden) => tools.insert(tool.clone(), json!({"hidden": true})),
                Some(rule) => tools.insert(tool.clone(), json!({"permission": rule})),
            };
        }
        if tools.is_empty() {
            entry.remove("tools");
        }
    }
    Ok(())
}
