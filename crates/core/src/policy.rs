//! Deciding: what the gate asks of whoever knows modes, grants and settings.

use std::{fmt, path::Path, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{error::StoreResult, gate::ToolSettings, outside::Outside, plan::Plan, spec::Permission};

/// How much runs without a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Moderate and sensitive calls are asked.
    #[default]
    Ask,
    /// Moderate calls run unasked.
    Auto,
    /// Anything that changes state is refused.
    ReadOnly,
    /// Nobody to ask: only public and granted calls run.
    Unattended,
}

impl Mode {
    pub const ALL: [Self; 4] = [Self::Ask, Self::Auto, Self::ReadOnly, Self::Unattended];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Auto => "auto",
            Self::ReadOnly => "read-only",
            Self::Unattended => "unattended",
        }
    }

    /// Whether this mode lets through at most what `other` does.
    pub fn at_least_as_tight_as(self, other: Self) -> bool {
        match other {
            Self::Auto => true,
            Self::Ask => self != Self::Auto,
            // One refuses what the other would ask, and the other way round: neither is the tighter.
            Self::Unattended | Self::ReadOnly => self == other,
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Mode {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == text).ok_or_else(|| {
            format!("there is no mode «{text}»: it is one of ask, auto, read-only, unattended")
        })
    }
}

/// Where whoever has calls made sits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Desktop {
    /// At the desktop that calls act on.
    #[default]
    Here,
    /// Somewhere else, so that this desktop is not theirs to act on.
    Away {
        /// A sentence for them.
        reason: String,
    },
}

/// One call, as far as the policy cares.
pub struct Question<'a> {
    pub tool: &'a str,
    pub arguments: &'a Value,
    pub plan: &'a Plan,
    pub mode: Mode,
    pub session_id: &'a str,
    /// For whom it is made. `None`: the owner of this installation.
    pub owner: Option<&'a str>,
    pub desktop: &'a Desktop,
    pub workspace: &'a Path,
    pub settings: ToolSettings,
    pub outside: &'a Outside,
}

/// What is to be done with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Allow,
    Ask,
    /// Forbidden, restricted, or refused by the mode.
    Block,
    /// A remembered no.
    Reject,
    /// It would be asked, and the mode says that nobody is there.
    NobodyToAsk,
}

impl Verdict {
    /// The word that `explain` and the audit use.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Block | Self::Reject | Self::NobodyToAsk => "forbid",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Decision {
    pub verdict: Verdict,
    /// The permission in force, settings included.
    pub permission: Permission,
    /// The rule that decided: `path:workspace-write`, `grant:ID`, `mode:read-only`, …
    pub rule: String,
    /// In words.
    pub why: String,
    /// What would change the decision, where anything would.
    pub hint: Option<String>,
    /// Whether the one thing in the way is a host that the user has not named: a yes for the host names it.
    pub wants_host_named: bool,
}

impl Decision {
    /// Whether a yes may be remembered.
    pub fn may_remember(&self) -> bool {
        self.permission <= Permission::Moderate || self.wants_host_named
    }
}

pub trait Policy: Send + Sync {
    fn decide(&self, question: &Question<'_>) -> StoreResult<Decision>;
}
