//! One program, as the knowledge files say it.

use deskhand_core::Permission;
use serde::{Deserialize, Deserializer, de::Error};

/// What a use of a program amounts to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nature {
    /// Reads or computes, and prints.
    Read,
    /// Asks another host something that tells it nothing but the question (`ping -c`, `curl -I`, `dig`).
    LookUp,
    /// Changes files or local state in an ordinary way.
    Write,
    /// Runs code that is not part of the command: a project's, a package's, a script's.
    #[default]
    Execute,
    /// Sends to or fetches from other hosts.
    Network,
    /// Needs or gives privilege, or administers the machine.
    System,
    /// Destroys much, or what cannot be got back.
    Destroy,
    /// Never right from an assistant: forbidden.
    Catastrophe,
}

impl Nature {
    /// The permission that goes with it, where the entry names no other.
    pub fn permission(self) -> Permission {
        match self {
            Self::Read | Self::LookUp => Permission::Public,
            Self::Write | Self::Execute => Permission::Moderate,
            Self::Network | Self::System | Self::Destroy => Permission::Sensitive,
            Self::Catastrophe => Permission::Forbidden,
        }
    }
}

/// What a word of a command is to its program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Means nothing outside the program: a number, a format, a pattern, a message.
    Text,
    /// A path that is read.
    Read,
    /// A folder that is read with all below it.
    Tree,
    /// A path that is made or changed.
    Write,
    /// A path that is removed.
    Delete,
    /// A path whose mode, attributes or owner is changed.
    Attributes,
    /// A device or volume whose content is lost.
    Device,
    /// A host, `user@host`, `host:port`.
    Host,
    /// A URL, or a host.
    Url,
    /// `host:path` (a host is reached) or a plain path that is read.
    RemoteRead,
    /// `host:path` (a host is reached) or a plain path that is written.
    RemoteWrite,
    /// A command line for a shell, in one word.
    Shell,
    /// This word and all after it are a command.
    Argv,
    /// The same, with `NAME=value` words before the command.
    EnvArgv,
    /// Program text, in the language of the program.
    Code,
    /// A file that is run.
    Script,
    /// The name of a user or group.
    User,
    /// The id or name of a process.
    Process,
}

impl Role {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "text" => Self::Text,
            "read" => Self::Read,
            "tree" => Self::Tree,
            "write" => Self::Write,
            "delete" => Self::Delete,
            "attributes" => Self::Attributes,
            "device" => Self::Device,
            "host" => Self::Host,
            "url" => Self::Url,
            "remote-read" => Self::RemoteRead,
            "remote-write" => Self::RemoteWrite,
            "shell" => Self::Shell,
            "argv" => Self::Argv,
            "env-argv" => Self::EnvArgv,
            "code" => Self::Code,
            "script" => Self::Script,
            "user" => Self::User,
            "process" => Self::Process,
            _ => return None,
        })
    }
}

impl<'de> Deserialize<'de> for Role {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        Self::named(&name).ok_or_else(|| D::Error::custom(format!("there is no role «{name}»")))
    }
}

/// The roles of the words that are no flags, in order; at most one of them may repeat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operands {
    pub before: Vec<Role>,
    pub repeated: Option<Role>,
    pub after: Vec<Role>,
}

impl<'de> Deserialize<'de> for Operands {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let mut operands = Self::default();
        for word in text.split_whitespace() {
            let (name, repeats) = word.strip_suffix('*').map_or((word, false), |name| (name, true));
            let role =
                Role::named(name).ok_or_else(|| D::Error::custom(format!("there is no role «{name}»")))?;
            if repeats {
                if operands.repeated.replace(role).is_some() {
                    return Err(D::Error::custom("only one role of a list may repeat"));
                }
            } else if operands.repeated.is_some() {
                operands.after.push(role);
            } else {
                operands.before.push(role);
            }
        }
        Ok(operands)
    }
}

