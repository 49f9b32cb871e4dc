//! Grants: answers that are remembered, and what they cover.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    arguments,
    error::StoreResult,
    pattern::CommandPattern,
    plan::{Plan, Undoable},
    time::Time,
};

/// Stands in a grant for every tool.
pub const ANY_TOOL: &str = "*";

/// What a remembered answer is about, beside the tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Shape {
    /// These very arguments, touching these very paths. Kept as a SHA-256 (of the canonical form: the order of
    /// keys does not matter), since arguments and paths may hold secrets; `shown` is for people, masked and
    /// short.
    Exact { sha256: String, shown: String },
    /// Any arguments, as long as every path that needs a question lies in this folder.
    Folder {
        #[serde(with = "crate::path_json")]
        #[schemars(with = "String")]
        path: PathBuf,
    },
    /// Commands like this one, run in this folder.
    Command {
        pattern: CommandPattern,
        #[serde(with = "crate::path_json")]
        #[schemars(with = "String")]
        folder: PathBuf,
        /// With the network, where the call asks for it.
        network: bool,
    },
    /// Any arguments, as long as this is the only host that is reached.
    Host { host: String },
    /// Changes in this workspace that can be undone, by whichever tool: commands and file tools alike.
    Changes {
        #[serde(with = "crate::path_json")]
        #[schemars(with = "String")]
        workspace: PathBuf,
    },
    /// Any arguments.
    AnyArguments,
}

impl Shape {
    /// The shape of these very arguments, touching what this plan touches.
    pub fn exact(arguments: &Value, plan: &Plan, shown: String) -> Self {
        Self::Exact { sha256: exact_hash(arguments, plan), shown }
    }

    /// Whether a no of this shape speaks about a call: it does if anything that the call touches lies in its
    /// folder, or is removed together with it; if any of the commands that it runs is one of its pattern; or if it
    /// reaches its host.
    pub fn concerns(&self, arguments: &Value, plan: &Plan) -> bool {
        match self {
            // A no to all changes would be the mode read-only.
            Self::Changes { workspace } => {
                plan.changes.is_some() && plan.touches.iter().any(|touch| touch.path.starts_with(workspace))
            }
            Self::Folder { path } => plan.touches.iter().any(|touch| {
                touch.path.starts_with(path) || (touch.recursive && path.starts_with(&touch.path))
            }),
            Self::Command { pattern, .. } => {
                plan.commands.iter().chain(&plan.all_commands).any(|command| pattern.matches(command))
            }
            Self::Host { host } => plan.hosts.contains(host),
            Self::AnyArguments => true,
            Self::Exact { .. } => self.covers(arguments, plan),
        }
    }

    /// Whether a yes of this shape covers a call with these arguments and this plan: all of it.
    pub fn covers(&self, arguments: &Value, plan: &Plan) -> bool {
        match self {
            Self::Exact { sha256, .. } => *sha256 == exact_hash(arguments, plan),
            // A plan that also runs programs or reaches hosts is more than work in a folder.
            Self::Folder { path } => {
                let asked: Vec<_> =
                    plan.touches.iter().filter(|t| t.permission > crate::Permission::Public).collect();
                !asked.is_empty()
                    && plan.programs.is_empty()
                    && plan.hosts.is_empty()
                    && plan.cwd.is_none()
                    && asked.iter().all(|t| t.path.starts_with(path))
            }
            Self::Command { pattern, folder, network } => {
                !plan.commands.is_empty()
                    && plan.commands.iter().all(|command| pattern.matches(command))
                    && plan.cwd.as_ref().is_some_and(|cwd| cwd.starts_with(folder))
                    && (*network || !plan.with_network)
            }
            // A plan that also runs programs or touches what is asked about is more than work on a host.
            Self::Host { host } => {
                !plan.hosts.is_empty()
                    && plan.hosts.iter().all(|reached| reached == host)
                    && plan.programs.is_empty()
                    && plan.cwd.is_none()
                    && !plan.effects.executes
                    && plan.touches.iter().all(|t| t.permission == crate::Permission::Public)
            }
            Self::Changes { workspace } => {
                let asked = || plan.touches.iter().filter(|t| t.permission > crate::Permission::Public);
                plan.undo == Undoable::Yes
                    && plan.effects.writes
                    && !(plan.effects.executes || plan.effects.network || plan.effects.desktop)
                    && plan.programs.is_empty()
                    && plan.hosts.is_empty()
                    && plan.cwd.is_none()
                    && asked().all(|t| t.access.writes() && t.path.starts_with(workspace))
                    && asked().next().is_some()
            }
            // Whatever runs next is not known from what ran before.
            Self::AnyArguments => plan.cwd.is_none(),
        }
    }

