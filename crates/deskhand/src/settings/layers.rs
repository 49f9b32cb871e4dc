//! Reading the layers and laying them over each other.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, anyhow, bail};
use deskhand_core::{Mode, arguments};
use deskhand_store::Trust;
use serde_json::Value;

use super::{Ignored, McpServers, Setting, Settings, Source, WorkspaceFile, known};
use crate::places;

/// What the layers are read from.
pub struct Load<'a> {
    /// The person's file, where one was named; it must be there then.
    pub named_file: Option<&'a Path>,
    /// The usual file; it need not be there.
    pub usual_file: Option<PathBuf>,
    /// The folders to work in. The first one's file may be trusted; those of the others only ever tighten, whichever
    /// folder a session works in.
    pub workspaces: &'a [PathBuf],
    pub trust: &'a Trust,
    pub mode_flag: Option<Mode>,
    pub model_flag: Option<&'a str>,
    /// The names of the tools that can be configured through the environment.
    pub tools: &'a [&'a str],
    pub environment: &'a dyn Fn(&str) -> Option<String>,
}

pub fn load(from: &Load<'_>) -> Result<Settings> {
    let mut settings = Settings::default();
    for known in known::all() {
        settings.set(known.key, (known.default)(), Source::Default, known.about);
    }
    if let Some((path, text)) = person_file(from)? {
        let Parsed { flat, servers } = parse(&path, &text)?;
        settings.mcp_servers.extend(servers.map(|servers| McpServers { path: path.clone(), servers }));
        for (key, value) in flat {
            let known = check(&key, &value).map_err(|why| anyhow!("{}: {why}", path.display()))?;
            if let Some(why) = unknown_tool(&key, from.tools) {
                settings.warnings.push(format!("{}: {why}", path.display()));
            }
            settings.set(&key, value, Source::File { path: path.clone() }, known.about);
        }
    }
    for (n, workspace) in from.workspaces.iter().enumerate() {
        let says = if n == 0 { Says::AsTrusted } else { Says::OnlyTighter };
        workspace_layer(&mut settings, from.trust, workspace, says)?;
    }
    environment_layer(&mut settings, from)?;
    let mode = from.mode_flag.map(Mode::as_str);
    for (key, flag, text) in [("mode", "--mode", mode), ("model", "--model", from.model_flag)] {
        if let Some(text) = text {
            let known = check(key, &text.into()).map_err(|why| anyhow!("{flag}: {why}"))?;
            settings.set(key, text.into(), Source::Flag { flag }, known.about);
        }
    }
    Ok(settings)
}

impl Settings {
    fn set(&mut self, key: &str, value: Value, source: Source, about: &'static str) {
        self.values.insert(key.to_owned(), Setting { value, source, about });
    }
}

fn person_file(from: &Load<'_>) -> Result<Option<(PathBuf, String)>> {
    if let Some(path) = from.named_file {
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read the config {}", path.display()))?;
        return Ok(Some((path.to_path_buf(), text)));
    }
    let Some(path) = &from.usual_file else { return Ok(None) };
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some((path.clone(), text))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read the config {}", path.display())),
    }
}

/// How much the file of a workspace may say.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// All, once it is trusted; until then what tightens.
    AsTrusted,
    /// What is tighter than all before it.
    OnlyTighter,
}

/// The workspace's file came with the folder. What is wrong in it is a warning: it must not keep a person from
/// working there.
fn workspace_layer(settings: &mut Settings, trust: &Trust, workspace: &Path, says: Says) -> Result<()> {
    let path = places::workspace_config(workspace);
    let text = match read_small_file(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            settings.warnings.push(format!("cannot read {}: {error}", path.display()));
            return Ok(());
        }
    };
    let sha256 = arguments::sha256_hex(text.as_bytes());
    let trusted = says == Says::AsTrusted && trust.is_trusted(&path, &sha256)?;
    if says == Says::AsTrusted {
        settings.workspace_file = Some(WorkspaceFile { path: path.clone(), sha256, trusted });
    }
    let Ok(Parsed { flat, servers }) = parse(&path, &text) else {
        // Its text is not quoted: it came with the folder, and may be anything.
        settings.warnings.push(format!("{} is not valid TOML; it is ignored", path.display()));
        return Ok(());
    };
    if let Some(servers) = servers {
        // A server is a program to run, or a place to send things to.
        if trusted {
            settings.mcp_servers.push(McpServers { path: path.clone(), servers });
        } else {
            let why = match says {
                Says::AsTrusted => "`deskhand config trust` lets this workspace start MCP servers".to_owned(),
                Says::OnlyTighter => format!("{} is not the first workspace", workspace.display()),
            };
            settings.ignored.push(Ignored { key: "mcp.servers".to_owned(), value: names_of(&servers), why });
        }
    }
    for (key, value) in flat {
        let known = match check(&key, &value) {
            Ok(known) => known,
            Err(why) => {
                settings.ignored.push(Ignored { key, value, why });
                continue;
            }
        };
        let before = settings.value(&key);
        let tightens = (known.tightens)(before, &value);
        // What is neither tighter nor looser, as a language is, is for the first to say.
        let is_tighter = tightens && (value == *before || !(known.tightens)(&value, before));
        let (may_set, why) = match says {
            Says::AsTrusted => (
                trusted || tightens,
                "it would loosen the setting; `deskhand config trust` lets this workspace do so".to_owned(),
            ),
            Says::OnlyTighter => (
                is_tighter,
                format!("{} is not the first workspace, so its config can only tighten", workspace.display()),
            ),
        };
        if may_set {
            settings.set(&key, value, Source::Workspace { path: path.clone() }, known.about);
        } else {
            settings.ignored.push(Ignored { key, value, why });
        }
    }
    Ok(())
}

