//! The other MCP servers: where they are written down, and how they are begun.
//!
//! `mcp.json` beside the config has them in the form that MCP clients share; the table `mcp.servers` of a config file
//! says the same in TOML. What comes later counts: `mcp.json`, the person's config, a workspace's that is trusted.

mod file;
mod grants;
mod import;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use deskhand_agent::provider::Keyring;
use deskhand_serve::mcp::client::{
    ReadServers, ServerConfig, named_like, read_servers,
    sign_in::{FileKeeper, Keeper, KeyringKeeper},
};
use serde_json::json;

pub use self::{
    file::{Change, remove},
    import::{Proposal, Proposed, host, import, propose},
};
use crate::settings::Settings;

/// The servers that are written down, and what is wrong with what is.
#[derive(Default)]
pub struct Configured {
    pub servers: BTreeMap<String, ServerConfig>,
    /// Where each of them is written down.
    pub files: BTreeMap<String, PathBuf>,
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
            self.files.insert(name.clone(), file.to_path_buf());
            self.servers.insert(name, config);
        }
        self.names.extend(names);
    }
}

#[cfg(test)]
mod tests;
