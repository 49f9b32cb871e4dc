//! One file for each subject of the API. A route is one function and one line here or in its file.

mod about;
mod again;
mod approvals;
mod audit;
pub mod browser;
mod chat;
mod demo;
mod downloads;
mod events;
mod execute;
mod grants;
pub mod health;
mod import;
mod messages;
mod metrics;
mod models;
mod notices;
pub mod openai;
mod paging;
#[cfg(unix)]
mod processes;
mod queue;
mod servers;
mod sessions;
mod settings;
mod tools;
mod undo;
mod uploads;
mod vitals;
mod workspaces;

use aide::axum::ApiRouter;

use super::app::App;

/// All routes of the API.
pub fn all() -> ApiRouter<App> {
    ApiRouter::new()
        .merge(health::routes())
        .merge(about::routes())
        .merge(workspaces::routes())
        .merge(sessions::routes())
        .merge(import::routes())
        .merge(messages::routes())
        .merge(chat::routes())
        .merge(again::routes())
        .merge(queue::routes())
        .merge(events::routes())
        .merge(notices::routes())
        .merge(tools::routes())
        .merge(execute::routes())
        .merge(browser::routes())
        .merge(approvals::routes())
        .merge(uploads::routes())
        .merge(downloads::routes())
        .merge(grants::routes())
        .merge(undo::routes())
        .merge(audit::routes())
        .merge(vitals::routes())
        .merge(metrics::routes())
        .merge(processes())
        .merge(settings::routes())
        .merge(models::routes())
        .merge(servers::routes())
        .merge(demo::routes())
        .merge(openai::routes())
}

#[cfg(unix)]
fn processes() -> ApiRouter<App> {
    processes::routes()
}

/// Commands run on Unix only, so far.
#[cfg(not(unix))]
fn processes() -> ApiRouter<App> {
    ApiRouter::new()
}

pub use about::MOST_JSON_BYTES;

/// The subjects, in the order of the document.
pub const TAGS: &[(&str, &str)] = &[
    ("sessions", "Conversations that last"),
    ("messages", "What was said in them, and saying more"),
    ("turns", "The turn that is under way"),
    ("events", "What happens, as it happens"),
    ("tools", "The hands, each call through the one gate"),
    ("browser", "Web pages, for callers of SkillMint's browser sidecar"),
    ("approvals", "Questions to people"),
    ("files", "Files in and out"),
    ("processes", "Programs that calls left running in the background"),
    ("audit", "What was done, by whom, and whether the record is whole"),
    ("undo", "Changes to files, and taking them back"),
    ("settings", "What can be set"),
    ("servers", "Other MCP servers whose tools are used here"),
    ("models", "Whom Deskhand talks to, their keys, and the demo that needs none"),
    ("openai", "For programs that speak OpenAI's chat completions"),
    ("server", "The server itself"),
];
