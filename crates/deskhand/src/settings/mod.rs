//! Settings: what can be set, from which layers it comes, and what they come to.
//!
//! Layers, each over the one before: the defaults, the person's config file, the workspace's config file (which
//! came with the folder: it may only tighten until the person trusts its content), `DESKHAND_*`, flags.

mod browsing;
mod commands;
mod conversation;
mod edit;
mod known;
mod layers;
mod network;
mod serving;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result};
use deskhand_core::{GateSettings, Mode, ToolSettings};
#[cfg(unix)]
use deskhand_guard::sandbox::{Kind, Limits, Wanted};
use deskhand_store::StoreOptions;
use serde::Serialize;
use serde_json::Value;

pub use self::{
    edit::{Unchanged, change},
    layers::{Load, load, unknown_tool, value_of},
};

/// Every setting with its value and where it comes from.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    values: BTreeMap<String, Setting>,
    /// What was not taken over, and why.
    pub ignored: Vec<Ignored>,
    /// Problems that do not keep the program from working.
    pub warnings: Vec<String>,
    /// The workspace's own config, where it has one.
    pub workspace_file: Option<WorkspaceFile>,
    /// The tables `mcp.servers`, in the order of the layers. Not shown: there may be secrets in them.
    pub mcp_servers: Vec<McpServers>,
}

/// The MCP servers that one file names.
#[derive(Clone)]
pub struct McpServers {
    pub path: PathBuf,
    /// In the form of the common `mcpServers`.
    pub servers: Value,
}

impl std::fmt::Debug for McpServers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McpServers").field("path", &self.path).finish_non_exhaustive()
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct Setting {
    pub value: Value,
    pub source: Source,
    pub about: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "from")]
