//! `deskhand tools`: what there is, for people and for programs.

use std::fmt::Write;

use anyhow::{Result, anyhow};
use deskhand_core::{Dialect, DialectEntry, Registry, ToolEntry, export};
use serde_json::{Value, json};

use crate::{
    assemble::App,
    cli::ToolFormat,
    language::Language,
    terminal::{Printer, Style},
};

pub struct Wanted {
    pub name: Option<String>,
    pub toolset: Option<String>,
    pub dialect: Option<String>,
    pub format: ToolFormat,
}

/// Lists the tools of the assembled program, so that this listing, `doctor` and the gate agree on what is available.
pub fn run(app: &App, wanted: &Wanted, printer: Printer) -> Result<u8> {
    let registry = &app.gate.registry;
    match (&wanted.name, &wanted.dialect) {
        // The name of a dialect is the short form for where there are no options: in the console and the chat.
        (Some(name), None) if is_dialect(registry, name) => {
            in_dialect(registry, name, wanted.format, app.language, printer)?;
        }
        (Some(name), _) => one(registry, name, wanted, printer)?,
        (None, Some(dialect)) => in_dialect(registry, dialect, wanted.format, app.language, printer)?,
        (None, None) => list(registry, wanted, app.language, printer)?,
    }
    Ok(0)
}

fn is_dialect(registry: &Registry, name: &str) -> bool {
    registry.dialect(name).is_some() && registry.get(name).is_none()
}

fn one(registry: &Registry, name: &str, wanted: &Wanted, printer: Printer) -> Result<()> {
    let found = registry.find(name, wanted.dialect.as_deref()).map_err(|error| {
        let dialect = wanted.dialect.as_deref().and_then(|dialect| registry.dialect(dialect));
        let error = dialect.and_then(|dialect| dialect.not_built(name, registry)).unwrap_or(error);
        anyhow!("{}{}", error.message, error.hint.map_or_else(String::new, |hint| format!(" {hint}")))
    })?;
    // A name that many systems share is that of one only where its dialect was asked for.
    if let Some((dialect, entry)) = found.dialect.filter(|_| wanted.dialect.is_some()) {
        let value = entry_in_format(dialect, entry, registry, &found.entry, wanted.format);
        return printer.print(&value, |_| export::manual_in_dialect(dialect, entry, &found.entry));
    }
    printer.print(&in_format(&found.entry, wanted.format), |_| export::manual(registry, &found.entry))
}

fn list(registry: &Registry, wanted: &Wanted, language: Language, printer: Printer) -> Result<()> {
    let tools: Vec<_> = match &wanted.toolset {
        None => registry.offered().collect(),
        Some(name) => registry.toolset(name).ok_or_else(|| {
            anyhow!("there is no toolset «{name}»; there are: {}", registry.toolset_names().join(", "))
        })?,
    };
    let value = match wanted.format {
        ToolFormat::Full => json!({
            "tools": tools.iter().map(|entry| export::listing(entry)).collect::<Vec<_>>(),
            "absent": registry.absent().map(|(entry, absent)| {
                json!({"name": entry.spec().name, "why": absent.why, "remedy": absent.remedy})
            }).collect::<Vec<_>>(),
        }),
        form => tools.iter().map(|entry| in_format(entry, form)).collect(),
    };
    printer.print(&value, |style| {
        let mut text = String::new();
        for entry in &tools {
            row(&mut text, entry, style, language);
        }
        for (entry, absent) in registry.absent() {
            let _ = writeln!(
                text,
                "{:<17} {}",
                entry.spec().name,
                style.dim(&format!("{} {}", absent.why, absent.remedy))
            );
        }
        text
    })
}

fn row(text: &mut String, entry: &ToolEntry, style: Style, language: Language) {
    let spec = entry.spec();
    let about = language.say(spec.description, spec.description_zh);
    let permission = format!("{:<9}", spec.permission);
    let _ = writeln!(text, "{} {permission} {about}", style.bold(&format!("{:<17}", spec.name)));
}

fn in_format(entry: &ToolEntry, format: ToolFormat) -> Value {
    match format {
        ToolFormat::Full => export::listing(entry),
        ToolFormat::Openai => export::openai_function(entry),
        ToolFormat::Mcp => export::mcp_tool(entry),
    }
}

/// A tool of another system, in its words.
fn entry_in_format(
    dialect: &Dialect,
    entry: &DialectEntry,
    registry: &Registry,
    tool: &ToolEntry,
    format: ToolFormat,
) -> Value {
    match format {
        ToolFormat::Full => dialect.listed(entry, registry),
        ToolFormat::Openai => export::openai_function_in_dialect(entry, tool),
        ToolFormat::Mcp => export::mcp_tool_in_dialect(entry, tool),
    }
}

fn in_dialect(
    registry: &Registry,
    name: &str,
    format: ToolFormat,
    language: Language,
    printer: Printer,
) -> Result<()> {
    let dialect = registry.dialect(name).ok_or_else(|| {
        let names: Vec<_> = registry.dialects().iter().map(|d| d.name).collect();
        anyhow!("there is no dialect «{name}»; there are: {}", names.join(", "))
    })?;
    let value = match format {
        ToolFormat::Full => json!({
            "dialect": dialect.name,
            "about": dialect.about,
            "tools": dialect.listing(registry),
        }),
        // What is defined for a model or a client is what it can call.
        form => {
            let found = dialect
                .entries
                .iter()
                .filter_map(|entry| Some((entry, registry.find(entry.name, Some(dialect.name)).ok()?)));
            found
                .map(|(entry, found)| entry_in_format(dialect, entry, registry, &found.entry, form))
                .collect()
        }
    };
    printer.print(&value, |style| dialect_text(dialect, registry, style, language))
}

/// What is built first, with the reason where it cannot work here, then what is not.
fn dialect_text(dialect: &Dialect, registry: &Registry, style: Style, language: Language) -> String {
    let mut text = format!("{}: {}\n", style.bold(dialect.name), dialect.about);
    let (built, missing) = dialect.split(registry);
    let mut row = |entry: &DialectEntry, mark: &str| {
        let name = style.bold(&format!("{:<18}", entry.name));
        if let Some(absent) = registry.why_absent(entry.tool) {
            let why = style.dim(&format!("{} {}", absent.why, absent.remedy));
            let _ = writeln!(text, "{name} = {:<18} {why}", entry.tool);
            return;
        }
        let names: Vec<_> = entry.parameters.iter().map(|p| p.name).collect();
        let tool = registry.get(entry.tool);
        let (english, chinese) = entry.description(tool.as_deref());
        let about = language.say(english, chinese);
        let parameters = style.dim(&format!("({})", names.join(", ")));
        let _ = writeln!(text, "{name} = {:<18} {mark}{about} {parameters}", entry.tool);
    };
    for entry in built {
        row(entry, "");
    }
    for entry in missing {
        row(entry, &format!("{} ", style.yellow("not built yet")));
    }
    text
}