/// A config that came with a folder: a plain file of a sensible size, not a link to somewhere, a pipe or a device.
fn read_small_file(path: &Path) -> io::Result<String> {
    const MOST: u64 = 64 * 1024;
    let refuse = |why: &str| Err(io::Error::other(why.to_owned()));
    if !fs::symlink_metadata(path)?.is_file() {
        return refuse("it is not a plain file");
    }
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits().cast_signed(),
    );
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return refuse("it is not a plain file");
    }
    let mut text = String::new();
    file.take(MOST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST { refuse("it is larger than 64 KiB") } else { Ok(text) }
}

fn environment_layer(settings: &mut Settings, from: &Load<'_>) -> Result<()> {
    let of_tools = from.tools.iter().flat_map(|tool| {
        [format!("tools.{tool}.{}", known::EXECUTION), format!("tools.{tool}.requires_result_approval")]
    });
    let keys = known::all().map(|known| known.key.to_owned()).chain(of_tools);
    for key in keys {
        let variable = known::variable(&key);
        let Some(text) = (from.environment)(&variable) else { continue };
        let value = value_of(&key, &text);
        let known = check(&key, &value).map_err(|why| anyhow!("{variable}: {why}"))?;
        settings.set(&key, value, Source::Environment { variable }, known.about);
    }
    Ok(())
}

/// A value as it is written outside of a file: numbers, booleans and lists as JSON, anything else as a text.
pub fn value_of(key: &str, text: &str) -> Value {
    let as_text = Value::String(text.to_owned());
    let value = serde_json::from_str(text).ok();
    let value = value.filter(|value: &Value| value.is_boolean() || value.is_number() || value.is_array());
    // A text may look like a number.
    value.filter(|value| check(key, value).is_ok() || check(key, &as_text).is_err()).unwrap_or(as_text)
}

/// A setting of a tool that there is not would do nothing, and look as if it did.
pub fn unknown_tool(key: &str, tools: &[&str]) -> Option<String> {
    let (tool, _) = known::tool_key(key)?;
    // Which tools other servers have is known only once they are asked.
    if tools.contains(&tool) || tool.starts_with("mcp_") {
        return None;
    }
    let near = arguments::nearest(tool, tools.iter().copied());
    Some(format!(
        "{key}: there is no tool {tool}{}",
        near.map_or_else(String::new, |near| format!(" (did you mean {near}?)"))
    ))
}

/// The row of a setting, or what is wrong with its name.
pub(super) fn known(key: &str) -> Result<&'static known::Known, String> {
    known::find(key)
}

/// Whether this could be a person's config file.
pub(super) fn check_file(path: &Path, text: &str) -> Result<()> {
    for (key, value) in parse(path, text)?.flat {
        check(&key, &value).map_err(|why| anyhow!("{}: {why}", path.display()))?;
    }
    Ok(())
}

pub(super) fn check(key: &str, value: &Value) -> Result<&'static known::Known, String> {
    let known = known(key)?;
    (known.check)(value).map_err(|wanted| format!("{key} is {value}, and must be {wanted}"))?;
    Ok(known)
}

/// The line that an error is about, from 1.
pub(super) fn line_of(text: &str, error: &toml::de::Error) -> usize {
    error.span().and_then(|span| text.get(..span.start)).map_or(0, |before| before.matches('\n').count()) + 1
}

/// What a config file says.
struct Parsed {
    /// The settings, with dotted keys.
    flat: Vec<(String, Value)>,
    /// The table `mcp.servers`, which is no setting with a value but a list of programs and places.
    servers: Option<Value>,
}

fn parse(path: &Path, text: &str) -> Result<Parsed> {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        // The whole error shows the line, in which a header with a key may stand.
        let (line, why) = (line_of(text, &error), error.message());
        anyhow!("{} is not valid TOML in line {line}: {why}", path.display())
    })?;
    let mut value = serde_json::to_value(table)?;
    let mcp = value.get_mut("mcp").and_then(Value::as_object_mut);
    let servers = mcp.and_then(|mcp| mcp.remove("servers"));
    let mut flat = Vec::new();
    flatten_into(&value, "", 0, &mut flat)?;
    Ok(Parsed { flat, servers })
}

/// The names alone: what is said of a server may be a secret.
fn names_of(servers: &Value) -> Value {
    servers.as_object().into_iter().flat_map(serde_json::Map::keys).cloned().collect()
}

fn flatten_into(value: &Value, prefix: &str, depth: usize, flat: &mut Vec<(String, Value)>) -> Result<()> {
    const DEEPEST: usize = 8;
    if depth > DEEPEST {
        bail!("the config is nested too deeply at {prefix}");
    }
    let Value::Object(fields) = value else { return Ok(()) };
    for (name, value) in fields {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        if value.is_object() {
            flatten_into(value, &key, depth + 1, flat)?;
        } else {
            flat.push((key, value.clone()));
        }
    }
    Ok(())
}
