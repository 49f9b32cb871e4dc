//! Servers that come from elsewhere: another client's file, or the page. First what would be taken over, then the taking.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use deskhand_core::{GrantBook, Permission, arguments};
use deskhand_serve::mcp::client::{
    Link, ReadServers, ServerConfig, plain_json, read_servers, without_secrets,
};
use serde_json::{Map, Value, json};

use super::{file::Entries, grants};

/// What would be taken over.
pub struct Proposal {
    pub servers: Vec<Proposed>,
    /// What is not taken over, and why.
    pub left_out: Vec<String>,
    /// Where they would be written down.
    file: PathBuf,
    entries: Entries,
}

/// One server that would be taken over.
pub struct Proposed {
    pub name: String,
    pub config: ServerConfig,
    /// One of that name is there, and will be as this one says.
    pub replaces: bool,
    /// That one is reached in the very same way.
    same_link: bool,
    entry: Value,
}

/// What only the owner of this installation says, and no file from elsewhere.
const OURS_TO_SAY: [&str; 3] = ["permission", "shared", "tools"];
const LARGEST_FILE: u64 = 4 * 1024 * 1024;

/// What taking over the servers of this JSON would do; all that can be used.
pub fn propose(config_dir: &Path, text: &str) -> Result<Proposal> {
    let ReadServers { servers, errors, .. } = read_servers(text);
    let mut left_out: Vec<String> = errors.iter().map(ToString::to_string).collect();
    if servers.is_empty() {
        bail!("no server can be used: {}", left_out.join("; "));
    }
    let file = super::file(config_dir);
    let mut entries = Entries::read(&file)?;
    let given = Entries::of(&plain_json(text))?;
    let mut proposed = Vec::new();
    for (name, config) in servers {
        let Some(Value::Object(entry)) = given.servers.get(&name) else { continue };
        let mut entry = entry.clone();
        for key in OURS_TO_SAY {
            if entry.remove(key).is_some() {
                left_out.push(format!("{name}: `{key}` is yours to say, and was not taken over"));
            }
        }
        let old = entries.servers.get(&name);
        let same_link = old.is_some_and(|old| keep_rules(&mut entry, &config, old));
        let entry = Value::Object(entry);
        let replaces = entries.servers.insert(name.clone(), entry.clone()).is_some();
        proposed.push(Proposed { name, config, replaces, same_link, entry });
    }
    Ok(Proposal { servers: proposed, left_out, file, entries })
}

/// Puts what the owner says of a server into the entry that replaces its own. Where that is reached in another way, only
/// what asks more than usual: a yes was for the old one. Tells whether it is reached in the same way.
fn keep_rules(entry: &mut Map<String, Value>, config: &ServerConfig, old: &Value) -> bool {
    let Ok(before) = ServerConfig::read("", old) else { return false };
    if before.link == config.link {
        let kept = OURS_TO_SAY.iter().filter_map(|key| Some(((*key).to_owned(), old.get(key)?.clone())));
        entry.extend(kept);
        return true;
    }
    if before.permission == Permission::Sensitive {
        entry.insert("permission".to_owned(), json!(before.permission));
    }
    let tools: Map<String, Value> = before
        .tools
        .iter()
        .filter_map(|(name, tool)| match tool {
            tool if tool.hidden => Some((name.clone(), json!({"hidden": true}))),
            tool if tool.permission == Some(Permission::Sensitive) => {
                Some((name.clone(), json!({"permission": tool.permission})))
            }
            _ => None,
        })
        .collect();
    if !tools.is_empty() {
        entry.insert("tools".to_owned(), Value::Object(tools));
    }
    false
}

/// Takes the servers of another client's file over, all that can be.
pub fn import(config_dir: &Path, from: &Path, book: &dyn GrantBook) -> Result<Proposal> {
    let unreadable = || format!("cannot read {}", from.display());
    if fs::metadata(from).with_context(unreadable)?.len() > LARGEST_FILE {
        bail!("{} has more than {LARGEST_FILE} bytes", from.display());
    }
    let text = fs::read_to_string(from).with_context(unreadable)?;
    let proposal = propose(config_dir, &text)?;
    proposal.write(book)?;
    Ok(proposal)
}

impl Proposal {
    /// What a yes to this covers: exactly these entries, in these places.
    pub fn hash(&self) -> String {
        let all: Vec<Value> =
            self.servers.iter().map(|one| json!([one.name, one.replaces, one.entry])).collect();
        arguments::sha256(&Value::Array(all))
    }

    pub fn added(&self) -> Vec<&str> {
        self.servers.iter().filter(|one| !one.replaces).map(|one| one.name.as_str()).collect()
    }

    pub fn replaced(&self) -> Vec<&str> {
        self.servers.iter().filter(|one| one.replaces).map(|one| one.name.as_str()).collect()
    }

    /// Writes them down. A yes that was given for a server that was reached in another way ends first.
    pub fn write(&self, book: &dyn GrantBook) -> Result<()> {
        let names = self.entries.names();
        for one in self.servers.iter().filter(|one| !one.same_link) {
            grants::revoke(book, &one.name, &names)?;
        }
        self.entries.write(&self.file)
    }
}

impl Proposed {
    /// What will be started or asked, in words.
    pub fn starts(&self) -> String {
        match &self.config.link {
            Link::Stdio { command, args, .. } => {
                let args = without_secrets(args.clone());
                let words: Vec<&str> = std::iter::once(command).chain(&args).map(String::as_str).collect();
                format!("{}: starts {}", self.name, words.join(" "))
            }
            // There may be a secret in the rest of it.
            link @ Link::Http { url, .. } => {
                let variables = Vec::from_iter(link.variables());
                let sends = if variables.is_empty() {
                    String::new()
                } else {
                    format!(" and sends it the environment variables {}", variables.join(", "))
                };
                format!("{}: asks {}{sends}", self.name, host(url.reveal()))
            }
        }
    }
}

/// The host of an address, without what may be secret in it.
pub fn host(url: &str) -> &str {
    let host = url.split(['/', '?', '#']).nth(2).unwrap_or_default();
    host.rsplit('@').next().unwrap_or_default()
}
