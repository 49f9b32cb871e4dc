//! What is written down about a server: the entry of the `mcpServers` JSON that MCP clients share, and what we add.

mod comments;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    time::Duration,
};

use deskhand_core::Permission;
use serde::{Deserialize, Deserializer, de::DeserializeOwned, de::Error as _};
use serde_json::{Map, Value};

pub use self::comments::plain_json;
use super::{name, sign_in::OauthConfig};

/// How long a call may go without a sign of life, where nothing else is said.
const USUAL_TIMEOUT: Duration = Duration::from_mins(1);
const LONGEST_TIMEOUT_S: u64 = 3_600;

/// One server, as it is written down: nothing in it is expanded yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerConfig {
    pub link: Link,
    pub disabled: bool,
    /// What its tools need, where nothing else is said of one. Never lowered by what the server says of itself.
    pub permission: Permission,
    /// By the server's own names.
    pub tools: BTreeMap<String, ToolConfig>,
    /// How long a call may go without a sign of life.
    pub timeout: Duration,
    /// Whether other users of this installation may call it, too.
    pub shared: bool,
    /// The protocol revision to speak, where it is not to be found out.
    pub protocol: Option<String>,
    /// What of the entry is not done, for people.
    pub notes: Vec<String>,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    Stdio { command: String, args: Vec<String>, env: BTreeMap<String, Hidden>, cwd: Option<String> },
    Http { url: Hidden, headers: BTreeMap<String, Hidden>, oauth: OauthConfig },
}

/// What is said of one tool of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolConfig {
    pub permission: Option<Permission>,
    #[serde(default)]
    pub hidden: bool,
}

/// Text that may be a secret: it is used, and never shown.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Hidden(String);

impl Hidden {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// For whoever connects.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// Something that is wrong in the JSON, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct ConfigError {
    /// Like `mcpServers.git.args`.
    pub place: String,
    /// Never the value: it may be a secret.
    pub problem: String,
}

/// All that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct ConfigErrors(pub Vec<ConfigError>);

/// The servers of a file, and what is wrong with those that are not among them.
#[derive(Debug, Default)]
pub struct ReadServers {
    pub servers: BTreeMap<String, ServerConfig>,
    /// Of all entries, the wrong ones too: what a server was given stays its own while its entry is being mended.
    pub names: BTreeSet<String>,
    pub errors: Vec<ConfigError>,
}

/// Reads a whole `{"mcpServers": {…}}`, or `{"servers": {…}}` as VS Code writes it, comments and all. All of it is right, or
/// nothing is read.
pub fn parse_servers(json_text: &str) -> Result<BTreeMap<String, ServerConfig>, ConfigErrors> {
    let read = read_servers(json_text);
    if read.errors.is_empty() { Ok(read.servers) } else { Err(ConfigErrors(read.errors)) }
}

/// The same, but what is wrong with one server takes nothing from the others.
pub fn read_servers(json_text: &str) -> ReadServers {
    let mut read = ReadServers::default();
    if let Err(error) = read.all(json_text) {
        read.errors.push(error);
    }
    read
}

impl ReadServers {
    fn all(&mut self, json_text: &str) -> Result<(), ConfigError> {
        let wrong = |place: &str, problem: String| ConfigError { place: place.to_owned(), problem };
        // Some editors write a mark before the text.
        let value: Value = serde_json::from_str(&plain_json(json_text.trim_start_matches('\u{feff}')))
            .map_err(|error| {
                let place = format!("line {}, column {}", error.line(), error.column());
                wrong(&place, "this is not JSON".to_owned())
            })?;
        let (key, servers) =
            ["mcpServers", "servers"]
                .iter()
                .find_map(|key| Some((*key, value.get(key)?)))
                .ok_or_else(|| wrong("/", "there is neither `mcpServers` nor `servers`".to_owned()))?;
        let servers = servers
            .as_object()
            .ok_or_else(|| wrong(key, "this must be an object with a server for each name".to_owned()))?;
        for (name, entry) in servers {
            self.one(&format!("{key}.{}", name::harmless(name, 80)), name, entry);
        }
        Ok(())
    }

    fn one(&mut self, place: &str, name: &str, entry: &Value) {
        let before = self.errors.len();
        let mut report = |problem: String| self.errors.push(ConfigError { place: place.to_owned(), problem });
        if let Err(problem) = name::check_server(name) {
            report(problem);
        }
        if let Some(other) = named_like(name, &self.names) {
            report(format!("its tools would have the same names as those of {other}"));
        }
        self.names.insert(name.to_owned());
        match ServerConfig::read(place, entry) {
            Ok(config) if self.errors.len() == before => {
                self.servers.insert(name.to_owned(), config);
            }
            Ok(_) => {}
            Err(found) => self.errors.extend(found.0),
        }
    }
}