pub enum Source {
    Default,
    File { path: PathBuf },
    Workspace { path: PathBuf },
    Environment { variable: String },
    Flag { flag: &'static str },
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path } | Self::Workspace { path } => write!(f, "{}", path.display()),
            Self::Environment { variable } => f.write_str(variable),
            Self::Flag { flag } => f.write_str(flag),
        }
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct Ignored {
    pub key: String,
    pub value: Value,
    pub why: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct WorkspaceFile {
    pub path: PathBuf,
    pub sha256: String,
    pub trusted: bool,
}

/// What is shown in the place of a value that may be a secret.
const NOT_SHOWN: &str = "(set, not shown)";

/// A value as anybody may see it.
pub fn shown(key: &str, value: &Value) -> Value {
    if conversation::is_private(key) { NOT_SHOWN.into() } else { value.clone() }
}

impl Settings {
    /// The same for showing: values that may be secrets are not in it.
    pub fn without_secrets(&self) -> Self {
        let mut safe = self.clone();
        for (key, setting) in &mut safe.values {
            setting.value = shown(key, &setting.value);
        }
        for ignored in &mut safe.ignored {
            ignored.value = shown(&ignored.key, &ignored.value);
        }
        safe
    }

    pub fn all(&self) -> &BTreeMap<String, Setting> {
        &self.values
    }

    /// What a setting is where nobody sets it.
    pub fn default_of(key: &str) -> Value {
        layers::known(key).map_or(Value::Null, |known| (known.default)())
    }

    fn value(&self, key: &str) -> &Value {
        self.values.get(key).map_or(&Value::Null, |setting| &setting.value)
    }

    pub fn mode(&self) -> Result<Mode> {
        let text = self.value("mode").as_str().unwrap_or_default();
        text.parse().map_err(anyhow::Error::msg).context("the setting `mode`")
    }

    /// Whether the mode was set where the program was started, or by the folder: not by the person's own file.
    pub fn mode_is_fixed(&self) -> bool {
        let source = self.values.get("mode").map(|setting| &setting.source);
        !matches!(source, None | Some(Source::Default | Source::File { .. }))
    }

    pub fn language(&self) -> &str {
        self.value("language").as_str().unwrap_or("auto")
    }

    pub fn restrict_to_workspace(&self) -> bool {
        self.value("restrict_to_workspace").as_bool().unwrap_or(false)
    }

    /// Further folders that are read without a question. Without a home, those in it are left out.
    pub fn read_only_roots(&self, home: Option<&Path>) -> Vec<PathBuf> {
        let folders = known::folders(self.value("read_only_roots")).unwrap_or_default();
        let whole = |folder: &str| match folder.strip_prefix("~/") {
            Some(inside) => home.map(|home| home.join(inside)),
            None => Some(PathBuf::from(folder)),
        };
        folders.into_iter().filter_map(whole).collect()
    }

    /// Which confinement is wanted, and how much a confined program may use.
    #[cfg(unix)]
    pub fn sandbox(&self) -> (Wanted, Limits) {
        const MIB: u64 = 1 << 20;
        let wanted = match self.value("sandbox.kind").as_str() {
            Some("namespaces") => Wanted::Only(Kind::Namespaces),
            Some("landlock") => Wanted::Only(Kind::Landlock),
            _ => Wanted::Auto,
        };
        let usual = Limits::default();
        let number = |key, usual| self.value(key).as_u64().unwrap_or(usual);
        let limits = Limits {
            memory_bytes: number("sandbox.memory_mb", usual.memory_bytes / MIB).saturating_mul(MIB),
            processes: number("sandbox.processes", usual.processes),
            file_bytes: number("sandbox.file_size_mb", usual.file_bytes / MIB).saturating_mul(MIB),
            cpu_seconds: number("sandbox.cpu_s", usual.cpu_seconds),
        };
        (wanted, limits)
    }

    /// How much a command may write on its layer.
    #[cfg(unix)]
    pub fn most_layer_bytes(&self) -> u64 {
        self.mebibytes("sandbox.layer_mb")
    }

    /// How much git-ignored output of one command the undo journal takes.
    #[cfg(unix)]
    pub fn journal_budget(&self) -> u64 {
        self.mebibytes("undo.ignored_mb")
    }

    #[cfg(unix)]
    fn mebibytes(&self, key: &str) -> u64 {
        self.value(key).as_u64().unwrap_or_default().saturating_mul(1 << 20)
    }

    pub fn gate(&self) -> GateSettings {
        let number = |key| self.value(key).as_u64().unwrap_or(0);
        let mut tools: std::collections::HashMap<String, ToolSettings> = std::collections::HashMap::new();
        for (key, setting) in &self.values {
            let Some((tool, flag)) = known::tool_key(key) else { continue };
            let entry = tools.entry(tool.to_owned()).or_default();
            let value = setting.value.as_bool();
            match flag {
                known::EXECUTION => entry.requires_execution_approval = value,
                _ => entry.requires_result_approval = value,
            }
        }
        GateSettings {
            approval_timeout: Duration::from_secs(number("approval_timeout_s")),
            max_output_chars: usize::try_from(number("max_output_chars")).unwrap_or(usize::MAX),
            tools,
        }
    }

    #[cfg(unix)]
    pub fn shell(&self) -> deskhand_tools::shell::ShellLists {
        let list = |key| known::list(self.value(key));
        deskhand_tools::shell::ShellLists {
            allow_only: list("shell.allow_only"),
            allow: list("shell.allow"),
            deny: list("shell.deny"),
        }
    }

    /// The model that is wanted, where one is.
    pub fn model(&self) -> Option<&str> {
        self.value("model").as_str().filter(|name| !name.is_empty())
    }

    pub fn fallback_model(&self) -> Option<&str> {
        self.value("fallback_model").as_str().filter(|name| !name.is_empty())
    }

    /// The model that was named for this run, by a flag or a variable: it counts more than what a session remembers.
    pub fn named_model(&self) -> Option<String> {
        let setting = self.values.get("model")?;
        let named = matches!(setting.source, Source::Flag { .. } | Source::Environment { .. });
        setting.value.as_str().filter(|name| named && !name.is_empty()).map(str::to_owned)
    }

    /// How far a turn may go by itself.
    pub fn chain(&self) -> deskhand_agent::chain::guards::ToolChainOptions {
        let number = |key: &str| self.value(key).as_u64();
        let count = |key: &str, usual| number(key).map_or(usual, |n| u32::try_from(n).unwrap_or(u32::MAX));
        let usual = deskhand_agent::chain::guards::ToolChainOptions::default();
        deskhand_agent::chain::guards::ToolChainOptions {
            max_rounds: count("chain.max_rounds", usual.max_rounds),
            max_calls: count("chain.max_calls", usual.max_calls),
            max_tokens: number("chain.max_tokens").filter(|n| *n > 0),
            max_time_s: number("chain.max_time_s").filter(|n| *n > 0),
            max_cost: self.value("chain.max_cost").as_f64().filter(|n| *n > 0.0),
            check_results: self.value("chain.check_results").as_bool().unwrap_or(false),
            ..usual
        }
    }

    pub fn instructions(&self) -> Option<String> {
        self.value("instructions").as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    }

    /// What is set for one provider: its fields, and those of its tables as objects.
    pub fn provider(&self, name: &str) -> serde_json::Map<String, Value> {
        let mut fields = serde_json::Map::new();
        for (key, setting) in &self.values {
            let Some((provider, rest)) = conversation::provider_key(key) else { continue };
            if provider != name {
                continue;
            }
            match rest.split_once('.') {
                None => {
                    fields.insert(rest.to_owned(), setting.value.clone());
                }
                Some((table, field)) => {
                    let table = fields.entry(table).or_insert_with(|| Value::Object(serde_json::Map::new()));
                    table[field] = setting.value.clone();
                }
            }
        }
        fields
    }

    pub fn store(&self) -> StoreOptions {
        const DAY: u64 = 24 * 60 * 60;
        StoreOptions {
            audit_enabled: self.value("audit.enabled").as_bool().unwrap_or(true),
            undo_max_bytes: self.value("undo.max_bytes").as_u64().unwrap_or(u64::MAX),
            undo_max_age: Duration::from_secs(
                self.value("undo.max_age_days").as_u64().unwrap_or(0).saturating_mul(DAY),
            ),
            ..StoreOptions::default()
        }
    }
}
