//! What the model and the gate read of a tool.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much say a person has in a call. Ordered: each level is stricter than the one before.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Permission {
    /// Runs without a question.
    #[default]
    Public,
    /// Asked once; the answer can be remembered.
    Moderate,
    /// Asked every time; a remembered yes does not cover it.
    Sensitive,
    /// Never runs, whatever anyone says. Only a plan can say so.
    Forbidden,
}

impl Permission {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Moderate => "moderate",
            Self::Sensitive => "sensitive",
            Self::Forbidden => "forbidden",
        }
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What a tool, or one call of it, does to the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Effects {
    pub reads: bool,
    pub writes: bool,
    pub executes: bool,
    pub network: bool,
    pub desktop: bool,
}

impl Effects {
    pub const NONE: Self =
        Self { reads: false, writes: false, executes: false, network: false, desktop: false };
    pub const READS: Self = Self { reads: true, ..Self::NONE };
    pub const WRITES: Self = Self { writes: true, ..Self::NONE };
    pub const EXECUTES: Self = Self { executes: true, ..Self::NONE };
    pub const NETWORK: Self = Self { network: true, ..Self::NONE };
    pub const DESKTOP: Self = Self { desktop: true, ..Self::NONE };

    /// The effects of both.
    pub const fn and(self, other: Self) -> Self {
        Self {
            reads: self.reads || other.reads,
            writes: self.writes || other.writes,
            executes: self.executes || other.executes,
            network: self.network || other.network,
            desktop: self.desktop || other.desktop,
        }
    }

    /// Whether anything is different afterwards. Reading, even over the network, changes nothing here.
    pub const fn change_state(self) -> bool {
        self.writes || self.executes || self.desktop
    }

    /// The names of those that are set, in a fixed order.
    pub fn names(self) -> Vec<&'static str> {
        [
            (self.reads, "reads"),
            (self.writes, "writes"),
            (self.executes, "executes"),
            (self.network, "network"),
            (self.desktop, "desktop"),
        ]
        .into_iter()
        .filter_map(|(on, name)| on.then_some(name))
        .collect()
    }
}

/// Everything a tool says of itself, in one constant. The OpenAI definition, the MCP listing, the manual
/// page and the JSON listing are all made from it and from the schemas of the tool's types.
pub type Spec = SpecOf<'static>;

/// The same of a tool that lives no longer than `'a`: one that another server has.
#[derive(Clone, Copy, Debug)]
pub struct SpecOf<'a> {
    pub name: &'a str,
    /// For models and people, English. One or two sentences: what it does, what is worth knowing.
    pub description: &'a str,
    /// The same for a Chinese reader.
    pub description_zh: &'a str,
    /// The usual level; the plan settles it for each call.
    pub permission: Permission,
    pub effects: Effects,
    pub requires_execution_approval: bool,
    pub requires_result_approval: bool,
    /// The toolsets it belongs to.
    pub toolsets: &'a [&'a str],
    /// Words by which it is found, in both languages.
    pub keywords: &'a [&'a str],
    /// Parameters whose values may be secrets that nothing in them tells: they are never shown or written down. What of
    /// them a person who is asked should see, the plan's preview shows, which is kept no longer than the question is open.
    pub conceals: &'a [&'a str],
    /// An example of its arguments, as JSON; a test checks that it is valid.
    pub example: &'a str,
    /// How long a call may take where nothing else is said.
    pub timeout_s: u64,
    /// Whether its data says more than its text and is short. MCP clients that get both show the model only the data.
    pub structured: bool,
}

impl<'a> SpecOf<'a> {
    pub const fn new(name: &'a str, description: &'a str) -> Self {
        Self {
            name,
            description,
            description_zh: "",
            permission: Permission::Sensitive,
            effects: Effects::NONE,
            requires_execution_approval: false,
            requires_result_approval: false,
            toolsets: &[],
            keywords: &[],
            conceals: &[],
            example: "{}",
            timeout_s: 120,
            structured: false,
        }
    }

    pub const fn zh(mut self, description: &'a str) -> Self {
        self.description_zh = description;
        self
    }

    pub const fn permission(mut self, permission: Permission) -> Self {
        self.permission = permission;
        self
    }

    pub const fn effects(mut self, effects: Effects) -> Self {
        self.effects = effects;
        self
    }

    pub const fn requires_execution_approval(mut self) -> Self {
        self.requires_execution_approval = true;
        self
    }

    pub const fn requires_result_approval(mut self) -> Self {
        self.requires_result_approval = true;
        self
    }

    pub const fn toolsets(mut self, toolsets: &'a [&'a str]) -> Self {
        self.toolsets = toolsets;
        self
    }

    pub const fn keywords(mut self, keywords: &'a [&'a str]) -> Self {
        self.keywords = keywords;
        self
    }

    pub const fn conceals(mut self, parameters: &'a [&'a str]) -> Self {
        self.conceals = parameters;
        self
    }

    pub const fn example(mut self, arguments: &'a str) -> Self {
        self.example = arguments;
        self
    }

    pub const fn structured(mut self) -> Self {
        self.structured = true;
        self
    }

    pub const fn timeout_s(mut self, seconds: u64) -> Self {
        self.timeout_s = seconds;
        self
    }
}