/// The server of another name whose tools have the same names as those of this one would have.
pub fn named_like<'a>(name: &str, names: &'a BTreeSet<String>) -> Option<&'a str> {
    let prefix = name::prefix(name);
    names.iter().map(String::as_str).find(|other| *other != name && name::prefix(other) == prefix)
}

impl ServerConfig {
    /// One entry. `place` is where it stands, for what is wrong in it.
    pub fn read(place: &str, entry: &Value) -> Result<Self, ConfigErrors> {
        let Some(fields) = entry.as_object() else {
            let problem = "this must be an object with `command` or `url`".to_owned();
            return Err(ConfigErrors(vec![ConfigError { place: place.to_owned(), problem }]));
        };
        let mut fields = Fields { place, fields, errors: Vec::new() };
        let link = fields.link();
        let permission = fields.permission();
        let tools = fields.take_or_default::<BTreeMap<String, ToolConfig>>("tools");
        for (name, _) in tools.iter().filter(|(_, tool)| tool.permission == Some(Permission::Forbidden)) {
            let at = format!("tools.{}", name::harmless(name, 80));
            fields.wrong(&at, "hide a tool with `\"hidden\": true`".to_owned());
        }
        let timeout = match fields.take::<u64>("timeout_s") {
            None => USUAL_TIMEOUT,
            Some(seconds @ 1..=LONGEST_TIMEOUT_S) => Duration::from_secs(seconds),
            Some(_) => {
                fields.wrong("timeout_s", format!("this must be 1 to {LONGEST_TIMEOUT_S} seconds"));
                USUAL_TIMEOUT
            }
        };
        let config = Self {
            disabled: fields.take_or_default("disabled") || fields.take("enabled") == Some(false),
            shared: fields.take_or_default("shared"),
            protocol: fields.protocol(),
            notes: fields.notes(),
            link: link.unwrap_or_else(|| Link::Http {
                url: Hidden::default(),
                headers: BTreeMap::new(),
                oauth: OauthConfig::default(),
            }),
            permission,
            tools,
            timeout,
        };
        if fields.errors.is_empty() { Ok(config) } else { Err(ConfigErrors(fields.errors)) }
    }

    /// Whether a server that runs as one says can go on as the other says: only what holds for its tools differs.
    pub(super) fn runs_like(&self, other: &Self) -> bool {
        let rules = |config: &Self| Self {
            permission: other.permission,
            tools: other.tools.clone(),
            shared: other.shared,
            ..config.clone()
        };
        rules(self) == *other
    }

    /// Whether it starts what the other did not, or asks less for any tool.
    pub fn is_looser_than(&self, other: &Self) -> bool {
        // A hidden tool cannot even be asked for.
        let needs = |config: &Self, tool: Option<&ToolConfig>| match tool {
            Some(ToolConfig { hidden: true, .. }) => Permission::Forbidden,
            tool => tool.and_then(|tool| tool.permission).unwrap_or(config.permission),
        };
        (other.disabled && !self.disabled)
            || self.permission < other.permission
            || self
                .tools
                .keys()
                .chain(other.tools.keys())
                .any(|name| needs(self, self.tools.get(name)) < needs(other, other.tools.get(name)))
    }

    /// Whether somebody may sign in to it: no token is given in the entry.
    pub fn signs_in(&self) -> bool {
        let is_token = |name: &String| name.eq_ignore_ascii_case("authorization");
        matches!(&self.link, Link::Http { headers, .. } if !headers.keys().any(is_token))
    }

    /// `stdio` or `http`.
    pub fn kind(&self) -> &'static str {
        match self.link {
            Link::Stdio { .. } => "stdio",
            Link::Http { .. } => "http",
        }
    }
}

impl<'de> Deserialize<'de> for ServerConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read("server", &Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// The keys of one entry. Keys of other clients that we do not know are left alone.
struct Fields<'a> {
    place: &'a str,
    fields: &'a Map<String, Value>,
    errors: Vec<ConfigError>,
}