/// Words with blanks between them.
fn words<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(String::deserialize(from)?.split_whitespace().map(str::to_owned).collect())
}

/// How a program writes its flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Style {
    /// `-a -bc --long --long=value`, long ones may be cut short.
    #[default]
    Gnu,
    /// `-word value`, never joined: find, java, openssl.
    Dash,
    /// `name=value`: dd.
    Pairs,
    /// There are none: every word is an operand (echo).
    None,
}

/// A flag, or several that are alike.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flag {
    #[serde(deserialize_with = "words")]
    pub names: Vec<String>,
    /// What its value is, where it has one.
    pub takes: Option<Role>,
    /// Its value may be left out; it is given by `=` or joined on, never as the next word.
    #[serde(default)]
    pub optional: bool,
    /// What it makes of the call.
    pub is: Option<Nature>,
    pub level: Option<Permission>,
    /// It stands for the first (or last) operand, which is then not among the words.
    pub gives: Option<Gives>,
    pub why: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Gives {
    First,
    Last,
}

/// Commands that a rule must decide so; checked by the tests.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Examples {
    pub public: Vec<String>,
    pub moderate: Vec<String>,
    pub sensitive: Vec<String>,
    pub forbidden: Vec<String>,
}

/// What an entry and its cases have in common.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The operands that this case is about, from the first on: `remote show`, `stop|disable auditd|ufw`, `*` is
    /// any one word.
    #[serde(default, deserialize_with = "words")]
    pub words: Vec<String>,
    /// And one of these flags is there.
    #[serde(default, deserialize_with = "words")]
    pub with: Vec<String>,
    /// And none of these is.
    #[serde(default, deserialize_with = "words")]
    pub without: Vec<String>,
    /// And there is no operand beyond `words`.
    #[serde(default)]
    pub bare: bool,
    pub is: Option<Nature>,
    pub level: Option<Permission>,
    /// What it does, to follow the program's name: "lists files".
    pub does: Option<String>,
    pub why: Option<String>,
    /// The roles of the operands after `words`.
    pub operands: Option<Operands>,
    #[serde(default)]
    pub flags: Vec<Flag>,
    #[serde(default)]
    pub examples: Examples,
}

/// A program, or several that are alike.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    #[serde(deserialize_with = "words")]
    pub names: Vec<String>,
    /// What it does, to follow its name: "lists files".
    pub does: String,
    #[serde(default)]
    pub is: Nature,
    pub level: Option<Permission>,
    pub why: Option<String>,
    #[serde(default)]
    pub style: Style,
    #[serde(default)]
    pub operands: Operands,
    /// Flags that make it work on all below a folder.
    #[serde(default, deserialize_with = "words")]
    pub recursive: Vec<String>,
    #[serde(default)]
    pub flags: Vec<Flag>,
    /// Its first word may hold flags without a dash: tar, ps, ar.
    #[serde(default)]
    pub bare_flags: bool,
    /// Whatever its words are, it does no harm: words that cannot be resolved are no reason to ask.
    #[serde(default)]
    pub harmless: bool,
    /// The project decides what runs under its name, so that `--version` and `--help` are a call like any other.
    #[serde(default)]
    pub asks_project: bool,
    /// Flags that are not listed are a reason to ask.
    #[serde(default)]
    pub strict: bool,
    /// The first case that fits decides, before what stands above.
    #[serde(default)]
    pub case: Vec<Case>,
    #[serde(default)]
    pub examples: Examples,
}

impl Flag {
    /// Flags that take a value which means nothing beyond itself: for builtins and wrappers, which have no entry.
    pub fn taking(names: &str) -> Self {
        Self {
            names: names.split_whitespace().map(str::to_owned).collect(),
            takes: Some(Role::Text),
            optional: false,
            is: None,
            level: None,
            gives: None,
            why: None,
        }
    }

    /// The same where the value is only ever joined on.
    pub fn taking_joined(names: &str) -> Self {
        Self { optional: true, ..Self::taking(names) }
    }
}
