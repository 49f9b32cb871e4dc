//! Servers that come from elsewhere: another client's file, or the page. First what would be taken over, then the taking.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use deskhand_core::arguments;
use deskhand_serve::mcp::client::{Link, ReadServers, ServerConfig, plain_json, read_servers};
use serde_json::{Value, json};

use super::file::Entries;

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
        let entry = Value::Object(entry);
        let replaces = entries.servers.insert(name.clone(), entry.clone()).is_some();
        proposed.push(Proposed { name, config, replaces, entry });
    }
    Ok(Proposal { servers: proposed, left_out, file, entries })
}

/// Takes the servers of another client's file over, all that can be.
pub fn import(config_dir: &Path, from: &Path) -> Result<Proposal> {
    let unreadable = || format!("cannot read {}", from.display());
    if fs::metadata(from).with_context(unreadable)?.len() > LARGEST_FILE {
        bail!("{} has more than {LARGEST_FILE} bytes", from.display());
    }
    let text = fs::read_to_string(from).with_context(unreadable)?;
    let proposal = propose(config_dir, &text)?;
    proposal.write()?;
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

    pub fn write(&self) -> Result<()> {
        self.entries.write(&self.file)
    }
}

impl Proposed {
    /// What will be started or asked, in words.
    pub fn starts(&self) -> String {
        match &self.config.link {
            Link::Stdio { command, args, .. } => {
                let words: Vec<&str> = std::iter::once(command).chain(args).map(String::as_str).collect();
                format!("{}: starts {}", self.name, words.join(" "))
            }
            // There may be a secret in the rest of it.
            Link::Http { url, .. } => format!("{}: asks {}", self.name, host(url.reveal())),
        }
    }
}

/// The host of an address, without what may be secret in it.
pub fn host(url: &str) -> &str {
    let host = url.split(['/', '?', '#']).nth(2).unwrap_or_default();
    host.rsplit('@').next().unwrap_or_default()
}
