//! Reference pages made from the program itself, and checked by the tests to be current.

use anyhow::Result;
use clap::CommandFactory;
use deskhand_core::{Event, Registry, dialect::Parameter, export, schema};

use crate::cli::Cli;

/// The manual page, in roff.
pub fn man_page() -> Result<String> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    Ok(String::from_utf8(page)?)
}

/// `docs/tools.md`.
pub fn tools_page(registry: &Registry) -> String {
    let mut page = String::from(
        "# Tools\n\nMade from the program by `make docs`; the tests check that it is current. Every tool with its \
         parameters, in the form that `deskhand tools NAME` prints.\n",
    );
    for entry in registry.offered() {
        page.push('\n');
        page.push_str(&export::manual(registry, &entry).replace("\n## ", "\n### ").replacen("# ", "## ", 1));
    }
    page
}

/// Where the table stands in `docs/dialects.md`; the rest of that page is written by hand.
pub const DIALECT_TABLE: (&str, &str) =
    ("<!-- table: made from the program -->\n", "<!-- end of the table -->\n");

/// The table in `docs/dialects.md`: every tool of every dialect.
pub fn dialects_table(registry: &Registry) -> String {
    let mut table = String::new();
    for dialect in registry.dialects() {
        let (built, _) = dialect.split(registry);
        let (name, count, all) = (dialect.name, built.len(), dialect.entries.len());
        table += &format!(
            "\n### {name}: {count} of {all} built\n\n| name | tool here | parameters | built |\n|---|---|---|---|\n"
        );
        for entry in dialect.entries {
            let parameters: Vec<String> = entry.parameters.iter().map(parameter).collect();
            let is_built = registry.get(entry.tool).is_some();
            let (tool, parameters) = (entry.tool, parameters.join(", "));
            let built = if is_built { "yes" } else { "not yet" };
            table += &format!("| `{}` | `{tool}` | {parameters} | {built} |\n", entry.name);
        }
    }
    table + "\n"
}

/// `path`, `limit?` = `20`.
fn parameter(parameter: &Parameter) -> String {
    let optional = if parameter.required { "" } else { "?" };
    let default = match parameter.default {
        "" => String::new(),
        value => format!(" = `{value}`"),
    };
    format!("`{}{optional}`{default}", parameter.name)
}

/// `docs/openapi.json`: what the server answers under `/api/openapi.json`.
pub fn openapi_document() -> Result<String> {
    Ok(serde_json::to_string_pretty(&deskhand_serve::http::document())? + "\n")
}

/// `docs/events.md`.
pub fn events_page() -> Result<String> {
    let schema = serde_json::to_string_pretty(&schema::of::<Event>())?;
    Ok(format!(
        "# Events\n\nMade from the program by `make docs`; the tests check that it is current.\n\nWhat happens in a \
         session is one stream of events; every surface renders that stream. Each event has `seq`, `at`, `session_id`, \
         `turn_id` and `type`; the rest depends on the type. Texts in events are masked. This is their JSON Schema:\n\n\
         ```json\n{schema}\n```\n"
    ))
}
