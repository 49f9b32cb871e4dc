//! Reference pages made from the program itself, and checked by the tests to be current.

use anyhow::Result;
use clap::CommandFactory;
use deskhand_core::{Event, Registry, export, schema};

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