impl Fields<'_> {
    fn wrong(&mut self, key: &str, problem: String) {
        self.errors.push(ConfigError { place: format!("{}.{key}", self.place), problem });
    }

    fn take<T: DeserializeOwned>(&mut self, key: &str) -> Option<T> {
        let value = self.fields.get(key).filter(|value| !value.is_null())?;
        let read = T::deserialize(value).ok();
        if read.is_none() {
            // The words of serde would quote the value.
            self.wrong(key, format!("{} is not what belongs here", kind_of(value)));
        }
        read
    }

    fn take_or_default<T: DeserializeOwned + Default>(&mut self, key: &str) -> T {
        self.take(key).unwrap_or_default()
    }

    fn permission(&mut self) -> Permission {
        match self.take::<Permission>("permission") {
            None => Permission::Moderate,
            Some(Permission::Forbidden) => {
                self.wrong("permission", "this is one of public, moderate, sensitive".to_owned());
                Permission::Sensitive
            }
            Some(permission) => permission,
        }
    }

    fn link(&mut self) -> Option<Link> {
        let named = ["type", "transport"].iter().find_map(|key| Some((*key, self.take::<String>(key)?)));
        let (has_command, has_url) = (self.fields.contains_key("command"), self.fields.contains_key("url"));
        let kind = match named.as_ref().map(|(key, kind)| (*key, kind.as_str())) {
            Some((_, "stdio")) => "stdio",
            Some((_, "http" | "streamable-http" | "streamableHttp" | "streamable_http")) => "http",
            Some((key, "sse")) => {
                let problem = "the transport `sse` was given up in 2025: give the server's address for `http` \
                               (streamable HTTP), which often ends in /mcp instead of /sse";
                self.wrong(key, problem.to_owned());
                return None;
            }
            Some((key, _)) => {
                self.wrong(key, "this is one of stdio, http, streamable-http".to_owned());
                return None;
            }
            None if has_command => "stdio",
            None => "http",
        };
        if has_command && has_url && named.is_none() {
            self.wrong("command", "there is a `url`, too: say which one is meant with `type`".to_owned());
        }
        match kind {
            "stdio" => Some(Link::Stdio {
                command: self.needed("command")?,
                args: self.take_or_default("args"),
                env: self.env(),
                cwd: self.take("cwd"),
            }),
            _ => Some(Link::Http {
                url: Hidden(self.needed("url")?),
                headers: self.take_or_default("headers"),
                oauth: self.take_or_default("oauth"),
            }),
        }
    }

    /// Variables are texts. What other clients take for one is taken, as long as it is clear what was written: 1.10 is
    /// read as 1.1.
    fn env(&mut self) -> BTreeMap<String, Hidden> {
        let mut env = BTreeMap::new();
        for (name, value) in self.take_or_default::<Map<String, Value>>("env") {
            let text = match &value {
                Value::String(text) => text.clone(),
                Value::Bool(yes) => yes.to_string(),
                Value::Number(number) if !number.is_f64() => number.to_string(),
                other => {
                    let problem = format!("{} is no text: write it in quotes", kind_of(other));
                    self.wrong(&format!("env.{}", name::harmless(&name, 80)), problem);
                    continue;
                }
            };
            env.insert(name, Hidden(text));
        }
        env
    }

    fn needed(&mut self, key: &str) -> Option<String> {
        let had = self.errors.len();
        let text = self.take::<String>(key).filter(|text| !text.trim().is_empty());
        if text.is_none() && self.errors.len() == had {
            self.wrong(key, "this is missing (a server has a `command`, or a `url`)".to_owned());
        }
        text
    }

    fn protocol(&mut self) -> Option<String> {
        const KNOWN: [&str; 3] = ["2025-06-18", "2025-11-25", "2026-07-28"];
        let protocol = self.take::<String>("protocol")?;
        if !KNOWN.contains(&protocol.as_str()) {
            self.wrong("protocol", format!("this is one of {}", KNOWN.join(", ")));
        }
        Some(protocol)
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for key in ["autoApprove", "alwaysAllow"] {
            let says_something = self.fields.get(key).is_some_and(|value| match value {
                Value::Array(tools) => !tools.is_empty(),
                Value::Bool(yes) => *yes,
                other => !other.is_null(),
            });
            if says_something {
                notes.push(format!(
                    "`{key}` of another client is not taken over: allow a tool when you are asked, or set its \
                     `permission` under `tools`."
                ));
            }
        }
        if self.fields.contains_key("timeout") {
            notes.push("`timeout` of another client is not taken over: `timeout_s` is ours.".to_owned());
        }
        notes
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "this text",
        Value::Array(_) => "this list",
        Value::Object(_) => "this object",
    }
}

#[cfg(test)]
mod tests;