    /// The tool that an answer of this shape is about, asked about a call of `tool`.
    pub fn tool(&self, tool: &str) -> String {
        if matches!(self, Self::Changes { .. }) { ANY_TOOL.to_owned() } else { tool.to_owned() }
    }

    /// In words, as the person sees it before they say yes.
    pub fn words(&self, tool: &str) -> String {
        match self {
            Self::Exact { shown, .. } => format!("{tool} with exactly these arguments: {shown}"),
            Self::Folder { path } => format!("{tool} on anything in {}", path.display()),
            Self::Command { pattern, folder, network } => {
                let network = if *network { ", with the network" } else { "" };
                format!("{tool} with commands like `{pattern}` in {}{network}", folder.display())
            }
            Self::Host { host } => format!("{tool} on the host {host}"),
            Self::Changes { workspace } => {
                format!("changes that can be undone in {}, by commands and file tools", workspace.display())
            }
            Self::AnyArguments => format!("every use of {tool} that is not sensitive"),
        }
    }
}

fn exact_hash(arguments: &Value, plan: &Plan) -> String {
    let mut bytes = Vec::new();
    arguments::write_canonical(arguments, &mut bytes);
    for touch in &plan.touches {
        bytes.push(0);
        bytes.extend_from_slice(touch.path.as_os_str().as_encoded_bytes());
    }
    arguments::sha256_hex(&bytes)
}

/// Where a grant is valid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "in")]
pub enum Scope {
    Session {
        id: String,
    },
    Workspace {
        #[serde(with = "crate::path_json")]
        #[schemars(with = "String")]
        path: PathBuf,
    },
    Always,
}

impl Scope {
    pub fn words(&self) -> String {
        match self {
            Self::Session { .. } => "in this session".to_owned(),
            Self::Workspace { path } => format!("in the workspace {}", path.display()),
            Self::Always => "always".to_owned(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GrantEffect {
    Allow,
    Deny,
}

/// A remembered answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Grant {
    pub id: String,
    /// Whose answer it is. `None`: the owner of this installation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    pub effect: GrantEffect,
    pub tool: String,
    pub shape: Shape,
    pub scope: Scope,
    pub until: Option<Time>,
    pub created_at: Time,
    /// Who gave it: `person:terminal`, …
    pub created_by: String,
    /// Why not, for a remembered no.
    pub reason: Option<String>,
}

impl Grant {
    /// What it covers, where, until when.
    pub fn words(&self) -> String {
        let verb = match self.effect {
            GrantEffect::Allow => "Allow",
            GrantEffect::Deny => "Refuse",
        };
        let until = self.until.map_or_else(String::new, |t| format!(", until {t}"));
        let owner = self.owner.as_ref().map_or_else(String::new, |owner| format!(", for {owner}"));
        format!("{verb} {} {}{until}{owner}", self.shape.words(&self.tool), self.scope.words())
    }

    /// A yes counts for whoever gave it, and so does a no; but a no of the owner of this installation is one for all.
    fn counts_for(&self, owner: Option<&str>) -> bool {
        self.owner.as_deref() == owner || (self.effect == GrantEffect::Deny && self.owner.is_none())
    }

    /// Whether it speaks about this call.
    pub fn matches(&self, tool: &str, arguments: &Value, plan: &Plan, at: &GrantPlace<'_>) -> bool {
        (self.tool == tool || self.tool == ANY_TOOL)
            && self.until.is_none_or(|until| at.now < until)
            && self.counts_for(at.owner)
            && match &self.scope {
                Scope::Session { id } => id == at.session_id,
                Scope::Workspace { path } => path == at.workspace,
                Scope::Always => true,
            }
            && match self.effect {
                GrantEffect::Allow => self.shape.covers(arguments, plan),
                GrantEffect::Deny => self.shape.concerns(arguments, plan),
            }
    }
}

/// Where, when and for whom a call is made, as far as grants care.
pub struct GrantPlace<'a> {
    pub owner: Option<&'a str>,
    pub session_id: &'a str,
    pub workspace: &'a std::path::Path,
    pub now: Time,
}

/// The kept grants. Shared by every process on one data folder.
pub trait GrantBook: Send + Sync {
    /// Those for this tool or for [every one](ANY_TOOL) that have not expired; a no before a yes, the newest first.
    fn for_tool(&self, tool: &str, now: Time) -> StoreResult<Vec<Grant>>;
    fn add(&self, grant: &Grant) -> StoreResult<()>;
    /// All of them, expired ones included, newest first.
    fn list(&self) -> StoreResult<Vec<Grant>>;
    /// Whether there was one of that id.
    fn revoke(&self, id: &str) -> StoreResult<bool>;
}

#[cfg(test)]
mod tests;
